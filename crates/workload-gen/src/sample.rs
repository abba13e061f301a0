//! Samplers whose values never change: they use only code of this crate and `ChaCha8Rng`, and no mathematical
//! functions of the platform.
//!
//! A seed and a version of this crate determine every value on every machine. A change of values is a breaking
//! change, stated in the changelog; `tests/all/stability.rs` pins the values.
//!
//! | distribution | method | draws from the generator |
//! |---|---|---|
//! | [`Uniform`] | 53 bits | one `u64` |
//! | [`Normal`] | polar (Marsaglia and Bray 1964); the second value is not used, so that samplers keep no state | 2.55 `u64` on average |
//! | [`TruncatedNormal`] | rejection from one of three proposals, chosen by the range (Robert 1995) | a few, however far out the range lies |
//! | [`Exponential`] | inversion | one `u64` |
//!
//! ```
//! use workload_gen::sample::{Distribution, Normal, stream};
//! let normal = Normal::new(4.0, 2.0)?;
//! let mut rng = stream(1, 0);
//! let mean = (0..10_000).map(|_| normal.sample(&mut rng)).sum::<f64>() / 10_000.0;
//! assert!((mean - 4.0).abs() < 0.1);
//! # Ok::<(), workload_gen::WorkloadError>(())
//! ```

pub use crate::draw::{Distribution, Exponential, Normal, Stream, TruncatedNormal, Uniform, stream};
