//! The steps of the searches, counted, which show how running times grow independently of any machine; also on inputs
//! that are not in the slides, because results on the slides' environments are no promise for others.

use super::algorithms::{all_alternatives, measure, request, request_with_budget_of, table, values};
use super::{COST, Q};
use crate::chart::Chart;
use crate::data::{Data, Figure, Row};
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Moments;
use crate::{Failure, Replicates, StudyError};
use econsched::sched_model::{Limit, Money, ResourceRequest, SlotList};
use econsched::slot_window::{FirstFit, MaxValue, Objective, Optimal, WindowQuery, WindowSearch};
use econsched::workload_gen::environment::{Environment, EnvironmentGenerator};
use econsched::workload_gen::sample::stream;

/// The inputs: the slides' environment of 100 nodes, and three changes of it.
pub(super) const INPUTS: [&str; 4] = [
    "as in the slides",
    "q is the price of the node",
    "q is 5 on every node",
    "the budget is the cost of the cheapest window",
];
const SLIDES: usize = 0;
const PRICED: usize = 1;
const ALIKE: usize = 2;
const TIGHT: usize = 3;

/// Changes an environment and its request as the input requires.
fn apply_input(
    input: usize,
    environment: &mut Environment,
    slots: &SlotList,
    request: ResourceRequest,
) -> Result<ResourceRequest, Failure> {
    match input {
        PRICED => environment.values = environment.nodes.iter().map(|node| node.price.get()).collect(),
        ALIKE => environment.values.fill(5.0),
        TIGHT => {
            let cheapest = Optimal::new(Objective::Cost);
            if let Some(window) = cheapest.find(&WindowQuery::new(slots, &request))?.best {
                let cost = measure(&window, &environment.values)[COST];
                return Ok(request.with_budget(Money::try_from(cost)?));
            }
        }
        _ => debug_assert_eq!(input, SLIDES),
    }
    Ok(request)
}

/// Whether a scheme that chose a window of value `chosen` (NaN for none) did as well as the best. Sums of the same
/// values in another order differ by rounding.
pub(super) fn is_as_good(best: f64, chosen: f64) -> bool {
    chosen >= best - 1e-9
}

/// Number of nodes, horizon, and index of the input in [`INPUTS`].
const POINTS: [(u32, f64, usize); 9] = [
    (50, 1200.0, SLIDES),
    (100, 1200.0, SLIDES),
    (200, 1200.0, SLIDES),
    (400, 1200.0, SLIDES),
    (800, 1200.0, SLIDES),
    (100, 600.0, SLIDES),
    (100, 1200.0, PRICED),
    (100, 1200.0, ALIKE),
    (100, 1200.0, TIGHT),
];
const HALF: usize = 0;
const STANDARD: usize = 1;
const SHORT: usize = 5;

/// Returns the index of the standard point with this input.
pub(super) fn with_input(input: usize) -> usize {
    if input == SLIDES { STANDARD } else { SHORT + input }
}

/// The table method runs up to this number of nodes; beyond, it takes seconds.
const TABLE_NODES: u32 = 100;

// The columns of one environment at a point.
const SLOTS: usize = 0;
pub(super) const FIRST_FIT: usize = 1;
pub(super) const EXACT: usize = 2;
/// Slots read and cells of the table; NaN if the table method did not run.
pub(super) const TABLE: usize = 3;
const ALTERNATIVES: usize = 4;
const MULTIPLE_BEST: usize = 5;
/// As [`TABLE`], for twice the budget, and for twice the budget and twice the number of nodes required; computed at
/// the standard point only.
const DOUBLED: usize = 6;
/// Q of the window by the table, and by the exact search; NaN if there is no window.
pub(super) const BY_TABLE: usize = 8;
pub(super) const BEST: usize = 9;
const WIDTH: usize = 10;

/// Returns the index of a column of a point in the row of an environment.
pub(super) const fn index_of(point: usize, column: usize) -> usize {
    point * WIDTH + column
}

/// Counts the steps of all searches on one environment at a point.
fn count_steps(point: usize, seed: u64, replicate: u64) -> Result<[f64; WIDTH], Failure> {
    let (nodes, horizon, input) = POINTS[point];
    let generator = EnvironmentGenerator::default().with_nodes(nodes).with_horizon(horizon);
    let mut environment = generator.generate(&mut stream(seed, replicate))?;
    let slots = environment.slots.clone();
    let request = apply_input(input, &mut environment, &slots, request(7)?)?;
    // Work of a search, and Q of its window.
    let solve = |search: &dyn WindowSearch, request: &ResourceRequest| -> Result<(f64, f64), Failure> {
        let outcome = search.solve(&WindowQuery::new(&slots, request), &mut Limit::none().meter())?;
        let q = outcome.best.map_or(f64::NAN, |window| measure(&window, &environment.values)[Q]);
        Ok((outcome.work as f64, q))
    };
    // The published scheme, unchanged: a scan for every speed, and at each of its steps the knapsack table over all
    // slots in the window.
    let table = table(&environment)?;
    let (cells, by_table) =
        if nodes <= TABLE_NODES { solve(&*table, &request)? } else { (f64::NAN, f64::NAN) };
    let mut doubled = [f64::NAN; 2];
    if point == STANDARD {
        let requests = [request_with_budget_of(7, 14)?, request_with_budget_of(14, 14)?];
        for (steps, request) in doubled.iter_mut().zip(requests) {
            *steps = solve(&*table, &request)?.0;
        }
    }
    let (first_fit, _) = solve(&FirstFit::new(), &request)?;
    let (exact, best) = solve(&MaxValue::new(values(&environment)?), &request)?;
    let found = all_alternatives(&slots, &request)?;
    let (alternatives, multiple_best) = (found.total() as f64, found.work as f64);
    let ([dearer, wider], slots) = (doubled, slots.len() as f64);
    Ok([slots, first_fit, exact, cells, alternatives, multiple_best, dearer, wider, by_table, best])
}

/// Computes all points for the first environments: one for each fifty of the study, at least 2 and at most 20.
pub(super) fn run(seed: u64, seeds: u64, replicates: &Replicates) -> Result<Data, StudyError> {
    let one = |replicate| {
        let counts = (0..POINTS.len()).map(|point| count_steps(point, seed, replicate));
        Ok(counts.collect::<Result<Vec<_>, Failure>>()?.concat())
    };
    replicates.run("steps", (seeds / 50).clamp(2, 20), POINTS.len() * WIDTH, one)
}

fn mean(data: &Data, point: usize, column: usize) -> f64 {
    data.moments(index_of(point, column)).mean()
}

/// Adds the table and the chart of steps.
pub(super) fn describe(data: &Data, report: &mut StudyReport) {
    let row = |point: usize| {
        let (nodes, horizon, _) = POINTS[point];
        let cell = |column: usize| Cell::Number(mean(data, point, column), 0);
        // The last search finds nothing.
        let each =
            |row: &[f64]| row[index_of(point, MULTIPLE_BEST)] / (row[index_of(point, ALTERNATIVES)] + 1.0);
        let half = POINTS.iter().position(|&other| other == (nodes / 2, horizon, SLIDES));
        let over = |half| Cell::Number(mean(data, point, MULTIPLE_BEST) / mean(data, half, MULTIPLE_BEST), 1);
        vec![
            ("nodes", Cell::Count(nodes.into())),
            ("interval", Cell::Number(horizon, 0)),
            ("slots", cell(SLOTS)),
            ("First Fit", cell(FIRST_FIT)),
            ("Max Q, exact", cell(EXACT)),
            ("Max Q, table", cell(TABLE)),
            ("alternatives of Multiple Best", Cell::Number(mean(data, point, ALTERNATIVES), 1)),
            ("slots read for each", Cell::Number(data.values(each).collect::<Moments>().mean(), 0)),
            ("slots read for all", cell(MULTIPLE_BEST)),
            ("times those of half the nodes", half.map_or(Cell::Empty, over)),
        ]
    };
    let title =
        "Steps counted, means of an environment: slots read, cells of the table, bounds of the exact search";
    report.table(Table::of("work", title, (0..=SHORT).map(row)));
    let mut lines = Chart::new("Steps by number of nodes", "nodes", "slots read and cells")
        .with_log_x(true)
        .with_log_y(true);
    for (name, column) in [
        ("First Fit", FIRST_FIT),
        ("Max Q, exact", EXACT),
        ("Max Q, table", TABLE),
        ("Multiple Best", MULTIPLE_BEST),
    ] {
        let points = POINTS[..SHORT].iter().enumerate();
        let points = points.map(|(point, (nodes, ..))| (f64::from(*nodes), mean(data, point, column)));
        lines = lines.with_series(name, points.filter(|(_, value)| value.is_finite()));
    }
    report.chart("work_by_nodes", lines);
}

/// Computes the figure that these words name, at the standard point unless they name others.
pub(super) fn figure(data: &Data, words: &[&str]) -> Option<Figure> {
    let place = |name: &str| {
        let column = match name {
            "first-fit" => FIRST_FIT,
            "table" => TABLE,
            "dearer" => DOUBLED,
            "wider" => DOUBLED + 1,
            _ => return None,
        };
        Some(index_of(STANDARD, column))
    };
    match *words {
        // A window that only the exact search finds counts as one that the scheme does not choose.
        ["optimal"] => Some(data.share_where(|row| {
            let [table, exact] = [BY_TABLE, BEST].map(|column| row[index_of(STANDARD, column)]);
            exact.is_finite().then(|| is_as_good(exact, table))
        })),
        // Steps per slot of the list, which stay the same if the steps grow as the number of slots does.
        ["against-half", half] => {
            let half = if half == "nodes" { HALF } else { SHORT };
            let per_slot =
                |row: &Row<'_>, point: usize| row[index_of(point, TABLE)] / row[index_of(point, SLOTS)];
            Some(data.excess_of(|row| (per_slot(row, STANDARD), per_slot(row, half))))
        }
        ["against-twice", x, of] => {
            let (x, of) = (place(x)?, place(of)?);
            Some(data.excess_of(|row| (row[x], 2.0 * row[of])))
        }
        _ => data.figure(words, place),
    }
}
