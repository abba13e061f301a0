//! What is drawn.

pub(crate) mod charts;
pub(crate) mod gantt;
pub(crate) mod page;
mod plot;
