//! The memory that searches share.

use crate::{
    scan::{Choice, entry::Expiring, live::Live},
    value::{cheapest::CostScratch, search::ValueScratch},
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Memory of searches, which the meter lends to one after another, of any kind. It holds no result.
#[derive(Debug, Default)]
pub(crate) struct SearchScratch {
    pub(crate) live: Live,
    pub(crate) choice: Choice,
    pub(crate) speeds: Vec<f64>,
    pub(crate) value: ValueScratch,
    pub(crate) cost: CostScratch,
    pub(crate) waiting: BinaryHeap<Reverse<Expiring>>,
}
