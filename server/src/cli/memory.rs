//! `onced memory`: how far back the store remembers, and the gap that a restore leaves.

use std::time::Duration;

use clap::{Args, Subcommand};
use onced_client::Connection as Client;
use onced_proto::admin::v1::{
    ListMemoriesRequest, ListMemoriesResponse, MemoryChange, OperationMemory,
    admin_service_client::AdminServiceClient,
};
use tonic::Request;

use super::{
    connection::Connection,
    exit::Exit,
    failure::Refusal,
    page::{Page, Tone},
    span,
};

mod accept;
mod reset;

const SHOW: &str = "\
Example: onced memory show
         onced memory show --namespace payments --output json";
/// How long the server may hold one of these calls.
const HOLD: Duration = Duration::ZERO;
/// Most openings and closings that are shown.
const CHANGES_MAX: usize = 10;

/// How far back is remembered, and the gap that a restore leaves
#[derive(Debug, Args)]
#[command(after_help = SHOW)]
pub(super) struct MemoryCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Show(Show),
    Accept(accept::Accept),
    Reset(Box<reset::Reset>),
}

/// List operations: since when each is remembered, and open gaps
#[derive(Debug, Args)]
#[command(after_help = SHOW)]
struct Show {
    /// One namespace; all if absent
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl MemoryCommand {
    /// Shows, accepts or opens.
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        match self.what {
            What::Show(command) => super::call(command.run()),
            What::Accept(command) => super::call(command.run()),
            What::Reset(command) => command.run(),
        }
    }
}

impl Show {
    async fn run(self) -> anyhow::Result<Exit> {
        let namespace = self.namespace.unwrap_or_default();
        let listed = list(&self.connection, namespace).await?;
        print(&self.connection, &listed)?;
        Ok(Exit::Done)
    }
}

async fn list(connection: &Connection, namespace: String) -> anyhow::Result<ListMemoriesResponse> {
    let output = connection.output;
    let answer = connection
        .ask(
            ListMemoriesRequest { namespace },
            HOLD,
            async |client: Client, request: Request<_>| {
                AdminServiceClient::new(client.channel()).list_memories(request).await
            },
        )
        .await
        .map_err(|status| Refusal { status, output })?;
    Ok(answer.message)
}

fn print(connection: &Connection, listed: &ListMemoriesResponse) -> anyhow::Result<()> {
    let answer = ("onced.admin.v1.ListMemoriesResponse", listed);
    super::print_answer(connection.output, answer, &page(listed))
}

fn page(listed: &ListMemoriesResponse) -> Page {
    let open = listed.memories.iter().filter(|it| it.gap).count();
    let page = if open == 0 {
        Page::new(Tone::Good, "whole", "no gap is open")
    } else {
        Page::new(Tone::Doubt, "gap", format!("{open} open: what is forgotten may have happened"))
    };
    let page = listed.memories.iter().fold(page, |page, it| page.row(state(it), Some(line(it))));
    let first = listed.changes.len().saturating_sub(CHANGES_MAX);
    let changes = &listed.changes[first..];
    let page = changes.iter().fold(page, |page, it| {
        page.row(if it.closed { "was accepted" } else { "was opened" }, Some(change(it)))
    });
    if open == 0 {
        return page;
    }
    page.next("Find out at the providers what was sent since, and report or reclaim it.")
        .next("Then: onced memory accept --namespace N --operation O --reason TEXT")
}

fn state(memory: &OperationMemory) -> &'static str {
    match (memory.gap, memory.restored) {
        (true, _) => "open gap",
        (false, true) => "accepted",
        (false, false) => "whole",
    }
}

fn line(memory: &OperationMemory) -> String {
    let start = memory.start_time.as_ref().map(ToString::to_string).unwrap_or_default();
    let whose = whose(&memory.namespace, &memory.operation);
    let kept = span::show(memory.smallest_retention.as_ref());
    let kept = kept.map(|kept| format!(", kept for {kept}")).unwrap_or_default();
    let copied = match (&memory.forgotten_since_time, memory.gap) {
        (Some(since), true) => format!(", backup as of {since}"),
        (None, true) => ", nobody knows as of when the backup is".to_owned(),
        (_, false) => String::new(),
    };
    format!("{whose} from {start}{kept}{copied} ({})", memory.etag)
}

fn change(change: &MemoryChange) -> String {
    let when = change.change_time.as_ref().map(ToString::to_string).unwrap_or_default();
    let of = if change.closed {
        whose(&change.namespace, &change.operation)
    } else {
        "everything".to_owned()
    };
    format!("{when} {of}: {}", change.reason)
}

fn whose(namespace: &str, operation: &str) -> String {
    match (namespace, operation) {
        ("", "") => "every other operation".to_owned(),
        (namespace, "") => format!("every other operation of {namespace}"),
        (namespace, operation) => format!("{namespace}/{operation}"),
    }
}
