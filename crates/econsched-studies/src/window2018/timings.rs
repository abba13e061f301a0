//! Running times, measured.
#![allow(clippy::disallowed_types)] // it measures

use super::algorithms::{all_alternatives, request, searches, table};
use super::{ALGORITHMS, FIRST_FIT, MAX_Q};
use crate::Failure;
use crate::chart::Chart;
use crate::claims::read;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Moments, median};
use econsched::slot_window::{WindowError, WindowQuery, WindowSearch};
use econsched::workload_gen::environment::{Environment, EnvironmentGenerator};
use econsched::workload_gen::sample::stream;
use std::time::Instant;

/// Number of environments for each point of a timing curve.
const TIMED: u64 = 15;
/// Number of environments for the table method, which takes some hundred milliseconds a search.
const TIMED_TABLE: usize = 3;

/// An environment with its searches.
type Timed = (Environment, [Box<dyn WindowSearch>; 5]);

/// Measures the time of a search in microseconds: the median over environments of the minimum of three runs.
fn clock(
    environments: &[Timed],
    search: impl Fn(&Timed) -> Result<(), WindowError>,
) -> Result<f64, WindowError> {
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

/// Number of nodes, horizon, and number of nodes that the job needs.
type Parameters = (u32, f64, usize);

/// A curve: its name, what it is plotted against, the name of that axis, the values on it, and the parameters at a
/// value.
type Curve = (&'static str, &'static str, &'static str, [u32; 5], fn(u32) -> Parameters);

const CURVES: [Curve; 3] = [
    ("time_by_interval", "the scheduling interval", "interval", [600, 1200, 1800, 2400, 3000], |interval| {
        (100, f64::from(interval), 7)
    }),
    ("time_by_n", "the number n of nodes required", "n", [3, 5, 7, 10, 15], |required| {
        (100, 1200.0, required as usize)
    }),
    ("time_by_nodes", "the number of nodes", "nodes", [50, 100, 200, 400, 800], |nodes| (nodes, 1200.0, 7)),
];

/// Measures all curves, and judges the claim about running times.
pub(super) fn timings(seed: u64) -> Result<StudyReport, Failure> {
    let mut report = StudyReport::titled("timings.md", "Running times, measured");
    report.paragraph(format!(
        "Microseconds on one thread of this machine, now: the median over {TIMED} environments ({TIMED_TABLE} for the \
         table method) of the least of three runs. These figures differ from run to run and from machine to machine, \
         and stand in files of their own. Multiple Best is the whole repeated search."
    ));
    let mut claims = Vec::new();
    let searched = [&ALGORITHMS[..], &["Max Q, table"]].concat();
    for (name, title, axis, values, parameters) in CURVES {
        let columns = [&[axis, "slots"], &searched[..], &["Max Q / First Fit"]].concat();
        let mut table = Table::new(name, format!("Against {title}"), &columns);
        let mut measured = Vec::new();
        for value in values {
            let (slots, times) = point(parameters(value), seed)?;
            let ratio = times[MAX_Q] / times[FIRST_FIT];
            let mut cells = vec![Cell::Number(value.into(), 0), Cell::Number(slots, 0)];
            cells.extend(times.iter().chain([&ratio]).map(|&number| Cell::Number(number, 1)));
            table.push(cells);
            measured.push((f64::from(value), times));
            if (axis, value) == ("nodes", 100) {
                claims = read(
                    &format!(
                        "= Conclusions\nMax Q takes 600 times as long as First Fit, 100 nodes | number 600 | {ratio} | 0 | \
                         one measurement on this machine"
                    ),
                    &|_| None,
                )?;
            }
        }
        report.table(table);
        let lines = Chart::new(format!("Running time against {title}"), axis, "µs");
        let lines =
            if axis == "nodes" { lines.with_log_x(true).with_log_y(true) } else { lines.with_log_y(true) };
        let of = |at: usize| measured.iter().map(move |(x, times)| (*x, times[at]));
        report.chart(name, lines.with_each(searched.iter().copied(), of));
    }
    report.judge("verdicts_timings", claims);
    Ok(report)
}

/// Returns the mean number of slots, and the microseconds of each algorithm and of the table method.
fn point((nodes, horizon, required): Parameters, seed: u64) -> Result<(f64, Vec<f64>), Failure> {
    let generator = EnvironmentGenerator::default().with_nodes(nodes).with_horizon(horizon);
    let environments = (0..TIMED).map(|replicate| -> Result<Timed, Failure> {
        let environment = generator.generate(&mut stream(seed, replicate))?;
        let searches = searches(&environment)?;
        Ok((environment, searches))
    });
    let environments = environments.collect::<Result<Vec<_>, _>>()?;
    let request = request(required)?;
    let mut times = Vec::new();
    for at in 0..5 {
        times.push(clock(&environments, |(environment, searches)| {
            searches[at].find(&WindowQuery::new(&environment.slots, &request)).map(drop)
        })?);
    }
    times.push(clock(&environments, |(environment, _)| {
        all_alternatives(&environment.slots, &request).map(drop)
    })?);
    // Beyond 200 nodes, a single search by the table takes seconds.
    let by_table = if nodes <= 200 { &environments[..TIMED_TABLE] } else { &[] };
    times.push(clock(by_table, |(environment, _)| {
        table(environment)?.find(&WindowQuery::new(&environment.slots, &request)).map(drop)
    })?);
    let slots = environments
        .iter()
        .map(|(environment, _)| environment.slots.len() as f64)
        .collect::<Moments>()
        .mean();
    Ok((slots, times))
}
