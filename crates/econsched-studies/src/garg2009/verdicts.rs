//! Every claim of the paper that can be measured, and those that cannot.

use super::{ByHeuristic, FACTORS, GREEDY, HEURISTICS, MAX, MIN, Replicate, Run, SITES};
use crate::claims::{Claim, Range};
use crate::stats::{Estimate, Moments, Ratio, certain};
use econsched::workload_gen::meta_broker::{EDG_TESTBED, MetaBrokerConfiguration};

const HIUC: usize = 0;
const HICC: usize = 1;
const LOUC: usize = 2;
const LOCC: usize = 3;

const RAL: usize = 0;
const IMPERIAL: usize = 1;
const NORDUGRID: usize = 2;
const LYON: usize = 4;

/// The paper's three heuristics.
const THREE: [usize; 3] = [MIN, MAX, GREEDY];
const BOTH: [usize; 2] = [MIN, MAX];
const VARIATIONS: [(&str, &str); 2] = [("low", "fig. 2"), ("high", "fig. 3")];

/// What is measured of a run.
type Measure = (&'static str, fn(&Run) -> f64);
const COST: Measure = ("cost", |run| run.cost);
const MAKESPAN: Measure = ("makespan", |run| run.makespan);

/// Replicates, and means over them.
struct Evidence<'a>(&'a [Replicate]);

impl Evidence<'_> {
    fn mean(&self, value: impl Fn(&Replicate) -> f64) -> Estimate {
        self.0.iter().map(value).collect::<Moments>().estimate()
    }

    /// How much greater the first is than the second, in per cent, paired.
    fn excess(&self, pair: impl Fn(&Replicate) -> (f64, f64)) -> Estimate {
        let mut ratio = Ratio::default();
        for replicate in self.0 {
            let (x, y) = pair(replicate);
            ratio.push(x, y);
        }
        ratio.excess_percent()
    }

    /// One heuristic against another, over these factors of case 1 together.
    fn case_1(
        &self,
        variation: usize,
        factors: usize,
        (of, over): (usize, usize),
        measure: Measure,
    ) -> Estimate {
        self.excess(|replicate| {
            let sum = |heuristic: usize| {
                replicate.case_1[variation][..factors].iter().map(|runs| measure.1(&runs[heuristic])).sum()
            };
            (sum(of), sum(over))
        })
    }

    /// One heuristic against another in a configuration of case 2.
    fn case_2(&self, configuration: usize, (of, over): (usize, usize), measure: Measure) -> Estimate {
        self.excess(|replicate| {
            let runs: &ByHeuristic<Run> = &replicate.case_2[configuration];
            (measure.1(&runs[of]), measure.1(&runs[over]))
        })
    }

    /// From one factor to another in case 1, in per cent.
    fn change(
        &self,
        variation: usize,
        heuristic: usize,
        (from, to): (usize, usize),
        measure: Measure,
    ) -> Estimate {
        self.excess(|replicate| {
            let runs = &replicate.case_1[variation];
            (measure.1(&runs[to][heuristic]), measure.1(&runs[from][heuristic]))
        })
    }

    /// In how many of the factors the difference lies on the side claimed (below 0), as a note.
    fn settings(&self, variation: usize, pair: (usize, usize), measure: Measure) -> String {
        let below = Range::below(0.0);
        let held = (0..FACTORS.len()).filter(|&at| {
            let difference = self.excess(|replicate| {
                let runs = &replicate.case_1[variation][at];
                (measure.1(&runs[pair.0]), measure.1(&runs[pair.1]))
            });
            below.judge(&difference) == crate::Verdict::Held
        });
        format!("held at {} of the {} factors by itself", held.count(), FACTORS.len())
    }
}

fn configuration(at: usize) -> &'static str {
    MetaBrokerConfiguration::ALL[at].name()
}

/// Mean list price of the resource that an application ran on.
fn list_price(shares: &[f64; SITES], consistent: bool) -> f64 {
    let price = |at: usize| {
        let resource = &EDG_TESTBED[at];
        if consistent { resource.consistent_price } else { resource.inconsistent_price }
    };
    (0..SITES).map(|at| shares[at] * price(at)).sum::<f64>() / shares.iter().sum::<f64>()
}

pub(super) fn claims(replicates: &[Replicate]) -> Vec<Claim> {
    let evidence = Evidence(replicates);
    let mut claims = Vec::new();
    case_1(&evidence, &mut claims);
    case_2(&evidence, &mut claims);
    distribution(&evidence, &mut claims);
    claims.push(Claim::not_determined(
        "section 4.4",
        "one interval takes O(n^2 times the time slots) steps",
        "the text counts neither the search within the slots of a resource nor what is kept between applications",
    ));
    claims
}

fn case_1(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
    for (variation, (name, figure)) in VARIATIONS.into_iter().enumerate() {
        let mut less = |place: &str, pair: (usize, usize), measure: Measure, factors: usize, more: &str| {
            let (of, over) = (HEURISTICS[pair.0], HEURISTICS[pair.1]);
            let text = format!("{name} variation: {of} has a lower {} than {over}{more}, %", measure.0);
            let ours = evidence.case_1(variation, factors, pair, measure);
            let note = if factors == FACTORS.len() {
                evidence.settings(variation, pair, measure)
            } else {
                String::new()
            };
            claims.push(
                Claim::new(format!("{place}, {figure}"), text, Range::below(0.0), ours).with_note(note),
            );
        };
        for of in BOTH {
            less("section 6.1", (of, GREEDY), COST, FACTORS.len(), "");
            less("section 6.1", (of, GREEDY), MAKESPAN, FACTORS.len(), "");
        }
        less("section 7", (MIN, MAX), MAKESPAN, FACTORS.len(), "");
        for over in [MIN, GREEDY] {
            less("section 7", (MAX, over), COST, FACTORS.len() - 1, " at factors below 1");
        }
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
            let text =
                format!("{name} variation: {}'s cost falls from factor 0 to 1, %", HEURISTICS[heuristic]);
            let ours = evidence.change(variation, heuristic, (0, last), COST);
            claims.push(Claim::new(format!("section 6.1, {figure} (a)"), text, Range::below(0.0), ours));
        }
    }
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
        claims.push(Claim::new("section 6.1, figs. 2 (a) and 3 (a)", text, Range::below(0.0), apart));
        let text = format!("low variation: {name}'s cost falls from factor 0.8 to 1, %");
        let step = evidence.change(0, heuristic, (last - 1, last), COST);
        claims.push(Claim::new("section 6.1, fig. 2 (a)", text, Range::below(0.0), step));
        let text = format!("high variation: {name}'s cost stays approximately the same, %");
        let change = evidence.change(1, heuristic, (0, last), COST);
        claims.push(Claim::new("section 6.1, fig. 3 (a)", text, Range::similar(), change));
    }
    for heuristic in [GREEDY, MIN] {
        let text = format!("low variation: {}'s makespan grows from factor 0 to 1, %", HEURISTICS[heuristic]);
        let ours = evidence.change(0, heuristic, (0, last), MAKESPAN);
        claims.push(Claim::new("section 6.1, fig. 2 (b)", text, Range::above(0.0), ours));
        let text =
            format!("low variation: {}'s makespan grows from factor 0 to 0.8, %", HEURISTICS[heuristic]);
        let ours = evidence.change(0, heuristic, (0, last - 1), MAKESPAN);
        claims.push(Claim::new("section 6.1, fig. 2 (b)", text, Range::above(0.0), ours));
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
    claims.push(Claim::not_determined(
        "section 6.1, fig. 2 (b)",
        "MaxCTT's makespan has no fixed trend",
        "any course of the curve agrees with this",
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
                claims.push(Claim::new("section 6.2.1, fig. 4 (a)", text, Range::below(0.0), ours));
            }
            let text = format!("{name}: {} has a lower makespan than Greedy, %", HEURISTICS[of]);
            let ours = evidence.case_2(at, pair, MAKESPAN);
            claims.push(Claim::new("section 6.2.1, fig. 4 (b)", text, Range::below(0.0), ours));
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
            (format!("{name}: MinCTT has a lower makespan than MaxCTT, %"), Range::below(0.0))
        };
        claims.push(Claim::new("section 6.2.1, fig. 4 (b)", text, range, ours));
    }
}

fn distribution(evidence: &Evidence<'_>, claims: &mut Vec<Claim>) {
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
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
        });
        let text = format!("{name}: applications lie alike under LOUC and LOCC, share to be moved in points");
        let range = Range::within(0.0, crate::claims::SIMILAR);
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
    let prices = EDG_TESTBED.each_ref().map(|resource| resource.inconsistent_price);
    let least = prices.iter().copied().fold(f64::INFINITY, f64::min);
    claims.push(
        Claim::new(
            "section 6.2.2 against table 1",
            "HIUC: NorduGrid is the cheapest, its price over the least",
            Range::within(1.0, 1.0),
            certain(prices[NORDUGRID] / least),
        )
        .with_theirs(1.0)
        .with_note("table 1 makes it the dearest; the table is followed"),
    );
}
