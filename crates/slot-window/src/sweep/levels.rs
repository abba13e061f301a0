//! Slowest-span windows of one level after the other, the shortest span first, where levels are left out of which
//! no window can be within the budget.
//!
//! A sweep of a level without a window reads the whole list. What the cheapest nodes of a pool cost proves for
//! most levels that there is none, or leaves few slots that can be in one: as for the least cost, of which
//! this has the bounds.

use super::{
    Among,
    classes::Classes,
    least::{Least, floors},
    list::{candidates, distinct, least_spans, read_on, runs},
    most_of_a_group,
    optimal::Search,
    slots::Candidate,
};
use crate::{Objective, error::Stop};
use sched_model::{End, Span, order::sort};

/// Levels with lower bounds on the costs of their windows.
struct Bounds {
    classes: Classes,
    /// The number of pools.
    pools: usize,
    /// In order of their spans, with the bound by prices alone.
    levels: Vec<(f64, Span)>,
}

/// Bounds of all levels take about as long as to read the list so many times.
const MANY: usize = 3;

/// Number of candidates read first where the window may be among the first ones; then four times as many.
const FIRST: usize = 256;

impl<'a> Search<'a, '_> {
    /// The window of shortest span: the first level that has one gives the answer. A few levels are tried
    /// before all slots are read.
    pub(crate) fn shortest(&mut self) -> Result<(), Stop> {
        let spans = least_spans(self.query, self.limits.min_speed, self.meter)?;
        for &span in &spans {
            self.level(Among::List, Some(span))?;
            if self.best.choice.is_found() {
                return Ok(());
            }
        }
        let all = candidates(self.query, &self.limits, self.meter)?;
        self.first_of_levels(&all, &spans)
    }

    /// The slowest-span window of least start or finish. All its slots start before it ends, and so are among
    /// the first of the list: only some first candidates are read, then more as long as no window is found,
    /// then all that start before the best window ends. Each level is swept until its windows would end
    /// later. Where there is none in a great part of the list, bounds of all levels come first.
    pub(crate) fn earliest(&mut self) -> Result<(), Stop> {
        let (query, limits) = (self.query, self.limits);
        let mut runs = runs(query).peekable();
        let mut first: Vec<Candidate<'a>> = Vec::new();
        let mut more = FIRST;
        while read_on(query, &limits, &mut runs, &mut first, (more, self.best.rank.value), self.meter)? {
            let levels = distinct(first.iter().map(|candidate| candidate.own));
            let is_great = first.len().saturating_mul(4) > query.slots.len() && levels.len() > MANY;
            if is_great && more > FIRST && !self.best.choice.is_found() {
                read_on(query, &limits, &mut runs, &mut first, (usize::MAX, f64::INFINITY), self.meter)?;
                return self.first_of_levels(&first, &[]);
            }
            more = if self.best.choice.is_found() { usize::MAX } else { first.len().saturating_mul(3) };
            for level in levels {
                if self.is_decided_before(level, first[0].start) {
                    break;
                }
                self.level(Among::Candidates(&first, None), Some(level))?;
            }
            if self.best.objective == Objective::Start && self.best.choice.is_found() {
                break;
            }
        }
        Ok(())
    }

    /// The bounds of all levels of these candidates, which are in time order.
    fn bounds(&mut self, all: &[Candidate<'a>]) -> Result<Bounds, End> {
        let classes = Classes::of(all, self.limits.finish, self.meter)?;
        let mut pools: Vec<u32> = classes.0.iter().map(|class| class.pack).collect();
        pools.sort_unstable();
        pools.dedup();
        let levels = distinct(classes.0.iter().map(|class| class.own));
        let (n, tariff) = (self.query.request.nodes(), self.query.slots.tariff());
        let floors = floors(&classes, &levels, n, tariff, self.meter)?;
        Ok(Bounds { classes, pools: pools.len(), levels: floors.into_iter().zip(levels).collect() })
    }

    /// The bounds of a level over slots that are long enough.
    fn least(&mut self, Bounds { classes, pools, .. }: &Bounds, level: Span) -> Result<Least, End> {
        let of_window = (self.query.request.nodes(), most_of_a_group(self.query));
        Least::of(classes, (level, *pools), of_window, self.query.slots.tariff(), self.meter)
    }

    /// Sweeps the levels that are not `swept`, the shortest first, over the slots that can be in a
    /// window within the budget, as long as a window may be better than the best.
    fn first_of_levels(&mut self, all: &[Candidate<'a>], swept: &[Span]) -> Result<(), Stop> {
        let Some(first) = all.first().map(|candidate| candidate.start) else { return Ok(()) };
        let bounds = self.bounds(all)?;
        let budget = self.limits.budget;
        let excluded = |cost: f64| cost > budget || cost == f64::INFINITY;
        for &(floor, level) in bounds.levels.iter().filter(|(_, level)| !swept.contains(level)) {
            if self.is_decided_before(level, first) {
                break;
            }
            if excluded(floor) {
                continue;
            }
            let least = self.least(&bounds, level)?;
            if !excluded(least.whole()) {
                self.level(Among::Candidates(all, Some(&least)), Some(level))?;
            }
        }
        Ok(())
    }

    /// The slowest-span window of least cost. Levels of the least lower bound come first; levels whose bound
    /// exceeds the best cost are not swept.
    ///
    /// A first bound of each level counts slots that may be too short for it; the bound over slots that are
    /// long enough is computed only when the level is the next one.
    pub(crate) fn cheapest(&mut self) -> Result<(), Stop> {
        let all = candidates(self.query, &self.limits, self.meter)?;
        let mut bounds = self.bounds(&all)?;
        // The next level is the last: that of the least bound, of equal ones the shorter.
        let mut levels: Vec<(f64, Span, Option<Least>)> = std::mem::take(&mut bounds.levels)
            .into_iter()
            .map(|(floor, level)| (floor, level, None))
            .collect();
        sort(&mut levels, &|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        while let Some((cost, level, known)) = levels.pop() {
            if cost > self.best.rank.value.min(self.limits.budget) || cost == f64::INFINITY {
                break;
            }
            if let Some(least) = known {
                self.level(Among::Candidates(&all, Some(&least)), Some(level))?;
                continue;
            }
            let least = self.least(&bounds, level)?;
            let cost = least.whole();
            let at = levels.partition_point(|other| (other.0, other.1) > (cost, level));
            levels.insert(at, (cost, level, Some(least)));
        }
        Ok(())
    }
}
