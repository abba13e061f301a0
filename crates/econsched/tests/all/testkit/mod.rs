//! The testkit finds no fault in the registered algorithms, and finds the faults of algorithms that are
//! broken on purpose.

#![cfg(all(feature = "testkit", feature = "grid-sim"))]

mod broken_brokers;
mod broken_choices;
mod broken_searches;
mod parts;

use econsched::testkit::{Fault, Seen};

/// The message of the fault that a check found; its kind must be one of these.
#[track_caller]
fn found(checked: Result<Seen, Fault>, kinds: &str) -> String {
    let fault = checked.expect_err(kinds);
    assert!(kinds.split(", ").any(|kind| kind == fault.kind), "{kinds}, and found is {fault}");
    fault.message
}
