//! What the use of keys says: at this server, since its start, for at most two days.

use super::{Case, Cause, Certainty, FEW, KEYS_MIN, Sign, percent};

/// In an hour with fewer keys, their share says little.
const HOUR_KEYS_MIN: i64 = 20;
/// So many such hours make a habit.
const HOURS_MIN: usize = 6;
/// Seconds of an hour.
const HOUR: i64 = 3_600;

/// Every sign.
pub(super) fn signs(case: &Case<'_>) -> Vec<Sign> {
    [warned(case), fell(case), never_again(case), reused(case), all_again(case), few_keys(case)]
        .into_iter()
        .flatten()
        .collect()
}

/// Keys hold the time or the id of their own call, and never come again.
fn warned(case: &Case<'_>) -> Option<Sign> {
    let whole = &case.whole;
    let (warned, claims) = (whole.key_warnings_count, whole.claims_count);
    let is_habit = warned >= FEW && warned * 5 >= claims;
    let none_again = whole.keys_again_count * 100 < whole.keys_count;
    (is_habit && none_again && whole.keys_count >= KEYS_MIN).then(|| {
        let told = format!("{warned} of {claims} claims had a key with their own id or time in it");
        (Cause::KeyPerAttempt, Certainty::Certain, told)
    })
}

/// Keys came again hour by hour, and then none did any more.
fn fell(case: &Case<'_>) -> Option<Sign> {
    let hours = &case.diagnosis.hours;
    let quiet = hours.iter().rev().take_while(|hour| hour.keys_again_count == 0).count();
    let (before, since) = hours.split_at(hours.len() - quiet);
    let mut shares: Vec<i64> = before
        .iter()
        .filter(|hour| hour.keys_count >= HOUR_KEYS_MIN)
        .map(|hour| hour.keys_again_count * 10_000 / hour.keys_count)
        .collect();
    shares.sort_unstable();
    let usual = *shares.get(shares.len() / 2).filter(|_| shares.len() >= HOURS_MIN)?;
    let keys: i64 = since.iter().map(|hour| hour.keys_count).sum();
    // By chance none of ten comes once in twenty thousand times.
    (usual * keys >= FEW * 10_000).then(|| {
        let usual = percent(usual, 10_000);
        let told = format!("of the last {keys} keys none was claimed again; {usual} were before");
        (Cause::KeyPerAttempt, Certainty::Probable, told)
    })
}

/// Attempts die, and hardly any of the keys comes back. Those of this hour may still.
fn never_again(case: &Case<'_>) -> Option<Sign> {
    let whole = &case.whole;
    let is_past = |start: i64| start + 2 * HOUR <= case.now;
    let hours = case.diagnosis.hours.iter();
    let past = hours.filter(|hour| hour.start_time.is_some_and(|start| is_past(start.seconds)));
    let ended: i64 = past.map(|hour| hour.leases_ended_count).sum();
    let is_rare = whole.keys_again_count * 10 < ended;
    // Where nearly all end so, outcomes are not reported, and nobody needs to retry.
    let some_do_not = ended * 2 <= whole.first_grants_count;
    (ended >= FEW && whole.keys_count >= KEYS_MIN && is_rare && some_do_not).then(|| {
        let again = whole.keys_again_count;
        let told =
            format!("{ended} attempts died, and {again} of {} keys came again", whole.keys_count);
        (Cause::KeyPerAttempt, Certainty::Probable, told)
    })
}

/// One key, two payloads.
fn reused(case: &Case<'_>) -> Option<Sign> {
    let (reused, claims) = (case.whole.key_reused_count, case.whole.claims_count);
    let certainty = if reused >= FEW && reused * 100 >= claims {
        Certainty::Certain
    } else {
        Certainty::Probable
    };
    (reused >= 3).then(|| {
        let told = format!("{reused} calls were refused: their key stands for another payload");
        (Cause::TooFewKeys, certainty, told)
    })
}

/// Nearly every key comes again.
fn all_again(case: &Case<'_>) -> Option<Sign> {
    let (again, keys) = (case.whole.keys_again_count, case.whole.keys_count);
    (keys >= KEYS_MIN && again * 100 >= keys * 95).then(|| {
        let told = format!("{again} of {keys} keys were claimed again ({})", percent(again, keys));
        (Cause::TooFewKeys, Certainty::Probable, told)
    })
}

/// Many claims are told the outcome of few intents.
fn few_keys(case: &Case<'_>) -> Option<Sign> {
    let (replays, keys) = (case.whole.replays_count, case.whole.keys_count.max(1));
    (replays >= 500 && replays / keys >= 20).then(|| {
        let told = format!("{replays} claims were told the outcome of only {keys} keys");
        (Cause::TooFewKeys, Certainty::Probable, told)
    })
}
