//! Seeded inputs that the benches share.
