//! The free time beside a plan, and the jobs that hold each node.

use crate::JointError;
use crate::incumbent::Incumbent;
use crate::instance::Instance;
use sched_model::order::sort;
use sched_model::{NodeId, SlotList, Time, Window};
use std::collections::BTreeMap;

/// The free time beside a plan, and the jobs that hold each node.
pub(crate) struct Around {
    pub(crate) rest: SlotList,
    held: BTreeMap<NodeId, Vec<(Time, Time, usize)>>,
}

impl Around {
    /// Beside the plan without any window.
    pub(crate) fn nothing(instance: &Instance<'_>) -> Self {
        Self { rest: instance.slots.clone(), held: BTreeMap::new() }
    }

    pub(crate) fn of(instance: &Instance<'_>, incumbent: &Incumbent) -> Result<Self, JointError> {
        let mut around = Self::nothing(instance);
        for (job, window) in incumbent.windows().iter().enumerate() {
            if let Some(window) = window {
                around.take(job, window)?;
            }
        }
        Ok(around)
    }

    pub(crate) fn take(&mut self, job: usize, window: &Window) -> Result<(), JointError> {
        self.rest.cut(window)?;
        for placement in window.placements() {
            self.held.entry(placement.node).or_default().push((window.start(), placement.end, job));
        }
        Ok(())
    }

    pub(crate) fn give_back(&mut self, job: usize, window: &Window) -> Result<(), JointError> {
        self.rest.give_back(window)?;
        for placement in window.placements() {
            if let Some(held) = self.held.get_mut(&placement.node) {
                held.retain(|held| held.2 != job);
            }
        }
        Ok(())
    }

    /// Jobs whose windows overlap this one.
    pub(crate) fn holders(&self, window: &Window) -> Vec<usize> {
        let of_place = |node: NodeId, end: Time| {
            let held = self.held.get(&node).map_or(&[][..], Vec::as_slice);
            held.iter().filter(move |held| held.0 < end && window.start() < held.1).map(|held| held.2)
        };
        let mut jobs: Vec<usize> =
            window.placements().iter().flat_map(|place| of_place(place.node, place.end)).collect();
        sort(&mut jobs, &|a, b| a.cmp(b));
        jobs.dedup();
        jobs
    }
}
