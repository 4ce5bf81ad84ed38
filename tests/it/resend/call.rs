//! Every call, and its answer without what a second one may tell otherwise: whether it is a repeat,
//! durations and times.

use onced_proto::v1::{
    self, BatchClaimRequest, BatchCompleteRequest, BatchReleaseRequest, BatchRenewRequest,
    ClaimRequest, CompleteRequest, ReclaimRequest, ReleaseRequest, RenewRequest,
    batch_complete_result, batch_release_result, batch_renew_result, evidence::Finding,
    ruling::Verdict,
};
use onced_tests::harness::{Calls, Refusal, request::*};

use super::state::Stand;

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    ClaimByStranger,
    ClaimByFirst,
    ClaimByHolder,
    Reclaim,
    ReclaimByHolder,
    ReclaimNotApplied,
    ReclaimApplied,
    Renew,
    RenewFirst,
    Succeeded,
    SucceededWithPayload,
    SucceededFirst,
    Failed,
    FailedFirst,
    Unknown,
    Release,
    ReleaseFirst,
    ReleaseByHolder,
    ReleaseByStranger,
    Get,
    GetWhole,
    Watch,
    BatchClaim,
    BatchComplete,
    BatchRenew,
    BatchRelease,
}

/// A request, ready to be sent again.
pub(super) enum Sent {
    Claim(ClaimRequest),
    Reclaim(ReclaimRequest),
    Renew(RenewRequest),
    Complete(CompleteRequest),
    Release(ReleaseRequest),
    Get(v1::GetRequest),
    Watch(v1::WatchRequest),
    BatchClaim(BatchClaimRequest),
    BatchComplete(BatchCompleteRequest),
    BatchRenew(BatchRenewRequest),
    BatchRelease(BatchReleaseRequest),
}

impl Call {
    pub(super) const ALL: [Self; 26] = [
        Self::ClaimByStranger,
        Self::ClaimByFirst,
        Self::ClaimByHolder,
        Self::Reclaim,
        Self::ReclaimByHolder,
        Self::ReclaimNotApplied,
        Self::ReclaimApplied,
        Self::Renew,
        Self::RenewFirst,
        Self::Succeeded,
        Self::SucceededWithPayload,
        Self::SucceededFirst,
        Self::Failed,
        Self::FailedFirst,
        Self::Unknown,
        Self::Release,
        Self::ReleaseFirst,
        Self::ReleaseByHolder,
        Self::ReleaseByStranger,
        Self::Get,
        Self::GetWhole,
        Self::Watch,
        Self::BatchClaim,
        Self::BatchComplete,
        Self::BatchRenew,
        Self::BatchRelease,
    ];

    /// The request that it is in this state.
    pub(super) fn on(self, stand: &Stand) -> Sent {
        let intent = &stand.intent;
        let claim_by = |claimant: &str| {
            Sent::Claim(ClaimRequest { claimant: claimant.to_owned(), ..claim(intent) })
        };
        let with = |finding: Finding| Sent::Reclaim(reclaim_with(intent, &stand.etag, finding));
        let report = |token, outcome| Sent::Complete(complete(intent, token, outcome));
        match self {
            Self::ClaimByStranger => Sent::Claim(claim(intent)),
            Self::ClaimByFirst => claim_by(&stand.first_claimant),
            Self::ClaimByHolder => claim_by(&stand.claimant),
            Self::Reclaim => Sent::Reclaim(reclaim(intent)),
            Self::ReclaimByHolder => {
                let claimant = stand.claimant.clone();
                Sent::Reclaim(ReclaimRequest { claimant, ..reclaim(intent) })
            }
            Self::ReclaimNotApplied => with(not_applied()),
            Self::ReclaimApplied => with(applied()),
            Self::Renew => Sent::Renew(renew(intent, stand.token)),
            Self::RenewFirst => Sent::Renew(renew(intent, stand.first_token)),
            Self::Succeeded => report(stand.token, succeeded("done")),
            Self::SucceededWithPayload => {
                let report = complete(intent, stand.token, succeeded("done"));
                Sent::Complete(CompleteRequest { payload: json(PAYLOAD), ..report })
            }
            Self::SucceededFirst => report(stand.first_token, succeeded("done")),
            Self::Failed => report(stand.token, failed("declined")),
            Self::FailedFirst => report(stand.first_token, failed("declined")),
            Self::Unknown => report(stand.token, unknown()),
            Self::Release => Sent::Release(release(intent, stand.token)),
            Self::ReleaseFirst => Sent::Release(release(intent, stand.first_token)),
            Self::ReleaseByHolder => Sent::Release(release_by_claimant(intent, &stand.claimant)),
            Self::ReleaseByStranger => Sent::Release(release_by_claimant(intent, &claimant())),
            Self::Get => Sent::Get(get(intent)),
            Self::GetWhole => Sent::Get(get_whole(intent)),
            Self::Watch => Sent::Watch(watch_whole(intent)),
            Self::BatchClaim => Sent::BatchClaim(batch([intent])),
            Self::BatchComplete => {
                let requests = vec![complete(intent, stand.token, succeeded("done"))];
                Sent::BatchComplete(BatchCompleteRequest { requests })
            }
            Self::BatchRenew => {
                let requests = vec![renew(intent, stand.token)];
                Sent::BatchRenew(BatchRenewRequest { requests })
            }
            Self::BatchRelease => {
                let requests = vec![release(intent, stand.token)];
                Sent::BatchRelease(BatchReleaseRequest { requests })
            }
        }
    }
}

impl Sent {
    /// Sends it; what must be the same the second time.
    pub(super) async fn answer(&self, calls: &Calls) -> String {
        match self {
            Self::Claim(request) => told(calls.claim(request.clone()).await, ruling),
            Self::Reclaim(request) => told(calls.reclaim(request.clone()).await, ruling),
            Self::Renew(request) => told(calls.renew(request.clone()).await, renewed),
            Self::Complete(request) => told(calls.complete(request.clone()).await, completed),
            Self::Release(request) => told(calls.release(request.clone()).await, released),
            Self::Get(request) => told(calls.get(request.clone()).await, shown),
            Self::Watch(request) => match calls.watch(request.clone()).await {
                Ok(mut watched) => format!("{:?}", watched.event().await),
                Err(refusal) => refused(&refusal),
            },
            Self::BatchClaim(request) => {
                let results = calls.batch_claim(request.clone()).await.expect("results");
                results.into_iter().map(|result| told(result, ruling)).collect()
            }
            Self::BatchComplete(request) => {
                use batch_complete_result::Result as One;
                let results = calls.batch_complete(request.clone()).await.expect("results");
                let one = |result| match result {
                    One::Response(response) => completed(response),
                    One::Status(status) => refused(&Refusal::of_message(status)),
                };
                results.results.into_iter().filter_map(|it| it.result).map(one).collect()
            }
            Self::BatchRenew(request) => {
                use batch_renew_result::Result as One;
                let results = calls.batch_renew(request.clone()).await.expect("results");
                let one = |result| match result {
                    One::Response(response) => renewed(response),
                    One::Status(status) => refused(&Refusal::of_message(status)),
                };
                results.results.into_iter().filter_map(|it| it.result).map(one).collect()
            }
            Self::BatchRelease(request) => {
                use batch_release_result::Result as One;
                let results = calls.batch_release(request.clone()).await.expect("results");
                let one = |result| match result {
                    One::Response(response) => released(response),
                    One::Status(status) => refused(&Refusal::of_message(status)),
                };
                results.results.into_iter().filter_map(|it| it.result).map(one).collect()
            }
        }
    }
}

fn told<T>(answer: Result<T, Refusal>, tell: impl Fn(T) -> String) -> String {
    answer.map_or_else(|refusal| refused(&refusal), tell)
}

fn refused(refusal: &Refusal) -> String {
    let mut metadata: Vec<_> = refusal.metadata.iter().collect();
    metadata.sort_unstable();
    format!("{:?} {} {metadata:?}", refusal.code, refusal.reason)
}

fn ruling(ruling: v1::Ruling) -> String {
    match ruling.verdict.expect("a verdict") {
        Verdict::Granted(it) => {
            format!("granted {} {} {}", it.attempt, it.fencing_token, it.provider_key)
        }
        Verdict::Completed(it) => {
            format!("completed {:?} {} {}", it.outcome, it.attempt, it.disputed)
        }
        Verdict::InProgress(it) => format!("in progress {} {}", it.attempt, it.fencing_token),
        Verdict::Unknown(it) => {
            let (reason, rule) = (it.reason(), it.reclaim_rule());
            format!("unknown {} {} {reason:?} {rule:?} {}", it.attempt, it.fencing_token, it.etag)
        }
    }
}

fn completed(response: v1::CompleteResponse) -> String {
    let v1::CompleteResponse { intent, late, repeated: _ } = response;
    format!("{late} {:?}", intent.map(shown))
}

/// When it expires is told from what is left of it, in whole seconds.
fn shown(intent: v1::Intent) -> String {
    format!("{:?}", v1::Intent { expire_time: None, ..intent })
}

fn renewed(response: v1::RenewResponse) -> String {
    format!("{:?} {}", response.hold_expire_time, response.contested)
}

fn released(_: v1::ReleaseResponse) -> String {
    "released".to_owned()
}
