//! Chance from a seed, so that a run can be had again.

/// A stream of numbers; each seed has its own.
#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// Another stream, for a part of the run.
    pub(crate) fn part(&self, number: u64) -> Self {
        let mut part = Self(self.0 ^ number.wrapping_mul(0xA24B_AED4_963E_E407));
        part.next();
        part
    }

    /// The mixing step of `SplitMix64`.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// One of these.
    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        let count = u64::try_from(of.len()).expect("a count");
        of[usize::try_from(self.below(count)).expect("an index")].clone()
    }
}

/// The seed of a run: given, or new. Told in either case.
#[expect(clippy::print_stderr, reason = "shown where the test fails")]
pub(crate) fn seed() -> u64 {
    let given = std::env::var("ONCED_TEST_SEED").ok().map(|text| text.parse().expect("a number"));
    let seed = given.unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().0);
    eprintln!("ONCED_TEST_SEED={seed}");
    seed
}
