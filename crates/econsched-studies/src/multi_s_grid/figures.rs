//! Tables and charts of the study.

use super::measures::Measure;
use super::sweeps::*;
use super::{Point, Tally};
use crate::chart::{Bar, Lines};
use crate::report::{Cell, StudyReport, Table};

pub(super) fn describe(sweep: &Sweep, points: &[Point], report: &mut StudyReport) {
    let mut columns = vec![sweep.parameter.name];
    columns.extend(sweep.parameter.shown.iter().map(|measure| measure.heading()));
    let mut table = Table::new(sweep.name, sweep.title, &columns);
    for (&x, point) in sweep.parameter.values.iter().zip(points) {
        let mut cells = vec![match (sweep.parameter.name, x > 0.0) {
            ("balancing" | "machines balanced", true) => "on".into(),
            ("balancing" | "machines balanced", false) => "off".into(),
            ("epsilon", _) => Cell::Number(x, 2),
            _ => Cell::Number(x, 1),
        }];
        cells.extend(
            sweep
                .parameter
                .shown
                .iter()
                .map(|&shown| Cell::Estimate(point.estimate(shown), shown.decimals())),
        );
        table.push(cells);
    }
    report.table(table);
}

/// `speeds` are those of the processors of the sites of figures 12 to 15, on average.
pub(super) fn curves(tally: &Tally, speeds: &[f64], report: &mut StudyReport) {
    let by_slice = |title: &str, y: &str, sweeps: &[(usize, usize, String)], column: usize| {
        let mut lines = Lines::new(title, "time slice", y).with_markers(false);
        for (sweep, value, label) in sweeps {
            let curve = &tally.sweeps[*sweep][*value].curve;
            let points = curve.iter().enumerate().filter(|(_, slice)| slice[column].count() > 0);
            lines = lines.with_series(label, points.map(|(at, slice)| (at as f64, slice[column].mean())));
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
    report.chart("fig7", by_slice("Processed jobs", "per cent of all", &sp, 0));
    report.chart("fig8", by_slice("Mean cost of the jobs assigned so far", "seconds", &sp, 1));
    let of = |sweep: usize, measure: Measure| {
        let points = SWEEPS[sweep].parameter.values.iter().zip(&tally.sweeps[sweep]);
        points.map(move |(&x, point)| (x, Bar::from(point.estimate(measure))))
    };
    let completion = Lines::new("Completion time of jobs done", "sp", "seconds")
        .with_series("completion", of(SP, Measure::Completion));
    report.chart("fig9", completion);
    let failed = Lines::new("Failed jobs", "fp", "per cent of all")
        .with_series("under peak", of(FP_UNDER, Measure::Failed))
        .with_series("at peak", of(FP_PEAK, Measure::Failed));
    report.chart("fig10", failed);
    let quality = Lines::new("Processed jobs by quality of service", "qp", "per cent of the user's jobs")
        .with_series("best", of(QP, Measure::ProcessedBest))
        .with_series("worst", of(QP, Measure::ProcessedWorst))
        .with_series("best, weighted mode", of(QP_WEIGHTED, Measure::ProcessedBest))
        .with_series("worst, weighted mode", of(QP_WEIGHTED, Measure::ProcessedWorst));
    report.chart("fig11", quality);
    // In the paper's order.
    let figures = [("fig12", "fig13", "with balancing"), ("fig14", "fig15", "without balancing")];
    for (loads, (all, two, how)) in tally.loads.iter().rev().zip(figures) {
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
        report.chart(all, chart(&(0..sites).collect::<Vec<_>>()));
        report.chart(two, chart(&(0..sites).skip(3).take(2).collect::<Vec<_>>()));
    }
    for (name, sweep, title) in [
        ("fig16", BALANCE_UNDER, "Variance of the loads of the sites, under peak"),
        ("fig17", BALANCE_RISING, "Variance of the loads of the sites, under peak, then at peak"),
        ("fig17_peak", BALANCE_PEAK, "Variance of the loads of the sites, at peak from the beginning"),
    ] {
        let both = [(sweep, 0, "without balancing".to_owned()), (sweep, 1, "with balancing".to_owned())];
        report.chart(name, by_slice(title, "variance of the busy share", &both, 2));
    }
}
