//! The scan that all searches share: slots in start order, groups of equal starts taken whole.
//!
//! A window's start is the start of one of its slots, or the instant the search begins at. So it is enough to
//! test at each group of equal starts; and since slots only expire between two arrivals, a test can succeed
//! where the last one failed only if a slot of the group is among the n cheapest.

mod choice;
pub(crate) mod entry;
mod fit;
mod least_by_node;
pub(crate) mod live;
mod low;
pub(crate) mod ordered;
mod reading;
mod terms;

pub(crate) use choice::{Choice, held_for_slowest};
pub(crate) use fit::{fits, last_that_ends_by, latest_start};
pub(crate) use least_by_node::LeastByNode;
pub(crate) use reading::{count, glance_work, passed_over_work, readable};
pub(crate) use terms::{Masked, Plain, Terms, on_terms_of};

use crate::{WindowError, WindowQuery, error::Stop};
use entry::Entry;
use live::Live;
use sched_model::{End, Meter, Money, Price, Slot, SlotList, Span, Time, Work, check::Rules};

/// How long a slot is held in one pass of the scan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Hold {
    /// Each for its own span: work / speed.
    Own(Work),
    /// All for the same span.
    Same(Span),
}

impl Hold {
    #[inline]
    pub(crate) fn span(self, slot: &Slot) -> Span {
        match self {
            Self::Own(work) => work / slot.speed(),
            Self::Same(span) => span,
        }
    }

    /// The same where the own span is known, or is not work / speed.
    #[inline]
    pub(crate) fn or_own(self, own: Span) -> Span {
        match self {
            Self::Own(_) => own,
            Self::Same(span) => span,
        }
    }
}

/// The limits of slots and windows in one pass. A search may tighten them during the pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Least speed.
    pub(crate) min_speed: f64,
    /// Greatest price of a slot.
    pub(crate) price: f64,
    /// Greatest cost of the window.
    pub(crate) budget: f64,
    /// Latest finish.
    pub(crate) finish: f64,
    /// A task must take less than this.
    pub(crate) span_below: f64,
    /// The window must start before this.
    pub(crate) start_below: f64,
}

impl Limits {
    /// The limits of a query by the rules of a search.
    pub(crate) fn of(query: &WindowQuery<'_>, rules: Rules) -> Self {
        let request = query.request;
        let price = request.price_limit().filter(|_| rules.slot_price);
        Self {
            min_speed: request.min_speed().get(),
            price: price.map_or(f64::INFINITY, Price::get),
            budget: rules.budget(request).map_or(f64::INFINITY, Money::get),
            finish: request.deadline().map_or(f64::INFINITY, Time::get),
            span_below: f64::INFINITY,
            start_below: query.start_below(),
        }
    }
}

/// When a window is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    /// After a whole group of equal starts.
    Group,
    /// The same, and the first window within the budget is final.
    First,
    /// After each slot.
    Slot,
}

impl Test {
    /// The same, where the first window within the budget is final.
    pub(crate) fn of_first(self) -> Self {
        if self == Self::Group { Self::First } else { self }
    }
}

/// What [`scan`] does after a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Continue.
    Continue,
    /// End: the answer is final.
    Stop,
}

/// The instant a slot becomes usable for a search that begins at `from`.
#[inline(always)]
pub(crate) fn usable(slot: &Slot, from: f64) -> f64 {
    let start = slot.start().get();
    if start < from { from } else { start }
}

/// The entry of a slot if it is suitable: fast enough, cheap enough, long enough for this span from `start` on,
/// and of an allowed node. The caller knows its position.
#[inline(always)]
pub(crate) fn suits(
    slot: &Slot,
    start: f64,
    span: Span,
    limits: &Limits,
    terms: impl Terms,
) -> Option<Entry> {
    let cost = terms.charge(slot.price(), span).get();
    let end = slot.end().get();
    let end = if end < limits.finish { end } else { limits.finish };
    // Tests that often fail, without branches: which of them fails cannot be predicted, and a mispredicted
    // branch takes more time than the tests.
    let suits = (slot.speed().get() >= limits.min_speed)
        & (slot.price().get() <= limits.price)
        & (start + span.get() <= end)
        & (cost <= limits.budget)
        & terms.allow(slot);
    if !suits || !fits(start, span.get(), end) || span.get() >= limits.span_below {
        return None;
    }
    Some(Entry { cost, end, span: span.get(), node: slot.node().0, at: 0 })
}

/// One pass over the slots that are usable from `from` on. `visit` is called after each group of equal starts
/// (or each slot) that brought a slot among the n cheapest, with n slots live; it gets the start, may tighten
/// the limits, and counts its own work.
///
/// With m slots, w of them live at once: O(m log w) plus what `visit` does. Each slot read is a unit of work;
/// a group of which not all slots could be read is not visited.
pub(crate) fn scan(
    query: WindowQuery<'_>,
    hold: Hold,
    test: Test,
    limits: &mut Limits,
    live: &mut Live,
    meter: &mut Meter,
    mut visit: impl FnMut(&mut Live, f64, &mut Limits, &mut Meter) -> Result<Next, Stop>,
) -> Result<(), Stop> {
    check_length(query.slots)?;
    live.reset(query.request.nodes(), usize::MAX);
    on_terms_of!(query, |terms| pass(query, hold, test, limits, (live, meter), (terms, &mut visit)))
}

/// What is done at a test.
type Visit<'v> = dyn FnMut(&mut Live, f64, &mut Limits, &mut Meter) -> Result<Next, Stop> + 'v;

/// The loop of [`scan`], for one kind of terms: the same for all searches, since visits are rare.
fn pass(
    query: WindowQuery<'_>,
    hold: Hold,
    test: Test,
    limits: &mut Limits,
    (live, meter): (&mut Live, &mut Meter),
    (terms, visit): (impl Terms, &mut Visit<'_>),
) -> Result<(), Stop> {
    let from = query.from.get();
    let mut now = f64::NEG_INFINITY;
    let mut at = 0_u32;
    // Those of a slot. Once there is a final window at this instant, only cheaper slots matter.
    let mut of_slot = *limits;
    for (run, least) in query.slots.runs_with_room(query.from, query.request.work()) {
        let goes_on = run.first().is_some_and(|first| usable(first, from) <= now);
        if goes_on && test == Test::First && live.armed && live.look(limits.budget) {
            of_slot.budget = live.settle();
        }
        if least.is_none_or(|least| goes_on && least > of_slot.budget) {
            at += run.len() as u32;
            meter.spend(passed_over_work(query.slots, run))?;
            continue;
        }
        let (first, mut counted) = (at, at);
        let mut end = at + readable(run, meter).len() as u32;
        while at < end {
            let until = of_slot.finish.min(of_slot.start_below);
            // Before the next test no further than that.
            let stop = match test {
                _ if !live.armed => until,
                Test::Slot => f64::NEG_INFINITY,
                Test::Group | Test::First => now.next_up(),
            };
            let rest = &run[(at - first) as usize..(end - first) as usize];
            let (read, found) = match hold {
                Hold::Own(work) => {
                    next_suited(rest, (from, stop), |slot| work / slot.speed(), &of_slot, terms)
                }
                Hold::Same(span) => next_suited(rest, (from, stop), |_| span, &of_slot, terms),
            };
            at += read as u32;
            let Some(slot) = rest.get(read) else { break };
            let start = usable(slot, from);
            if let Some(entry) = found {
                now = start;
                live.insert(Entry { at, ..entry }, now, limits.budget);
                at += 1;
            } else if live.armed {
                if live.look(limits.budget) {
                    count(at + 1 - counted, meter)?;
                    counted = at + 1;
                    if visit(live, now, limits, meter)? == Next::Stop {
                        return Ok(());
                    }
                    of_slot = *limits;
                    end = counted + readable(&run[(counted - first) as usize..], meter).len() as u32;
                }
            } else {
                return count(at + 1 - counted, meter);
            }
        }
        count(at - counted, meter)?;
        if ((at - first) as usize) < run.len() {
            return Ok(meter.spend(1)?);
        }
    }
    if live.armed && live.look(limits.budget) {
        visit(live, now, limits, meter)?;
    }
    Ok(())
}

/// How many slots come before the first that suits, with its entry, or before the first that starts at `stop`
/// or later.
#[inline(never)]
fn next_suited(
    slots: &[Slot],
    (from, stop): (f64, f64),
    span: impl Fn(&Slot) -> Span,
    limits: &Limits,
    terms: impl Terms,
) -> (usize, Option<Entry>) {
    for (read, slot) in slots.iter().enumerate() {
        let start = usable(slot, from);
        if start >= stop {
            return (read, None);
        }
        if let Some(entry) = suits(slot, start, span(slot), limits, terms) {
            return (read, Some(entry));
        }
    }
    (slots.len(), None)
}

/// Positions are numbered by `u32`.
pub(crate) fn check_length(slots: &SlotList) -> Result<(), WindowError> {
    let limit = u32::MAX as usize;
    if slots.len() > limit {
        return Err(WindowError::TooManySlots { slots: slots.len(), limit });
    }
    Ok(())
}

/// The distinct speeds of the slots that are usable from the query's `from` on and at least `min_speed` fast,
/// greatest first.
pub(crate) fn speeds(
    query: WindowQuery<'_>,
    min_speed: f64,
    speeds: &mut Vec<f64>,
    meter: &mut Meter,
) -> Result<(), End> {
    speeds_below(query, min_speed, f64::INFINITY, speeds, meter)
}

/// As [`speeds`], of the slots that start before `below`.
pub(crate) fn speeds_below(
    query: WindowQuery<'_>,
    min_speed: f64,
    below: f64,
    speeds: &mut Vec<f64>,
    meter: &mut Meter,
) -> Result<(), End> {
    let WindowQuery { slots, from, .. } = query;
    let mask = query.mask();
    speeds.clear();
    // Most slots have a speed that was seen recently: a small table avoids the search.
    let mut seen = [0_u64; 64];
    for run in slots.runs_alive_at(from) {
        meter.spend(glance_work(slots, run))?;
        for slot in run {
            if slot.start().get() >= below {
                return Ok(());
            }
            let speed = slot.speed().get();
            let bits = speed.to_bits();
            let entry = &mut seen[(bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize];
            if *entry == bits || speed < min_speed || slot.end() <= from {
                continue;
            }
            if mask.is_some_and(|mask| !mask.allows(slot)) {
                continue;
            }
            *entry = bits;
            let at = speeds.partition_point(|&known| known > speed);
            if speeds.get(at) != Some(&speed) {
                speeds.insert(at, speed);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::{Limit, Node, NodeId, Price, ResourceRequest, Speed, Time};

    fn slot(id: u32, speed: f64, start: f64, end: f64) -> Slot {
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(2.0));
        Slot::new(node, Time::must(start), Time::must(end)).unwrap()
    }

    #[test]
    fn speeds_are_those_of_slots_fast_enough_that_are_not_over() {
        let slots = vec![
            slot(1, 2.0, 0.0, 10.0),
            slot(2, 4.0, 0.0, 10.0),
            slot(3, 2.0, 3.0, 10.0),
            slot(4, 1.9, 0.0, 10.0),
            slot(5, 8.0, 0.0, 5.0),
            slot(6, 3.0, 0.0, 5.5),
        ];
        let list = SlotList::new(slots).unwrap();
        let mut found = vec![7.0];
        let request = ResourceRequest::new(1, Work::must(1.0)).unwrap();
        let query = |from: f64| WindowQuery::new(&list, &request).with_from(Time::must(from));
        let limit = Limit::without_limit();
        speeds(query(5.0), 2.0, &mut found, &mut limit.meter()).unwrap();
        assert_eq!(found, [4.0, 3.0, 2.0]);
        speeds(query(0.0), 0.0, &mut found, &mut limit.meter()).unwrap();
        assert_eq!(found, [8.0, 4.0, 3.0, 2.0, 1.9]);
    }

    #[test]
    fn a_slot_suits_up_to_each_limit_and_no_further() {
        let (slot, hold) = (slot(1, 2.0, 0.0, 10.0), Hold::Own(Work::must(6.0)));
        // 3 long, for 6.
        let limits = Limits {
            min_speed: 2.0,
            price: 2.0,
            budget: 6.0,
            finish: 9.0,
            span_below: 3.5,
            start_below: f64::INFINITY,
        };
        let suits =
            |start: f64, limits: Limits| suits(&slot, start, hold.span(&slot), &limits, Plain).is_some();
        assert!(suits(0.0, limits) && suits(6.0, limits) && !suits(6.0_f64.next_up() + 1e-15, limits));
        assert!(suits(7.0, Limits { finish: 99.0, ..limits }));
        assert!(!suits(7.5, Limits { finish: 99.0, ..limits }));
        assert!(!suits(0.0, Limits { min_speed: 2.5, ..limits }));
        assert!(!suits(0.0, Limits { price: 1.5, ..limits }));
        assert!(!suits(0.0, Limits { budget: 5.5, ..limits }));
        assert!(!suits(0.0, Limits { span_below: 3.0, ..limits }));
    }
}
