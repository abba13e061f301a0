//! The engine behind [`MaxValue`](crate::MaxValue).
//!
//! | word | meaning |
//! |---|---|
//! | pool | candidates that go together: all, or those of one value of the label to pack by |
//! | level | one span: windows of nodes on which the task takes no longer, all held for it |
//! | class | slots of one node with the same span of the task, price and value |
//! | piece | one slot of a class, where it is long enough |
//! | multiplier, reduced value, bound | as in [`subset`](crate::subset): value less l times cost |
//! | arrival | a slot that becomes usable at the instant of a pass |
//! | members | the classes that can be in a better window at that instant |
//! | target | while no window is found, windows of at most this value are left for later |
//!
//! `search` bounds each level of a pool and takes them best first, `best` holds the best window; `classes`
//! lists the slots by class; `pass` reads them in time order and finds the instants that may improve the best
//! window, where `search` makes the exact choice.

mod best;
mod classes;
mod pass;
mod search;

pub(crate) use best::Known;
pub(crate) use search::{Search, ValueScratch};
