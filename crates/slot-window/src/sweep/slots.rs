//! The test whether a slot suits: one of a list, or a candidate that was read before. A slot that suits enters a pool
//! as an [`Entry`], which has the data that are needed there.

use crate::{WindowError, WindowQuery, error::factor};
use sched_model::{Eligible, Money, Price, Slot, Span, Tariff, Time, Work, check::Rules};

/// The level of a sweep: the span for which all nodes of a window are held, which no task exceeds; `None` if each
/// node is held for its own span.
pub(crate) type Held = Option<Span>;

/// The limits of slots and windows in a sweep, which may tighten them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Minimum speed.
    pub(crate) min_speed: f64,
    /// Maximum price of a slot.
    pub(crate) price: f64,
    /// Maximum cost of the window.
    pub(crate) budget: f64,
    /// Latest finish.
    pub(crate) finish: f64,
    /// The span for which a node is held must be below this.
    pub(crate) span_below: f64,
    /// The window must start before this.
    pub(crate) start_below: f64,
}

impl Limits {
    /// Returns the limits of a query under the rules of a search.
    ///
    /// # Errors
    /// [`WindowError::Factor`] unless rho is positive and finite.
    pub(crate) fn of(query: &WindowQuery<'_>, rules: Rules) -> Result<Self, WindowError> {
        if let Some(rho) = rules.budget_factor {
            factor("rho", rho)?;
        }
        let request = query.request;
        Ok(Self {
            min_speed: request.min_speed.get(),
            price: rules.price_limit(request).map_or(f64::INFINITY, Price::get),
            budget: rules.budget(request).map_or(f64::INFINITY, Money::get),
            finish: request.deadline.map_or(f64::INFINITY, Time::get),
            span_below: f64::INFINITY,
            start_below: query.start_below(),
        })
    }
}

/// The instant from which on `slot` can be used by a search that begins at `from`.
#[inline(always)]
pub(crate) fn usable_from(slot: &Slot, from: f64) -> f64 {
    let start = slot.start.get();
    if start < from { from } else { start }
}

/// A slot whose node the job may have, with room for its task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) slot: &'a Slot,
    /// The instant from which on it can be used in this query.
    pub(crate) start: f64,
    /// The span of the task on its node.
    pub(crate) own: Span,
    /// Its position, as [`Entry::at`].
    pub(crate) at: u32,
    /// The position of its pool, and the number of its group in the pool.
    pub(crate) pack: u32,
    pub(crate) group: u32,
}

/// A slot in a pool, which has room for a task of the request on the level of the sweep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// The charge for the span for which it is held.
    pub(crate) cost: f64,
    /// The instant by which the task must end.
    pub(crate) end: f64,
    /// The span for which it is held.
    pub(crate) span: f64,
    /// The node of the slot.
    pub(crate) node: u32,
    /// The position of the slot among those of the [runs](sched_model::SlotList::runs_alive_at) that are alive at the
    /// query's `from`.
    pub(crate) at: u32,
    /// The position of its pool.
    pub(crate) pack: u32,
    /// Its group, of which a window may contain a limited number of slots.
    pub(crate) group: u32,
}

impl Entry {
    /// Whether the task can start at `now`; once it cannot, it never can later.
    #[inline(always)]
    pub(crate) fn fits(&self, now: f64) -> bool {
        fits(now, self.span, self.end)
    }

    /// Returns its candidate among all candidates of the list, which must be in order of start.
    pub(crate) fn among<'c, 'a>(&self, all: &'c [Candidate<'a>]) -> Option<&'c Candidate<'a>> {
        all.binary_search_by_key(&self.at, |candidate| candidate.at).ok().map(|number| &all[number])
    }

    /// The sort key: cost, then node, then position in the list. Costs are never negative, so their bits are in the
    /// order of their values.
    #[inline]
    fn key(&self) -> (u64, u32, u32) {
        (self.cost.to_bits(), self.node, self.at)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// A source of slots in order of start.
pub(super) trait Source<I>: Copy {
    /// The instant from which on a slot can be used in this query.
    fn start(self, item: &I) -> f64;

    /// The entry of the slot at position `at` of the list, if it suits: fast enough, cheap enough, on an allowed node,
    /// and long enough from its start on. Of a candidate, which knows its position, only what `limits` and `hold`
    /// change is tested. `hold` gives the span for which the slot is held, from the span of its task.
    fn entry(self, item: &I, at: usize, hold: impl Fn(Span) -> Span, limits: &Limits) -> Option<Entry>;
}

/// The slots of a list, from the position `first` on. Loops are compiled separately for the
/// [usual](WindowQuery::is_usual) terms, so that tariffs and demands do not slow these down.
#[derive(Clone, Copy)]
pub(super) struct FromList<'q, 'a, const USUAL: bool> {
    query: &'q WindowQuery<'a>,
    from: f64,
    work: Work,
    first: u32,
}

impl<'q, 'a, const USUAL: bool> FromList<'q, 'a, USUAL> {
    pub(super) fn new(query: &'q WindowQuery<'a>, first: u32) -> Self {
        Self { query, from: query.from.get(), work: query.request.work(), first }
    }

    /// The span of the task on the node of the slot.
    #[inline(always)]
    pub(super) fn own(self, slot: &Slot) -> Span {
        if USUAL { self.work / slot.speed } else { self.query.span_on(slot) }
    }

    #[inline(always)]
    fn charge(self, price: Price, span: Span) -> Money {
        if USUAL { price * span } else { self.query.slots.tariff().charge(price, span) }
    }

    #[inline(always)]
    fn eligible(self) -> Option<&'a Eligible> {
        if USUAL { None } else { self.query.eligible }
    }
}

impl<const USUAL: bool> Source<Slot> for FromList<'_, '_, USUAL> {
    #[inline(always)]
    fn start(self, slot: &Slot) -> f64 {
        usable_from(slot, self.from)
    }

    #[inline(always)]
    fn entry(self, slot: &Slot, at: usize, hold: impl Fn(Span) -> Span, limits: &Limits) -> Option<Entry> {
        let (start, own) = (self.start(slot), self.own(slot));
        let held = hold(own);
        let cost = self.charge(slot.price, held).get();
        let end = slot.end.get();
        let end = if end < limits.finish { end } else { limits.finish };
        // Tests that often fail, joined without branches: which of them fails cannot be predicted, and a mispredicted
        // branch takes more time than the tests.
        let suits = (slot.speed.get() >= limits.min_speed)
            & (slot.price.get() <= limits.price)
            & (start + held.get() <= end)
            & (cost <= limits.budget)
            & (own <= held)
            & self.eligible().is_none_or(|eligible| eligible.allows(slot));
        if !suits || !fits(start, held.get(), end) || held.get() >= limits.span_below {
            return None;
        }
        let place = |eligible: &Eligible| (eligible.pack_of(slot), eligible.spread_of(slot));
        let (pack, group) = self.eligible().map_or((0, 0), place);
        let (node, at) = (slot.node.0, self.first + at as u32);
        Some(Entry { cost, end, span: held.get(), node, at, pack, group })
    }
}

/// Candidates that were read before.
#[derive(Clone, Copy)]
pub(super) struct FromCandidates<'k> {
    pub(super) tariff: &'k Tariff,
    /// A lower bound on the cost of the other nodes of a window.
    pub(super) others: f64,
}

impl<'a> Source<Candidate<'a>> for FromCandidates<'_> {
    #[inline(always)]
    fn start(self, of: &Candidate<'a>) -> f64 {
        of.start
    }

    #[inline(always)]
    fn entry(
        self,
        of: &Candidate<'a>,
        _: usize,
        hold: impl Fn(Span) -> Span,
        limits: &Limits,
    ) -> Option<Entry> {
        let Candidate { slot, start, own, at, pack, group } = *of;
        let (price, held) = (slot.price, hold(own));
        let cost = self.tariff.charge(price, held).get();
        let (end, span) = (slot.end.get().min(limits.finish), held.get());
        let suits = own <= held
            && fits(start, span, end)
            && span < limits.span_below
            && cost + self.others <= limits.budget;
        suits.then_some(Entry { cost, end, span, node: slot.node.0, at, pack, group })
    }
}

/// A whole number for each double, in the same order: successive doubles have successive numbers, zero has 0.
#[inline]
pub(crate) fn order_key(value: f64) -> i64 {
    let size = value.abs().to_bits().cast_signed();
    if value < 0.0 { -size } else { size }
}

/// Whether a task of this span that starts at `start` ends by `end`, with its end computed as by placements and the
/// checker. The start must be before `end`, even for a span of 0. If it is false, it is false for all later starts.
#[inline(always)]
pub(crate) fn fits(start: f64, span: f64, end: f64) -> bool {
    (start + span <= end) & (start < end)
}

/// The latest start at which a task of this span [`fits`].
pub(crate) fn latest_start(end: f64, span: f64) -> f64 {
    let latest = last_that_ends_by(end, span);
    if latest < end { latest } else { end.next_down() }
}

/// The latest instant t for which the computed t + span is at most `end`.
pub(crate) fn last_that_ends_by(end: f64, span: f64) -> f64 {
    // The exact difference is `difference + error`. A sum that exceeds `end` by less than half the distance to the
    // next double is rounded down to `end`.
    let difference = end - span;
    let back = difference - end;
    let error = (end - (difference - back)) - (span + back);
    let half = f64::from_bits(end.to_bits() & f64::INFINITY.to_bits()) * (f64::EPSILON / 2.0);
    let mut last = difference + (error + half);
    // The result is off by one or two roundings.
    while last + span > end {
        last = last.next_down();
    }
    while last.next_up() + span <= end {
        last = last.next_up();
    }
    last
}
