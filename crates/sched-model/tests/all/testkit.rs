//! The parts of the testkit that need this crate alone. The facade depends on this crate, which its tests therefore
//! cannot use.

#![allow(dead_code, unused_imports)] // of each the tests take a part

#[path = "../../../econsched/src/testkit/check.rs"]
mod check;
#[path = "../../../econsched/src/testkit/cases/demands.rs"]
mod demands;
#[path = "../../../econsched/src/testkit/draw.rs"]
mod draw;
#[path = "../../../econsched/src/testkit/limits.rs"]
mod limits;
#[path = "../../../econsched/src/testkit/sum.rs"]
mod sum;
#[path = "../../../econsched/src/testkit/cases/windows.rs"]
mod windows;

pub use check::{Check, Family, Fault, Seen, drawn, ensure, part, shrink};
pub use demands::{demands, features};
pub use draw::{Draw, Numbers, beside, limit_near};
pub use limits::{Stopped, Stops};
pub use sum::{Exact, rounded_sum};
pub use windows::{NodeCase, SearchCase, request, tariff};
