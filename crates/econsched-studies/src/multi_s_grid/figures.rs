//! The tables and charts of the study.

use super::measures::{Curve, Measure};
use super::sweeps::{Plan, Sweep, curves_of, runs};
use super::{WIDTH, mean};
use crate::chart::Chart;
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use std::ops::Range;

/// Adds the table of a sweep.
pub(super) fn describe(data: &Data, sweep: Sweep, report: &mut StudyReport) {
    let Plan { title, parameter, .. } = *sweep.build();
    let mut columns = vec![parameter.name];
    columns.extend(parameter.shown.iter().map(|measure| measure.name()));
    let mut table = Table::new(sweep.name(), title, &columns);
    for (value, x) in sweep.values() {
        let mut cells = vec![match (parameter.name, x > 0.0) {
            ("balancing" | "machines balanced", true) => "on".into(),
            ("balancing" | "machines balanced", false) => "off".into(),
            ("epsilon", _) => Cell::Number(x, 2),
            _ => Cell::Number(x, 1),
        }];
        let shown = parameter.shown.iter();
        cells.extend(
            shown.map(|&shown| Cell::Estimate(mean(data, sweep, shown, value).estimate, shown.build().0)),
        );
        table.push(cells);
    }
    report.table(table);
}

/// Returns the charts of the figures. `loads` are the loads of the sites in figures 12 to 15 by slice, without and
/// with balancing, and `speeds` are the mean speeds of the sites' processors.
pub(super) fn curves(
    data: &Data,
    slices: usize,
    loads: &[Vec<Vec<Option<f64>>>; 2],
    speeds: &[f64],
) -> Vec<(&'static str, Chart)> {
    let mut charts = Vec::new();
    let all = curves_of();
    let by_slice = |title: &str, y: &str, sweep: Sweep, curve: Curve| {
        let label = |(_, x)| match sweep {
            Sweep::Sp => format!("sp = {x}"),
            _ => if x > 0.0 { "with balancing" } else { "without balancing" }.to_owned(),
        };
        let lines = Chart::new(title, "time slice", y).with_markers(false);
        lines.with_each(sweep.values().map(label), |value| {
            let place = all.iter().position(|of| *of == (sweep, value, curve)).unwrap_or(all.len());
            let first = runs().len() * WIDTH + place * slices;
            let points = (0..slices).map(move |at| (at as f64, data.moments(first + at).mean()));
            points.filter(|(_, mean)| mean.is_finite())
        })
    };
    charts.push(("fig7", by_slice("Processed jobs", "per cent of all", Sweep::Sp, Curve::Done)));
    charts
        .push(("fig8", by_slice("Mean cost of the jobs assigned so far", "seconds", Sweep::Sp, Curve::Cost)));
    let of = |sweep: Sweep, measure: Measure| {
        sweep.values().map(move |(value, x)| (x, mean(data, sweep, measure, value).estimate))
    };
    let completion = Chart::new("Completion time of jobs done", "sp", "seconds")
        .with_series("completion", of(Sweep::Sp, Measure::Completion));
    charts.push(("fig9", completion));
    let failed = Chart::new("Failed jobs", "fp", "per cent of all")
        .with_series("under peak", of(Sweep::FpUnder, Measure::Failed))
        .with_series("at peak", of(Sweep::FpPeak, Measure::Failed));
    charts.push(("fig10", failed));
    let quality = Chart::new("Processed jobs by quality of service", "qp", "per cent of the user's jobs")
        .with_series("best", of(Sweep::Qp, Measure::ProcessedBest))
        .with_series("worst", of(Sweep::Qp, Measure::ProcessedWorst))
        .with_series("best, weighted mode", of(Sweep::QpWeighted, Measure::ProcessedBest))
        .with_series("worst, weighted mode", of(Sweep::QpWeighted, Measure::ProcessedWorst));
    charts.push(("fig11", quality));
    // In the order of the paper.
    let figures = [("fig12", "fig13", "with balancing"), ("fig14", "fig15", "without balancing")];
    for (loads, (all, two, how)) in loads.iter().rev().zip(figures) {
        let sites = loads.first().map_or(0, Vec::len);
        let chart = |which: Range<usize>| {
            let title = format!("Load of the sites of G3 under peak, {how}");
            let lines = Chart::new(title, "time slice", "busy share").with_markers(false);
            let label = |site: usize| format!("site {} ({:.0} MI/s)", site + 1, speeds[site]);
            lines.with_each(which.clone().map(label), |at| {
                // While a site is down, its curve has a gap.
                let load = move |loads: &Vec<Option<f64>>| loads[which.start + at].unwrap_or(f64::NAN);
                (0..).map(f64::from).zip(loads.iter().map(load))
            })
        };
        charts.push((all, chart(0..sites)));
        charts.push((two, chart(sites.min(3)..sites.min(5))));
    }
    for (name, sweep, title) in [
        ("fig16", Sweep::BalanceUnder, "Variance of the loads of the sites, under peak"),
        ("fig17", Sweep::BalanceRising, "Variance of the loads of the sites, under peak, then at peak"),
        ("fig17_peak", Sweep::BalancePeak, "Variance of the loads of the sites, at peak from the beginning"),
    ] {
        charts.push((name, by_slice(title, "variance of the busy share", sweep, Curve::Variance)));
    }
    charts
}
