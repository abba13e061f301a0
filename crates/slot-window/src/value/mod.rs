//! The engine behind [`MaxValue`](crate::MaxValue) and the cheapest slowest-span window.
//!
//! | word | meaning |
//! |---|---|
//! | level | one speed: windows of nodes at least so fast, all held for the span of this speed |
//! | class | slots of one node with the same speed, price and value |
//! | piece | one slot of a class, where it is long enough |
//! | multiplier, reduced value, bound | see the rooms of [`subset`](crate::subset): value less l times cost |
//! | rank | position of a class in order of reduced value, greatest first |
//! | arrival | a slot that becomes usable at the instant of a pass |
//! | members | the ranks that can be in a better window at that instant |
//! | target | while nothing is found, windows worth no more are left for later |
//!
//! `levels` bounds each level, `search` takes them best first, `best` is what it has; `catalogue` lists the
//! slots by class; `pass` lets them arrive in time order and says which instants may better the best window;
//! `choice` chooses exactly there; `cheapest` uses catalogue and pass for the least cost. `pooled` searches
//! where nodes go together or apart, and `limited` chooses there; `rounding` has the margins of all bounds.

mod best;
pub(crate) mod catalogue;
pub(crate) mod cheapest;
mod choice;
mod levels;
pub(crate) mod limited;
pub(crate) mod pass;
mod pooled;
mod rounding;
pub(crate) mod search;
