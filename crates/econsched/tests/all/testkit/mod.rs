//! The testkit finds no fault in the registered algorithms, and finds the faults of algorithms that are
//! broken on purpose.

#![cfg(all(feature = "testkit", feature = "grid-sim"))]

mod broken_brokers;
mod broken_choices;
mod broken_searches;
#[cfg(feature = "full")]
mod examples;
mod registered;
