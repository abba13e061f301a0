//! Measured running times.
#![allow(clippy::disallowed_types)] // it measures

use super::algorithms::{alternatives, max_q_by_table, request, searches};
use super::{FIRST_FIT, MAX_Q};
use crate::Failure;
use crate::chart::Lines;
use crate::claims::Claims;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Moments, certain, median};
use econsched::sched_model::SlotList;
use econsched::slot_window::{WindowQuery, WindowSearch};
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

const SEARCHES: [&str; 7] =
    ["First Fit", "Min Finish", "Min Runtime", "Min Cost", "Max Q", "Multiple Best", "Max Q, table"];

/// Points that differ in one parameter, with its value at each.
struct Curve {
    name: &'static str,
    title: &'static str,
    axis: &'static str,
    points: [(f64, Parameters); 5],
}

fn curves() -> [Curve; 3] {
    let standard = Parameters { nodes: 100, horizon: 1200.0, required: 7 };
    let curve = |name, title, axis, values: [u32; 5], of: &dyn Fn(u32) -> Parameters| Curve {
        name,
        title,
        axis,
        points: values.map(|value| (f64::from(value), of(value))),
    };
    let interval = |value| Parameters { horizon: f64::from(value), ..standard };
    let required = |value| Parameters { required: value as usize, ..standard };
    let nodes = |nodes| Parameters { nodes, ..standard };
    let intervals = [600, 1200, 1800, 2400, 3000];
    [
        curve("time_by_interval", "the scheduling interval", "interval", intervals, &interval),
        curve("time_by_n", "the number n of nodes required", "n", [3, 5, 7, 10, 15], &required),
        curve("time_by_nodes", "the number of nodes", "nodes", [50, 100, 200, 400, 800], &nodes),
    ]
}

pub(super) fn timings(seed: u64) -> Result<StudyReport, Failure> {
    let mut report = StudyReport::titled("timings.md", "Running times, measured");
    report.paragraph(format!(
        "Microseconds on one thread of this machine, now: the median over {TIMED} environments ({TIMED_TABLE} for the \
         table method) of the least of three runs. These figures differ from run to run and from machine to machine, \
         and stand in files of their own. Multiple Best is the whole repeated search."
    ));
    let mut ratio_at_100 = None;
    for curve in curves() {
        let measured = curve.points.iter().map(|(x, point)| Ok((*x, Point::measured(point, seed)?)));
        let measured = measured.collect::<Result<Vec<_>, Failure>>()?;
        if curve.axis == "nodes" {
            let at_100 = measured.iter().find(|(nodes, _)| *nodes == 100.0);
            ratio_at_100 = at_100.map(|(_, measured)| measured.ratio());
        }
        describe(&curve, &measured, &mut report);
    }
    if let Some(ratio) = ratio_at_100 {
        let text = "Max Q takes 600 times as long as First Fit, 100 nodes";
        let mut claims = Claims::default();
        let claim = claims.at("Conclusions").number(text, 600.0, certain(ratio));
        claim.decimals(0).note("one measurement on this machine");
        report.judge("verdicts_timings", claims.into_vec());
    }
    Ok(report)
}

/// The measurements at a point of a curve.
struct Point {
    /// Mean number of slots.
    slots: f64,
    /// Microseconds of each of [`SEARCHES`].
    times: Vec<f64>,
}

impl Point {
    fn measured(&Parameters { nodes, horizon, required }: &Parameters, seed: u64) -> Result<Self, Failure> {
        let generator = EnvironmentGenerator::default().with_nodes(nodes).with_horizon(horizon);
        let environments = (0..TIMED)
            .map(|replicate| {
                let environment = generator.generate(&mut stream(seed, replicate))?;
                let (slots, searches) = (environment.slots()?, searches(&environment)?);
                Ok((environment, slots, searches))
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        let request = request(required)?;
        let mut times = Vec::new();
        for at in 0..5 {
            times.push(clock(&environments, |(_, slots, searches)| {
                let _ = searches[at].find(&WindowQuery::new(slots, &request))?;
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
        let slots = environments.iter().map(|(_, slots, _)| slots.len() as f64).collect::<Moments>().mean();
        Ok(Self { slots, times })
    }

    /// Max Q over First Fit.
    fn ratio(&self) -> f64 {
        self.times[MAX_Q] / self.times[FIRST_FIT]
    }
}

/// The table and the chart of a curve.
fn describe(curve: &Curve, measured: &[(f64, Point)], report: &mut StudyReport) {
    let &Curve { name, title, axis, .. } = curve;
    let columns = [&[axis, "slots"], &SEARCHES[..], &["Max Q / First Fit"]].concat();
    let mut table = Table::new(name, format!("Against {title}"), &columns);
    for (x, point) in measured {
        let mut cells = vec![Cell::Number(*x, 0), Cell::Number(point.slots, 0)];
        cells.extend(point.times.iter().map(|time| Cell::Number(*time, 1)));
        cells.push(Cell::Number(point.ratio(), 1));
        table.push(cells);
    }
    report.table(table);
    let lines = Lines::new(format!("Running time against {title}"), axis, "µs");
    let lines = if axis == "nodes" { lines.with_log_axes() } else { lines.with_log_y() };
    let of = |at: usize| measured.iter().map(move |(x, point)| (*x, point.times[at]));
    report.chart(name, lines.with_each(SEARCHES, of));
}
