//! What a duplicate would be told now: for those who look without claiming. Grants nothing, refuses
//! nothing.

use super::{Given, Verdict, look};
use crate::{clock::Timestamp, record::Standing, store::Stored};

/// The verdict for a duplicate by a stranger; none where its Claim would be granted.
pub fn duplicate(stored: &Stored, given: &Given<'_>, now: Timestamp) -> Option<Verdict> {
    match look::standing(stored) {
        Standing::Live => Some(Verdict::InProgress { own_token: None }),
        Standing::Over | Standing::Unknown => Some(look::unknown(stored, None, given, now).verdict),
        Standing::Released if stored.record.is_contested() => {
            Some(look::unknown(stored, None, given, now).verdict)
        }
        Standing::Released => None,
        Standing::Succeeded | Standing::Failed => Some(Verdict::Completed),
    }
}
