//! Computes the figures that the claims name: differences between heuristics, between settings, and between factors.

use super::*;
use crate::claims::{Range, Verdict};
use crate::data::Row;
use crate::stats::Estimate;

const NORDUGRID: usize = 2;

fn heuristic(name: &str) -> Option<usize> {
    HEURISTICS.iter().position(|known| *known == name)
}

fn variation(name: &str) -> Option<usize> {
    ["low", "high"].iter().position(|known| *known == name)
}

fn site(name: &str) -> Option<usize> {
    EDG_TESTBED.iter().position(|resource| resource.name.starts_with(name))
}

fn column(name: &str) -> Option<usize> {
    let measure = ["cost", "makespan", "time"].iter().position(|known| *known == name);
    measure.or_else(|| Some(SHARES + site(name)?))
}

/// Parses a setting (a variation with its factor, or a configuration) and a heuristic.
fn setting(name: &str) -> Option<(usize, usize)> {
    let (setting, of) = name.split_once('/')?;
    let setting = match setting.split_once('@') {
        Some((name, factor)) => {
            let factor = FACTORS.iter().position(|known| known.to_string() == factor)?;
            case_1(variation(name)?, factor)
        }
        None => case_2(setting.parse().ok()?),
    };
    Some((setting, heuristic(of)?))
}

/// Parses the name of a number of a row: a setting, a heuristic and a measure. Returns its index.
fn index_by_name(name: &str) -> Option<usize> {
    let (of, measure) = name.rsplit_once('/')?;
    let (setting, heuristic) = setting(of)?;
    Some(index_of(setting, heuristic, column(measure)?))
}

/// Computes the figure that these words name.
pub(super) fn figure(data: &Data, words: &[&str]) -> Option<Figure> {
    let low = |factor, heuristic, column| index_of(case_1(0, factor), heuristic, column);
    // The number of these differences that are proven to lie in the range.
    let held = |range: Range, differences: &dyn Fn(usize) -> Figure, count: usize| {
        let held = (0..count).filter(|&of| range.judge(&differences(of).estimate) == Verdict::Held);
        Estimate::from(held.count() as f64).into()
    };
    Some(match *words {
        // One heuristic against another, over the first factors together.
        ["over-factors", count, of, x, y, measure] => {
            let (count, of, column) = (count.parse().ok()?, variation(of)?, column(measure)?);
            let (x, y) = (heuristic(x)?, heuristic(y)?);
            data.excess_of(|row| {
                let sum = |heuristic| {
                    (0..count).map(|factor| row[index_of(case_1(of, factor), heuristic, column)]).sum()
                };
                (sum(x), sum(y))
            })
        }
        ["factors-held", of, x, y, measure] => {
            let (of, pair, column) = (variation(of)?, (heuristic(x)?, heuristic(y)?), column(measure)?);
            held(Range::less(), &|factor| excess(data, case_1(of, factor), pair, column), FACTORS.len())
        }
        // From each factor to the next.
        ["steps", sign, of, name, measure] => {
            let range = if sign == "less" { Range::less() } else { Range::more() };
            let (of, heuristic, column) = (variation(of)?, heuristic(name)?, column(measure)?);
            let of_factor = |factor| index_of(case_1(of, factor), heuristic, column);
            held(range, &|factor| data.excess(of_factor(factor + 1), of_factor(factor)), FACTORS.len() - 1)
        }
        ["falls-more-with-low", name] => {
            let (heuristic, last) = (heuristic(name)?, FACTORS.len() - 1);
            data.mean_of(|row| {
                let cost = |variation, factor| row[index_of(case_1(variation, factor), heuristic, COST)];
                let change = |variation| 100.0 * (cost(variation, last) / cost(variation, 0) - 1.0);
                change(0) - change(1)
            })
        }
        // The share of workloads in which the makespan falls from some factor to the next and rises from some other
        // to its next. The runs of the other heuristics belong to the figure, too, because the note mentions theirs.
        ["wavers", name, ref others @ ..] => {
            let heuristic = heuristic(name)?;
            let mut figure = data.share_where(|row| {
                let makespan = |factor| row[low(factor, heuristic, MAKESPAN)];
                let makespans: Vec<f64> = (0..FACTORS.len()).map(makespan).collect();
                let steps = || makespans.windows(2);
                let both = steps().any(|pair| pair[1] < pair[0]) && steps().any(|pair| pair[0] < pair[1]);
                makespans.iter().all(|makespan| makespan.is_finite()).then_some(both)
            });
            for other in others {
                figure.runs.extend(self::figure(data, &["wavers", other])?.runs);
            }
            figure
        }
        // What table 1 says of one resource, as a ratio to that of another, or to the minimum or maximum over all
        // resources but these.
        ["testbed", what, of, over, ref but @ ..] => {
            let number = |at: usize| {
                let EdgResource { cpus, mips, inconsistent_price, consistent_price, .. } = EDG_TESTBED[at];
                match what {
                    "cpus" => f64::from(cpus),
                    "rating" => mips,
                    "inconsistent-price" => inconsistent_price,
                    _ => consistent_price,
                }
            };
            let but = but.iter().map(|name| site(name)).collect::<Option<Vec<_>>>()?;
            let others = (0..SITES).filter(|at| !but.contains(at)).map(number);
            let over = match over {
                "least" => others.fold(f64::INFINITY, f64::min),
                "most" => others.fold(0.0, f64::max),
                name => number(site(name)?),
            };
            Estimate::from(number(site(of)?) / over).into()
        }
        _ => return of_shares(data, words),
    })
}

/// As [`figure`], for figures on the resources on which applications run.
fn of_shares(data: &Data, words: &[&str]) -> Option<Figure> {
    Some(match *words {
        // The mean list price of the resource on which an application runs.
        ["list-price", x, y] => {
            let (x, y) = (setting(x)?, setting(y)?);
            let price = |row: &Row<'_>, (setting, heuristic)| {
                let consistent = usize::checked_sub(setting, BY_USER)
                    .is_some_and(|at| Configuration::ALL[at].has_consistent_prices());
                let shares = &row[shares(setting, heuristic)];
                let price = |at: usize| {
                    let EdgResource { consistent_price, inconsistent_price, .. } = EDG_TESTBED[at];
                    if consistent { consistent_price } else { inconsistent_price }
                };
                (0..SITES).map(|at| shares[at] * price(at)).sum::<f64>() / shares.iter().sum::<f64>()
            };
            data.excess_of(|row| (price(row, x), price(row, y)))
        }
        ["lead-of-NorduGrid", of] => {
            let (setting, heuristic) = setting(of)?;
            data.mean_of(|row| {
                let shares = &row[shares(setting, heuristic)];
                let others = (0..SITES).filter(|&site| site != NORDUGRID).map(|site| shares[site]);
                shares[NORDUGRID] - others.fold(0.0, f64::max)
            })
        }
        // The share of the applications that are elsewhere in one distribution than in another.
        ["moved", x, y] => {
            let ((x, of_x), (y, of_y)) = (setting(x)?, setting(y)?);
            data.mean_of(|row| {
                let both = row[shares(x, of_x)].iter().zip(&row[shares(y, of_y)]);
                both.map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
            })
        }
        _ => return data.figure(words, index_by_name),
    })
}
