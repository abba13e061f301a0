//! The common parts of all methods: the prepared problem, its rows, numbers with and without rounding, loops over rows,
//! and the limits of a search.

pub(crate) mod lanes;
pub(crate) mod look;
pub(crate) mod matching;
pub(crate) mod number;
pub(crate) mod prepared;
pub(crate) mod source;
pub(crate) mod watch;
pub(crate) mod wide;

/// The index that stands for no job or no resource.
pub(crate) const NONE: u32 = u32::MAX;
