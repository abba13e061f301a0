//! The free time beside a plan, and the jobs that hold each node.

use crate::JointError;
use crate::incumbent::Incumbent;
use crate::instance::Instance;
use sched_model::order::sort;
use sched_model::{NodeId, SlotList, Time, Window};

/// The free time beside a plan, and the jobs that hold each node.
pub(crate) struct Around {
    pub(crate) rest: SlotList,
    /// Node, start, end and job of each task, in this order.
    held: Vec<(NodeId, Time, Time, usize)>,
}

impl Around {
    /// Beside the plan without any window.
    pub(crate) fn nothing(instance: &Instance<'_>) -> Self {
        Self { rest: instance.slots.clone(), held: Vec::new() }
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
            let task = (placement.node, window.start(), placement.end, job);
            let at = self.held.partition_point(|held| *held < task);
            self.held.insert(at, task);
        }
        Ok(())
    }

    pub(crate) fn give_back(&mut self, job: usize, window: &Window) -> Result<(), JointError> {
        self.rest.give_back(window)?;
        self.held.retain(|held| held.3 != job);
        Ok(())
    }

    /// Jobs whose windows overlap this one.
    pub(crate) fn holders(&self, window: &Window) -> Vec<usize> {
        let of_place = |node: NodeId, end: Time| {
            let held = &self.held[self.held.partition_point(|held| held.0 < node)..];
            let before = held.iter().take_while(move |held| held.0 == node && held.1 < end);
            before.filter(|held| window.start() < held.2).map(|held| held.3)
        };
        let mut jobs: Vec<usize> =
            window.placements().iter().flat_map(|place| of_place(place.node, place.end)).collect();
        sort(&mut jobs, &|a, b| a.cmp(b));
        jobs.dedup();
        jobs
    }
}
