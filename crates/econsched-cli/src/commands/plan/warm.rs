//! An earlier plan of the same jobs, from which the choice starts.

use crate::error::CliError;
use crate::output::files;
use econsched::joint_plan::EarlierPlan;
use econsched::sched_model::{Fate, Job, Window};
use serde::Deserialize;
use std::path::Path;

/// The part of `plan.json` that is read. Of its windows, what does not depend on the unit of money is used.
#[derive(Debug, Deserialize)]
struct Earlier {
    jobs: Vec<EarlierJob>,
}

#[derive(Debug, Deserialize)]
struct EarlierJob {
    job: Job,
    fate: Option<Fate<Window>>,
}

/// Reads a `plan.json`.
///
/// # Errors
/// [`CliError`] for a file that cannot be read or is no plan.
pub(super) fn read(path: &Path) -> Result<EarlierPlan, CliError> {
    let Earlier { jobs } = files::parse_json(&files::read(path)?, path)?;
    let place = |EarlierJob { job, fate }: EarlierJob| {
        let Some(Fate::Placed(window)) = fate else { return None };
        let tasks = window.placements().iter().map(|task| (task.node, task.end)).collect();
        Some((job.id, (window.start(), tasks)))
    };
    Ok(jobs.into_iter().filter_map(place).collect())
}
