//! The audit: checks the invariants that hold after every input, from scratch.

use super::Broker;
use crate::book::BookedNode;
use crate::fit::misfits;
use crate::jobs::{JobRecord, Phase};
use sched_model::{JobId, NodeId, Time};

impl Broker {
    /// Returns the violated invariants of the state; none after any sequence of inputs. For tests, and for snapshots of
    /// unknown origin. Reads the whole state and computes the free time again.
    ///
    /// The invariants: claims and windows agree; no two windows overlap on a node; no node is held twice; the free list
    /// has exactly the usable time that no job claims; the length and the cost of each window follow from its request
    /// and its prices; each promise keeps its request; timers and indexes follow from jobs and nodes.
    #[must_use]
    pub fn audit(&self) -> Vec<String> {
        let mut faults = Vec::new();
        self.audit_claims(&mut faults);
        self.audit_promises(&mut faults);
        self.audit_derived(&mut faults);
        faults
    }

    /// Checks claims, windows and nodes.
    fn audit_claims(&self, faults: &mut Vec<String>) {
        let state = &self.state;
        let mut windows: Vec<(NodeId, Time, Time, JobId)> = Vec::new();
        for (&job, record) in &state.jobs {
            if let Phase::Started { window, tasks, .. } = &record.phase
                && tasks.len() != window.placements().len()
            {
                faults.push(format!("job {job} has not one task for each placement"));
            }
            for (start, place, claim) in record.claims() {
                windows.push((place.node, start, place.end, job));
                // A lengthened claim may overlap promises, but the windows of two jobs overlap only if one is stopped
                // for the other.
                if claim.end < place.end {
                    faults.push(format!("job {job} holds node {} for less than its window", place.node));
                }
            }
        }
        for (&node, entry) in &state.book.nodes {
            if entry.claims.values().filter(|claim| claim.held).count() > 1 {
                faults.push(format!("node {node} is held twice"));
            }
            // Otherwise intervals of free time would overlap, which a list cannot hold.
            let times = &entry.facts.blocked;
            let in_order = times.windows(2).all(|pair| pair[0].1 < pair[1].0);
            if !in_order || times.iter().any(|(from, until)| from >= until) {
                faults.push(format!("the times in which node {node} is blocked are not in order: {times:?}"));
            }
            if entry.facts.leaving && entry.claims.is_empty() {
                faults.push(format!("node {node} has left and is still listed"));
            }
        }
        windows.sort_unstable();
        for pair in windows.windows(2) {
            let ((node, _, end, first), (other, start, _, second)) = (pair[0], pair[1]);
            let stops = |job: JobId, other: JobId| {
                state.jobs.get(&job).is_some_and(|record| record.victims.contains(&other))
            };
            if node == other && start < end && !stops(second, first) && !stops(first, second) {
                faults.push(format!("jobs {first} and {second} overlap on node {node}"));
            }
        }
    }

    /// Checks the windows of jobs against their requests, and preemptions.
    fn audit_promises(&self, faults: &mut Vec<String>) {
        let rules = self.search.rules();
        for (&job, record) in &self.state.jobs {
            if let Some(window) = record.window() {
                let misfits = misfits(&self.state.book, rules, record, window);
                faults.extend(misfits.into_iter().map(|what| format!("the window of job {job}: {what}")));
            }
            if self.state.over.contains(job) {
                faults.push(format!("job {job} is over and still listed"));
            }
            if matches!(record.phase, Phase::Promised { .. }) {
                self.audit_nodes_of(job, record, faults);
            } else if !record.victims.is_empty() {
                faults.push(format!("others are stopped for job {job}, which is promised nothing"));
            }
            let runs = |victim: &JobId| {
                self.state.jobs.get(victim).is_some_and(|victim| {
                    victim.stopping.is_some() && matches!(victim.phase, Phase::Started { .. })
                })
            };
            if !record.victims.iter().all(runs) {
                faults.push(format!("job {job} waits for jobs that have left"));
            }
            if !record.victims.is_empty() && self.state.config.preemption.is_none() {
                faults.push(format!("others are stopped for job {job}, and no job may be"));
            }
        }
    }

    /// Checks that the nodes of a promise can be used in its time.
    fn audit_nodes_of(&self, job: JobId, record: &JobRecord, faults: &mut Vec<String>) {
        let Some(window) = record.window() else { return };
        for place in window.placements() {
            let node = place.node;
            let Some(entry) = self.state.book.get(node) else {
                faults.push(format!("job {job} is promised node {node}, which is gone"));
                continue;
            };
            let unclaimed = BookedNode::new(entry.facts.clone());
            if unclaimed.free(window.start(), place.end, &[]) != [(window.start(), place.end)] {
                faults.push(format!("job {job} is promised node {node} while it cannot be used"));
            }
        }
    }

    /// Checks the free list, timers and indexes, which follow from the facts.
    fn audit_derived(&self, faults: &mut Vec<String>) {
        let state = &self.state;
        let rebuilt = match state.clone().rebuilt() {
            Ok(rebuilt) => rebuilt,
            Err(fault) => return faults.push(fault.to_string()),
        };
        let (list, listed) = (state.book.list(state.now), rebuilt.book.list(state.now));
        if list != listed {
            faults.push(format!("the free list is {list:?} and should be {listed:?}"));
        }
        if *state != rebuilt {
            faults.push(format!("claims, timers or sets of jobs are {state:?} and should be {rebuilt:?}"));
        }
        for (job, record) in &state.jobs {
            if state.late(record).is_some() && !state.book.at_risk.contains(job) {
                faults.push(format!("the promise of job {job} is late and not listed as late"));
            }
        }
    }
}
