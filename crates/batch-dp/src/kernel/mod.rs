//! The expanding core: the exact choice of one alternative per job, which examines few of the combinations.
//!
//! | word | meaning |
//! |---|---|
//! | multiplier | the price `m` of a unit of the limited sum at which the relaxation just keeps the limit |
//! | base | for each job an alternative of least `p + m w` |
//! | reduced cost | by how much another alternative's `p + m w` exceeds that of the base |
//! | incumbent | the best choice found so far |
//! | core | the jobs that still have an alternative whose reduced cost does not exclude it |
//! | up, upgrade | a step from the base to an alternative of less objective, more weight; down: the reverse |
//! | completion bound | the least objective of a state with the best choices of the remaining jobs |
//! | front and back list | the states of the first and the last jobs of the core; they grow until they meet |
//! | width | states that a list may hold before the worst are dropped; their least bound is kept |
//!
//! [`relaxation`] finds the multiplier, [`reduction`] the core, [`order`] the order of its jobs,
//! [`completion`] bounds states, [`search`] grows the lists, of what `turns` leaves.

pub(crate) mod completion;
pub(crate) mod core;
pub(crate) mod cuts;
pub(crate) mod exchange;
pub(crate) mod found;
pub(crate) mod incumbent;
pub(crate) mod lists;
pub(crate) mod order;
pub(crate) mod reduction;
pub(crate) mod relaxation;
pub(crate) mod search;
pub(crate) mod share;
mod trim;
mod turns;

/// Buffers of a choice by the expanding core.
#[derive(Debug, Default)]
pub(crate) struct CoreScratch {
    pub(crate) hulls: relaxation::Hulls,
    pub(crate) reduced: reduction::Reduced,
    pub(crate) incumbent: incumbent::Incumbent,
}
