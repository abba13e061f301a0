//! Closing: placing all waiting jobs along shortest paths, one after another, by lists or by whole rows.

use crate::Answer;
use crate::candidates::drive::ByPaths;
use crate::candidates::lists::CandidateLists;
use crate::candidates::market::Market;
use crate::candidates::paths::Search;
use crate::candidates::state::State;
use crate::candidates::whole_rows::WholeRows;
use crate::kernel::exact;
use crate::kernel::foretold::Foretold;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::row_search::RowSearch;
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
    paths: Paths,
    least_raise: f64,
}

/// One in so many paths, and the part of the work foretold that they may take.
const FIRST_PATHS: usize = 8;
const FIRST_WORK: u64 = 16;

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
        let paths = Paths::new(&state, prepared);
        Ok(Self { state, waiting, done: 0, paths, least_raise })
    }

    /// Keeps all that are placed, after bids without increment over lists without slack: every one of them is
    /// where cost + price is least.
    pub(crate) fn after_bids(prepared: &Prepared<'_>, market: Market) -> Self {
        let least_raise = market.least_raise;
        let (state, waiting) = market.into_state();
        let paths = Paths::new(&state, prepared);
        Self { state, waiting, done: 0, paths, least_raise }
    }

    /// As [`go_on`](Self::go_on), where every place will be taken; false as soon as more than `most` is
    /// foretold.
    pub(crate) fn go_on_if_short(
        &mut self,
        most: u64,
        prepared: &Prepared<'_>,
        lists: &mut CandidateLists<'_>,
    ) -> Result<bool, Stop> {
        let mut foretold = Foretold::new(self.waiting.len());
        for done in 0..self.waiting.len() {
            // The first paths are the short ones.
            let is_early = done * FIRST_PATHS < self.waiting.len();
            if self.paths.work > if is_early { most / FIRST_WORK } else { most }
                || foretold.exceeds(self.paths.work, done, most)
            {
                return Ok(false);
            }
            foretold.one_more();
            prepared.look(&self.state.resource_of, &self.state.prices)?;
            self.paths.augment(self.waiting[done], &mut self.state, lists, prepared)?;
            self.done += 1;
        }
        Ok(true)
    }

    /// Entries that the searches have read.
    pub(crate) fn read(&self) -> u64 {
        self.paths.work
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
        while let Some(&job) = self.waiting.get(self.done) {
            if self.paths.work > limit && self.waiting.len() - self.done > few {
                return Ok(false);
            }
            prepared.look(&self.state.resource_of, &self.state.prices)?;
            self.paths.augment(job, &mut self.state, lists, prepared)?;
            self.done += 1;
        }
        if prepared.is_tight() {
            return Ok(true);
        }
        let left = if few > 0 { u64::MAX } else { limit.saturating_sub(self.paths.work) };
        self.paths.settle(&mut self.state, lists, left, prepared)
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

/// Both searches for shortest augmenting paths. The work of the last paths decides which of them places a
/// job.
struct Paths {
    by_lists: Search<f64>,
    by_rows: RowSearch<f64>,
    /// The recent work of a path by lists, and of one by rows.
    cost: [u64; 2],
    /// Paths until the search that took more is tried again, and how many there were before it was tried the
    /// last time.
    until_trial: u32,
    pause: u32,
    work: u64,
}

/// The second path, and then ever fewer, are tried by the search that took more, which may read so many
/// times what the other does.
const FIRST_TRIAL: u32 = 2;
const FIRST_PAUSE: u32 = 8;
const LONGEST_PAUSE: u32 = 64;
const MOST_OF_TRIAL: u64 = 4;

/// Rows whose entries the first path by lists may read.
const FIRST_ROWS: u64 = 64;

impl Paths {
    fn new(state: &State<f64>, prepared: &Prepared<'_>) -> Self {
        // Reading whole rows is never better where rows are short, or where a resource has many jobs.
        let by_rows = !prepared.source.is_sparse() && prepared.jobs() < 2 * state.prices.len();
        let first_trial = if by_rows { FIRST_TRIAL } else { u32::MAX };
        Self {
            by_lists: Search::new(state),
            by_rows: RowSearch::new(state.prices.len()),
            cost: [0; 2],
            until_trial: first_trial,
            pause: FIRST_PAUSE,
            work: 0,
        }
    }

    fn augment(
        &mut self,
        job: u32,
        state: &mut State<f64>,
        lists: &mut CandidateLists<'_>,
        prepared: &Prepared<'_>,
    ) -> Result<(), Stop> {
        // A search that was never tried has cost nothing yet.
        let better = usize::from(self.by_rows.work > 0 && self.cost[1] < self.cost[0]);
        self.until_trial -= 1;
        let is_trial = self.until_trial == 0;
        if is_trial {
            let budget = MOST_OF_TRIAL * self.cost[better];
            let placed = self.augment_by(1 - better, job, state, lists, prepared, budget)?;
            let won = placed && self.cost[1 - better] < self.cost[better];
            self.pause = if won { FIRST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
            self.until_trial = self.pause;
            if placed {
                return Ok(());
            }
        }
        // The first path by lists shows their cost; where lists are of no use it could be very long.
        let first = self.by_rows.work == 0 && self.until_trial < u32::MAX / 2;
        let budget = if first { FIRST_ROWS * state.prices.len() as u64 } else { u64::MAX };
        if !self.augment_by(better, job, state, lists, prepared, budget)? {
            self.augment_by(1 - better, job, state, lists, prepared, u64::MAX)?;
        }
        Ok(())
    }

    /// Brings free places to the common level, within so much more work; false if more work is needed.
    fn settle(
        &mut self,
        state: &mut State<f64>,
        lists: &mut CandidateLists<'_>,
        budget: u64,
        prepared: &Prepared<'_>,
    ) -> Result<bool, Stop> {
        let before = self.by_lists.work + lists.work;
        let settled = self.by_lists.settle(state, lists, budget, prepared.watch)?;
        self.work += self.by_lists.work + lists.work - before;
        Ok(settled)
    }

    /// By lists (0) or by whole rows (1); false if the budget did not suffice, and nothing has changed.
    fn augment_by(
        &mut self,
        chosen: usize,
        job: u32,
        state: &mut State<f64>,
        lists: &mut CandidateLists<'_>,
        prepared: &Prepared<'_>,
        budget: u64,
    ) -> Result<bool, Stop> {
        let before = self.by_lists.work + lists.work + self.by_rows.work;
        let placed = if chosen == 0 {
            self.by_lists.augment_within(job, state, lists, budget, prepared.watch)?
        } else {
            let mut rows = WholeRows { prepared, state };
            let placed = self.by_rows.augment(job, &mut rows, budget)?;
            for &(job, resource) in self.by_rows.path.iter().filter(|_| placed) {
                self.by_lists.note_placed(job, resource, state);
            }
            placed
        };
        let spent = self.by_lists.work + lists.work + self.by_rows.work - before;
        self.work += spent;
        // Half of the recorded cost is that of the last path; the longest paths come last.
        self.cost[chosen] = (self.cost[chosen] + spent).div_ceil(2);
        Ok(placed)
    }
}
