//! How far each heuristic is above lower bounds on cost and makespan; the paper leaves lower bounds to future
//! work (section 7).

use super::figures::configurations;
use super::{FACTORS, HEURISTICS, Setting, Tally};
use crate::chart::Bars;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Estimate, Ratio};

/// How far above the bound, in per cent. Bounds are sums of rounded terms, so their last bits mean nothing.
fn above(over_bound: &Ratio) -> Estimate {
    let above = over_bound.excess_percent();
    Estimate { mean: if above.mean.abs() < 1e-9 { 0.0 } else { above.mean }, ..above }
}

pub(super) fn describe(tally: &Tally, report: &mut StudyReport) {
    let last = FACTORS.len() - 1;
    let mut settings: Vec<(String, &Setting)> = Vec::new();
    for (all, variation) in tally.case_1.iter().zip(["low", "high"]) {
        for at in [0, last] {
            settings.push((format!("case 1, {variation} variation, factor {}", FACTORS[at]), &all[at]));
        }
    }
    let own = configurations().into_iter().map(|name| format!("case 2, {name}")).zip(&tally.case_2);
    settings.extend(own);
    let mut table = Table::new(
        "distance",
        "Distance from the lower bounds on cost and on makespan, in per cent of these",
        &["setting", "heuristic", "cost above its bound, %", "makespan above its bound, %"],
    );
    for (name, setting) in &settings {
        for (heuristic, [cost, makespan]) in HEURISTICS.into_iter().zip(&setting.over_bound) {
            table.push(vec![
                name.as_str().into(),
                heuristic.into(),
                Cell::Estimate(above(cost), 1),
                Cell::Estimate(above(makespan), 1),
            ]);
        }
    }
    report.table(table);
    for (at, name, title, y) in [
        (0, "distance_cost", "Cost above its lower bound, case 2", "per cent of the bound"),
        (1, "distance_makespan", "Makespan above its lower bound, case 2", "per cent of the bound"),
    ] {
        let mut bars = Bars::new(title, y, configurations());
        for (place, heuristic) in HEURISTICS.into_iter().enumerate() {
            let above = tally.case_2.iter().map(|setting| above(&setting.over_bound[place][at]));
            bars = bars.with_series(heuristic, above);
        }
        report.chart(name, bars);
    }
}
