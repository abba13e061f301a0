//! Slowest-span windows of one level after the other, the shortest span first, where levels are left out of which
//! no window can be within the budget.
//!
//! A sweep of a level without a window reads the whole list. What the cheapest nodes of a pool cost proves for
//! most levels that there is none, or leaves few slots that can be in one: as for the least cost, of which
//! this has the bounds.

use super::{
    classes::Classes,
    least::{Least, floors},
    list::{candidates, check_length, levels, read_on, runs, speeds},
    most_of_a_group,
    optimal::{Among, Search},
    slots::{Candidate, Held},
};
use crate::{Objective, error::Stop};
use sched_model::{End, Span, Speed, check::Holding, order::sort};

/// Levels with lower bounds on the costs of their windows, and what sweeps of them read.
pub(super) struct Bounds<'a> {
    pub(super) classes: Classes<'a>,
    /// The number of pools.
    pub(super) pools: usize,
    /// In order of their spans, with the bound by prices alone.
    pub(super) levels: Vec<(f64, Held)>,
}

/// Bounds of all levels take about as long as to read the list so many times.
const MANY: usize = 3;

/// So many levels are tried before all candidates are read: to read a list for one is cheap.
const FEW: usize = 8;

/// Number of candidates read first where the window may be among the first ones; then four times as many.
const FIRST: usize = 256;

impl<'a> Search<'a, '_> {
    /// The window of shortest span: the first level that has one gives the answer. A few levels are tried
    /// before all slots are read.
    pub(crate) fn shortest(&mut self) -> Result<(), Stop> {
        let spans = self.least_spans()?;
        for &span in &spans {
            self.level(Among::List, Some(span))?;
            if self.best.choice.is_found() {
                return Ok(());
            }
        }
        let all = candidates(self.query, &self.limits, self.meter)?;
        self.first_of_levels(all, spans.last().copied())
    }

    /// The shortest spans of a task on nodes that the job may have, a few; tasks take less on none.
    fn least_spans(&mut self) -> Result<Vec<Span>, Stop> {
        let mut of_slots = Vec::new();
        speeds(self.query, self.limits.min_speed, &mut of_slots, self.meter)?;
        let given = self.query.eligible.into_iter().flat_map(|eligible| eligible.demands().spans().iter());
        let mut spans: Vec<Span> = given.map(|(_, span)| span).collect();
        for &speed in of_slots.iter().take(FEW) {
            spans.push(self.query.request.work() / Speed::new(speed)?);
        }
        spans.sort_unstable();
        spans.dedup();
        spans.truncate(FEW);
        Ok(spans)
    }

    /// The slowest-span window of least start or finish. All its slots start before it ends, and so are among
    /// the first of the list: only some first candidates are read, then more as long as no window is found,
    /// then all that start before the best window ends. Each level is swept until its windows would end
    /// later. Where there is none in a great part of the list, bounds of all levels come first.
    pub(crate) fn earliest(&mut self) -> Result<(), Stop> {
        check_length(self.query.slots)?;
        let (query, limits) = (self.query, self.limits);
        let mut runs = runs(query).peekable();
        let mut first: Vec<Candidate<'a>> = Vec::new();
        let mut more = FIRST;
        while read_on(query, &limits, &mut runs, &mut first, (more, self.best.rank.value), self.meter)? {
            let levels = levels(first.iter().map(|candidate| candidate.own), Holding::SlowestSpan);
            let is_great = first.len().saturating_mul(4) > query.slots.len() && levels.len() > MANY;
            if is_great && more > FIRST && !self.best.choice.is_found() {
                read_on(query, &limits, &mut runs, &mut first, (usize::MAX, f64::INFINITY), self.meter)?;
                return self.first_of_levels(first, None);
            }
            more = if self.best.choice.is_found() { usize::MAX } else { first.len().saturating_mul(3) };
            for level in levels {
                if self.is_decided_before(level, first[0].start) {
                    break;
                }
                self.level(Among::Candidates(&first, None, &[]), level)?;
            }
            if self.best.objective == Objective::Start && self.best.choice.is_found() {
                break;
            }
        }
        Ok(())
    }

    /// The bounds of all levels of these candidates, which are in time order.
    pub(super) fn bounds(&mut self, all: Vec<Candidate<'a>>, holding: Holding) -> Result<Bounds<'a>, End> {
        let tariff = self.query.slots.tariff();
        let classes = Classes::of(all, (holding, self.limits.finish), tariff, self.meter)?;
        let mut pools: Vec<u32> = classes.classes.iter().map(|class| class.pack).collect();
        pools.sort_unstable();
        pools.dedup();
        let pools = pools.len();
        let levels = levels(classes.classes.iter().map(|class| class.own), holding);
        let floors = floors(&classes, &levels, self.query.request.nodes(), tariff, self.meter)?;
        Ok(Bounds { classes, pools, levels: floors.into_iter().zip(levels).collect() })
    }

    /// Sweeps the levels of longer spans than `swept`, the shortest first, over the slots that can be in a
    /// window within the budget, as long as a window may be better than the best.
    fn first_of_levels(&mut self, all: Vec<Candidate<'a>>, swept: Held) -> Result<(), Stop> {
        let Some(first) = all.first().map(|candidate| candidate.start) else { return Ok(()) };
        let (n, most) = (self.query.request.nodes(), most_of_a_group(self.query));
        let (tariff, budget) = (self.query.slots.tariff(), self.limits.budget);
        let Bounds { classes, pools, levels } = self.bounds(all, Holding::SlowestSpan)?;
        let excluded = |cost: f64| cost > budget || cost == f64::INFINITY;
        for (floor, level) in levels.into_iter().filter(|(_, level)| *level > swept) {
            if self.is_decided_before(level, first) {
                break;
            }
            if excluded(floor) {
                continue;
            }
            let least = Least::of(&classes, (level, pools), (n, most), tariff, self.meter)?;
            if !excluded(least.whole()) {
                let candidates = least.candidates(&classes, (level, budget), tariff, self.meter)?;
                self.level(Among::Candidates(&candidates, Some(&least), &[]), level)?;
            }
        }
        Ok(())
    }
}

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
                self.level(Among::Candidates(&candidates, Some(&least), all), level)?;
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
