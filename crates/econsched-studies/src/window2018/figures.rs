//! Tables and charts: our figures beside those of the published simulator.

use super::work::{self, BEST, BY_TABLE, EXACT, INPUTS, TABLE, is_as_good, with_input};
use super::{
    ALGORITHMS, ALTERNATIVES, FIRST_FIT, MAX_Q, MEASURES, MULTIPLE_BEST, Q, SIMULATOR, SIMULATOR_Q_40, SLOTS,
    Size, index_of,
};
use crate::chart::Chart;
use crate::data::{Data, Row};
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Estimate;

/// Adds the tables and the charts for one number of nodes.
pub(super) fn describe(data: &Data, (nodes, name, charts): Size, report: &mut StudyReport) {
    let mut table = Table::new(
        name,
        format!("7 nodes out of {nodes}"),
        &["algorithm", "start", "runtime", "finish", "cost", "Q", "Q simulator", "ratio"],
    );
    let simulator = if nodes == 100 { SIMULATOR.map(|row| row[Q]) } else { SIMULATOR_Q_40 };
    let measured = |algorithm: usize, measure: usize| data.moments(index_of(algorithm, measure));
    for (at, algorithm) in ALGORITHMS.into_iter().enumerate() {
        let ours = [1, 1, 1, 1, 2].into_iter().enumerate();
        let ours = ours.map(|(measure, decimals)| Cell::Estimate(measured(at, measure).estimate(), decimals));
        let ratio = Cell::Number(measured(at, Q).mean() / simulator[at], 3);
        table.row([algorithm], ours.chain([Cell::Number(simulator[at], 1), ratio]));
    }
    report.table(table);
    if nodes == 100 {
        let columns = [&["algorithm"], &MEASURES[..]].concat();
        let mut table =
            Table::new("simulator100", "Ours over the published simulator's, 100 nodes", &columns);
        for (at, algorithm) in ALGORITHMS.into_iter().enumerate() {
            let ratio = |measure: usize| measured(at, measure).mean() / SIMULATOR[at][measure];
            table.row([algorithm], (0..MEASURES.len()).map(|measure| Cell::Number(ratio(measure), 3)));
        }
        report.table(table);
    }
    let (gains, slides) = if nodes == 100 { ("gains100", [44.0, 18.0]) } else { ("gains40", [f64::NAN; 2]) };
    let row = |(other, slides): (usize, f64)| {
        let more = data.excess(index_of(MAX_Q, Q), index_of(other, Q)).estimate;
        // As the slides define it: (Max Q - other) / Max Q.
        let advantage = data.ratio(index_of(other, Q), index_of(MAX_Q, Q)).estimate.saving_percent();
        vec![
            ("over", ALGORITHMS[other].into()),
            ("of Max Q: 1 - Q / Max Q", Cell::Estimate(advantage, 1)),
            ("slides", Cell::Number(slides, 0)),
            ("of the other: Max Q / Q - 1", Cell::Estimate(more, 1)),
        ]
    };
    let title = format!("Advantage of Max Q, {nodes} nodes, in per cent");
    report.table(Table::of(gains, title, [FIRST_FIT, MULTIPLE_BEST].into_iter().zip(slides).map(row)));
    let (slots, Estimate { mean, half, .. }) = (data.moments(SLOTS), data.moments(ALTERNATIVES).estimate());
    let (none, slots) = (data.len() - slots.count(), slots.mean());
    report.paragraph(format!(
        "Slots {slots:.0}; alternatives found by Multiple Best {mean:.1} ± {half:.1}; environments without any window: {none}."
    ));

    let column = |measure: usize| [0, 1, 2, 3, 4, 5].map(|algorithm| measured(algorithm, measure).estimate());
    let theirs = |measure: usize| SIMULATOR.map(|row| row[measure]);
    let title = |what: &str| format!("{what}, 7 nodes out of {nodes}");
    let time = Chart::bars(title("Start and runtime"), "units of model time", ALGORITHMS)
        .with_stacked(true)
        .with_bars("start", column(0).map(|estimate| estimate.mean))
        .with_bars("runtime", column(1).map(|estimate| estimate.mean));
    report.chart(charts[0], time);
    let mut cost = Chart::bars(title("Cost"), "units of money", ALGORITHMS).with_bars("ours", column(3));
    if nodes == 100 {
        cost = cost.with_bars("published simulator", theirs(3));
    }
    report.chart(charts[1], cost);
    let q = Chart::bars(title("Q, the sum of q over the nodes"), "Q (q has no unit)", ALGORITHMS)
        .with_bars("ours", column(Q))
        .with_bars("published simulator", simulator);
    report.chart(charts[2], q);
}

/// Adds the table of the searches on inputs that are not in the slides.
pub(super) fn other_inputs(data: &Data, report: &mut StudyReport) {
    let row = |(input, name): (usize, &'static str)| {
        let index = |column: usize| work::index_of(with_input(input), column);
        let mean = |column: usize| Cell::Number(data.moments(index(column)).mean(), 0);
        let over_first = |column: usize| data.ratio(index(column), index(work::FIRST_FIT)).estimate;
        let exist = data.percent_where(|row| Some(row[index(BEST)].is_finite()));
        // Only where a window exists.
        let share = |is_so: fn(f64, f64) -> bool| {
            let of = |row: &Row<'_>| {
                let (best, chosen) = (row[index(BEST)], row[index(BY_TABLE)]);
                best.is_finite().then(|| is_so(best, chosen))
            };
            Cell::Estimate(data.share_where(of).estimate, 0)
        };
        vec![
            ("input", name.into()),
            ("First Fit", mean(work::FIRST_FIT)),
            ("Max Q, exact", mean(EXACT)),
            ("Max Q, table", mean(TABLE)),
            ("exact over First Fit", Cell::Estimate(over_first(EXACT), 1)),
            ("table over First Fit", Cell::Estimate(over_first(TABLE), 0)),
            ("a window exists, %", Cell::Number(exist, 0)),
            ("table finds one, % of these", share(|_, chosen| chosen.is_finite())),
            ("table as good, % of these", share(is_as_good)),
        ]
    };
    let title = "Other inputs, 100 nodes: steps, and how often the published scheme finds a window as good as the exact search";
    report.table(Table::of("other_inputs", title, INPUTS.into_iter().enumerate().map(row)));
}
