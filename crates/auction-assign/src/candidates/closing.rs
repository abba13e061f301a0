//! Closing: placing all waiting jobs along shortest paths, one after another.

use crate::Answer;
use crate::candidates::drive::ByPaths;
use crate::candidates::lists::CandidateLists;
use crate::candidates::market::Market;
use crate::candidates::paths::Search;
use crate::candidates::state::State;
use crate::kernel::exact;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::stop::Stop;

/// From any prices to the exact answer: keeps the jobs that pay their least value, places all others along
/// shortest paths, and brings free places to the common level.
pub(crate) fn close(
    prepared: &Prepared<'_>,
    market: Market,
    lists: &mut CandidateLists<'_>,
) -> Result<Answer, Stop> {
    let mut closing = Closing::new(prepared, market, lists)?;
    // No work exceeds the greatest number, so that one call gives the answer.
    while !closing.go_on(u64::MAX, 0, prepared, lists)? {}
    closing.finish(prepared, lists)
}

/// A closing that may be interrupted: it can be continued, or turned back into a market.
pub(crate) struct Closing {
    state: State<f64>,
    waiting: Vec<u32>,
    done: usize,
    search: Search<f64>,
    /// Entries that the searches have read.
    work: u64,
    least_raise: f64,
}

impl Closing {
    /// Keeps the jobs that pay their least value; the others wait.
    pub(crate) fn new(
        prepared: &Prepared<'_>,
        mut market: Market,
        lists: &mut CandidateLists<'_>,
    ) -> Result<Self, Stop> {
        market.release(lists, 0.0, prepared)?;
        market.reduce(lists, 2 * prepared.jobs(), prepared)?;
        market.release(lists, 0.0, prepared)?;
        let least_raise = market.least_raise;
        let (state, waiting) = market.into_state();
        Ok(Self { search: Search::new(&state), state, waiting, done: 0, work: 0, least_raise })
    }

    /// Entries that the searches have read.
    pub(crate) fn read(&self) -> u64 {
        self.work
    }

    /// Jobs that were to be placed along paths.
    pub(crate) fn jobs(&self) -> usize {
        self.waiting.len()
    }

    /// Places the waiting jobs and brings free places to the common level. Returns false, and can be
    /// continued, once the searches have read `limit` entries in all and more than `few` jobs still wait.
    pub(crate) fn go_on(
        &mut self,
        limit: u64,
        few: usize,
        prepared: &Prepared<'_>,
        lists: &mut CandidateLists<'_>,
    ) -> Result<bool, Stop> {
        while self.done < self.waiting.len() {
            if self.work > limit && self.waiting.len() - self.done > few {
                return Ok(false);
            }
            self.place_next(prepared, lists)?;
        }
        if prepared.is_tight() {
            return Ok(true);
        }
        let left = if few > 0 { u64::MAX } else { limit.saturating_sub(self.work) };
        let before = self.search.work + lists.work;
        let settled = self.search.settle(&mut self.state, lists, left, prepared.watch)?;
        self.work += self.search.work + lists.work - before;
        Ok(settled)
    }

    /// Places the first job that still waits.
    fn place_next(&mut self, prepared: &Prepared<'_>, lists: &mut CandidateLists<'_>) -> Result<(), Stop> {
        prepared.look(&self.state.resource_of, &self.state.prices)?;
        let before = self.search.work + lists.work;
        self.search.augment(self.waiting[self.done], &mut self.state, lists, prepared.watch)?;
        self.work += self.search.work + lists.work - before;
        self.done += 1;
        Ok(())
    }

    /// The answer, once all are placed.
    pub(crate) fn finish(
        self,
        prepared: &Prepared<'_>,
        lists: &mut CandidateLists<'_>,
    ) -> Result<Answer, Stop> {
        let State { resource_of, cost_of, prices, .. } = self.state;
        let found = Found { resource_of, cost_of, prices, least_raise: self.least_raise };
        prepared.look(&found.resource_of, &found.prices)?;
        exact::finish(prepared, found, ByPaths(lists))
    }

    /// The placements and prices as a market.
    pub(crate) fn into_market(self) -> Market {
        Market::from_state(self.state, self.least_raise)
    }
}
