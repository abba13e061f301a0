//! The choices that make a case, and the structures of its numbers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The choices that make a case, read from bytes: from a stream with a seed, or from bytes of a fuzzer or a
/// property test. What is drawn depends only on the bytes, so a case becomes smaller when its bytes do
/// ([`shrink`](super::shrink)). When the bytes run out, zeros follow, and zero is the simplest choice.
///
/// ```
/// use econsched::testkit::Draw;
/// let mut drawn = Draw::new(7, 0);
/// let number = drawn.between(3, 1000);
/// assert_eq!(Draw::of_bytes(drawn.taken()).between(3, 1000), number);
/// assert_eq!(Draw::of_bytes(&[]).between(3, 1000), 3);
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Draw {
    source: Source,
    taken: Vec<u8>,
}

#[derive(Debug, Clone)]
enum Source {
    Stream(Box<ChaCha8Rng>),
    Bytes(std::vec::IntoIter<u8>),
}

impl Draw {
    /// The choices of one case under a seed.
    pub fn new(seed: u64, case: usize) -> Self {
        let mut stream = ChaCha8Rng::seed_from_u64(seed);
        stream.set_stream(case as u64);
        Self { source: Source::Stream(Box::new(stream)), taken: Vec::new() }
    }

    /// The choices that these bytes make.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self { source: Source::Bytes(Vec::from(bytes).into_iter()), taken: Vec::new() }
    }

    /// The bytes read so far; the same bytes make the same choices again.
    pub fn taken(&self) -> &[u8] {
        &self.taken
    }

    /// A whole number made of `count` bytes, at most 8. The first byte counts most, so numbers are ordered like
    /// their bytes.
    pub fn bytes(&mut self, count: usize) -> u64 {
        let mut whole = [0; 8];
        let read = &mut whole[8 - count.min(8)..];
        match &mut self.source {
            Source::Stream(stream) => stream.fill_bytes(read),
            Source::Bytes(bytes) => read.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte),
        }
        self.taken.extend_from_slice(read);
        u64::from_be_bytes(whole)
    }

    /// A whole number less than `bound`; 0 if `bound` is 0. It is made of few bytes, so some numbers are slightly
    /// likelier.
    pub fn below(&mut self, bound: usize) -> usize {
        let bits = usize::BITS - bound.leading_zeros();
        let count = (bits + 4).div_ceil(8).min(8);
        ((u128::from(self.bytes(count as usize)) * bound as u128) >> (8 * count)) as usize
    }

    /// A whole number from `low` to `high`, including both.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low.saturating_add(self.below(high.saturating_sub(low).saturating_add(1)))
    }

    /// True in `percent` of 100 draws on average.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100_usize.saturating_sub(percent)
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.bytes(7) >> 3) as f64 * 2f64.powi(-53)
    }

    /// One of these choices.
    pub fn of<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        const { assert!(N > 0, "a choice of nothing") };
        choices[self.below(N)]
    }

    /// One of these items; `None` if there are none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// A size of at most `most`: mostly at most a hundredth of it, seldom up to a tenth, rarely more.
    pub fn size(&mut self, most: usize) -> usize {
        let top = match self.below(32) {
            0..24 => most.div_ceil(100),
            24..31 => most.div_ceil(10),
            _ => most,
        };
        self.between(1, top)
    }
}

sched_model::registry! {
    /// The structure of the numbers of a case, which mostly all share one. Whether a fault is found depends more on
    /// the structure of the numbers than on their count.
    pub enum Numbers: setting "structure of numbers" {
        /// Multiples of 0.1 up to 1, most of which are not doubles: sums depend on where they are rounded.
        Tenths = "tenths",
        /// Multiples of 0.01 up to 10.
        Cents = "cents",
        /// 0 to 20, with exact sums.
        Whole = "whole",
        /// Only two values, so that most comparisons are ties.
        Ties = "ties",
        /// Multiples of 1/8 up to 10.
        Dyadic = "dyadic",
        /// Uniform in `[0, 1)`.
        Real = "real",
        /// 10^-9 to 10^12.
        Powers = "powers",
        /// 1, and numbers up to three units in the last place from it.
        Near = "near",
        /// Thirds of whole numbers.
        Thirds = "thirds",
        /// The smallest doubles above zero.
        Subnormal = "subnormal",
        /// About 10^-200: products of two underflow.
        Tiny = "tiny",
        /// About 10^60.
        Huge = "huge",
        /// Sums that lie between two doubles, such as that of 1 and 2^-53.
        Halves = "halves",
    }
}

impl Numbers {
    /// Any structure; half of the time one of everyday money.
    pub fn any(draw: &mut Draw) -> Self {
        let everyday = draw.chance(55);
        let from = if everyday { Self::ALL } else { &Self::ALL[..2] };
        draw.pick(from).copied().unwrap_or(Self::Tenths)
    }

    /// A number of this structure, not negative.
    pub fn draw(self, draw: &mut Draw) -> f64 {
        match self {
            Self::Whole => draw.below(21) as f64,
            Self::Tenths => draw.below(11) as f64 / 10.0,
            Self::Cents => draw.below(1001) as f64 / 100.0,
            Self::Ties => draw.of([1.0, 2.0, 2.0]),
            Self::Dyadic => draw.below(81) as f64 / 8.0,
            Self::Real => draw.unit(),
            Self::Powers => 10f64.powi(draw.below(22) as i32 - 9) * draw.between(1, 9) as f64,
            Self::Near => beside(1.0, draw.below(7) as i32 - 3),
            Self::Thirds => draw.below(13) as f64 / 3.0,
            Self::Subnormal => f64::from_bits(draw.below(9) as u64),
            Self::Tiny => draw.below(21) as f64 * draw.of([1e-200, 1e-201, 1e-180]),
            Self::Huge => draw.of([0.0, 1.0, 1e60, 5e59, 1e59, 1e44, 3e59]),
            Self::Halves => draw.of([1.0, 2f64.powi(-53), 2f64.powi(-54), 3.0, 1.0 + f64::EPSILON]),
        }
    }

    /// A positive number of this structure.
    pub fn positive(self, draw: &mut Draw) -> f64 {
        let drawn = self.draw(draw);
        if drawn > 0.0 { drawn } else { 1.0 }
    }
}

/// The double `steps` doubles above a finite one, or below it if `steps` is negative.
#[must_use]
pub fn beside(value: f64, steps: i32) -> f64 {
    let next = |value: f64, _| if steps > 0 { value.next_up() } else { value.next_down() };
    (0..steps.abs()).fold(value, next)
}

/// A limit that makes a sum hard to judge: mostly the sum itself, otherwise a double next to it, the
/// sum times a factor below 2, or the sum rounded to one decimal.
pub fn limit_near(draw: &mut Draw, sum: f64) -> f64 {
    match draw.below(10) {
        0..5 => sum,
        5 => beside(sum, 1),
        6 => beside(sum, -1),
        7 => sum * draw.unit(),
        8 => sum * (1.0 + draw.unit()),
        _ => (sum * 10.0).round() / 10.0,
    }
}
