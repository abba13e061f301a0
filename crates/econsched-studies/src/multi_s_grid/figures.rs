//! Tables and charts of the study.

use super::measures::{Curve, Measure};
use super::sweeps::*;
use super::{WIDTH, estimate};
use crate::chart::Lines;
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};

pub(super) fn describe(data: &Data, at: usize, report: &mut StudyReport) {
    let Sweep { name, title, parameter, .. } = SWEEPS[at];
    let mut columns = vec![parameter.name];
    columns.extend(parameter.shown.iter().map(|measure| measure.name()));
    let mut table = Table::new(name, title, &columns);
    for (value, &x) in parameter.values.iter().enumerate() {
        let mut cells = vec![match (parameter.name, x > 0.0) {
            ("balancing" | "machines balanced", true) => "on".into(),
            ("balancing" | "machines balanced", false) => "off".into(),
            ("epsilon", _) => Cell::Number(x, 2),
            _ => Cell::Number(x, 1),
        }];
        let shown = parameter.shown.iter();
        cells.extend(shown.map(|&shown| Cell::Estimate(estimate(data, at, value, shown), shown.decimals())));
        table.push(cells);
    }
    report.table(table);
}

/// The charts of the figures. `loads` are those of the sites of figures 12 to 15, by slice, without balancing and
/// with it, and `speeds` those of their processors, on average.
pub(super) fn curves(
    data: &Data,
    slices: usize,
    loads: &[Vec<Vec<Option<f64>>>; 2],
    speeds: &[f64],
) -> Vec<(&'static str, Lines)> {
    let mut charts = Vec::new();
    let all = curves_of();
    let by_slice = |title: &str, y: &str, sweeps: &[(usize, usize, String)], curve: Curve| {
        let mut lines = Lines::new(title, "time slice", y).with_markers(false);
        for (sweep, value, label) in sweeps {
            let place = all.iter().position(|of| *of == (*sweep, *value, curve)).unwrap_or(all.len());
            let first = runs().len() * WIDTH + place * slices;
            let points = (0..slices).map(|at| (at as f64, data.moments(first + at).mean()));
            lines = lines.with_series(label, points.filter(|(_, mean)| mean.is_finite()));
        }
        lines
    };
    let values = |sweep: usize| {
        let name = SWEEPS[sweep].parameter.name;
        SWEEPS[sweep]
            .parameter
            .values
            .iter()
            .enumerate()
            .map(move |(at, x)| (sweep, at, format!("{name} = {x}")))
    };
    let sp: Vec<_> = values(SP).collect();
    charts.push(("fig7", by_slice("Processed jobs", "per cent of all", &sp, Curve::Done)));
    charts.push(("fig8", by_slice("Mean cost of the jobs assigned so far", "seconds", &sp, Curve::Cost)));
    let of = |sweep: usize, measure: Measure| {
        let points = SWEEPS[sweep].parameter.values.iter().enumerate();
        points.map(move |(value, &x)| (x, estimate(data, sweep, value, measure)))
    };
    let completion = Lines::new("Completion time of jobs done", "sp", "seconds")
        .with_series("completion", of(SP, Measure::Completion));
    charts.push(("fig9", completion));
    let failed = Lines::new("Failed jobs", "fp", "per cent of all")
        .with_series("under peak", of(FP_UNDER, Measure::Failed))
        .with_series("at peak", of(FP_PEAK, Measure::Failed));
    charts.push(("fig10", failed));
    let quality = Lines::new("Processed jobs by quality of service", "qp", "per cent of the user's jobs")
        .with_series("best", of(QP, Measure::ProcessedBest))
        .with_series("worst", of(QP, Measure::ProcessedWorst))
        .with_series("best, weighted mode", of(QP_WEIGHTED, Measure::ProcessedBest))
        .with_series("worst, weighted mode", of(QP_WEIGHTED, Measure::ProcessedWorst));
    charts.push(("fig11", quality));
    // In the paper's order.
    let figures = [("fig12", "fig13", "with balancing"), ("fig14", "fig15", "without balancing")];
    for (loads, (all, two, how)) in loads.iter().rev().zip(figures) {
        let sites = loads.first().map_or(0, Vec::len);
        let chart = |which: &[usize]| {
            let mut lines =
                Lines::new(format!("Load of the sites of G3 under peak, {how}"), "time slice", "busy share")
                    .with_markers(false);
            for &site in which {
                // While a site is down its curve has a gap.
                let points =
                    loads.iter().enumerate().map(|(at, loads)| (at as f64, loads[site].unwrap_or(f64::NAN)));
                let speed = speeds.get(site).map_or_else(String::new, |speed| format!(" ({speed:.0} MI/s)"));
                lines = lines.with_series(format!("site {}{speed}", site + 1), points);
            }
            lines
        };
        charts.push((all, chart(&(0..sites).collect::<Vec<_>>())));
        charts.push((two, chart(&(0..sites).skip(3).take(2).collect::<Vec<_>>())));
    }
    for (name, sweep, title) in [
        ("fig16", BALANCE_UNDER, "Variance of the loads of the sites, under peak"),
        ("fig17", BALANCE_RISING, "Variance of the loads of the sites, under peak, then at peak"),
        ("fig17_peak", BALANCE_PEAK, "Variance of the loads of the sites, at peak from the beginning"),
    ] {
        let both = [(sweep, 0, "without balancing".to_owned()), (sweep, 1, "with balancing".to_owned())];
        charts.push((name, by_slice(title, "variance of the busy share", &both, Curve::Variance)));
    }
    charts
}
