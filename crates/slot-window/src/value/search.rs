//! The search behind [`MaxValue`](crate::MaxValue): bounds, then passes over the slots, then exact choices. The
//! module [`value`](super) defines the terms.

use super::{
    BestValue, Conclusion, Place, SearchState,
    pass::{Classes, LevelTerms, Pass, Ranked},
};
use crate::{
    Criterion, WindowError, WindowQuery,
    criterion::checked,
    error::ended,
    subset::{self, Item, Multiplier, Solver},
    sweep::{Candidate, Choice, Held, Limits, candidates_by_pool, levels, max_per_group},
};
use sched_model::internal::{exact_sum, sort};
use sched_model::{End, Meter, Slot, Span, check::Holding};

/// A level of a pool, with bounds on its windows.
#[derive(Debug, Clone, Copy)]
struct PoolLevel {
    pool: usize,
    held: Held,
    multiplier: Multiplier,
}

/// The candidates of a pool, and their classes.
struct Pool<'c, 'a> {
    candidates: &'c [Candidate<'a>],
    listed: Classes,
    /// The level for which the classes were listed: their values may depend on it. `None` before the first listing.
    held: Option<Held>,
}

/// The memory of searches, which carries no result from one query to the next.
#[derive(Debug, Default)]
pub(crate) struct ValueScratch {
    pass: Pass,
    items: Vec<Item>,
    solver: Solver,
}

/// The search for the window of maximum value.
pub(crate) struct ValueSearch<'a> {
    pub(crate) query: WindowQuery<'a>,
    pub(crate) limits: Limits,
    pub(crate) criterion: &'a dyn Criterion,
    /// 1 to maximise, -1 to minimise.
    pub(crate) sign: f64,
    pub(crate) holding: Holding,
}

/// The first passes read this number times n classes of the best level. These often suffice for a window that no
/// window with another class can exceed; otherwise the next passes read more.
const WIDTH: usize = 5;

/// A running search: its pools, its memory, and the best window so far.
struct Run<'c, 'a> {
    of: &'c ValueSearch<'a>,
    pools: Vec<Pool<'c, 'a>>,
    memory: &'c mut ValueScratch,
    state: &'c mut SearchState<'a>,
}

impl<'a> ValueSearch<'a> {
    /// Improves the window in `choice`, the start of the search, to the best.
    pub(crate) fn run(
        &self,
        memory: &mut ValueScratch,
        choice: &'a mut Choice,
        meter: &'a mut Meter,
    ) -> Result<Conclusion, WindowError> {
        let slots = choice.slots(self.query, self.holding).into_iter();
        let values: Result<Vec<f64>, WindowError> =
            slots.map(|(slot, span)| self.value_of(&slot, span)).collect();
        let best = BestValue::of_start(exact_sum(values?));
        meter.report(Some(self.sign * best.value), None);
        let mut state = SearchState { best, choice, meter };
        let ended = ended(self.improve(memory, &mut state))?;
        Ok(state.best.result(ended, self.sign))
    }

    /// Searches for a better window than the start.
    fn improve(&self, memory: &mut ValueScratch, state: &mut SearchState<'a>) -> Result<(), WindowError> {
        let all = candidates_by_pool(self.query.slots, self.query, &self.limits, state.meter)?;
        let pool = |candidates| Pool { candidates, listed: Classes::default(), held: None };
        let pools = all.chunk_by(|a, b| a.pack == b.pack).map(pool).collect();
        Run { of: self, pools, memory, state }.levels()
    }

    /// The value of a slot that is held for a span; negated if the value is minimised.
    fn value_of(&self, slot: &Slot, span: Span) -> Result<f64, WindowError> {
        Ok(self.sign * checked(slot.node, self.criterion.value(slot, span))?)
    }

    /// Whether values depend on the level, the span for which all nodes of a window are held.
    fn values_depend_on_level(&self) -> bool {
        self.holding == Holding::SlowestSpan && self.criterion.depends_on_span()
    }

    fn terms_of(&self, held: Held) -> LevelTerms<'a> {
        LevelTerms { held, tariff: self.query.slots.tariff(), budget: self.limits.budget }
    }

    /// The budget's share of a bound by reduced values, plus the rounding error of a comparison with it: in the
    /// longest one ([`Pass::rank`]), the bound and the five sums after it are each off by at most `margin`.
    fn base(&self, lambda: f64, margin: f64) -> f64 {
        subset::share(lambda, self.limits.budget) + 6.0 * margin
    }

    /// The subset problem of these items. If values depend on the level, one item must have the span of the level.
    fn instance<'n>(&self, items: &'n [Item]) -> subset::Instance<'n> {
        let (n, needs_anchor) = (self.query.request.nodes(), self.values_depend_on_level());
        subset::Instance::new(items, n, self.limits.budget, max_per_group(self.query), needs_anchor)
    }

    /// Makes the exact choice among the members of a pass at `place`. Returns whether it found a better window.
    fn choose_at(
        &self,
        place: Place,
        pass: &mut Pass,
        items: &mut Vec<Item>,
        solver: &mut Solver,
        state: &mut SearchState<'_>,
    ) -> Result<bool, WindowError> {
        let Pass { ranked, members, .. } = pass;
        state.meter.spend(members.len() as u64)?;
        members.sort_unstable();
        let of = |&rank: &u32| &ranked[rank as usize];
        items.clear();
        items.extend(members.iter().map(of).map(|of| {
            let Ranked { value, cost, group, is_anchor, .. } = *of;
            Item { value, cost, group, is_anchor }
        }));
        let instance = self.instance(items).with_floor(state.best.floor(place));
        let found = solver.search(&instance, state.meter);
        if solver.best.found {
            state.best.set(solver.best.value, place, state.meter.limit());
            state.meter.report(Some(self.sign * state.best.value), None);
            let at = solver.best.indices.iter().map(|&index| of(&members[index as usize]).at);
            state.choice.set(place.start, at);
        }
        match found {
            // The bound of one instant may be above that of its level because of rounding; `skip` takes the lower
            // one.
            Err(End::Memory | End::Gap) => state.best.skip(solver.bound),
            found => found?,
        }
        Ok(solver.best.found)
    }
}

impl Run<'_, '_> {
    /// Searches the levels that may have windows, in order of their bounds, the best first.
    fn levels(&mut self) -> Result<(), WindowError> {
        let mut bounded = Vec::new();
        for pool in 0..self.pools.len() {
            let spans = self.pools[pool].candidates.iter().map(|of| of.own);
            for held in levels(spans, self.of.holding) {
                bounded.extend(self.bound(pool, held)?);
            }
        }
        sort(&mut bounded, &|a, b| b.multiplier.bound.total_cmp(&a.multiplier.bound));
        self.passes(&bounded)
    }

    /// Lists the slots of a pool by class for a level, if the present list does not serve it.
    fn list(&mut self, pool: usize, held: Held) -> Result<(), WindowError> {
        let (of, pool) = (self.of, &mut self.pools[pool]);
        // Values that do not depend on the level are computed once for all levels.
        let held = held.filter(|_| of.values_depend_on_level());
        if pool.held != Some(held) {
            self.state.meter.spend(pool.candidates.len() as u64)?;
            pool.listed =
                Classes::of(pool.candidates, held, of.limits.finish, |slot, span| of.value_of(slot, span))?;
            pool.held = Some(held);
        }
        Ok(())
    }

    /// Returns a level with its bounds; `None` if the relaxation proves that it has no affordable window.
    fn bound(&mut self, pool: usize, held: Held) -> Result<Option<PoolLevel>, WindowError> {
        self.list(pool, held)?;
        let (classes, level) = (&self.pools[pool].listed.classes, self.of.terms_of(held));
        let ValueScratch { items, solver, .. } = &mut *self.memory;
        let of = |class| {
            let (_, cost) = level.span_and_cost(class)?;
            Some(Item { value: class.value, cost, group: class.group, is_anchor: level.is_anchor(class) })
        };
        items.clear();
        items.extend(classes.iter().filter_map(of));
        let problem = self.of.instance(items);
        let Some(multiplier) = solver.multiplier(&problem, self.state.meter)? else { return Ok(None) };
        Ok(Some(PoolLevel { pool, held, multiplier }))
    }

    /// Lists the classes of a level in the pass, with reduced values by the multiplier of its bound.
    fn classes_on(&mut self, level: &PoolLevel) -> Result<(), WindowError> {
        self.list(level.pool, level.held)?;
        let classes = &self.pools[level.pool].listed.classes;
        self.state.meter.spend(classes.len() as u64)?;
        let (n, lambda) = (self.of.query.request.nodes(), level.multiplier.lambda);
        self.memory.pass.list(n, lambda, classes, self.of.terms_of(level.held));
        Ok(())
    }

    /// Returns a value that only windows within the `width` classes of maximum reduced value can exceed; `None` if
    /// there are no other classes.
    fn target(&mut self, level: &PoolLevel, width: usize) -> Result<Option<f64>, WindowError> {
        self.classes_on(level)?;
        let mut nth = |at| self.memory.pass.nth(at).map(|nth| nth.0);
        let (Some(first_outside), Some(last)) = (nth(width), nth(self.of.query.request.nodes() - 1)) else {
            return Ok(None);
        };
        Ok(Some(level.multiplier.bound - (last - first_outside)))
    }

    /// Makes passes over the levels, the largest bound first, for windows above a target, which is lowered until a
    /// better window than the start is found, or the start is proven to be the best, or within the gap.
    fn passes(&mut self, levels: &[PoolLevel]) -> Result<(), WindowError> {
        let Some(top) = levels.first() else { return Ok(()) };
        if self.state.best.accept(top.multiplier.upper(), self.state.meter.limit()) {
            return Ok(());
        }
        let mut width = WIDTH * self.of.query.request.nodes();
        // As no better window than the start was found so far, none has a value above the last target.
        let mut ceiling = f64::INFINITY;
        loop {
            let target = self.target(top, width)?;
            width *= 4;
            let Multiplier { bound, margin, .. } = top.multiplier;
            if target.is_some_and(|target| target >= bound - 8.0 * margin) {
                // Up to rounding ([`ValueSearch::base`]), the n-th class and the last one within `width` have the same
                // reduced value: the target is as high as the bound, so a pass would be in vain.
                continue;
            }
            self.state.best.target = target.unwrap_or(f64::NEG_INFINITY);
            let mut before = f64::NEG_INFINITY;
            for level in levels {
                let upper = level.multiplier.upper();
                self.state.best.open(upper.max(before).min(ceiling));
                if upper >= self.state.best.needed() {
                    self.pass(level)?;
                }
                before = self.state.best.target;
            }
            // All windows above the target were searched that could improve the best.
            if self.state.best.needed() > self.state.best.target {
                return Ok(());
            }
            ceiling = self.state.best.target;
        }
    }

    /// Makes one pass over the slots on one level.
    fn pass(&mut self, level: &PoolLevel) -> Result<(), WindowError> {
        let Multiplier { mut lambda, margin, .. } = level.multiplier;
        self.classes_on(level)?;
        let Self { of, pools, memory: ValueScratch { pass, items, solver }, state } = self;
        let listed = &pools[level.pool].listed;
        let n = of.query.request.nodes();
        let mut base = of.base(lambda, margin);
        pass.rank(base, state.best.needed(), &listed.classes, of.terms_of(level.held));
        let max_of =
            |number: fn(&Ranked) -> f64| pass.ranked.iter().map(|of| number(of).abs()).fold(0.0, f64::max);
        let (max_value, max_cost) = (max_of(|of| of.value), max_of(|of| of.cost));
        // The number of members in choices that found nothing since the last ranking.
        let mut vain = 0;
        pass.run(listed, state, |pass, state, now, arrival| {
            if !pass.may_reach(arrival, now, base, state.best.needed()) {
                return Ok(());
            }
            if of.choose_at(Place { start: now, pool: level.pool }, pass, items, solver, state)? {
                return Ok(());
            }
            // The multiplier of this instant is likely to suit the next ones; but a new ranking must save more work
            // than it takes.
            vain += pass.members.len();
            let other = solver.lambda.unwrap_or(lambda);
            if vain >= pass.ranked.len() && (other - lambda).abs() > lambda / 64.0 {
                vain = 0;
                lambda = other;
                let reduced = max_value + lambda * max_cost;
                // The last term is for products too small for a double.
                let share = subset::share(lambda, of.limits.budget);
                let margin = subset::error_of_sum(reduced, n, share) + f64::MIN_POSITIVE;
                base = of.base(lambda, margin);
                pass.rerank(lambda);
            }
            Ok(())
        })
    }
}
