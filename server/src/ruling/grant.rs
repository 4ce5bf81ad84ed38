//! The grant: the next attempt, its token, and the write that starts its lease.

use std::{collections::BTreeMap, time::Duration};

use super::{
    Given, Granted, Ruling, Verdict,
    draft::{forget_comparison, judged, start_lease},
    look::{present, stricter},
};
use crate::{
    clock::Timestamp,
    payload::PayloadHash,
    policy::{Policy, whole_seconds},
    record::{
        AttemptEnd, Claimant, EffectClass, FencingToken, Grant, Money, Record, Revision, SPENT_FOR,
        State, Terms,
    },
    store::{Expected, Expiry, LeaseExpected, ResultWrite, Stored, Write},
};

/// Who asks for the next attempt, and with what.
pub(super) struct Applicant<'a> {
    pub claimant: Claimant,
    pub holder: &'a str,
    pub labels: &'a BTreeMap<String, String>,
    pub payload_hash: &'a PayloadHash,
    pub lease: Option<Duration>,
    pub amount: Option<&'a Money>,
    pub traceparent: Option<&'a String>,
}

/// Grants on `record`, a draft whose earlier attempts have their ends.
pub(super) fn grant(
    stored: Option<&Stored>,
    mut record: Record,
    applicant: &Applicant<'_>,
    policy: &Policy,
    reclaimed: bool,
) -> Ruling {
    let now = record.written;
    let lease = policy.lease_for(applicant.lease);
    let (token, attempt) = (next_token(&record, now), record.attempt() + 1);
    record.terms = next_terms(stored, &record, policy.terms(lease));
    record.state = State::Claimed;
    record.grants_since_release += 1;
    record.token_used = false;
    forget_comparison(&mut record);
    applicant.holder.clone_into(&mut record.holder);
    record.labels.clone_from(applicant.labels);
    record.payload_hash.get_or_insert_with(|| applicant.payload_hash.clone());
    record.amount = applicant.amount.cloned().or(record.amount);
    record.traceparent = applicant.traceparent.cloned();
    record.lease_end = now.after(lease);
    record.grants.push(Grant {
        token,
        attempt,
        claimant: Some(applicant.claimant),
        holder: applicant.holder.to_owned(),
        claim_time: now,
        end: AttemptEnd::Open,
        end_time: None,
    });
    let verdict = Verdict::Granted(Granted {
        reclaimed,
        lease_shortened: applicant.lease.is_some_and(|wanted| whole_seconds(wanted) > lease),
        ..granted(&record, token, lease)
    });
    let write = Write {
        expected: stored.map_or(Expected::None, judged),
        record,
        result: ResultWrite::Clear,
        lease: start_lease(lease),
        expiry: Expiry::Never,
        result_expiry: Expiry::Keep,
    };
    Ruling::after(write, verdict)
}

/// What a grant of this record tells its holder.
pub(super) fn granted(record: &Record, token: FencingToken, lease: Duration) -> Granted {
    Granted {
        attempt: record.attempt(),
        token,
        provider_key: record.provider_key.clone(),
        lease,
        repeated: false,
        reclaimed: false,
        lease_shortened: false,
        provider_key_expire_time: provider_key_end(record),
        effect_timeout: record.terms.effect_timeout,
    }
}

fn provider_key_end(record: &Record) -> Option<Timestamp> {
    record.terms.provider_window.map(|window| record.first_claim_time.after(window))
}

/// Tokens follow the clock, so that they rise even after a key was forgotten.
fn next_token(record: &Record, now: Timestamp) -> FencingToken {
    let previous = record.grants.iter().map(|grant| grant.token.0).max().unwrap_or(0);
    FencingToken(now.0.max(previous + 1))
}

fn next_terms(stored: Option<&Stored>, record: &Record, today: Terms) -> Terms {
    match present(stored) {
        Some(_) => stricter(&record.terms, &today),
        None => today,
    }
}

/// A record for an intent that has none, or only spent claimants; those stay noted.
pub(super) fn blank(
    stored: Option<&Stored>,
    terms: Terms,
    given: &Given<'_>,
    now: Timestamp,
) -> Record {
    let row = stored.map(|stored| &stored.record);
    let spent = row.map_or_else(Vec::new, |row| {
        row.spent.iter().copied().filter(|spent| now.since(spent.time) < SPENT_FOR).collect()
    });
    Record {
        revision: Revision(given.revision),
        version: row.map_or(1, |row| row.version + 1),
        written: now,
        payload_hash: None,
        state: State::Released,
        disputed: false,
        orphan: false,
        adopted: false,
        after_release: false,
        grants: Vec::new(),
        grants_since_release: 0,
        token_used: false,
        holder: String::new(),
        labels: BTreeMap::new(),
        terms,
        provider_key: given.provider_key.to_owned(),
        first_claim_time: now,
        lease_end: now,
        amount: None,
        reconcile_time: None,
        absence_seen: None,
        reports: Vec::new(),
        late_reports_cut: 0,
        audit: Vec::new(),
        audit_cut: 0,
        spent,
        spent_cut: row.map_or(0, |row| row.spent_cut),
        traceparent: None,
    }
}

/// The terms of a record that was never granted here.
pub(super) fn ungranted_terms(policy: Option<&Policy>) -> Terms {
    let default = Policy::of_class(EffectClass::External);
    let policy = policy.unwrap_or(&default);
    policy.terms(policy.lease)
}

/// On which row a record that counts as new is written: none, or one of spent claimants.
pub(super) fn expected_blank(stored: Option<&Stored>) -> Expected {
    stored.map_or(Expected::None, |stored| Expected::Revision {
        revision: stored.record.revision,
        lease: LeaseExpected::Over,
    })
}
