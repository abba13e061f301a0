//! V. Toporkov, D. Yemelyanov, "Optimal Slot Subset Allocation" (slides, Russian Supercomputing Days 2018): windows by
//! criterion on 100 and on 40 nodes with local load.

use crate::Study;
use crate::StudyError;
use crate::chart::{Bars, Lines};
use crate::report::{Cell, Report, Table};
use crate::stats::{Estimate, Moments, Ratio, median};
use crate::{Failure, Replicates};
use econsched::sched_model::{Batch, Job, JobId, Limit, ResourceRequest, Slot, SlotList, Time, Window};
use econsched::slot_window::subset::{SubsetProblem, SubsetScratch, SubsetSolver, SubsetTable};
use econsched::slot_window::{
    AlternativesSearch, FirstFit, MaxValue, NodeValues, Objective, Optimal, SearchScratch, WindowError,
    WindowSearch,
};
use econsched::workload_gen::environment::{self, Environment, EnvironmentGenerator};
use econsched::workload_gen::sample::stream;
use std::time::Instant;

/// In the slides' order; Multiple Best is the best of all alternatives for each measure apart.
const ALGORITHMS: [&str; 6] =
    ["First Fit", "Min Finish", "Min Runtime", "Min Cost", "Max Q", "Multiple Best"];
const FIRST_FIT: usize = 0;
const MAX_Q: usize = 4;
const MULTIPLE_BEST: usize = 5;

#[cfg(test)]
const MEASURES: [&str; 5] = ["start", "runtime", "finish", "cost", "Q"];
const Q: usize = 4;

/// What the simulator published with the slides gives on 100 nodes, and Q on 40.
const SIMULATOR: [[f64; 5]; 6] = [
    [21.6, 114.0, 136.0, 597.0, 34.8],
    [27.0, 98.0, 126.0, 600.0, 35.1],
    [220.0, 84.0, 304.0, 617.0, 35.3],
    [564.0, 124.0, 687.0, 508.0, 34.9],
    [533.0, 119.0, 653.0, 629.0, 58.2],
    [21.6, 86.0, 128.0, 560.0, 48.0],
];
const SIMULATOR_Q_40: [f64; 6] = [35.5, f64::NAN, f64::NAN, f64::NAN, 43.6, 39.5];

const WORK: f64 = 800.0;
const PRICE_PER_WORK: f64 = 0.115;

/// Windows by criterion against first fit, on 100 and on 40 nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Window2018 {
    /// Seed of all that is drawn; 1 by default.
    pub seed: u64,
    /// Environments for each number of nodes; 1,000 by default.
    pub seeds: u64,
    /// Whether running times are measured too; not by default.
    pub timings: bool,
}

impl Default for Window2018 {
    fn default() -> Self {
        Self { seed: 1, seeds: 1_000, timings: false }
    }
}

setters!(Window2018 {
    /// The same with this seed.
    with_seed: seed: u64,
    /// The same with so many environments.
    with_seeds: seeds: u64,
    /// The same, measuring running times too or not.
    with_timings: timings: bool,
});

/// start, runtime, finish, cost, Q.
type Measured = [f64; 5];

fn measure(window: &Window, values: &[f64]) -> Measured {
    let q = window.placements().iter().map(|placement| values[placement.node.0 as usize]).sum();
    let finish = window.finish().get();
    [window.start().get(), window.runtime().get(), finish, window.cost().get(), q]
}

/// One environment: what each algorithm gives, and the number of alternatives that Multiple Best chose from.
struct Found {
    measured: [Measured; 6],
    alternatives: f64,
    slots: f64,
}

fn request(nodes: usize) -> Result<ResourceRequest, Failure> {
    Ok(environment::request(nodes, WORK, PRICE_PER_WORK)?)
}

fn searches(environment: &Environment) -> Result<[Box<dyn WindowSearch>; 5], WindowError> {
    Ok([
        Box::new(FirstFit::new()),
        Box::new(Optimal::new(Objective::Finish)),
        Box::new(Optimal::new(Objective::Runtime)),
        Box::new(Optimal::new(Objective::Cost)),
        Box::new(max_q(environment)?),
    ])
}

fn max_q(environment: &Environment) -> Result<MaxValue, WindowError> {
    let values = environment.nodes.iter().map(|node| node.id).zip(environment.values.iter().copied());
    Ok(MaxValue::new(NodeValues::new(values)?))
}

/// The published scheme as it stands: for every speed a scan, and at each of its steps the knapsack table over all slots
/// in the window. The greatest Q; for comparison of times, and the tests' second opinion.
fn max_q_by_table(
    environment: &Environment,
    slots: &SlotList,
    request: &ResourceRequest,
) -> Result<Option<f64>, WindowError> {
    let budget = request.budget().map_or(f64::INFINITY, |budget| budget.get());
    let mut speeds: Vec<_> = environment.nodes.iter().map(|node| node.speed).collect();
    speeds.sort_unstable();
    speeds.dedup();
    let (table, mut scratch) = (SubsetTable::new(), SubsetScratch::new());
    let mut best: Option<f64> = None;
    for speed in speeds {
        let span = request.work() / speed;
        let fast: Vec<_> =
            slots.iter().filter(|slot| slot.speed() >= speed && slot.length() >= span).collect();
        let mut live: Vec<&Slot> = Vec::new();
        for group in fast.chunk_by(|a, b| a.start() == b.start()) {
            live.retain(|slot| group[0].start() + span <= slot.end());
            live.extend(group);
            let values: Vec<f64> =
                live.iter().map(|slot| environment.values[slot.node().0 as usize]).collect();
            let costs: Vec<f64> = live.iter().map(|slot| (slot.price() * span).get()).collect();
            let problem = SubsetProblem::new(&values, &costs, request.nodes(), budget)?;
            if let Some(value) = table.solve(&problem, &Limit::without_limit(), &mut scratch).value {
                best = Some(best.map_or(value, |q| q.max(value)));
            }
        }
    }
    Ok(best)
}

/// `None` where the budget or the free time allow no window at all.
fn one(nodes: u32, seed: u64, replicate: u64) -> Result<Option<Found>, Failure> {
    let environment =
        EnvironmentGenerator::default().with_nodes(nodes).generate(&mut stream(seed, replicate))?;
    let slots = environment.slots()?;
    let request = request(7)?;
    let mut scratch = SearchScratch::new();
    let mut measured = [[0.0; 5]; 6];
    for (search, measured) in searches(&environment)?.iter().zip(&mut measured) {
        let Some(window) = search.find(&slots, &request, Time::ZERO, &mut scratch)? else { return Ok(None) };
        *measured = measure(&window, &environment.values);
    }
    let windows = alternatives(&slots, &request)?;
    let mut best = [f64::INFINITY, f64::INFINITY, f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    for window in &windows {
        for (at, (best, value)) in best.iter_mut().zip(measure(window, &environment.values)).enumerate() {
            *best = if at == Q { best.max(value) } else { best.min(value) };
        }
    }
    measured[MULTIPLE_BEST] = best;
    Ok(Some(Found { measured, alternatives: windows.len() as f64, slots: slots.len() as f64 }))
}

/// All windows that first fit finds, each cut out before the next is sought.
fn alternatives(slots: &SlotList, request: &ResourceRequest) -> Result<Vec<Window>, WindowError> {
    let batch = Batch::new(vec![Job::new(JobId(0), *request)])?;
    Ok(AlternativesSearch::new(FirstFit::new()).find(slots, &batch, Time::ZERO)?.into_windows().remove(0))
}

#[derive(Default)]
struct Tally {
    none: u64,
    measured: [[Moments; 5]; 6],
    alternatives: Moments,
    slots: Moments,
    /// Q of another algorithm over Max Q.
    shares: [Ratio; 6],
    /// Max Q over another algorithm.
    excess: [Ratio; 6],
}

impl Tally {
    fn push(&mut self, found: Option<Found>) {
        let Some(found) = found else {
            self.none += 1;
            return;
        };
        self.alternatives.push(found.alternatives);
        self.slots.push(found.slots);
        let most = found.measured[MAX_Q][Q];
        for (at, values) in found.measured.iter().enumerate() {
            for (moments, value) in self.measured[at].iter_mut().zip(values) {
                moments.push(*value);
            }
            self.shares[at].push(values[Q], most);
            self.excess[at].push(most, values[Q]);
        }
    }

    /// The slides' reckoning: (Max Q - other) / Max Q, in per cent.
    fn advantage(&self, other: usize) -> Estimate {
        let share = self.shares[other].estimate();
        Estimate { mean: 1.0 - share.mean, ..share }.times(100.0)
    }
}

impl Study for Window2018 {
    fn name(&self) -> &'static str {
        "window2018"
    }

    fn run(&self, replicates: &Replicates) -> Result<Report, StudyError> {
        if self.seeds < 2 {
            return Err(StudyError::config("--seeds must be at least 2"));
        }
        let mut report = Report::titled("report.md", "Windows by criterion (Toporkov, Yemelyanov 2018)");
        report.paragraph(format!(
            "7 nodes, volume {WORK}, budget 644, horizon 1200, square windows: all nodes are held and paid for the span \
             of the slowest. {} environments for each number of nodes, seed {}; ± is the 95% confidence interval. \
             Multiple Best is, for each measure apart, the best of all windows that first fit finds when each is cut \
             out before the next is sought. The simulator is the one published with the slides.",
            self.seeds, self.seed,
        ));
        for (nodes, name, charts) in
            [(100, "nodes100", ["time100", "cost100", "q100"]), (40, "nodes40", ["time40", "cost40", "q40"])]
        {
            let mut tally = Tally::default();
            let run = |replicate| one(nodes, self.seed, replicate);
            replicates.run(&format!("{nodes} nodes"), self.seeds, run, |found| tally.push(found))?;
            describe(&tally, nodes, name, charts, &mut report);
        }
        Ok(report)
    }

    fn timings(&self) -> Result<Option<Report>, StudyError> {
        if !self.timings {
            return Ok(None);
        }
        timings(self.seed).map(Some).map_err(StudyError::Timing)
    }
}

fn describe(tally: &Tally, nodes: u32, name: &'static str, charts: [&'static str; 3], report: &mut Report) {
    let mut table = Table::new(
        name,
        format!("7 nodes out of {nodes}"),
        &["algorithm", "start", "runtime", "finish", "cost", "Q", "Q simulator", "ratio"],
    );
    let simulator = if nodes == 100 { SIMULATOR.map(|row| row[Q]) } else { SIMULATOR_Q_40 };
    for (at, algorithm) in ALGORITHMS.into_iter().enumerate() {
        let mut cells: Vec<Cell> = vec![algorithm.into()];
        for (moments, decimals) in tally.measured[at].iter().zip([1, 1, 1, 1, 2]) {
            cells.push(Cell::Estimate(moments.estimate(), decimals));
        }
        cells.push(Cell::Number(simulator[at], 1));
        cells.push(Cell::Number(tally.measured[at][Q].mean() / simulator[at], 3));
        table.push(cells);
    }
    report.table(table);
    if nodes == 100 {
        let mut table = Table::new(
            "simulator100",
            "Ours over the published simulator's, 100 nodes",
            &["algorithm", "start", "runtime", "finish", "cost", "Q"],
        );
        for (at, algorithm) in ALGORITHMS.into_iter().enumerate() {
            let mut cells: Vec<Cell> = vec![algorithm.into()];
            let ratios = tally.measured[at].iter().zip(SIMULATOR[at]);
            cells.extend(ratios.map(|(ours, theirs)| Cell::Number(ours.mean() / theirs, 3)));
            table.push(cells);
        }
        report.table(table);
    }
    let (gains, slides) = if nodes == 100 { ("gains100", [44.0, 18.0]) } else { ("gains40", [f64::NAN; 2]) };
    let mut table = Table::new(
        gains,
        format!("Advantage of Max Q, {nodes} nodes, in per cent"),
        &["over", "of Max Q: 1 - Q / Max Q", "slides", "of the other: Max Q / Q - 1"],
    );
    for (other, slides) in [FIRST_FIT, MULTIPLE_BEST].into_iter().zip(slides) {
        table.push(vec![
            ALGORITHMS[other].into(),
            Cell::Estimate(tally.advantage(other), 1),
            Cell::Number(slides, 0),
            Cell::Estimate(tally.excess[other].excess_percent(), 1),
        ]);
    }
    report.table(table);
    report.paragraph(format!(
        "Slots {:.0}; alternatives found by Multiple Best {:.1} ± {:.1}; environments without any window: {}.",
        tally.slots.mean(),
        tally.alternatives.mean(),
        tally.alternatives.estimate().half,
        tally.none,
    ));

    let column = |measure: usize| tally.measured.iter().map(move |row| row[measure].estimate());
    let theirs = |measure: usize| SIMULATOR.map(|row| row[measure]);
    let title = |what: &str| format!("{what}, 7 nodes out of {nodes}");
    let time = Bars::new(title("Start and runtime"), "time", ALGORITHMS)
        .stacked()
        .series("start", column(0).map(|estimate| estimate.mean))
        .series("runtime", column(1).map(|estimate| estimate.mean));
    report.chart(charts[0], time);
    let mut cost = Bars::new(title("Cost"), "cost", ALGORITHMS).series("ours", column(3));
    if nodes == 100 {
        cost = cost.series("published simulator", theirs(3));
    }
    report.chart(charts[1], cost);
    let q = Bars::new(title("Q, the sum of q over the nodes"), "Q", ALGORITHMS)
        .series("ours", column(Q))
        .series("published simulator", simulator);
    report.chart(charts[2], q);
}

/// A point of a timing curve.
#[derive(Debug, Clone, Copy)]
struct Parameters {
    nodes: u32,
    horizon: f64,
    /// Nodes that the job needs.
    required: usize,
}

/// Environments for each point of a timing curve.
const TIMED: u64 = 15;
/// The table method takes some hundred milliseconds a search.
const TIMED_TABLE: u64 = 3;

/// An environment with its slots and searches.
type Timed = (Environment, SlotList, [Box<dyn WindowSearch>; 5]);

/// A search's time in microseconds: the median over environments of the least of three runs.
fn clock(
    environments: &[Timed],
    mut search: impl FnMut(&Timed) -> Result<(), Failure>,
) -> Result<f64, Failure> {
    let mut times = Vec::new();
    for timed in environments {
        let mut least = f64::INFINITY;
        for _ in 0..3 {
            let begin = Instant::now();
            search(timed)?;
            least = least.min(begin.elapsed().as_secs_f64() * 1e6);
        }
        times.push(least);
    }
    Ok(median(&mut times))
}

fn timings(seed: u64) -> Result<Report, Failure> {
    let mut report = Report::titled("timings.md", "Running times, measured");
    report.paragraph(format!(
        "Microseconds on one thread of this machine, now: the median over {TIMED} environments ({TIMED_TABLE} for the \
         table method) of the least of three runs. These figures differ from run to run and from machine to machine, \
         and stand in files of their own. Multiple Best is the whole repeated search."
    ));
    let standard = Parameters { nodes: 100, horizon: 1200.0, required: 7 };
    let intervals = [600.0, 1200.0, 1800.0, 2400.0, 3000.0].map(|horizon| Parameters { horizon, ..standard });
    let required = [3, 5, 7, 10, 15].map(|required| Parameters { required, ..standard });
    let nodes = [50, 100, 200, 400, 800].map(|nodes| Parameters { nodes, ..standard });
    let curves = [
        ("time_by_interval", "the scheduling interval", "interval", intervals),
        ("time_by_n", "the number n of nodes required", "n", required),
        ("time_by_nodes", "the number of nodes", "nodes", nodes),
    ];
    for (name, title, axis, points) in curves {
        let names =
            ["First Fit", "Min Finish", "Min Runtime", "Min Cost", "Max Q", "Multiple Best", "Max Q, table"];
        let mut columns = vec![axis, "slots"];
        columns.extend(names);
        columns.push("Max Q / First Fit");
        let mut table = Table::new(name, format!("Against {title}"), &columns);
        let mut series: Vec<Vec<(f64, f64)>> = vec![Vec::new(); names.len()];
        for Parameters { nodes, horizon, required } in points {
            let x = match axis {
                "interval" => horizon,
                "n" => required as f64,
                _ => f64::from(nodes),
            };
            let generator = EnvironmentGenerator::default().with_nodes(nodes).with_horizon(horizon);
            let environments = (0..TIMED)
                .map(|replicate| {
                    let environment = generator.generate(&mut stream(seed, replicate))?;
                    let (slots, searches) = (environment.slots()?, searches(&environment)?);
                    Ok((environment, slots, searches))
                })
                .collect::<Result<Vec<_>, Failure>>()?;
            let request = request(required)?;
            let mut scratch = SearchScratch::new();
            let mut times = Vec::new();
            for at in 0..5 {
                times.push(clock(&environments, |(_, slots, searches)| {
                    searches[at].find(slots, &request, Time::ZERO, &mut scratch)?;
                    Ok(())
                })?);
            }
            times.push(clock(&environments, |(_, slots, _)| {
                alternatives(slots, &request)?;
                Ok(())
            })?);
            // Beyond 200 nodes a single search by the table takes seconds.
            times.push(if nodes <= 200 {
                clock(&environments[..TIMED_TABLE as usize], |(environment, slots, _)| {
                    max_q_by_table(environment, slots, &request)?;
                    Ok(())
                })?
            } else {
                f64::NAN
            });
            let slots =
                environments.iter().map(|(_, slots, _)| slots.len() as f64).collect::<Moments>().mean();
            let mut cells = vec![Cell::Number(x, 0), Cell::Number(slots, 0)];
            cells.extend(times.iter().map(|time| Cell::Number(*time, 1)));
            cells.push(Cell::Number(times[MAX_Q] / times[FIRST_FIT], 1));
            table.push(cells);
            for (points, time) in series.iter_mut().zip(times) {
                points.push((x, time));
            }
        }
        report.table(table);
        let lines = Lines::new(format!("Running time against {title}"), axis, "µs");
        let mut lines = if axis == "nodes" { lines.log_log() } else { lines.log_y() };
        for (name, points) in names.into_iter().zip(series) {
            lines = lines.series(name, points);
        }
        report.chart(name, lines);
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_threads_gives_the_same_files() {
        crate::assert_same_for_any_threads(&Window2018::default().with_seeds(12));
    }

    #[test]
    fn the_published_table_finds_nothing_better() {
        let mut close = 0;
        for replicate in 0..5 {
            let generator = EnvironmentGenerator::default().with_nodes(30).with_horizon(400.0);
            let environment = generator.generate(&mut stream(3, replicate)).unwrap();
            let (slots, request) = (environment.slots().unwrap(), request(4).unwrap());
            let search = max_q(&environment).unwrap();
            let ours = search.find(&slots, &request, Time::ZERO, &mut SearchScratch::new()).unwrap();
            let ours = ours.map(|window| measure(&window, &environment.values)[Q]);
            let table = max_q_by_table(&environment, &slots, &request).unwrap();
            assert!(ours.is_some() == table.is_some(), "{ours:?} against {table:?}");
            let (Some(ours), Some(table)) = (ours, table) else { continue };
            assert!(table <= ours + 1e-9, "{ours} against {table}");
            close += usize::from(table > 0.95 * ours);
        }
        // The table rounds costs up and loses little by it.
        assert!(close >= 3, "{close}");
    }

    #[test]
    fn each_criterion_is_best_at_its_own_measure() {
        for replicate in 0..20 {
            let Some(found) = one(100, 5, replicate).unwrap() else { continue };
            for (algorithm, measure) in [(0, 0), (1, 2), (2, 1), (3, 3)] {
                let best = found.measured[algorithm][measure];
                assert!(
                    found.measured.iter().all(|row| best <= row[measure] + 1e-9),
                    "{} is not best at {}",
                    ALGORITHMS[algorithm],
                    MEASURES[measure]
                );
            }
            assert!(found.measured.iter().all(|row| row[Q] <= found.measured[MAX_Q][Q] + 1e-9));
        }
    }
}
