//! A record in which every field is set and every word of every list stands at least once.

use std::time::Duration;

use bytes::Bytes;
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    payload::PayloadHash,
    record::{
        Answer, AttemptEnd, AuditEntry, Claimant, Content, ContentInfo, EffectClass, Failure,
        FencingToken, Grant, Money, NotAppliedReason, Outcome, Record, Report, ResultKind,
        Revision, Said, Settlement, Source, SpentClaimant, Standing, State, Success, Terms,
    },
};

const START: i64 = 1_764_500_000_000_001;

pub(super) fn maximal() -> Record {
    Record {
        revision: Revision(Uuid::from_u128(0xfeed_0001)),
        version: u64::MAX,
        written: at(1),
        payload_hash: Some(PayloadHash {
            scheme: "jcs-sha256".to_owned(),
            digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
        }),
        state: State::Settled(Settlement {
            outcome: Outcome::Succeeded(success(ResultKind::Given(info()))),
            attempt: 6,
            complete_time: at(2),
            source: Source::Reconciliation,
            late: true,
        }),
        disputed: true,
        orphan: true,
        adopted: true,
        after_release: true,
        grants: grants(),
        grants_since_release: 3,
        token_used: true,
        holder: "pod-7 \u{1f4b8}".to_owned(),
        labels: [("request", "r-1"), ("trace", "t-1")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        terms: terms(),
        provider_key: "once1-abcdefghijklmnopqrstuvwxyz234567".to_owned(),
        first_claim_time: at(3),
        lease_end: at(4),
        amount: Some(money(-12, -340_000_000)),
        reconcile_time: Some(at(5)),
        absence_seen: Some(Timestamp(-1)),
        reports: reports(),
        late_reports_cut: 4,
        audit: audit(),
        audit_cut: 5,
        spent: vec![SpentClaimant { claimant: Claimant(Uuid::max()), time: at(6) }],
        spent_cut: u32::MAX,
        traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
    }
}

fn at(micros: i64) -> Timestamp {
    Timestamp(START + micros)
}

fn money(units: i64, nanos: i32) -> Money {
    Money { currency_code: "EUR".to_owned(), units, nanos }
}

fn info() -> ContentInfo {
    ContentInfo {
        length: 1_048_576,
        digest: [0xd1; 32],
        content_type: "application/json".to_owned(),
        text: true,
    }
}

fn success(result: ResultKind) -> Success {
    Success { result, amount: Some(money(12, 340_000_000)), provider_reference: "ch_1".to_owned() }
}

fn failure(text: bool) -> Failure {
    Failure {
        kind: "card_declined".to_owned(),
        message: "The card was declined.".to_owned(),
        detail: Some(Content {
            body: Bytes::from_static(b"{\"code\":51}"),
            text,
            content_type: "application/json".to_owned(),
        }),
        provider_reference: "re_1".to_owned(),
    }
}

fn grants() -> Vec<Grant> {
    let ends = [
        AttemptEnd::Open,
        AttemptEnd::Unresolved,
        AttemptEnd::Released,
        AttemptEnd::Cleared,
        AttemptEnd::Failed,
        AttemptEnd::Succeeded,
    ];
    (1..).zip(ends).map(|(attempt, end)| grant(attempt, end)).collect()
}

fn grant(attempt: u32, end: AttemptEnd) -> Grant {
    Grant {
        token: FencingToken(START + i64::from(attempt)),
        attempt,
        claimant: Some(Claimant(Uuid::from_u128(0xc1a1_0000 + u128::from(attempt)))),
        holder: format!("pod-{attempt}"),
        claim_time: at(10 + i64::from(attempt)),
        end,
        end_time: (end != AttemptEnd::Open).then_some(at(20 + i64::from(attempt))),
    }
}

fn terms() -> Terms {
    Terms {
        effect_class: EffectClass::Keyed,
        provider_window: Some(Duration::from_secs(86_400)),
        lease: Duration::from_secs(30),
        max_lease: Duration::from_secs(300),
        max_hold: Duration::from_secs(3_600),
        effect_timeout: Duration::from_millis(20_500),
        evidence_delay: Duration::from_micros(30_000_001),
        retention: Duration::from_secs(45 * 86_400),
        result_retention: Duration::from_secs(44 * 86_400),
        reconcile: true,
    }
}

fn reports() -> Vec<Report> {
    let late = Answer::Recorded { late: true };
    let taken = Answer::Recorded { late: false };
    [
        (Said::Succeeded(success(ResultKind::NoneGiven)), taken),
        (Said::Succeeded(success(ResultKind::Omitted)), late),
        (Said::Succeeded(success(ResultKind::NeverKnown)), Answer::Conflict),
        (Said::Succeeded(success(ResultKind::Erased)), Answer::Fenced),
        (Said::Succeeded(success(ResultKind::Given(info()))), taken),
        (Said::Failed(failure(true)), late),
        (Said::Failed(failure(false)), Answer::Conflict),
        (Said::Unknown, taken),
        (Said::Released(NotAppliedReason::NotStarted), taken),
        (Said::Released(NotAppliedReason::RejectedByTarget), Answer::Fenced),
        (Said::Released(NotAppliedReason::RolledBack), Answer::Conflict),
    ]
    .into_iter()
    .zip(1..)
    .map(|((said, answer), number)| report(said, answer, number))
    .collect()
}

fn report(said: Said, answer: Answer, number: u8) -> Report {
    Report {
        token: FencingToken(START + i64::from(number)),
        said,
        digest: [number; 32],
        answer,
        time: at(30 + i64::from(number)),
        refuted: number.is_multiple_of(2),
    }
}

fn audit() -> Vec<AuditEntry> {
    [
        (Standing::Live, Standing::Over),
        (Standing::Unknown, Standing::Released),
        (Standing::Failed, Standing::Succeeded),
    ]
    .into_iter()
    .zip(1..)
    .map(|((before, after), number)| entry(before, after, number))
    .collect()
}

fn entry(before: Standing, after: Standing, number: u8) -> AuditEntry {
    AuditEntry {
        principal: "operator@example.com".to_owned(),
        reason: "The provider's dashboard shows it.".to_owned(),
        reference: format!("TICKET-{number}"),
        time: at(50 + i64::from(number)),
        before,
        after,
        judged: Revision(Uuid::from_u128(0x1d6e_0000 + u128::from(number))),
        decision: [number; 32],
    }
}
