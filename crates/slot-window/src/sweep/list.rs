//! Reading a list: its runs, the candidates in them, their levels, and the work that this counts as.

use super::slots::{Candidate, Entry, FromList, Held, Limits, Source, usable_from};
use crate::WindowQuery;
use sched_model::internal::sort;
use sched_model::{End, Meter, Slot, SlotList, Span, check::Holding};
use std::iter::Peekable;

/// A run of a list: the position of its first slot, its slots, and a lower bound on the cost of a task there, which is
/// `None` if every slot is too short.
type Run<'a> = (u32, &'a [Slot], Option<f64>);

/// Returns the runs of a list.
pub(super) fn runs<'a>(slots: &'a SlotList, query: WindowQuery<'_>) -> impl Iterator<Item = Run<'a>> {
    let by_work = query.eligible.is_none_or(|eligible| eligible.demands().spans.is_empty());
    let mut next = 0;
    slots.runs_with_room(query.from, query.request.work()).map(move |(run, min_cost)| {
        let first = next;
        next += run.len() as u32;
        (first, run, if by_work { min_cost } else { Some(0.0) })
    })
}

/// Reads the candidates of a query from its list, in order of start.
pub(super) struct CandidateReader<'q, 'a, I: Iterator> {
    query: WindowQuery<'q>,
    limits: Limits,
    runs: Peekable<I>,
    /// The candidates read so far.
    pub(super) candidates: Vec<Candidate<'a>>,
}

/// Creates a reader that has read nothing. `slots` must be those of the query.
pub(super) fn reader<'q, 'a>(
    slots: &'a SlotList,
    query: WindowQuery<'q>,
    limits: Limits,
) -> CandidateReader<'q, 'a, impl Iterator<Item = Run<'a>>> {
    CandidateReader { query, limits, runs: runs(slots, query).peekable(), candidates: Vec::new() }
}

impl<'a, I: Iterator<Item = Run<'a>>> CandidateReader<'_, 'a, I> {
    /// Reads at least `more` candidates, and all that start at the same instant as the last one; but from no run that
    /// begins at `below` or later. Returns whether it read any. Each slot read is a unit of work; runs whose slots are
    /// all too short or too expensive are passed over.
    pub(super) fn read(&mut self, more: usize, below: f64, meter: &mut Meter) -> Result<bool, End> {
        let Self { query, limits, runs, candidates } = self;
        let (before, from) = (candidates.len(), query.from.get());
        let below = below.min(limits.start_below);
        let begins = |run: &[Slot]| run.first().map_or(f64::INFINITY, |first| usable_from(first, from));
        while let Some(&(first, run, min_cost)) = runs.peek() {
            let is_later = || candidates.last().is_some_and(|last| last.start < begins(run));
            let enough = candidates.len() - before >= more && is_later();
            if enough || begins(run) >= below {
                break;
            }
            runs.next();
            if min_cost.is_none_or(|min_cost| min_cost > limits.budget) {
                meter.spend(skipped_work(query.slots, run))?;
                continue;
            }
            meter.spend(run.len() as u64)?;
            if query.is_usual() {
                collect(FromList::<true>::new(query, first), run, limits, candidates);
            } else {
                collect(FromList::<false>::new(query, first), run, limits, candidates);
            }
        }
        Ok(candidates.len() > before)
    }
}

/// Appends the candidates of a run.
fn collect<'a, const USUAL: bool>(
    list: FromList<'_, '_, USUAL>,
    run: &'a [Slot],
    limits: &Limits,
    candidates: &mut Vec<Candidate<'a>>,
) {
    for (position, slot) in run.iter().enumerate() {
        let start = list.start(slot);
        if start >= limits.start_below {
            return;
        }
        // A slot that is held for a longer span costs no less, so the limits hold then too.
        if let Some(Entry { at, pack, group, .. }) = list.entry(slot, position, |own| own, limits) {
            candidates.push(Candidate { slot, start, own: list.own(slot), at, pack, group });
        }
    }
}

/// Returns all candidates of a query, in order of start. `slots` must be those of the query.
pub(crate) fn candidates<'a>(
    slots: &'a SlotList,
    query: WindowQuery<'_>,
    limits: &Limits,
    meter: &mut Meter,
) -> Result<Vec<Candidate<'a>>, End> {
    let mut reader = reader(slots, query, *limits);
    reader.read(usize::MAX, f64::INFINITY, meter)?;
    Ok(reader.candidates)
}

/// As [`candidates`], with the candidates of each pool adjacent.
pub(crate) fn candidates_by_pool<'a>(
    slots: &'a SlotList,
    query: WindowQuery<'_>,
    limits: &Limits,
    meter: &mut Meter,
) -> Result<Vec<Candidate<'a>>, End> {
    let mut all = candidates(slots, query, limits, meter)?;
    if query.beyond_mask().is_some() {
        sort(&mut all, &|a, b| a.pack.cmp(&b.pack));
    }
    Ok(all)
}

/// Returns the levels of tasks with these spans: a single one if each node is held for its own span, otherwise one
/// for each distinct span, the shortest first.
pub(crate) fn levels(spans_of_tasks: impl Iterator<Item = Span>, holding: Holding) -> Vec<Held> {
    match holding {
        Holding::OwnSpan => vec![None],
        Holding::SlowestSpan => distinct_spans(spans_of_tasks).into_iter().map(Some).collect(),
    }
}

/// Returns the distinct spans, the shortest first.
pub(crate) fn distinct_spans(of_tasks: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut spans: Vec<Span> = of_tasks.collect();
    spans.sort_unstable();
    spans.dedup();
    spans
}

/// Small numbers for nodes, as indices into arrays: their identifiers if these are small, otherwise their ranks.
#[derive(Debug, Default)]
pub(crate) struct NodeNumbers {
    /// The identifiers, ascending; empty if they serve as numbers.
    ids: Vec<u32>,
    count: usize,
}

impl NodeNumbers {
    pub(crate) fn of(nodes: impl Iterator<Item = u32> + Clone) -> Self {
        let (max_id, many) = nodes.clone().fold((0, 0), |(max_id, many), id| (id.max(max_id), many + 1));
        if (max_id as usize) < 4 * many + 1024 {
            return Self { ids: Vec::new(), count: max_id as usize + 1 };
        }
        let mut ids: Vec<u32> = nodes.collect();
        ids.sort_unstable();
        ids.dedup();
        Self { count: ids.len(), ids }
    }

    /// An upper bound on the numbers, excluded.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The number of one of the nodes.
    #[inline(always)]
    pub(crate) fn number(&self, node: u32) -> usize {
        if self.ids.is_empty() { node as usize } else { self.ids.partition_point(|&id| id < node) }
    }
}

/// The work of a run that is skipped: one unit. In lists of fewer than [`MANY_SLOTS`], each slot counts, read or not,
/// so that the work there depends on the list alone.
pub(crate) fn skipped_work(slots: &SlotList, run: &[Slot]) -> u64 {
    if slots.len() < MANY_SLOTS { run.len() as u64 } else { 1 }
}

/// The number of slots of a list from which on a skipped run counts as one unit.
const MANY_SLOTS: usize = 4096;

/// The work of a run of which only the speed of each slot is read, which takes about a quarter of the time of a full
/// read if slots come from memory. It counts only in large lists, where it can take long.
fn glance_work(slots: &SlotList, run: &[Slot]) -> u64 {
    if slots.len() < VERY_MANY_SLOTS { 0 } else { run.len().div_ceil(4) as u64 }
}

/// The number of slots of a list from which on glances count: fewer take less than a tenth of a millisecond.
const VERY_MANY_SLOTS: usize = 1 << 16;

/// The number of levels that are tried before all candidates are read: a sweep of the list for one level is cheap.
const FEW_LEVELS: usize = 8;

/// Returns up to [`FEW_LEVELS`] of the shortest spans of a task on nodes that the job may have, with slots that end
/// after the query's `from` and have at least the speed `min_speed`.
pub(super) fn shortest_spans(
    query: WindowQuery<'_>,
    min_speed: f64,
    meter: &mut Meter,
) -> Result<Vec<Span>, End> {
    let WindowQuery { slots, from, .. } = query;
    let mask = query.mask();
    let mut spans: Vec<Span> = Vec::with_capacity(FEW_LEVELS + 1);
    // Most slots have a speed that was seen recently: a small table avoids the search, unless nodes of one speed
    // may have spans of their own.
    let is_measured = query.eligible.is_some_and(|eligible| !eligible.demands().spans.is_empty());
    let mut seen = [0_u64; 64];
    for run in slots.runs_alive_at(from) {
        meter.spend(glance_work(slots, run))?;
        for slot in run {
            let bits = slot.speed.get().to_bits();
            let entry = &mut seen[(bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize];
            let is_known = *entry == bits && !is_measured;
            if is_known || slot.speed.get() < min_speed || slot.end <= from {
                continue;
            }
            if mask.is_some_and(|mask| !mask.allows(slot)) {
                continue;
            }
            *entry = bits;
            let own = query.span_on(slot);
            if let Err(at) = spans.binary_search(&own) {
                spans.insert(at, own);
                spans.truncate(FEW_LEVELS);
            }
        }
    }
    Ok(spans)
}
