//! The sweep over slots in order of start, which all window searches share.
//!
//! Any window can be moved back to the latest start of its slots, or to the instant at which the search begins if
//! that is later, without costing more or ending later. So it is enough to test after all slots of equal start. Slots
//! that expire only make the n cheapest more expensive, so a test can succeed after one that failed only if a slot
//! that arrived in between is among the n cheapest.
//!
//! | word | meaning |
//! |---|---|
//! | level | one span for which all nodes of a window are held; or a single level, if each is held for its own |
//! | candidate | a slot whose node the job may have, with room for its task |
//! | live | a slot on which the task can start now |
//! | pool | live slots that may be combined: all, or those of one value of the label to pack by |
//! | group | slots of a pool of which a window may contain a limited number: those of one value of the label to spread by |
//! | visit | the call of a search for the pools that have a window within the budget |
//!
//! AMP is an example of all searches, from `solve::best_window` through [`Search`] to this module. [`sweep`] reads
//! slots in order of start. A slot that suits (fast enough, within the limits, long enough for its task: `slots`)
//! becomes live. Before the first slot that starts later, if an arrival may be among the n cheapest
//! ([`Pools::is_armed`]), expired slots are dropped, the n cheapest are selected, and their sum is tested against the
//! budget ([`Pools::test_budget`]). The first n that pass are AMP's window: the visit takes them and stops the sweep.
//! If a run of slots ends within that instant, [`Sweep::keep_cheapest`] keeps the n cheapest so far, and more
//! expensive slots of the next runs are passed over. Other searches continue with tighter limits, or with the next
//! level.
//!
//! The modules: `list` reads the runs of a list and their candidates; `slots` decides which slots suit; `pools`
//! collects live slots, and keeps them `ordered` once collecting takes too much work; `optimal` ranks windows;
//! `levels` orders levels by their bounds.

mod levels;
mod list;
mod optimal;
mod ordered;
mod pools;
mod slots;

pub(crate) use levels::SmallestByNode;
pub(crate) use list::{NodeNumbers, candidates, candidates_by_pool, distinct_spans, levels};
pub(crate) use optimal::{Best, Choice, Search};
pub(crate) use pools::Pools;
pub(crate) use slots::{Candidate, Held, Limits, fits, last_that_ends_by, latest_start, order_key};

use crate::{WindowError, WindowQuery};
use list::{runs, skipped_work};
use ordered::Ordered;
use sched_model::{Meter, Span, check::Holding};
use slots::{FromCandidates, FromList, Source, usable_from};
use std::ops::ControlFlow::{self, Break, Continue};

/// When a window is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    /// After all slots of equal start.
    EachStart,
    /// After each slot.
    EachSlot,
}

/// The terms of one sweep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SweepTerms {
    /// The level.
    pub(crate) held: Held,
    pub(crate) test: Test,
    /// Whether the visit breaks at the first window within the budget, as for AMP: it is the best of the level.
    pub(crate) first_is_final: bool,
}

/// The function that is called when pools have a window within the budget, with the start of the window. It may
/// tighten the limits, counts its own work, and breaks if the answer is final. It is a trait object, so that the
/// sweep is not compiled for each visit; calls are rare.
pub(crate) type Visit<'v> =
    dyn FnMut(&mut Pools, f64, &mut Limits, &mut Meter) -> Result<ControlFlow<()>, WindowError> + 'v;

/// The maximum number of slots of one group in a window.
pub(crate) fn max_per_group(query: WindowQuery<'_>) -> usize {
    let spread = query.eligible.and_then(|eligible| eligible.demands().spread.as_ref());
    spread.map_or(usize::MAX, |spread| spread.most.get())
}

/// The slots of a sweep: the list; or candidates, with a lower bound on the cost of all other nodes of a window with
/// one of them.
pub(crate) enum Among<'f, 'a> {
    List,
    Candidates(&'f [Candidate<'a>], f64),
}

/// Makes one pass over slots in order of start, for one level. With m slots, w of them live at once: O(m log w) plus
/// the time of `visit`. Each slot read is a unit of work, skipped ones count by [`skipped_work`]; a start of
/// which not all slots could be read is not visited.
pub(crate) fn sweep(
    query: WindowQuery<'_>,
    among: &Among<'_, '_>,
    terms: SweepTerms,
    limits: &mut Limits,
    pools: &mut Pools,
    meter: &mut Meter,
    visit: &mut Visit<'_>,
) -> Result<(), WindowError> {
    let packs = query.eligible.is_some_and(|eligible| eligible.demands().pack.is_some());
    pools.reset(query.request.nodes(), max_per_group(query), packs);
    let slot_limits = *limits;
    let mut sweep = Sweep { terms, limits, slot_limits, pools, meter, visit, now: f64::NEG_INFINITY };
    sweep.update_slot_limits();
    let next = match *among {
        Among::List => sweep.list(query),
        Among::Candidates(all, others) => {
            sweep.candidates(all, FromCandidates { tariff: query.slots.tariff(), others })
        }
    };
    if next?.is_continue() && sweep.pools.is_armed() && sweep.pools.test_budget(sweep.limits.budget) {
        return sweep.visit().map(drop);
    }
    Ok(())
}

/// Returns the maximum number of nodes that may be in one window at some instant, or the requested number if there
/// are enough. Each slot is a unit of work, on each level.
pub(crate) fn most_at_once(
    query: WindowQuery<'_>,
    holding: Holding,
    limits: &Limits,
    meter: &mut Meter,
) -> Result<usize, WindowError> {
    let all = candidates(query.slots, query, limits, meter)?;
    let source = FromCandidates { tariff: query.slots.tariff(), others: 0.0 };
    let mut most = 0;
    for held in levels(all.iter().map(|candidate| candidate.own), holding) {
        // With `usize::MAX` nodes, a pool chooses all slots that may be combined.
        let mut pools: Vec<Ordered> = Vec::new();
        for candidate in &all {
            meter.spend(1)?;
            let Some(entry) = source.entry(candidate, 0, |own| held.unwrap_or(own), limits) else { continue };
            let pool = item_at(&mut pools, entry.pack, || Ordered::new(usize::MAX, max_per_group(query)));
            pool.insert(entry, candidate.start);
            most = most.max(pool.len());
            if most >= query.request.nodes() {
                return Ok(most);
            }
        }
    }
    Ok(most)
}

/// Returns the item at position `number`, after filling up `items` to it with `empty` ones.
fn item_at<T>(items: &mut Vec<T>, number: u32, empty: impl FnMut() -> T) -> &mut T {
    if number as usize >= items.len() {
        items.resize_with(number as usize + 1, empty);
    }
    &mut items[number as usize]
}

/// The number of candidates that are read between two calls of the meter.
const RUN: usize = 256;

/// The state of a sweep.
struct Sweep<'p, 'v> {
    terms: SweepTerms,
    limits: &'p mut Limits,
    /// The limits of a slot. Once there is a final window at this instant, only cheaper slots matter.
    slot_limits: Limits,
    pools: &'p mut Pools,
    meter: &'p mut Meter,
    visit: &'p mut Visit<'v>,
    now: f64,
}

impl Sweep<'_, '_> {
    /// Sweeps the slots of the query's list.
    fn list(&mut self, query: WindowQuery<'_>) -> Result<ControlFlow<()>, WindowError> {
        for (first, run, min_cost) in runs(query.slots, query) {
            let Some(begins) = run.first().map(|first| usable_from(first, query.from.get())) else {
                continue;
            };
            self.keep_cheapest(begins);
            if min_cost.is_none_or(|min_cost| min_cost > self.slot_limits.budget) {
                self.meter.spend(skipped_work(query.slots, run))?;
                continue;
            }
            let next = if query.is_usual() {
                self.run(FromList::<true>::new(&query, first), run)
            } else {
                self.run(FromList::<false>::new(&query, first), run)
            };
            if next?.is_break() {
                return Ok(Break(()));
            }
        }
        Ok(Continue(()))
    }

    /// Sweeps candidates that were read before.
    fn candidates(
        &mut self,
        all: &[Candidate<'_>],
        source: FromCandidates<'_>,
    ) -> Result<ControlFlow<()>, WindowError> {
        for run in all.chunks(RUN) {
            self.keep_cheapest(run[0].start);
            if self.run(source, run)?.is_break() {
                return Ok(Break(()));
            }
        }
        Ok(Continue(()))
    }

    /// Sets the limits of a slot. A task that starts at `start_below` or later ends too late or is not wanted.
    fn update_slot_limits(&mut self) {
        self.slot_limits = *self.limits;
        let finish = self.limits.finish;
        let late = match self.terms.held {
            Some(span) if finish < f64::INFINITY => last_that_ends_by(finish, span.get()).next_up(),
            _ => finish,
        };
        self.slot_limits.start_below = self.limits.start_below.min(late);
    }

    /// If the next run begins at the present instant, and the first window is final: keeps only the n cheapest slots
    /// of a window, if there is one, since only a cheaper slot can displace them.
    fn keep_cheapest(&mut self, begins: f64) {
        let SweepTerms { test, first_is_final, .. } = self.terms;
        if begins <= self.now && first_is_final && test == Test::EachStart && self.pools.is_armed() {
            self.slot_limits.budget = self.slot_limits.budget.min(self.pools.keep_chosen(self.limits.budget));
        }
    }

    /// Charges the meter for slots that were read, as many as it allowed.
    fn count(&mut self, slots: usize) -> Result<(), WindowError> {
        // After the end of the search, counting no slots must not fail.
        if slots > 0 {
            self.meter.spend(slots as u64)?;
        }
        Ok(())
    }

    /// Takes in the slots of a run, in turns: those up to an arrival that arms the pools, then the rest of its instant;
    /// then the pools are tested. A turn may begin in one run and end in the next. The slots read are counted before a
    /// visit, which counts its own work. If the meter allows fewer slots than there are, spending one more unit ends
    /// the sweep.
    fn run<I, S: Source<I>>(&mut self, source: S, run: &[I]) -> Result<ControlFlow<()>, WindowError> {
        let (mut at, mut counted) = (0, 0);
        let mut end = self.meter.allowance(run.len() as u64) as usize;
        loop {
            if !self.pools.is_armed() {
                at = self.insert(&run[..end], at, self.slot_limits.start_below, source);
                if at < end && !self.pools.is_armed() {
                    // This slot and all later ones start too late.
                    return self.count(at + 1 - counted).map(|()| Break(()));
                }
            }
            let stop = match self.terms.test {
                Test::EachStart => self.now.next_up(),
                Test::EachSlot => f64::NEG_INFINITY,
            };
            at = self.insert(&run[..end], at, stop, source);
            if at == end {
                break;
            }
            if self.pools.test_budget(self.limits.budget) {
                // The slot after the instant was read, too.
                self.count(at + 1 - counted)?;
                counted = at + 1;
                if self.visit()?.is_break() {
                    return Ok(Break(()));
                }
                end = counted + self.meter.allowance((run.len() - counted) as u64) as usize;
            }
        }
        self.count(at - counted)?;
        if at < run.len() {
            self.meter.spend(1)?;
        }
        Ok(Continue(()))
    }

    /// Inserts the slots that suit into the pools, from `at` on, up to the first slot that starts at `stop` or later,
    /// or to the arrival that [arms](Pools::is_armed) the pools. Returns the position after the last slot inserted or
    /// passed over.
    fn insert<I>(&mut self, items: &[I], at: usize, stop: f64, source: impl Source<I>) -> usize {
        match self.terms.held {
            None => self.insert_held(items, at, stop, source, |own| own),
            Some(span) => self.insert_held(items, at, stop, source, |_| span),
        }
    }

    /// As [`insert`](Self::insert), for slots that are held for the spans that `hold` gives.
    // The loop is compiled alone, with its own copy of the limits, so that entries stay in registers.
    #[inline(never)]
    fn insert_held<I>(
        &mut self,
        items: &[I],
        mut at: usize,
        stop: f64,
        source: impl Source<I>,
        hold: impl Fn(Span) -> Span + Copy,
    ) -> usize {
        let (slot_limits, budget, was_armed) = (self.slot_limits, self.limits.budget, self.pools.is_armed());
        while let Some(item) = items.get(at) {
            let start = source.start(item);
            if start >= stop {
                break;
            }
            let found = source.entry(item, at, hold, &slot_limits);
            at += 1;
            if let Some(entry) = found {
                self.now = start;
                self.pools.insert(entry, start, budget);
                if !was_armed && self.pools.is_armed() {
                    break;
                }
            }
        }
        at
    }

    fn visit(&mut self) -> Result<ControlFlow<()>, WindowError> {
        let next = (self.visit)(self.pools, self.now, self.limits, self.meter)?;
        self.update_slot_limits();
        Ok(next)
    }
}
