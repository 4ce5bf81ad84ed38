//! Records and writes as rulings make them, one of each shape.

use std::{collections::BTreeMap, num::NonZeroU32, time::Duration};

use bytes::Bytes;
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    intent::{IntentId, ProviderKeyForm},
    payload::PayloadHash,
    record::{
        Answer, AttemptEnd, Claimant, ContentInfo, EffectClass, Failure, FencingToken, Grant,
        Outcome, Record, Report, ResultKind, Revision, Said, Settlement, Source, State, Success,
        Terms,
    },
    store::{Expected, Expiry, LeaseExpected, LeaseWrite, Memory, ResultWrite, Write},
};

/// An intent of names that are valid.
pub(in crate::store) fn intent(namespace: &str, operation: &str, key: &str) -> IntentId {
    match IntentId::new("sample", namespace, operation, key) {
        Ok(intent) => intent,
        Err(violations) => unreachable!("a sample is valid: {violations:?}"),
    }
}

/// A fresh revision.
pub(in crate::store) fn revision() -> Revision {
    Revision(Uuid::new_v4())
}

/// A record that was just granted.
pub(crate) fn record(intent: &IntentId, now: Timestamp) -> Record {
    let token = FencingToken(now.0.max(1));
    Record {
        revision: revision(),
        version: 1,
        written: now,
        payload_hash: Some(PayloadHash { scheme: "sha256".to_owned(), digest: "9f86".repeat(16) }),
        state: State::Claimed,
        disputed: false,
        orphan: false,
        adopted: false,
        after_release: false,
        grants: vec![grant(token, now)],
        grants_since_release: 1,
        token_used: false,
        holder: "pod-7".to_owned(),
        labels: BTreeMap::from([("trace".to_owned(), "4bf9".to_owned())]),
        terms: terms(),
        provider_key: intent.identity().provider_key(ProviderKeyForm::Text),
        first_claim_time: now,
        lease_end: now.after(Duration::from_secs(30)),
        amount: None,
        reconcile_time: None,
        absence_seen: None,
        reports: Vec::new(),
        late_reports_cut: 0,
        audit: Vec::new(),
        audit_cut: 0,
        spent: Vec::new(),
        spent_cut: 0,
        traceparent: None,
    }
}

fn grant(token: FencingToken, now: Timestamp) -> Grant {
    Grant {
        token,
        attempt: 1,
        claimant: Some(Claimant(Uuid::new_v4())),
        holder: "pod-7".to_owned(),
        claim_time: now,
        end: AttemptEnd::Open,
        end_time: None,
    }
}

fn terms() -> Terms {
    Terms {
        effect_class: EffectClass::Keyed,
        provider_window: Some(Duration::from_secs(86_400)),
        lease: Duration::from_secs(30),
        max_lease: Duration::from_secs(300),
        max_hold: Duration::from_secs(3_600),
        effect_timeout: Duration::from_secs(20),
        evidence_delay: Duration::from_secs(30),
        retention: Duration::from_secs(86_400),
        result_retention: Duration::from_secs(86_400),
        reconcile: false,
    }
}

/// The record, written once more.
pub(crate) fn next(record: &Record) -> Record {
    Record { revision: revision(), version: record.version + 1, ..record.clone() }
}

/// The record, once it has succeeded.
pub(crate) fn succeeded(record: &Record) -> Record {
    Record { state: State::Settled(settlement(record, success(""))), ..next(record) }
}

/// The record, once the provider has named its success.
pub(in crate::store) fn succeeded_as(record: &Record, reference: &str) -> Record {
    Record { state: State::Settled(settlement(record, success(reference))), ..next(record) }
}

/// The record, once the provider has named its refusal.
pub(in crate::store) fn failed_as(record: &Record, reference: &str) -> Record {
    let failure = Failure {
        kind: "card_declined".to_owned(),
        message: "no".to_owned(),
        detail: None,
        provider_reference: reference.to_owned(),
    };
    Record { state: State::Settled(settlement(record, Outcome::Failed(failure))), ..next(record) }
}

/// The record, once it is released.
pub(in crate::store) fn released(record: &Record) -> Record {
    Record { state: State::Released, ..next(record) }
}

/// The record with one more late success, reported at `time`.
pub(crate) fn with_late_report(record: &Record, time: Timestamp, reference: &str) -> Record {
    let Outcome::Succeeded(said) = success(reference) else { unreachable!("a success") };
    let mut next = next(record);
    next.reports.push(Report {
        token: FencingToken(1),
        said: Said::Succeeded(said),
        digest: [7; 32],
        answer: Answer::Fenced,
        time,
        refuted: false,
    });
    next
}

fn success(reference: &str) -> Outcome {
    Outcome::Succeeded(Success {
        result: ResultKind::Given(ContentInfo {
            length: 2,
            digest: [9; 32],
            content_type: "text/plain".to_owned(),
            text: true,
        }),
        amount: None,
        provider_reference: reference.to_owned(),
    })
}

fn settlement(record: &Record, outcome: Outcome) -> Settlement {
    Settlement {
        outcome,
        attempt: 1,
        complete_time: record.written,
        source: Source::Holder,
        late: false,
    }
}

/// So many seconds.
pub(in crate::store) fn seconds(count: u32) -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(count - 1)
}

/// A first write without a lease, that never expires.
pub(in crate::store) fn create(record: Record) -> Write {
    Write {
        expected: Expected::None,
        record,
        result: ResultWrite::Clear,
        lease: LeaseWrite::Clear,
        expiry: Expiry::Never,
        result_expiry: Expiry::Never,
    }
}

/// A first write with a lease of so many seconds.
pub(crate) fn claim(record: Record, lease: u32) -> Write {
    Write { lease: LeaseWrite::Start(seconds(lease)), ..create(record) }
}

/// A write that leaves all but the record as it is.
pub(in crate::store) fn annotate(judged: &Record, record: Record) -> Write {
    Write {
        expected: on(judged, LeaseExpected::Any),
        record,
        result: ResultWrite::Keep,
        lease: LeaseWrite::Keep,
        expiry: Expiry::Keep,
        result_expiry: Expiry::Keep,
    }
}

/// A success with this result, kept for so many seconds.
pub(in crate::store) fn complete(judged: &Record, result: &[u8], retention: u32) -> Write {
    let kept = Expiry::After(seconds(retention));
    Write {
        expected: on(judged, LeaseExpected::Any),
        record: succeeded(judged),
        result: ResultWrite::Set(Bytes::copy_from_slice(result)),
        lease: LeaseWrite::Clear,
        expiry: kept,
        result_expiry: kept,
    }
}

/// A lease of so many seconds for a record whose lease stands so.
pub(in crate::store) fn lease(judged: &Record, expected: LeaseExpected, length: u32) -> Write {
    Write {
        expected: on(judged, expected),
        lease: LeaseWrite::Start(seconds(length)),
        expiry: Expiry::Never,
        ..annotate(judged, next(judged))
    }
}

/// That very record.
pub(in crate::store) fn on(judged: &Record, lease: LeaseExpected) -> Expected {
    Expected::Revision { revision: judged.revision, lease }
}

/// A memory that starts at `start`.
pub(in crate::store) fn memory(start: Timestamp) -> Memory {
    Memory {
        revision: revision(),
        start,
        smallest_retention: Duration::from_secs(86_400),
        restored: false,
        gap: false,
    }
}
