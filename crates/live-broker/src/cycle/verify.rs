//! Whether the answer of a cycle that was noted elsewhere can be carried out.

use super::preempt::cannot_stop;
use super::{CycleNote, Query, Rescue};
use crate::error::BrokerError;
use crate::fit::Fit;
use crate::jobs::Phase;
use sched_model::{JobId, NodeId, Time};
use std::collections::BTreeSet;

impl Query<'_> {
    /// Whether an answer noted elsewhere can be carried out.
    ///
    /// # Errors
    /// [`BrokerError::Damaged`] if it cannot.
    pub(crate) fn verify(&self, note: &CycleNote) -> Result<(), BrokerError> {
        let wrong =
            |job: JobId, why: &str| Err(BrokerError::Damaged(format!("a noted cycle: job {job} {why}")));
        let fit = Fit::at(self.now, self.state, self.config, self.search.rules());
        let mut taken: Vec<(NodeId, Time, Time)> = Vec::new();
        let mut seen = BTreeSet::new();
        let placed = note.placed.iter().map(|answer| (&answer.job, &answer.window, &[][..]));
        let rescued = note.rescued.iter().map(|one| (&one.job, &one.window, &[][..]));
        let preempted = note.preempted.iter().map(|one| (&one.job, &one.window, &one.victims[..]));
        let mut stopped = BTreeSet::new();
        for (job, window, victims) in rescued.chain(placed).chain(preempted) {
            let open =
                self.state.jobs.get(job).filter(|record| !matches!(record.phase, Phase::Started { .. }));
            let Some(record) = open.filter(|_| seen.insert(*job)) else {
                return wrong(*job, "cannot be placed");
            };
            if let Some(why) = fit.fault(record, window, victims) {
                return wrong(*job, &why);
            }
            if window.nodes().any(|node| record.avoids.contains(&node)) {
                return wrong(*job, "is placed on a node that refuses it");
            }
            if let Some(why) = cannot_stop(self.state, self.config, &record.job, window, victims) {
                return wrong(*job, &why);
            }
            if let Some(victim) = victims.iter().find(|&victim| !stopped.insert(*victim)) {
                return wrong(*job, &format!("stops job {victim}, which is stopped already"));
            }
            taken.extend(window.placements().iter().map(|place| (place.node, window.start(), place.end)));
        }
        taken.sort_unstable();
        if let Some(pair) = taken.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[1].1 < pair[0].2) {
            return Err(BrokerError::Damaged(format!("a noted cycle uses node {} twice", pair[0].0)));
        }
        if let Some(one) = note.preempted.iter().find(|one| one.victims.is_empty()) {
            return wrong(one.job, "stops no job");
        }
        let promised = |job: &JobId| self.state.of_jobs.promised.contains(job) && !seen.contains(job);
        if let Some(job) = note.late.iter().copied().find(|job| !promised(job)) {
            return wrong(job, "is not promised a window");
        }
        let on = |one: &Rescue| self.state.jobs.get(&one.job).is_some_and(|record| record.is_on(one.late));
        if let Some(one) = note.rescued.iter().find(|one| !on(one)) {
            return wrong(one.job, "does not stand on the node that is late");
        }
        let named = note.without_window.iter().chain(note.refused.iter().map(|(job, _)| job));
        match named.copied().find(|job| !self.state.of_jobs.waiting.contains(job) || seen.contains(job)) {
            Some(job) => wrong(job, "does not wait"),
            None => Ok(()),
        }
    }
}
