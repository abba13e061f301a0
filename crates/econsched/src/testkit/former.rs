//! Random numbers for instances.

/// A small generator of numbers (SplitMix64): the same seed always gives the same numbers. Only for instances
/// of tests; `workload-gen` draws workloads.
#[derive(Debug, Clone)]
#[must_use]
pub(super) struct Draw(u64);

/// The structure of the numbers of an instance. Whether a fault is seen depends more on the structure of the
/// numbers than on their count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Numbers {
    /// Small whole numbers: many ties, every sum exact.
    Whole,
    /// Tenths, which no double holds exactly: sums depend on where they are rounded.
    Tenths,
    /// Few different values: most comparisons are ties.
    Ties,
    /// From a thousandth to a million, drawn by their order of magnitude.
    Wide,
}

impl Numbers {
    /// All of them.
    pub(super) const ALL: [Self; 4] = [Self::Whole, Self::Tenths, Self::Ties, Self::Wide];
}

impl Draw {
    /// The numbers of case `number` under a seed.
    pub(super) fn of_case(seed: u64, number: usize) -> Self {
        let mut mixed = Self(seed);
        let first = mixed.bits();
        Self(first ^ (number as u64).wrapping_mul(0xD134_2543_DE82_EF95))
    }

    /// 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number less than `bound`; 0 if that is 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound.max(1)
    }

    /// A whole number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low.saturating_add(self.below(high.saturating_sub(low).saturating_add(1)))
    }

    /// True in `percent` of 100 draws.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of these; `None` if there are none.
    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len() as u64) as usize)
    }

    /// A kind of numbers.
    pub(super) fn numbers(&mut self) -> Numbers {
        Numbers::ALL[self.below(4) as usize]
    }

    /// A positive number of this kind, of up to about `most` where the kind is not [`Numbers::Wide`].
    pub(super) fn amount(&mut self, numbers: Numbers, most: u64) -> f64 {
        match numbers {
            Numbers::Whole => self.between(1, most) as f64,
            Numbers::Tenths => self.between(1, most.saturating_mul(10)) as f64 / 10.0,
            Numbers::Ties => [1.0, 2.0, 2.5][self.below(3) as usize],
            Numbers::Wide => {
                let magnitude = [1e-3, 1.0, 1e3, 1e5][self.below(4) as usize];
                magnitude * self.between(1, 1 << 20) as f64 / f64::from(1 << 17)
            }
        }
    }
}
