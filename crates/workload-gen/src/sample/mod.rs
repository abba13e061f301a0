//! Samplers whose values do not change: they use code of this crate and `ChaCha8Rng`, and no mathematics of
//! the platform.
//!
//! A seed and a version of this crate fix every value on every machine; a change of values is a breaking
//! change, and the changelog says so. `tests/all/stability.rs` pins them.
//!
//! | distribution | method | draws of the generator |
//! |---|---|---|
//! | [`Uniform`] | 53 bits | one `u64` |
//! | [`UniformInt`] | multiply and reject (Lemire 2019), unbiased | one `u32`, rarely more |
//! | [`Normal`] | polar (Marsaglia and Bray 1964); the second value is not used, so that samplers keep no state | 2.55 `u64` on average |
//! | [`TruncatedNormal`] | rejection from one of three proposals, by the range (Robert 1995) | a few, however far the tail |
//! | [`Exponential`] | inversion | one `u64` |
//! | [`Gamma`] | Marsaglia and Tsang 2000 | about one normal and one uniform |
//! | [`TwoStageUniform`] | two uniforms joined (Lublin and Feitelson 2003) | two `u64` |
//!
//! ```
//! use workload_gen::sample::{Distribution, Gamma, stream};
//! let gamma = Gamma::new(4.2, 0.94)?;
//! let mut rng = stream(1, 0);
//! let mean = (0..10_000).map(|_| gamma.sample(&mut rng)).sum::<f64>() / 10_000.0;
//! assert!((mean - gamma.mean()).abs() < 0.1); // 4.2 * 0.94 = 3.948
//! # Ok::<(), workload_gen::WorkloadError>(())
//! ```

mod gamma;
mod normal;
mod uniform;

pub use gamma::{Exponential, Gamma};
pub use normal::{Normal, TruncatedNormal};
pub use uniform::{TwoStageUniform, Uniform, UniformInt, chance, unit};

use rand::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;
use std::convert::Infallible;

/// A real distribution that can be drawn from and checked against its own CDF.
pub trait Distribution {
    /// Draws a value.
    fn sample(&self, rng: &mut dyn Rng) -> f64;
    /// The probability of a value of at most `x`.
    fn cdf(&self, x: f64) -> f64;
    /// The expected value.
    fn mean(&self) -> f64;
}

/// The generator of one replicate of an experiment. With the same seed, another replicate has an independent
/// stream.
///
/// Replicates can be drawn in any order and on any number of threads. The seed is spread over the key by
/// SplitMix64 (Steele, Lea, Flood 2014); the replicate is the stream number of the ChaCha cipher.
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

/// The random numbers of one replicate, as [`stream()`] gives them: ChaCha with eight rounds.
// A type of this crate, so that the cipher is compiled here, and not by each crate that draws.
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
