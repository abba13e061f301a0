//! The engine behind [`MaxValue`](crate::MaxValue).
//!
//! | word | meaning |
//! |---|---|
//! | level | one span: windows of nodes on which the task takes no longer, all held for it |
//! | class | slots of one node with the same speed, price and value |
//! | piece | one slot of a class, where it is long enough |
//! | multiplier, reduced value, bound | as in [`subset`](crate::subset): value less l times cost |
//! | rank | position of a class in order of reduced value, greatest first |
//! | arrival | a slot that becomes usable at the instant of a pass |
//! | members | the ranks that can be in a better window at that instant |
//! | target | while no window is found, windows of at most this value are left for later |
//!
//! `levels` bounds each level, `search` takes them best first, `best` holds the best window; `catalogue`
//! lists the slots by class; `pass` reads them in time order and finds the instants that may improve the best
//! window, where `search` makes the exact choice. `pooled` searches where nodes are packed or spread.

pub(crate) mod best;
mod catalogue;
mod levels;
mod pass;
mod pooled;
pub(crate) mod search;
