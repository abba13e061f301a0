//! The search behind [`MaxValue`](crate::MaxValue): bounds, then passes over the slots, then exact choices.

use crate::{
    Criterion, Scope, SearchScratch, WindowError,
    catalogue::{Catalogue, Class},
    criterion::checked,
    pass::{Candidate, Pass, Ranked},
    scan::{Choice, Hold, Limits, Query},
    subset::{self, Effort, Floor, Found, Multiplier, Prior, Relaxed, Start},
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
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(crate) struct ValueScratch {
    catalogue: Catalogue,
    /// The speed for which values were asked, where they depend on it.
    listed: Option<f64>,
    levels: Vec<Level>,
    pass: Pass,
    values: Vec<f64>,
    costs: Vec<f64>,
    /// Ranks from which one is forced into the choice.
    all: Vec<u32>,
    chosen: Vec<u32>,
    subset: subset::Search,
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
    fn floor(self, start: f64) -> Floor {
        match (self.found, start < self.start) {
            (false, _) if self.target == f64::NEG_INFINITY => Floor::None,
            (false, _) => Floor::Above(self.target),
            (true, true) => Floor::Above(self.value.next_down()),
            (true, false) => Floor::Above(self.value),
        }
    }
}

/// How many times n classes of the best level the first passes look at. With so few a window is often found that no
/// window with another class can beat; else the next passes look at more.
const WIDTH: usize = 5;

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
        let mut width = WIDTH * self.query.request.nodes();
        while !best.found {
            best.target = self.target(&top, width, memory)?;
            let last = best.target == f64::NEG_INFINITY;
            for number in 0..memory.levels.len() {
                let level = memory.levels[number];
                if level.multiplier.bound + level.multiplier.margin >= best.needed() {
                    self.pass(&level, memory, &mut best, choice)?;
                }
            }
            if last {
                break;
            }
            width *= 4;
        }
        Ok(())
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
            let Catalogue { by_speed, classes, .. } = &memory.catalogue;
            let speed = |number: &u32| classes[*number as usize].speed;
            let level = speed(&by_speed[upto]);
            upto += by_speed[upto..].iter().take_while(|number| speed(number) == level).count();
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
        let ValueScratch { catalogue, values, costs, subset, levels, .. } = memory;
        values.clear();
        costs.clear();
        for &number in &catalogue.by_speed[..upto] {
            let class = &catalogue.classes[number as usize];
            if let Some((_, cost)) = self.held(class, hold) {
                values.push(class.value);
                costs.push(cost);
            }
        }
        let n = self.query.request.nodes();
        // The next slower level has a multiplier not far from this one's.
        let lambda = levels.last().map_or(0.0, |level| level.multiplier.lambda);
        let prior = Prior { lambda, floor: f64::NEG_INFINITY };
        let multiplier = match subset::relax(values, costs, n, self.limits.budget, prior, &mut subset.order) {
            Relaxed::Infeasible | Relaxed::Low(_) => return,
            Relaxed::Bound(multiplier) => multiplier,
            Relaxed::Solved => {
                let top = &subset.order.keys[..n];
                let bound: f64 = top.iter().map(|key| values[key.1 as usize]).sum();
                let greatest = values.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
                let margin = greatest * n as f64 * f64::EPSILON * (n as f64 + 8.0);
                Multiplier { lambda: 0.0, bound, margin }
            }
        };
        levels.push(Level { speed, hold, classes: upto, multiplier });
    }

    /// The budget's part of a bound by reduced values, with all that rounding may take from it.
    fn base(&self, level: &Level) -> f64 {
        let Multiplier { lambda, margin, .. } = level.multiplier;
        // An infinite budget has the multiplier 0.
        if lambda > 0.0 { lambda * self.limits.budget + 4.0 * margin } else { 4.0 * margin }
    }

    /// Reduced values of the classes that can be on a level.
    fn candidates(&self, level: &Level, memory: &mut ValueScratch) {
        let ValueScratch { catalogue, pass, .. } = memory;
        pass.candidates.clear();
        for &number in &catalogue.by_speed[..level.classes] {
            let class = &catalogue.classes[number as usize];
            if let Some((span, cost)) = self.held(class, level.hold) {
                let reduced = class.value - level.multiplier.lambda * cost;
                pass.candidates.push(Candidate { reduced, class: number, span, cost });
            }
        }
    }

    /// The worth below which a window of this level must hold a class that is not among the `width` of greatest reduced
    /// value.
    fn target(&self, level: &Level, width: usize, memory: &mut ValueScratch) -> Result<f64, WindowError> {
        self.list_for(level, memory)?;
        self.candidates(level, memory);
        let candidates = &mut memory.pass.candidates;
        let n = self.query.request.nodes();
        if width >= candidates.len() {
            return Ok(f64::NEG_INFINITY);
        }
        let order = |a: &Candidate, b: &Candidate| b.reduced.total_cmp(&a.reduced);
        let least = candidates.select_nth_unstable_by(width, order).1.reduced;
        let nth = candidates[..width].select_nth_unstable_by(n - 1, order).1.reduced;
        Ok(level.multiplier.bound - (nth - least))
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
        let ValueScratch { catalogue, pass, values, costs, subset, all, chosen, .. } = memory;
        let n = self.query.request.nodes();
        let base = self.base(level);
        pass.rank(n, base, best.needed(), catalogue);
        if pass.ranked.len() < n {
            return Ok(());
        }
        let mut lambda = level.multiplier.lambda;
        pass.run(catalogue, |pass, now, arrival| {
            if !pass.may_reach(arrival, now, base, best.needed()) {
                return Ok(());
            }
            let Pass { ranked, members, .. } = pass;
            members.sort_unstable_by_key(|&rank| ranked[rank as usize].node);
            let step = Step { ranked, n, budget: self.limits.budget };
            if !step.choose(members, None, best.floor(now), lambda, values, costs, subset) {
                lambda = subset.lambda;
                return Ok(());
            }
            lambda = subset.lambda;
            chosen.clear();
            chosen.extend(subset.best.indices.iter().map(|&index| members[index as usize]));
            let slowest = step.slowest(chosen);
            let depends = self.holding == Holding::Square && self.criterion.scope() == Scope::SlotAndSpan;
            if slowest == level.speed || !depends {
                // A choice of nodes all faster than the level is held for their own slowest's span, at the same value.
                let hold = match level.hold {
                    Hold::Same(_) => Hold::Same(self.query.request.work() / Speed::new(slowest)?),
                    own @ Hold::Own(_) => own,
                };
                *best = Best { value: subset.best.value, start: now, found: true, ..*best };
                choice.set(now, hold, chosen.iter().map(|&rank| ranked[rank as usize].at));
                return Ok(());
            }
            // The value was asked for the span of this level, so that one of its own nodes must be in: try each.
            all.clone_from(members);
            for &forced in all.iter().filter(|&&rank| ranked[rank as usize].speed == level.speed) {
                members.clear();
                members.extend(all.iter().copied().filter(|&rank| rank != forced));
                let first = &ranked[forced as usize];
                if !step.choose(members, Some(first), best.floor(now), lambda, values, costs, subset) {
                    continue;
                }
                chosen.clear();
                chosen.extend(subset.best.indices.iter().map(|&index| members[index as usize]));
                chosen.push(forced);
                chosen.sort_unstable_by_key(|&rank| ranked[rank as usize].node);
                let window = || chosen.iter().map(|&rank| &ranked[rank as usize]);
                let value: f64 = window().map(|class| class.value).sum();
                let cost: f64 = window().map(|class| class.cost).sum();
                let counts = match best.floor(now) {
                    Floor::None => true,
                    Floor::Above(floor) => value > floor,
                };
                if cost <= self.limits.budget && counts {
                    *best = Best { value, start: now, found: true, ..*best };
                    choice.set(now, level.hold, window().map(|class| class.at));
                }
            }
            Ok(())
        })
    }
}

/// One instant of a pass.
struct Step<'a> {
    ranked: &'a [Ranked],
    n: usize,
    budget: f64,
}

impl Step<'_> {
    /// The exact choice of n among the members, or of n - 1 that go with `first`.
    #[allow(clippy::too_many_arguments)] // the memory of the search, borrowed in parts
    fn choose(
        &self,
        members: &[u32],
        first: Option<&Ranked>,
        floor: Floor,
        lambda: f64,
        values: &mut Vec<f64>,
        costs: &mut Vec<f64>,
        memory: &mut subset::Search,
    ) -> bool {
        values.clear();
        costs.clear();
        for &rank in members {
            values.push(self.ranked[rank as usize].value);
            costs.push(self.ranked[rank as usize].cost);
        }
        let (n, budget, floor) = match (first, floor) {
            (None, floor) => (self.n, self.budget, floor),
            (Some(first), Floor::None) => (self.n - 1, self.budget - first.cost, Floor::None),
            (Some(first), Floor::Above(floor)) => {
                (self.n - 1, self.budget - first.cost, Floor::Above((floor - first.value).next_down()))
            }
        };
        memory.lambda = lambda;
        let start = Start { floor, lambda, effort: Effort::DEFAULT };
        subset::search(values, costs, n, budget, start, memory) != Found::Nothing
    }

    fn slowest(&self, chosen: &[u32]) -> f64 {
        chosen.iter().map(|&rank| self.ranked[rank as usize].speed).fold(f64::INFINITY, f64::min)
    }
}
