//! The slots that a window with demands may hold, read once for all levels; and what a level takes of them.

use crate::{
    WindowError, WindowQuery,
    scan::{Hold, Limits, Next, Test, check_length, entry::Entry, fits, usable},
};
use sched_model::{Eligible, Slot, Span, Tariff, check::Holding};
use std::cell::Cell;
use std::iter::Peekable;

/// How long nodes are held in one sweep, and which can be in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub(crate) hold: Hold,
    /// A task takes no longer on any of its nodes.
    pub(crate) longest: f64,
}

impl Level {
    /// Whether a window of this level that starts now, or later, ends too late.
    pub(super) fn ends_too_late(self, now: f64, finish: f64) -> bool {
        match self.hold {
            Hold::Own(_) => now >= finish,
            Hold::Same(span) => now + span.get() > finish,
        }
    }
}

/// A slot whose node the job may have, with room for its task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) slot: &'a Slot,
    /// From when on it is free, in this query.
    pub(crate) start: f64,
    /// How long the task takes on its node if it is held no longer.
    pub(crate) own: Span,
    /// Its position in the list.
    pub(crate) at: u32,
    /// By which pool, and by which group in it.
    pub(crate) pack: u32,
    pub(crate) spread: u32,
}

impl Candidate<'_> {
    /// The entry of this candidate on a level, if it suits there.
    #[inline]
    pub(super) fn entry(&self, level: Level, tariff: &Tariff, limits: &Limits) -> Option<Entry> {
        if self.own.get() > level.longest {
            return None;
        }
        let held = level.hold.or_own(self.own);
        let (price, span) = (self.slot.price(), held.get());
        let cost = if tariff.is_plain() { price * held } else { tariff.charge(price, held) }.get();
        let end = self.slot.end().get().min(limits.finish);
        let suits = fits(self.start, span, end) && span < limits.span_below && cost <= limits.budget;
        suits.then_some(Entry { cost, end, span, node: self.slot.node().0, at: self.at })
    }
}

/// How many slots have been read, and may be.
#[derive(Debug)]
pub(crate) struct Reading {
    most: u64,
    read: Cell<u64>,
    stopped: Cell<bool>,
}

impl Reading {
    /// Nothing yet, and at most so many.
    pub(crate) fn new(most: u64) -> Self {
        Self { most, read: Cell::new(0), stopped: Cell::new(false) }
    }

    /// Whether so many more may be read; they count as read then. Once they may not, nothing may.
    pub(super) fn may_read(&self, slots: usize) -> bool {
        let after = self.read.get() + slots as u64;
        if self.stopped.get() || after > self.most {
            self.stopped.set(true);
            return false;
        }
        self.read.set(after);
        true
    }

    /// These again, as far as they may be read.
    pub(super) fn again<'a>(&self, all: &[Candidate<'a>]) -> impl Iterator<Item = Candidate<'a>> {
        all.iter().copied().take_while(|_| self.may_read(1))
    }

    pub(super) fn read(&self) -> u64 {
        self.read.get()
    }

    pub(super) fn stopped(&self) -> bool {
        self.stopped.get()
    }
}

/// All of a query, in time order, as far as slots may be read.
pub(crate) fn candidates<'a>(
    query: WindowQuery<'a>,
    eligible: &'a Eligible,
    limits: &Limits,
    reading: &'a Reading,
) -> Result<impl Iterator<Item = Candidate<'a>>, WindowError> {
    check_length(query.slots)?;
    let from = query.from.get();
    let (speed, price, below) = (limits.min_speed, limits.price, limits.start_below);
    let slots = query.slots.runs_alive_at(query.from).flatten().zip(0_u32..);
    let slots = slots.take_while(move |(slot, _)| usable(slot, from) < below && reading.may_read(1));
    Ok(slots.filter_map(move |(slot, at)| {
        let suits = slot.speed().get() >= speed && slot.price().get() <= price && eligible.allows(slot);
        let (start, own) = (usable(slot, from), if suits { query.span_on(slot) } else { return None });
        let (pack, spread) = (eligible.pack_of(slot), eligible.spread_of(slot));
        let candidate = Candidate { slot, start, own, at, pack, spread };
        fits(start, own.get(), slot.end().get()).then_some(candidate)
    }))
}

/// Takes at least so many more candidates from a source, with all that start when the last of them starts;
/// but none that starts at an instant or later. Returns whether it took any.
pub(super) fn read_on<'a>(
    source: &mut Peekable<impl Iterator<Item = Candidate<'a>>>,
    so_far: &mut Vec<Candidate<'a>>,
    more: usize,
    below: f64,
) -> bool {
    let before = so_far.len();
    while let Some(next) = source.peek() {
        let enough =
            so_far.len() - before >= more && so_far.last().is_some_and(|last| last.start < next.start);
        if enough || next.start >= below {
            break;
        }
        so_far.extend(source.next());
    }
    so_far.len() > before
}

/// The spans of tasks on the slots of nodes that the job may have, in time order; some may be too short.
pub(super) fn spans<'a>(
    query: WindowQuery<'a>,
    eligible: &'a Eligible,
    limits: &Limits,
) -> impl Iterator<Item = Span> {
    let (speed, price) = (limits.min_speed, limits.price);
    let slots = query.slots.runs_alive_at(query.from).flatten();
    let suits = move |slot: &&Slot| {
        slot.speed().get() >= speed && slot.price().get() <= price && eligible.allows(slot)
    };
    slots.filter(suits).map(move |slot| query.span_on(slot))
}

/// The levels of these spans: one where each node is held for its own span, else one for each distinct
/// span, shortest first.
pub(crate) fn levels(
    query: WindowQuery<'_>,
    of_candidates: impl Iterator<Item = Span>,
    holding: Holding,
) -> Vec<Level> {
    if holding == Holding::OwnSpan {
        return vec![Level { hold: Hold::Own(query.request.work()), longest: f64::INFINITY }];
    }
    // Most candidates have a span that was seen lately: a small table tells without sorting.
    let mut seen = [0_u64; 256];
    let mut spans: Vec<Span> = Vec::new();
    for own in of_candidates {
        let bits = own.get().to_bits();
        let entry = &mut seen[(bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize];
        if *entry != bits {
            *entry = bits;
            spans.push(own);
        }
    }
    spans.sort_unstable();
    spans.dedup();
    spans.into_iter().map(|span| Level { hold: Hold::Same(span), longest: span.get() }).collect()
}

/// A slot that has arrived, as a sweep hands it on.
pub(crate) struct Arrival<'a> {
    pub(crate) candidate: Candidate<'a>,
    pub(crate) entry: Entry,
}

/// The candidates that suit on one level, in time order: `arrive` gets each with its start, `after` is called
/// after each group of equal starts, or each slot, that brought one.
pub(crate) fn sweep<'a, M, E: From<WindowError>>(
    candidates: impl IntoIterator<Item = Candidate<'a>>,
    tariff: &Tariff,
    (level, test): (Level, Test),
    limits: &mut Limits,
    memory: &mut M,
    mut arrive: impl FnMut(&mut M, Arrival<'a>, f64) -> Result<(), E>,
    mut after: impl FnMut(&mut M, f64, &mut Limits) -> Result<Next, E>,
) -> Result<(), E> {
    let mut now = f64::NEG_INFINITY;
    let mut arrived = false;
    for candidate in candidates {
        let start = candidate.start;
        if arrived && (start > now || test == Test::Slot) {
            arrived = false;
            if after(memory, now, limits)? == Next::Stop {
                return Ok(());
            }
        }
        if start >= limits.start_below || level.ends_too_late(start, limits.finish) {
            return Ok(());
        }
        if let Some(entry) = candidate.entry(level, tariff, limits) {
            now = start;
            arrived = true;
            arrive(memory, Arrival { candidate, entry }, now)?;
        }
    }
    if arrived {
        after(memory, now, limits)?;
    }
    Ok(())
}
