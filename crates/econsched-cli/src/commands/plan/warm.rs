//! An earlier plan of the same jobs, from which the choice starts.

use crate::error::CliError;
use crate::output::files;
use econsched::joint_plan::EarlierPlan;
use econsched::sched_model::{JobId, NodeId, Time};
use serde::Deserialize;
use std::path::Path;

/// The part of `plan.json` that is read: what does not depend on the unit of money.
#[derive(Debug, Deserialize)]
struct Earlier {
    jobs: Vec<EarlierJob>,
}

#[derive(Debug, Deserialize)]
struct EarlierJob {
    job: Named,
    fate: Option<EarlierFate>,
}

#[derive(Debug, Deserialize)]
struct Named {
    id: JobId,
}

#[derive(Debug, Deserialize)]
struct EarlierFate {
    placed: Option<Place>,
}

#[derive(Debug, Deserialize)]
struct Place {
    start: Time,
    placements: Vec<OnNode>,
}

#[derive(Debug, Deserialize)]
struct OnNode {
    node: NodeId,
    end: Time,
}

/// Reads a `plan.json`.
///
/// # Errors
/// [`CliError`] for a file that cannot be read or is no plan.
pub(super) fn read(path: &Path) -> Result<EarlierPlan, CliError> {
    let Earlier { jobs } = files::parse_json(&files::read(path)?, path)?;
    let place = |EarlierJob { job, fate }: EarlierJob| {
        let Place { start, placements } = fate?.placed?;
        Some((job.id, (start, placements.into_iter().map(|task| (task.node, task.end)).collect())))
    };
    Ok(jobs.into_iter().filter_map(place).collect())
}
