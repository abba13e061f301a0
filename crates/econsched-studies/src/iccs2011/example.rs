//! The worked example of section 4 with its figures 2 and 3; and what sections 2, 3 and 6 say of slots and
//! alternatives, apart from the choice among alternatives.
//!
//! From the text: six nodes of equal speed, seven local tasks, ten free slots, the jobs, the price of cpu6, and the
//! costs of W1 and W2, from which follow the price of cpu2 and the sum of those of cpu1 and cpu4. Reconstructed so
//! that all windows that the text describes come out: the other prices, the places of the local tasks, the horizon.
//! `docs/papers/section4.json` is the same example.

use crate::Failure;
use crate::chart::Chart;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Moments;
use econsched::sched_model::{
    Batch, Job, JobId, JobWindows, Limit, Node, NodeId, Occupied, Placement, Price, ResourceRequest,
    SlotList, Time, Window, Work,
};
use econsched::slot_window::{Alp, AlternativesSearch, Amp, BatchAlternatives, WindowQuery, WindowSearch};

const PRICES: [f64; 6] = [4.0, 4.0, 2.0, 6.0, 8.0, 12.0];
/// The local tasks: node, start and end.
const LOCAL: [(u32, f64, f64); 7] = [
    (1, 0.0, 150.0),
    (2, 0.0, 230.0),
    (3, 30.0, 450.0),
    (4, 510.0, 570.0),
    (5, 0.0, 300.0),
    (6, 20.0, 60.0),
    (6, 220.0, 280.0),
];
const HORIZON: f64 = 600.0;
/// Jobs: number of nodes, runtime, and maximum cost of a window per unit of time.
const JOBS: [(usize, f64, f64); 3] = [(2, 80.0, 10.0), (3, 30.0, 30.0), (2, 50.0, 6.0)];

/// Finds the alternatives that AMP finds in at most `rounds` rounds.
fn alternatives(rounds: usize) -> Result<BatchAlternatives, Failure> {
    let node = |(id, price)| Node::must(id, 1.0, price);
    let nodes: Vec<Node> = (1..).zip(PRICES).map(node).collect();
    let local = LOCAL.map(|(node, start, end)| Occupied::must(node, start, end));
    let slots = SlotList::from_nodes(&nodes, &local, Time::ZERO, Time::must(HORIZON))?;
    let mut jobs = Vec::new();
    for (id, (nodes, runtime, cost)) in (1..).zip(JOBS) {
        let request = ResourceRequest::new(nodes, Work::must(runtime))?;
        jobs.push(Job::new(JobId(id), request.with_price_limit(Price::must(cost / nodes as f64))));
    }
    let search = AlternativesSearch::new(Amp::new()).with_max_rounds(rounds);
    Ok(search.find(&slots, &Batch::new(jobs)?, Time::ZERO)?)
}

/// A node, and the start and end of what holds it.
type Bar = (u32, f64, f64);

fn bars(windows: &[Window]) -> Vec<Bar> {
    let of = |window: &Window| {
        let (start, placements) = (window.start().get(), window.placements().to_vec());
        placements.into_iter().map(move |placement| (placement.node.0, start, placement.end.get()))
    };
    windows.iter().flat_map(of).collect()
}

/// Adds figures 2 (a) and (b) as one chart, and figure 3: nodes upwards, with lines along the time for what holds
/// them.
pub(super) fn charts(report: &mut StudyReport) -> Result<(), Failure> {
    for (name, title, rounds) in [
        ("fig2", "Worked example: the alternatives of the first round, W1 to W3", 1),
        ("fig3", "Worked example: all alternatives", usize::MAX),
    ] {
        let found = alternatives(rounds)?;
        let mut all = vec![("local tasks p1 to p7".to_owned(), LOCAL.to_vec())];
        all.extend(found.jobs.iter().map(|of| (format!("job {}", of.job), bars(&of.windows))));
        let mut table = Table::new(name, title, &["cpu", "from", "to", "held by"]).with_saved_only();
        let mut lines = Chart::new(title, "time", "cpu");
        for (who, bars) in all {
            for &(node, start, end) in &bars {
                let cells = [Cell::Number(start, 0), Cell::Number(end, 0), who.as_str().into()];
                table.row([u64::from(node)], cells);
            }
            let points = bars.into_iter().flat_map(|(node, start, end)| {
                [(start, f64::from(node)), (end, f64::from(node)), (end, f64::NAN)]
            });
            lines = lines.with_series(who, points);
        }
        report.table(table);
        report.chart(name, lines);
    }
    Ok(())
}

/// Returns figures of the alternatives of one search in one cycle: the means of runtime, cost, node speed and node
/// price over the alternatives of each job, then over the jobs; the standard deviations of runtime and cost in per
/// cent of their means, over the alternatives of each job, then over the jobs that have several (NaN if none has);
/// the share of alternatives with a slot above the price limit C, in per cent; and 1 if no two alternatives take the
/// same time of a slot, else 0.
pub(super) fn offers(found: &BatchAlternatives, batch: &Batch) -> [f64; 8] {
    let (mut means, mut spread) = ([Moments::default(); 4], [Moments::default(); 2]);
    let mut dear = 0_usize;
    for (JobWindows { windows, .. }, job) in found.jobs.iter().zip(batch.iter()) {
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
            window.placements().iter().any(|p| job.request.price_limit.is_some_and(|limit| p.price > limit))
        };
        dear += windows.iter().filter(above).count();
    }
    let [runtime, cost, speed, price] = means.map(|moments| moments.mean());
    let [of_runtime, of_cost] = spread.map(|moments| moments.mean());
    let dear = 100.0 * dear as f64 / found.total() as f64;
    [runtime, cost, speed, price, of_runtime, of_cost, dear, f64::from(are_apart(found))]
}

/// Returns the mean of a value over the nodes of a window.
fn over_nodes(window: &Window, of: fn(&Placement) -> f64) -> f64 {
    window.placements().iter().map(of).collect::<Moments>().mean()
}

/// Whether no two windows take the same time of a node.
fn are_apart(found: &BatchAlternatives) -> bool {
    let mut taken: Vec<(NodeId, Time, Time)> = Vec::new();
    for window in found.jobs.iter().flat_map(|of| &of.windows) {
        taken.extend(window.placements().iter().map(|p| (p.node, window.start(), p.end)));
    }
    taken.sort_unstable();
    taken.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1)
}

/// Compares the first windows of ALP and of AMP for the first job, on the same slots. Returns 1 if that of AMP starts
/// no later, else 0, NaN if ALP finds none; and the numbers of slots that each reads, in per cent of the list.
pub(super) fn first_windows(slots: &SlotList, batch: &Batch) -> Result<[f64; 3], Failure> {
    let Some(job) = batch.iter().next() else { return Ok([f64::NAN, 0.0, 0.0]) };
    let query = WindowQuery::new(slots, &job.request);
    let limit = Limit::none();
    // A search that finds no window never starts.
    let (mut starts, mut read) = ([f64::INFINITY; 2], [0.0; 2]);
    let searches: [&dyn WindowSearch; 2] = [&Alp, &Amp::new()];
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

/// Returns how prices and performances of a cycle's slots are related: Pearson's correlation, and the mean price of a
/// unit of work, C / P, of the slots of performance below 2 and of the others; NaN if there are none.
pub(super) fn prices(slots: &SlotList) -> [f64; 3] {
    let points = || slots.iter().map(|slot| (slot.speed.get(), slot.price.get()));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What the text states: W1 and its cost, the nodes and the cost of W2, the time of W3, eight alternatives on
    /// cpu6.
    #[test]
    fn the_windows_of_the_text_come_out() {
        let first = alternatives(1).unwrap();
        let brief = |at: usize| {
            let window = &first.jobs[at].windows[0];
            let nodes: Vec<u32> = window.placements().iter().map(|placement| placement.node.0).collect();
            let price: f64 = window.placements().iter().map(|placement| placement.price.get()).sum();
            (nodes, price, window.start().get(), window.finish().get())
        };
        assert_eq!(brief(0), (vec![1, 4], 10.0, 150.0, 230.0));
        let (nodes, price, ..) = brief(1);
        assert_eq!((nodes, price), (vec![1, 2, 4], 14.0));
        let (_, price, start, end) = brief(2);
        assert!(price <= 6.0 && (start, end) == (450.0, 500.0));
        let all = alternatives(usize::MAX).unwrap();
        let on_cpu6 = |window: &&Window| window.placements().iter().any(|placement| placement.node.0 == 6);
        assert_eq!(all.jobs.iter().flat_map(|of| &of.windows).filter(on_cpu6).count(), 8);
    }

    /// The scenario file of the paper's page is the same example.
    #[test]
    fn the_scenario_file_is_this_example() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers/section4.json");
        let file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let numbers = |list: &str, names: &[&str]| -> Vec<Vec<f64>> {
            let entries = file[list].as_array().unwrap().iter();
            entries.map(|entry| names.iter().map(|name| entry[name].as_f64().unwrap()).collect()).collect()
        };
        assert_eq!(file["horizon"], HORIZON);
        assert_eq!(numbers("nodes", &["price"]).concat(), PRICES);
        let local = LOCAL.map(|(node, start, end)| vec![f64::from(node), start, end]);
        assert_eq!(numbers("occupied", &["node", "start", "end"]), local);
        for (job, (nodes, runtime, cost)) in file["jobs"].as_array().unwrap().iter().zip(JOBS) {
            let request = ["nodes", "work", "price_limit"].map(|name| job["request"][name].as_f64().unwrap());
            assert_eq!(request, [nodes as f64, runtime, cost / nodes as f64]);
        }
    }
}
