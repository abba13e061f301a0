//! Every claim of the slides that can be measured, and those that cannot.

use super::{
    ALGORITHMS, FINISH, FIRST_FIT, MAX_Q, MEASURES, MIN_COST, MIN_FINISH, MIN_RUNTIME, MULTIPLE_BEST, OWN, Q,
    SIMULATOR, SIMULATOR_Q_40, advantage, at,
};
use crate::claims::{Claims, Range};
use crate::data::Data;

pub(super) fn claims(data: &Data, nodes: u32, claims: &mut Claims) {
    if nodes == 100 {
        claims.at("Conclusions");
        let text = |over: usize| format!("advantage of Max Q over {}, % of Max Q's Q", ALGORITHMS[over]);
        let reckoning = "in per cent of the other algorithm's Q it differs more: see table gains100";
        claims.percentage(text(FIRST_FIT), 44.0, advantage(data, FIRST_FIT)).note(reckoning);
        claims.percentage(text(MULTIPLE_BEST), 18.0, advantage(data, MULTIPLE_BEST));
        claims.at("Simulation Study: Time I, Cost, Custom Criterion");
    } else {
        claims.at("Simulation Study: Time II");
    }
    for (algorithm, what, range) in [
        (MIN_FINISH, "ends first", Range::less()),
        (MIN_RUNTIME, "runs shortest", Range::less()),
        (MIN_COST, "costs least", Range::less()),
        (MAX_Q, "has the greatest Q", Range::more()),
        (MULTIPLE_BEST, "has a greater Q", Range::more()),
    ] {
        let text = format!("{nodes} nodes: {} {what}, against First Fit in %", ALGORITHMS[algorithm]);
        let own = OWN[algorithm];
        claims.that(text, range, data.excess(at(algorithm, own), at(FIRST_FIT, own)));
    }
    let longest = (0..ALGORITHMS.len()).map(|of| data.moments(at(of, FINISH)).estimate());
    let longest = longest.max_by(|a, b| a.mean.total_cmp(&b.mean)).filter(|_| nodes != 100);
    if let Some(longest) = longest {
        let text = "40 nodes: the longest bar, start and runtime, ends where the axis does: 600 to 700";
        let note = "the numbers on the axis are all that is legible; it has a line at each 100";
        claims.that(text, Range::within(600.0, 700.0), longest).decimals(1).note(note);
    }
    claims.at("simulator published with the slides");
    for (place, algorithm) in ALGORITHMS.into_iter().enumerate() {
        for (measure, name) in MEASURES.into_iter().enumerate() {
            let theirs = match nodes {
                100 => SIMULATOR[place][measure],
                _ if measure == Q => SIMULATOR_Q_40[place],
                _ => f64::NAN,
            };
            if theirs.is_finite() {
                let text = format!("{nodes} nodes: {algorithm}, {name}");
                let claim = claims.number(text, theirs, data.mean(at(place, measure)));
                claim.decimals(if measure == Q { 2 } else { 1 }).note(note(place, measure));
            }
        }
    }
}

/// Why ours may differ from the simulator's.
fn note(algorithm: usize, measure: usize) -> &'static str {
    match (algorithm, measure) {
        (FIRST_FIT | MIN_FINISH | MULTIPLE_BEST, 0..=2) => {
            "ours tests the window at every slot of a group of equal starts"
        }
        (MAX_Q, Q) => "ours is exact on real costs",
        _ => "",
    }
}
