//! The lease, kept while the command runs: renewed at a third of it, until it is lost.
//!
//! Counts on its own clock, from before the call that was answered: a renewal without an answer
//! moves nothing.

use std::time::Duration;

use onced_client::Connection as Client;
use onced_proto::v1::{IntentId, RenewRequest, RenewResponse};
use tokio::{
    sync::oneshot,
    task::AbortHandle,
    time::{Instant, sleep, sleep_until},
};
use tonic::{Request, Status};

use crate::cli::{
    connection::{Answer, Connection},
    exit::{Exit, reason},
    span,
};

/// Shortest pause between two rounds of renewals.
const PAUSE: Duration = Duration::from_millis(500);

/// A lease under a token.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    /// Of which intent.
    pub(super) intent: IntentId,
    /// By which grant.
    pub(super) token: i64,
    /// As it was asked for; the policy's if absent.
    pub(super) wanted: Option<prost_types::Duration>,
    /// Just before the send that was answered.
    pub(super) sent_at: Instant,
    /// How long it holds from then on.
    pub(super) span: Duration,
}

/// Keeps a lease until it is dropped.
pub(super) struct Keeping {
    lost: oneshot::Receiver<String>,
    task: AbortHandle,
}

impl Lease {
    /// When it is over.
    pub(super) fn deadline(&self) -> Instant {
        self.sent_at + self.span
    }

    /// Renews it from now on. Tells that it is lost `margin` before its end.
    pub(super) fn keep(self, connection: Connection, margin: Duration) -> Keeping {
        let (tell, lost) = oneshot::channel();
        let keeping = async move {
            let why = self.until_lost(&connection, margin).await;
            let _ = tell.send(why);
        };
        Keeping { lost, task: tokio::spawn(keeping).abort_handle() }
    }

    /// Why it was lost.
    async fn until_lost(mut self, connection: &Connection, margin: Duration) -> String {
        loop {
            sleep_until((self.sent_at + self.span / 3).max(Instant::now() + PAUSE)).await;
            let lost_at = self.deadline() - margin;
            match self.renew(connection, lost_at).await {
                Err(why) => return why,
                Ok(Some(renewed)) => self = renewed,
                Ok(None) => return "the lease could not be renewed in time".to_owned(),
            }
        }
    }

    /// Renewed; none if nothing definite came in time.
    async fn renew(
        &self,
        connection: &Connection,
        lost_at: Instant,
    ) -> Result<Option<Self>, String> {
        loop {
            let left = lost_at.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let connection = Connection { timeout: left, ..connection.clone() };
            match self.ask(&connection).await {
                Ok(answer) => return self.renewed(&answer).map(Some),
                Err(status) if is_lost(&status) => return Err(status.message().to_owned()),
                Err(status) if Exit::of_status(&status) == Exit::Unavailable => {
                    sleep(PAUSE.min(left)).await;
                }
                Err(status) => {
                    sleep_until(lost_at).await;
                    return Err(format!("the lease was not renewed: {}", status.message()));
                }
            }
        }
    }

    async fn ask(&self, connection: &Connection) -> Result<Answer<RenewResponse>, Status> {
        let request = RenewRequest {
            intent: Some(self.intent.clone()),
            fencing_token: self.token,
            lease: self.wanted,
        };
        let send = async |client: Client, request: Request<RenewRequest>| {
            client.claims().renew(request).await
        };
        connection.ask(request, Duration::ZERO, send).await
    }

    fn renewed(&self, answer: &Answer<RenewResponse>) -> Result<Self, String> {
        if answer.message.contested {
            return Err("somebody else has reported success meanwhile".to_owned());
        }
        let span = span::from_wire(answer.message.lease.as_ref());
        Ok(Self { sent_at: answer.sent_at, span, ..self.clone() })
    }
}

impl Keeping {
    /// Why the lease was lost, once it is.
    pub(super) async fn lost(&mut self) -> String {
        let told = (&mut self.lost).await;
        told.unwrap_or_else(|_| "the lease is no longer kept".to_owned())
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Whether the attempt has ended for the server. A lease that is only not extended still holds.
fn is_lost(status: &Status) -> bool {
    let reason = reason(status);
    matches!(reason.as_deref(), Some("LEASE_LOST" | "FENCED" | "KEY_NOT_FOUND"))
}
