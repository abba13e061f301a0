//! `econsched plan`: one scheduling cycle.

mod log;
mod market;

pub(crate) use log::{LogArgs, scenario as scenario_at};
