//! Tables and charts of the study.

use super::measures::{Curve, Measure};
use super::sweeps::{Plan, Sweep, curves_of, runs};
use super::{WIDTH, mean};
use crate::chart::Chart;
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};

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

/// The charts of the figures. `loads` are those of the sites of figures 12 to 15, by slice, without balancing and
/// with it, and `speeds` those of their processors, on average.
pub(super) fn curves(
    data: &Data,
    slices: usize,
    loads: &[Vec<Vec<Option<f64>>>; 2],
    speeds: &[f64],
) -> Vec<(&'static str, Chart)> {
    let mut charts = Vec::new();
    let all = curves_of();
    let by_slice = |title: &str, y: &str, sweeps: &[(Sweep, usize, String)], curve: Curve| {
        let mut lines = Chart::new(title, "time slice", y).with_markers(false);
        for (sweep, value, label) in sweeps {
            let place = all.iter().position(|of| *of == (*sweep, *value, curve)).unwrap_or(all.len());
            let first = runs().len() * WIDTH + place * slices;
            let points = (0..slices).map(|at| (at as f64, data.moments(first + at).mean()));
            lines = lines.with_series(label, points.filter(|(_, mean)| mean.is_finite()));
        }
        lines
    };
    let sp: Vec<_> = Sweep::Sp.values().map(|(at, x)| (Sweep::Sp, at, format!("sp = {x}"))).collect();
    charts.push(("fig7", by_slice("Processed jobs", "per cent of all", &sp, Curve::Done)));
    charts.push(("fig8", by_slice("Mean cost of the jobs assigned so far", "seconds", &sp, Curve::Cost)));
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
    // In the paper's order.
    let figures = [("fig12", "fig13", "with balancing"), ("fig14", "fig15", "without balancing")];
    for (loads, (all, two, how)) in loads.iter().rev().zip(figures) {
        let sites = loads.first().map_or(0, Vec::len);
        let chart = |which: &[usize]| {
            let mut lines =
                Chart::new(format!("Load of the sites of G3 under peak, {how}"), "time slice", "busy share")
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
        ("fig16", Sweep::BalanceUnder, "Variance of the loads of the sites, under peak"),
        ("fig17", Sweep::BalanceRising, "Variance of the loads of the sites, under peak, then at peak"),
        ("fig17_peak", Sweep::BalancePeak, "Variance of the loads of the sites, at peak from the beginning"),
    ] {
        let both = [(sweep, 0, "without balancing".to_owned()), (sweep, 1, "with balancing".to_owned())];
        charts.push((name, by_slice(title, "variance of the busy share", &both, Curve::Variance)));
    }
    charts
}
