//! Section 6.2.2: the claims about the resources on which applications run, and what the text says of Table
//! 1.

use super::evidence::*;
use super::{GREEDY, HEURISTICS, MIN, SHARES, SITES, at, case_2, shares};
use crate::claims::{Claims, Range};
use crate::data::{Data, Row};
use crate::stats::certain;
use econsched::workload_gen::meta_broker::EDG_TESTBED;
use econsched::workload_gen::meta_broker::MetaBrokerConfiguration::{self, *};

const PLACE: &str = "section 6.2.2, fig. 5";

pub(super) fn distribution(data: &Data, claims: &mut Claims) {
    claims.at(PLACE);
    most_to_nordugrid(data, claims);
    for heuristic in THREE {
        rises(data, heuristic, claims);
        alike_and_apart(data, heuristic, claims);
        kingdom(data, heuristic, claims);
    }
    cheaper_resources(data, claims);
    testbed(claims);
}

/// The share of applications that a heuristic sends to a site under a configuration, in per cent.
fn share(configuration: MetaBrokerConfiguration, heuristic: usize, site: usize) -> usize {
    at(case_2(configuration), heuristic, SHARES + site)
}

fn most_to_nordugrid(data: &Data, claims: &mut Claims) {
    for heuristic in BOTH {
        for &at in MetaBrokerConfiguration::ALL {
            let lead = data.mean_of(|row| {
                let shares = &row[shares(case_2(at), heuristic)];
                let others = (0..SITES).filter(|&site| site != NORDUGRID).map(|site| shares[site]);
                shares[NORDUGRID] - others.fold(0.0, f64::max)
            });
            let (name, heuristic) = (at.name(), HEURISTICS[heuristic]);
            let text = format!("{name}: {heuristic} sends most applications to NorduGrid, lead in points");
            claims.that(text, Range::more(), lead).decimals(1);
        }
    }
}

/// Consistent prices raise the shares of NorduGrid and Lyon, and Imperial College has more than RAL.
fn rises(data: &Data, heuristic: usize, claims: &mut Claims) {
    let name = HEURISTICS[heuristic];
    let more = data.difference(share(Locc, heuristic, NORDUGRID), share(Hicc, heuristic, NORDUGRID));
    let text = format!("{name}: the cheapest, NorduGrid, gets more under LOCC than under HICC, points");
    let note = "with less variation of times more goes to the cheapest resource";
    claims.that(text, Range::more(), more).decimals(1).note(note);
    for (to, from) in [(Hicc, Hiuc), (Locc, Louc)] {
        for (site, resource) in [(NORDUGRID, "NorduGrid"), (LYON, "Lyon")] {
            let rise = data.difference(share(to, heuristic, site), share(from, heuristic, site));
            let (to, from) = (to.name(), from.name());
            let text = format!("{name}: {resource} gets more under {to} than under {from}, points");
            claims.that(text, Range::more(), rise).decimals(1);
        }
    }
    for at in [Locc, Hicc] {
        let ours = data.difference(share(at, heuristic, IMPERIAL), share(at, heuristic, RAL));
        let text = format!("{at}: {name} sends more to Imperial College than to RAL, points");
        claims.that(text, Range::more(), ours).decimals(1);
    }
}

/// Whether prices that are consistent change where applications run: with low variation not, with high they
/// do.
fn alike_and_apart(data: &Data, heuristic: usize, claims: &mut Claims) {
    let name = HEURISTICS[heuristic];
    let under = |configuration| shares(case_2(configuration), heuristic);
    let apart = |a, b| data.mean_of(|row| to_be_moved(&row[under(a)], &row[under(b)]));
    let text = format!(
        "{name}: applications are distributed similarly under LOUC and LOCC, share on other resources in points"
    );
    let range = Range::within(0.0, crate::claims::SIMILAR);
    claims.that(text, range, apart(Louc, Locc)).decimals(1);
    let text = format!(
        "{name}: with high variation consistent prices matter, share on other resources under HICC than under HIUC in points"
    );
    let range = Range::above(crate::claims::SIMILAR);
    claims.that(text, range, apart(Hiuc, Hicc)).decimals(1);
}

/// The sites in the United Kingdom, Imperial College and RAL.
fn kingdom(data: &Data, heuristic: usize, claims: &mut Claims) {
    let name = HEURISTICS[heuristic];
    let uk = |row: &Row<'_>, at| row[share(at, heuristic, IMPERIAL)] + row[share(at, heuristic, RAL)];
    if heuristic == MIN {
        for (at, theirs) in [(Hiuc, 1.0), (Hicc, 20.0)] {
            let text = format!("{at}: {name} sends this share to Imperial College and RAL, %");
            let ours = data.mean_share(|row| uk(row, at));
            claims.at("section 6.2.2, fig. 5 (a)").percentage(text, theirs, ours);
        }
    }
    let ours = data.mean_of(|row| uk(row, Hicc) - uk(row, Hiuc));
    let text = format!("{name}: Imperial College and RAL get more under HICC than under HIUC, points");
    claims.at(PLACE).that(text, Range::more(), ours).decimals(1);
}

fn cheaper_resources(data: &Data, claims: &mut Claims) {
    for &at in MetaBrokerConfiguration::ALL {
        let consistent = at.consistent_prices();
        for of in BOTH {
            let price = |row: &Row<'_>, of: usize| list_price(&row[shares(case_2(at), of)], consistent);
            let ours = data.excess_of(|row| (price(row, of), price(row, GREEDY)));
            let name = HEURISTICS[of];
            let text = format!("{at}: {name} uses cheaper resources than Greedy, mean list price in %");
            claims.that(text, Range::less(), ours);
        }
    }
}

/// What the text says of Table 1.
fn testbed(claims: &mut Claims) {
    let least = |values: [f64; SITES]| values.into_iter().fold(f64::INFINITY, f64::min);
    let inconsistent = EDG_TESTBED.each_ref().map(|resource| resource.inconsistent_price);
    let consistent = EDG_TESTBED.each_ref().map(|resource| resource.consistent_price);
    let cpus = EDG_TESTBED.each_ref().map(|resource| f64::from(resource.cpus));
    let ratings = EDG_TESTBED.each_ref().map(|resource| resource.mips);
    let second = {
        let others = (0..SITES).filter(|&at| at != NORDUGRID).map(|at| consistent[at]);
        others.fold(f64::INFINITY, f64::min)
    };
    let most = |values: [f64; SITES]| values.into_iter().fold(0.0, f64::max);
    claims.at("section 6.2.2 against table 1");
    for (text, ours, note) in [
        (
            "HIUC: NorduGrid is the cheapest, its price over the least",
            inconsistent[NORDUGRID] / least(inconsistent),
            "table 1 makes it the most expensive; the table is followed",
        ),
        (
            "HICC, LOCC: NorduGrid is the cheapest, its price over the least",
            consistent[NORDUGRID] / least(consistent),
            "",
        ),
        (
            "HICC, LOCC: Lyon is the cheapest but NorduGrid, its price over the least of the others",
            consistent[LYON] / second,
            "",
        ),
        ("NorduGrid has most CPUs, over the most", cpus[NORDUGRID] / most(cpus), ""),
        ("Imperial College is the fastest, rating over the greatest", ratings[IMPERIAL] / most(ratings), ""),
    ] {
        claims.that(text, Range::within(1.0, 1.0), certain(ours)).theirs(1.0).note(note);
    }
    let text = "HICC, LOCC: RAL is cheaper than Imperial College, its price over theirs";
    claims.that(text, Range::below(1.0), certain(consistent[RAL] / consistent[IMPERIAL]));
}
