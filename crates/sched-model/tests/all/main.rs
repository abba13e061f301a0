//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod check;
mod exact_sum;
mod features;
mod limit;
mod profile;
mod registry;
mod serde;
mod slot_list;
mod tariff;
