//! The claims of the paper setting by setting: in which settings each holds.

use super::figures::configurations;
use super::{BLIND, COST, FACTORS, GREEDY, HEURISTICS, MAKESPAN, MAX, MIN, at, case_1, case_2, excess};
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Estimate, Moments};

/// A claim in the settings of one case: differences in per cent that the claim says are below 0.
struct Claim {
    text: String,
    case: String,
    differences: Vec<(String, Estimate)>,
}

fn all_claims(data: &Data) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut cases: Vec<(String, Vec<(String, usize)>)> = Vec::new();
    let variations = || ["low", "high"].into_iter().enumerate();
    for (variation, name) in variations() {
        let settings = (0..).map(|factor| case_1(variation, factor));
        let named = FACTORS.iter().map(|factor| format!("factor {factor}")).zip(settings);
        cases.push((format!("case 1, {name} variation"), named.collect()));
    }
    let named = configurations().into_iter().map(str::to_owned).zip((0..).map(case_2));
    cases.push(("case 2".to_owned(), named.collect()));
    for (case, settings) in &cases {
        let mut claim = |text: String, pair: (usize, usize), column: usize| {
            let difference = |setting: usize| excess(data, setting, pair, column);
            let differences = settings.iter().map(|(name, setting)| (name.clone(), difference(*setting)));
            claims.push(Claim { text, case: case.clone(), differences: differences.collect() });
        };
        for over in [GREEDY, BLIND] {
            for of in [MIN, MAX] {
                let (of_name, over_name) = (HEURISTICS[of], HEURISTICS[over]);
                claim(format!("{of_name} is cheaper than {over_name}"), (of, over), COST);
                claim(format!("{of_name} ends before {over_name}"), (of, over), MAKESPAN);
            }
        }
        claim("MinCTT ends before MaxCTT".to_owned(), (MIN, MAX), MAKESPAN);
        claim("MaxCTT is cheaper than MinCTT".to_owned(), (MAX, MIN), COST);
    }
    for (variation, name) in variations() {
        for (text, column, sign) in [
            ("cost falls from factor 0 to 1", COST, 1.0),
            ("makespan grows from factor 0 to 1 (sign turned)", MAKESPAN, -1.0),
        ] {
            let change = |(heuristic, name): (usize, &str)| {
                let [last, first] = [FACTORS.len() - 1, 0].map(|at| case_1(variation, at));
                let ratio = data.ratio(at(last, heuristic, column), at(first, heuristic, column));
                (name.to_owned(), ratio.excess_percent().times(sign))
            };
            let differences = HEURISTICS.into_iter().enumerate().map(change).collect();
            let case = format!("case 1, {name} variation");
            claims.push(Claim { text: text.to_owned(), case, differences });
        }
    }
    claims
}

/// What the paper says, and whether our intervals agree.
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
    for claim in all_claims(data) {
        let mut counts = [0_u64; 3];
        for (setting, difference) in &claim.differences {
            let verdict = match () {
                () if difference.mean + difference.half < 0.0 => 0,
                () if difference.mean - difference.half > 0.0 => 2,
                () => 1,
            };
            counts[verdict] += 1;
            let holds = ["yes", "open", "no"][verdict].into();
            let of = [&claim.text, &claim.case, setting].map(String::as_str);
            all.row(of, [Cell::Estimate(*difference, 1), holds]);
        }
        let means: Moments = claim.differences.iter().map(|(_, difference)| difference.mean).collect();
        let least = claim.differences.iter().map(|(_, d)| d.mean).fold(f64::INFINITY, f64::min);
        let greatest = claim.differences.iter().map(|(_, d)| d.mean).fold(f64::NEG_INFINITY, f64::max);
        let differences = [least, means.mean(), greatest].map(|value| Cell::Number(value, 1));
        table.row([claim.text, claim.case], counts.map(Cell::from).into_iter().chain(differences));
    }
    report.table(table);
    report.table(all);
}
