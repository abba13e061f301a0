//! The features of machines and the demands of jobs, for the broker live.

use super::Station;
use crate::error::{CliError, Place};
use crate::output::files;
use econsched::grid_sim::GridJob;
use econsched::sched_model::{Demands, Features, JobId, MachineId, SiteId};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawDemands {
    machines: Vec<OfMachine>,
    jobs: Vec<OfJob>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfMachine {
    /// The site; all sites if none is given.
    site: Option<SiteId>,
    machine: MachineId,
    features: Features,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfJob {
    job: JobId,
    demands: Demands,
}

/// Reads a file of features and demands: gives the jobs named their demands, and returns the features by the
/// places of the machines.
///
/// # Errors
/// [`CliError::Input`] for a file that cannot be read, and for machines and jobs that do not exist or are
/// given twice.
pub(super) fn load(
    path: &Path,
    stations: &[Station],
    jobs: &mut [GridJob],
) -> Result<BTreeMap<usize, Features>, CliError> {
    let RawDemands { machines, jobs: demanding } = files::parse_json(&files::read(path)?, path)?;
    let wrong = |field: String, why: String| CliError::input(Place::file(path).field(field), why);
    let mut features = BTreeMap::new();
    for (at, OfMachine { site, machine, features: of }) in machines.into_iter().enumerate() {
        let field = || format!("machines[{at}]");
        let is_meant = |station: &Station| {
            station.machine.id() == machine && site.is_none_or(|site| station.site == site)
        };
        let places: Vec<usize> = (0..stations.len()).filter(|&place| is_meant(&stations[place])).collect();
        if places.is_empty() {
            return Err(wrong(field(), format!("no machine {machine}")));
        }
        for place in places {
            if features.insert(place, of.clone()).is_some() {
                return Err(wrong(field(), format!("machine {machine} is given twice")));
            }
        }
    }
    let places: BTreeMap<JobId, usize> = (0..jobs.len()).map(|at| (jobs[at].job.id, at)).collect();
    let mut given = BTreeSet::new();
    for (at, OfJob { job, demands }) in demanding.into_iter().enumerate() {
        let field = || format!("jobs[{at}]");
        if !given.insert(job) {
            return Err(wrong(field(), format!("job {job} is given twice")));
        }
        let Some(&place) = places.get(&job) else {
            return Err(wrong(field(), format!("no job {job}")));
        };
        jobs[place] = jobs[place].clone().with_demands(demands);
    }
    Ok(features)
}
