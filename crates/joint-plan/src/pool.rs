//! The windows found so far, for each job.

use sched_model::order::sort;
use sched_model::{NodeId, Time, Window};
use slot_window::priced::NodeTimePrices;

/// Windows of each job, none twice.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pool {
    windows: Vec<Vec<Window>>,
    /// The cost of each window, stored because it is a sum.
    costs: Vec<Vec<f64>>,
    /// The start and the nodes of each window, in order.
    known: Vec<Vec<(Time, Vec<NodeId>)>>,
}

impl Pool {
    pub(crate) fn new(jobs: usize) -> Self {
        Self { windows: vec![Vec::new(); jobs], costs: vec![Vec::new(); jobs], known: vec![Vec::new(); jobs] }
    }

    /// Adds a window, unless the job already has it. Under one set of rules, start and nodes identify a window.
    pub(crate) fn add(&mut self, job: usize, window: &Window) {
        let mut nodes: Vec<NodeId> = window.placements().iter().map(|placement| placement.node).collect();
        sort(&mut nodes, &|a, b| a.cmp(b));
        let key = (window.start(), nodes);
        if let Err(at) = self.known[job].binary_search(&key) {
            self.known[job].insert(at, key);
            self.windows[job].push(window.clone());
            self.costs[job].push(window.cost().get());
        }
    }

    /// The window of a job that is best under prices, with these weights of cost, runtime and start: its
    /// position and value.
    pub(crate) fn least(
        &self,
        job: usize,
        weights: [f64; 3],
        from: Time,
        prices: &NodeTimePrices,
    ) -> Option<(usize, f64)> {
        self.least_of(job, weights, from, prices, |_| true)
    }

    /// The same among the windows that pass a test.
    pub(crate) fn least_of(
        &self,
        job: usize,
        weights: [f64; 3],
        from: Time,
        prices: &NodeTimePrices,
        passes: impl Fn(&Window) -> bool,
    ) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for (number, (window, &cost)) in self.windows[job].iter().zip(&self.costs[job]).enumerate() {
            let own = own(window, cost, weights, from);
            if best.is_some_and(|best| own >= best.1) {
                continue;
            }
            let value = own + taken(window, prices);
            if best.is_none_or(|best| value < best.1) && passes(window) {
                best = Some((number, value));
            }
        }
        best
    }

    /// The values of the windows of a job under prices.
    pub(crate) fn values<'a>(
        &'a self,
        job: usize,
        weights: [f64; 3],
        from: Time,
        prices: &'a NodeTimePrices,
    ) -> impl Iterator<Item = f64> + 'a {
        let windows = self.windows[job].iter().zip(&self.costs[job]);
        windows.map(move |(window, &cost)| own(window, cost, weights, from) + taken(window, prices))
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

/// The value of a window without prices of node-time.
pub(crate) fn own(
    window: &Window,
    cost: f64,
    [per_cost, per_runtime, per_start]: [f64; 3],
    from: Time,
) -> f64 {
    per_cost * cost + per_runtime * window.runtime().get() + per_start * (window.start() - from).get()
}

fn taken(window: &Window, prices: &NodeTimePrices) -> f64 {
    let start = window.start();
    window.placements().iter().map(|place| prices.between(place.node, start, place.end)).sum()
}
