//! The one walk over slots that all searches for windows share.
//!
//! Any window can be moved left to the start of one of its slots, or to the instant the search begins at, without
//! costing more or ending later. So it is enough to test after all slots of equal start. Slots that expire only make
//! the n cheapest more expensive, so a test can succeed where the last one failed only if a slot that arrived since is
//! among them.
//!
//! | word | meaning |
//! |---|---|
//! | level | one span for which all nodes of a window are held, or that each is held for its own |
//! | candidate | a slot whose node the job may have, with room for its task |
//! | live | a slot on which the task can start now |
//! | pool | live slots that go together: all, or those of one value of the label to pack by |
//! | group | slots of a pool of which a window may hold so many: those of one value of the label to spread by |
//! | visit | what a search does with the pools that have a window within the budget |
//!
//! AMP shows the way of all, from `solve::best` by [`Search`] to here: [`sweep`] reads slots in order of start. One
//! that suits (fast enough, within the limits, long enough for its task: `slots`) becomes live. Before the first slot
//! that starts later, if an arrival may be among the n cheapest ([`Pools::is_armed`]), the live set drops what has
//! expired, picks the n cheapest, and tests their sum against the budget ([`Pools::look`]). The first that pass are
//! AMP's window: its visit takes them and stops the sweep. If a run of slots ends within that instant,
//! [`Sweep::settle`] keeps the n cheapest so far, and more expensive slots of the next runs are passed over. Other
//! searches go on from there with tighter limits, or with the next level.
//!
//! `list` reads `slots` in order of start; [`sweep`] keeps those of each start in `pools`, which collect them until the
//! work of this is too much, and then keep them `ordered`; `optimal` ranks windows, with `levels` for the order of
//! levels by their bounds.

mod levels;
mod list;
mod optimal;
mod ordered;
mod pools;
mod slots;

pub(crate) use levels::LeastByNode;
pub(crate) use list::{Nodes, by_pool, candidates, distinct, levels};
pub(crate) use optimal::{Best, Choice, Search};
pub(crate) use pools::Pools;
pub(crate) use slots::{Candidate, Held, Limits, fits, last_that_ends_by, latest_start, position};

use crate::{WindowError, WindowQuery};
use list::{passed_over_work, runs};
use ordered::Ordered;
use sched_model::{Meter, Span, check::Holding};
use slots::{Kept, Listed, Source, usable};
use std::ops::ControlFlow::{self, Break, Continue};

/// When a window is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    /// After all slots of equal start.
    EachStart,
    /// The same, and the first window within the budget is final, as it is for AMP.
    First,
    /// After each slot.
    Slot,
}

/// What is done where pools have a window within the budget: gets the start, may tighten the limits, counts its own
/// work, and breaks the sweep off where the answer is final. One function, not compiled for each visit, since these
/// are rare.
pub(crate) type Visit<'v> =
    dyn FnMut(&mut Pools, f64, &mut Limits, &mut Meter) -> Result<ControlFlow<()>, WindowError> + 'v;

/// The maximum number of slots of one group in a window.
pub(crate) fn most_of_a_group(query: WindowQuery<'_>) -> usize {
    let spread = query.eligible.and_then(|eligible| eligible.demands().spread.as_ref());
    spread.map_or(usize::MAX, |spread| spread.most.get())
}

/// The slots of a sweep: the list; or some candidates, and what the other nodes of a window with one of them cost at
/// least.
pub(crate) enum Among<'f, 'a> {
    List,
    Candidates(&'f [Candidate<'a>], f64),
}

/// One pass over slots in order of start, for one level. With m slots, w of them live at once: O(m log w) plus what
/// `visit` does. Each slot read is a unit of work, skipped ones count by [`passed_over_work`]; a start of which not
/// all slots could be read is not visited.
pub(crate) fn sweep(
    query: WindowQuery<'_>,
    among: &Among<'_, '_>,
    (held, test): (Held, Test),
    limits: &mut Limits,
    pools: &mut Pools,
    meter: &mut Meter,
    visit: &mut Visit<'_>,
) -> Result<(), WindowError> {
    let packs = query.eligible.is_some_and(|eligible| eligible.demands().pack.is_some());
    pools.reset(query.request.nodes(), most_of_a_group(query), packs);
    let of_slot = *limits;
    let mut sweep = Sweep { held, test, limits, of_slot, pools, meter, visit, now: f64::NEG_INFINITY };
    sweep.limit();
    let next = match *among {
        Among::List => sweep.list(query),
        Among::Candidates(all, others) => {
            sweep.candidates(all, Kept { tariff: query.slots.tariff(), others })
        }
    };
    if next?.is_continue() && sweep.pools.is_armed() && sweep.pools.look(sweep.limits.budget) {
        return sweep.visit().map(drop);
    }
    Ok(())
}

/// The maximum number of slots that may be in one window at one instant, or as many as are needed. Each slot is
/// a unit of work, on each level.
pub(crate) fn most_at_once(
    query: WindowQuery<'_>,
    holding: Holding,
    limits: &Limits,
    meter: &mut Meter,
) -> Result<usize, WindowError> {
    let all = candidates(query.slots, query, limits, meter)?;
    let source = Kept { tariff: query.slots.tariff(), others: 0.0 };
    let mut most = 0;
    for held in levels(all.iter().map(|candidate| candidate.own), holding) {
        // A pool for as many slots as there are is never full.
        let mut pools: Vec<Ordered> = Vec::new();
        for candidate in &all {
            meter.spend(1)?;
            let entry = source.entry(candidate, 0, |own| held.unwrap_or(own), limits);
            let Some((entry, pack)) = entry else { continue };
            let pool = numbered(&mut pools, pack, || Ordered::new(usize::MAX, most_of_a_group(query)));
            pool.insert(entry, candidate.start);
            most = most.max(pool.len());
            if most >= query.request.nodes() {
                return Ok(most);
            }
        }
    }
    Ok(most)
}

/// The item of this number; items of lower numbers exist, too, but are `empty`.
fn numbered<T>(items: &mut Vec<T>, number: u32, empty: impl FnMut() -> T) -> &mut T {
    if number as usize >= items.len() {
        items.resize_with(number as usize + 1, empty);
    }
    &mut items[number as usize]
}

/// So many candidates are read between two questions of the meter.
const RUN: usize = 256;

/// The state of a sweep.
struct Sweep<'p, 'v> {
    held: Held,
    test: Test,
    limits: &'p mut Limits,
    /// Those of a slot. Once there is a final window at this instant, only cheaper slots matter.
    of_slot: Limits,
    pools: &'p mut Pools,
    meter: &'p mut Meter,
    visit: &'p mut Visit<'v>,
    now: f64,
}

impl Sweep<'_, '_> {
    fn list(&mut self, query: WindowQuery<'_>) -> Result<ControlFlow<()>, WindowError> {
        for (first, run, least) in runs(query.slots, query) {
            let Some(begins) = run.first().map(|first| usable(first, query.from.get())) else { continue };
            self.settle(begins);
            if least.is_none_or(|least| least > self.of_slot.budget) {
                self.meter.spend(passed_over_work(query.slots, run))?;
                continue;
            }
            let next = if query.is_usual() {
                self.run(Listed::<true>::new(&query, first), run)
            } else {
                self.run(Listed::<false>::new(&query, first), run)
            };
            if next?.is_break() {
                return Ok(Break(()));
            }
        }
        Ok(Continue(()))
    }

    fn candidates(
        &mut self,
        all: &[Candidate<'_>],
        source: Kept<'_>,
    ) -> Result<ControlFlow<()>, WindowError> {
        for run in all.chunks(RUN) {
            self.settle(run[0].start);
            if self.run(source, run)?.is_break() {
                return Ok(Break(()));
            }
        }
        Ok(Continue(()))
    }

    /// Sets the limits of a slot. What starts at `start_below` or later ends too late, or is not asked for.
    fn limit(&mut self) {
        self.of_slot = *self.limits;
        let finish = self.limits.finish;
        let late = match self.held {
            Some(span) if finish < f64::INFINITY => last_that_ends_by(finish, span.get()).next_up(),
            _ => finish,
        };
        self.of_slot.start_below = self.limits.start_below.min(late);
    }

    /// Where a run of slots goes on at the instant of the last one, and the first window is final: if there is one,
    /// keeps the n cheapest in the pool, which only a cheaper slot can displace.
    fn settle(&mut self, begins: f64) {
        if begins <= self.now && self.test == Test::First && self.pools.is_armed() {
            self.of_slot.budget = self.of_slot.budget.min(self.pools.settle(self.limits.budget));
        }
    }

    /// Counts slots that were read, as many as the meter allowed.
    fn count(&mut self, slots: usize) -> Result<(), WindowError> {
        // A search that has ended may still take note that nothing more was read.
        if slots > 0 {
            self.meter.spend(slots as u64)?;
        }
        Ok(())
    }

    /// Takes in the slots of a run: up to an arrival that arms the pools, then the rest of its instant; then looks at
    /// the pools; and so on. What was read is counted before a visit, whose own work comes after it. Where the meter
    /// allows fewer slots than there are, its refusal of one more ends the sweep.
    fn run<I, S: Source<I>>(&mut self, source: S, run: &[I]) -> Result<ControlFlow<()>, WindowError> {
        let (mut at, mut counted) = (0, 0);
        let mut end = self.meter.allowance(run.len() as u64) as usize;
        while at < end {
            // While armed, no further than this instant: the next test comes first.
            let stop = match self.test {
                _ if !self.pools.is_armed() => self.of_slot.start_below,
                Test::Slot => f64::NEG_INFINITY,
                Test::EachStart | Test::First => self.now.next_up(),
            };
            let (rest, was_armed) = (&run[..end], self.pools.is_armed());
            at = match self.held {
                None => self.take_in(rest, (at, stop), source, |own| own),
                Some(span) => self.take_in(rest, (at, stop), source, |_| span),
            };
            if at == end {
                break;
            } else if was_armed {
                if self.pools.look(self.limits.budget) {
                    self.count(at + 1 - counted)?;
                    counted = at + 1;
                    if self.visit()?.is_break() {
                        return Ok(Break(()));
                    }
                    end = counted + self.meter.allowance((run.len() - counted) as u64) as usize;
                }
            } else if !self.pools.is_armed() {
                return self.count(at + 1 - counted).map(|()| Break(()));
            }
        }
        self.count(at - counted)?;
        if at < run.len() {
            self.meter.spend(1)?;
        }
        Ok(Continue(()))
    }

    /// Takes in the slots that suit, from `at` on: up to the first that starts at `stop` or later, or to the arrival
    /// that [arms](Pools::is_armed) the pools. Returns the position after.
    // One loop with its own copy of the limits: an entry does not pass through memory.
    #[inline(never)]
    fn take_in<I>(
        &mut self,
        items: &[I],
        (mut at, stop): (usize, f64),
        source: impl Source<I>,
        hold: impl Fn(Span) -> Span + Copy,
    ) -> usize {
        let (of_slot, budget, was_armed) = (self.of_slot, self.limits.budget, self.pools.is_armed());
        while let Some(item) = items.get(at) {
            let start = source.start(item);
            if start >= stop {
                break;
            }
            let found = source.entry(item, at, hold, &of_slot);
            at += 1;
            if let Some((entry, pack)) = found {
                self.now = start;
                self.pools.insert(entry, pack, start, budget);
                if !was_armed && self.pools.is_armed() {
                    break;
                }
            }
        }
        at
    }

    fn visit(&mut self) -> Result<ControlFlow<()>, WindowError> {
        let next = (self.visit)(self.pools, self.now, self.limits, self.meter)?;
        self.pools.passed();
        self.limit();
        Ok(next)
    }
}
