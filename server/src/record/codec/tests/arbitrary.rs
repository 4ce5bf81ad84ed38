//! Any record at all, within what the types promise: tokens positive, nanos below a unit, spans in
//! whole microseconds.

use std::time::Duration;

use bytes::Bytes;
use proptest::{collection::vec, option, prelude::*, sample::select};
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    payload::PayloadHash,
    record::{
        Answer, AttemptEnd, AuditEntry, Claimant, Content, ContentInfo, EffectClass, Failure,
        FencingToken, Grant, Money, NotAppliedReason, Outcome, Record, Report, ResultKind,
        Revision, Said, Settlement, Source, SpentClaimant, Standing, State, Success, Terms,
        UnknownCause,
    },
};

prop_compose! {
    pub(super) fn record()(
        (revision, version, written, payload_hash, state) in
            (revision(), any::<u64>(), time(), option::of(payload_hash()), state()),
        marks in any::<[bool; 5]>(),
        (grants, grants_since_release) in (vec(grant(), 0..6), any::<u32>()),
        (holder, labels) in (text(), prop::collection::btree_map(text(), text(), 0..4)),
        (terms, provider_key) in (terms(), text()),
        (first_claim_time, lease_end, amount) in (time(), time(), option::of(money())),
        (reconcile_time, absence_seen) in (option::of(time()), option::of(time())),
        (reports, audit, spent) in (vec(report(), 0..6), vec(entry(), 0..4), vec(spent(), 0..4)),
        (late_reports_cut, audit_cut, spent_cut) in any::<(u32, u32, u32)>(),
        traceparent in option::of(text()),
    ) -> Record {
        let [disputed, orphan, adopted, after_release, token_used] = marks;
        Record {
            revision, version, written, payload_hash, state,
            disputed, orphan, adopted, after_release,
            grants, grants_since_release, token_used, holder, labels, terms, provider_key,
            first_claim_time, lease_end, amount, reconcile_time, absence_seen,
            reports, late_reports_cut, audit, audit_cut, spent, spent_cut, traceparent,
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), any::<String>(), "[a-z0-9_-]{1,40}"]
}

fn time() -> impl Strategy<Value = Timestamp> {
    prop_oneof![Just(0), any::<i64>()].prop_map(Timestamp)
}

fn span() -> impl Strategy<Value = Duration> {
    (0..=i64::MAX).prop_map(|micros| Duration::from_micros(micros.unsigned_abs()))
}

fn revision() -> impl Strategy<Value = Revision> {
    any::<u128>().prop_map(|number| Revision(Uuid::from_u128(number)))
}

fn claimant() -> impl Strategy<Value = Claimant> {
    any::<u128>().prop_map(|number| Claimant(Uuid::from_u128(number)))
}

fn token() -> impl Strategy<Value = FencingToken> {
    (1..=i64::MAX).prop_map(FencingToken)
}

fn payload_hash() -> impl Strategy<Value = PayloadHash> {
    ("[a-z0-9-]{1,32}", "([0-9a-f]{2}){1,64}")
        .prop_map(|(scheme, digest)| PayloadHash { scheme, digest })
}

fn money() -> impl Strategy<Value = Money> {
    (text(), any::<i64>(), -999_999_999..=999_999_999)
        .prop_map(|(currency_code, units, nanos)| Money { currency_code, units, nanos })
}

fn content_info() -> impl Strategy<Value = ContentInfo> {
    (any::<u64>(), any::<[u8; 32]>(), text(), any::<bool>()).prop_map(
        |(length, digest, content_type, text)| ContentInfo { length, digest, content_type, text },
    )
}

fn content() -> impl Strategy<Value = Content> {
    (vec(any::<u8>(), 0..64), any::<bool>(), text()).prop_map(|(body, text, content_type)| {
        Content { body: Bytes::from(body), text, content_type }
    })
}

fn result_kind() -> impl Strategy<Value = ResultKind> {
    prop_oneof![
        Just(ResultKind::NoneGiven),
        Just(ResultKind::Omitted),
        Just(ResultKind::NeverKnown),
        Just(ResultKind::Erased),
        content_info().prop_map(ResultKind::Given),
    ]
}

fn success() -> impl Strategy<Value = Success> {
    (result_kind(), option::of(money()), text()).prop_map(|(result, amount, provider_reference)| {
        Success { result, amount, provider_reference }
    })
}

fn failure() -> impl Strategy<Value = Failure> {
    (text(), text(), option::of(content()), text()).prop_map(
        |(kind, message, detail, provider_reference)| Failure {
            kind,
            message,
            detail,
            provider_reference,
        },
    )
}

fn state() -> impl Strategy<Value = State> {
    prop_oneof![
        Just(State::Claimed),
        Just(State::Released),
        select(&[UnknownCause::Reported, UnknownCause::EarlierAttempt][..])
            .prop_map(State::Unknown),
        settlement().prop_map(State::Settled),
    ]
}

prop_compose! {
    fn settlement()(
        outcome in prop_oneof![
            success().prop_map(Outcome::Succeeded),
            failure().prop_map(Outcome::Failed),
        ],
        attempt in any::<u32>(),
        complete_time in time(),
        source in select(&[Source::Holder, Source::Reconciliation, Source::Operator][..]),
        late in any::<bool>(),
    ) -> Settlement {
        Settlement { outcome, attempt, complete_time, source, late }
    }
}

prop_compose! {
    fn grant()(
        token in token(),
        attempt in any::<u32>(),
        claimant in option::of(claimant()),
        holder in text(),
        claim_time in time(),
        end in select(&[
            AttemptEnd::Open,
            AttemptEnd::Unresolved,
            AttemptEnd::Released,
            AttemptEnd::Cleared,
            AttemptEnd::Failed,
            AttemptEnd::Succeeded,
        ][..]),
        end_time in option::of(time()),
    ) -> Grant {
        Grant { token, attempt, claimant, holder, claim_time, end, end_time }
    }
}

prop_compose! {
    fn terms()(
        effect_class in select(&[
            EffectClass::NaturallyIdempotent,
            EffectClass::Keyed,
            EffectClass::Accumulative,
            EffectClass::External,
        ][..]),
        provider_window in option::of(span()),
        (lease, max_lease, max_hold) in (span(), span(), span()),
        (effect_timeout, evidence_delay) in (span(), span()),
        (retention, result_retention) in (span(), span()),
        reconcile in any::<bool>(),
    ) -> Terms {
        Terms {
            effect_class, provider_window, lease, max_lease, max_hold,
            effect_timeout, evidence_delay, retention, result_retention, reconcile,
        }
    }
}

fn said() -> impl Strategy<Value = Said> {
    let reasons = [
        NotAppliedReason::NotStarted,
        NotAppliedReason::RejectedByTarget,
        NotAppliedReason::RolledBack,
    ];
    prop_oneof![
        success().prop_map(Said::Succeeded),
        failure().prop_map(Said::Failed),
        Just(Said::Unknown),
        select(reasons.to_vec()).prop_map(Said::Released),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        any::<bool>().prop_map(|late| Answer::Recorded { late }),
        Just(Answer::Conflict),
        Just(Answer::Fenced),
    ]
}

prop_compose! {
    fn report()(
        token in token(),
        said in said(),
        digest in any::<[u8; 32]>(),
        answer in answer(),
        time in time(),
        refuted in any::<bool>(),
    ) -> Report {
        Report { token, said, digest, answer, time, refuted }
    }
}

fn standing() -> impl Strategy<Value = Standing> {
    select(
        &[
            Standing::Live,
            Standing::Over,
            Standing::Unknown,
            Standing::Released,
            Standing::Succeeded,
            Standing::Failed,
        ][..],
    )
}

prop_compose! {
    fn entry()(
        (principal, reason, reference) in (text(), text(), text()),
        time in time(),
        (before, after) in (standing(), standing()),
        judged in revision(),
        decision in any::<[u8; 32]>(),
    ) -> AuditEntry {
        AuditEntry { principal, reason, reference, time, before, after, judged, decision }
    }
}

fn spent() -> impl Strategy<Value = SpentClaimant> {
    (claimant(), time()).prop_map(|(claimant, time)| SpentClaimant { claimant, time })
}
