//! The steps of the searches, counted: how running times grow, independently of any machine.

use super::Q;
use super::algorithms::{
    all_alternatives, max_q, max_q_by_table, measure, request, request_with_budget_of, table,
};
use super::others::is_as_good;
use crate::chart::Lines;
use crate::claims::{Claim, Range};
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Moments, Ratio};
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

// Of one environment at a point.
const SLOTS: usize = 0;
const FIRST_FIT: usize = 1;
const EXACT: usize = 2;
/// Slots read and cells of the table; NaN where the table method did not run.
const TABLE: usize = 3;
const ALTERNATIVES: usize = 4;
const MULTIPLE_BEST: usize = 5;
/// As [`TABLE`] for twice the budget, and for twice the budget and twice the nodes required; computed at the
/// standard point only.
const DOUBLED: usize = 6;
/// Q of the window by the table and by the exact search; computed at the standard point only, NaN where there
/// is no window.
const BEST: usize = 8;
const WIDTH: usize = 10;

const fn at(point: usize, column: usize) -> usize {
    point * WIDTH + column
}

fn count((nodes, horizon): (u32, f64), seed: u64, replicate: u64) -> Result<[f64; WIDTH], Failure> {
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
    let table = if nodes <= TABLE_NODES { steps(&table(&environment)?)? } else { f64::NAN };
    let (first_fit, exact) = (steps(&FirstFit::new())?, steps(&max_q(&environment)?)?);
    let (alternatives, multiple_best) = (found.total() as f64, found.work() as f64);
    let [[dearer, wider], [chosen, best]] = [doubled, best];
    let slots = slots.len() as f64;
    Ok([slots, first_fit, exact, table, alternatives, multiple_best, dearer, wider, chosen, best])
}

/// How many of the first environments are counted: one for each fifty of the study, at least 2 and at most 20.
pub(super) fn environments(seeds: u64) -> u64 {
    (seeds / 50).clamp(2, 20)
}

/// Over the environments, each point in turn.
pub(super) struct Work(Data);

impl Work {
    /// Counts in the first environments.
    pub(super) fn run(seed: u64, seeds: u64, replicates: &Replicates) -> Result<Self, StudyError> {
        let one = |replicate| {
            let counts = POINTS.into_iter().map(|point| count(point, seed, replicate));
            Ok(counts.collect::<Result<Vec<_>, Failure>>()?.concat())
        };
        replicates.run("steps", environments(seeds), POINTS.len() * WIDTH, one).map(Self)
    }

    fn mean(&self, point: usize, column: usize) -> f64 {
        self.0.moments(at(point, column)).mean()
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
        for (point, (nodes, horizon)) in POINTS.into_iter().enumerate() {
            let cell = |column: usize| Cell::Number(self.mean(point, column), 0);
            let mut cells = vec![Cell::Count(nodes.into()), Cell::Number(horizon, 0)];
            cells.extend([SLOTS, FIRST_FIT, EXACT, TABLE].map(cell));
            cells.push(Cell::Number(self.mean(point, ALTERNATIVES), 1));
            // The last search finds nothing.
            let each = |row: &[f64]| row[at(point, MULTIPLE_BEST)] / (row[at(point, ALTERNATIVES)] + 1.0);
            cells.push(Cell::Number(self.0.values(each).collect::<Moments>().mean(), 0));
            cells.push(cell(MULTIPLE_BEST));
            let before = POINTS.iter().position(|&other| other == (nodes / 2, horizon));
            let all = |point: usize| self.mean(point, MULTIPLE_BEST);
            cells.push(before.map_or(Cell::Empty, |before| Cell::Number(all(point) / all(before), 1)));
            table.push(cells);
        }
        report.table(table);
        let mut lines =
            Lines::new("Steps by number of nodes", "nodes", "slots read and cells").with_log_axes();
        for (name, column) in [
            ("First Fit", FIRST_FIT),
            ("Max Q, exact", EXACT),
            ("Max Q, table", TABLE),
            ("Multiple Best", MULTIPLE_BEST),
        ] {
            let points = POINTS[..SHORT].iter().enumerate();
            let points = points.map(|(point, (nodes, _))| (f64::from(*nodes), self.mean(point, column)));
            lines = lines.with_series(name, points.filter(|(_, value)| value.is_finite()));
        }
        report.chart("work_by_nodes", lines);
    }

    /// The claims about running times, in steps.
    pub(super) fn claims(&self) -> Vec<Claim> {
        let standard = |column: usize| at(STANDARD, column);
        let times = self.0.ratio(standard(TABLE), standard(FIRST_FIT)).estimate();
        // Steps for a slot of the list: the same if they grow as the number of slots does.
        let per_slot = |row: &[f64], point: usize| row[at(point, TABLE)] / row[at(point, SLOTS)];
        let against = |point: usize| -> Ratio {
            self.0.ratio_of(|row| (per_slot(row, STANDARD), per_slot(row, point)))
        };
        let (longer, more) = (against(SHORT).excess_percent(), against(HALF).excess_percent());
        let twice = |column: usize, of: usize| {
            self.0.ratio_of(|row| (row[standard(column)], 2.0 * row[standard(of)])).excess_percent()
        };
        let (dearer, wider) = (twice(DOUBLED, TABLE), twice(DOUBLED + 1, DOUBLED));
        let text = "the general case takes 600 times as long as First Fit, in steps of the published scheme";
        let note =
            "cells and slots read count alike; the slides time one program on one machine, `--timings` ours";
        let place = "Running Time and Complexity, O(m n C)";
        // A window that only the exact search finds is one that the scheme does not choose.
        let optimal = self.0.often(|row| {
            let [table, exact] = [row[standard(BEST)], row[standard(BEST + 1)]];
            exact.is_finite().then(|| is_as_good(exact, table))
        });
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
