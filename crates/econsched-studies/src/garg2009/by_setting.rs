//! The claims of the paper setting by setting: in which settings each holds.

use super::figures::configurations;
use super::{BLIND, ByHeuristic, FACTORS, GREEDY, HEURISTICS, MAX, MIN, Setting, Tally};
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Estimate, Moments, Ratio};

/// A claim in the settings of one case: differences in per cent that the claim says are below 0.
struct Claim {
    text: String,
    case: String,
    differences: Vec<(String, Estimate)>,
}

fn all_claims(tally: &Tally) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut cases: Vec<(String, Vec<(String, &Setting)>)> = Vec::new();
    for (settings, variation) in tally.case_1.iter().zip(["low", "high"]) {
        let named =
            FACTORS.iter().zip(settings).map(|(factor, setting)| (format!("factor {factor}"), setting));
        cases.push((format!("case 1, {variation} variation"), named.collect()));
    }
    let named = configurations().into_iter().map(str::to_owned).zip(&tally.case_2);
    cases.push(("case 2".to_owned(), named.collect()));
    for (case, settings) in &cases {
        let mut claim = |text: String, difference: &dyn Fn(&Setting) -> Estimate| {
            let differences = settings.iter().map(|(name, setting)| (name.clone(), difference(setting)));
            claims.push(Claim { text, case: case.clone(), differences: differences.collect() });
        };
        for over in [GREEDY, BLIND] {
            for of in [MIN, MAX] {
                let (of_name, over_name) = (HEURISTICS[of], HEURISTICS[over]);
                claim(format!("{of_name} is cheaper than {over_name}"), &|s| s.cost_excess(of, over));
                claim(format!("{of_name} ends before {over_name}"), &|s| s.makespan_excess(of, over));
            }
        }
        claim("MinCTT ends before MaxCTT".to_owned(), &|s| s.makespan_excess(MIN, MAX));
        claim("MaxCTT is cheaper than MinCTT".to_owned(), &|s| s.cost_excess(MAX, MIN));
    }
    for (at, variation) in ["low", "high"].into_iter().enumerate() {
        let of = |ratios: &ByHeuristic<Ratio>, sign: f64| {
            HEURISTICS
                .into_iter()
                .zip(ratios)
                .map(|(name, ratio)| (name.to_owned(), ratio.excess_percent().times(sign)))
                .collect()
        };
        let case = format!("case 1, {variation} variation");
        let text = "cost falls from factor 0 to 1".to_owned();
        claims.push(Claim { text, case: case.clone(), differences: of(&tally.fall[at], 1.0) });
        let text = "makespan grows from factor 0 to 1 (sign turned)".to_owned();
        claims.push(Claim { text, case, differences: of(&tally.rise[at], -1.0) });
    }
    claims
}

/// What the paper says, and whether our intervals agree.
pub(super) fn claims(tally: &Tally, report: &mut StudyReport) {
    let mut all =
        Table::new("claims", "Claims by setting", &["claim", "case", "setting", "difference, %", "holds"])
            .with_saved_only();
    let mut table = Table::new(
        "claims_summary",
        "The paper's claims: in how many settings the 95% interval lies on the claimed side, on neither, on the other; \
         differences in per cent, which a claim says are below 0",
        &["claim", "case", "holds", "open", "fails", "least, %", "mean, %", "greatest, %"],
    );
    for claim in all_claims(tally) {
        let mut counts = [0_u64; 3];
        for (setting, difference) in &claim.differences {
            let verdict = match () {
                () if difference.mean + difference.half < 0.0 => 0,
                () if difference.mean - difference.half > 0.0 => 2,
                () => 1,
            };
            counts[verdict] += 1;
            let cells = [&claim.text, &claim.case, setting].map(|text| Cell::from(text.as_str()));
            let holds = ["yes", "open", "no"][verdict].into();
            all.push(cells.into_iter().chain([Cell::Estimate(*difference, 1), holds]).collect());
        }
        let means: Moments = claim.differences.iter().map(|(_, difference)| difference.mean).collect();
        let least = claim.differences.iter().map(|(_, d)| d.mean).fold(f64::INFINITY, f64::min);
        let greatest = claim.differences.iter().map(|(_, d)| d.mean).fold(f64::NEG_INFINITY, f64::max);
        let mut cells: Vec<Cell> = vec![claim.text.into(), claim.case.into()];
        cells.extend(counts.map(Cell::from));
        cells.extend([least, means.mean(), greatest].map(|value| Cell::Number(value, 1)));
        table.push(cells);
    }
    report.table(table);
    report.table(all);
}
