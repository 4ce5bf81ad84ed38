//! Cores that are broken on purpose: each leaves out one rule, by changing what the real core sees
//! or says.

use std::time::Duration;

use onced::{
    record::{AttemptEnd, EffectClass, Record, ReportKind, Said, State},
    ruling::{
        Claim, Complete, Etag, Given, Granted, Refusal, Release, ReleasedGrant, Reported, Request,
        Ruling, Verdict,
    },
    store::{Expected, Expiry, Lease, LeaseExpected, LeaseWrite, ResultWrite, Stored},
};

use super::rules::{Asked, real};

/// Lets the real core see a changed row.
fn on(change: impl FnOnce(&mut Stored), asked: Asked<'_>) -> Ruling {
    let mut seen = asked.stored.cloned();
    if let Some(seen) = &mut seen {
        change(seen);
    }
    real(Asked { stored: seen.as_ref(), ..asked })
}

fn forget_attempts(record: &mut Record) {
    for grant in &mut record.grants {
        if grant.end == AttemptEnd::Unresolved {
            grant.end = AttemptEnd::Released;
        }
    }
}

/// A lease that is over frees the intent.
pub(super) fn over_is_free(asked: Asked<'_>) -> Ruling {
    let free = |seen: &mut Stored| {
        let open = matches!(seen.record.state, State::Claimed | State::Unknown(_));
        if matches!(asked.request, Request::Claim(_)) && open && !seen.lease.is_live() {
            seen.record.state = State::Released;
        }
    };
    on(free, asked)
}

/// Reclaim is granted whatever the class.
pub(super) fn reclaim_needs_nothing(asked: Asked<'_>) -> Ruling {
    let mut policy = asked.given.policy.cloned();
    if let (Request::Reclaim(_), Some(policy)) = (asked.request, &mut policy) {
        policy.effect_class = EffectClass::NaturallyIdempotent;
    }
    let given = Given { policy: policy.as_ref(), ..*asked.given };
    let harmless = |seen: &mut Stored| {
        if matches!(asked.request, Request::Reclaim(_)) {
            seen.record.terms.effect_class = EffectClass::NaturallyIdempotent;
        }
    };
    on(harmless, Asked { given: &given, ..asked })
}

/// The provider is believed to remember for ever.
pub(super) fn window_is_endless(asked: Asked<'_>) -> Ruling {
    let endless = Duration::from_secs(1_000_000_000);
    let mut policy = asked.given.policy.cloned();
    if let Some(policy) = &mut policy {
        policy.provider_window = policy.provider_window.map(|_| endless);
    }
    let given = Given { policy: policy.as_ref(), ..*asked.given };
    let remembers = |seen: &mut Stored| {
        let window = &mut seen.record.terms.provider_window;
        *window = window.map(|_| endless);
    };
    on(remembers, Asked { given: &given, ..asked })
}

/// A Release frees the intent, whatever earlier attempts may have done.
pub(super) fn release_speaks_for_all(asked: Asked<'_>) -> Ruling {
    let forget = |seen: &mut Stored| {
        if matches!(asked.request, Request::Release(_)) {
            forget_attempts(&mut seen.record);
        }
    };
    on(forget, asked)
}

/// A failure settles the intent, whatever earlier attempts may have done.
pub(super) fn failure_speaks_for_all(asked: Asked<'_>) -> Ruling {
    let forget = |seen: &mut Stored| {
        let failed = matches!(
            asked.request,
            Request::Complete(Complete { outcome: Reported::Failed(_), .. })
        );
        if failed {
            forget_attempts(&mut seen.record);
        }
    };
    on(forget, asked)
}

/// A report is not known again when its copy arrives.
pub(super) fn reports_are_forgotten(asked: Asked<'_>) -> Ruling {
    let forget = |seen: &mut Stored| {
        seen.record.reports.retain(|report| report.said.kind() == ReportKind::Succeeded);
    };
    on(forget, asked)
}

/// A grant is repeated though its token was used.
pub(super) fn grant_repeats_for_ever(asked: Asked<'_>) -> Ruling {
    let unused = |seen: &mut Stored| {
        if matches!(asked.request, Request::Claim(_)) {
            seen.record.token_used = false;
        }
    };
    on(unused, asked)
}

/// Evidence counts on whatever record stands there.
pub(super) fn evidence_needs_no_etag(asked: Asked<'_>) -> Ruling {
    let mut request = asked.request.clone();
    if let (Some(stored), Request::Reclaim(reclaim)) = (asked.stored, &mut request)
        && let Some(Etag::Revision { revision, .. }) = &mut reclaim.etag
    {
        *revision = stored.record.revision;
    }
    real(Asked { request: &request, ..asked })
}

/// A verdict counts on whatever record stands there.
pub(super) fn verdict_needs_no_etag(asked: Asked<'_>) -> Ruling {
    let mut request = asked.request.clone();
    if let (Some(stored), Request::Resolve(resolve)) = (asked.stored, &mut request)
        && let Etag::Revision { revision, .. } = &mut resolve.etag
    {
        *revision = stored.record.revision;
    }
    real(Asked { request: &request, ..asked })
}

/// Evidence counts as soon as the lease is over.
pub(super) fn evidence_is_never_early(asked: Asked<'_>) -> Ruling {
    let mut request = asked.request.clone();
    let etag = match &mut request {
        Request::Reclaim(reclaim) => reclaim.etag.as_mut(),
        Request::Resolve(resolve) => Some(&mut resolve.etag),
        _ => None,
    };
    if let Some(Etag::Revision { marked, .. }) = etag {
        *marked = true;
    }
    let mut policy = asked.given.policy.cloned();
    if let Some(policy) = &mut policy {
        policy.evidence_delay = Duration::ZERO;
    }
    let given = Given { policy: policy.as_ref(), ..*asked.given };
    let at_once = |seen: &mut Stored| seen.record.terms.evidence_delay = Duration::ZERO;
    on(at_once, Asked { request: &request, given: &given, ..asked })
}

/// A success under an old token is refused and not kept.
pub(super) fn late_success_is_dropped(asked: Asked<'_>) -> Ruling {
    let ruling = real(asked);
    match ruling.verdict {
        Verdict::Refused(Refusal::Fenced { kept: true, .. }) => Ruling { write: None, ..ruling },
        _ => ruling,
    }
}

/// A success on file does not keep anybody from the next grant.
pub(super) fn contested_is_ignored(asked: Asked<'_>) -> Ruling {
    let ignore = |seen: &mut Stored| {
        if matches!(asked.request, Request::Claim(_) | Request::Reclaim(_)) {
            for report in &mut seen.record.reports {
                report.refuted |= matches!(report.said, Said::Succeeded(_));
            }
        }
    };
    on(ignore, asked)
}

/// A claimant that gave up is granted all the same.
pub(super) fn spent_is_forgotten(asked: Asked<'_>) -> Ruling {
    on(|seen| seen.record.spent.clear(), asked)
}

/// "I do not know" does not take a Release back.
pub(super) fn release_is_final(asked: Asked<'_>) -> Ruling {
    let released = asked.stored.is_some_and(|stored| stored.record.state == State::Released);
    let unknown =
        matches!(asked.request, Request::Complete(Complete { outcome: Reported::Unknown, .. }));
    let ruling = real(asked);
    if released && unknown { Ruling { write: None, ..ruling } } else { ruling }
}

/// Evidence overrides a live lease.
pub(super) fn evidence_beats_lease(asked: Asked<'_>) -> Ruling {
    let ended = |seen: &mut Stored| {
        if matches!(asked.request, Request::Reclaim(_) | Request::Resolve(_)) {
            seen.lease = Lease::Over;
        }
    };
    let mut ruling = on(ended, asked);
    if let Some(write) = &mut ruling.write
        && let Expected::Revision { lease, .. } = &mut write.expected
        && asked.stored.is_some_and(|stored| stored.lease.is_live())
    {
        *lease = LeaseExpected::Live;
    }
    ruling
}

/// The same claimant is granted again after its attempt ended.
pub(super) fn claimant_is_never_spent(asked: Asked<'_>) -> Ruling {
    let strange = |seen: &mut Stored| {
        let ended = !matches!(seen.record.state, State::Claimed);
        if let (Request::Claim(Claim { claimant, .. }), true) = (asked.request, ended) {
            for grant in &mut seen.record.grants {
                if grant.claimant == Some(*claimant) {
                    grant.claimant = None;
                }
            }
        }
    };
    let mut ruling = on(strange, asked);
    if let (Some(write), Some(stored)) = (&mut ruling.write, asked.stored) {
        for (grant, was) in write.record.grants.iter_mut().zip(&stored.record.grants) {
            grant.claimant = was.claimant;
        }
    }
    ruling
}

/// A Release is not noted on a record that is free already.
pub(super) fn second_release_is_not_noted(asked: Asked<'_>) -> Ruling {
    let free = asked.stored.is_some_and(|stored| stored.record.state == State::Released);
    let ruling = real(asked);
    let by_token = |release: &Release| matches!(release.grant, ReleasedGrant::Token(_));
    let release = matches!(asked.request, Request::Release(release) if by_token(release));
    if free && release { Ruling { write: None, ..ruling } } else { ruling }
}

/// A grant that is repeated carries its full lease again.
pub(super) fn repeat_has_full_lease(asked: Asked<'_>) -> Ruling {
    let ruling = real(asked);
    match (&ruling.verdict, asked.stored) {
        (Verdict::Granted(granted), Some(stored)) if granted.repeated => {
            let full = Granted { lease: stored.record.terms.lease, ..granted.clone() };
            Ruling { verdict: Verdict::Granted(full), ..ruling }
        }
        _ => ruling,
    }
}

/// An operator's verdict on an unresolved intent is put off for ever.
pub(super) fn operator_is_put_off(asked: Asked<'_>) -> Ruling {
    let ruling = real(asked);
    match (&ruling.verdict, asked.stored) {
        (Verdict::Resolved, Some(stored)) if stored.record.settlement().is_none() => {
            let evidence_start = asked.now.after(Duration::from_secs(30));
            let refusal = Refusal::EvidenceTooEarly { evidence_start };
            Ruling { verdict: Verdict::Refused(refusal), write: None }
        }
        _ => ruling,
    }
}

/// Whoever reports last is believed.
pub(super) fn last_word_wins(asked: Asked<'_>) -> Ruling {
    let reopen = |seen: &mut Stored| {
        if matches!(asked.request, Request::Complete(_)) && seen.record.settlement().is_some() {
            seen.record.state = State::Claimed;
        }
    };
    on(reopen, asked)
}

/// A record lives no longer than its lease.
pub(super) fn lease_is_lifetime(asked: Asked<'_>) -> Ruling {
    let mut ruling = real(asked);
    if let Some(write) = &mut ruling.write
        && let LeaseWrite::Start(seconds) = write.lease
    {
        write.expiry = Expiry::After(seconds);
    }
    ruling
}

/// The result is not kept with its success.
pub(super) fn result_is_lost(asked: Asked<'_>) -> Ruling {
    let mut ruling = real(asked);
    if let Some(write) = &mut ruling.write {
        write.result = ResultWrite::Clear;
    }
    ruling
}

/// Everybody is shown the current token.
pub(super) fn token_is_shown_to_all(asked: Asked<'_>) -> Ruling {
    let mut ruling = real(asked);
    let token = asked.stored.and_then(|stored| stored.record.token());
    match &mut ruling.verdict {
        Verdict::InProgress { own_token } => *own_token = token,
        Verdict::Unknown(unknown) => unknown.own_token = token,
        _ => {}
    }
    ruling
}
