//! What is read.

pub(crate) mod matrix;
pub(crate) mod scenario;
