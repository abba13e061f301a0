//! The search behind [`MaxValue`](crate::MaxValue): bounds, then passes over the slots, then exact choices.
//! For the words see [`value`](super).

use super::{
    best::{Best, Known, Notes},
    catalogue::Catalogue,
    pass::{Pass, Ranked},
};
use crate::{
    Criterion, SearchScratch, WindowError, WindowQuery,
    error::ended,
    subset::{self, Found, Given, Items, Multiplier, rounding},
    sweep::{Held, Limits},
};
use sched_model::{End, Meter, check::Holding, order::sort};

/// One level and the bound on its windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub(super) held: Held,
    /// The number of classes, fastest first, that are fast enough.
    pub(super) classes: usize,
    pub(super) multiplier: Multiplier,
    /// Every window has a greater value.
    pub(super) least: f64,
}

impl Level {
    /// An upper bound of the values of its windows.
    pub(super) fn bound(&self) -> f64 {
        self.multiplier.upper()
    }
}

/// Memory of the exact choices.
#[derive(Debug, Default)]
pub(super) struct Chooser {
    pub(super) values: Vec<f64>,
    pub(super) costs: Vec<f64>,
    pub(super) chosen: Vec<u32>,
    pub(super) subset: subset::Search,
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(crate) struct ValueScratch {
    pub(super) catalogue: Catalogue,
    pub(super) pass: Pass,
    /// The span for which values were computed, where they depend on it.
    pub(super) listed: Option<Held>,
    pub(super) levels: Vec<Level>,
    pub(super) chooser: Chooser,
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

/// Classes are ranked anew when the choices without a result have had, together, so many times as many
/// members as there are ranks.
const PATIENCE: usize = 1;

impl Search<'_> {
    /// Leaves the best window in the scratch's choice.
    pub(crate) fn run(&self, scratch: &mut SearchScratch, meter: &mut Meter) -> Result<Known, WindowError> {
        let SearchScratch { pools, value: memory, choice, .. } = scratch;
        let mut notes = Notes { best: Best::NONE, choice, meter };
        let ended = ended(match self.query.beyond_mask() {
            None => self.passes(memory, &mut notes),
            Some(_) => self.in_pools((pools, &mut memory.chooser.subset), &mut notes),
        })?;
        Ok(notes.best.result(ended, self.sign))
    }

    fn passes(&self, memory: &mut ValueScratch, notes: &mut Notes<'_>) -> Result<(), WindowError> {
        memory.listed = None;
        memory.levels.clear();
        self.levels(memory, notes)?;
        sort(&mut memory.levels, &|a, b| b.multiplier.bound.total_cmp(&a.multiplier.bound));
        let Some(&top) = memory.levels.first() else { return Ok(()) };
        // Every window has a greater value than this. A bound below it proves that no window is affordable.
        let least = memory.levels.iter().map(|level| level.least).fold(f64::INFINITY, f64::min);
        let mut width = WIDTH * self.query.request.nodes();
        // While no window is found, none has a value above the last target.
        let mut ceiling = f64::INFINITY;
        loop {
            let target = self.target(&top, width, memory, notes)?;
            let Multiplier { bound, margin, .. } = top.multiplier;
            if target.is_some_and(|target| target >= bound - 8.0 * margin) {
                // So many classes have this value that no window can reach the target.
                width *= 4;
                continue;
            }
            notes.best.target = target.unwrap_or(least);
            for number in 0..memory.levels.len() {
                let level = memory.levels[number];
                let before = if number > 0 { notes.best.target } else { f64::NEG_INFINITY };
                notes.best.open(level.bound().max(before).min(ceiling));
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

    /// One pass over the slots on one level.
    fn pass(
        &self,
        level: &Level,
        memory: &mut ValueScratch,
        notes: &mut Notes<'_>,
    ) -> Result<(), WindowError> {
        self.candidates(level, memory, notes)?;
        let ValueScratch { catalogue, pass, chooser, .. } = memory;
        let n = self.query.request.nodes();
        let Multiplier { mut lambda, margin, .. } = level.multiplier;
        let mut base = self.base(lambda, margin);
        let needed = notes.best.needed();
        pass.rank(n, (base, needed), catalogue, notes.meter)?;
        if pass.ranked.len() < n {
            return notes.spend(catalogue.pieces.len());
        }
        let greatest = |number: fn(&Ranked) -> f64| {
            pass.ranked.iter().map(|class| number(class).abs()).fold(0.0, f64::max)
        };
        let (greatest_value, greatest_cost) = (greatest(|class| class.value), greatest(|class| class.cost));
        // Members of choices without a result since the last ranking.
        let mut vain = 0;
        pass.run(catalogue, notes, |pass, notes, now, arrival| {
            if !pass.may_reach(arrival, now, base, notes.best.needed()) {
                return Ok(());
            }
            // Where the budget is not binding the choice leaves it as it is.
            chooser.subset.lambda = lambda;
            if self.choose_at((now, level), pass, chooser, notes)? {
                return Ok(());
            }
            // The multiplier of this instant is likely to be good for the next ones; a new ranking must save
            // more work than it takes.
            vain += pass.members.len();
            let other = chooser.subset.lambda;
            if vain >= PATIENCE * pass.ranked.len() && (other - lambda).abs() > lambda / 64.0 {
                vain = 0;
                lambda = other;
                let reduced = greatest_value + lambda * greatest_cost;
                // The last term is for products too small for a double.
                let share = rounding::share(lambda, self.limits.budget);
                let margin = rounding::of_sum(reduced, n, share) + f64::MIN_POSITIVE;
                base = self.base(lambda, margin);
                pass.rerank(lambda);
            }
            Ok(())
        })
    }

    /// The exact choice among the members at one instant; whether it is a better window.
    fn choose_at(
        &self,
        (now, level): (f64, &Level),
        pass: &mut Pass,
        chooser: &mut Chooser,
        notes: &mut Notes<'_>,
    ) -> Result<bool, WindowError> {
        let Pass { ranked, members, .. } = pass;
        notes.spend(members.len())?;
        let floor = notes.best.floor(now);
        let node = |rank: u32| ranked[rank as usize].node;
        members.sort_unstable_by_key(|&rank| node(rank));
        let found = self.choose(ranked, members, None, floor, chooser, notes.meter);
        if found == Found::Nothing {
            return Ok(false);
        }
        let longest = chooser.chosen.iter().map(|&rank| ranked[rank as usize].own).max();
        if !self.is_by_level() || longest == level.held {
            return self.take((now, found), None, ranked, chooser, notes);
        }
        if let Found::Cut(end @ (End::Work | End::Signal)) = found {
            return Err(end.into());
        }
        // The value was computed for the span of this level, so that one of its own nodes must be in the
        // window: try each.
        let (all, mut better) = (members.clone(), false);
        for &forced in all.iter().filter(|&&rank| level.held == Some(ranked[rank as usize].own)) {
            members.clear();
            members.extend(all.iter().copied().filter(|&rank| rank != forced));
            let (first, floor) = (Some(&ranked[forced as usize]), notes.best.floor(now));
            let found = self.choose(ranked, members, first, floor, chooser, notes.meter);
            better |= self.take((now, found), Some(forced), ranked, chooser, notes)?;
        }
        Ok(better)
    }

    /// Takes the window of an exact choice, if there is one, with a forced rank; returns whether there is.
    fn take(
        &self,
        (now, found): (f64, Found),
        forced: Option<u32>,
        ranked: &[Ranked],
        chooser: &Chooser,
        notes: &mut Notes<'_>,
    ) -> Result<bool, WindowError> {
        let Chooser { chosen, subset, .. } = chooser;
        if subset.best.found {
            notes.best.set(subset.best.value, now, notes.meter.limit());
            notes.meter.improve(self.sign * notes.best.value);
            let at = chosen.iter().copied().chain(forced).map(|rank| ranked[rank as usize].at);
            notes.choice.set(now, self.holding, at);
        }
        notes.ended(found, subset.bound)?;
        Ok(subset.best.found)
    }

    /// The exact choice of n among the members, or of n - 1 together with `first`. The result is in `chosen`;
    /// its multiplier is a good start value.
    fn choose(
        &self,
        ranked: &[Ranked],
        members: &[u32],
        first: Option<&Ranked>,
        floor: f64,
        chooser: &mut Chooser,
        meter: &mut Meter,
    ) -> Found {
        let Chooser { values, costs, chosen, subset, .. } = chooser;
        values.clear();
        costs.clear();
        for &rank in members {
            values.push(ranked[rank as usize].value);
            costs.push(ranked[rank as usize].cost);
        }
        let given = first.map_or(Given::default(), |first| Given { value: first.value, cost: first.cost });
        let n = self.query.request.nodes() - usize::from(first.is_some());
        let items = Items { given, ..Items::new(values, costs, n, self.limits.budget) };
        let found = subset::search(&items, floor, subset, meter);
        chosen.clear();
        if subset.best.found {
            chosen.extend(subset.best.indices.iter().map(|&index| members[index as usize]));
        }
        found
    }
}
