//! The next version of a record: how it is begun, what is noted on it, and the write that carries
//! it.

use std::{num::NonZeroU32, time::Duration};

use sha2::{Digest, Sha256};

use super::{Given, ReportedResult, ReportedSuccess};
use crate::{
    clock::Timestamp,
    record::{
        Answer, AttemptEnd, AuditEntry, ContentInfo, DETAILS_MAX, Failure, FencingToken, Money,
        Outcome, Record, Report, ReportKind, ResultKind, Revision, SPENT_FOR, Said, Settlement,
        Source, State, Success, Terms, UnknownCause,
    },
    store::{Expected, Expiry, Lease, LeaseExpected, LeaseWrite, ResultWrite, Stored, Write},
};

/// A copy of the record under a revision of its own.
pub(super) fn revise(stored: &Stored, given: &Given<'_>, now: Timestamp) -> Record {
    let mut record = stored.record.clone();
    record.revision = Revision(given.revision);
    record.version += 1;
    record.written = now;
    record.spent.retain(|spent| now.since(spent.time) < SPENT_FOR);
    record
}

/// The record exactly as it was judged, its lease included.
pub(super) fn judged(stored: &Stored) -> Expected {
    let lease = if stored.lease.is_live() { LeaseExpected::Live } else { LeaseExpected::Over };
    Expected::Revision { revision: stored.record.revision, lease }
}

/// A write that notes something and moves neither lease nor result.
pub(super) fn annotate(stored: &Stored, record: Record, expiry: Expiry) -> Write {
    let revision = stored.record.revision;
    Write {
        expected: Expected::Revision { revision, lease: LeaseExpected::Any },
        record,
        result: ResultWrite::Keep,
        lease: LeaseWrite::Keep,
        expiry,
        result_expiry: Expiry::Keep,
    }
}

/// Now, but not before the moment that a live lease itself tells of: a server whose clock is behind
/// must not make evidence count early.
pub(super) fn moment(stored: &Stored, now: Timestamp) -> Timestamp {
    match stored.lease {
        Lease::Live { left } => now.max(stored.record.lease_end.before(left)),
        Lease::Over => now,
    }
}

/// A write that ends the attempt: the lease goes, and what is left of it on the record.
pub(super) fn end_lease(stored: &Stored, mut record: Record, expiry: Expiry) -> Write {
    if stored.lease.is_live() {
        record.lease_end = moment(stored, record.written);
    }
    Write {
        expected: judged(stored),
        record,
        result: ResultWrite::Keep,
        lease: LeaseWrite::Clear,
        expiry,
        result_expiry: Expiry::Keep,
    }
}

/// Sets how the current attempt ended. That is news: what the provider was asked before does not
/// cover it.
pub(super) fn end_current(record: &mut Record, end: AttemptEnd) {
    let (current, now) = (record.token(), record.written);
    forget_comparison(record);
    for grant in record.grants.iter_mut().filter(|grant| Some(grant.token) == current) {
        grant.end = end;
        grant.end_time.get_or_insert(now);
    }
}

/// What was found at the provider so far says nothing about what comes now.
pub(super) fn forget_comparison(record: &mut Record) {
    record.reconcile_time = None;
    record.absence_seen = None;
}

/// Taken over without a last word from its holder: its effect may have happened.
pub(super) fn end_unfinished(record: &mut Record) {
    if record.current().is_some_and(|grant| grant.end == AttemptEnd::Open) {
        end_current(record, AttemptEnd::Unresolved);
    }
}

/// Evidence or an operator says that no attempt so far did anything.
pub(super) fn clear_attempts(record: &mut Record) {
    let now = record.written;
    for grant in &mut record.grants {
        if matches!(grant.end, AttemptEnd::Open | AttemptEnd::Unresolved | AttemptEnd::Succeeded) {
            grant.end = AttemptEnd::Cleared;
            grant.end_time.get_or_insert(now);
        }
    }
}

/// The success that a report or evidence tells of, and the bytes of its result.
pub(super) fn success(reported: &ReportedSuccess, source: Source) -> (Success, ResultWrite) {
    let (result, write) = match &reported.result {
        ReportedResult::Given(content) => {
            let info = ContentInfo {
                length: content.body.len() as u64,
                digest: Sha256::digest(&content.body).into(),
                content_type: content.content_type.clone(),
                text: content.text,
            };
            (ResultKind::Given(info), ResultWrite::Set(content.body.clone()))
        }
        // Only a holder can say that there is none, or leave it out; anybody else never knew it.
        _ if source != Source::Holder => (ResultKind::NeverKnown, ResultWrite::Clear),
        ReportedResult::Omitted => (ResultKind::Omitted, ResultWrite::Clear),
        ReportedResult::NoneGiven => (ResultKind::NoneGiven, ResultWrite::Clear),
    };
    let success = Success {
        result,
        amount: reported.amount.clone(),
        provider_reference: reported.provider_reference.clone(),
    };
    (success, write)
}

/// Gives the record an outcome and its lease back.
pub(super) fn settle(
    stored: &Stored,
    mut record: Record,
    settlement: Settlement,
    result: ResultWrite,
    terms: &Terms,
) -> Write {
    record.state = State::Settled(settlement);
    let expiry = settled_expiry(&record, terms);
    let result_expiry = after(terms.result_retention);
    Write { result, result_expiry, ..end_lease(stored, record, expiry) }
}

/// Says that nobody knows what became of it.
pub(super) fn unsettle(stored: &Stored, mut record: Record, cause: UnknownCause) -> Write {
    record.state = State::Unknown(cause);
    Write { result: ResultWrite::Clear, ..end_lease(stored, record, Expiry::Never) }
}

/// Says that it surely did not happen.
pub(super) fn release(stored: &Stored, mut record: Record, terms: &Terms) -> Write {
    record.state = State::Released;
    let expiry = released_expiry(&record, terms);
    Write { result: ResultWrite::Clear, ..end_lease(stored, record, expiry) }
}

/// When a settled record expires: not before it was compared, where that is asked for, and not
/// while it is in doubt.
pub(super) fn settled_expiry(record: &Record, terms: &Terms) -> Expiry {
    let uncompared = (terms.reconcile || record.orphan) && record.reconcile_time.is_none();
    if record.disputed || uncompared { Expiry::Never } else { after(terms.retention) }
}

fn released_expiry(record: &Record, terms: &Terms) -> Expiry {
    let uncompared = terms.reconcile && record.reconcile_time.is_none();
    if record.is_contested() || uncompared { Expiry::Never } else { after(terms.retention) }
}

/// Expiry after a span, at least one second: zero would be for ever.
pub(super) fn after(span: Duration) -> Expiry {
    let seconds = u32::try_from(span.as_secs()).unwrap_or(u32::MAX);
    Expiry::After(NonZeroU32::new(seconds).unwrap_or(NonZeroU32::MIN))
}

/// A lease of whole seconds.
pub(super) fn start_lease(lease: Duration) -> LeaseWrite {
    let seconds = u32::try_from(lease.as_secs()).unwrap_or(u32::MAX);
    LeaseWrite::Start(NonZeroU32::new(seconds).unwrap_or(NonZeroU32::MIN))
}

/// The report that has this token, kind and digest, if it was made before.
pub(super) fn earlier_report<'a>(
    record: &'a Record,
    token: FencingToken,
    kind: ReportKind,
    digest: &[u8; 32],
) -> Option<&'a Report> {
    record.reports.iter().find(|report| {
        report.token == token && report.said.kind() == kind && report.digest == *digest
    })
}

/// Stores a report with the answer it gets. Successes are never cut; of the others the oldest late
/// one goes first, so that what moved the record is still known when it is sent again.
pub(super) fn note_report(
    record: &mut Record,
    token: FencingToken,
    said: Said,
    digest: [u8; 32],
    answer: Answer,
) {
    let report = Report { token, said, digest, answer, time: record.written, refuted: false };
    if is_one_success_too_many(record, &report) {
        record.late_reports_cut += 1;
        return;
    }
    record.reports.push(report);
    let is_success = |report: &Report| report.said.kind() == ReportKind::Succeeded;
    if record.reports.iter().filter(|report| !is_success(report)).count() > DETAILS_MAX
        && let Some(oldest) = (record.reports.iter())
            .position(|report| !is_success(report) && report.is_late())
            .or_else(|| record.reports.iter().position(|report| !is_success(report)))
    {
        let cut = record.reports.remove(oldest);
        record.late_reports_cut += u32::from(cut.is_late());
    }
}

/// A holder that reports one success after another must not grow the record without bound; the fact
/// stands already.
fn is_one_success_too_many(record: &Record, report: &Report) -> bool {
    let is_like =
        |other: &&Report| other.token == report.token && other.said.kind() == ReportKind::Succeeded;
    report.is_late()
        && report.said.kind() == ReportKind::Succeeded
        && record.reports.iter().filter(is_like).count() >= DETAILS_MAX
}

/// Notes who changed the record, and why.
pub(super) fn note_audit(record: &mut Record, entry: AuditEntry) {
    record.audit.push(entry);
    if record.audit.len() > DETAILS_MAX {
        record.audit.remove(0);
        record.audit_cut += 1;
    }
}

/// Digest of all that a reported success says.
pub(super) fn success_digest(reported: &ReportedSuccess) -> [u8; 32] {
    let mut digest = Sha256::new();
    match &reported.result {
        ReportedResult::NoneGiven => digest.update([0]),
        ReportedResult::Omitted => digest.update([1]),
        ReportedResult::Given(content) => {
            digest.update([2]);
            feed(&mut digest, &content.body);
            feed(&mut digest, content.content_type.as_bytes());
        }
    }
    feed_money(&mut digest, reported.amount.as_ref());
    feed(&mut digest, reported.provider_reference.as_bytes());
    digest.finalize().into()
}

/// Digest of all that a reported failure says.
pub(super) fn failure_digest(failure: &Failure) -> [u8; 32] {
    let mut digest = Sha256::new();
    for text in [&failure.kind, &failure.message, &failure.provider_reference] {
        feed(&mut digest, text.as_bytes());
    }
    if let Some(detail) = &failure.detail {
        feed(&mut digest, &detail.body);
        feed(&mut digest, detail.content_type.as_bytes());
    }
    digest.finalize().into()
}

/// Feeds a field with its length, so that no two sequences of fields feed alike.
pub(super) fn feed(digest: &mut Sha256, field: &[u8]) {
    digest.update((field.len() as u64).to_be_bytes());
    digest.update(field);
}

fn feed_money(digest: &mut Sha256, money: Option<&Money>) {
    if let Some(money) = money {
        feed(digest, money.currency_code.as_bytes());
        digest.update(money.units.to_be_bytes());
        digest.update(money.nanos.to_be_bytes());
    }
}

/// An outcome told by a source.
pub(super) fn settlement(
    outcome: Outcome,
    attempt: u32,
    source: Source,
    late: bool,
    now: Timestamp,
) -> Settlement {
    Settlement { outcome, attempt, complete_time: now, source, late }
}
