//! The names of keys that are there before the first call: made of their number, and so known to
//! every contender without being kept.

use uuid::Uuid;

/// The key of this number: it looks like one of chance, as those of callers do.
pub(crate) fn loaded(number: u64) -> String {
    let uuid = Uuid::from_u64_pair(mixed(2 * number), mixed(2 * number + 1));
    format!("charge:v1:{uuid}")
}

/// Any of so many keys, another one for each turn.
pub(crate) fn any_loaded(turn: u64, count: u64) -> String {
    loaded(mixed(turn) % count)
}

/// SplitMix64: a bijection, so that different numbers never meet.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;
