//! Tables and charts of the study: ours beside the paper's.

use super::reading::Reading;
use super::{ALTERNATIVES, COVERAGE, FIGURES, Figure, JOBS_COUNTED, SIDES, SLOTS, Tally};
use crate::chart::{Bars, Lines};
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Estimate, Moments};

pub(super) fn describe(tally: &Tally, report: &mut StudyReport) {
    of_one_job(tally, report);
    gains(tally, report);
    cycles(tally, report);
    bars(tally, report);
    first_cycles(tally, report);
}

fn of_one_job(tally: &Tally, report: &mut StudyReport) {
    let mut table = Table::new(
        "figures",
        "Of one job",
        &["figure", "ALP", "ALP paper", "ALP ratio", "AMP", "AMP paper", "AMP ratio"],
    );
    let mut row = |figure: &Figure, estimates: [Estimate; 2]| {
        let mut cells: Vec<Cell> = vec![figure.name.into()];
        for (estimate, paper) in estimates.into_iter().zip(figure.paper) {
            cells.extend([
                Cell::Estimate(estimate, figure.decimals),
                Cell::Number(paper, figure.decimals),
                Cell::Number(estimate.mean / paper, 3),
            ]);
        }
        table.push(cells);
    };
    for (figure, moments) in FIGURES.iter().zip(&tally.figures) {
        row(figure, [moments[0].estimate(), moments[1].estimate()]);
    }
    row(&ALTERNATIVES, [tally.alternatives[0].estimate(), tally.alternatives[1].estimate()]);
    report.table(table);
}

fn gains(tally: &Tally, report: &mut StudyReport) {
    let mut table =
        Table::new("gains", "AMP against ALP, in per cent of ALP (paired)", &["figure", "ours", "paper"]);
    for (figure, ratio) in FIGURES.iter().zip(&tally.ratios) {
        let paper = 100.0 * (figure.paper[1] / figure.paper[0] - 1.0);
        table.push(vec![
            figure.name.into(),
            Cell::Estimate(ratio.excess_percent(), 1),
            Cell::Number(paper, 1),
        ]);
    }
    report.table(table);
}

fn cycles(tally: &Tally, report: &mut StudyReport) {
    let mut table = Table::new("cycles", "Cycles", &["what", "ours", "paper"]);
    let shares = |count: u64| Cell::Number(100.0 * count as f64 / tally.counted() as f64, 1);
    let estimate = |moments: &Moments, decimals| Cell::Estimate(moments.estimate(), decimals);
    table.push(vec!["counted".into(), tally.counted().into(), 8_571.into()]);
    table.push(vec!["counted, %".into(), Cell::Estimate(tally.coverage(), 1), Cell::Number(COVERAGE, 1)]);
    table.push(vec!["slots, all cycles".into(), estimate(&tally.slots, 2), Cell::Number(SLOTS, 2)]);
    table.push(vec!["slots, counted".into(), estimate(&tally.slots_counted, 2), Cell::Number(SLOTS, 2)]);
    table.push(vec!["jobs, all cycles".into(), estimate(&tally.jobs, 2), Cell::Empty]);
    table.push(vec!["jobs, counted".into(), estimate(&tally.jobs_counted, 2), Cell::Number(JOBS_COUNTED, 2)]);
    table.push(vec!["ALP alternatives".into(), Cell::Number(tally.found[0], 0), Cell::Number(258_079.0, 0)]);
    table.push(vec![
        "AMP alternatives".into(),
        Cell::Number(tally.found[1], 0),
        Cell::Number(1_160_029.0, 0),
    ]);
    table.push(vec!["min time: AMP faster, %".into(), shares(tally.amp_faster), Cell::Number(100.0, 1)]);
    table.push(vec!["min cost: AMP costs more, %".into(), shares(tally.amp_dearer), Cell::Empty]);
    report.table(table);
}

/// Figures 4 and 6.
fn bars(tally: &Tally, report: &mut StudyReport) {
    for (name, at, title) in [
        ("fig4a", 0, "Minimising time: time of a job"),
        ("fig4b", 1, "Minimising time: cost of a job"),
        ("fig6a", 2, "Minimising cost: cost of a job"),
        ("fig6b", 3, "Minimising cost: time of a job"),
    ] {
        let unit = if at == 0 || at == 3 { "units of model time" } else { "units of money" };
        let ours = tally.figures[at].iter().map(Moments::estimate);
        report.chart(
            name,
            Bars::new(title, unit, SIDES).with_series("ours", ours).with_series("paper", FIGURES[at].paper),
        );
    }
}

/// Figure 5.
fn first_cycles(tally: &Tally, report: &mut StudyReport) {
    let mut table = Table::new("fig5", "First counted cycles", &["cycle", "ALP", "AMP"]).with_saved_only();
    for (at, times) in tally.shown.iter().enumerate() {
        let number = |time| Cell::Number(time, 2);
        table.push(vec![(at as u64 + 1).into(), number(times[0]), number(times[1])]);
    }
    report.table(table);
    let title = format!("Minimising time: time of a job in the first {} counted cycles", tally.shown.len());
    let mut lines = Lines::new(title, "counted cycle", "units of model time").with_markers(false);
    for (at, side) in SIDES.into_iter().enumerate() {
        let points = tally.shown.iter().enumerate().map(|(cycle, times)| (cycle as f64 + 1.0, times[at]));
        lines = lines.with_series(side, points);
    }
    report.chart("fig5", lines);
}

/// Every reading beside the paper, the nearest first.
pub(super) fn compare(readings: &[Reading], tallies: &[Tally], report: &mut StudyReport) {
    let mut table = Table::new(
        "aggregates",
        "How the means are taken (standard reading): the times 59.85 and 39.01 are of one job",
        &[
            "figure",
            "batch means ALP",
            "batch means AMP",
            "all jobs ALP",
            "all jobs AMP",
            "batch sums ALP",
            "batch sums AMP",
        ],
    );
    let tally = &tallies[0];
    for (at, figure) in FIGURES.iter().enumerate() {
        let mut cells: Vec<Cell> = vec![figure.name.into()];
        let means = [tally.figures[at].map(|m| m.mean()), tally.pooled[at].map(|r| r.estimate().mean)];
        let sums = tally.sums[at].map(|m| m.mean());
        cells.extend(means.into_iter().chain([sums]).flatten().map(|v| Cell::Number(v, figure.decimals)));
        table.push(cells);
    }
    report.table(table);

    let mut table = Table::new(
        "readings",
        "Readings of what the paper leaves open; off is the root mean square of the relative deviations of 12 figures",
        &[
            "reading",
            "off, %",
            "counted, %",
            "jobs",
            "min time: time",
            "min time: cost",
            "min cost: cost",
            "min cost: time",
            "alternatives",
        ],
    );
    let pair = |values: [f64; 2], decimals: usize| {
        Cell::Text(format!("{:.decimals$} / {:.decimals$}", values[0], values[1]))
    };
    let row = |name: &str, distance: f64, coverage: f64, jobs: f64, values: [[f64; 2]; 5]| {
        let mut cells: Vec<Cell> = vec![name.into()];
        cells.extend([Cell::Number(distance, 1), Cell::Number(coverage, 1), Cell::Number(jobs, 2)]);
        cells.extend(
            values.into_iter().zip([2, 1, 1, 2, 2]).map(|(pair_of, decimals)| pair(pair_of, decimals)),
        );
        cells
    };
    let [a, b, c, d] = FIGURES.map(|figure| figure.paper);
    table.push(row("the paper", 0.0, COVERAGE, JOBS_COUNTED, [a, b, c, d, ALTERNATIVES.paper]));
    let mut order: Vec<usize> = (0..readings.len()).collect();
    order.sort_by(|&a, &b| tallies[a].distance().total_cmp(&tallies[b].distance()));
    for at in order {
        let tally = &tallies[at];
        let [a, b, c, d] = tally.figures.map(|moments| moments.map(|side| side.mean()));
        let alternatives = tally.alternatives.map(|ratio| ratio.estimate().mean);
        let (coverage, jobs) = (tally.coverage().mean, tally.jobs_counted.mean());
        table.push(row(&readings[at].name, tally.distance(), coverage, jobs, [a, b, c, d, alternatives]));
    }
    report.table(table);
}
