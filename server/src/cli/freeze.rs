//! `onced freeze` and `onced thaw`: what a namespace still takes while it moves.

use std::time::Duration;

use clap::{ArgGroup, Args};
use onced_client::Connection as Client;
use onced_proto::admin::v1::{
    FreezeRequest, FreezeResponse, admin_service_client::AdminServiceClient,
};
use tonic::Request;

use super::{
    connection::Connection,
    exit::Exit,
    failure::{self, Refusal},
    page::{Page, Tone},
    span,
};

const FREEZE: &str = "\
Example: onced freeze --namespace payments --reason 'move to the cluster'
         onced freeze --all --seal --reason 'last pass of the move'
It is in force everywhere when the command ends (over a cluster after 75 s), and
outlives restarts. Safe to repeat: a freeze does not lift a seal.
--timeout bounds the asking, not that wait.";
const THAW: &str = "Example: onced thaw --namespace payments --reason 'the move is done'";
/// How long the server may wait for calls that are under way.
const HOLD: Duration = Duration::from_secs(80);

/// Of which namespaces.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("scope").required(true).args(["namespace", "all"])))]
pub(super) struct Scope {
    /// One namespace
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// All of them
    #[arg(long)]
    all: bool,
}

impl Scope {
    /// As the wire has it: empty for all.
    pub(super) fn namespace(&self) -> String {
        self.namespace.clone().unwrap_or_default()
    }
}

/// Refuse Claims and take reports; with --seal refuse everything
#[derive(Debug, Args)]
#[command(after_help = FREEZE)]
#[command(override_usage = "onced freeze --reason TEXT <--namespace N|--all> [OPTIONS]")]
pub(super) struct Freeze {
    #[command(flatten)]
    scope: Scope,
    /// Refuse reports and looks too: nothing can change
    #[arg(long)]
    seal: bool,
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    connection: Connection,
}

/// End a freeze or a seal
#[derive(Debug, Args)]
#[command(after_help = THAW)]
#[command(override_usage = "onced thaw --reason TEXT <--namespace N|--all> [OPTIONS]")]
pub(super) struct Thaw {
    #[command(flatten)]
    scope: Scope,
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    connection: Connection,
}

impl Freeze {
    /// Holds, and returns when no call is under way that would not be taken now.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let (frozen, sealed) = (true, self.seal);
        let namespace = self.scope.namespace();
        let request = FreezeRequest { namespace, frozen, sealed, reason: self.reason };
        hold(&self.connection, request).await
    }
}

impl Thaw {
    /// Takes everything again.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let (frozen, sealed) = (false, false);
        let namespace = self.scope.namespace();
        let request = FreezeRequest { namespace, frozen, sealed, reason: self.reason };
        hold(&self.connection, request).await
    }
}

async fn hold(connection: &Connection, request: FreezeRequest) -> anyhow::Result<Exit> {
    let asked = (request.frozen, request.sealed);
    let output = connection.output;
    let answer = connection
        .ask(request, HOLD, async |client: Client, request: Request<_>| {
            AdminServiceClient::new(client.channel()).freeze(request).await
        })
        .await
        .map_err(|status| Refusal { status, output })?;
    let settle = span::from_wire(answer.message.settle.as_ref());
    if !settle.is_zero() {
        let waits = settle.as_secs();
        failure::write(&format!("in force; waiting {waits} s for calls of other replicas\n"));
    }
    tokio::time::sleep(settle).await;
    let message: &FreezeResponse = &answer.message;
    super::print_answer(output, ("onced.admin.v1.FreezeResponse", message), &page(message, asked))?;
    Ok(Exit::Done)
}

/// How it stands now, which may be stricter than what was asked.
fn page(now: &FreezeResponse, asked: (bool, bool)) -> Page {
    let page = match (now.frozen, now.sealed) {
        (_, true) => Page::new(Tone::Calm, "sealed", "nothing is taken, and nothing can change"),
        (true, false) => Page::new(Tone::Calm, "frozen", "Claims are refused, reports are taken"),
        (false, false) => Page::new(Tone::Good, "open", "Claims and reports are taken"),
    };
    let alone = (!now.held_namespaces.is_empty()).then(|| now.held_namespaces.join(", "));
    let page = page.row("held by their own freeze", alone);
    match asked {
        _ if asked == (now.frozen, now.sealed) => page,
        (true, _) => {
            page.next("It was sealed before, and a freeze does not lift that; onced thaw does.")
        }
        (false, _) => page
            .next("It is held by another freeze: of all namespaces, or of this one alone.")
            .next("End that one too: onced thaw --all, or onced thaw --namespace NAME"),
    }
}
