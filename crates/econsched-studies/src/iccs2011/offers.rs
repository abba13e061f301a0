//! What sections 2, 3 and 6 say of slots and alternatives, apart from the choice among these.

use crate::Failure;
use crate::record::record;
use crate::stats::Moments;
use econsched::sched_model::{Batch, Limit, NodeId, Placement, SlotList, Time, Window};
use econsched::slot_window::{Alp, Amp, BatchAlternatives, WindowQuery, WindowSearch};

/// The alternatives of one search in one cycle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offers {
    /// Runtime and cost of an alternative, performance and price of its nodes: means of each job, then over
    /// the jobs.
    pub(super) means: [f64; 4],
    /// Standard deviation of runtime and cost in per cent of their mean: of the alternatives of a job, then
    /// over the jobs that have several; NaN if none has.
    pub(super) spread: [f64; 2],
    /// Alternatives with a slot above the price limit C, in per cent.
    pub(super) dear: f64,
    /// Whether no two alternatives take the same time of a slot.
    pub(super) apart: bool,
}

record!(Offers { means, spread, dear, apart });

impl Offers {
    pub(super) fn of(found: &BatchAlternatives, batch: &Batch) -> Self {
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
                window
                    .placements()
                    .iter()
                    .any(|p| job.request.price_limit().is_some_and(|limit| p.price > limit))
            };
            dear += windows.iter().filter(above).count();
        }
        Self {
            means: means.map(|moments| moments.mean()),
            spread: spread.map(|moments| moments.mean()),
            dear: 100.0 * dear as f64 / found.total() as f64,
            apart: are_apart(found),
        }
    }
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

/// The first windows of ALP and of AMP for the first job, on the same slots.
pub(super) struct FirstWindows {
    /// When they start; `None` where ALP finds none. An AMP that finds none starts never.
    pub(super) starts: Option<[f64; 2]>,
    /// Slots read, in per cent of the list.
    pub(super) read: [f64; 2],
}

impl FirstWindows {
    pub(super) fn of(slots: &SlotList, batch: &Batch) -> Result<Self, Failure> {
        let mut first = Self { starts: None, read: [0.0; 2] };
        let Some(job) = batch.iter().next() else { return Ok(first) };
        let query = WindowQuery::new(slots, &job.request);
        let limit = Limit::none();
        let mut starts = [f64::INFINITY; 2];
        let searches: [&dyn WindowSearch; 2] = [&Alp::new(), &Amp::new()];
        for (search, (start, read)) in searches.into_iter().zip(starts.iter_mut().zip(&mut first.read)) {
            let outcome = search.solve(&query, &mut limit.meter())?;
            *read = 100.0 * outcome.work as f64 / slots.len() as f64;
            if let Some(window) = outcome.best {
                *start = window.start().get();
            }
        }
        first.starts = starts[0].is_finite().then_some(starts);
        Ok(first)
    }
}

/// How prices and performances of a cycle's slots go together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prices {
    /// Pearson's correlation of price and performance.
    pub(super) correlation: f64,
    /// Mean price for a unit of work, C / P, of the slots of performance below 2 and of the others; NaN if
    /// there is none.
    pub(super) per_work: [f64; 2],
}

record!(Prices { correlation, per_work });

impl Prices {
    pub(super) fn of(slots: &SlotList) -> Self {
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
        Self {
            correlation: covariance / (speeds.variance() * prices.variance()).sqrt(),
            per_work: [per_work(false), per_work(true)],
        }
    }
}
