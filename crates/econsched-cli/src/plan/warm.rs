//! An earlier plan of the same jobs, from which the choice starts.

use super::Offer;
use crate::error::CliError;
use crate::files;
use econsched::sched_model::{JobId, NodeId, Schedule, Time, Window};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The window of each job.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Warm {
    places: BTreeMap<JobId, Place>,
}

/// The parts of a window that do not depend on the unit of money.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Place {
    start: Time,
    placements: Vec<OnNode>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
struct OnNode {
    node: NodeId,
    end: Time,
}

/// The part of `plan.json` that is read.
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

impl Warm {
    /// Reads a `plan.json`.
    ///
    /// # Errors
    /// [`CliError`] for a file that cannot be read or is no plan.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let Earlier { jobs } = files::parse_json(&files::read(path)?, path)?;
        let placed = jobs.into_iter().filter_map(|EarlierJob { job, fate }| Some((job.id, fate?.placed?)));
        Ok(Self { places: placed.collect() })
    }

    /// The offered windows that are those of the earlier plan.
    pub(super) fn schedule(&self, offers: &[Offer<'_>]) -> Schedule {
        let mut schedule = Schedule::default();
        for (job, windows, _) in offers {
            let had = self.places.get(job);
            let same = |window: &&Window| had.is_some_and(|had| had.is(window));
            if let Some(window) = windows.iter().find(same) {
                // A job that is offered twice is reported by the choice.
                let _ = schedule.place(*job, window.clone());
            }
        }
        schedule
    }
}

impl Place {
    fn is(&self, window: &Window) -> bool {
        let same = |(one, other): (&OnNode, &econsched::sched_model::Placement)| {
            one.node == other.node && one.end == other.end
        };
        self.start == window.start()
            && self.placements.len() == window.placements().len()
            && self.placements.iter().zip(window.placements()).all(same)
    }
}
