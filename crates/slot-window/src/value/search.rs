//! The search behind [`MaxValue`](crate::MaxValue): bounds, then passes over the slots, then exact choices.
//! For the words see [`value`](super).

use super::{
    Best, Known, Notes,
    pass::{Classes, OnLevel, Pass, Ranked},
};
use crate::{
    Criterion, WindowError, WindowQuery,
    criterion::checked,
    error::ended,
    subset::{self, Item, Multiplier, Relaxed},
    sweep::{Candidate, Choice, Held, Limits, by_pool, levels, most_of_a_group},
};
use sched_model::internal::sort;
use sched_model::{End, Meter, check::Holding};

/// One level of a pool and the bound on its windows.
#[derive(Debug, Clone, Copy)]
struct Level {
    pool: usize,
    held: Held,
    multiplier: Multiplier,
    /// Every window has a greater value.
    least: f64,
}

/// The candidates of a pool, those of one value of the label to pack by.
struct Pool<'c, 'a> {
    candidates: &'c [Candidate<'a>],
    listed: Classes,
    /// The span for which values were computed, where they depend on it.
    held: Option<Held>,
}

/// Memory of searches, which does not depend on the query.
#[derive(Debug, Default)]
pub(crate) struct ValueScratch {
    pass: Pass,
    items: Vec<Item>,
    subset: subset::Memory,
}

pub(crate) struct Search<'a> {
    pub(crate) query: WindowQuery<'a>,
    pub(crate) limits: Limits,
    pub(crate) criterion: &'a dyn Criterion,
    /// 1 to maximise, -1 to minimise.
    pub(crate) sign: f64,
    pub(crate) holding: Holding,
}

/// The first passes read so many times n classes of the best level. These often suffice for a window that no
/// window with another class can exceed; else the next passes read more.
const WIDTH: usize = 5;

/// A search that has begun: its pools, memory, and best window so far.
struct Run<'c, 'a> {
    of: &'c Search<'a>,
    pools: Vec<Pool<'c, 'a>>,
    memory: &'c mut ValueScratch,
    notes: Notes<'c>,
}

impl<'a> Search<'a> {
    /// Leaves the best window in the choice.
    pub(crate) fn run(
        &self,
        memory: &mut ValueScratch,
        choice: &mut Choice,
        meter: &mut Meter,
    ) -> Result<Known, WindowError> {
        let all = match by_pool(self.query.slots, self.query, &self.limits, meter) {
            Err(end) => return Ok(Best::NONE.result(Some(end), self.sign)),
            Ok(all) => all,
        };
        let pool = |candidates| Pool { candidates, listed: Classes::default(), held: None };
        let pools = all.chunk_by(|a, b| a.pack == b.pack).map(pool).collect();
        let notes = Notes { best: Best::NONE, choice, meter };
        let mut run = Run { of: self, pools, memory, notes };
        let ended = ended(run.levels())?;
        Ok(run.notes.best.result(ended, self.sign))
    }

    /// Whether values depend on the span for which all nodes of a window are held.
    fn is_by_level(&self) -> bool {
        self.holding == Holding::SlowestSpan && self.criterion.depends_on_span()
    }

    fn on_level(&self, held: Held) -> OnLevel<'a> {
        OnLevel { held, tariff: self.query.slots.tariff(), budget: self.limits.budget }
    }

    /// The budget's part of a bound by reduced values, with the rounding error of a comparison with it: in the longest
    /// one ([`Pass::rank`]) the bound and the five sums after it are each off by at most the margin.
    fn base(&self, lambda: f64, margin: f64) -> f64 {
        subset::share(lambda, self.limits.budget) + 6.0 * margin
    }

    /// The choice among these classes. One must be of the level if values are for its span.
    fn items<'n>(&self, items: &'n [Item]) -> subset::Items<'n> {
        let most = most_of_a_group(self.query);
        subset::Items::new(items, self.query.request.nodes(), self.limits.budget, most, self.is_by_level())
    }

    /// The exact choice among the members at one instant in one pool; whether it is a better window.
    fn choose_at(
        &self,
        place: (f64, usize),
        pass: &mut Pass,
        (items, subset): (&mut Vec<Item>, &mut subset::Memory),
        notes: &mut Notes<'_>,
    ) -> Result<bool, WindowError> {
        let Pass { ranked, members, .. } = pass;
        notes.meter.spend(members.len() as u64)?;
        members.sort_unstable();
        let of = |&rank: &u32| &ranked[rank as usize];
        items.clear();
        items.extend(members.iter().map(of).map(|of| {
            let Ranked { value, cost, group, is_own, .. } = *of;
            Item { value, cost, group, is_own }
        }));
        let found = subset::search(&self.items(items), notes.best.floor(place), subset, notes.meter);
        if subset.best.found {
            notes.best.set(subset.best.value, place, notes.meter.limit());
            notes.meter.report(Some(self.sign * notes.best.value), None);
            let at = subset.best.indices.iter().map(|&index| of(&members[index as usize]).at);
            notes.choice.set(place.0, at);
        }
        match found {
            // The level has a bound of its own; that of one instant may be above it because of rounding.
            Err(End::Memory | End::Gap) => notes.best.leave(subset.bound),
            found => found?,
        }
        Ok(subset.best.found)
    }
}

impl Run<'_, '_> {
    /// The levels that may have windows, best first.
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

    /// Lists the slots of a pool for windows that are held so long; values are computed for this span.
    fn list(&mut self, pool: usize, held: Held) -> Result<(), WindowError> {
        let (of, pool) = (self.of, &mut self.pools[pool]);
        // A value that does not depend on the span of the window is computed once for all levels.
        let held = held.filter(|_| of.is_by_level());
        if pool.held != Some(held) {
            self.notes.meter.spend(pool.candidates.len() as u64)?;
            pool.listed = Classes::of(pool.candidates, (held, of.limits.finish), |slot, span| {
                Ok(of.sign * checked(slot.node, of.criterion.value(slot, span))?)
            })?;
            pool.held = Some(held);
        }
        Ok(())
    }

    /// A level with its bound, unless it has no affordable window at any instant.
    fn bound(&mut self, pool: usize, held: Held) -> Result<Option<Level>, WindowError> {
        self.list(pool, held)?;
        let (classes, level) = (&self.pools[pool].listed.classes, self.of.on_level(held));
        let ValueScratch { items, subset, .. } = &mut *self.memory;
        let of = |class| {
            let (_, cost) = level.takes(class)?;
            Some(Item { value: class.value, cost, group: class.group, is_own: level.is_own(class) })
        };
        items.clear();
        items.extend(classes.iter().filter_map(of));
        let problem = self.of.items(items);
        let multiplier =
            match subset::relax(&problem, f64::NEG_INFINITY, &mut subset.order, self.notes.meter)? {
                Relaxed::Nothing(_) => return Ok(None),
                Relaxed::Solved(multiplier) | Relaxed::Bound(multiplier) => multiplier,
            };
        let n = problem.n;
        let least = items.iter().map(|item| item.value).fold(f64::INFINITY, f64::min) * n as f64;
        let greatest = items.iter().map(|item| item.value.abs()).fold(0.0, f64::max);
        let least = (least - subset::error_of_sum(greatest, n, 0.0)).next_down();
        Ok(Some(Level { pool, held, multiplier, least }))
    }

    /// Lists the classes that can be on a level in the pass, by the multiplier of its bound.
    fn classes_on(&mut self, level: &Level) -> Result<(), WindowError> {
        self.list(level.pool, level.held)?;
        let classes = &self.pools[level.pool].listed.classes;
        self.notes.meter.spend(classes.len() as u64)?;
        let (n, lambda) = (self.of.query.request.nodes(), level.multiplier.lambda);
        self.memory.pass.list(n, lambda, classes, self.of.on_level(level.held));
        Ok(())
    }

    /// A value that only windows without a class beyond the `width` of maximum reduced value can exceed;
    /// none if there are no other classes.
    fn target(&mut self, level: &Level, width: usize) -> Result<Option<f64>, WindowError> {
        self.classes_on(level)?;
        let mut nth = |at| self.memory.pass.nth(at).map(|nth| nth.0);
        let (Some(least), Some(last)) = (nth(width), nth(self.of.query.request.nodes() - 1)) else {
            return Ok(None);
        };
        Ok(Some(level.multiplier.bound - (last - least)))
    }

    /// The levels, the largest bound first, in passes for windows above a target, which falls until there is one.
    fn passes(&mut self, levels: &[Level]) -> Result<(), WindowError> {
        let Some(top) = levels.first() else { return Ok(()) };
        // Every window has a greater value than this. A bound below it proves that no window is affordable.
        let least = levels.iter().map(|level| level.least).fold(f64::INFINITY, f64::min);
        let mut width = WIDTH * self.of.query.request.nodes();
        // While no window is found, none has a value above the last target.
        let mut ceiling = f64::INFINITY;
        loop {
            let target = self.target(top, width)?;
            width *= 4;
            let Multiplier { bound, margin, .. } = top.multiplier;
            if target.is_some_and(|target| target >= bound - 8.0 * margin) {
                // So many classes have this value, up to rounding ([`Search::base`]), that no window can reach the
                // target.
                continue;
            }
            self.notes.best.target = target.unwrap_or(least);
            let mut before = f64::NEG_INFINITY;
            for level in levels {
                let upper = level.multiplier.upper();
                self.notes.best.open(upper.max(before).min(ceiling));
                if upper >= self.notes.best.needed() {
                    self.pass(level)?;
                }
                before = self.notes.best.target;
            }
            if target.is_none() || self.notes.best.is_found() {
                return Ok(());
            }
            ceiling = self.notes.best.target;
        }
    }

    /// One pass over the slots on one level.
    fn pass(&mut self, level: &Level) -> Result<(), WindowError> {
        let Multiplier { mut lambda, margin, .. } = level.multiplier;
        self.classes_on(level)?;
        let Self { of, pools, memory: ValueScratch { pass, items, subset }, notes } = self;
        let listed = &pools[level.pool].listed;
        let n = of.query.request.nodes();
        let mut base = of.base(lambda, margin);
        pass.rank(base, notes.best.needed(), &listed.classes, of.on_level(level.held));
        let greatest =
            |number: fn(&Ranked) -> f64| pass.ranked.iter().map(|of| number(of).abs()).fold(0.0, f64::max);
        let (greatest_value, greatest_cost) = (greatest(|of| of.value), greatest(|of| of.cost));
        // Members of choices without a result since the last ranking.
        let mut vain = 0;
        pass.run(listed, notes, |pass, notes, now, arrival| {
            if !pass.may_reach(arrival, now, base, notes.best.needed()) {
                return Ok(());
            }
            // Where the budget is not binding the choice leaves it as it is.
            subset.lambda = lambda;
            if of.choose_at((now, level.pool), pass, (items, subset), notes)? {
                return Ok(());
            }
            // The multiplier of this instant is likely to be good for the next ones; a new ranking must save
            // more work than it takes.
            vain += pass.members.len();
            let other = subset.lambda;
            if vain >= pass.ranked.len() && (other - lambda).abs() > lambda / 64.0 {
                vain = 0;
                lambda = other;
                let reduced = greatest_value + lambda * greatest_cost;
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
