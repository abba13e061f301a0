//! An earlier plan of the same jobs, from which the choice starts.

use crate::error::{CliError, Place};
use crate::output::files;
use econsched::joint_plan::EarlierPlan;
use econsched::sched_model::{JobId, NodeId, Time};
use serde_json::Value;
use std::path::Path;

/// Reads a `plan.json`: of its windows, what does not depend on the unit of money.
///
/// # Errors
/// [`CliError`] for a file that cannot be read or is no plan.
pub(super) fn read(path: &Path) -> Result<EarlierPlan, CliError> {
    let plan: Value = files::parse_json(&files::read(path)?, path)?;
    let time = |value: &Value| Time::new(value.as_f64()?).ok();
    let task = |task: &Value| Some((NodeId(task["node"].as_u64()?.try_into().ok()?), time(&task["end"])?));
    let place = |job: &Value, window: &Value| {
        let tasks = window["placements"].as_array()?.iter().map(task).collect::<Option<_>>()?;
        Some((JobId(job["job"]["id"].as_u64()?), (time(&window["start"])?, tasks)))
    };
    let jobs =
        plan["jobs"].as_array().ok_or_else(|| CliError::input(path, "no plan.json: it has no `jobs`"))?;
    let placed = jobs.iter().enumerate().filter_map(|(at, job)| Some((at, job, job["fate"].get("placed")?)));
    let place = |(at, job, window)| {
        place(job, window).ok_or_else(|| {
            let at = Place::file(path).field(format!("jobs[{at}].fate.placed"));
            CliError::input(at, "no window of a plan.json")
        })
    };
    placed.map(place).collect()
}
