//! Names of efforts.

use serde::Serialize;

/// How much is tried beyond the cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EffortName {
    /// The cycle of the search named, and the bound of each job alone
    Quick,
    /// The best of several searches and orders of the jobs, their windows chosen among with their conflicts
    Normal,
    /// Prices of node-time by dual ascent and large neighbourhoods as well
    Hard,
}
