//! The sweep over starts.
//!
//! While the start of a window moves to the right, what a slot pays changes only where the start passes a price (which
//! is then no longer paid) or where the end reaches one (which is paid from there on). Between two such events nothing
//! changes but the start itself, so that the first instant of each piece is the best one, and it is enough to test
//! there.

use super::prices::{Point, between};
use super::{NodeTimePrices, PricedSearch};
use crate::WindowError;
use crate::scan::{check_length, last_that_ends_by, latest_start, usable};
use crate::subset::{ExactSubset, SubsetProblem, SubsetScratch, SubsetSolver};
use sched_model::check::Holding;
use sched_model::{End, Limit, Money, ResourceRequest, Slot, SlotList, Span, Time, Window, plain_sum_error};

/// A slot that can be part of a better window.
struct Usable<'a> {
    slot: &'a Slot,
    points: &'a [Point],
    from: f64,
    /// How long it is held.
    span: Span,
    charge: f64,
    /// The weighted charge: its value without prices.
    base: f64,
    latest: f64,
    /// Its value while it is live, else NaN.
    present: f64,
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
    start: f64,
    /// Positions in `suited`.
    slots: Vec<u32>,
}

/// A slot that suits the request.
struct Suited<'a> {
    slot: &'a Slot,
    own_span: Span,
}

pub(super) struct Sweep<'a> {
    search: &'a PricedSearch,
    slots: &'a SlotList,
    prices: &'a NodeTimePrices,
    holding: Holding,
    nodes: usize,
    budget: f64,
    deadline: f64,
    from: f64,
    suited: Vec<Suited<'a>>,
    usable: Vec<Usable<'a>>,
    /// Positions in `suited` of those.
    numbers: Vec<u32>,
    /// Spans of the task on the nodes at hand, ascending.
    levels: Vec<Span>,
    /// (start, slot): where what a slot pays may change.
    events: Vec<(f64, u32)>,
    live: Vec<Live>,
    /// No live slot ends its stay before this.
    first_latest: f64,
    /// What a window must fall below: the value of the best so far.
    below: f64,
    best: Option<Best>,
    /// Multiplier of the budget at the last start where it was binding.
    multiplier: f64,
    /// Where a choice of nodes within the budget was not proven: what it is at least, why it ended, after which work.
    unproven: Option<(f64, End, u64)>,
    /// The greatest magnitude of numbers that were added.
    magnitude: f64,
    keys: Vec<f64>,
    values: Vec<f64>,
    charges: Vec<f64>,
    members: Vec<u32>,
    subset: SubsetScratch,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(
        search: &'a PricedSearch,
        slots: &'a SlotList,
        request: &'a ResourceRequest,
        from: Time,
        prices: &'a NodeTimePrices,
        below: f64,
    ) -> Result<Self, WindowError> {
        check_length(slots)?;
        let rules = search.rules;
        let price_limit = if rules.slot_price { request.price_limit() } else { None };
        let suits = |slot: &&Slot| {
            slot.speed() >= request.min_speed()
                && price_limit.is_none_or(|limit| slot.price() <= limit)
                && slot.end() > from
        };
        let suited = (slots.runs_alive_at(from).flatten().filter(suits))
            .map(|slot| Suited { slot, own_span: request.span_on(slot.speed()) });
        Ok(Self {
            search,
            slots,
            prices,
            holding: rules.holding,
            nodes: request.nodes(),
            budget: rules.budget(request).map_or(f64::INFINITY, Money::get),
            deadline: request.deadline().map_or(f64::INFINITY, Time::get),
            from: from.get(),
            suited: suited.collect(),
            usable: Vec::new(),
            numbers: Vec::new(),
            levels: Vec::new(),
            events: Vec::new(),
            live: Vec::new(),
            first_latest: f64::INFINITY,
            below,
            best: None,
            multiplier: 0.0,
            unproven: None,
            magnitude: 0.0,
            keys: Vec::new(),
            values: Vec::new(),
            charges: Vec::new(),
            members: Vec::new(),
            subset: SubsetScratch::new(),
        })
    }

    /// The window of least value, if it is below what was asked for.
    pub(super) fn best(&mut self) -> Result<Option<Window>, WindowError> {
        match self.holding {
            // A node is held for its own span whatever the others take: one sweep sees the windows of all runtimes.
            Holding::OwnSpan => self.sweep(None)?,
            // All are held for the slowest: a sweep for each of its spans.
            _ => {
                let mut levels: Vec<Span> = self.suited.iter().map(|suited| suited.own_span).collect();
                levels.sort_unstable();
                levels.dedup();
                for level in levels {
                    self.sweep(Some(level))?;
                }
            }
        }
        self.window()
    }

    /// A choice of nodes that was not proven: the value of its windows is at least so much.
    pub(super) fn unproven(&self) -> Option<(f64, End, u64)> {
        self.unproven
    }

    /// The most by which rounding can have hidden a window of lesser value.
    pub(super) fn error(&self) -> f64 {
        // Each slot's value is a product, a charge and a difference of two sums of prices; n of them are added, with
        // two more terms.
        let nodes = self.nodes.min(self.suited.len());
        plain_sum_error(6 * (nodes + 4) + 2 * self.prices.most_points(), self.magnitude)
    }

    /// One sweep over all starts, each node held for its own span or all for one.
    fn sweep(&mut self, held: Option<Span>) -> Result<(), WindowError> {
        self.collect_usable(held);
        if self.usable.len() < self.nodes {
            return Ok(());
        }
        self.collect_events();
        self.live.clear();
        self.first_latest = f64::INFINITY;
        let least_rest = self.least_bases(self.nodes - 1);
        let shortest = self.levels.first().copied().unwrap_or(Span::ZERO);
        let mut at = 0;
        while let Some(&(start, _)) = self.events.get(at) {
            let begun = self.search.start_weight * (start - self.from);
            let first = at;
            while self.events.get(at).is_some_and(|event| event.0 == start) {
                at += 1;
            }
            if self.first_latest < start {
                self.drop_ended(start);
            }
            for event in first..at {
                self.update(self.events[event].1, start, begun + least_rest);
            }
            if self.live.len() >= self.nodes {
                self.test(start, begun, shortest)?;
            }
        }
        Ok(())
    }

    /// The slots that can be part of a window below the best, and their spans.
    fn collect_usable(&mut self, held: Option<Span>) {
        self.usable.clear();
        self.numbers.clear();
        let cost_weight = self.search.cost_weight;
        let tariff = self.slots.tariff();
        let mut greatest = 0.0_f64;
        for (number, suited) in self.suited.iter().enumerate() {
            let span = held.unwrap_or(suited.own_span);
            if suited.own_span > span {
                continue;
            }
            let from = usable(suited.slot, self.from);
            let latest = latest_start(suited.slot.end().get().min(self.deadline), span.get());
            let charge = tariff.charge(suited.slot.price(), span).get();
            if latest < from || charge > self.budget {
                continue;
            }
            let base = cost_weight * charge;
            greatest = greatest.max(base.abs());
            self.numbers.push(number as u32);
            self.usable.push(Usable {
                slot: suited.slot,
                points: &[],
                from,
                span,
                charge,
                base,
                latest,
                present: f64::NAN,
            });
        }
        let last = self.usable.iter().map(|usable| usable.latest).fold(self.from, f64::max);
        let longest = self.usable.iter().map(|usable| usable.span.get()).fold(0.0, f64::max);
        let added = self.nodes.min(self.suited.len()) as f64 * (greatest + self.prices.most_of_a_node())
            // A runtime is the difference of two instants.
            + self.search.runtime_weight * (longest + last.abs().max(self.from.abs()))
            + self.search.start_weight * (last - self.from);
        self.magnitude = self.magnitude.max(added);
        if self.below < f64::INFINITY && self.usable.len() >= self.nodes {
            let least_rest = self.least_bases(self.nodes - 1);
            let (below, search, origin) = (self.below, self.search, self.from);
            let keeps = |usable: &Usable<'_>| {
                let begun = search.start_weight * (usable.from - origin);
                usable.base + least_rest + search.runtime_weight * usable.span.get() + begun < below
            };
            let mut kept = 0;
            for at in 0..self.usable.len() {
                if keeps(&self.usable[at]) {
                    self.usable.swap(kept, at);
                    self.numbers.swap(kept, at);
                    kept += 1;
                }
            }
            self.usable.truncate(kept);
            self.numbers.truncate(kept);
        }
        for usable in &mut self.usable {
            usable.points = self.prices.points(usable.slot.node());
        }
        self.levels.clear();
        self.levels.extend(self.usable.iter().map(|usable| usable.span));
        self.levels.sort_unstable();
        self.levels.dedup();
    }

    /// The least sum of values of so many slots of different nodes: no window pays less for as many of its nodes.
    fn least_bases(&mut self, count: usize) -> f64 {
        let mut least: Vec<(f64, sched_model::NodeId)> = Vec::with_capacity(count + 1);
        if count == 0 {
            return 0.0;
        }
        for usable in &self.usable {
            let (base, node) = (usable.base, usable.slot.node());
            if least.len() == count && least.last().is_some_and(|last| base >= last.0) {
                continue;
            }
            if let Some(same) = least.iter().position(|other| other.1 == node) {
                if base >= least[same].0 {
                    continue;
                }
                least.remove(same);
            }
            let at = least.partition_point(|other| other.0 <= base);
            least.insert(at, (base, node));
            least.truncate(count);
        }
        least.iter().map(|least| least.0).sum()
    }

    fn collect_events(&mut self) {
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        for (number, usable) in self.usable.iter().enumerate() {
            let number = number as u32;
            events.push((usable.from, number));
            // Prices before the slot or after its end are none that it pays.
            let first = usable.points.partition_point(|point| point.at <= usable.from);
            let end = usable.latest + usable.span.get();
            for point in usable.points[first..].iter().take_while(|point| point.at <= end) {
                for start in [point.at, first_start_that_reaches(point.at, usable.span.get())] {
                    if start > usable.from && start <= usable.latest {
                        events.push((start, number));
                    }
                }
            }
        }
        events.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        events.dedup();
        self.events = events;
    }

    /// Live slots that end before a task that starts now could.
    fn drop_ended(&mut self, start: f64) {
        let (usable, mut first) = (&mut self.usable, f64::INFINITY);
        self.live.retain(|live| {
            let stays = live.latest >= start;
            if stays {
                first = first.min(live.latest);
            } else {
                usable[live.slot as usize].present = f64::NAN;
            }
            stays
        });
        self.first_latest = first;
    }

    /// The slot's value at this start takes the place of its former one. `rest`: what the other slots and the start add
    /// at least.
    fn update(&mut self, number: u32, start: f64, rest: f64) {
        let usable = &mut self.usable[number as usize];
        let value = usable.base + between(usable.points, start, start + usable.span.get());
        let place = |live: &[Live], value: f64| {
            live.partition_point(|live| (live.value, live.slot) < (value, number))
        };
        if !usable.present.is_nan() {
            let at = place(&self.live, usable.present);
            self.live.remove(at);
            usable.present = f64::NAN;
        }
        if value + rest + self.search.runtime_weight * usable.span.get() < self.below {
            let at = place(&self.live, value);
            let (charge, span, latest) = (usable.charge, usable.span, usable.latest);
            usable.present = value;
            self.first_latest = self.first_latest.min(latest);
            self.live.insert(at, Live { value, charge, span, latest, slot: number });
        }
    }

    /// Tests the present start. Caps on the spans, from the longest down: the sets of least value under a cap are the
    /// best of all whose runtime is their own or longer.
    fn test(&mut self, start: f64, begun: f64, shortest: Span) -> Result<(), WindowError> {
        let weight = self.search.runtime_weight;
        let mut caps = self.levels.len();
        while let Some(&cap) = caps.checked_sub(1).and_then(|at| self.levels.get(at)) {
            let mut members = std::mem::take(&mut self.members);
            members.clear();
            let (mut sum, mut span) = (0.0, Span::ZERO);
            for (at, live) in self.live.iter().enumerate() {
                if live.span <= cap {
                    sum += live.value;
                    span = span.max(live.span);
                    members.push(at as u32);
                    if members.len() == self.nodes {
                        break;
                    }
                }
            }
            self.members = members;
            let floor = sum + begun;
            if self.members.len() < self.nodes || floor + weight * shortest.get() >= self.below {
                return Ok(());
            }
            let charges = self.members.iter().map(|&at| self.live[at as usize].charge);
            if sched_model::affordable(charges, self.budget) {
                self.offer(floor + weight * span.get(), start);
            } else {
                // Of the sets of exactly this runtime: those of shorter ones come at their own cap.
                let needed = self.below - weight * cap.get() - begun;
                if sum >= needed || !self.may_fall_below(needed, cap) {
                    if weight == 0.0 {
                        return Ok(());
                    }
                    caps -= 1;
                    continue;
                }
                match self.choose(cap, begun)? {
                    None => return Ok(()),
                    Some((sum, longest)) => {
                        span = longest;
                        self.offer(sum + begun + weight * span.get(), start);
                    }
                }
            }
            if weight == 0.0 {
                return Ok(());
            }
            caps = self.levels.partition_point(|&level| level < span);
        }
        Ok(())
    }

    /// Whether the relaxation of the budget leaves room for a sum below this.
    fn may_fall_below(&mut self, needed: f64, cap: Span) -> bool {
        if needed == f64::INFINITY {
            return true;
        }
        if self.relaxed(self.multiplier, cap) >= needed {
            return false;
        }
        self.raise_multiplier(cap);
        self.relaxed(self.multiplier, cap) < needed
    }

    /// The affordable set of least value whose spans are at most `cap`, as `members`: its sum and longest span.
    fn choose(&mut self, cap: Span, begun: f64) -> Result<Option<(f64, Span)>, WindowError> {
        self.values.clear();
        self.charges.clear();
        let mut positions = Vec::with_capacity(self.live.len());
        for (at, live) in self.live.iter().enumerate() {
            if live.span <= cap {
                self.values.push(-live.value);
                self.charges.push(live.charge);
                positions.push(at as u32);
            }
        }
        let problem = SubsetProblem::new(&self.values, &self.charges, self.nodes, self.budget)?;
        let outcome = ExactSubset::new().solve(&problem, &Limit::default(), &mut self.subset);
        if outcome.end != End::Done {
            let least = outcome.bound.map_or(f64::NEG_INFINITY, |bound| -bound);
            let shortest = self.levels.first().copied().unwrap_or(Span::ZERO);
            let value = least + begun + self.search.runtime_weight * shortest.get();
            let (floor, ..) = self.unproven.unwrap_or((f64::INFINITY, outcome.end, 0));
            self.unproven = Some((floor.min(value), outcome.end, outcome.work));
        }
        let Some(subset) = outcome.incumbent else { return Ok(None) };
        self.members.clear();
        self.members.extend(subset.indices().iter().map(|&index| positions[index]));
        let spans = self.members.iter().map(|&at| self.live[at as usize].span);
        Ok(Some((-subset.value(), spans.fold(Span::ZERO, Span::max))))
    }

    /// The least sum of `value + multiplier * charge` over n live slots of spans up to `cap`, less the multiplier's share of
    /// the budget: no affordable set has a lesser sum of values. There are n such slots.
    fn relaxed(&mut self, multiplier: f64, cap: Span) -> f64 {
        let Self { keys, live, nodes, budget, .. } = self;
        keys.clear();
        let capped = live.iter().filter(|live| live.span <= cap);
        keys.extend(capped.map(|live| live.value + multiplier * live.charge));
        if *nodes < keys.len() {
            keys.select_nth_unstable_by(*nodes - 1, f64::total_cmp);
        }
        let sum: f64 = keys[..*nodes].iter().sum();
        let size: f64 = keys[..*nodes].iter().map(|key| key.abs()).sum::<f64>() + multiplier * budget.abs();
        sum - multiplier * *budget - plain_sum_error(*nodes + 4, size)
    }

    /// A multiplier of the budget that fits the live slots: halving between one that is too small and one that is large
    /// enough for the set it selects to be affordable.
    fn raise_multiplier(&mut self, cap: Span) {
        let (mut low, mut high) = (0.0_f64, self.multiplier.max(1e-12));
        let mut bound = f64::NEG_INFINITY;
        let mut best = self.multiplier;
        for _ in 0..60 {
            let now = self.relaxed(high, cap);
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
            let (at_left, at_right) = (self.relaxed(left, cap), self.relaxed(right, cap));
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

    /// Takes the window of `members` if its value is below the best.
    fn offer(&mut self, value: f64, start: f64) {
        if value < self.below {
            let numbers = self.members.iter().map(|&at| self.numbers[self.live[at as usize].slot as usize]);
            self.below = value;
            self.best = Some(Best { start, slots: numbers.collect() });
        }
    }

    fn window(&mut self) -> Result<Option<Window>, WindowError> {
        let Some(best) = self.best.take() else { return Ok(None) };
        let start = Time::new(best.start)?;
        // Where all are held for the slowest of the chosen nodes, that one decides, whatever the level was.
        let chosen = best.slots.iter().map(|&number| &self.suited[number as usize]);
        let longest = chosen.clone().map(|suited| suited.own_span).fold(Span::ZERO, Span::max);
        let span = |suited: &Suited<'_>| match self.holding {
            Holding::OwnSpan => suited.own_span,
            _ => longest,
        };
        let mut placements: Vec<_> =
            chosen.map(|suited| self.slots.placement(suited.slot, start, span(suited))).collect();
        placements.sort_unstable_by_key(|placement| placement.node);
        Ok(Some(Window::new(start, placements)?))
    }
}

/// The least start from which a task of this span ends at `instant` or later, in computed numbers.
fn first_start_that_reaches(instant: f64, span: f64) -> f64 {
    last_that_ends_by(instant.next_down(), span).next_up()
}
