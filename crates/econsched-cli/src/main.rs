//! The `econsched` program.

mod charts;
mod stats;
mod study;

fn main() {}
