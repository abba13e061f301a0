//! The memory that searches share.

use crate::{
    scan::{Choice, entry::Expiring, live::Live},
    value::{cheapest::CostScratch, search::ValueScratch},
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Memory of searches. The caller owns it and passes it to one search after another, of any kind. It holds no
/// result.
///
/// ```
/// use slot_window::SearchScratch;
/// let mut scratch = SearchScratch::default();
/// # let _ = &mut scratch;
/// ```
#[derive(Debug, Default)]
pub struct SearchScratch {
    pub(crate) live: Live,
    pub(crate) choice: Choice,
    pub(crate) speeds: Vec<f64>,
    pub(crate) value: ValueScratch,
    pub(crate) cost: CostScratch,
    pub(crate) waiting: BinaryHeap<Reverse<Expiring>>,
}

impl SearchScratch {
    /// Empty memory.
    pub fn new() -> Self {
        Self::default()
    }
}
