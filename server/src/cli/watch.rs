//! `onced watch`: what a duplicate would be told, now and after each change, until it is settled.
//!
//! Never claims. A stream that breaks is opened again; what stands already is not told twice.

use std::time::Duration;

use clap::Args;
use onced_client::Connection as Client;
use onced_proto::v1::{State, WatchRequest, WatchResponse};
use tokio::time::{Instant, sleep, timeout_at};
use tonic::{Request, Status, Streaming};

use super::{
    connection::{Connection, Output},
    exit::{Exit, GrantCheck},
    failure::Refusal,
    intent::IntentArgs,
    json,
    next::Next,
    payload::PayloadArgs,
    ruling, span,
};

const EXAMPLE: &str = "\
Example: onced watch --namespace payments --operation charge \\
           --key charge:v1:order-45
Ends with the code of what stands: 10 succeeded, 11 in progress, 12 unknown or
  disputed, 14 failed, 16 released, 70 no record; 64 usage, 69 unavailable.";
/// Pause before a broken stream is opened again.
const PAUSE: Duration = Duration::from_millis(500);

/// Print where an intent stands, and each change, until it is settled
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
#[command(override_usage = "onced watch --namespace N --operation O --key K [OPTIONS]")]
pub(super) struct Watch {
    #[command(flatten)]
    intent: IntentArgs,
    #[command(flatten)]
    payload: PayloadArgs,
    /// Give up watching after this
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = span::parse)]
    within: Duration,
    #[command(flatten)]
    connection: Connection,
}

impl Watch {
    /// Watches, and ends with the code of what stands at last.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let output = self.connection.output;
        let request =
            WatchRequest { intent: Some(self.intent.id()), payload: self.payload.read()? };
        let end = Instant::now() + self.within;
        let mut last: Option<WatchResponse> = None;
        while last.as_ref().is_none_or(|last| !is_settled(last)) {
            let opened = self.open(&request, end).await;
            let mut events = opened.map_err(|status| Refusal { status, output })?;
            while let Some(event) = next(&mut events, end).await {
                if last.as_ref() != Some(&event) {
                    self.print(&event)?;
                    last = Some(event);
                }
            }
            if Instant::now() >= end {
                break;
            }
            sleep(PAUSE).await;
        }
        Ok(last.as_ref().map_or(Exit::Unavailable, exit))
    }

    async fn open(
        &self,
        request: &WatchRequest,
        end: Instant,
    ) -> Result<Streaming<WatchResponse>, Status> {
        let hold = end.saturating_duration_since(Instant::now());
        let send = async |client: Client, request: Request<WatchRequest>| {
            client.claims().watch(request).await
        };
        Ok(self.connection.ask(request.clone(), hold, send).await?.message)
    }

    /// As JSON on one line, or as a page.
    fn print(&self, event: &WatchResponse) -> anyhow::Result<()> {
        if self.connection.output == Output::Json {
            let value = json::value("onced.v1.WatchResponse", event)?;
            return super::print(&format!("{value}\n"));
        }
        let told = match (event.state(), &event.ruling) {
            (_, Some(ruling)) => {
                let next = Next::new(&self.connection, &self.intent, &self.payload);
                return super::print_page(&ruling::page(Some(ruling), exit(event), &next));
            }
            (State::Released, None) => "released: surely not done; the next claim is granted\n",
            (_, None) => "no record: the next claim is granted\n",
        };
        super::print(told)
    }
}

/// None at the end of the stream, however it ended, and at `end`.
async fn next(events: &mut Streaming<WatchResponse>, end: Instant) -> Option<WatchResponse> {
    timeout_at(end, events.message()).await.ok()?.ok()?
}

fn is_settled(event: &WatchResponse) -> bool {
    matches!(event.state(), State::Succeeded | State::Failed)
}

fn exit(event: &WatchResponse) -> Exit {
    let nobody = GrantCheck { claimant_is_ours: false, lease_is_over: false };
    match (event.state(), &event.ruling) {
        (State::Released, _) => Exit::NotApplied,
        (State::Unspecified, None) => Exit::Refused,
        (_, ruling) => Exit::of_ruling(ruling.as_ref(), nobody),
    }
}
