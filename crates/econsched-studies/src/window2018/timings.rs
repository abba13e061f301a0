//! Running times, measured.
#![allow(clippy::disallowed_types)] // it measures

use super::algorithms::{alternatives, max_q_by_table, request, searches};
use super::{FIRST_FIT, MAX_Q};
use crate::Failure;
use crate::chart::Lines;
use crate::claims::Claim;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Moments, certain, median};
use econsched::sched_model::{SlotList, Time};
use econsched::slot_window::{SearchScratch, WindowSearch};
use econsched::workload_gen::environment::{Environment, EnvironmentGenerator};
use econsched::workload_gen::sample::stream;
use std::time::Instant;

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

pub(super) fn timings(seed: u64) -> Result<StudyReport, Failure> {
    let mut report = StudyReport::titled("timings.md", "Running times, measured");
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
    let mut ratio_at_100 = None;
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
            if axis == "nodes" && nodes == 100 {
                ratio_at_100 = Some(times[MAX_Q] / times[FIRST_FIT]);
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
    if let Some(ratio) = ratio_at_100 {
        let text = "Max Q takes 600 times as long as First Fit, 100 nodes";
        let claim = Claim::number("Conclusions", text, 600.0, certain(ratio)).with_decimals(0);
        report.judge("verdicts_timings", vec![claim.with_note("one measurement on this machine")]);
    }
    Ok(report)
}
