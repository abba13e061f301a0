//! The jobs by standing. These sets are read at every input, so they are kept beside the records from which
//! they follow.

use crate::jobs::{JobRecord, Phase};
use sched_model::{JobId, Priority, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Sets of jobs that are read most often.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Indexes {
    /// Jobs without a promise.
    pub(crate) waiting: BTreeSet<JobId>,
    /// Jobs with a promise that have not started.
    pub(crate) promised: BTreeSet<JobId>,
    /// Both, by priority.
    pub(crate) open: BTreeSet<(Priority, JobId)>,
    /// Jobs with a promise for which others are being stopped.
    pub(crate) beneficiaries: BTreeSet<JobId>,
    /// Jobs that run and are not being stopped, by priority and by the time since when they run.
    pub(crate) running: BTreeMap<Priority, BTreeSet<(Time, JobId)>>,
}

impl Indexes {
    pub(crate) fn insert(&mut self, record: &JobRecord) {
        let (job, priority) = (record.job.id, record.job.priority);
        match record.phase {
            Phase::Waiting => {
                self.waiting.insert(job);
                self.open.insert((priority, job));
            }
            Phase::Promised { .. } => {
                self.promised.insert(job);
                if !record.victims.is_empty() {
                    self.beneficiaries.insert(job);
                }
                self.open.insert((priority, job));
            }
            Phase::Started { since: Some(since), .. } if record.stopping.is_none() => {
                self.running.entry(priority).or_default().insert((since, job));
            }
            Phase::Started { .. } => {}
        }
    }

    pub(super) fn remove(&mut self, record: &JobRecord) {
        let (job, priority) = (record.job.id, record.job.priority);
        self.waiting.remove(&job);
        self.promised.remove(&job);
        self.beneficiaries.remove(&job);
        self.open.remove(&(priority, job));
        if let Phase::Started { since: Some(since), .. } = record.phase
            && let Some(of_priority) = self.running.get_mut(&priority)
        {
            of_priority.remove(&(since, job));
            if of_priority.is_empty() {
                self.running.remove(&priority);
            }
        }
    }
}
