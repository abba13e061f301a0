//! The sweep over starts.
//!
//! While the start of a window moves to the right, what a slot pays changes only where the start passes a price (which
//! is then no longer paid) or where the end reaches one (which is paid from there on). Between two such events nothing
//! changes but the start itself, so that the first instant of each piece is the best one, and it is enough to test
//! there.

use super::prices::{Point, between};
use super::{NodeTimePrices, PricedSearch};
use crate::WindowError;
use crate::scan::{check_length, latest_start, usable};
use crate::subset::{ExactSubset, SubsetProblem, SubsetScratch, SubsetSolver};
use sched_model::check::Holding;
use sched_model::{End, Limit, Money, ResourceRequest, Slot, SlotList, Span, Time, Window};

/// A slot that suits the request, whatever the level.
struct Usable<'a> {
    slot: &'a Slot,
    points: &'a [Point],
    from: f64,
    own_span: Span,
}

/// A live slot at the present start.
#[derive(Debug, Clone, Copy)]
struct Live {
    value: f64,
    charge: f64,
    span: Span,
    latest: f64,
    slot: u32,
}

/// The best window so far.
struct Best {
    value: f64,
    start: f64,
    slots: Vec<u32>,
}

pub(super) struct Sweep<'a> {
    search: &'a PricedSearch,
    slots: &'a SlotList,
    holding: Holding,
    nodes: usize,
    budget: f64,
    deadline: f64,
    from: f64,
    usable: Vec<Usable<'a>>,
    /// Spans of the task on the nodes at hand, ascending.
    levels: Vec<Span>,
    /// (start, slot): where what a slot pays may change.
    events: Vec<(f64, u32)>,
    live: Vec<Live>,
    best: Option<Best>,
    /// Multiplier of the budget at the last start where it was binding.
    multiplier: f64,
    keys: Vec<f64>,
    values: Vec<f64>,
    charges: Vec<f64>,
    subset: SubsetScratch,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(
        search: &'a PricedSearch,
        slots: &'a SlotList,
        request: &'a ResourceRequest,
        from: Time,
        prices: &'a NodeTimePrices,
    ) -> Result<Self, WindowError> {
        check_length(slots)?;
        let rules = search.rules;
        let price_limit = if rules.slot_price { request.price_limit() } else { None };
        let suits = |slot: &&Slot| {
            slot.speed() >= request.min_speed()
                && price_limit.is_none_or(|limit| slot.price() <= limit)
                && slot.end() > from
        };
        let usable: Vec<Usable<'_>> = (slots.runs_alive_at(from).flatten().filter(suits))
            .map(|slot| Usable {
                slot,
                points: prices.points(slot.node()),
                from: usable(slot, from.get()),
                own_span: request.span_on(slot.speed()),
            })
            .collect();
        let mut levels: Vec<Span> = usable.iter().map(|usable| usable.own_span).collect();
        levels.sort_unstable();
        levels.dedup();
        Ok(Self {
            search,
            slots,
            holding: rules.holding,
            nodes: request.nodes(),
            budget: rules.budget(request).map_or(f64::INFINITY, Money::get),
            deadline: request.deadline().map_or(f64::INFINITY, Time::get),
            from: from.get(),
            usable,
            levels,
            events: Vec::new(),
            live: Vec::new(),
            best: None,
            multiplier: 0.0,
            keys: Vec::new(),
            values: Vec::new(),
            charges: Vec::new(),
            subset: SubsetScratch::new(),
        })
    }

    /// The window of least value.
    pub(super) fn best(&mut self) -> Result<Option<Window>, WindowError> {
        let levels = std::mem::take(&mut self.levels);
        let Some((&longest, shorter)) = levels.split_last() else { return Ok(None) };
        // A node is held for its own span at every level, so that sets of a lower level are sets of the longest, too,
        // of the same value but for the runtime. Where all nodes are held for the level, this does not hold, and
        // nothing is known of other levels but that no part of a value falls below the least one met there.
        let floor = self.sweep(longest)?;
        let weight = self.search.runtime_weight;
        match self.holding {
            Holding::Rough if weight == 0.0 => {}
            Holding::Rough => {
                for &level in shorter {
                    let promising =
                        self.best.as_ref().is_none_or(|best| floor + weight * level.get() < best.value);
                    if !promising {
                        break;
                    }
                    self.sweep(level)?;
                }
            }
            _ => {
                for &level in shorter {
                    self.sweep(level)?;
                }
            }
        }
        self.window()
    }

    /// One sweep over all starts with nodes that take no longer than `level`. Returns a lower bound of the sums met,
    /// the runtime not counted.
    fn sweep(&mut self, level: Span) -> Result<f64, WindowError> {
        self.collect_events(level);
        self.live.clear();
        let mut floor = f64::INFINITY;
        let mut at = 0;
        while let Some(&(start, _)) = self.events.get(at) {
            let first = at;
            while self.events.get(at).is_some_and(|event| event.0 == start) {
                at += 1;
            }
            if self.live.iter().any(|live| live.latest < start) {
                self.live.retain(|live| live.latest >= start);
            }
            for event in first..at {
                self.update(self.events[event].1, start, level);
            }
            if self.live.len() >= self.nodes {
                floor = floor.min(self.test(start, level)?);
            }
        }
        Ok(floor)
    }

    fn span(&self, usable: &Usable<'_>, level: Span) -> Span {
        match self.holding {
            Holding::Rough => usable.own_span,
            _ => level,
        }
    }

    fn latest(&self, usable: &Usable<'_>, span: Span) -> f64 {
        latest_start(usable.slot.end().get().min(self.deadline), span.get())
    }

    fn collect_events(&mut self, level: Span) {
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        for (number, usable) in self.usable.iter().enumerate() {
            if usable.own_span > level {
                continue;
            }
            let span = self.span(usable, level);
            let latest = self.latest(usable, span);
            if latest < usable.from {
                continue;
            }
            let number = number as u32;
            events.push((usable.from, number));
            for point in usable.points {
                for start in [point.at, first_start_that_reaches(point.at, span.get())] {
                    if start > usable.from && start <= latest {
                        events.push((start, number));
                    }
                }
            }
        }
        events.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        events.dedup();
        self.events = events;
    }

    /// The slot's value at this start takes the place of its former one.
    fn update(&mut self, number: u32, start: f64, level: Span) {
        let usable = &self.usable[number as usize];
        let span = self.span(usable, level);
        let latest = self.latest(usable, span);
        let charge = self.slots.tariff().charge(usable.slot.price(), span).get();
        let value = self.search.cost_weight * charge + between(usable.points, start, start + span.get());
        if let Some(old) = self.live.iter().position(|live| live.slot == number) {
            self.live.remove(old);
        }
        if charge <= self.budget {
            let at = self.live.partition_point(|live| (live.value, live.slot) < (value, number));
            self.live.insert(at, Live { value, charge, span, latest, slot: number });
        }
    }

    /// Tests the present start. Returns a lower bound of the sum of any window's slots there, its start weighed.
    fn test(&mut self, start: f64, level: Span) -> Result<f64, WindowError> {
        let begun = self.search.start_weight * (start - self.from);
        let runtime = self.search.runtime_weight * level.get();
        let cheapest = &self.live[..self.nodes];
        let floor = cheapest.iter().map(|live| live.value).sum::<f64>() + begun;
        // A window that is shorter than its level is met again at its own one.
        if self.best.as_ref().is_some_and(|best| floor + runtime >= best.value) {
            return Ok(floor);
        }
        let charges = cheapest.iter().map(|live| live.charge);
        if sched_model::affordable(charges, self.budget) {
            let slots = cheapest.iter().map(|live| live.slot).collect();
            let span = cheapest.iter().map(|live| live.span).fold(Span::ZERO, Span::max);
            self.offer(floor + self.search.runtime_weight * span.get(), start, slots);
            return Ok(floor);
        }
        if let Some(best) = &self.best {
            let needed = best.value - runtime - begun;
            if self.relaxed(self.multiplier) >= needed {
                return Ok(floor);
            }
            self.raise_multiplier();
            if self.relaxed(self.multiplier) >= needed {
                return Ok(floor);
            }
        }
        self.values.clear();
        self.values.extend(self.live.iter().map(|live| -live.value));
        self.charges.clear();
        self.charges.extend(self.live.iter().map(|live| live.charge));
        let problem = SubsetProblem::new(&self.values, &self.charges, self.nodes, self.budget)?;
        let outcome = ExactSubset::new().solve(&problem, &Limit::default(), &mut self.subset);
        // A choice without proof would make the value of this search no bound.
        if outcome.end != End::Done {
            return Err(WindowError::Stopped { end: outcome.end, work: outcome.work });
        }
        if let Some(subset) = outcome.incumbent {
            let chosen = subset.indices().iter().map(|&index| &self.live[index]);
            let span = chosen.clone().map(|live| live.span).fold(Span::ZERO, Span::max);
            let value = begun - subset.value() + self.search.runtime_weight * span.get();
            let slots = chosen.map(|live| live.slot).collect();
            self.offer(value, start, slots);
        }
        Ok(floor)
    }

    /// The least sum of `value + multiplier * charge` over n live slots, less the multiplier's share of the budget: no
    /// affordable set has a lesser sum of values.
    fn relaxed(&mut self, multiplier: f64) -> f64 {
        let Self { keys, live, nodes, budget, .. } = self;
        keys.clear();
        keys.extend(live.iter().map(|live| live.value + multiplier * live.charge));
        if *nodes < keys.len() {
            keys.select_nth_unstable_by(*nodes - 1, f64::total_cmp);
        }
        let sum: f64 = keys[..*nodes].iter().sum();
        let size: f64 = keys[..*nodes].iter().map(|key| key.abs()).sum::<f64>() + multiplier * budget.abs();
        sum - multiplier * *budget - 1e-14 * size
    }

    /// A multiplier of the budget that fits the live slots: halving between one that is too small and one that is large
    /// enough for the set it selects to be affordable.
    fn raise_multiplier(&mut self) {
        let (mut low, mut high) = (0.0_f64, self.multiplier.max(1e-12));
        let mut bound = f64::NEG_INFINITY;
        let mut best = self.multiplier;
        for _ in 0..60 {
            let now = self.relaxed(high);
            if now <= bound {
                break;
            }
            (bound, best, low) = (now, high, low.max(high / 4.0));
            high *= 4.0;
        }
        // The bound is concave in the multiplier: its greatest value lies within the last two steps.
        let mut top = high;
        for _ in 0..24 {
            let (left, right) = (low + (top - low) / 3.0, top - (top - low) / 3.0);
            let (at_left, at_right) = (self.relaxed(left), self.relaxed(right));
            if at_left < at_right {
                low = left
            } else {
                top = right
            }
            for (multiplier, value) in [(left, at_left), (right, at_right)] {
                if value > bound {
                    (bound, best) = (value, multiplier);
                }
            }
        }
        self.multiplier = best;
    }

    fn offer(&mut self, value: f64, start: f64, slots: Vec<u32>) {
        if self.best.as_ref().is_none_or(|best| value < best.value) {
            self.best = Some(Best { value, start, slots });
        }
    }

    fn window(&mut self) -> Result<Option<Window>, WindowError> {
        let Some(best) = self.best.take() else { return Ok(None) };
        let start = Time::new(best.start)?;
        // Where all are held for the slowest of the chosen nodes, that one decides, whatever the level was.
        let own_spans = best.slots.iter().map(|&slot| self.usable[slot as usize].own_span);
        let level = own_spans.fold(Span::ZERO, Span::max);
        let mut placements = Vec::with_capacity(best.slots.len());
        for &slot in &best.slots {
            let usable = &self.usable[slot as usize];
            placements.push(self.slots.placement(usable.slot, start, self.span(usable, level)));
        }
        placements.sort_unstable_by_key(|placement| placement.node);
        Ok(Some(Window::new(start, placements)?))
    }
}

/// The least start from which a task of this span ends at `instant` or later, in computed numbers.
fn first_start_that_reaches(instant: f64, span: f64) -> f64 {
    let mut start = instant - span;
    // The difference is off by half a unit in the last place of the greater of the three numbers; a few steps suffice
    // unless the start is much smaller than the instant, where each of many starts gives the same end: any will do.
    for _ in 0..4 {
        if start + span >= instant {
            break;
        }
        start = start.next_up();
    }
    start
}
