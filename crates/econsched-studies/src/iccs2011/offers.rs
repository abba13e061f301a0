//! What sections 2, 3 and 6 say of slots and alternatives, apart from the choice among these.

use crate::Failure;
use crate::stats::Moments;
use econsched::sched_model::{Batch, Limit, NodeId, Placement, SlotList, Time, Window};
use econsched::slot_window::{Alp, Amp, BatchAlternatives, WindowQuery, WindowSearch};

/// Of the alternatives of one search in one cycle, runtime and cost of one, performance and price of its nodes:
/// means of each job, then over the jobs.
pub(super) const MEANS: usize = 0;
/// Standard deviation of runtime and cost in per cent of their mean: of the alternatives of a job, then over
/// the jobs that have several; NaN if none has.
pub(super) const SPREAD: usize = 4;
/// Alternatives with a slot above the price limit C, in per cent.
pub(super) const DEAR: usize = 6;
/// Whether no two alternatives take the same time of a slot: 1 or 0.
pub(super) const APART: usize = 7;

pub(super) fn offers(found: &BatchAlternatives, batch: &Batch) -> [f64; 8] {
    let (mut means, mut spread) = ([Moments::default(); 4], [Moments::default(); 2]);
    let mut dear = 0_usize;
    for ((_, windows), job) in found.jobs().zip(batch.iter()) {
        let measures: [fn(&Window) -> f64; 4] = [
            |w| w.runtime().get(),
            |w| w.cost().get(),
            |w| over_nodes(w, |p| p.speed.get()),
            |w| over_nodes(w, |p| p.price.get()),
        ];
        for (at, (measure, mean)) in measures.into_iter().zip(&mut means).enumerate() {
            let all: Moments = windows.iter().map(measure).collect();
            mean.push(all.mean());
            if let Some(spread) = spread.get_mut(at).filter(|_| all.count() > 1) {
                spread.push(100.0 * all.variance().sqrt() / all.mean());
            }
        }
        let above = |window: &&Window| {
            window.placements().iter().any(|p| job.request.price_limit().is_some_and(|limit| p.price > limit))
        };
        dear += windows.iter().filter(above).count();
    }
    let [runtime, cost, speed, price] = means.map(|moments| moments.mean());
    let [of_runtime, of_cost] = spread.map(|moments| moments.mean());
    let dear = 100.0 * dear as f64 / found.total() as f64;
    [runtime, cost, speed, price, of_runtime, of_cost, dear, f64::from(are_apart(found))]
}

/// The mean over the nodes of a window.
fn over_nodes(window: &Window, of: fn(&Placement) -> f64) -> f64 {
    window.placements().iter().map(of).collect::<Moments>().mean()
}

/// Whether no two windows take the same time of a node.
fn are_apart(found: &BatchAlternatives) -> bool {
    let mut taken: Vec<(NodeId, Time, Time)> = Vec::new();
    for window in found.jobs().flat_map(|(_, windows)| windows) {
        taken.extend(window.placements().iter().map(|p| (p.node, window.start(), p.end)));
    }
    taken.sort_unstable();
    taken.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1)
}

/// The first windows of ALP and of AMP for the first job, on the same slots: whether AMP's starts no later, 1 or
/// 0, NaN where ALP finds none; and the slots that each reads, in per cent of the list.
pub(super) fn first_windows(slots: &SlotList, batch: &Batch) -> Result<[f64; 3], Failure> {
    let Some(job) = batch.iter().next() else { return Ok([f64::NAN, 0.0, 0.0]) };
    let query = WindowQuery::new(slots, &job.request);
    let limit = Limit::none();
    // An AMP that finds none starts never.
    let (mut starts, mut read) = ([f64::INFINITY; 2], [0.0; 2]);
    let searches: [&dyn WindowSearch; 2] = [&Alp::new(), &Amp::new()];
    for (at, search) in searches.into_iter().enumerate() {
        let outcome = search.solve(&query, &mut limit.meter())?;
        read[at] = 100.0 * outcome.work as f64 / slots.len() as f64;
        if let Some(window) = outcome.best {
            starts[at] = window.start().get();
        }
    }
    let no_later = if starts[0].is_finite() { f64::from(starts[1] <= starts[0]) } else { f64::NAN };
    Ok([no_later, read[0], read[1]])
}

/// How prices and performances of a cycle's slots go together: Pearson's correlation, and the mean price for a
/// unit of work, C / P, of the slots of performance below 2 and of the others; NaN if there is none.
pub(super) fn prices(slots: &SlotList) -> [f64; 3] {
    let points = || slots.iter().map(|slot| (slot.speed().get(), slot.price().get()));
    let (speeds, prices): (Moments, Moments) =
        (points().map(|(speed, _)| speed).collect(), points().map(|(_, price)| price).collect());
    let together: Moments =
        points().map(|(speed, price)| (speed - speeds.mean()) * (price - prices.mean())).collect();
    let count = together.count() as f64;
    let covariance = together.mean() * count / (count - 1.0);
    let per_work = |fast: bool| -> f64 {
        let half = points().filter(|(speed, _)| (*speed >= 2.0) == fast);
        half.map(|(speed, price)| price / speed).collect::<Moments>().mean()
    };
    let correlation = covariance / (speeds.variance() * prices.variance()).sqrt();
    [correlation, per_work(false), per_work(true)]
}
