//! The slots that a window with demands may contain, read once for all levels; and the entries of a level.

use crate::{
    WindowError, WindowQuery,
    error::Stop,
    scan::{Hold, Limits, Next, Test, check_length, entry::Entry, fits, passed_over_work, usable},
};
use sched_model::{Eligible, End, Meter, Slot, Span, Tariff, check::Holding};
use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::iter::Peekable;

/// How long nodes are held in one sweep, and which nodes can be in it.
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
    /// The instant from which on it is free in this query.
    pub(crate) start: f64,
    /// The span of the task on its node.
    pub(crate) own: Span,
    /// Its position in the list.
    pub(crate) at: u32,
    /// The numbers of its pool, and of its group in the pool.
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

/// What the sources of candidates and their user share.
pub(crate) struct Shared<'s> {
    meter: RefCell<&'s mut Meter>,
    /// An instant, and the cost beyond which no slot that is free there matters any more.
    pub(super) settled: Cell<(f64, f64)>,
}

impl<'s> Shared<'s> {
    pub(crate) fn new(meter: &'s mut Meter) -> Self {
        Self { meter: RefCell::new(meter), settled: Cell::new((f64::NEG_INFINITY, f64::INFINITY)) }
    }

    /// [`Meter::spend`].
    pub(crate) fn spend(&self, units: usize) -> Result<(), End> {
        self.meter.borrow_mut().spend(units as u64)
    }

    /// Lends the meter.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut Meter) -> R) -> R {
        f(&mut self.meter.borrow_mut())
    }
}

/// These candidates again, each a unit of work.
pub(crate) fn again<'a>(
    all: &[Candidate<'a>],
    meter: &Shared<'_>,
) -> impl Iterator<Item = Result<Candidate<'a>, End>> {
    all.iter().map(|candidate| meter.spend(1).map(|()| *candidate))
}

/// Whether the job may have the node of a slot: fast enough, cheap enough, and with what is demanded of it.
fn may_have(slot: &Slot, eligible: &Eligible, (speed, price): (f64, f64)) -> bool {
    slot.speed().get() >= speed && slot.price().get() <= price && eligible.allows(slot)
}

/// All candidates of a query, in time order; each slot read is a unit of work. Runs of slots that are all too short for
/// the work, or cost too much, are passed over; where spans are given, a task may take less on them.
pub(crate) fn candidates<'a>(
    query: WindowQuery<'a>,
    eligible: &'a Eligible,
    limits: &Limits,
    meter: &Shared<'_>,
) -> Result<impl Iterator<Item = Result<Candidate<'a>, End>>, WindowError> {
    check_length(query.slots)?;
    let (from, tariff) = (query.from.get(), query.slots.tariff());
    let (bounds, below, budget) = ((limits.min_speed, limits.price), limits.start_below, limits.budget);
    let by_work = eligible.demands().spans().is_empty();
    let candidate = move |(slot, at): (&'a Slot, u32)| {
        if let Err(end) = meter.spend(1) {
            return Some(Err(end));
        }
        if !may_have(slot, eligible, bounds) {
            return None;
        }
        let (start, own) = (usable(slot, from), query.span_on(slot));
        // Held for a longer span it costs no less.
        let (now, settled) = meter.settled.get();
        if start <= now && tariff.charge(slot.price(), own).get() > settled {
            return None;
        }
        let (pack, spread) = (eligible.pack_of(slot), eligible.spread_of(slot));
        let candidate = Candidate { slot, start, own, at, pack, spread };
        fits(start, own.get(), slot.end().get()).then_some(Ok(candidate))
    };
    let runs =
        query.slots.runs_with_room(query.from, query.request.work()).scan(0_u32, |at, (run, least)| {
            let first = *at;
            *at += run.len() as u32;
            Some((first, run, least))
        });
    Ok(runs.flat_map(move |(first, run, least)| {
        let (now, settled) = meter.settled.get();
        let goes_on = run.first().is_some_and(|first| usable(first, from) <= now);
        let limit = if goes_on { budget.min(settled) } else { budget };
        let can_serve = !by_work || least.is_some_and(|least| least <= limit);
        let passed_over = if can_serve { 0 } else { passed_over_work(query.slots, run) };
        let ended = meter.spend(passed_over as usize).err();
        let read = if can_serve { run } else { &[] };
        let slots = read.iter().zip(first..).take_while(move |(slot, _)| usable(slot, from) < below);
        ended.map(Err).into_iter().chain(slots.filter_map(candidate))
    }))
}

/// Takes at least `more` candidates from a source, and all that start at the same instant as the last of
/// them; but none that starts at `below` or later. Returns whether it took any.
pub(super) fn read_on<'a>(
    source: &mut Peekable<impl Iterator<Item = Result<Candidate<'a>, End>>>,
    so_far: &mut Vec<Candidate<'a>>,
    more: usize,
    below: f64,
) -> Result<bool, End> {
    let before = so_far.len();
    while let Some(&next) = source.peek() {
        let next = next?;
        let enough =
            so_far.len() - before >= more && so_far.last().is_some_and(|last| last.start < next.start);
        if enough || next.start >= below {
            break;
        }
        so_far.push(next);
        source.next();
    }
    Ok(so_far.len() > before)
}

/// The levels of these candidates: one where each node is held for its own span, else one for each distinct
/// span of a task, shortest first.
pub(crate) fn levels(query: WindowQuery<'_>, of: &[Candidate<'_>], holding: Holding) -> Vec<Level> {
    let spans = of.iter().map(|candidate| Ok::<Span, Infallible>(candidate.own));
    let Ok(levels) = levels_of_spans(query, spans, holding);
    levels
}

/// The [`levels`] of candidates with these spans.
pub(super) fn levels_of_spans<E>(
    query: WindowQuery<'_>,
    spans_of_tasks: impl Iterator<Item = Result<Span, E>>,
    holding: Holding,
) -> Result<Vec<Level>, E> {
    if holding == Holding::OwnSpan {
        return Ok(vec![Level { hold: Hold::Own(query.request.work()), longest: f64::INFINITY }]);
    }
    // Most candidates have a span that was seen recently: a small table avoids sorting them.
    let mut seen = [0_u64; 256];
    let mut spans: Vec<Span> = Vec::new();
    for own in spans_of_tasks {
        let own = own?;
        let bits = own.get().to_bits();
        let entry = &mut seen[(bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize];
        if *entry != bits {
            *entry = bits;
            spans.push(own);
        }
    }
    spans.sort_unstable();
    spans.dedup();
    Ok(spans.into_iter().map(|span| Level { hold: Hold::Same(span), longest: span.get() }).collect())
}

/// A slot that has arrived, for the caller of a sweep.
pub(crate) struct Arrival<'a> {
    pub(crate) candidate: Candidate<'a>,
    pub(crate) entry: Entry,
}

/// The candidates that suit on one level, in time order: `arrive` gets each with its start, `after` is called
/// after each group of equal starts, or each slot, that brought one; not after a group that was not read to
/// its end.
pub(crate) fn sweep<'a, M>(
    candidates: impl IntoIterator<Item = Result<Candidate<'a>, End>>,
    tariff: &Tariff,
    (level, test): (Level, Test),
    limits: &mut Limits,
    memory: &mut M,
    mut arrive: impl FnMut(&mut M, Arrival<'a>, f64) -> Result<(), Stop>,
    mut after: impl FnMut(&mut M, f64, &mut Limits) -> Result<Next, Stop>,
) -> Result<(), Stop> {
    let mut now = f64::NEG_INFINITY;
    let mut arrived = false;
    for candidate in candidates {
        let candidate = candidate?;
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
