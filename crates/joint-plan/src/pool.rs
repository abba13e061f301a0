//! The windows found so far for each job, the best plan made of them, and the free time that this plan leaves.

use crate::JointError;
use crate::instance::Instance;
use sched_model::internal::{exact_sum, sort};
use sched_model::{NodeId, SlotList, Time, Window};
use slot_window::priced::NodeTimePrices;

/// The windows of each job, without duplicates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pool {
    windows: Vec<Vec<Window>>,
    /// The cost of each window, stored because computing it takes a sum.
    costs: Vec<Vec<f64>>,
    /// The start and the nodes of each window, sorted.
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

    /// Finds the window of minimum value of a job under prices, given the weights of cost, runtime and start. Returns
    /// its position and its value.
    pub(crate) fn least(
        &self,
        job: usize,
        weights: [f64; 3],
        from: Time,
        prices: &NodeTimePrices,
    ) -> Option<(usize, f64)> {
        self.least_of(job, weights, from, prices, |_| true)
    }

    /// As [`least`](Self::least), among the windows that pass a test.
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
            let own = unpriced(window, cost, weights, from);
            if best.is_some_and(|best| own >= best.1) {
                continue;
            }
            let value = own + price(window, prices);
            if best.is_none_or(|best| value < best.1) && passes(window) {
                best = Some((number, value));
            }
        }
        best
    }

    /// The value of each window of a job under prices.
    pub(crate) fn values<'a>(
        &'a self,
        job: usize,
        weights: [f64; 3],
        from: Time,
        prices: &'a NodeTimePrices,
    ) -> impl Iterator<Item = f64> + 'a {
        let windows = self.windows[job].iter().zip(&self.costs[job]);
        windows.map(move |(window, &cost)| unpriced(window, cost, weights, from) + price(window, prices))
    }

    /// The windows of a job, in the order in which they were found.
    pub(crate) fn of(&self, job: usize) -> &[Window] {
        &self.windows[job]
    }

    /// Number of windows of all jobs.
    pub(crate) fn len(&self) -> usize {
        self.windows.iter().map(Vec::len).sum()
    }

    pub(crate) fn jobs(&self) -> usize {
        self.windows.len()
    }
}

/// The value of a window without the prices of node-time.
pub(crate) fn unpriced(
    window: &Window,
    cost: f64,
    [per_cost, per_runtime, per_start]: [f64; 3],
    from: Time,
) -> f64 {
    per_cost * cost + per_runtime * window.runtime().get() + per_start * (window.start() - from).get()
}

/// The sum of the prices of the node-time that a window holds.
fn price(window: &Window, prices: &NodeTimePrices) -> f64 {
    let start = window.start();
    window.placements().iter().map(|place| prices.between(place.node, start, place.end)).sum()
}

/// The occupancy of the slots by a plan: the free time that the plan leaves, and the jobs that hold each node.
pub(crate) struct Occupancy {
    pub(crate) rest: SlotList,
    /// Node, start, end and job of each task, sorted in this order.
    held: Vec<(NodeId, Time, Time, usize)>,
}

impl Occupancy {
    /// The occupancy by the empty plan, which leaves all time free.
    pub(crate) fn empty(instance: &Instance<'_>) -> Self {
        Self { rest: instance.slots.clone(), held: Vec::new() }
    }

    /// The occupancy by the incumbent.
    pub(crate) fn of(instance: &Instance<'_>, incumbent: &Incumbent) -> Result<Self, JointError> {
        let mut occupancy = Self::empty(instance);
        for (job, window) in incumbent.windows.iter().enumerate() {
            if let Some(window) = window {
                occupancy.take(job, window)?;
            }
        }
        Ok(occupancy)
    }

    /// Adds the window of a job to the plan.
    pub(crate) fn take(&mut self, job: usize, window: &Window) -> Result<(), JointError> {
        self.rest.cut(window)?;
        for placement in window.placements() {
            let task = (placement.node, window.start(), placement.end, job);
            let at = self.held.partition_point(|held| *held < task);
            self.held.insert(at, task);
        }
        Ok(())
    }

    /// Removes the window of a job from the plan.
    pub(crate) fn give_back(&mut self, job: usize, window: &Window) -> Result<(), JointError> {
        self.rest.give_back(window, window.start())?;
        self.held.retain(|held| held.3 != job);
        Ok(())
    }

    /// The jobs whose windows overlap `window`.
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

/// The best plan so far: a window or none for each job.
#[derive(Debug, Clone)]
pub(crate) struct Incumbent {
    pub(crate) windows: Vec<Option<Window>>,
    pub(crate) left_out: usize,
    pub(crate) objective: f64,
}

impl Incumbent {
    /// The plan in which no job is placed.
    pub(crate) fn empty(jobs: usize) -> Self {
        Self { windows: vec![None; jobs], left_out: jobs, objective: 0.0 }
    }

    /// Replaces the plan by `windows` if they keep the limits and place more jobs, or as many at a lower objective.
    /// Returns whether it did.
    pub(crate) fn offer(
        &mut self,
        instance: &Instance<'_>,
        windows: impl IntoIterator<Item = Option<Window>>,
    ) -> bool {
        let windows: Vec<Option<Window>> = windows.into_iter().collect();
        let placed = || windows.iter().flatten();
        if !instance.keeps_to_limits(&windows) {
            return false;
        }
        let left_out = windows.len() - placed().count();
        let objective = exact_sum(placed().map(|window| instance.terms.objective(window, instance.from)));
        let better = left_out < self.left_out || left_out == self.left_out && objective < self.objective;
        if better {
            *self = Self { windows, left_out, objective };
        }
        better
    }
}
