//! The search behind [`MaxValue`](crate::MaxValue): bounds, then passes over the slots, then exact choices.

use crate::{
    Criterion, Scope, SearchScratch, WindowError,
    catalogue::{Catalogue, Class},
    choice::{Chooser, SLACK, Step},
    criterion::checked,
    pass::{Candidate, Pass, Ranked},
    scan::{Choice, Hold, Limits, Query},
    subset::{self, Given, Items, Multiplier, Prior, Relaxed},
};
use sched_model::{Speed, check::Holding};

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
    pub(crate) query: Query<'a>,
    pub(crate) limits: Limits,
    pub(crate) criterion: &'a dyn Criterion,
    /// 1 to maximise, -1 to minimise.
    pub(crate) sign: f64,
    pub(crate) holding: Holding,
}

/// The best window so far.
#[derive(Debug, Clone, Copy)]
struct Best {
    value: f64,
    start: f64,
    found: bool,
    /// While nothing is found: windows worth no more are left for later.
    target: f64,
}

impl Best {
    /// What a window must at least be worth to be of interest.
    fn needed(self) -> f64 {
        if self.found { self.value } else { self.target }
    }

    /// What a window with this start must surpass. One of equal value counts if it starts earlier than the best so far.
    fn floor(self, start: f64) -> f64 {
        match (self.found, start < self.start) {
            (false, _) => self.target,
            (true, true) => self.value.next_down(),
            (true, false) => self.value,
        }
    }
}

/// How many times n classes of the best level the first passes look at. With so few a window is often found that no
/// window with another class can beat; else the next passes look at more.
const WIDTH: usize = 5;

/// Ranks are changed when the choices in vain have had so many times as many members as there are ranks.
const PATIENCE: usize = 1;

impl Search<'_> {
    /// Leaves the best window in the scratch's choice.
    pub(crate) fn run(&self, scratch: &mut SearchScratch) -> Result<(), WindowError> {
        let SearchScratch { value: memory, choice, speeds, .. } = scratch;
        memory.listed = None;
        memory.levels.clear();
        self.levels(speeds, memory)?;
        memory.levels.sort_by(|a, b| b.multiplier.bound.total_cmp(&a.multiplier.bound));
        let Some(&top) = memory.levels.first() else { return Ok(()) };
        let mut best =
            Best { value: f64::NEG_INFINITY, start: f64::INFINITY, found: false, target: f64::NEG_INFINITY };
        // Every window is worth more than this. A bound below it tells that no window is affordable.
        let least = memory.levels.iter().map(|level| level.least).fold(f64::INFINITY, f64::min);
        let mut width = WIDTH * self.query.request.nodes();
        loop {
            let target = self.target(&top, width, memory)?;
            best.target = target.unwrap_or(least);
            for number in 0..memory.levels.len() {
                let level = memory.levels[number];
                if level.multiplier.bound + level.multiplier.margin >= best.needed() {
                    self.pass(&level, memory, &mut best, choice)?;
                }
            }
            if target.is_none() || best.found {
                return Ok(());
            }
            width *= 4;
        }
    }

    /// Lists the speed levels that may have windows.
    fn levels(&self, speeds: &mut Vec<f64>, memory: &mut ValueScratch) -> Result<(), WindowError> {
        let work = self.query.request.work();
        if self.holding == Holding::Square && self.criterion.scope() == Scope::SlotAndSpan {
            crate::scan::speeds(self.query.slots, self.query.from, self.limits.min_speed, speeds);
            for &speed in speeds.iter() {
                let hold = Hold::Same(work / Speed::new(speed)?);
                self.list(speed, hold, memory)?;
                self.bound(speed, hold, memory.catalogue.classes.len(), memory);
            }
            return Ok(());
        }
        // A value that does not depend on the span of the window is asked once for all levels.
        self.list(self.limits.min_speed, Hold::Own(work), memory)?;
        let classes = memory.catalogue.classes.len();
        if self.holding == Holding::Rough {
            self.bound(self.limits.min_speed, Hold::Own(work), classes, memory);
            return Ok(());
        }
        let mut upto = 0;
        while upto < classes {
            let by_speed = &memory.catalogue.by_speed[upto..];
            let key = by_speed[0].0;
            upto += by_speed.iter().take_while(|entry| entry.0 == key).count();
            let level = f64::from_bits(!key);
            self.bound(level, Hold::Same(work / Speed::new(level)?), upto, memory);
        }
        Ok(())
    }

    /// Lists the slots for windows of nodes with at least this speed; values are asked with this hold.
    fn list(&self, speed: f64, hold: Hold, memory: &mut ValueScratch) -> Result<(), WindowError> {
        if memory.listed == Some(speed) {
            return Ok(());
        }
        let limits = Limits { min_speed: speed, ..self.limits };
        let by_node = self.criterion.scope() == Scope::Node;
        memory.catalogue.list(self.query, &limits, hold, by_node, |slot, span| {
            Ok(self.sign * checked(slot.node(), self.criterion.value(slot, span))?)
        })?;
        memory.listed = Some(speed);
        Ok(())
    }

    /// Lists the slots for this level, if those listed last do not serve.
    fn list_for(&self, level: &Level, memory: &mut ValueScratch) -> Result<(), WindowError> {
        if self.holding == Holding::Square && self.criterion.scope() == Scope::SlotAndSpan {
            self.list(level.speed, level.hold, memory)?;
        }
        Ok(())
    }

    /// Whether a class can be in a window with this hold, and for how long at which cost it is then held.
    #[inline]
    fn held(&self, class: &Class, hold: Hold) -> Option<(f64, f64)> {
        let span = match hold {
            Hold::Same(span) => span.get(),
            Hold::Own(_) => class.span,
        };
        let cost = class.price * span;
        (class.longest >= span && cost <= self.limits.budget).then_some((span, cost))
    }

    /// Takes a level in, with its bound, unless it has no affordable window whatever is live.
    fn bound(&self, speed: f64, hold: Hold, upto: usize, memory: &mut ValueScratch) {
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
        let multiplier = match subset::relax(&items, prior, &mut subset.order) {
            Relaxed::Infeasible(_) | Relaxed::Low(_) => return,
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
    ) -> Result<Option<f64>, WindowError> {
        self.list_for(level, memory)?;
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
    fn pass(
        &self,
        level: &Level,
        memory: &mut ValueScratch,
        best: &mut Best,
        choice: &mut Choice,
    ) -> Result<(), WindowError> {
        self.list_for(level, memory)?;
        self.candidates(level, memory);
        let ValueScratch { catalogue, pass, chooser, .. } = memory;
        let n = self.query.request.nodes();
        let Multiplier { mut lambda, margin, .. } = level.multiplier;
        let mut base = self.base(lambda, margin);
        pass.rank(n, base, best.needed(), catalogue);
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
            if !pass.may_reach(arrival, now, base, best.needed())
                || self.choose_at(now, level, lambda, pass, chooser, best, choice)?
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
    #[allow(clippy::too_many_arguments)] // the memory of the search, borrowed in parts
    fn choose_at(
        &self,
        now: f64,
        level: &Level,
        lambda: f64,
        pass: &mut Pass,
        chooser: &mut Chooser,
        best: &mut Best,
        choice: &mut Choice,
    ) -> Result<bool, WindowError> {
        let Pass { ranked, members, .. } = pass;
        let step = Step { ranked, n: self.query.request.nodes(), budget: self.limits.budget };
        if !step.may_choose(members, best.floor(now), lambda, chooser) {
            return Ok(false);
        }
        members.sort_unstable_by_key(|&rank| ranked[rank as usize].node);
        if !step.choose(members, None, best.floor(now), chooser.subset.lambda, chooser) {
            return Ok(false);
        }
        let slowest = step.slowest(&chooser.chosen);
        if slowest == level.speed
            || self.holding == Holding::Rough
            || self.criterion.scope() != Scope::SlotAndSpan
        {
            // A choice of nodes all faster than the level is held for their own slowest's span, at the same value.
            let hold = match level.hold {
                Hold::Same(_) => Hold::Same(self.query.request.work() / Speed::new(slowest)?),
                own @ Hold::Own(_) => own,
            };
            *best = Best { value: chooser.subset.best.value, start: now, found: true, ..*best };
            choice.set(now, hold, chooser.chosen.iter().map(|&rank| ranked[rank as usize].at));
            return Ok(true);
        }
        // The value was asked for the span of this level, so that one of its own nodes must be in: try each.
        let mut better = false;
        let mut all = std::mem::take(&mut chooser.all);
        all.clone_from(members);
        for &forced in all.iter().filter(|&&rank| ranked[rank as usize].speed == level.speed) {
            members.clear();
            members.extend(all.iter().copied().filter(|&rank| rank != forced));
            let first = &ranked[forced as usize];
            if !step.choose(members, Some(first), best.floor(now), lambda, chooser) {
                continue;
            }
            better = true;
            *best = Best { value: chooser.subset.best.value, start: now, found: true, ..*best };
            let chosen = chooser.chosen.iter().copied().chain([forced]);
            choice.set(now, level.hold, chosen.map(|rank| ranked[rank as usize].at));
        }
        chooser.all = all;
        Ok(better)
    }
}
