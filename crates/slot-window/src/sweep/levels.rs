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
    optimal::{From, Search},
    slots::{Candidate, Held},
};
use crate::{Objective, error::Stop};
use sched_model::{End, Span, Speed, check::Holding};

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
            self.level(From::List, Some(span))?;
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
                self.level(From::Candidates(&first, None, &[]), level)?;
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
                self.level(From::Candidates(&candidates, Some(&least), &[]), level)?;
            }
        }
        Ok(())
    }
}
