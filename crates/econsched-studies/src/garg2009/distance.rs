//! How far each heuristic is above lower bounds on cost and makespan; the paper leaves lower bounds to future
//! work (section 7).

use super::figures::configurations;
use super::{COST, FACTORS, HEURISTICS, LEAST, MAKESPAN, MIN, at, case_1, case_2};
use crate::chart::Bars;
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Estimate;

/// How far above the bound, in per cent. Bounds are sums of rounded terms, so their last bits mean nothing.
fn above(data: &Data, setting: usize, heuristic: usize, column: usize) -> Estimate {
    let bound = at(setting, MIN, LEAST[column]);
    let above = data.ratio(at(setting, heuristic, column), bound).excess_percent();
    Estimate { mean: if above.mean.abs() < 1e-9 { 0.0 } else { above.mean }, ..above }
}

pub(super) fn describe(data: &Data, report: &mut StudyReport) {
    let last = FACTORS.len() - 1;
    let mut settings: Vec<(String, usize)> = Vec::new();
    for (variation, name) in ["low", "high"].into_iter().enumerate() {
        for at in [0, last] {
            let name = format!("case 1, {name} variation, factor {}", FACTORS[at]);
            settings.push((name, case_1(variation, at)));
        }
    }
    let by_user = || (0..configurations().len()).map(case_2);
    settings.extend(configurations().into_iter().map(|name| format!("case 2, {name}")).zip(by_user()));
    let mut table = Table::new(
        "distance",
        "Distance from the lower bounds on cost and on makespan, in per cent of these",
        &["setting", "heuristic", "cost above its bound, %", "makespan above its bound, %"],
    );
    for (name, setting) in &settings {
        for (at, heuristic) in HEURISTICS.into_iter().enumerate() {
            let distances = [COST, MAKESPAN].map(|column| above(data, *setting, at, column));
            table.row([name, heuristic], distances.map(|distance| Cell::Estimate(distance, 1)));
        }
    }
    report.table(table);
    for (column, name, title, y) in [
        (COST, "distance_cost", "Cost above its lower bound, case 2", "per cent of the bound"),
        (MAKESPAN, "distance_makespan", "Makespan above its lower bound, case 2", "per cent of the bound"),
    ] {
        let bars = Bars::new(title, y, configurations());
        let of = |heuristic: usize| by_user().map(move |setting| above(data, setting, heuristic, column));
        report.chart(name, bars.with_each(HEURISTICS, of));
    }
}
