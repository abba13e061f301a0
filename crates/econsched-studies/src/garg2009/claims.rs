//! Every claim of the paper that can be measured, and those that cannot.

use super::evidence::*;
use super::shares::distribution;
use super::{FACTORS, GREEDY, HEURISTICS, MAX, MIN, Replicate};
use crate::claims::{Claim, Range};
use crate::stats::share;
use econsched::workload_gen::meta_broker::MetaBrokerConfiguration;

const VARIATIONS: [(&str, &str); 2] = [("low", "fig. 2"), ("high", "fig. 3")];

pub(super) fn claims(replicates: &[Replicate]) -> Vec<Claim> {
    let evidence = Evidence(replicates);
    let mut claims = Vec::new();
    case_1(&evidence, &mut claims);
    case_2(&evidence, &mut claims);
    distribution(&evidence, &mut claims);
    claims.push(Claim::not_determined(
        "section 4.4",
        "one interval takes O(n^2 times the time slots) steps",
        "missing: the steps of the search within the slots of a resource, and what is kept between applications",
    ));
    claims
}

fn case_1(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
    for variation in 0..VARIATIONS.len() {
        comparisons(evidence, variation, claims);
        at_factor_1(evidence, variation, claims);
    }
    costs_by_factor(evidence, claims);
    makespans_by_factor(evidence, claims);
    causes(evidence, claims);
}

/// Which heuristic costs less, and which ends earlier, over the factors.
fn comparisons(evidence: &Evidence<'_>, variation: usize, claims: &mut Vec<Claim>) {
    let (name, figure) = VARIATIONS[variation];
    let mut less = |place: &str, pair: (usize, usize), measure: Measure, factors: usize, more: &str| {
        let (of, over) = (HEURISTICS[pair.0], HEURISTICS[pair.1]);
        let text = format!("{name} variation: {of} has a lower {} than {over}{more}, %", measure.0);
        let ours = evidence.case_1(variation, factors, pair, measure);
        let note = if factors == FACTORS.len() {
            evidence.settings(variation, pair, measure)
        } else {
            String::new()
        };
        claims.push(Claim::new(format!("{place}, {figure}"), text, Range::less(), ours).with_note(note));
    };
    for of in BOTH {
        less("section 6.1", (of, GREEDY), COST, FACTORS.len(), "");
        less("section 6.1", (of, GREEDY), MAKESPAN, FACTORS.len(), "");
    }
    less("section 7", (MIN, MAX), MAKESPAN, FACTORS.len(), "");
    for over in [MIN, GREEDY] {
        less("section 7", (MAX, over), COST, FACTORS.len() - 1, " at factors below 1");
    }
}

fn at_factor_1(evidence: &Evidence<'_>, variation: usize, claims: &mut Vec<Claim>) {
    let (name, figure) = VARIATIONS[variation];
    let last = FACTORS.len() - 1;
    for over in [MIN, GREEDY] {
        let ours = evidence.excess(|replicate| {
            let runs = &replicate.case_1[variation][last];
            (runs[MAX].cost, runs[over].cost)
        });
        let text =
            format!("{name} variation: at factor 1 MaxCTT is not cheaper than {}, %", HEURISTICS[over]);
        let range = Range::within(-crate::claims::SAME, f64::INFINITY);
        claims.push(Claim::new(format!("section 7, {figure}"), text, range, ours));
    }
    for heuristic in THREE {
        let text = format!("{name} variation: {}'s cost falls from factor 0 to 1, %", HEURISTICS[heuristic]);
        let ours = evidence.change(variation, heuristic, (0, last), COST);
        let below = Range::less();
        let note = evidence.steps(variation, heuristic, COST, (below, "falls"));
        claims.push(Claim::new(format!("section 6.1, {figure} (a)"), text, below, ours).with_note(note));
    }
}

fn costs_by_factor(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
    let last = FACTORS.len() - 1;
    for heuristic in THREE {
        let name = HEURISTICS[heuristic];
        let apart = evidence.mean(|replicate| {
            let change = |variation: usize| {
                let runs = &replicate.case_1[variation];
                100.0 * (runs[last][heuristic].cost / runs[0][heuristic].cost - 1.0)
            };
            change(0) - change(1)
        });
        let text = format!("{name}'s cost falls more with low variation than with high, percentage points");
        claims.push(Claim::new("section 6.1, figs. 2 (a) and 3 (a)", text, Range::less(), apart));
        let text = format!("low variation: {name}'s cost falls from factor 0.8 to 1, %");
        let step = evidence.change(0, heuristic, (last - 1, last), COST);
        claims.push(Claim::new("section 6.1, fig. 2 (a)", text, Range::less(), step));
        let text = format!("high variation: {name}'s cost stays approximately the same, %");
        let change = evidence.change(1, heuristic, (0, last), COST);
        claims.push(Claim::new("section 6.1, fig. 3 (a)", text, Range::similar(), change));
    }
}

fn makespans_by_factor(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
    let last = FACTORS.len() - 1;
    for heuristic in [GREEDY, MIN] {
        let text = format!("low variation: {}'s makespan grows from factor 0 to 1, %", HEURISTICS[heuristic]);
        let ours = evidence.change(0, heuristic, (0, last), MAKESPAN);
        let above = Range::more();
        let note = evidence.steps(0, heuristic, MAKESPAN, (above, "grows"));
        claims.push(Claim::new("section 6.1, fig. 2 (b)", text, above, ours).with_note(note));
        let text =
            format!("low variation: {}'s makespan grows from factor 0 to 0.8, %", HEURISTICS[heuristic]);
        let ours = evidence.change(0, heuristic, (0, last - 1), MAKESPAN);
        claims.push(Claim::new("section 6.1, fig. 2 (b)", text, Range::more(), ours));
    }
    for heuristic in THREE {
        let text = format!(
            "high variation: {}'s makespan falls slightly from factor 0 to 1, %",
            HEURISTICS[heuristic]
        );
        let ours = evidence.change(1, heuristic, (0, last), MAKESPAN);
        let claim =
            Claim::new("section 6.1, fig. 3 (b)", text, Range::within(-crate::claims::SIMILAR, 0.0), ours);
        claims
            .push(claim.with_note("the text says fig. 2 (b), against the sentence before; taken for 3 (b)"));
    }
}

/// Why cost and makespan change with the factor, as the text says.
fn causes(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
    let last = FACTORS.len() - 1;
    // Workloads in which a makespan falls from one factor to the next and rises from another to its next.
    let wavers = |heuristic: usize| {
        let both = evidence.0.iter().filter(|replicate| {
            let steps =
                || replicate.case_1[0].windows(2).map(|pair| [&pair[0][heuristic], &pair[1][heuristic]]);
            steps().any(|[a, b]| b.makespan < a.makespan) && steps().any(|[a, b]| a.makespan < b.makespan)
        });
        share(both.count() as u64, evidence.0.len() as u64)
    };
    let text = "low variation: MaxCTT's trend is not fixed, its makespan falls and rises, % of workloads";
    let note = format!(
        "so it is in more than half of them; MinCTT's in {:.0}%, Greedy's in {:.0}%",
        wavers(MIN).mean,
        wavers(GREEDY).mean
    );
    let claim = Claim::new("section 6.1, fig. 2 (b)", text, Range::above(50.0), wavers(MAX));
    claims.push(claim.with_decimals(1).with_note(note));
    for (variation, (name, figure)) in VARIATIONS.into_iter().enumerate() {
        for heuristic in THREE {
            let of = HEURISTICS[heuristic];
            let ours = evidence.excess(|replicate| {
                let price = |at: usize| list_price(&replicate.case_1[variation][at][heuristic].shares, false);
                (price(last), price(0))
            });
            let text = format!(
                "{name} variation: {of} uses cheaper resources at factor 1 than at 0, mean list price in %"
            );
            claims.push(Claim::new(format!("section 6.1, {figure} (a)"), text, Range::less(), ours));
        }
    }
    for heuristic in THREE {
        let of = HEURISTICS[heuristic];
        let ours = evidence.change(1, heuristic, (0, last), ("time", |run| run.time));
        let text = format!(
            "high variation: {of}'s resources are faster too at factor 1 than at 0, mean time run in %"
        );
        claims.push(Claim::new("section 6.1, fig. 3 (b)", text, Range::less(), ours));
    }
    claims.push(Claim::not_determined(
        "section 4.3",
        "MaxCTT removes fragmentation from the reservations",
        "missing: what fragmentation is, and how much of it there is; it is neither defined nor measured",
    ));
}

fn case_2(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
    for at in 0..MetaBrokerConfiguration::ALL.len() {
        let name = configuration(at);
        for of in BOTH {
            let pair = (of, GREEDY);
            let ours = evidence.case_2(at, pair, COST);
            if at == LOCC {
                let text = format!("{name}: {} costs very slightly more than Greedy, %", HEURISTICS[of]);
                let range = Range::within(0.0, crate::claims::SIMILAR);
                claims.push(Claim::new("section 6.2.1, fig. 4 (a)", text, range, ours));
            } else {
                let text = format!("{name}: {} has a lower cost than Greedy, %", HEURISTICS[of]);
                claims.push(Claim::new("section 6.2.1, fig. 4 (a)", text, Range::less(), ours));
            }
            let text = format!("{name}: {} has a lower makespan than Greedy, %", HEURISTICS[of]);
            let ours = evidence.case_2(at, pair, MAKESPAN);
            claims.push(Claim::new("section 6.2.1, fig. 4 (b)", text, Range::less(), ours));
        }
        let text = format!("{name}: MinCTT costs almost the same as MaxCTT, %");
        let ours = evidence.case_2(at, (MIN, MAX), COST);
        claims.push(Claim::new("section 6.2.1, fig. 4 (a)", text, Range::same(), ours));
        let ours = evidence.case_2(at, (MIN, MAX), MAKESPAN);
        let (text, range) = if at == HICC {
            (
                format!("{name}: MinCTT's makespan is not lower than MaxCTT's, %"),
                Range::within(0.0, f64::INFINITY),
            )
        } else {
            (format!("{name}: MinCTT has a lower makespan than MaxCTT, %"), Range::less())
        };
        claims.push(Claim::new("section 6.2.1, fig. 4 (b)", text, range, ours));
    }
}
