//! Runs the algorithms of the slides on one environment.

use super::{LENGTH, MULTIPLE_BEST, PRICE_PER_WORK, Q, WORK};
use crate::Failure;
use econsched::sched_model::{Batch, Job, JobId, ResourceRequest, Sense, SlotList, Time, Window};
use econsched::slot_window::{
    AlternativesSearch, BatchAlternatives, FirstFit, MaxValue, NodeValues, Objective, Optimal, SearchKind,
    SearchOptions, WindowError, WindowQuery, WindowSearch,
};
use econsched::workload_gen::environment::{self, Environment, EnvironmentGenerator};
use econsched::workload_gen::sample::stream;

/// Start, runtime, finish, cost and Q of a window.
pub(super) type Measured = [f64; 5];

pub(super) fn measure(window: &Window, values: &[f64]) -> Measured {
    let q = window.placements().iter().map(|placement| values[placement.node.0 as usize]).sum();
    let finish = window.finish().get();
    [window.start().get(), window.runtime().get(), finish, window.cost().get(), q]
}

pub(super) fn request(nodes: usize) -> Result<ResourceRequest, Failure> {
    Ok(environment::request(nodes, WORK, PRICE_PER_WORK)?)
}

/// Returns a request for `nodes` nodes with the budget of a request for `others` nodes.
pub(super) fn request_with_budget_of(nodes: usize, others: usize) -> Result<ResourceRequest, Failure> {
    Ok(environment::request(nodes, WORK, PRICE_PER_WORK * others as f64 / nodes as f64)?)
}

pub(super) fn searches(environment: &Environment) -> Result<[Box<dyn WindowSearch>; 5], WindowError> {
    Ok([
        Box::new(FirstFit::new()),
        Box::new(Optimal::new(Objective::Finish)),
        Box::new(Optimal::new(Objective::Runtime)),
        Box::new(Optimal::new(Objective::Cost)),
        Box::new(MaxValue::new(values(environment)?)),
    ])
}

/// Returns the value q of each node.
pub(super) fn values(environment: &Environment) -> Result<NodeValues, WindowError> {
    NodeValues::new(environment.nodes.iter().map(|node| node.id).zip(environment.values.iter().copied()))
}

/// Builds the published table algorithm for these values.
pub(super) fn table(environment: &Environment) -> Result<Box<dyn WindowSearch>, WindowError> {
    let options = SearchOptions::default().with_criterion(values(environment)?, Sense::Maximise);
    SearchKind::MaxValueTable.build_with(&options)
}

/// Computes the row of an environment; NaN if the budget or the free time allows no window at all.
pub(super) fn one(nodes: u32, seed: u64, replicate: u64) -> Result<Vec<f64>, Failure> {
    let environment =
        EnvironmentGenerator::default().with_nodes(nodes).generate(&mut stream(seed, replicate))?;
    let slots = &environment.slots;
    let request = request(7)?;
    let mut measured = [[0.0; 5]; 6];
    for (search, measured) in searches(&environment)?.iter().zip(&mut measured) {
        let Some(window) = search.find(&WindowQuery::new(slots, &request))?.best else {
            return Ok(vec![f64::NAN; LENGTH]);
        };
        *measured = measure(&window, &environment.values);
    }
    let windows = all_alternatives(slots, &request)?.jobs.remove(0).windows;
    let mut best = [f64::INFINITY, f64::INFINITY, f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    for window in &windows {
        for (at, (best, value)) in best.iter_mut().zip(measure(window, &environment.values)).enumerate() {
            *best = if at == Q { best.max(value) } else { best.min(value) };
        }
    }
    measured[MULTIPLE_BEST] = best;
    let mut row = measured.concat();
    row.extend([windows.len() as f64, slots.len() as f64]);
    Ok(row)
}

/// Finds all windows that first fit finds if each is cut out before the next is searched for.
pub(super) fn all_alternatives(
    slots: &SlotList,
    request: &ResourceRequest,
) -> Result<BatchAlternatives, WindowError> {
    let batch = Batch::new(vec![Job::new(JobId(0), request.clone())])?;
    AlternativesSearch::new(FirstFit::new()).find(slots, &batch, Time::ZERO)
}
