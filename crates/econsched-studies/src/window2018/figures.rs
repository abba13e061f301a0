//! Tables and charts: ours beside the published simulator's.

use super::{ALGORITHMS, FIRST_FIT, MULTIPLE_BEST, Q, SIMULATOR, SIMULATOR_Q_40, Tally};
use crate::chart::Bars;
use crate::report::{Cell, StudyReport, Table};

pub(super) fn describe(
    tally: &Tally,
    nodes: u32,
    name: &'static str,
    charts: [&'static str; 3],
    report: &mut StudyReport,
) {
    let mut table = Table::new(
        name,
        format!("7 nodes out of {nodes}"),
        &["algorithm", "start", "runtime", "finish", "cost", "Q", "Q simulator", "ratio"],
    );
    let simulator = if nodes == 100 { SIMULATOR.map(|row| row[Q]) } else { SIMULATOR_Q_40 };
    for (at, algorithm) in ALGORITHMS.into_iter().enumerate() {
        let mut cells: Vec<Cell> = vec![algorithm.into()];
        for (moments, decimals) in tally.measured[at].iter().zip([1, 1, 1, 1, 2]) {
            cells.push(Cell::Estimate(moments.estimate(), decimals));
        }
        cells.push(Cell::Number(simulator[at], 1));
        cells.push(Cell::Number(tally.measured[at][Q].mean() / simulator[at], 3));
        table.push(cells);
    }
    report.table(table);
    if nodes == 100 {
        let mut table = Table::new(
            "simulator100",
            "Ours over the published simulator's, 100 nodes",
            &["algorithm", "start", "runtime", "finish", "cost", "Q"],
        );
        for (at, algorithm) in ALGORITHMS.into_iter().enumerate() {
            let mut cells: Vec<Cell> = vec![algorithm.into()];
            let ratios = tally.measured[at].iter().zip(SIMULATOR[at]);
            cells.extend(ratios.map(|(ours, theirs)| Cell::Number(ours.mean() / theirs, 3)));
            table.push(cells);
        }
        report.table(table);
    }
    let (gains, slides) = if nodes == 100 { ("gains100", [44.0, 18.0]) } else { ("gains40", [f64::NAN; 2]) };
    let mut table = Table::new(
        gains,
        format!("Advantage of Max Q, {nodes} nodes, in per cent"),
        &["over", "of Max Q: 1 - Q / Max Q", "slides", "of the other: Max Q / Q - 1"],
    );
    for (other, slides) in [FIRST_FIT, MULTIPLE_BEST].into_iter().zip(slides) {
        table.push(vec![
            ALGORITHMS[other].into(),
            Cell::Estimate(tally.advantage(other), 1),
            Cell::Number(slides, 0),
            Cell::Estimate(tally.excess[other].excess_percent(), 1),
        ]);
    }
    report.table(table);
    report.paragraph(format!(
        "Slots {:.0}; alternatives found by Multiple Best {:.1} ± {:.1}; environments without any window: {}.",
        tally.slots.mean(),
        tally.alternatives.mean(),
        tally.alternatives.estimate().half,
        tally.none,
    ));

    let column = |measure: usize| tally.measured.iter().map(move |row| row[measure].estimate());
    let theirs = |measure: usize| SIMULATOR.map(|row| row[measure]);
    let title = |what: &str| format!("{what}, 7 nodes out of {nodes}");
    let time = Bars::new(title("Start and runtime"), "units of model time", ALGORITHMS)
        .with_stacked_bars()
        .with_series("start", column(0).map(|estimate| estimate.mean))
        .with_series("runtime", column(1).map(|estimate| estimate.mean));
    report.chart(charts[0], time);
    let mut cost = Bars::new(title("Cost"), "units of money", ALGORITHMS).with_series("ours", column(3));
    if nodes == 100 {
        cost = cost.with_series("published simulator", theirs(3));
    }
    report.chart(charts[1], cost);
    let q = Bars::new(title("Q, the sum of q over the nodes"), "Q (q has no unit)", ALGORITHMS)
        .with_series("ours", column(Q))
        .with_series("published simulator", simulator);
    report.chart(charts[2], q);
}
