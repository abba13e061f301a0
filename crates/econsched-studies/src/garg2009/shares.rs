//! Section 6.2.2: the claims about who runs where, and what the text says of Table 1.

use super::evidence::*;
use super::{GREEDY, HEURISTICS, MIN, Replicate, SITES};
use crate::claims::{Claim, Range};
use crate::stats::certain;
use econsched::workload_gen::meta_broker::{EDG_TESTBED, MetaBrokerConfiguration};

pub(super) fn distribution(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
    let share = |configuration: usize, heuristic: usize, site: usize| {
        move |replicate: &Replicate| replicate.case_2[configuration][heuristic].shares[site]
    };
    for heuristic in BOTH {
        for at in 0..MetaBrokerConfiguration::ALL.len() {
            let lead = evidence.mean(|replicate| {
                let shares = &replicate.case_2[at][heuristic].shares;
                let others = (0..SITES).filter(|&site| site != NORDUGRID).map(|site| shares[site]);
                shares[NORDUGRID] - others.fold(0.0, f64::max)
            });
            let (name, heuristic) = (configuration(at), HEURISTICS[heuristic]);
            let text = format!("{name}: {heuristic} sends most applications to NorduGrid, lead in points");
            claims.push(Claim::new("section 6.2.2, fig. 5", text, Range::above(0.0), lead).with_decimals(1));
        }
    }
    for heuristic in THREE {
        let name = HEURISTICS[heuristic];
        let rise = |to: usize, from: usize, site: usize| {
            let (after, before) = (share(to, heuristic, site), share(from, heuristic, site));
            evidence.mean(move |replicate| after(replicate) - before(replicate))
        };
        for (to, from) in [(HICC, HIUC), (LOCC, LOUC)] {
            for (site, resource) in [(NORDUGRID, "NorduGrid"), (LYON, "Lyon")] {
                let (after, before) = (configuration(to), configuration(from));
                let text = format!("{name}: {resource} gets more under {after} than under {before}, points");
                let claim =
                    Claim::new("section 6.2.2, fig. 5", text, Range::above(0.0), rise(to, from, site));
                claims.push(claim.with_decimals(1));
            }
        }
        for at in [LOCC, HICC] {
            let (imperial, ral) = (share(at, heuristic, IMPERIAL), share(at, heuristic, RAL));
            let ours = evidence.mean(|replicate| imperial(replicate) - ral(replicate));
            let text =
                format!("{}: {name} sends more to Imperial College than to RAL, points", configuration(at));
            claims.push(Claim::new("section 6.2.2, fig. 5", text, Range::above(0.0), ours).with_decimals(1));
        }
        let apart = evidence.mean(|replicate| {
            let [a, b] = [LOUC, LOCC].map(|at| &replicate.case_2[at][heuristic].shares);
            to_be_moved(a, b)
        });
        let text = format!("{name}: applications lie alike under LOUC and LOCC, share to be moved in points");
        let range = Range::within(0.0, crate::claims::SIMILAR);
        claims.push(Claim::new("section 6.2.2, fig. 5", text, range, apart).with_decimals(1));
        let apart = evidence.mean(|replicate| {
            let [a, b] = [HIUC, HICC].map(|at| &replicate.case_2[at][heuristic].shares);
            to_be_moved(a, b)
        });
        let text = format!(
            "{name}: with high variation consistent prices matter, share to be moved from HIUC to HICC in points"
        );
        let range = Range::above(crate::claims::SIMILAR);
        claims.push(Claim::new("section 6.2.2, fig. 5", text, range, apart).with_decimals(1));
        let uk = |at: usize| {
            let (a, b) = (share(at, heuristic, IMPERIAL), share(at, heuristic, RAL));
            move |replicate: &Replicate| a(replicate) + b(replicate)
        };
        if heuristic == MIN {
            for (at, theirs) in [(HIUC, 1.0), (HICC, 20.0)] {
                let text =
                    format!("{}: {name} sends this share to Imperial College and RAL, %", configuration(at));
                claims.push(Claim::percentage(
                    "section 6.2.2, fig. 5 (a)",
                    text,
                    theirs,
                    evidence.mean(uk(at)),
                ));
            }
        }
        let (after, before) = (uk(HICC), uk(HIUC));
        let ours = evidence.mean(|replicate| after(replicate) - before(replicate));
        let text = format!("{name}: Imperial College and RAL get more under HICC than under HIUC, points");
        claims.push(Claim::new("section 6.2.2, fig. 5", text, Range::above(0.0), ours).with_decimals(1));
    }
    for at in 0..MetaBrokerConfiguration::ALL.len() {
        let consistent = MetaBrokerConfiguration::ALL[at].consistent_prices();
        for of in BOTH {
            let ours = evidence.excess(|replicate| {
                let price =
                    |heuristic: usize| list_price(&replicate.case_2[at][heuristic].shares, consistent);
                (price(of), price(GREEDY))
            });
            let text = format!(
                "{}: {} uses cheaper resources than Greedy, mean list price in %",
                configuration(at),
                HEURISTICS[of]
            );
            claims.push(Claim::new("section 6.2.2, fig. 5", text, Range::below(0.0), ours));
        }
    }
    testbed(claims);
}

/// What the text says of Table 1.
fn testbed(claims: &mut Vec<Claim>) {
    let least = |values: [f64; SITES]| values.into_iter().fold(f64::INFINITY, f64::min);
    let inconsistent = EDG_TESTBED.each_ref().map(|resource| resource.inconsistent_price);
    let consistent = EDG_TESTBED.each_ref().map(|resource| resource.consistent_price);
    let cpus = EDG_TESTBED.each_ref().map(|resource| f64::from(resource.cpus));
    let ratings = EDG_TESTBED.each_ref().map(|resource| resource.mips);
    let second = {
        let others = (0..SITES).filter(|&at| at != NORDUGRID).map(|at| consistent[at]);
        others.fold(f64::INFINITY, f64::min)
    };
    let of = |text: &str, ours: f64| {
        let claim = Claim::new("section 6.2.2 against table 1", text, Range::within(1.0, 1.0), certain(ours));
        claim.with_theirs(1.0)
    };
    claims.push(
        of(
            "HIUC: NorduGrid is the cheapest, its price over the least",
            inconsistent[NORDUGRID] / least(inconsistent),
        )
        .with_note("table 1 makes it the dearest; the table is followed"),
    );
    claims.extend([
        of(
            "HICC, LOCC: NorduGrid is the cheapest, its price over the least",
            consistent[NORDUGRID] / least(consistent),
        ),
        of(
            "HICC, LOCC: Lyon is the cheapest but NorduGrid, its price over the least of the others",
            consistent[LYON] / second,
        ),
        of("NorduGrid has most CPUs, over the most", cpus[NORDUGRID] / cpus.into_iter().fold(0.0, f64::max)),
        of(
            "Imperial College is the fastest, rating over the greatest",
            ratings[IMPERIAL] / ratings.into_iter().fold(0.0, f64::max),
        ),
        Claim::new(
            "section 6.2.2 against table 1",
            "HICC, LOCC: RAL is cheaper than Imperial College, its price over theirs",
            Range::below(1.0),
            certain(consistent[RAL] / consistent[IMPERIAL]),
        ),
    ]);
}
