//! Tables and charts of the study: our figures beside the paper's.

use super::reading::{ALTERNATIVES, JOBS, Reading, SLOTS, index_of};
use super::{
    COVERAGE, FIGURES, Figure, JOBS_COUNTED, SHOWN, SIDES, SLOTS_COUNTED, counted, coverage, is_counted,
    mean_of_counted, per_job_estimate,
};
use crate::chart::Chart;
use crate::data::{self, Data, Row};
use crate::report::{Cell, StudyReport, Table};

/// Adds the tables and the charts of the standard reading.
pub(super) fn describe(data: &Data, report: &mut StudyReport) {
    figures(data, report);
    gains(data, report);
    cycles(data, report);
    bars(data, report);
    first_cycles(data, report);
}

fn figures(data: &Data, report: &mut StudyReport) {
    let headings = [["ALP", "ALP paper", "ALP ratio"], ["AMP", "AMP paper", "AMP ratio"]];
    let row = |(at, Figure { name, paper, decimals }): (usize, &Figure)| {
        let mut cells = vec![("figure", (*name).into())];
        for (side, [ours, theirs, ratio]) in headings.into_iter().enumerate() {
            let estimate = per_job_estimate(data, side, at);
            cells.push((ours, Cell::Estimate(estimate, *decimals)));
            cells.push((theirs, Cell::Number(paper[side], *decimals)));
            cells.push((ratio, Cell::Number(estimate.mean / paper[side], 3)));
        }
        cells
    };
    report.table(Table::of("figures", "Of one job", FIGURES.iter().enumerate().map(row)));
}

fn gains(data: &Data, report: &mut StudyReport) {
    let row = |(at, figure): (usize, &Figure)| {
        let paper = 100.0 * (figure.paper[1] / figure.paper[0] - 1.0);
        let ours = Cell::Estimate(data.excess(index_of(1, at), index_of(0, at)).estimate, 1);
        vec![("figure", figure.name.into()), ("ours", ours), ("paper", Cell::Number(paper, 1))]
    };
    let title = "AMP against ALP, in per cent of ALP (paired)";
    report.table(Table::of("gains", title, FIGURES[..ALTERNATIVES].iter().enumerate().map(row)));
}

fn cycles(data: &Data, report: &mut StudyReport) {
    let mut table = Table::new("cycles", "Cycles", &["what", "ours", "paper"]);
    let mut row = |what: &str, ours: Cell, paper: Cell| table.push(vec![what.into(), ours, paper]);
    // The share of the counted cycles in which the first is less.
    let less = |x: usize, y: usize| {
        Cell::Number(data.percent_where(|row| row[x].is_finite().then(|| row[x] < row[y])), 1)
    };
    let estimate = |figure: data::Figure| Cell::Estimate(figure.estimate, 2);
    let found = |side: usize| Cell::Number(data.values(|row| row[index_of(side, ALTERNATIVES)]).sum(), 0);
    row("counted", counted(data).into(), 8_571.into());
    row("counted, %", Cell::Estimate(coverage(data).estimate, 1), Cell::Number(COVERAGE, 1));
    row("slots, all cycles", estimate(data.mean(SLOTS)), Cell::Number(SLOTS_COUNTED, 2));
    row("slots, counted", estimate(mean_of_counted(data, SLOTS)), Cell::Number(SLOTS_COUNTED, 2));
    row("jobs, all cycles", estimate(data.mean(JOBS)), Cell::Empty);
    row("jobs, counted", estimate(mean_of_counted(data, JOBS)), Cell::Number(JOBS_COUNTED, 2));
    row("ALP alternatives", found(0), Cell::Number(258_079.0, 0));
    row("AMP alternatives", found(1), Cell::Number(1_160_029.0, 0));
    row("min time: AMP faster, %", less(index_of(1, 0), index_of(0, 0)), Cell::Number(100.0, 1));
    row("min cost: AMP costs more, %", less(index_of(0, 2), index_of(1, 2)), Cell::Empty);
    report.table(table);
}

/// Adds figures 4 and 6.
fn bars(data: &Data, report: &mut StudyReport) {
    for (name, at, title) in [
        ("fig4a", 0, "Minimising time: time of a job"),
        ("fig4b", 1, "Minimising time: cost of a job"),
        ("fig6a", 2, "Minimising cost: cost of a job"),
        ("fig6b", 3, "Minimising cost: time of a job"),
    ] {
        let unit = if at == 0 || at == 3 { "units of model time" } else { "units of money" };
        let ours = [0, 1].map(|side| data.moments(index_of(side, at)).estimate());
        report.chart(
            name,
            Chart::bars(title, unit, SIDES).with_bars("ours", ours).with_bars("paper", FIGURES[at].paper),
        );
    }
}

/// Adds figure 5.
fn first_cycles(data: &Data, report: &mut StudyReport) {
    let mut table = Table::new("fig5", "First counted cycles", &["cycle", "ALP", "AMP"]).with_saved_only();
    let counted = data.rows().filter(|row| is_counted(row));
    let shown: Vec<[f64; 2]> =
        counted.take(SHOWN).map(|row| [row[index_of(0, 0)], row[index_of(1, 0)]]).collect();
    for (at, times) in shown.iter().enumerate() {
        table.row([at as u64 + 1], times.map(|time| Cell::Number(time, 2)));
    }
    report.table(table);
    let title = format!("Minimising time: time of a job in the first {} counted cycles", shown.len());
    let lines = Chart::new(title, "counted cycle", "units of model time").with_markers(false);
    let points =
        |side: usize| shown.iter().enumerate().map(move |(at, times)| (at as f64 + 1.0, times[side]));
    report.chart("fig5", lines.with_each(SIDES, points));
}

/// Compares every reading with the paper, the nearest first.
pub(super) fn compare(readings: &[Reading], cycles: &[Data]) -> [Table; 2] {
    let number = |value: f64, decimals: usize| Cell::Number(value, decimals);
    let data = &cycles[0];
    let aggregate = |(at, figure): (usize, &Figure)| {
        let sum = |row: &Row<'_>, side: usize| row[index_of(side, at)] * row[JOBS];
        let mean = |side: usize| number(data.moments(index_of(side, at)).mean(), figure.decimals);
        let pooled = |side: usize| {
            let ratio = data.ratio_of(|row| (sum(row, side), row[JOBS]));
            number(ratio.estimate.mean, figure.decimals)
        };
        let of_sums = |side: usize| number(data.mean_of(|row| sum(row, side)).estimate.mean, figure.decimals);
        vec![
            ("figure", figure.name.into()),
            ("batch means ALP", mean(0)),
            ("batch means AMP", mean(1)),
            ("all jobs ALP", pooled(0)),
            ("all jobs AMP", pooled(1)),
            ("batch sums ALP", of_sums(0)),
            ("batch sums AMP", of_sums(1)),
        ]
    };
    let title = "How the means are taken (standard reading): the times 59.85 and 39.01 are of one job";
    let aggregates = FIGURES[..ALTERNATIVES].iter().enumerate().map(aggregate);
    let aggregates = Table::of("aggregates", title, aggregates);

    // Coverage and number of jobs; then for ALP and for AMP the alternatives and the other four figures.
    let twelve = |coverage: f64, jobs: f64, of: &dyn Fn(usize, usize) -> f64| {
        let figures = |side: usize| [ALTERNATIVES, 0, 1, 2, 3].map(|at| of(side, at));
        [&[coverage, jobs], &figures(0)[..], &figures(1)[..]].concat()
    };
    let paper = twelve(COVERAGE, JOBS_COUNTED, &|side, at| FIGURES[at].paper[side]);
    let row = |name: &str, distance: f64, numbers: &[f64]| {
        let mut row = vec![
            ("reading", name.into()),
            ("off, %", number(distance, 1)),
            ("counted, %", number(numbers[0], 1)),
            ("jobs", number(numbers[1], 2)),
        ];
        for (at, Figure { name, decimals, .. }) in [3, 4, 5, 6, 2].into_iter().zip(&FIGURES) {
            let pair = format!("{:.decimals$} / {:.decimals$}", numbers[at], numbers[at + 5]);
            row.push((*name, pair.into()));
        }
        row
    };
    let mut order: Vec<(f64, &str, Vec<f64>)> = vec![(0.0, "the paper", paper.clone())];
    for (reading, data) in readings.iter().zip(cycles) {
        let (coverage, jobs) = (coverage(data).estimate.mean, mean_of_counted(data, JOBS).estimate.mean);
        let numbers = twelve(coverage, jobs, &|side, at| per_job_estimate(data, side, at).mean);
        let squares = numbers.iter().zip(&paper).map(|(ours, paper)| (ours / paper - 1.0).powi(2));
        order.push((100.0 * (squares.sum::<f64>() / 12.0).sqrt(), &reading.name, numbers));
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rows = order.iter().map(|(distance, name, numbers)| row(name, *distance, numbers));
    let title = "Readings of what the paper leaves open; off is the root mean square of the relative deviations of 12 figures";
    [aggregates, Table::of("readings", title, rows)]
}
