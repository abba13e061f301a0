//! Every claim of the paper that can be measured, and those that cannot.

use super::evidence::*;
use super::shares::distribution;
use super::{
    COST, FACTORS, GREEDY, HEURISTICS, MAKESPAN, MAX, MIN, SHARES, TIME, at, case_1 as place,
    case_2 as by_user, run,
};
use crate::claims::{Claim, Range};
use crate::data::{Data, Figure};
use crate::stats::Estimate;
use econsched::workload_gen::meta_broker::MetaBrokerConfiguration;

const VARIATIONS: [(&str, &str); 2] = [("low", "fig. 2"), ("high", "fig. 3")];

pub(super) fn claims(data: &Data) -> Vec<Claim> {
    let mut claims = Vec::new();
    case_1(data, &mut claims);
    case_2(data, &mut claims);
    distribution(data, &mut claims);
    claims.push(Claim::not_determined(
        "section 4.4",
        "one interval takes O(n^2 times the time slots) steps",
        "missing: the steps of the search within the slots of a resource, and what is kept between applications",
    ));
    claims
}

fn case_1(data: &Data, claims: &mut Vec<Claim>) {
    for variation in 0..VARIATIONS.len() {
        comparisons(data, variation, claims);
        at_factor_1(data, variation, claims);
    }
    costs_by_factor(data, claims);
    makespans_by_factor(data, claims);
    causes(data, claims);
}

/// Which heuristic costs less, and which ends earlier, over the factors.
fn comparisons(data: &Data, variation: usize, claims: &mut Vec<Claim>) {
    let (name, figure) = VARIATIONS[variation];
    let mut less = |place: &str, pair: (usize, usize), column: usize, factors: usize, more: &str| {
        let (of, over) = (HEURISTICS[pair.0], HEURISTICS[pair.1]);
        let what = ["cost", "makespan"][column];
        let text = format!("{name} variation: {of} has a lower {what} than {over}{more}, %");
        let ours = over_factors(data, variation, factors, pair, column);
        let note =
            if factors == FACTORS.len() { by_factor(data, variation, pair, column) } else { String::new() };
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

fn at_factor_1(data: &Data, variation: usize, claims: &mut Vec<Claim>) {
    let (name, figure) = VARIATIONS[variation];
    let last = FACTORS.len() - 1;
    for over in [MIN, GREEDY] {
        let setting = place(variation, last);
        let ours = data.excess(at(setting, MAX, COST), at(setting, over, COST));
        let text =
            format!("{name} variation: at factor 1 MaxCTT is not cheaper than {}, %", HEURISTICS[over]);
        let range = Range::within(-crate::claims::SAME, f64::INFINITY);
        claims.push(Claim::new(format!("section 7, {figure}"), text, range, ours));
    }
    for heuristic in THREE {
        let text = format!("{name} variation: {}'s cost falls from factor 0 to 1, %", HEURISTICS[heuristic]);
        let ours = change(data, variation, heuristic, (0, last), COST);
        let below = Range::less();
        let note = steps(data, variation, heuristic, COST, (below, "falls"));
        claims.push(Claim::new(format!("section 6.1, {figure} (a)"), text, below, ours).with_note(note));
    }
}

fn costs_by_factor(data: &Data, claims: &mut Vec<Claim>) {
    let last = FACTORS.len() - 1;
    for heuristic in THREE {
        let name = HEURISTICS[heuristic];
        let ends = [(0, last), (0, 0), (1, last), (1, 0)];
        let apart = data.over(ends.map(|(variation, factor)| run(place(variation, factor), heuristic)));
        let apart = apart.mean(|runs| {
            let change = |last: usize, first: usize| 100.0 * (runs[last][COST] / runs[first][COST] - 1.0);
            change(0, 1) - change(2, 3)
        });
        let text = format!("{name}'s cost falls more with low variation than with high, percentage points");
        claims.push(Claim::new("section 6.1, figs. 2 (a) and 3 (a)", text, Range::less(), apart));
        let text = format!("low variation: {name}'s cost falls from factor 0.8 to 1, %");
        let step = change(data, 0, heuristic, (last - 1, last), COST);
        claims.push(Claim::new("section 6.1, fig. 2 (a)", text, Range::less(), step));
        let text = format!("high variation: {name}'s cost stays approximately the same, %");
        let change = change(data, 1, heuristic, (0, last), COST);
        claims.push(Claim::new("section 6.1, fig. 3 (a)", text, Range::similar(), change));
    }
}

fn makespans_by_factor(data: &Data, claims: &mut Vec<Claim>) {
    let last = FACTORS.len() - 1;
    for heuristic in [GREEDY, MIN] {
        let text = format!("low variation: {}'s makespan grows from factor 0 to 1, %", HEURISTICS[heuristic]);
        let ours = change(data, 0, heuristic, (0, last), MAKESPAN);
        let above = Range::more();
        let note = steps(data, 0, heuristic, MAKESPAN, (above, "grows"));
        claims.push(Claim::new("section 6.1, fig. 2 (b)", text, above, ours).with_note(note));
        let text =
            format!("low variation: {}'s makespan grows from factor 0 to 0.8, %", HEURISTICS[heuristic]);
        let ours = change(data, 0, heuristic, (0, last - 1), MAKESPAN);
        claims.push(Claim::new("section 6.1, fig. 2 (b)", text, Range::more(), ours));
    }
    for heuristic in THREE {
        let text = format!(
            "high variation: {}'s makespan falls slightly from factor 0 to 1, %",
            HEURISTICS[heuristic]
        );
        let ours = change(data, 1, heuristic, (0, last), MAKESPAN);
        let claim =
            Claim::new("section 6.1, fig. 3 (b)", text, Range::within(-crate::claims::SIMILAR, 0.0), ours);
        claims
            .push(claim.with_note("the text says fig. 2 (b), against the sentence before; taken for 3 (b)"));
    }
}

/// Why cost and makespan change with the factor, as the text says.
fn causes(data: &Data, claims: &mut Vec<Claim>) {
    let last = FACTORS.len() - 1;
    // Workloads in which a makespan falls from one factor to the next and rises from another to its next.
    let of_low = |heuristic: usize| (0..=last).map(move |factor| (place(0, factor), heuristic));
    let wavers = |heuristic: usize| -> Estimate {
        data.often(|row| {
            let makespans: Vec<f64> =
                of_low(heuristic).map(|(setting, of)| row[at(setting, of, MAKESPAN)]).collect();
            let steps = || makespans.windows(2);
            let both = steps().any(|pair| pair[1] < pair[0]) && steps().any(|pair| pair[0] < pair[1]);
            makespans.iter().all(|makespan| makespan.is_finite()).then_some(both)
        })
    };
    let text = "low variation: MaxCTT's trend is not fixed, its makespan falls and rises, % of workloads";
    let note = format!(
        "so it is in more than half of them; MinCTT's in {:.0}%, Greedy's in {:.0}%",
        wavers(MIN).mean,
        wavers(GREEDY).mean
    );
    let runs = THREE.into_iter().flat_map(of_low).map(|(setting, heuristic)| run(setting, heuristic));
    let ours = Figure::of(runs, wavers(MAX));
    let claim = Claim::new("section 6.1, fig. 2 (b)", text, Range::above(50.0), ours);
    claims.push(claim.with_decimals(1).with_note(note));
    for (variation, (name, figure)) in VARIATIONS.into_iter().enumerate() {
        for heuristic in THREE {
            let of = HEURISTICS[heuristic];
            let ours = data.over([last, 0].map(|factor| run(place(variation, factor), heuristic)));
            let ours = ours.excess(|[last, first]| {
                (list_price(&last[SHARES..], false), list_price(&first[SHARES..], false))
            });
            let text = format!(
                "{name} variation: {of} uses cheaper resources at factor 1 than at 0, mean list price in %"
            );
            claims.push(Claim::new(format!("section 6.1, {figure} (a)"), text, Range::less(), ours));
        }
    }
    for heuristic in THREE {
        let of = HEURISTICS[heuristic];
        let ours = change(data, 1, heuristic, (0, last), TIME);
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

fn case_2(data: &Data, claims: &mut Vec<Claim>) {
    let against = |configuration, (of, over), column| {
        data.excess(at(by_user(configuration), of, column), at(by_user(configuration), over, column))
    };
    for place in 0..MetaBrokerConfiguration::ALL.len() {
        let name = configuration(place);
        for of in BOTH {
            let pair = (of, GREEDY);
            let ours = against(place, pair, COST);
            if place == LOCC {
                let text = format!("{name}: {} costs very slightly more than Greedy, %", HEURISTICS[of]);
                let range = Range::within(0.0, crate::claims::SIMILAR);
                claims.push(Claim::new("section 6.2.1, fig. 4 (a)", text, range, ours));
            } else {
                let text = format!("{name}: {} has a lower cost than Greedy, %", HEURISTICS[of]);
                claims.push(Claim::new("section 6.2.1, fig. 4 (a)", text, Range::less(), ours));
            }
            let text = format!("{name}: {} has a lower makespan than Greedy, %", HEURISTICS[of]);
            let ours = against(place, pair, MAKESPAN);
            claims.push(Claim::new("section 6.2.1, fig. 4 (b)", text, Range::less(), ours));
        }
        let text = format!("{name}: MinCTT costs almost the same as MaxCTT, %");
        let ours = against(place, (MIN, MAX), COST);
        claims.push(Claim::new("section 6.2.1, fig. 4 (a)", text, Range::same(), ours));
        let ours = against(place, (MIN, MAX), MAKESPAN);
        let (text, range) = if place == HICC {
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
