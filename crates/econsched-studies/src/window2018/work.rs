//! The steps of the searches, counted: how running times grow, independently of any machine.

use super::Q;
use super::algorithms::{
    all_alternatives, max_q, max_q_by_table, measure, request, request_with_budget_of, table,
};
use super::others::is_as_good;
use crate::chart::Lines;
use crate::claims::{Claim, Range};
use crate::record::record;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Moments, Ratio, share};
use crate::{Failure, Replicates, StudyError};
use econsched::sched_model::{Limit, ResourceRequest};
use econsched::slot_window::{FirstFit, WindowQuery, WindowSearch};
use econsched::workload_gen::environment::EnvironmentGenerator;
use econsched::workload_gen::sample::stream;

/// Nodes and horizon.
const POINTS: [(u32, f64); 6] =
    [(50, 1200.0), (100, 1200.0), (200, 1200.0), (400, 1200.0), (800, 1200.0), (100, 600.0)];
const HALF: usize = 0;
const STANDARD: usize = 1;
const SHORT: usize = 5;

/// The table method runs up to this number of nodes: beyond it takes seconds.
const TABLE_NODES: u32 = 100;

/// Steps of one environment.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    slots: f64,
    first_fit: f64,
    max_q: f64,
    /// Slots read and cells of the table; NaN where the table method did not run.
    table: f64,
    /// The same for twice the budget, and for twice the budget and twice the nodes required; computed at the
    /// standard point only.
    doubled: [f64; 2],
    /// Q of the window by the table and by the exact search; computed at the standard point only, NaN where
    /// there is no window.
    best: [f64; 2],
    alternatives: f64,
    multiple_best: f64,
}

record!(Counts { slots, first_fit, max_q, table, doubled, best, alternatives, multiple_best });

/// One of the counts.
type Count = fn(&Counts) -> f64;

fn count((nodes, horizon): (u32, f64), seed: u64, replicate: u64) -> Result<Counts, Failure> {
    let generator = EnvironmentGenerator::default().with_nodes(nodes).with_horizon(horizon);
    let environment = generator.generate(&mut stream(seed, replicate))?;
    let (slots, request) = (environment.slots()?, request(7)?);
    let limit = Limit::none();
    let steps_for = |search: &dyn WindowSearch, request: &ResourceRequest| -> Result<f64, Failure> {
        let query = WindowQuery::new(&slots, request);
        Ok(search.solve(&query, &mut limit.meter())?.work as f64)
    };
    let (mut doubled, mut best) = ([f64::NAN; 2], [f64::NAN; 2]);
    if (nodes, horizon) == POINTS[STANDARD] {
        best[0] = max_q_by_table(&environment, &slots, &request)?.unwrap_or(f64::NAN);
        let exact = max_q(&environment)?.find(&WindowQuery::new(&slots, &request))?.best;
        best[1] = exact.map_or(f64::NAN, |window| measure(&window, &environment.values)[Q]);
        let requests = [request_with_budget_of(7, 14)?, request_with_budget_of(14, 14)?];
        for (steps, request) in doubled.iter_mut().zip(requests) {
            *steps = steps_for(&table(&environment)?, &request)?;
        }
    }
    let steps = |search: &dyn WindowSearch| steps_for(search, &request);
    let found = all_alternatives(&slots, &request)?;
    Ok(Counts {
        slots: slots.len() as f64,
        first_fit: steps(&FirstFit::new())?,
        max_q: steps(&max_q(&environment)?)?,
        table: if nodes <= TABLE_NODES { steps(&table(&environment)?)? } else { f64::NAN },
        doubled,
        best,
        alternatives: found.total() as f64,
        multiple_best: found.work() as f64,
    })
}

/// How many of the first environments are counted: one for each fifty of the study, at least 2 and at most 20.
pub(super) fn environments(seeds: u64) -> u64 {
    (seeds / 50).clamp(2, 20)
}

/// Means over the environments, for each point.
#[derive(Default)]
pub(super) struct Work {
    all: Vec<[Counts; POINTS.len()]>,
}

impl Work {
    /// Counts in the first environments.
    pub(super) fn run(seed: u64, seeds: u64, replicates: &Replicates) -> Result<Self, StudyError> {
        let mut work = Self::default();
        let one = |replicate| {
            let mut counts = [Counts::default(); POINTS.len()];
            for (counts, point) in counts.iter_mut().zip(POINTS) {
                *counts = count(point, seed, replicate)?;
            }
            Ok(counts)
        };
        replicates.run("steps", environments(seeds), one, |counts| work.all.push(counts))?;
        Ok(work)
    }

    fn mean(&self, point: usize, of: Count) -> Moments {
        self.all.iter().map(|counts| of(&counts[point])).filter(|value| value.is_finite()).collect()
    }

    fn ratio(&self, x: impl Fn(&[Counts]) -> f64, y: impl Fn(&[Counts]) -> f64) -> Ratio {
        let mut ratio = Ratio::default();
        self.all.iter().for_each(|counts| ratio.push(x(counts), y(counts)));
        ratio
    }

    pub(super) fn describe(&self, report: &mut StudyReport) {
        let mut table = Table::new(
            "work",
            "Steps counted, means of an environment: slots read, cells of the table, bounds of the exact search",
            &[
                "nodes",
                "interval",
                "slots",
                "First Fit",
                "Max Q, exact",
                "Max Q, table",
                "alternatives of Multiple Best",
                "slots read for each",
                "slots read for all",
                "times those of half the nodes",
            ],
        );
        let all = |point: usize| self.mean(point, |counts| counts.multiple_best).mean();
        for (point, (nodes, horizon)) in POINTS.into_iter().enumerate() {
            let cell = |of: Count| Cell::Number(self.mean(point, of).mean(), 0);
            let mut cells = vec![Cell::Count(nodes.into()), Cell::Number(horizon, 0)];
            cells.extend([cell(|c| c.slots), cell(|c| c.first_fit), cell(|c| c.max_q), cell(|c| c.table)]);
            cells.push(Cell::Number(self.mean(point, |c| c.alternatives).mean(), 1));
            // The last search finds nothing.
            cells.push(cell(|c| c.multiple_best / (c.alternatives + 1.0)));
            cells.push(cell(|c| c.multiple_best));
            let before = POINTS.iter().position(|&other| other == (nodes / 2, horizon));
            cells.push(before.map_or(Cell::Empty, |before| Cell::Number(all(point) / all(before), 1)));
            table.push(cells);
        }
        report.table(table);
        let mut lines =
            Lines::new("Steps by number of nodes", "nodes", "slots read and cells").with_log_axes();
        let searches: [(&str, Count); 4] = [
            ("First Fit", |c| c.first_fit),
            ("Max Q, exact", |c| c.max_q),
            ("Max Q, table", |c| c.table),
            ("Multiple Best", |c| c.multiple_best),
        ];
        for (name, of) in searches {
            let points = POINTS[..SHORT].iter().enumerate();
            let points = points.map(|(point, (nodes, _))| (f64::from(*nodes), self.mean(point, of).mean()));
            lines = lines.with_series(name, points.filter(|(_, value)| value.is_finite()));
        }
        report.chart("work_by_nodes", lines);
    }

    /// The claims about running times, in steps.
    pub(super) fn claims(&self) -> Vec<Claim> {
        let times = self.ratio(|c| c[STANDARD].table, |c| c[STANDARD].first_fit).estimate();
        // Steps for a slot of the list: the same if they grow as the number of slots does.
        let per_slot = |point: usize| move |counts: &[Counts]| counts[point].table / counts[point].slots;
        let longer = self.ratio(per_slot(STANDARD), per_slot(SHORT)).excess_percent();
        let more = self.ratio(per_slot(STANDARD), per_slot(HALF)).excess_percent();
        let standard = |counts: &[Counts]| counts[STANDARD];
        let dearer = self.ratio(|c| standard(c).doubled[0], |c| 2.0 * standard(c).table).excess_percent();
        let wider = self.ratio(|c| standard(c).doubled[1], |c| 2.0 * standard(c).doubled[0]).excess_percent();
        let text = "the general case takes 600 times as long as First Fit, in steps of the published scheme";
        let note =
            "cells and slots read count alike; the slides time one program on one machine, `--timings` ours";
        let place = "Running Time and Complexity, O(m n C)";
        // A window that only the exact search finds is one that the scheme does not choose.
        let found =
            || self.all.iter().map(|counts| counts[STANDARD].best).filter(|[_, exact]| exact.is_finite());
        let optimal = found().filter(|&[table, exact]| is_as_good(exact, table)).count();
        let optimal = share(optimal as u64, found().count() as u64);
        vec![
            Claim::new(
                "Optimal Slots Subset Allocation",
                "100 nodes: the published scheme chooses the optimal window, % of environments",
                Range::always(),
                optimal,
            )
            .with_decimals(1)
            .with_note("its table holds whole costs, rounded up; the optimum is that of the exact search on real costs"),
            Claim::number("Conclusions", text, 600.0, times).with_decimals(0).with_note(note),
            Claim::new(
                place,
                "interval 600 to 1200: steps for each slot stay similar, %",
                Range::similar(),
                longer,
            )
            .with_note("n and C fixed; slots too near the end for a window are in no table, and their share falls as it grows"),
            Claim::new(place, "50 to 100 nodes: steps for each slot stay similar, %", Range::similar(), more)
                .with_note("taken for the whole search: a table at each step, over the slots of its window, which grow with the nodes"),
            Claim::new(place, "n from 7 to 14: steps for each n stay similar, %", Range::similar(), wider)
                .with_note("the running time depending on n, in steps; m fixed, C = 1288"),
            Claim::new(place, "C from 644 to 1288: steps for each unit of C stay similar, %", Range::similar(), dearer)
                .with_note("m and n fixed"),
        ]
    }
}
