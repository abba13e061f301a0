//! Every claim of the paper that can be measured, and those that cannot.

use super::evidence::*;
use super::shares::distribution;
use super::{
    COST, FACTORS, GREEDY, HEURISTICS, MAKESPAN, MAX, MIN, TIME, case_1, case_2 as by_user, excess, shares,
};
use crate::claims::{Claims, Range};
use crate::data::{Data, Figure};
use econsched::workload_gen::meta_broker::MetaBrokerConfiguration;

const VARIATIONS: [(&str, &str); 2] = [("low", "fig. 2"), ("high", "fig. 3")];

pub(super) fn claims(data: &Data, claims: &mut Claims) {
    let both = [0, 1].map(|variation| Case1 { data, variation });
    for case in both {
        comparisons(case, claims);
        at_factor_1(case, claims);
    }
    costs_by_factor(both, claims);
    makespans_by_factor(both, claims);
    causes(both, claims);
    case_2(data, claims);
    distribution(data, claims);
    claims.at("section 4.4").missing(
        "one interval takes O(n^2 times the time slots) steps",
        "the steps of the search within the slots of a resource, and what is kept between applications",
    );
}

/// Which heuristic costs less, and which ends earlier, over the factors.
fn comparisons(case: Case1<'_>, claims: &mut Claims) {
    let (name, figure) = VARIATIONS[case.variation];
    let all = FACTORS.len();
    for (place, pair, column, factors, more) in [
        ("section 6.1", (MIN, GREEDY), COST, all, ""),
        ("section 6.1", (MIN, GREEDY), MAKESPAN, all, ""),
        ("section 6.1", (MAX, GREEDY), COST, all, ""),
        ("section 6.1", (MAX, GREEDY), MAKESPAN, all, ""),
        ("section 7", (MIN, MAX), MAKESPAN, all, ""),
        ("section 7", (MAX, MIN), COST, all - 1, " at factors below 1"),
        ("section 7", (MAX, GREEDY), COST, all - 1, " at factors below 1"),
    ] {
        let (of, over) = (HEURISTICS[pair.0], HEURISTICS[pair.1]);
        let what = ["cost", "makespan"][column];
        let text = format!("{name} variation: {of} has a lower {what} than {over}{more}, %");
        let ours = case.over_factors(factors, pair, column);
        let claim = claims.at(format!("{place}, {figure}")).that(text, Range::less(), ours);
        if factors == all {
            claim.note(case.by_factor(pair, column));
        }
    }
}

fn at_factor_1(case: Case1<'_>, claims: &mut Claims) {
    let (name, figure) = VARIATIONS[case.variation];
    let last = FACTORS.len() - 1;
    claims.at(format!("section 7, {figure}"));
    for over in [MIN, GREEDY] {
        let ours = case.excess(last, (MAX, over), COST);
        let text =
            format!("{name} variation: at factor 1 MaxCTT is not cheaper than {}, %", HEURISTICS[over]);
        claims.that(text, Range::within(-crate::claims::SAME, f64::INFINITY), ours);
    }
    claims.at(format!("section 6.1, {figure} (a)"));
    for heuristic in THREE {
        let text = format!("{name} variation: {}'s cost falls from factor 0 to 1, %", HEURISTICS[heuristic]);
        let note = case.steps(heuristic, COST, (Range::less(), "falls"));
        claims.that(text, Range::less(), case.change(heuristic, (0, last), COST)).note(note);
    }
}

fn costs_by_factor([low, high]: [Case1<'_>; 2], claims: &mut Claims) {
    let last = FACTORS.len() - 1;
    for heuristic in THREE {
        let name = HEURISTICS[heuristic];
        let apart = low.data.mean_of(|row| {
            let cost = |case: Case1<'_>, factor| row[case.at(factor, heuristic, COST)];
            let change = |case| 100.0 * (cost(case, last) / cost(case, 0) - 1.0);
            change(low) - change(high)
        });
        let text = format!("{name}'s cost falls more with low variation than with high, percentage points");
        claims.at("section 6.1, figs. 2 (a) and 3 (a)").that(text, Range::less(), apart);
        let text = format!("low variation: {name}'s cost falls from factor 0.8 to 1, %");
        let step = low.change(heuristic, (last - 1, last), COST);
        claims.at("section 6.1, fig. 2 (a)").that(text, Range::less(), step);
        let text = format!("high variation: {name}'s cost stays approximately the same, %");
        let change = high.change(heuristic, (0, last), COST);
        claims.at("section 6.1, fig. 3 (a)").that(text, Range::similar(), change);
    }
}

fn makespans_by_factor([low, high]: [Case1<'_>; 2], claims: &mut Claims) {
    let last = FACTORS.len() - 1;
    claims.at("section 6.1, fig. 2 (b)");
    for heuristic in [GREEDY, MIN] {
        let name = HEURISTICS[heuristic];
        let note = low.steps(heuristic, MAKESPAN, (Range::more(), "grows"));
        let text = format!("low variation: {name}'s makespan grows from factor 0 to 1, %");
        claims.that(text, Range::more(), low.change(heuristic, (0, last), MAKESPAN)).note(note);
        let text = format!("low variation: {name}'s makespan grows from factor 0 to 0.8, %");
        claims.that(text, Range::more(), low.change(heuristic, (0, last - 1), MAKESPAN));
    }
    claims.at("section 6.1, fig. 3 (b)");
    for heuristic in THREE {
        let name = HEURISTICS[heuristic];
        let text = format!("high variation: {name}'s makespan falls slightly from factor 0 to 1, %");
        let note = "the text says fig. 2 (b), against the sentence before; taken for 3 (b)";
        let slightly = Range::within(-crate::claims::SIMILAR, 0.0);
        claims.that(text, slightly, high.change(heuristic, (0, last), MAKESPAN)).note(note);
    }
}

/// Why cost and makespan change with the factor, as the text says.
fn causes(both: [Case1<'_>; 2], claims: &mut Claims) {
    let ([low, high], last) = (both, FACTORS.len() - 1);
    // Workloads in which a makespan falls from one factor to the next and rises from another to its next.
    let wavers = |heuristic: usize| {
        low.data.often(|row| {
            let makespan = |factor| row[low.at(factor, heuristic, MAKESPAN)];
            let makespans: Vec<f64> = (0..=last).map(makespan).collect();
            let steps = || makespans.windows(2);
            let both = steps().any(|pair| pair[1] < pair[0]) && steps().any(|pair| pair[0] < pair[1]);
            makespans.iter().all(|makespan| makespan.is_finite()).then_some(both)
        })
    };
    let text = "low variation: MaxCTT's trend is not fixed, its makespan falls and rises, % of workloads";
    let [min, max, greedy] = THREE.map(wavers);
    let [of_min, of_greedy] = [min.estimate.mean, greedy.estimate.mean];
    let note =
        format!("so it is in more than half of them; MinCTT's in {of_min:.0}%, Greedy's in {of_greedy:.0}%");
    // The note tells of the other runs, too.
    let ours = Figure { runs: [min.runs, max.runs, greedy.runs].concat(), ..max };
    claims.at("section 6.1, fig. 2 (b)").that(text, Range::above(50.0), ours).decimals(1).note(note);
    for (case, (name, figure)) in both.into_iter().zip(VARIATIONS) {
        claims.at(format!("section 6.1, {figure} (a)"));
        for heuristic in THREE {
            let of = HEURISTICS[heuristic];
            let ours = case.data.excess_of(|row| {
                let setting = |factor| case_1(case.variation, factor);
                let price = |factor| list_price(&row[shares(setting(factor), heuristic)], false);
                (price(last), price(0))
            });
            let text = format!(
                "{name} variation: {of} uses cheaper resources at factor 1 than at 0, mean list price in %"
            );
            claims.that(text, Range::less(), ours);
        }
    }
    claims.at("section 6.1, fig. 3 (b)");
    for heuristic in THREE {
        let of = HEURISTICS[heuristic];
        let text = format!(
            "high variation: {of}'s resources are faster too at factor 1 than at 0, mean time run in %"
        );
        claims.that(text, Range::less(), high.change(heuristic, (0, last), TIME));
    }
    claims.at("section 4.3").missing(
        "MaxCTT removes fragmentation from the reservations",
        "what fragmentation is, and how much of it there is; it is neither defined nor measured",
    );
}

fn case_2(data: &Data, claims: &mut Claims) {
    let against = |configuration, pair, column| excess(data, by_user(configuration), pair, column);
    let (less, places) = (Range::less(), ["section 6.2.1, fig. 4 (a)", "section 6.2.1, fig. 4 (b)"]);
    for &place in MetaBrokerConfiguration::ALL {
        let name = place.name();
        for of in BOTH {
            let (what, range) = match place {
                MetaBrokerConfiguration::Locc => {
                    ("costs very slightly more", Range::within(0.0, crate::claims::SIMILAR))
                }
                _ => ("has a lower cost", less),
            };
            let text = format!("{name}: {} {what} than Greedy, %", HEURISTICS[of]);
            claims.at(places[COST]).that(text, range, against(place, (of, GREEDY), COST));
            let text = format!("{name}: {} has a lower makespan than Greedy, %", HEURISTICS[of]);
            claims.at(places[MAKESPAN]).that(text, less, against(place, (of, GREEDY), MAKESPAN));
        }
        let text = format!("{name}: MinCTT costs almost the same as MaxCTT, %");
        claims.at(places[COST]).that(text, Range::same(), against(place, (MIN, MAX), COST));
        let (what, range) = match place {
            MetaBrokerConfiguration::Hicc => {
                ("MinCTT's makespan is not lower than MaxCTT's", Range::within(0.0, f64::INFINITY))
            }
            _ => ("MinCTT has a lower makespan than MaxCTT", less),
        };
        let ours = against(place, (MIN, MAX), MAKESPAN);
        claims.at(places[MAKESPAN]).that(format!("{name}: {what}, %"), range, ours);
    }
}
