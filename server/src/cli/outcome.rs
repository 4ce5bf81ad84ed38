//! Outcomes, errors of the holder and doubts, as rows of a page.

use onced_proto::v1::{
    Completed, Content, Failed, OutcomeSource, ReclaimRule, ResultAbsence, Succeeded, Unknown,
    UnknownReason, completed::Outcome, content::Body,
};

use super::{money, page::Page, span};

/// All that is told about a recorded outcome.
pub(super) fn completed_rows(page: Page, completed: &Completed) -> Page {
    let page = match &completed.outcome {
        Some(Outcome::Succeeded(succeeded)) => succeeded_rows(page, succeeded),
        Some(Outcome::Failed(failed)) => failed_rows(page, failed),
        None => page,
    };
    page.row("disputed", completed.disputed.then_some("yes: treat it as unknown"))
        .row("attempt", positive(completed.attempt))
        .row("completed at", completed.complete_time.as_ref())
        .row("known from", source(completed.source()))
        .row("late", completed.late.then_some("yes: reported after its lease had ended"))
        .row("remembered until", completed.expire_time.as_ref())
        .row("trace", Some(&completed.traceparent))
}

fn succeeded_rows(page: Page, succeeded: &Succeeded) -> Page {
    let absence = absence(succeeded.result_absence()).map(str::to_owned);
    page.row("result", succeeded.result.as_ref().map(content).or(absence))
        .row("result type", succeeded.result.as_ref().map(|result| &result.content_type))
        .row("amount", succeeded.amount.as_ref().map(money::show))
        .row("provider ref", Some(&succeeded.provider_reference))
}

fn failed_rows(page: Page, failed: &Failed) -> Page {
    page.row("failure", Some(&failed.r#type))
        .row("message", Some(&failed.message))
        .row("detail", failed.detail.as_ref().map(content))
        .row("provider ref", Some(&failed.provider_reference))
}

/// All that is told about an intent in doubt.
pub(super) fn unknown_rows(page: Page, unknown: &Unknown) -> Page {
    page.row("why", unknown_reason(unknown.reason()))
        .row("attempt", positive(unknown.attempt))
        .row("unknown since", unknown.unknown_time.as_ref())
        .row("first claimed", unknown.first_claim_time.as_ref())
        .row("holder", Some(&unknown.holder))
        .row("etag", Some(&unknown.etag))
        .row("provider key", Some(&unknown.provider_key))
        .row("reclaim", reclaim_rule(unknown.reclaim_rule()))
        .row("evidence from", unknown.evidence_start_time.as_ref())
        .row("contested", unknown.contested.then_some("yes: somebody reported success"))
        .row("your token", positive(unknown.fencing_token))
        .row("ask again in", span::show(unknown.retry_after.as_ref()))
}

/// A number that is zero where there is none.
pub(super) fn positive<N: Default + PartialOrd>(number: N) -> Option<N> {
    (number > N::default()).then_some(number)
}

/// Text as it is; other bytes by their number.
pub(super) fn content(content: &Content) -> String {
    match &content.body {
        Some(Body::Text(text)) if text.is_empty() => "(empty)".to_owned(),
        Some(Body::Text(text)) => text.clone(),
        Some(Body::Bytes(bytes)) if bytes.is_empty() => "(empty)".to_owned(),
        Some(Body::Bytes(bytes)) => std::str::from_utf8(bytes)
            .map_or_else(|_| format!("{} bytes; see --output json", bytes.len()), str::to_owned),
        None => "(empty)".to_owned(),
    }
}

fn absence(absence: ResultAbsence) -> Option<&'static str> {
    match absence {
        ResultAbsence::Unspecified => None,
        ResultAbsence::NoneGiven => Some("(none: the effect returns nothing)"),
        ResultAbsence::Omitted => Some("(left out by the holder)"),
        ResultAbsence::Expired => Some("(no longer kept)"),
        ResultAbsence::NeverKnown => Some("(never known here: see the provider)"),
        ResultAbsence::NotSent => Some("(not shown: give the payload to see it)"),
        ResultAbsence::Erased => Some("(erased on request)"),
    }
}

fn source(source: OutcomeSource) -> Option<&'static str> {
    match source {
        OutcomeSource::Unspecified => None,
        OutcomeSource::Holder => Some("the holder"),
        OutcomeSource::Reconciliation => Some("the provider, by reconciliation"),
        OutcomeSource::Operator => Some("an operator"),
    }
}

fn unknown_reason(reason: UnknownReason) -> Option<&'static str> {
    match reason {
        UnknownReason::Unspecified => None,
        UnknownReason::LeaseEnded => Some("the lease ended without an outcome"),
        UnknownReason::Reported => Some("the holder reported that it does not know"),
        UnknownReason::MemoryGap => Some("the memory does not reach back far enough"),
        UnknownReason::SuccessReported => Some("success was reported, but is not settled"),
        UnknownReason::EarlierAttempt => Some("an earlier attempt may have had the effect"),
    }
}

fn reclaim_rule(rule: ReclaimRule) -> Option<&'static str> {
    match rule {
        ReclaimRule::Unspecified => None,
        ReclaimRule::Allowed => Some("allowed: the provider deduplicates by the provider key"),
        ReclaimRule::EvidenceRequired => Some("needs evidence that it did not happen"),
        ReclaimRule::AttemptsExhausted => Some("no: all attempts are used up"),
        ReclaimRule::ResolveRequired => Some("no: a success was reported; it must be resolved"),
    }
}
