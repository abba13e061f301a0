//! The windows met so far, for each job.

use sched_model::{NodeId, Time, Window};
use slot_window::priced::{NodeTimePrices, PricedSearch};
use std::collections::BTreeSet;

/// Windows of each job, none twice.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pool {
    windows: Vec<Vec<Window>>,
    known: Vec<BTreeSet<(Time, Vec<NodeId>)>>,
}

impl Pool {
    pub(crate) fn new(jobs: usize) -> Self {
        Self { windows: vec![Vec::new(); jobs], known: vec![BTreeSet::new(); jobs] }
    }

    /// Adds a window; false if the job has it already. Under one set of rules, start and nodes say all of a window.
    pub(crate) fn add(&mut self, job: usize, window: &Window) -> bool {
        let mut nodes: Vec<NodeId> = window.placements().iter().map(|placement| placement.node).collect();
        nodes.sort_unstable();
        let new = self.known[job].insert((window.start(), nodes));
        if new {
            self.windows[job].push(window.clone());
        }
        new
    }

    /// The window of a job that is best under prices: its position and value.
    pub(crate) fn least(
        &self,
        job: usize,
        search: &PricedSearch,
        from: Time,
        prices: &NodeTimePrices,
    ) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for (number, window) in self.windows[job].iter().enumerate() {
            let value = search.value(window, from, prices);
            if best.is_none_or(|best| value < best.1) {
                best = Some((number, value));
            }
        }
        best
    }

    pub(crate) fn of(&self, job: usize) -> &[Window] {
        &self.windows[job]
    }

    /// Windows of all jobs.
    pub(crate) fn len(&self) -> usize {
        self.windows.iter().map(Vec::len).sum()
    }

    pub(crate) fn jobs(&self) -> usize {
        self.windows.len()
    }
}
