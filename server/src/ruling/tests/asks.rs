//! The requests of the tables, each with everything in it that does not matter there.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use uuid::Uuid;

use super::scene::Scene;
use crate::{
    clock::Timestamp,
    payload::{Payload, PayloadHash},
    record::{Claimant, Content, Failure, FencingToken, Money, NotAppliedReason},
    ruling::{
        Claim, Complete, Etag, Evidence, Finding, Get, Reclaim, Release, ReleasedGrant, Renew,
        Reported, ReportedResult, ReportedSuccess, Request, Resolve, ResolveVerdict,
    },
};

/// Callers of the tables: A holds the first attempt, B the second; C and D are strangers.
pub(super) const A: Claimant = Claimant(Uuid::from_u128(0xa));
pub(super) const B: Claimant = Claimant(Uuid::from_u128(0xb));
pub(super) const C: Claimant = Claimant(Uuid::from_u128(0xc));
pub(super) const D: Claimant = Claimant(Uuid::from_u128(0xd));

pub(super) fn payload(scheme: &str, digest: &str) -> Payload {
    Payload::from_hash(PayloadHash { scheme: scheme.to_owned(), digest: digest.to_owned() })
}

pub(super) fn right() -> Payload {
    payload("sha256", "aa")
}

pub(super) fn wrong() -> Payload {
    payload("sha256", "bb")
}

pub(super) fn claim(claimant: Claimant) -> Claim {
    Claim {
        claimant,
        holder: "worker".to_owned(),
        payload: right(),
        lease: None,
        first_sent_time: None,
        amount: None,
        labels: BTreeMap::new(),
        traceparent: None,
    }
}

pub(super) fn claims(claimant: Claimant) -> Request {
    Request::Claim(claim(claimant))
}

pub(super) fn claims_for(claimant: Claimant, seconds: u64) -> Request {
    let lease = Some(Duration::from_secs(seconds));
    Request::Claim(Claim { lease, ..claim(claimant) })
}

pub(super) fn claims_sent_at(claimant: Claimant, first_sent: Timestamp) -> Request {
    Request::Claim(Claim { first_sent_time: Some(first_sent), ..claim(claimant) })
}

pub(super) fn text(body: &str) -> ReportedResult {
    let body = Bytes::copy_from_slice(body.as_bytes());
    ReportedResult::Given(Content { body, text: true, content_type: String::new() })
}

pub(super) fn success(body: &str) -> ReportedSuccess {
    ReportedSuccess { result: text(body), amount: None, provider_reference: String::new() }
}

pub(super) fn success_without_result() -> ReportedSuccess {
    ReportedSuccess { result: ReportedResult::NoneGiven, ..success("") }
}

pub(super) fn euros(units: i64) -> Money {
    Money { currency_code: "EUR".to_owned(), units, nanos: 0 }
}

pub(super) fn failure(kind: &str) -> Failure {
    Failure {
        kind: kind.to_owned(),
        message: String::new(),
        detail: None,
        provider_reference: String::new(),
    }
}

pub(super) fn reports(token: FencingToken, outcome: Reported) -> Request {
    Request::Complete(Complete { token, outcome, payload: None })
}

pub(super) fn reports_with(token: FencingToken, outcome: Reported, payload: Payload) -> Request {
    Request::Complete(Complete { token, outcome, payload: Some(payload) })
}

pub(super) fn done(body: &str) -> Reported {
    Reported::Succeeded(success(body))
}

pub(super) fn failed(kind: &str) -> Reported {
    Reported::Failed(failure(kind))
}

/// A failure with the provider's own refusal.
pub(super) fn refused_by_provider() -> Reported {
    let provider_reference = "refusal-7".to_owned();
    Reported::Failed(Failure { provider_reference, ..failure("card_declined") })
}

pub(super) fn releases(grant: ReleasedGrant) -> Request {
    Request::Release(Release { grant, reason: NotAppliedReason::NotStarted })
}

pub(super) fn gives_back(claimant: Claimant) -> Request {
    releases(ReleasedGrant::Claimant(claimant))
}

pub(super) fn reclaim(claimant: Claimant) -> Reclaim {
    Reclaim {
        claimant,
        holder: "worker".to_owned(),
        payload: right(),
        etag: None,
        evidence: None,
        lease: None,
        reason: "stuck".to_owned(),
        principal: "ops".to_owned(),
        traceparent: None,
    }
}

pub(super) fn reclaims(claimant: Claimant) -> Request {
    Request::Reclaim(reclaim(claimant))
}

pub(super) fn reclaims_on(
    claimant: Claimant,
    etag: Etag,
    finding: impl Into<Option<Finding>>,
) -> Request {
    let evidence =
        finding.into().map(|finding| Evidence { finding, reference: "search-1".to_owned() });
    Request::Reclaim(Reclaim { etag: Some(etag), evidence, ..reclaim(claimant) })
}

pub(super) fn gets(payload: Option<Payload>) -> Request {
    Request::Get(Get { payload })
}

pub(super) fn resolves_on(etag: Etag, verdict: ResolveVerdict) -> Request {
    resolves_as("ops", etag, verdict)
}

pub(super) fn resolves_as(principal: &str, etag: Etag, verdict: ResolveVerdict) -> Request {
    Request::Resolve(Resolve {
        etag,
        verdict,
        reason: "asked the provider".to_owned(),
        reference: "ticket-1".to_owned(),
        principal: principal.to_owned(),
    })
}

pub(super) fn happened() -> ResolveVerdict {
    ResolveVerdict::Succeeded(success_without_result())
}

pub(super) fn finally_failed() -> ResolveVerdict {
    ResolveVerdict::Failed(failure("refused"))
}

pub(super) fn applied() -> Finding {
    Finding::Applied(success_without_result())
}

pub(super) const NOT_APPLIED: Finding = Finding::NotApplied;

/// Requests under the token of an attempt of this scene.
impl Scene {
    #[track_caller]
    pub(super) fn says(&self, attempt: u32, outcome: Reported) -> Request {
        reports(self.token(attempt), outcome)
    }

    #[track_caller]
    pub(super) fn releases(&self, attempt: u32) -> Request {
        releases(ReleasedGrant::Token(self.token(attempt)))
    }

    #[track_caller]
    pub(super) fn renews(&self, attempt: u32, seconds: u64) -> Request {
        let lease = Some(Duration::from_secs(seconds));
        Request::Renew(Renew { token: self.token(attempt), lease })
    }

    pub(super) fn reclaims(
        &self,
        claimant: Claimant,
        finding: impl Into<Option<Finding>>,
    ) -> Request {
        reclaims_on(claimant, self.etag(), finding)
    }

    pub(super) fn resolves(&self, verdict: ResolveVerdict) -> Request {
        resolves_on(self.etag(), verdict)
    }
}

/// The states of the table: A has the first attempt.
impl Scene {
    #[track_caller]
    pub(super) fn live(&self) -> Self {
        self.then(claims(A))
    }

    /// The lease is over, and evidence counts.
    #[track_caller]
    pub(super) fn over(&self) -> Self {
        self.live().after(100)
    }

    #[track_caller]
    pub(super) fn unknown(&self) -> Self {
        let live = self.live();
        live.then(live.says(1, Reported::Unknown)).after(100)
    }

    #[track_caller]
    pub(super) fn released(&self) -> Self {
        let live = self.live();
        live.then(live.releases(1)).after(100)
    }

    #[track_caller]
    pub(super) fn succeeded(&self) -> Self {
        let live = self.live();
        live.then(live.says(1, done("receipt"))).after(100)
    }

    #[track_caller]
    pub(super) fn failed(&self) -> Self {
        let live = self.live();
        live.then(live.says(1, failed("card_declined"))).after(100)
    }

    /// A released its attempt, B has the second, then A reported success after all.
    #[track_caller]
    pub(super) fn contested_live(&self) -> Self {
        let second = self.released().then(claims(B));
        second.then(second.says(1, done("late")))
    }

    #[track_caller]
    pub(super) fn contested_over(&self) -> Self {
        self.contested_live().after(100)
    }

    #[track_caller]
    pub(super) fn contested_unknown(&self) -> Self {
        let live = self.contested_live();
        live.then(live.says(2, Reported::Unknown)).after(100)
    }

    #[track_caller]
    pub(super) fn contested_released(&self) -> Self {
        let live = self.contested_live();
        live.then(live.releases(2)).after(100)
    }

    /// A failed, then said that it had happened after all.
    #[track_caller]
    pub(super) fn disputed(&self) -> Self {
        let failed = self.failed();
        failed.then(failed.says(1, done("after all")))
    }

    /// The first attempt ended without a word; B took over by class and has the second.
    #[track_caller]
    pub(super) fn taken_over(&self) -> Self {
        self.over().then(reclaims(B))
    }

    /// The first attempt was cleared by evidence; B has the second.
    #[track_caller]
    pub(super) fn taken_over_on_evidence(&self) -> Self {
        let over = self.over();
        over.then(over.reclaims(B, NOT_APPLIED))
    }
}
