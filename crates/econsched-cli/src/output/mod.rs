//! Files and the terminal.

pub(crate) mod files;
pub(crate) mod progress;
pub(crate) mod terminal;
