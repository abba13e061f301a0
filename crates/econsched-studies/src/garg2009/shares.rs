//! Section 6.2.2: the claims about the resources on which applications run, and what the text says of Table
//! 1.

use super::evidence::*;
use super::{GREEDY, HEURISTICS, MIN, Replicate, SITES};
use crate::claims::{Claim, Range};
use crate::stats::certain;
use econsched::workload_gen::meta_broker::{EDG_TESTBED, MetaBrokerConfiguration};

const PLACE: &str = "section 6.2.2, fig. 5";

pub(super) fn distribution(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
    most_to_nordugrid(evidence, claims);
    for heuristic in THREE {
        rises(evidence, heuristic, claims);
        alike_and_apart(evidence, heuristic, claims);
        kingdom(evidence, heuristic, claims);
    }
    cheaper_resources(evidence, claims);
    testbed(claims);
}

/// The share of applications that a heuristic sends to a site under a configuration, in per cent.
fn share(configuration: usize, heuristic: usize, site: usize) -> impl Fn(&Replicate) -> f64 {
    move |replicate| replicate.case_2[configuration][heuristic].shares[site]
}

fn most_to_nordugrid(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
    for heuristic in BOTH {
        for at in 0..MetaBrokerConfiguration::ALL.len() {
            let lead = evidence.mean(|replicate| {
                let shares = &replicate.case_2[at][heuristic].shares;
                let others = (0..SITES).filter(|&site| site != NORDUGRID).map(|site| shares[site]);
                shares[NORDUGRID] - others.fold(0.0, f64::max)
            });
            let (name, heuristic) = (configuration(at), HEURISTICS[heuristic]);
            let text = format!("{name}: {heuristic} sends most applications to NorduGrid, lead in points");
            claims.push(Claim::new(PLACE, text, Range::more(), lead).with_decimals(1));
        }
    }
}

/// Consistent prices raise the shares of NorduGrid and Lyon, and Imperial College has more than RAL.
fn rises(evidence: &Evidence<'_>, heuristic: usize, claims: &mut Vec<Claim>) {
    let name = HEURISTICS[heuristic];
    let (after, before) = (share(LOCC, heuristic, NORDUGRID), share(HICC, heuristic, NORDUGRID));
    let more = evidence.mean(move |replicate| after(replicate) - before(replicate));
    let text = format!("{name}: the cheapest, NorduGrid, gets more under LOCC than under HICC, points");
    claims.push(
        Claim::new(PLACE, text, Range::more(), more)
            .with_decimals(1)
            .with_note("with less variation of times more goes to the cheapest resource"),
    );
    for (to, from) in [(HICC, HIUC), (LOCC, LOUC)] {
        for (site, resource) in [(NORDUGRID, "NorduGrid"), (LYON, "Lyon")] {
            let (after, before) = (share(to, heuristic, site), share(from, heuristic, site));
            let rise = evidence.mean(move |replicate| after(replicate) - before(replicate));
            let (after, before) = (configuration(to), configuration(from));
            let text = format!("{name}: {resource} gets more under {after} than under {before}, points");
            claims.push(Claim::new(PLACE, text, Range::more(), rise).with_decimals(1));
        }
    }
    for at in [LOCC, HICC] {
        let (imperial, ral) = (share(at, heuristic, IMPERIAL), share(at, heuristic, RAL));
        let ours = evidence.mean(|replicate| imperial(replicate) - ral(replicate));
        let text =
            format!("{}: {name} sends more to Imperial College than to RAL, points", configuration(at));
        claims.push(Claim::new(PLACE, text, Range::more(), ours).with_decimals(1));
    }
}

/// Whether prices that are consistent change where applications run: with low variation not, with high they
/// do.
fn alike_and_apart(evidence: &Evidence<'_>, heuristic: usize, claims: &mut Vec<Claim>) {
    let name = HEURISTICS[heuristic];
    let apart = |pair: [usize; 2]| {
        evidence.mean(|replicate| {
            let [a, b] = pair.map(|at| &replicate.case_2[at][heuristic].shares);
            to_be_moved(a, b)
        })
    };
    let text = format!(
        "{name}: applications are distributed similarly under LOUC and LOCC, share on other resources in points"
    );
    let range = Range::within(0.0, crate::claims::SIMILAR);
    claims.push(Claim::new(PLACE, text, range, apart([LOUC, LOCC])).with_decimals(1));
    let text = format!(
        "{name}: with high variation consistent prices matter, share on other resources under HICC than under HIUC in points"
    );
    let range = Range::above(crate::claims::SIMILAR);
    claims.push(Claim::new(PLACE, text, range, apart([HIUC, HICC])).with_decimals(1));
}

/// The sites in the United Kingdom, Imperial College and RAL.
fn kingdom(evidence: &Evidence<'_>, heuristic: usize, claims: &mut Vec<Claim>) {
    let name = HEURISTICS[heuristic];
    let uk = |at: usize| {
        let (a, b) = (share(at, heuristic, IMPERIAL), share(at, heuristic, RAL));
        move |replicate: &Replicate| a(replicate) + b(replicate)
    };
    if heuristic == MIN {
        for (at, theirs) in [(HIUC, 1.0), (HICC, 20.0)] {
            let text =
                format!("{}: {name} sends this share to Imperial College and RAL, %", configuration(at));
            let ours = evidence.mean_share(uk(at));
            claims.push(Claim::percentage("section 6.2.2, fig. 5 (a)", text, theirs, ours));
        }
    }
    let (after, before) = (uk(HICC), uk(HIUC));
    let ours = evidence.mean(|replicate| after(replicate) - before(replicate));
    let text = format!("{name}: Imperial College and RAL get more under HICC than under HIUC, points");
    claims.push(Claim::new(PLACE, text, Range::more(), ours).with_decimals(1));
}

fn cheaper_resources(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
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
            claims.push(Claim::new(PLACE, text, Range::less(), ours));
        }
    }
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
        .with_note("table 1 makes it the most expensive; the table is followed"),
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
