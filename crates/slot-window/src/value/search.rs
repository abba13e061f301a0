//! The search behind [`MaxValue`](crate::MaxValue): bounds, then passes over the slots, then exact choices.

use super::{
    catalogue::{Catalogue, Class},
    choice::{Chooser, SLACK, Step},
    pass::{Candidate, Pass, Ranked},
};
use crate::{
    Criterion, Scope, SearchScratch, WindowError, WindowQuery,
    criterion::checked,
    scan::{Choice, Hold, Limits},
    subset::{self, Found, Given, Items, Multiplier, Prior, Relaxed},
};
use sched_model::{End, Limit, Meter, Speed, check::Holding};

/// What ends a search before its time.
#[derive(Debug)]
enum Stop {
    Error(WindowError),
    End(End),
}

impl<E: Into<WindowError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

/// One speed level and the bound on its windows.
#[derive(Debug, Clone, Copy)]
struct Level {
    speed: f64,
    hold: Hold,
    /// How many classes, fastest first, are fast enough.
    classes: usize,
    multiplier: Multiplier,
    /// Every window is worth more.
    least: f64,
}

impl Level {
    /// No window is worth more.
    fn bound(&self) -> f64 {
        self.multiplier.bound + self.multiplier.margin
    }
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(crate) struct ValueScratch {
    pub(crate) catalogue: Catalogue,
    pub(crate) pass: Pass,
    /// The speed for which values were asked, where they depend on it.
    listed: Option<f64>,
    levels: Vec<Level>,
    chooser: Chooser,
}

pub(crate) struct Search<'a> {
    pub(crate) query: WindowQuery<'a>,
    pub(crate) limits: Limits,
    pub(crate) criterion: &'a dyn Criterion,
    /// 1 to maximise, -1 to minimise.
    pub(crate) sign: f64,
    pub(crate) holding: Holding,
}

/// What a search leaves beside the choice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    /// Of the window found.
    pub(crate) value: Option<f64>,
    pub(crate) bound: Option<f64>,
    pub(crate) end: End,
}

/// The best window so far, and what is not yet known.
#[derive(Debug, Clone, Copy)]
struct Best {
    value: f64,
    start: f64,
    found: bool,
    /// While nothing is found: windows worth no more are left for later.
    target: f64,
    /// Windows worth no more than this above the best are of no interest.
    slack: f64,
    /// What is not yet searched holds no window worth more.
    open: f64,
    /// What was left for want of memory holds no window worth more.
    left: f64,
}

impl Best {
    const NONE: Self = Self {
        value: f64::NEG_INFINITY,
        start: f64::INFINITY,
        found: false,
        target: f64::NEG_INFINITY,
        slack: 0.0,
        open: f64::INFINITY,
        left: f64::NEG_INFINITY,
    };

    /// What a window must at least be worth to be of interest.
    fn needed(self) -> f64 {
        if self.found { self.value + self.slack } else { self.target }
    }

    /// What a window with this start must surpass. One of equal value counts if it starts earlier than the best so far.
    fn floor(self, start: f64) -> f64 {
        match (self.found, start < self.start) {
            (false, _) => self.target,
            (true, true) if self.slack == 0.0 => self.value.next_down(),
            (true, _) => self.value + self.slack,
        }
    }

    fn set(&mut self, value: f64, start: f64, limit: &Limit) {
        let slack = limit.absolute_gap.max(limit.relative_gap * value.abs());
        *self = Self { value, start, found: true, slack, ..*self };
    }

    /// What is known at the end of the search, or where it was stopped.
    fn result(self, ended: Option<End>, sign: f64, limit: &Limit) -> Known {
        let value = self.found.then_some(self.value);
        let mut bound = self.left.max(self.value);
        bound = match ended {
            Some(_) => bound.max(self.open),
            None if self.found => bound.max(self.value + self.slack),
            None => bound,
        };
        let end = ended.unwrap_or_else(|| match value {
            Some(value) if bound <= value => End::Done,
            Some(value) if limit.gap_closed(value, bound) => End::Gap,
            None if self.left == f64::NEG_INFINITY => End::Done,
            _ => End::Memory,
        });
        let bound = bound.is_finite().then_some(sign * bound);
        Known { value: value.map(|value| sign * value), bound, end }
    }
}

/// One instant of a pass on one level.
#[derive(Debug, Clone, Copy)]
struct Instant<'a> {
    now: f64,
    level: &'a Level,
    lambda: f64,
}

/// Where the search notes what it finds, and counts what it spends.
struct Notes<'a, 'm> {
    best: Best,
    choice: &'a mut Choice,
    meter: &'a mut Meter<'m>,
}

impl Notes<'_, '_> {
    fn spend(&mut self, units: usize) -> Result<(), Stop> {
        self.meter.spend(units as u64).map_err(Stop::End)
    }

    /// Takes note of how an exact choice ended, of which the bound is given.
    fn ended(&mut self, found: Found, bound: f64) -> Result<(), Stop> {
        match found {
            Found::Cut(End::Memory | End::Gap) => self.best.left = self.best.left.max(bound),
            Found::Cut(end) => return Err(Stop::End(end)),
            Found::Nothing | Found::Best => {}
        }
        Ok(())
    }
}

/// How many times n classes of the best level the first passes look at. With so few a window is often found that no
/// window with another class can beat; else the next passes look at more.
const WIDTH: usize = 5;

/// Ranks are changed when the choices in vain have had so many times as many members as there are ranks.
const PATIENCE: usize = 1;

impl Search<'_> {
    /// Leaves the best window in the scratch's choice.
    pub(crate) fn run(
        &self,
        scratch: &mut SearchScratch,
        meter: &mut Meter<'_>,
    ) -> Result<Known, WindowError> {
        let SearchScratch { value: memory, choice, speeds, .. } = scratch;
        let limit = meter.limit();
        let mut notes = Notes { best: Best::NONE, choice, meter };
        let ended = match self.passes(speeds, memory, &mut notes) {
            Ok(()) => None,
            Err(Stop::End(end)) => Some(end),
            Err(Stop::Error(error)) => return Err(error),
        };
        Ok(notes.best.result(ended, self.sign, limit))
    }

    fn passes(
        &self,
        speeds: &mut Vec<f64>,
        memory: &mut ValueScratch,
        notes: &mut Notes<'_, '_>,
    ) -> Result<(), Stop> {
        memory.listed = None;
        memory.levels.clear();
        self.levels(speeds, memory, notes)?;
        memory.levels.sort_by(|a, b| b.multiplier.bound.total_cmp(&a.multiplier.bound));
        let Some(&top) = memory.levels.first() else { return Ok(()) };
        // Every window is worth more than this. A bound below it tells that no window is affordable.
        let least = memory.levels.iter().map(|level| level.least).fold(f64::INFINITY, f64::min);
        let mut width = WIDTH * self.query.request.nodes();
        // While nothing is found, no window is worth more than the last target.
        let mut ceiling = f64::INFINITY;
        loop {
            let target = self.target(&top, width, memory, notes)?;
            let Multiplier { bound, margin, .. } = top.multiplier;
            if target.is_some_and(|target| target >= bound - 8.0 * margin) {
                // So many classes are worth as much that no window can reach the target.
                width *= 4;
                continue;
            }
            notes.best.target = target.unwrap_or(least);
            for number in 0..memory.levels.len() {
                let level = memory.levels[number];
                let before = if number > 0 { notes.best.target } else { f64::NEG_INFINITY };
                notes.best.open = level.bound().max(before).min(ceiling);
                if level.bound() >= notes.best.needed() {
                    self.pass(&level, memory, notes)?;
                }
            }
            if target.is_none() || notes.best.found {
                return Ok(());
            }
            ceiling = notes.best.target;
            width *= 4;
        }
    }

    /// Lists the speed levels that may have windows.
    fn levels(
        &self,
        speeds: &mut Vec<f64>,
        memory: &mut ValueScratch,
        notes: &mut Notes<'_, '_>,
    ) -> Result<(), Stop> {
        let work = self.query.request.work();
        if self.holding == Holding::SlowestSpan && self.criterion.scope() == Scope::SlotAndSpan {
            crate::scan::speeds(self.query.slots, self.query.from, self.limits.min_speed, speeds);
            for &speed in speeds.iter() {
                let hold = Hold::Same(work / Speed::new(speed)?);
                self.list(speed, hold, memory, notes)?;
                self.bound(speed, hold, memory.catalogue.classes.len(), memory, notes)?;
            }
            return Ok(());
        }
        // A value that does not depend on the span of the window is asked once for all levels.
        self.list(self.limits.min_speed, Hold::Own(work), memory, notes)?;
        let classes = memory.catalogue.classes.len();
        if self.holding == Holding::OwnSpan {
            self.bound(self.limits.min_speed, Hold::Own(work), classes, memory, notes)?;
            return Ok(());
        }
        let mut upto = 0;
        while upto < classes {
            let by_speed = &memory.catalogue.by_speed[upto..];
            let key = by_speed[0].0;
            upto += by_speed.iter().take_while(|entry| entry.0 == key).count();
            let level = f64::from_bits(!key);
            self.bound(level, Hold::Same(work / Speed::new(level)?), upto, memory, notes)?;
        }
        Ok(())
    }

    /// Lists the slots for windows of nodes with at least this speed; values are asked with this hold.
    fn list(
        &self,
        speed: f64,
        hold: Hold,
        memory: &mut ValueScratch,
        notes: &mut Notes<'_, '_>,
    ) -> Result<(), Stop> {
        if memory.listed == Some(speed) {
            return Ok(());
        }
        notes.spend(self.query.slots.len())?;
        let limits = Limits { min_speed: speed, ..self.limits };
        let by_node = self.criterion.scope() == Scope::Node;
        memory.catalogue.list(self.query, &limits, hold, by_node, |slot, span| {
            Ok(self.sign * checked(slot.node(), self.criterion.value(slot, span))?)
        })?;
        memory.listed = Some(speed);
        Ok(())
    }

    /// Lists the slots for this level, if those listed last do not serve.
    fn list_for(
        &self,
        level: &Level,
        memory: &mut ValueScratch,
        notes: &mut Notes<'_, '_>,
    ) -> Result<(), Stop> {
        if self.holding == Holding::SlowestSpan && self.criterion.scope() == Scope::SlotAndSpan {
            self.list(level.speed, level.hold, memory, notes)?;
        }
        Ok(())
    }

    /// Whether a class can be in a window with this hold, and for how long at which cost it is then held.
    #[inline]
    fn held(&self, class: &Class, hold: Hold) -> Option<(f64, f64)> {
        let span = match hold {
            Hold::Same(span) => span,
            Hold::Own(_) => class.span,
        };
        let cost = self.query.slots.tariff().charge(class.price, span).get();
        (class.longest >= span.get() && cost <= self.limits.budget).then_some((span.get(), cost))
    }

    /// Takes a level in, with its bound, unless it has no affordable window whatever is live.
    fn bound(
        &self,
        speed: f64,
        hold: Hold,
        upto: usize,
        memory: &mut ValueScratch,
        notes: &mut Notes<'_, '_>,
    ) -> Result<(), Stop> {
        let ValueScratch { catalogue, levels, chooser: Chooser { values, costs, subset, .. }, .. } = memory;
        values.clear();
        costs.clear();
        for &(_, number) in &catalogue.by_speed[..upto] {
            let class = &catalogue.classes[number as usize];
            if let Some((_, cost)) = self.held(class, hold) {
                values.push(class.value);
                costs.push(cost);
            }
        }
        let n = self.query.request.nodes();
        // The next slower level has a multiplier not far from this one's.
        let lambda = levels.last().map_or(0.0, |level| level.multiplier.lambda);
        let prior = Prior { lambda, floor: f64::NEG_INFINITY, slack: SLACK };
        let items = Items { values, costs, n, budget: self.limits.budget, given: Given::default() };
        let relaxed = subset::relax(&items, prior, &mut subset.order, notes.meter).map_err(Stop::End)?;
        let multiplier = match relaxed {
            Relaxed::Infeasible(_) | Relaxed::Low(_) => return Ok(()),
            Relaxed::Bound(multiplier) => multiplier,
            Relaxed::Solved => {
                let bound: f64 = subset.order.items[..n].iter().map(|item| item.value).sum();
                let greatest = values.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
                let margin = greatest * n as f64 * f64::EPSILON * (n as f64 + 8.0);
                Multiplier { lambda: 0.0, bound, margin }
            }
        };
        let least = values.iter().copied().fold(f64::INFINITY, f64::min) * n as f64;
        let greatest = values.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
        let least = (least - greatest * n as f64 * f64::EPSILON * (n as f64 + 8.0)).next_down();
        levels.push(Level { speed, hold, classes: upto, multiplier, least });
        Ok(())
    }

    /// The budget's part of a bound by reduced values, with all that rounding may take from it.
    fn base(&self, lambda: f64, margin: f64) -> f64 {
        // An infinite budget has the multiplier 0.
        if lambda > 0.0 { lambda * self.limits.budget + 6.0 * margin } else { 6.0 * margin }
    }

    /// Reduced values of the classes that can be on a level.
    fn candidates(&self, level: &Level, memory: &mut ValueScratch) {
        let ValueScratch { catalogue, pass, .. } = memory;
        pass.candidates.clear();
        for &(_, number) in &catalogue.by_speed[..level.classes] {
            let class = &catalogue.classes[number as usize];
            if let Some((span, cost)) = self.held(class, level.hold) {
                let reduced = class.value - level.multiplier.lambda * cost;
                pass.candidates.push(Candidate { reduced, class: number, node: class.node, span, cost });
            }
        }
    }

    /// The worth below which a window of this level must hold a class that is not among the `width` of greatest reduced
    /// value; none if there are no others.
    fn target(
        &self,
        level: &Level,
        width: usize,
        memory: &mut ValueScratch,
        notes: &mut Notes<'_, '_>,
    ) -> Result<Option<f64>, Stop> {
        self.list_for(level, memory, notes)?;
        self.candidates(level, memory);
        let candidates = &mut memory.pass.candidates;
        let n = self.query.request.nodes();
        if width >= candidates.len() {
            return Ok(None);
        }
        let least = candidates.select_nth_unstable_by(width, Candidate::order).1.reduced;
        let nth = candidates[..width].select_nth_unstable_by(n - 1, Candidate::order).1.reduced;
        Ok(Some(level.multiplier.bound - (nth - least)))
    }

    /// One pass over the slots on one level.
    fn pass(&self, level: &Level, memory: &mut ValueScratch, notes: &mut Notes<'_, '_>) -> Result<(), Stop> {
        self.list_for(level, memory, notes)?;
        notes.spend(level.classes + memory.catalogue.pieces.len())?;
        self.candidates(level, memory);
        let ValueScratch { catalogue, pass, chooser, .. } = memory;
        let n = self.query.request.nodes();
        let Multiplier { mut lambda, margin, .. } = level.multiplier;
        let mut base = self.base(lambda, margin);
        pass.rank(n, base, notes.best.needed(), catalogue);
        if pass.ranked.len() < n {
            return Ok(());
        }
        let greatest = |number: fn(&Ranked) -> f64| {
            pass.ranked.iter().map(|class| number(class).abs()).fold(0.0, f64::max)
        };
        let (greatest_value, greatest_cost) = (greatest(|class| class.value), greatest(|class| class.cost));
        // Members of choices without success since the last ranking.
        let mut vain = 0;
        pass.run(catalogue, |pass, now, arrival| {
            if !pass.may_reach(arrival, now, base, notes.best.needed())
                || self.choose_at(Instant { now, level, lambda }, pass, chooser, notes)?
            {
                return Ok(());
            }
            // What bounds this instant is likely to bound the next ones; a new ranking must pay.
            vain += pass.members.len();
            let other = chooser.subset.lambda;
            if vain >= PATIENCE * pass.ranked.len() && (other - lambda).abs() > lambda / 64.0 {
                vain = 0;
                lambda = other;
                let reduced = greatest_value + lambda * greatest_cost;
                let n = n as f64;
                let margin = (reduced * n * (n + 8.0) + 4.0 * lambda * self.limits.budget) * f64::EPSILON;
                base = self.base(lambda, margin);
                pass.rerank(lambda);
            }
            Ok(())
        })
    }

    /// The exact choice among the members at one instant; whether it is a better window.
    fn choose_at(
        &self,
        at: Instant<'_>,
        pass: &mut Pass,
        chooser: &mut Chooser,
        notes: &mut Notes<'_, '_>,
    ) -> Result<bool, Stop> {
        let Instant { now, level, lambda } = at;
        let Pass { ranked, members, .. } = pass;
        let limit = notes.meter.limit();
        notes.spend(members.len())?;
        let step = Step { ranked, n: self.query.request.nodes(), budget: self.limits.budget };
        let floor = notes.best.floor(now);
        if !step.may_choose(members, floor, lambda, chooser, notes.meter).map_err(Stop::End)? {
            return Ok(false);
        }
        members.sort_unstable_by_key(|&rank| ranked[rank as usize].node);
        let found = step.choose(members, None, floor, chooser, notes.meter);
        if found == Found::Nothing {
            return Ok(false);
        }
        let by_level = self.holding == Holding::SlowestSpan && self.criterion.scope() == Scope::SlotAndSpan;
        let slowest = step.slowest(&chooser.chosen);
        if !by_level || slowest == level.speed {
            let better = chooser.subset.best.found;
            if better {
                // A choice of nodes all faster than the level is held for their own slowest's span, at the same value.
                let hold = match level.hold {
                    Hold::Same(_) => Hold::Same(self.query.request.work() / Speed::new(slowest)?),
                    own @ Hold::Own(_) => own,
                };
                notes.best.set(chooser.subset.best.value, now, limit);
                notes.choice.set(now, hold, chooser.chosen.iter().map(|&rank| ranked[rank as usize].at));
            }
            notes.ended(found, chooser.subset.bound)?;
            return Ok(better);
        }
        if let Found::Cut(end @ (End::Work | End::Signal)) = found {
            return Err(Stop::End(end));
        }
        // The value was asked for the span of this level, so that one of its own nodes must be in: try each.
        let mut better = false;
        let mut all = std::mem::take(&mut chooser.all);
        all.clone_from(members);
        let mut stopped = Ok(());
        for &forced in all.iter().filter(|&&rank| ranked[rank as usize].speed == level.speed) {
            members.clear();
            members.extend(all.iter().copied().filter(|&rank| rank != forced));
            chooser.subset.lambda = lambda;
            let first = &ranked[forced as usize];
            let found = step.choose(members, Some(first), notes.best.floor(now), chooser, notes.meter);
            if chooser.subset.best.found {
                better = true;
                notes.best.set(chooser.subset.best.value, now, limit);
                let chosen = chooser.chosen.iter().copied().chain([forced]);
                notes.choice.set(now, level.hold, chosen.map(|rank| ranked[rank as usize].at));
            }
            stopped = notes.ended(found, chooser.subset.bound);
            if stopped.is_err() {
                break;
            }
        }
        chooser.all = all;
        stopped.map(|()| better)
    }
}
