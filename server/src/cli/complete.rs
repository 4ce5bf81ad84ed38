//! `onced complete`: report what became of a granted attempt.

use std::time::Duration;

use clap::{Arg, ArgGroup, ArgMatches, Args, Command, FromArgMatches};
use onced_client::Connection as Client;
use onced_proto::v1::{
    CompleteRequest, CompleteResponse, Content, Failed, Money, OutcomeUnknown, ResultAbsence,
    Succeeded, complete_request::Outcome, content::Body,
};
use tonic::Request;

use super::{
    connection::Connection,
    exit::Exit,
    failure::Refusal,
    get,
    intent::IntentArgs,
    money,
    page::{Page, Tone},
    payload::{PayloadArgs, content},
};

mod lines;

const USAGE: &str = "onced complete --namespace N --operation O --key K --token T <OUTCOME>";
/// What goes with success alone. (`requires` would yield to the choice between the three.)
const NOT_SUCCEEDED: [&str; 2] = ["failed", "unknown"];
const EXAMPLE: &str = "\
Example: onced complete --namespace payments --operation charge \\
           --key charge:v1:order-43 --token 1764547200000000 --succeeded \\
           --text '{\"id\":\"ch_1\"}' --provider-reference ch_1
Why a payload: with the one that was claimed the outcome is kept even where the
store has lost the grant, e.g. after a backup was restored.";

/// Report what became of a granted attempt
#[derive(Debug)]
pub(super) enum Complete {
    /// As it was typed.
    Typed(Box<Typed>),
    /// As `onced run` has printed it.
    Lines(lines::Lines),
}

impl Args for Complete {
    fn augment_args(command: Command) -> Command {
        Typed::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Typed::augment_args_for_update(command)
    }
}

impl FromArgMatches for Complete {
    fn from_arg_matches(found: &ArgMatches) -> Result<Self, clap::Error> {
        if found.contains_id(lines::OPTION) {
            lines::Lines::from_arg_matches(found).map(Self::Lines)
        } else {
            Typed::from_arg_matches(found).map(Box::new).map(Self::Typed)
        }
    }

    fn update_from_arg_matches(&mut self, found: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(found)?;
        Ok(())
    }
}

/// What a line has in it need not be typed.
fn unless_in_a_line(option: Arg) -> Arg {
    if option.is_required_set() {
        option.required(false).required_unless_present(lines::OPTION)
    } else {
        option
    }
}

/// Report what became of a granted attempt
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE, mut_args(unless_in_a_line))]
#[command(override_usage = USAGE)]
#[command(group(ArgGroup::new("outcome").required(true)
    .args(["succeeded", "failed", "unknown", lines::OPTION])))]
#[command(group(ArgGroup::new("result").args(["text", "result_file", "omitted"])))]
#[command(group(ArgGroup::new("body").args(["text", "result_file"])))]
pub(super) struct Typed {
    #[command(flatten)]
    intent: IntentArgs,
    /// The fencing token of the grant
    #[arg(long, help_heading = "Intent", value_parser = clap::value_parser!(i64).range(1..))]
    token: i64,
    #[command(flatten)]
    outcome: OutcomeArgs,
    #[command(flatten)]
    payload: PayloadArgs,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Outcome: exactly one of --succeeded, --failed, --unknown")]
struct OutcomeArgs {
    /// It happened
    #[arg(long)]
    succeeded: bool,
    /// It finally failed, surely without effect
    #[arg(long, value_name = "TYPE")]
    failed: Option<String>,
    /// You do not know, e.g. the provider timed out
    #[arg(long)]
    unknown: bool,
    /// In place of all this: what run printed; or -
    #[arg(long, value_name = "LINE", conflicts_with_all = ["key", "token"])]
    outcome_line: Option<String>,
    /// The result, which duplicates get byte for byte
    #[arg(long, conflicts_with_all = NOT_SUCCEEDED)]
    text: Option<String>,
    /// The same from a file; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_SUCCEEDED)]
    result_file: Option<String>,
    /// There is a result, but it is left out
    #[arg(long, conflicts_with_all = NOT_SUCCEEDED)]
    omitted: bool,
    /// Media type of the result
    #[arg(long, value_name = "TYPE", requires = "body")]
    content_type: Option<String>,
    /// With --failed or --unknown: for people
    #[arg(long, value_name = "TEXT", conflicts_with = "succeeded")]
    message: Option<String>,
    /// What it moved, if other than claimed
    #[arg(long, value_parser = money::parse, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = NOT_SUCCEEDED)]
    amount: Option<Money>,
    /// The provider's own id of it
    #[arg(long, value_name = "ID", conflicts_with = "unknown")]
    provider_reference: Option<String>,
}

impl OutcomeArgs {
    fn message(&self) -> anyhow::Result<Outcome> {
        let provider_reference = self.provider_reference.clone().unwrap_or_default();
        let message = self.message.clone().unwrap_or_default();
        if let Some(kind) = &self.failed {
            let r#type = kind.clone();
            return Ok(Outcome::Failed(Failed {
                r#type,
                message,
                provider_reference,
                ..Default::default()
            }));
        }
        if self.unknown {
            return Ok(Outcome::Unknown(OutcomeUnknown { message }));
        }
        let absence =
            if self.omitted { ResultAbsence::Omitted } else { ResultAbsence::Unspecified };
        Ok(Outcome::Succeeded(Succeeded {
            result: self.result()?,
            result_absence: absence.into(),
            amount: self.amount.clone(),
            provider_reference,
        }))
    }

    fn result(&self) -> anyhow::Result<Option<Content>> {
        let body = match (&self.text, &self.result_file) {
            (Some(text), _) => Body::Text(text.clone()),
            (None, Some(file)) => Body::Bytes(content("--result-file", file)?.into()),
            (None, None) => return Ok(None),
        };
        let content_type = self.content_type.clone().unwrap_or_default();
        Ok(Some(Content { body: Some(body), content_type }))
    }
}

impl Complete {
    /// Reports and prints how the intent now stands.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        match self {
            Self::Typed(typed) => typed.run().await,
            Self::Lines(lines) => lines.run().await,
        }
    }
}

impl Typed {
    async fn run(self) -> anyhow::Result<Exit> {
        let request = CompleteRequest {
            intent: Some(self.intent.id()),
            fencing_token: self.token,
            payload: self.payload.read()?,
            outcome: Some(self.outcome.message()?),
        };
        let output = self.connection.output;
        let answer = self
            .connection
            .ask(
                request,
                Duration::ZERO,
                async |client: Client, request: Request<CompleteRequest>| {
                    client.claims().complete(request).await
                },
            )
            .await
            .map_err(|status| Refusal { status, output })?;
        let answer = ("onced.v1.CompleteResponse", &answer.message);
        super::print_answer(output, answer, &page(answer.1))?;
        Ok(Exit::Done)
    }
}

fn page(answer: &CompleteResponse) -> Page {
    let headline = match (answer.repeated, answer.late) {
        (true, _) => "the same report was taken before",
        (false, true) => "after the end of its lease",
        (false, false) => "the report is on disk",
    };
    let page = Page::new(Tone::Good, "recorded", headline);
    answer.intent.iter().fold(page, |page, intent| {
        let (_, word, meaning) = get::standing(intent);
        get::rows(page.row("now", Some(format!("{word}: {meaning}"))), intent)
    })
}

#[cfg(test)]
mod tests;
