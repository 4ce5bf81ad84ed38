//! What a sample of the records says: which payload came again under another key, and after what.

use super::{Case, Cause, Certainty, Sign, percent};

/// Fewer than so many may be chance.
const DIED_MIN: i64 = 5;
const PAIRS_MIN: i64 = 20;

/// Every sign.
pub(super) fn signs(case: &Case<'_>) -> Vec<Sign> {
    [died_and_followed(case), near_pairs(case)].into_iter().flatten().collect()
}

/// What died was asked for again under another key, and what succeeded was not: a payload that
/// simply comes often would follow on both alike.
fn died_and_followed(case: &Case<'_>) -> Option<Sign> {
    let sample = &case.sample;
    let (died, followed) = (sample.unresolved_count, sample.unresolved_followed_count);
    let (well, well_followed) = (sample.succeeded_count, sample.succeeded_followed_count);
    let is_usual = followed * 2 >= died;
    let is_no_chance = followed * well >= 5 * well_followed * died;
    (followed >= DIED_MIN && is_usual && is_no_chance).then(|| {
        let told = format!(
            "of {died} intents with an attempt that died, {followed} were asked for again within \
             the hour, the same payload under another key; of {well} that went well {}",
            percent(well_followed, well)
        );
        (Cause::KeyPerAttempt, Certainty::Probable, told)
    })
}

/// Payloads that few keys share come in quick succession, one when the other is over. By chance
/// they would lie anywhere; sent out to many at once they would overlap.
fn near_pairs(case: &Case<'_>) -> Option<Sign> {
    let sample = &case.sample;
    let (near, pairs) = (sample.near_pairs_count, sample.pairs_count);
    let is_usual = near * 10 >= pairs * 8;
    let are_many = sample.shared_count * 10 >= sample.records_count;
    (near >= PAIRS_MIN && is_usual && are_many).then(|| {
        let told = format!(
            "{} of {} keys share their payload with another, claimed soon after it was over",
            sample.shared_count, sample.records_count
        );
        (Cause::KeyPerAttempt, Certainty::Probable, told)
    })
}
