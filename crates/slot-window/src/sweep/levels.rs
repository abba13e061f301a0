//! Slowest-span windows of one level after the other, the shortest span first, where levels are left out of which
//! no window can be within the budget.
//!
//! A sweep of a level without a window reads the whole list. What the cheapest nodes of a pool cost proves for
//! most levels that there is none.

use super::{
    Among,
    least::{Level, bounded},
    list::{candidates, distinct, least_spans, read_on, runs},
    optimal::Search,
    slots::Candidate,
};
use crate::{Objective, WindowError};
use sched_model::{End, Span, order::sort};

/// Bounds of all levels take about as long as to read the list so many times.
const MANY: usize = 3;

/// Number of candidates read first where the window may be among the first ones; then four times as many.
const FIRST: usize = 256;

impl<'a> Search<'a, '_> {
    /// The window of shortest span: the first level that has one gives the answer. A few levels are tried
    /// before all slots are read.
    pub(crate) fn shortest(&mut self) -> Result<(), WindowError> {
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
    pub(crate) fn earliest(&mut self) -> Result<(), WindowError> {
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
                self.level(Among::Candidates(&first, 0.0), Some(level))?;
            }
            if self.best.objective == Objective::Start && self.best.choice.is_found() {
                break;
            }
        }
        Ok(())
    }

    /// The levels of these candidates, the shortest first.
    fn bounded(&mut self, all: &[Candidate<'a>]) -> Result<Vec<Level>, End> {
        bounded(all, self.query.request.nodes(), self.query.slots.tariff(), self.meter)
    }

    /// Sweeps the levels that are not `swept`, the shortest first, that may have a window within the budget, as
    /// long as a window may be better than the best.
    fn first_of_levels(&mut self, all: &[Candidate<'a>], swept: &[Span]) -> Result<(), WindowError> {
        for Level { span, floor, others } in self.bounded(all)? {
            if self.is_decided_before(span, all[0].start) {
                break;
            }
            if !swept.contains(&span) && floor <= self.limits.budget && floor < f64::INFINITY {
                self.level(Among::Candidates(all, others), Some(span))?;
            }
        }
        Ok(())
    }

    /// The slowest-span window of least cost. Levels of the least lower bound come first, of equal ones the
    /// shorter; levels whose bound exceeds the best cost are not swept.
    pub(crate) fn cheapest(&mut self) -> Result<(), WindowError> {
        let all = candidates(self.query, &self.limits, self.meter)?;
        let mut levels = self.bounded(&all)?;
        sort(&mut levels, &|a, b| a.floor.total_cmp(&b.floor).then(a.span.cmp(&b.span)));
        for Level { span, floor, others } in levels {
            if floor > self.best.rank.value.min(self.limits.budget) || floor == f64::INFINITY {
                break;
            }
            self.level(Among::Candidates(&all, others), Some(span))?;
        }
        Ok(())
    }
}
