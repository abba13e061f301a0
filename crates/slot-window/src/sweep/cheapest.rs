//! The cheapest window.

use super::{
    candidates,
    least::Least,
    levels::Bounds,
    most_of_a_group,
    optimal::{From, Search},
    slots::Held,
};
use crate::error::Stop;
use sched_model::{check::Holding, order::sort};

/// What windows may cost more than the least bound of all, as a share of it, in the first searches; then as
/// much as the limit allows. Few slots can be in a window that costs little more than the bound.
const ABOVE: [f64; 3] = [1.0 / 32.0, 1.0 / 4.0, f64::INFINITY];

/// A level with a lower bound on the cost of its windows: by prices alone, or what the slots are long enough
/// for.
type Bounded = (f64, Held, Option<Least>);

impl Search<'_, '_> {
    /// Levels of the least lower bound come first; levels whose bound exceeds the best cost are not swept.
    ///
    /// A first bound of each level counts slots that may be too short for it; the bound over slots that are
    /// long enough is computed only when the level is the next one.
    pub(crate) fn cheapest(&mut self, holding: Holding) -> Result<(), Stop> {
        let all = candidates(self.query, &self.limits, self.meter)?;
        let tariff = self.query.slots.tariff();
        let (n, most) = (self.query.request.nodes(), most_of_a_group(self.query));
        let Bounds { classes, pools, mut levels } = self.bounds(all, holding)?;
        // The next level is the last: that of the least bound, of equal ones the shorter.
        let later = |a: (f64, Held), b: (f64, Held)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
        sort(&mut levels, &|a, b| later(*a, *b));
        let mut levels: Vec<Bounded> =
            levels.into_iter().map(|(floor, level)| (floor, level, None)).collect();
        let limit = self.limits.budget;
        let mut least_of_all: Option<f64> = None;
        for above in ABOVE {
            let mut swept: Vec<Bounded> = Vec::new();
            while let Some((cost, level, known)) = levels.pop() {
                // A share of a bound of 0 excludes nothing.
                let within = least_of_all.map_or(f64::INFINITY, |least| least * (1.0 + above));
                self.limits.budget = if within.is_nan() { limit } else { within.min(limit) };
                let budget = self.best.rank.value.min(self.limits.budget);
                if cost > budget || cost == f64::INFINITY {
                    levels.push((cost, level, known));
                    break;
                }
                let Some(least) = known else {
                    let least = Least::of(&classes, (level, pools), (n, most), tariff, self.meter)?;
                    let own = (least.whole(), level, Some(least));
                    let at =
                        levels.partition_point(|other| later((other.0, other.1), (own.0, own.1)).is_lt());
                    levels.insert(at, own);
                    continue;
                };
                if least_of_all.is_none() {
                    // Now that it is known, the limits of the first search are.
                    least_of_all = Some(cost);
                    levels.push((cost, level, Some(least)));
                    continue;
                }
                let candidates = least.candidates(&classes, (level, budget), tariff, self.meter)?;
                let all = if level.is_some() { &classes.all[..] } else { &[] };
                self.level(From::Candidates(&candidates, Some(&least), all), level)?;
                swept.push((cost, level, Some(least)));
            }
            if self.best.choice.is_found() || self.limits.budget == limit {
                break;
            }
            levels.extend(swept.into_iter().rev());
        }
        Ok(())
    }
}
