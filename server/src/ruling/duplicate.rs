//! What a duplicate would be told now: for those who look without claiming. Grants nothing, refuses nothing.

use std::time::Duration;

use uuid::Uuid;

use super::{Given, Verdict, look};
use crate::{
    clock::Timestamp,
    policy::Policy,
    record::{Revision, Standing},
    store::{Memory, Stored},
};

/// Nothing here depends on how far the memory reaches: there is a record.
const MEMORY: Memory = Memory {
    revision: Revision(Uuid::nil()),
    start: Timestamp(0),
    smallest_retention: Duration::ZERO,
    restored: false,
    gap: false,
};

/// The verdict for a duplicate by a stranger; none where its Claim would be granted.
pub fn duplicate(
    stored: &Stored,
    policy: Option<&Policy>,
    clock_bound: Duration,
    now: Timestamp,
) -> Option<Verdict> {
    let (memory, revision) = (&MEMORY, Uuid::nil());
    let given = Given { policy, memory, revision, provider_key: "", clock_bound };
    match look::standing(stored) {
        Standing::Live => Some(Verdict::InProgress { own_token: None }),
        Standing::Over | Standing::Unknown => {
            Some(look::unknown(stored, None, &given, now).verdict)
        }
        Standing::Released if stored.record.is_contested() => {
            Some(look::unknown(stored, None, &given, now).verdict)
        }
        Standing::Released => None,
        Standing::Succeeded | Standing::Failed => Some(Verdict::Completed),
    }
}
