//! Slowest-span windows of one level after the other, the shortest span first, where levels are left out of which
//! no window can be within the budget.
//!
//! A sweep of a level without a window reads the whole list. What the cheapest nodes of a pool cost proves for
//! most levels that there is none, or leaves few slots that can be in one: as for the least cost, of which
//! this has the bounds.

use super::{
    candidates::{Candidate, Level, again, levels, levels_of_spans, read_on},
    classes::Classes,
    least::{Least, floors},
    pool::most_of_a_group,
    search::Search,
};
use crate::{
    Objective,
    error::Stop,
    scan::{Hold, speeds_below},
};
use sched_model::{End, Span, Speed, check::Holding};
use std::collections::BTreeSet;

/// Levels with lower bounds on the costs of their windows, and what sweeps of them read.
pub(super) struct Bounds<'a> {
    pub(super) classes: Classes<'a>,
    /// The number of pools.
    pub(super) pools: usize,
    /// In order of their spans, with the bound by prices alone.
    pub(super) levels: Vec<(f64, Level)>,
}

/// Bounds of all levels take about as long as to read the list so many times.
const MANY: usize = 3;

/// Number of candidates read first where the window may be among the first ones; then four times as many.
const FIRST: usize = 1024;

impl<'a> Search<'a, '_> {
    /// Levels in order of their spans: the first that has a window gives the answer. Candidates are read only
    /// as far as the first sweep needs them.
    pub(super) fn shortest(
        &mut self,
        source: impl Iterator<Item = Result<Candidate<'a>, End>>,
    ) -> Result<(), Stop> {
        let Some(span) = self.least_span()? else { return Ok(()) };
        let mut read: Vec<Candidate<'a>> = Vec::new();
        let source = source.map(|next| next.inspect(|&candidate| read.push(candidate)));
        self.level(source, Level { hold: Hold::Same(span), longest: span.get() }, None)?;
        if self.best.choice.is_found() {
            return Ok(());
        }
        // What starts too late for the shortest span starts too late for all.
        self.first_of_levels(read, span.get())
    }

    /// No task takes less on a node that the job may have; `None` where there is none.
    fn least_span(&mut self) -> Result<Option<Span>, Stop> {
        let (query, min_speed, mut speeds) = (self.query, self.limits.min_speed, Vec::new());
        self.meter.with(|meter| speeds_below(query, min_speed, f64::INFINITY, &mut speeds, meter))?;
        let Some(&fastest) = speeds.first() else { return Ok(None) };
        let by_speed = self.query.request.work() / Speed::new(fastest)?;
        let given = self.eligible.demands().spans().iter().map(|(_, span)| span);
        Ok(Some(given.fold(by_speed, Span::min)))
    }

    /// The slowest-span window of least start or finish. All its slots start before it ends, and so are among
    /// the first of the list: only some first candidates are read, then more as long as no window is found,
    /// then all that start before the best window ends. Each level is swept until its windows would end
    /// later. Where there is none in a great part of the list, bounds of all levels come first.
    pub(super) fn earliest(
        &mut self,
        source: impl Iterator<Item = Result<Candidate<'a>, End>>,
    ) -> Result<(), Stop> {
        let mut source = source.peekable();
        let mut first: Vec<Candidate<'a>> = Vec::new();
        let mut more = FIRST;
        while read_on(&mut source, &mut first, more, self.best.rank.value)? {
            let levels = levels(self.query, &first, Holding::SlowestSpan);
            let is_great = first.len().saturating_mul(4) > self.query.slots.len() && levels.len() > MANY;
            if is_great && more > FIRST && !self.best.choice.is_found() {
                read_on(&mut source, &mut first, usize::MAX, f64::INFINITY)?;
                return self.first_of_levels(first, 0.0);
            }
            more = if self.best.choice.is_found() { usize::MAX } else { first.len().saturating_mul(3) };
            for level in levels {
                if self.is_decided_before(level, first[0].start) {
                    break;
                }
                self.level(again(&first, self.meter), level, None)?;
            }
            if self.best.objective == Objective::Start && self.best.choice.is_found() {
                break;
            }
        }
        Ok(())
    }

    /// The bounds of all levels of these candidates, which are in time order.
    pub(super) fn bounds(&self, all: Vec<Candidate<'a>>, holding: Holding) -> Result<Bounds<'a>, End> {
        let (tariff, meter) = (self.query.slots.tariff(), self.meter);
        let classes = Classes::of(all, (holding, self.limits.finish), tariff, meter)?;
        let pools = classes.classes.iter().map(|class| class.pack).collect::<BTreeSet<u32>>().len();
        let spans = classes.classes.iter().map(|class| Ok::<Span, End>(class.own));
        let levels = levels_of_spans(self.query, spans, holding)?;
        let floors = floors(&classes, &levels, self.query.request.nodes(), tariff, meter)?;
        Ok(Bounds { classes, pools, levels: floors.into_iter().zip(levels).collect() })
    }

    /// Sweeps the levels of longer spans than `swept`, the shortest first, over the slots that can be in a
    /// window within the budget, as long as a window may be better than the best.
    pub(super) fn first_of_levels(&mut self, all: Vec<Candidate<'a>>, swept: f64) -> Result<(), Stop> {
        let Some(first) = all.first().map(|candidate| candidate.start) else { return Ok(()) };
        let (n, most) = (self.query.request.nodes(), most_of_a_group(self.eligible));
        let (tariff, meter, budget) = (self.query.slots.tariff(), self.meter, self.limits.budget);
        let Bounds { classes, pools, levels } = self.bounds(all, Holding::SlowestSpan)?;
        let excluded = |cost: f64| cost > budget || cost == f64::INFINITY;
        for (floor, level) in levels.into_iter().filter(|(_, level)| level.longest > swept) {
            if self.is_decided_before(level, first) {
                break;
            }
            if excluded(floor) {
                continue;
            }
            let least = Least::of(&classes, (level, pools), (n, most), tariff, meter)?;
            if !excluded(least.whole()) {
                let candidates = least.candidates(&classes, (level, budget), tariff, meter)?;
                self.level(candidates, level, Some((&least, &[])))?;
            }
        }
        Ok(())
    }
}
