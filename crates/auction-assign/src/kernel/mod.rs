//! What every method works on: the prepared input, its rows, numbers with and without rounding, and loops over
//! rows.

pub(crate) mod lanes;
pub(crate) mod look;
pub(crate) mod matching;
pub(crate) mod number;
pub(crate) mod prepared;
pub(crate) mod source;
pub(crate) mod watch;
pub(crate) mod wide;

/// No job, no resource.
pub(crate) const NONE: u32 = u32::MAX;
