//! Tables, claims and charts of the study.

use super::sweeps::*;
use super::{Point, Tally};
use crate::chart::{Bar, Lines};
use crate::report::{Cell, Report, Table};
use crate::stats::Estimate;

pub(super) fn describe(sweep: &Sweep, points: &[Point], report: &mut Report) {
    let mut columns = vec![sweep.parameter.name];
    columns.extend(sweep.parameter.shown.iter().map(|&at| MEASURES[at].0));
    let mut table = Table::new(sweep.name, sweep.title, &columns);
    for (&x, point) in sweep.parameter.values.iter().zip(points) {
        let mut cells = vec![match (sweep.parameter.name, x > 0.0) {
            ("balancing", true) => "on".into(),
            ("balancing", false) => "off".into(),
            _ => Cell::Number(x, 1),
        }];
        cells.extend(
            sweep
                .parameter
                .shown
                .iter()
                .map(|&at| Cell::Estimate(point.measures[at].estimate(), MEASURES[at].1)),
        );
        table.push(cells);
    }
    report.table(table);
}

pub(super) fn claims(tally: &Tally, report: &mut Report) {
    let mut table = Table::new(
        "claims",
        "The paper's claims: change from the first value to the second, paired",
        &["claim", "sweep", "from", "to", "change", "holds"],
    );
    let mut claim = |text: &str, at: usize, measure: usize, from: usize, to: usize, sign: f64| {
        let point = &tally.sweeps[at][to];
        let moments = if from == 0 { &point.differences[measure] } else { &point.steps[measure] };
        let change: Estimate = moments.estimate();
        let (low, high) = (change.mean - change.half, change.mean + change.half);
        let holds = match () {
            () if sign == 0.0 => {
                if low <= 0.0 && high >= 0.0 {
                    "yes"
                } else {
                    "no"
                }
            }
            () if sign * low > 0.0 && sign * high > 0.0 => "yes",
            () if sign * low < 0.0 && sign * high < 0.0 => "no",
            () => "open",
        };
        let values = SWEEPS[at].parameter.values;
        let cells = [text, SWEEPS[at].name].map(Cell::from).into_iter();
        let cells = cells.chain([values[from], values[to]].map(|x| Cell::Number(x, 1)));
        let change = Cell::Estimate(change, MEASURES[measure].1 + 1);
        table.push(cells.chain([change, holds.into()]).collect());
    };
    claim("sp: fewer jobs are processed, %", SP, PROCESSED, 0, 4, -1.0);
    claim("sp: assigned jobs cost more, s", SP, COST, 0, 4, 1.0);
    claim("sp: completion takes longer, s", SP, COMPLETION, 0, 4, 1.0);
    claim("sp: the longest wait is shorter, s", SP, LONGEST, 0, 3, -1.0);
    claim("sp: no use beyond 1.5 (longest wait, s)", SP, LONGEST, 3, 4, 0.0);
    claim("sp: fewer jobs wait above 10 s, %", SP, STARVED, 0, 3, -1.0);
    claim("fp: fewer jobs fail, %", FP_UNDER, FAILED, 0, 4, -1.0);
    claim("fp: fewer jobs fail, %", FP_PEAK, FAILED, 0, 4, -1.0);
    for sweep in [QP, QP_WEIGHTED] {
        claim("qp: more jobs of the best user, %", sweep, BEST, 0, 3, 1.0);
        claim("qp: fewer jobs of the worst user, %", sweep, WORST, 0, 3, -1.0);
        claim("qp: constant from 2 on (best user, %)", sweep, BEST, 3, 4, 0.0);
    }
    claim("balancing: less variance of loads", BALANCE_UNDER, VARIANCE, 0, 1, -1.0);
    claim("balancing: no effect at peak", BALANCE_PEAK, VARIANCE, 0, 1, 0.0);
    report.table(table);
}

pub(super) fn curves(tally: &Tally, report: &mut Report) {
    let by_slice = |title: &str, y: &str, sweeps: &[(usize, usize, String)], column: usize| {
        let mut lines = Lines::new(title, "time slice", y).without_markers();
        for (sweep, value, label) in sweeps {
            let curve = &tally.sweeps[*sweep][*value].curve;
            let points = curve.iter().enumerate().filter(|(_, slice)| slice[column].count() > 0);
            lines = lines.series(label, points.map(|(at, slice)| (at as f64, slice[column].mean())));
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
    let of = |sweep: usize, measure: usize| {
        let points = SWEEPS[sweep].parameter.values.iter().zip(&tally.sweeps[sweep]);
        points.map(move |(&x, point)| (x, Bar::from(point.measures[measure].estimate())))
    };
    let completion =
        Lines::new("Completion time of jobs done", "sp", "seconds").series("completion", of(SP, COMPLETION));
    report.chart("fig9", completion);
    let failed = Lines::new("Failed jobs", "fp", "per cent of all")
        .series("under peak", of(FP_UNDER, FAILED))
        .series("at peak", of(FP_PEAK, FAILED));
    report.chart("fig10", failed);
    let quality = Lines::new("Processed jobs by quality of service", "qp", "per cent of the user's jobs")
        .series("best", of(QP, BEST))
        .series("worst", of(QP, WORST))
        .series("best, weighted mode", of(QP_WEIGHTED, BEST))
        .series("worst, weighted mode", of(QP_WEIGHTED, WORST));
    report.chart("fig11", quality);
    let figures = [("fig14", "fig15", "without balancing"), ("fig12", "fig13", "with balancing")];
    for (loads, (all, two, how)) in tally.loads.iter().zip(figures) {
        let sites = loads.first().map_or(0, Vec::len);
        let chart = |which: &[usize]| {
            let mut lines =
                Lines::new(format!("Load of the sites of G3 under peak, {how}"), "time slice", "busy share")
                    .without_markers();
            for &site in which {
                let points =
                    loads.iter().enumerate().filter_map(|(at, loads)| Some((at as f64, loads[site]?)));
                lines = lines.series(format!("site {}", site + 1), points);
            }
            lines
        };
        report.chart(all, chart(&(0..sites).collect::<Vec<_>>()));
        report.chart(two, chart(&(0..sites).skip(3).take(2).collect::<Vec<_>>()));
    }
    for (name, sweep, title) in [
        ("fig16", BALANCE_UNDER, "Variance of the loads of the sites, under peak"),
        ("fig17", BALANCE_PEAK, "Variance of the loads of the sites, at peak"),
    ] {
        let both = [(sweep, 0, "without balancing".to_owned()), (sweep, 1, "with balancing".to_owned())];
        report.chart(name, by_slice(title, "variance", &both, 2));
    }
}
