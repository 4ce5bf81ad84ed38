//! The states in which a call can be sent.

use std::time::Duration;

use onced_proto::v1::{ClaimRequest, IntentId};
use onced_tests::harness::{Calls, InProcess, RulingExt, request::*};

/// Where an intent stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    None,
    Live,
    Over,
    Unknown,
    Released,
    Succeeded,
    Failed,
    Disputed,
    Second,
    SecondOver,
    Contested,
    SecondReleased,
}

/// An intent in some state, and what its callers know.
pub(super) struct Stand {
    pub intent: IntentId,
    /// Of the first attempt.
    pub first_claimant: String,
    /// Of the current attempt.
    pub claimant: String,
    /// Of the first attempt.
    pub first_token: i64,
    /// Of the current attempt.
    pub token: i64,
    /// As it is shown now.
    pub etag: String,
}

impl State {
    pub(super) const ALL: [Self; 12] = [
        Self::None,
        Self::Live,
        Self::Over,
        Self::Unknown,
        Self::Released,
        Self::Succeeded,
        Self::Failed,
        Self::Disputed,
        Self::Second,
        Self::SecondOver,
        Self::Contested,
        Self::SecondReleased,
    ];

    /// Brings a fresh intent of this name there.
    pub(super) async fn reach(self, server: &InProcess, name: &str) -> Stand {
        let (calls, intent) = (server.calls(), charge(&format!("{self:?}-{name}")));
        let request = claim(&intent);
        let (first_claimant, now) = (request.claimant.clone(), server.now().0);
        let mut stand = Stand {
            intent,
            claimant: first_claimant.clone(),
            first_claimant,
            first_token: now,
            token: now,
            etag: "none".to_owned(),
        };
        if self != Self::None {
            stand.hold(&calls, request).await;
            self.go_on(server, &calls, &mut stand).await;
            let shown = calls.get(get(&stand.intent)).await.expect("an intent");
            stand.etag = shown.unknown.map_or(shown.etag, |unknown| unknown.etag);
        }
        stand
    }

    async fn go_on(self, server: &InProcess, calls: &Calls, stand: &mut Stand) {
        let (intent, token) = (stand.intent.clone(), stand.token);
        let over = || server.advance(Duration::from_secs(70));
        match self {
            Self::None | Self::Live => {}
            Self::Over => over(),
            Self::Unknown => {
                calls.complete(complete(&intent, token, unknown())).await.expect("a report");
                over();
            }
            Self::Released => {
                calls.release(release(&intent, token)).await.expect("a release");
            }
            Self::Succeeded => {
                calls.complete(complete(&intent, token, succeeded("x"))).await.expect("a report");
            }
            Self::Failed | Self::Disputed => {
                calls.complete(complete(&intent, token, failed("x"))).await.expect("a report");
                if self == Self::Disputed {
                    let report = complete(&intent, token, succeeded("y"));
                    calls.complete(report).await.expect_err("a conflict");
                }
            }
            Self::Second | Self::SecondOver | Self::Contested | Self::SecondReleased => {
                over();
                stand.take_over(calls).await;
                self.end_second(server, calls, stand).await;
            }
        }
    }

    async fn end_second(self, server: &InProcess, calls: &Calls, stand: &Stand) {
        let over = || server.advance(Duration::from_secs(70));
        match self {
            Self::SecondOver => over(),
            Self::Contested => {
                let report = complete(&stand.intent, stand.first_token, succeeded("old"));
                calls.complete(report).await.expect_err("fenced");
                over();
            }
            Self::SecondReleased => {
                let request = release(&stand.intent, stand.token);
                calls.release(request).await.expect("a release");
            }
            _ => {}
        }
    }
}

impl Stand {
    async fn hold(&mut self, calls: &Calls, request: ClaimRequest) {
        self.token = calls.claim(request).await.expect("a ruling").granted().fencing_token;
        self.first_token = self.token;
    }

    async fn take_over(&mut self, calls: &Calls) {
        let request = reclaim(&self.intent);
        self.claimant.clone_from(&request.claimant);
        self.token = calls.reclaim(request).await.expect("a ruling").granted().fencing_token;
    }
}
