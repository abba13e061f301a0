//! Names of efforts.

use serde::Serialize;

/// How much is tried beyond the cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EffortName {
    /// The cycle of --search only, and a bound from each job alone
    Quick,
    /// The best of several searches and job orders; one choice among all their windows, so that none overlap
    Normal,
    /// In addition, prices of node-time by dual ascent, and large neighbourhood search
    Hard,
}
