//! The commands: each a function from its flags to a report.

pub(crate) mod assign;
pub(crate) mod convert;
pub(crate) mod generate;
pub(crate) mod group;
pub(crate) mod limits;
pub(crate) mod map;
pub(crate) mod plan;
pub(crate) mod settings;
#[cfg(feature = "shell")]
pub(crate) mod shell;
pub(crate) mod simulate;
pub(crate) mod study;
pub(crate) mod sweep;
pub(crate) mod window;

/// Names that most commands use.
mod prelude {
    pub(crate) use crate::input::scenario::Scenario;
    pub(crate) use crate::prelude::*;
    pub(crate) use crate::report::{Command, Context, Destination, Report, object};
}
