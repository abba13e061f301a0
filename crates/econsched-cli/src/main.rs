//! The `econsched` program.

fn main() {}
