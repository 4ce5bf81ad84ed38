//! About how many distinct keys there were, in a kibibyte: a HyperLogLog whose registers are
//! atomic.
//!
//! Keeps no key, and takes no lock. None stays none; any other number is off by 3 % or so.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Bits of a hash that choose the register.
const BITS: u32 = 10;
const REGISTERS: usize = 1 << BITS;

/// A set of hashes that knows about how many it has.
pub(super) struct Sketch([AtomicU8; REGISTERS]);

impl Default for Sketch {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU8::new(0)))
    }
}

impl Sketch {
    /// Takes one in. Mostly a single load.
    pub(super) fn add(&self, hash: u64) {
        let register = &self.0[(hash >> (u64::BITS - BITS)) as usize];
        let rank = rank(hash);
        if register.load(Relaxed) < rank {
            register.fetch_max(rank, Relaxed);
        }
    }

    /// Takes in all that another one has.
    pub(super) fn join(&self, other: &Self) {
        for (own, other) in self.0.iter().zip(&other.0) {
            own.fetch_max(other.load(Relaxed), Relaxed);
        }
    }

    /// Has none from now on.
    pub(super) fn clear(&self) {
        for register in &self.0 {
            register.store(0, Relaxed);
        }
    }

    /// About how many it has.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate, far below 2^52 and never negative"
    )]
    pub(super) fn count(&self) -> u64 {
        let ranks = self.0.iter().map(|register| register.load(Relaxed));
        let (sum, empty) = ranks.fold((0.0, 0_u32), |(sum, empty), rank| {
            (sum + 0.5_f64.powi(i32::from(rank)), empty + u32::from(rank == 0))
        });
        let registers = REGISTERS as f64;
        let raw = 0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum;
        // While registers are empty, how many are tells more.
        let few = raw <= 2.5 * registers && empty > 0;
        let count = if few { registers * (registers / f64::from(empty)).ln() } else { raw };
        count.round() as u64
    }
}

/// The place of the first set bit among those that do not choose the register.
fn rank(hash: u64) -> u8 {
    let rest = (hash << BITS) | (1 << (BITS - 1));
    u8::try_from(rest.leading_zeros() + 1).unwrap_or(u8::MAX)
}
