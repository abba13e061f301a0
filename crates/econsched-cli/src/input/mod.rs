//! Input files.

pub(crate) mod matrix;
pub(crate) mod scenario;
