//! The memory that searches share.

use crate::{
    sweep::{Choice, Pools},
    value::{cheapest::CostScratch, search::ValueScratch},
};

/// Memory of searches, which the meter lends to one after another, of any kind. It holds no result.
#[derive(Debug, Default)]
pub(crate) struct SearchScratch {
    pub(crate) pools: Pools,
    pub(crate) choice: Choice,
    pub(crate) speeds: Vec<f64>,
    pub(crate) value: ValueScratch,
    pub(crate) cost: CostScratch,
}
