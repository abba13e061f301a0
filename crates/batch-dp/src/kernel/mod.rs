//! The expanding core: how one alternative per job is chosen exactly without looking at most of them.
//!
//! | word | meaning |
//! |---|---|
//! | multiplier | the price `m` of a unit of the limited sum at which the linear relaxation just keeps the limit |
//! | base | for each job an alternative of least `p + m w` |
//! | reduced cost | by how much another alternative's `p + m w` exceeds that of the base |
//! | incumbent | the best choice found so far |
//! | core | the jobs that still have an alternative whose reduced cost does not exclude it |
//! | up, upgrade | a step from the base to an alternative with less objective and more weight; down is the reverse |
//! | completion bound | the least objective to which the jobs to come could lead a state |
//! | front and back list | the states of the first and of the last jobs of the core; both grow until they meet |
//! | width | states that a list may hold before the worst are dropped; the least bound of those is kept |
//!
//! [`relaxation`] finds the multiplier, [`reduction`] the core, [`order`] the order of its jobs,
//! [`completion`] bounds states, [`search`] grows the lists.

pub(crate) mod completion;
pub(crate) mod cuts;
pub(crate) mod found;
pub(crate) mod incumbent;
pub(crate) mod lists;
pub(crate) mod order;
pub(crate) mod reduction;
pub(crate) mod relaxation;
pub(crate) mod search;
mod trim;

use crate::number::Wide;

/// Buffers of a choice by the expanding core.
#[derive(Debug, Default)]
pub(crate) struct CoreScratch {
    pub(crate) hulls: relaxation::Hulls,
    pub(crate) reduced: reduction::Reduced,
    pub(crate) incumbent: incumbent::Incumbent,
    pub(crate) doubles: lists::StateLists<f64, f64>,
    pub(crate) shorts: lists::StateLists<i64, i64>,
    pub(crate) longs: lists::StateLists<i128, i128>,
    pub(crate) wides: lists::StateLists<Wide, Wide>,
}
