//! Results by setting: where each claim of the paper holds, and how far each heuristic is above lower bounds on cost
//! and makespan, which the paper leaves to future work (section 7).

use super::figures::bars;
use super::{
    BLIND, BOUNDS, BY_USER, COST, FACTORS, GREEDY, HEURISTICS, MAKESPAN, MAX, MIN, case_1, configurations,
    excess, index_of,
};
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Estimate, Moments};

const VARIATIONS: [&str; 2] = ["low", "high"];

/// Returns the cases with their names, each with its settings and their names.
fn cases() -> Vec<(String, Vec<(String, usize)>)> {
    let of = |(variation, name): (usize, &str)| {
        let settings = (0..).map(|factor| case_1(variation, factor));
        let named = FACTORS.iter().map(|factor| format!("factor {factor}")).zip(settings);
        (format!("case 1, {name} variation"), named.collect())
    };
    let by_user = configurations().map(|(name, setting)| (name.to_owned(), setting));
    let by_user = ("case 2".to_owned(), by_user.collect());
    VARIATIONS.into_iter().enumerate().map(of).chain([by_user]).collect()
}

/// Adds tables of the paper's claims, and of whether our intervals agree.
pub(super) fn claims(data: &Data, report: &mut StudyReport) {
    let mut all =
        Table::new("claims", "Claims by setting", &["claim", "case", "setting", "difference, %", "holds"])
            .with_saved_only();
    let mut table = Table::new(
        "claims_summary",
        "The paper's claims: in how many settings the 95% interval lies on the claimed side, on neither, on the other; \
         differences in per cent, which a claim says are below 0",
        &["claim", "case", "holds", "open", "fails", "least, %", "mean, %", "greatest, %"],
    );
    let mut claim = |text: &str, case: &str, differences: &[(&str, Estimate)]| {
        let mut counts = [0_u64; 3];
        for (setting, difference) in differences {
            let verdict = match () {
                () if difference.mean + difference.half < 0.0 => 0,
                () if difference.mean - difference.half > 0.0 => 2,
                () => 1,
            };
            counts[verdict] += 1;
            let holds = ["yes", "open", "no"][verdict].into();
            all.row([text, case, setting], [Cell::Estimate(*difference, 1), holds]);
        }
        let means = || differences.iter().map(|(_, difference)| difference.mean);
        let (least, greatest) =
            (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max));
        let differences =
            [least, means().collect::<Moments>().mean(), greatest].map(|value| Cell::Number(value, 1));
        table.row([text, case], counts.map(Cell::from).into_iter().chain(differences));
    };
    for (case, settings) in &cases() {
        let mut compared = |text: &str, pair: (usize, usize), column: usize| {
            let differences =
                settings.iter().map(|(name, at)| (name.as_str(), excess(data, *at, pair, column).estimate));
            claim(text, case, &differences.collect::<Vec<_>>());
        };
        for over in [GREEDY, BLIND] {
            for of in [MIN, MAX] {
                let (of_name, over_name) = (HEURISTICS[of], HEURISTICS[over]);
                compared(&format!("{of_name} is cheaper than {over_name}"), (of, over), COST);
                compared(&format!("{of_name} ends before {over_name}"), (of, over), MAKESPAN);
            }
        }
        compared("MinCTT ends before MaxCTT", (MIN, MAX), MAKESPAN);
        compared("MaxCTT is cheaper than MinCTT", (MAX, MIN), COST);
    }
    for (variation, name) in VARIATIONS.into_iter().enumerate() {
        for (text, column, sign) in [
            ("cost falls from factor 0 to 1", COST, 1.0),
            ("makespan grows from factor 0 to 1 (sign turned)", MAKESPAN, -1.0),
        ] {
            let change = |heuristic: usize| {
                let [last, first] = [FACTORS.len() - 1, 0].map(|at| case_1(variation, at));
                let change =
                    data.excess(index_of(last, heuristic, column), index_of(first, heuristic, column));
                (HEURISTICS[heuristic], change.estimate.times(sign))
            };
            claim(text, &format!("case 1, {name} variation"), &[MIN, MAX, GREEDY, BLIND].map(change));
        }
    }
    report.table(table);
    report.table(all);
}

/// Returns how far a heuristic is above the bound, in per cent. Bounds are sums of rounded terms, so their last bits
/// mean nothing.
fn above(data: &Data, setting: usize, heuristic: usize, column: usize) -> Estimate {
    let bound = index_of(setting, MIN, BOUNDS[column]);
    let above = data.excess(index_of(setting, heuristic, column), bound).estimate;
    Estimate { mean: if above.mean.abs() < 1e-9 { 0.0 } else { above.mean }, ..above }
}

/// Adds a table and charts of how far the heuristics are above the lower bounds.
pub(super) fn distances(data: &Data, report: &mut StudyReport) {
    let mut table = Table::new(
        "distance",
        "Distance from the lower bounds on cost and on makespan, in per cent of these",
        &["setting", "heuristic", "cost above its bound, %", "makespan above its bound, %"],
    );
    // Of the factors, only the first and the last.
    let is_shown =
        |setting: usize| setting >= BY_USER || [0, FACTORS.len() - 1].contains(&(setting % FACTORS.len()));
    for (case, settings) in cases() {
        for (name, setting) in settings.into_iter().filter(|(_, setting)| is_shown(*setting)) {
            for (at, heuristic) in HEURISTICS.into_iter().enumerate() {
                let distances = [COST, MAKESPAN].map(|column| above(data, setting, at, column));
                let of = [format!("{case}, {name}"), heuristic.to_owned()];
                table.row(of, distances.map(|distance| Cell::Estimate(distance, 1)));
            }
        }
    }
    report.table(table);
    for (column, name, title, y) in [
        (COST, "distance_cost", "Cost above its lower bound, case 2", "per cent of the bound"),
        (MAKESPAN, "distance_makespan", "Makespan above its lower bound, case 2", "per cent of the bound"),
    ] {
        report.chart(name, bars(title, y, |setting, at| above(data, setting, at, column)));
    }
}
