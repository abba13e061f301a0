//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

mod conflict;
mod cycle;
mod demands;
mod drawn;
mod efforts;
mod limits;
mod optimum;
mod oracle;
mod portfolio;
mod threads;
