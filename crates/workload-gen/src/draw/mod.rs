//! Samplers whose values do not change: they use only code of this workspace and `ChaCha8Rng`, and no mathematical
//! functions of the platform. `tests/all/stability.rs` pins the values.
//!
//! | distribution | method | draws from the generator |
//! |---|---|---|
//! | [`Uniform`] | 53 bits | one `u64` |
//! | [`TruncatedNormal`] | rejection from one of three proposals, chosen by the range (Robert 1995) | a few, however far out the range lies |
//! | [`Exponential`] | inversion | one `u64` |
//! | [`Gamma`] | Marsaglia and Tsang 2000 | some `u64` for each attempt, nearly always one attempt |
//! | [`UniformInt`] | Lemire 2019 | one `u32`, rarely more |
//! | [`TwoStageUniform`] | a stage, then [`Uniform`] | two `u64` |

mod normal;
pub mod range;

use crate::WorkloadError;
use crate::error::require;
pub use normal::TruncatedNormal;
use normal::{gamma_p, standard};
use rand::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;
use sched_model::internal::{exp, ln};
use std::convert::Infallible;

/// A real distribution.
pub trait Distribution {
    /// Draws a value.
    fn sample(&self, rng: &mut dyn Rng) -> f64;
}

/// Returns the random number generator of one replicate of an experiment. Replicates of the same seed have independent
/// streams, so they can be drawn in any order and on any number of threads.
///
/// The key of the ChaCha cipher is the seed, expanded by SplitMix64 (Steele, Lea, Flood 2014); the replicate is the
/// stream number of the cipher.
///
/// ```
/// use rand::Rng;
/// use workload_gen::sample::stream;
/// assert_eq!(stream(7, 3).next_u64(), stream(7, 3).next_u64());
/// assert_ne!(stream(7, 3).next_u64(), stream(7, 4).next_u64());
/// ```
pub fn stream(seed: u64, replicate: u64) -> Stream {
    let mut state = seed;
    let mut key = [0; 32];
    for part in key.chunks_exact_mut(8) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        part.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes());
    }
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(replicate);
    Stream(rng)
}

/// The random number generator of one replicate, made by [`stream()`]: ChaCha with eight rounds.
// A type of this crate, so that the cipher is compiled here and not in each crate that draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream(ChaCha8Rng);

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

fn positive(name: &'static str, value: f64) -> Result<(), WorkloadError> {
    require(value.is_finite() && value > 0.0, name, value, "finite and positive")
}

/// The exponential distribution with the given mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponential {
    mean: f64,
}

impl Exponential {
    /// Creates the distribution with this mean.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] unless `mean` is finite and positive.
    pub fn new(mean: f64) -> Result<Self, WorkloadError> {
        positive("mean of an exponential", mean)?;
        Ok(Exponential { mean })
    }
}

impl Distribution for Exponential {
    #[inline]
    fn sample(&self, rng: &mut dyn Rng) -> f64 {
        -self.mean * ln(1.0 - unit(rng))
    }
}

/// The gamma distribution with the given shape and scale: mean shape * scale, variance shape * scale^2.
///
/// Source: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", 2000. A shape below 1
/// is drawn as Gamma(shape + 1) * U^(1 / shape).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    shape: f64,
    scale: f64,
    /// d and c of the paper.
    d: f64,
    c: f64,
}

impl Gamma {
    /// Creates the distribution with this shape and scale.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] unless both are finite and positive.
    pub fn new(shape: f64, scale: f64) -> Result<Self, WorkloadError> {
        positive("shape of a gamma", shape)?;
        positive("scale of a gamma", scale)?;
        let d = if shape < 1.0 { shape + 1.0 } else { shape } - 1.0 / 3.0;
        Ok(Gamma { shape, scale, d, c: 1.0 / (9.0 * d).sqrt() })
    }

    /// Returns the probability of a value of at most `x`.
    pub fn cdf(&self, x: f64) -> f64 {
        gamma_p(self.shape, x / self.scale)
    }

    /// Draws a value for scale 1, which the caller multiplies by its scale.
    pub(crate) fn standard_sample(&self, rng: &mut dyn Rng) -> f64 {
        let value = loop {
            let x = standard(rng);
            let t = 1.0 + self.c * x;
            if t <= 0.0 {
                continue;
            }
            let v = t * t * t;
            let u = 1.0 - unit(rng);
            let x2 = x * x;
            // The first test (the squeeze) is cheap and avoids most of the logarithms.
            if u < 1.0 - 0.0331 * x2 * x2 || ln(u) < 0.5 * x2 + self.d * (1.0 - v + ln(v)) {
                break self.d * v;
            }
        };
        if self.shape < 1.0 { value * exp(ln(1.0 - unit(rng)) / self.shape) } else { value }
    }
}

impl Distribution for Gamma {
    #[inline]
    fn sample(&self, rng: &mut dyn Rng) -> f64 {
        self.scale * self.standard_sample(rng)
    }
}

/// Draws a uniform real number in [0, 1), a multiple of 2^-53.
#[inline]
pub fn unit(rng: &mut dyn Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Returns true with probability `p`: always if `p >= 1`, never if `p <= 0`. Takes one `u64` from the generator in any
/// case.
#[inline]
pub fn chance(rng: &mut dyn Rng, p: f64) -> bool {
    unit(rng) < p
}

/// The uniform distribution of real numbers in [low, high]. If `low < high`, `high` occurs only by rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniform {
    low: f64,
    high: f64,
}

impl Uniform {
    /// Creates the distribution on [low, high]; equal bounds give a constant.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] unless both bounds and their difference are finite and `low <= high`.
    pub fn new(low: f64, high: f64) -> Result<Self, WorkloadError> {
        let fits = low <= high && (high - low).is_finite();
        require(fits, "uniform range", format_args!("[{low}, {high}]"), "finite, low <= high")?;
        Ok(Uniform { low, high })
    }
}

impl Distribution for Uniform {
    #[inline]
    fn sample(&self, rng: &mut dyn Rng) -> f64 {
        (self.low + (self.high - self.low) * unit(rng)).min(self.high)
    }
}

/// The uniform distribution of integers in [low, high], including both bounds, without bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniformInt {
    low: u32,
    /// high - low.
    width: u32,
}

impl UniformInt {
    /// Creates the distribution on [low, high]; equal bounds give a constant.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] if `low > high`.
    pub fn new(low: u32, high: u32) -> Result<Self, WorkloadError> {
        require(low <= high, "uniform integer range", format_args!("[{low}, {high}]"), "low <= high")?;
        Ok(UniformInt { low, width: high - low })
    }

    /// Draws a value. Takes one `u32` from the generator, rarely more, even if there is only one value.
    #[inline]
    pub fn sample(&self, rng: &mut dyn Rng) -> u32 {
        let choices = u64::from(self.width) + 1;
        // D. Lemire, "Fast random integer generation in an interval", 2019: the high half of the product is the
        // value. Low halves below 2^32 mod choices are rejected, because they would favour some values.
        let threshold = (1u64 << 32) % choices;
        loop {
            let product = u64::from(rng.next_u32()) * choices;
            if product & 0xffff_ffff >= threshold {
                return self.low + (product >> 32) as u32;
            }
        }
    }
}

/// The two-stage uniform distribution: uniform in [low, middle] with a given probability, otherwise uniform in [middle,
/// high].
///
/// Source: U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers", 2003.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoStageUniform {
    first: Uniform,
    second: Uniform,
    probability: f64,
}

impl TwoStageUniform {
    /// Creates the distribution with these bounds and this probability of the first stage, [low, middle].
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] unless `low <= middle <= high`, all finite, and the probability lies in
    /// [0, 1].
    pub fn new(low: f64, middle: f64, high: f64, probability: f64) -> Result<Self, WorkloadError> {
        let fits = (0.0..=1.0).contains(&probability);
        require(fits, "probability of the first stage", probability, "in [0, 1]")?;
        let (first, second) = (Uniform::new(low, middle)?, Uniform::new(middle, high)?);
        Ok(TwoStageUniform { first, second, probability })
    }
}

impl Distribution for TwoStageUniform {
    #[inline]
    fn sample(&self, rng: &mut dyn Rng) -> f64 {
        if chance(rng, self.probability) { self.first.sample(rng) } else { self.second.sample(rng) }
    }
}
