//! Windows of greatest (or least) total value: any additive criterion, exact.
//!
//! Source: the general window search with optimal subset allocation (MaxQ) of V. Toporkov and D. Yemelyanov,
//! *Optimization of Resources Selection for Jobs Scheduling in Heterogeneous Distributed Computing Environments*, 2018
//! (talk at the Russian Supercomputing Days).
//!
//! Deviations. The source solves an integer knapsack table at every step of the scan for every speed. Here costs are
//! real numbers, and hardly any step is solved: a Lagrangian bound over all nodes ranks the speeds, the best goes first,
//! and the search ends when no speed's bound beats the best window so far; nodes that no better window can hold are left
//! out of the scan; and a step is solved only if the n greatest reduced values live at it, with a slot that has just
//! arrived among them, could beat that window.

use crate::{
    Criterion, Scope, SearchScratch, WindowError, WindowSearch,
    criterion::checked,
    live::Low,
    scan::{Hold, Limits, Query, check_length, latest_start, usable},
    subset::{self, Effort, Floor, Found, Multiplier, Relaxed},
};
use sched_model::{
    Money, NodeId, ResourceRequest, SlotList, Speed, Time, Window, Work,
    check::{Holding, Rules},
};
use std::fmt;
use std::sync::Arc;

/// Whether a value is sought or shunned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Sense {
    /// The greater the better.
    #[default]
    Maximise,
    /// The less the better.
    Minimise,
}

impl Sense {
    fn sign(self) -> f64 {
        match self {
            Self::Maximise => 1.0,
            Self::Minimise => -1.0,
        }
    }
}

/// The window of greatest total value by an additive [`Criterion`] among all that keep to speed, budget, deadline and the
/// slots' ends.
///
/// Window models and budget as for [`Optimal`](crate::Optimal), which is faster for start, finish, runtime and cost. A
/// criterion that depends on the span is asked with the span for which the node is held: its own in
/// [rough](Holding::Rough) windows, that of the window's slowest node in [square](Holding::Square) ones.
///
/// * **Guarantee**: exact, as [`ExactSubset`](crate::subset::ExactSubset) is.
/// * **Complexity**: m slots, K nodes, D speeds. O(m + D K) for the bounds; then a pass over the slots for each speed whose
///   bound stands, O(m + a n) with a arrivals of nodes that may matter, n nodes in the window; and some exact choices
///   among the live nodes that may matter. (Rough windows know one speed level.)
/// * **Ties**: the earliest start; then, on one speed level, the cheaper; then the lower node ids.
/// * **Errors**: [`WindowError::Value`] if the criterion gives a value that is no number or above 10^200 in magnitude.
///
/// ```
/// use sched_model::*;
/// use slot_window::{MaxValue, NodeValues, SearchScratch, WindowSearch};
///
/// let slot = |id, speed, price| {
///     Slot::new(Node::new(NodeId(id), Speed::must(speed), Price::must(price)), Time::ZERO, Time::must(100.0))
/// };
/// let slots = SlotList::new(vec![slot(1, 1.0, 1.0)?, slot(2, 1.0, 2.0)?, slot(3, 1.0, 4.0)?])?;
/// let liked = NodeValues::new([(NodeId(1), 2.0), (NodeId(2), 5.0), (NodeId(3), 6.0)])?;
/// let request = ResourceRequest::new(2, Work::must(10.0))?.with_budget(Money::must(55.0));
/// let mut scratch = SearchScratch::new();
///
/// // Nodes 2 and 3 are worth 11 but cost 60; 1 and 3 are worth 8 and cost 50.
/// let best = MaxValue::new(liked).find(&slots, &request, Time::ZERO, &mut scratch)?.unwrap();
/// assert_eq!(best.placements().iter().map(|placement| placement.node.0).collect::<Vec<_>>(), [1, 3]);
///
/// // Least energy, if power is the square of the speed: two slow nodes need 10 + 10, a fast one 20 alone.
/// let slots = SlotList::new(vec![slot(1, 2.0, 1.0)?, slot(2, 1.0, 2.0)?, slot(3, 1.0, 3.0)?])?;
/// let energy = |slot: &Slot, span: Span| slot.speed().get().powi(2) * span.get();
/// let frugal = MaxValue::new(energy).minimise().find(&slots, &request, Time::ZERO, &mut scratch)?.unwrap();
/// assert_eq!(frugal.placements().iter().map(|placement| placement.node.0).collect::<Vec<_>>(), [2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct MaxValue {
    criterion: Arc<dyn Criterion>,
    sense: Sense,
    holding: Holding,
    rho: f64,
    name: Option<String>,
}

impl fmt::Debug for MaxValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaxValue")
            .field("scope", &self.criterion.scope())
            .field("sense", &self.sense)
            .field("holding", &self.holding)
            .field("rho", &self.rho)
            .finish_non_exhaustive()
    }
}

impl MaxValue {
    /// Greatest value by this criterion, square windows, rho = 1.
    #[must_use]
    pub fn new(criterion: impl Criterion + 'static) -> Self {
        Self::shared(Arc::new(criterion))
    }

    /// As [`new`](Self::new), with a criterion that is used elsewhere too.
    #[must_use]
    pub fn shared(criterion: Arc<dyn Criterion>) -> Self {
        Self { criterion, sense: Sense::Maximise, holding: Holding::Square, rho: 1.0, name: None }
    }

    /// Least value instead.
    #[must_use]
    pub fn minimise(self) -> Self {
        self.with_sense(Sense::Minimise)
    }

    /// In this sense.
    #[must_use]
    pub fn with_sense(self, sense: Sense) -> Self {
        Self { sense, ..self }
    }

    /// In this window model.
    #[must_use]
    pub fn with_holding(self, holding: Holding) -> Self {
        Self { holding, ..self }
    }

    /// Under this name in reports: `min-energy`, say.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// With this share of C * t * N as the budget of requests that give none.
    ///
    /// # Errors
    /// [`WindowError::Factor`] unless `rho` is positive and finite.
    pub fn with_rho(self, rho: f64) -> Result<Self, WindowError> {
        Ok(Self { rho: crate::error::factor("rho", rho)?, ..self })
    }

    /// The value of a window that was found in `slots`; `None` if one of its placements does not lie in a slot of them.
    #[must_use]
    pub fn value_of(&self, window: &Window, slots: &SlotList) -> Option<f64> {
        value_of(self.criterion.as_ref(), window, slots)
    }
}

/// The value of a window by a criterion.
pub(crate) fn value_of(criterion: &dyn Criterion, window: &Window, slots: &SlotList) -> Option<f64> {
    let mut values: Vec<(NodeId, f64)> = Vec::with_capacity(window.placements().len());
    for slot in slots.runs_alive_at(window.start()).flatten() {
        if slot.start() > window.start() {
            break;
        }
        let within = |placement: &&sched_model::Placement| {
            placement.node == slot.node() && window.start() < slot.end() && placement.end <= slot.end()
        };
        if let Some(placement) = window.placements().iter().find(within) {
            values.push((slot.node(), criterion.value(slot, placement.end - window.start())));
        }
    }
    values.sort_unstable_by_key(|value| value.0);
    (values.len() == window.placements().len()).then(|| values.iter().map(|value| value.1).sum())
}

impl WindowSearch for MaxValue {
    fn name(&self) -> &str {
        match (&self.name, self.sense, self.holding) {
            (Some(name), _, _) => name,
            (None, Sense::Maximise, Holding::Square) => "max-value",
            (None, Sense::Maximise, Holding::Rough) => "max-value-rough",
            (None, Sense::Minimise, Holding::Square) => "min-value",
            (None, Sense::Minimise, Holding::Rough) => "min-value-rough",
        }
    }

    fn rules(&self) -> Rules {
        Rules::per_window(self.rho).with_holding(self.holding)
    }

    fn find(
        &self,
        slots: &SlotList,
        request: &ResourceRequest,
        from: Time,
        scratch: &mut SearchScratch,
    ) -> Result<Option<Window>, WindowError> {
        check_length(slots)?;
        let query = Query { slots, request, from };
        let limits = Limits::of(request, request.budget_for(self.rho).map(Money::get));
        scratch.choice.reset();
        let search = Search { query, limits, criterion: self.criterion.as_ref(), sign: self.sense.sign() };
        search.run(self.holding, scratch)?;
        scratch.choice.window(query)
    }
}

/// A slot as the passes read it.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: f64,
    end: f64,
    /// Its class.
    class: u32,
    /// Its position in the scan.
    at: u32,
}

/// Slots of one node with the same speed, price and value: mostly all slots of a node. At most one slot of a node is
/// live at an instant, so at most one of a class.
#[derive(Debug, Clone, Copy)]
struct Class {
    node: u32,
    speed: f64,
    price: f64,
    value: f64,
    /// The longest of its slots.
    longest: f64,
}

/// The classes that matter on one speed level, greatest reduced value first.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    reduced: f64,
    value: f64,
    cost: f64,
    span: f64,
    speed: f64,
    class: u32,
    node: u32,
    /// Latest start and position of its slot that arrived last.
    latest: f64,
    at: u32,
}

/// One speed level and the bound on its windows.
#[derive(Debug, Clone, Copy)]
struct Level {
    speed: f64,
    hold: Hold,
    multiplier: Multiplier,
}

/// Memory of the search.
#[derive(Debug, Default)]
pub(crate) struct ValueScratch {
    pieces: Vec<Piece>,
    classes: Vec<Class>,
    /// Class of each node, by id where ids are small, else through `ids`.
    class_of: Vec<u32>,
    ids: Vec<u32>,
    levels: Vec<Level>,
    ranked: Vec<Ranked>,
    /// Rank of each class on the level at hand.
    rank: Vec<u32>,
    /// Live ranks, a bit each; bits of expired slots are cleared when they are met.
    live: Vec<u64>,
    members: Vec<u32>,
    /// The n - 1 lowest costs that have arrived since the last choice that was too dear.
    low: Low,
    values: Vec<f64>,
    costs: Vec<f64>,
    subset: subset::Search,
}

const NONE: u32 = u32::MAX;

struct Search<'a> {
    query: Query<'a>,
    limits: Limits,
    criterion: &'a dyn Criterion,
    sign: f64,
}

/// The best window so far.
#[derive(Debug, Clone, Copy)]
struct Best {
    value: f64,
    start: f64,
}

impl Search<'_> {
    fn run(&self, holding: Holding, scratch: &mut SearchScratch) -> Result<(), WindowError> {
        let SearchScratch { value: memory, choice, speeds, .. } = scratch;
        let work = self.query.request.work();
        let scope = self.criterion.scope();
        let mut best = Best { value: f64::NEG_INFINITY, start: f64::INFINITY };
        if holding == Holding::Rough {
            let hold = Hold::Own(work);
            self.classify(hold, memory)?;
            memory.levels.clear();
            if let Some(multiplier) = self.bound(self.limits.min_speed, hold, memory) {
                memory.levels.push(Level { speed: self.limits.min_speed, hold, multiplier });
            }
        } else {
            // A value that does not depend on the span is asked once for all levels.
            if scope != Scope::SlotAndSpan {
                self.classify(Hold::Own(work), memory)?;
            }
            crate::scan::speeds(self.query.slots, self.query.from, self.limits.min_speed, speeds);
            memory.levels.clear();
            for &speed in speeds.iter() {
                let hold = Hold::Same(work / Speed::new(speed)?);
                if scope == Scope::SlotAndSpan {
                    self.classify(hold, memory)?;
                }
                if let Some(multiplier) = self.bound(speed, hold, memory) {
                    memory.levels.push(Level { speed, hold, multiplier });
                }
            }
            memory.levels.sort_by(|a, b| b.multiplier.bound.total_cmp(&a.multiplier.bound));
        }
        for number in 0..memory.levels.len() {
            let level = memory.levels[number];
            if level.multiplier.bound + level.multiplier.margin < best.value {
                continue;
            }
            if holding == Holding::Square && scope == Scope::SlotAndSpan {
                self.classify(level.hold, memory)?;
            }
            self.pass(&level, holding, memory, &mut best, |start, hold, at| choice.set(start, hold, at))?;
        }
        Ok(())
    }

    /// Lists the slots and their classes; values are asked with this hold.
    fn classify(&self, hold: Hold, memory: &mut ValueScratch) -> Result<(), WindowError> {
        let Query { slots, request, from } = self.query;
        let ValueScratch { pieces, classes, class_of, ids, .. } = memory;
        let scope = self.criterion.scope();
        pieces.clear();
        classes.clear();
        index_nodes(slots, from, class_of, ids);
        for (number, slot) in (0_u32..).zip(slots.runs_alive_at(from).flatten()) {
            if slot.speed() < request.min_speed() {
                continue;
            }
            let start = usable(slot, from.get());
            let end = slot.end().get().min(self.limits.finish);
            if end <= start {
                continue;
            }
            let (speed, price) = (slot.speed().get(), slot.price().get());
            let entry = class_entry(slot.node().0, ids);
            let known = class_of[entry];
            let same_node = known != NONE
                && classes[known as usize].speed == speed
                && classes[known as usize].price == price;
            let value = if same_node && scope == Scope::Node {
                classes[known as usize].value
            } else {
                self.sign * checked(slot.node(), self.criterion.value(slot, hold.span(slot)))?
            };
            // On the long side of rounding: this only spares the passes what cannot fit.
            let length = (end - start) + 4.0 * f64::EPSILON * (start.abs() + end.abs());
            let class = if same_node && classes[known as usize].value == value {
                classes[known as usize].longest = classes[known as usize].longest.max(length);
                known
            } else {
                classes.push(Class { node: slot.node().0, speed, price, value, longest: length });
                class_of[entry] = (classes.len() - 1) as u32;
                class_of[entry]
            };
            pieces.push(Piece { start, end, class, at: number });
        }
        Ok(())
    }

    /// Whether a class can be in a window of this level, and for how long at which cost it is then held.
    fn on_level(&self, class: &Class, speed: f64, hold: Hold, work: Work) -> Option<(f64, f64)> {
        if class.speed < speed {
            return None;
        }
        let span = match hold {
            Hold::Same(span) => span.get(),
            Hold::Own(_) => work.get() / class.speed,
        };
        let cost = class.price * span;
        (class.longest >= span && cost <= self.limits.budget).then_some((span, cost))
    }

    /// The bound of a level; none if it has no affordable window whatever is live.
    fn bound(&self, speed: f64, hold: Hold, memory: &mut ValueScratch) -> Option<Multiplier> {
        let ValueScratch { classes, values, costs, subset, .. } = memory;
        let Query { request, .. } = self.query;
        values.clear();
        costs.clear();
        for class in classes.iter() {
            if let Some((_, cost)) = self.on_level(class, speed, hold, request.work()) {
                values.push(class.value);
                costs.push(cost);
            }
        }
        let n = request.nodes();
        match subset::relax(values, costs, n, self.limits.budget, &mut subset.order) {
            Relaxed::Infeasible => None,
            Relaxed::Bound(multiplier) => Some(multiplier),
            Relaxed::Solved => {
                let top = &subset.order.keys[..n];
                let bound: f64 = top.iter().map(|key| values[key.1 as usize]).sum();
                let greatest = top.iter().map(|key| values[key.1 as usize].abs()).fold(0.0, f64::max);
                let margin = greatest * n as f64 * f64::EPSILON * (n as f64 + 8.0);
                Some(Multiplier { lambda: 0.0, bound, margin })
            }
        }
    }

    /// Puts the classes that a better window of this level can hold in order of reduced value.
    fn rank(&self, level: &Level, best: Best, memory: &mut ValueScratch) {
        let ValueScratch { classes, ranked, rank, .. } = memory;
        let Query { request, .. } = self.query;
        let Multiplier { lambda, bound, margin } = level.multiplier;
        ranked.clear();
        for (number, class) in (0_u32..).zip(classes.iter()) {
            if let Some((span, cost)) = self.on_level(class, level.speed, level.hold, request.work()) {
                ranked.push(Ranked {
                    reduced: class.value - lambda * cost,
                    value: class.value,
                    cost,
                    span,
                    speed: class.speed,
                    class: number,
                    node: class.node,
                    latest: f64::NEG_INFINITY,
                    at: 0,
                });
            }
        }
        let n = request.nodes();
        if best.value > f64::NEG_INFINITY && ranked.len() > n {
            // A class below the n-th can only be in at the price of the difference.
            ranked.select_nth_unstable_by(n - 1, |a, b| b.reduced.total_cmp(&a.reduced));
            let least = ranked[n - 1].reduced - (bound - best.value) - 2.0 * margin;
            ranked.retain(|class| class.reduced >= least);
        }
        ranked.sort_unstable_by(|a, b| b.reduced.total_cmp(&a.reduced).then(a.class.cmp(&b.class)));
        rank.clear();
        rank.resize(classes.len(), NONE);
        for (number, class) in (0_u32..).zip(ranked.iter()) {
            rank[class.class as usize] = number;
        }
    }

    /// One pass over the slots on one level.
    ///
    /// Only a slot that has just arrived can make a window better than all before, so each group of equal starts is
    /// judged by its arrival of greatest reduced value: the bound of any window with an arrival is the multiplier's
    /// share of the budget plus that value and the n - 1 greatest others (or the n greatest, if it is among them).
    fn pass(
        &self,
        level: &Level,
        holding: Holding,
        memory: &mut ValueScratch,
        best: &mut Best,
        mut found: impl FnMut(f64, Hold, std::vec::IntoIter<u32>),
    ) -> Result<(), WindowError> {
        self.rank(level, *best, memory);
        let n = self.query.request.nodes();
        if memory.ranked.len() < n {
            return Ok(());
        }
        memory.live.clear();
        memory.live.resize(memory.ranked.len().div_ceil(64), 0);
        memory.low.reset(n - 1);
        let mut now = f64::NEG_INFINITY;
        let mut arrival = NONE;
        let mut affordable = false;
        let mut step = 0;
        loop {
            let piece = memory.pieces.get(step).copied();
            if piece.is_none_or(|piece| piece.start > now) {
                if affordable && self.may_improve(level, arrival, now, *best, memory) {
                    self.solve(level, holding, now, memory, best, &mut found)?;
                }
                arrival = NONE;
                affordable = false;
            }
            let Some(piece) = piece else { return Ok(()) };
            step += 1;
            now = piece.start;
            let number = memory.rank[piece.class as usize];
            if number == NONE {
                continue;
            }
            let ranked = &mut memory.ranked[number as usize];
            let latest = latest_start(piece.end, ranked.span);
            if latest >= piece.start {
                ranked.latest = latest;
                ranked.at = piece.at;
                memory.live[number as usize / 64] |= 1 << (number % 64);
                arrival = arrival.min(number);
                // Nor can it be in any affordable window that was not there before, if the lowest costs say so.
                affordable |= memory.low.allows(ranked.cost, self.limits.budget);
                memory.low.take(ranked.cost);
            }
        }
    }

    /// Collects the live ranks that can be in a window better than the best so far, and says whether a window with the
    /// arrival can.
    fn may_improve(
        &self,
        level: &Level,
        arrival: u32,
        now: f64,
        best: Best,
        memory: &mut ValueScratch,
    ) -> bool {
        let ValueScratch { ranked, live, members, .. } = memory;
        let n = self.query.request.nodes();
        let Multiplier { lambda, margin, .. } = level.multiplier;
        // An infinite budget has the multiplier 0.
        let base = if lambda > 0.0 { lambda * self.limits.budget } else { 0.0 } + 2.0 * margin;
        members.clear();
        // Sum of the n - 1 greatest; what one more must have at least.
        let mut sum = 0.0;
        let mut least = f64::NEG_INFINITY;
        for (word_number, word) in live.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let number = word_number * 64 + bit as usize;
                let class = &ranked[number];
                if class.latest < now {
                    *word &= !(1 << bit);
                    continue;
                }
                if members.len() < n - 1 {
                    sum += class.reduced;
                } else {
                    if members.len() == n - 1 {
                        least = best.value - base - sum;
                        // With the n-th, or with the arrival below it.
                        let last = class.reduced.min(ranked[arrival as usize].reduced);
                        if last < least {
                            return false;
                        }
                    }
                    if class.reduced < least {
                        return true;
                    }
                }
                members.push(number as u32);
            }
        }
        members.len() >= n
    }

    /// The exact choice among the collected ranks.
    fn solve(
        &self,
        level: &Level,
        holding: Holding,
        now: f64,
        memory: &mut ValueScratch,
        best: &mut Best,
        found: &mut impl FnMut(f64, Hold, std::vec::IntoIter<u32>),
    ) -> Result<(), WindowError> {
        let ValueScratch { ranked, live, members, low, values, costs, subset, .. } = memory;
        let n = self.query.request.nodes();
        members.sort_unstable_by_key(|&number| ranked[number as usize].node);
        values.clear();
        costs.clear();
        for &number in members.iter() {
            values.push(ranked[number as usize].value);
            costs.push(ranked[number as usize].cost);
        }
        // A window of equal value counts if it starts earlier than the best so far.
        let above = |best: Best| if now < best.start { best.value.next_down() } else { best.value };
        let floor = if best.start == f64::INFINITY { Floor::None } else { Floor::Above(above(*best)) };
        if subset::search(values, costs, n, self.limits.budget, floor, Effort::DEFAULT, subset)
            == Found::Nothing
        {
            // Perhaps the lowest costs have expired: from now on those of the live slots count.
            low.reset(n - 1);
            for (word_number, &word) in live.iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    let class = &ranked[word_number * 64 + rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                    if class.latest >= now {
                        low.take(class.cost);
                    }
                }
            }
            return Ok(());
        }
        let chosen = || subset.best.indices.iter().map(|&index| &ranked[members[index as usize] as usize]);
        let slowest = chosen().map(|class| class.speed).fold(f64::INFINITY, f64::min);
        let work = self.query.request.work();
        if holding == Holding::Rough || slowest == level.speed || self.criterion.scope() != Scope::SlotAndSpan
        {
            // A choice of nodes all faster than the level is held for their own slowest's span, at the same value.
            let hold =
                if holding == Holding::Rough { level.hold } else { Hold::Same(work / Speed::new(slowest)?) };
            *best = Best { value: subset.best.value, start: now };
            found(now, hold, chosen().map(|class| class.at).collect::<Vec<_>>().into_iter());
            return Ok(());
        }
        // The value was asked for the span of this level, so that one of its own nodes must be in: try each.
        let all: Vec<u32> = members.clone();
        for &forced in all.iter().filter(|&&number| ranked[number as usize].speed == level.speed) {
            let first = ranked[forced as usize];
            members.clear();
            members.extend(all.iter().copied().filter(|&number| number != forced));
            values.clear();
            costs.clear();
            for &number in members.iter() {
                values.push(ranked[number as usize].value);
                costs.push(ranked[number as usize].cost);
            }
            let budget = self.limits.budget - first.cost;
            let floor = if best.start == f64::INFINITY {
                Floor::None
            } else {
                Floor::Above((above(*best) - first.value).next_down())
            };
            if subset::search(values, costs, n - 1, budget, floor, Effort::DEFAULT, subset) == Found::Nothing
            {
                continue;
            }
            let mut window: Vec<&Ranked> =
                subset.best.indices.iter().map(|&index| &ranked[members[index as usize] as usize]).collect();
            window.push(&first);
            window.sort_unstable_by_key(|class| class.node);
            let value: f64 = window.iter().map(|class| class.value).sum();
            let cost: f64 = window.iter().map(|class| class.cost).sum();
            if cost <= self.limits.budget && (best.start == f64::INFINITY || value > above(*best)) {
                *best = Best { value, start: now };
                found(now, level.hold, window.iter().map(|class| class.at).collect::<Vec<_>>().into_iter());
            }
        }
        Ok(())
    }
}

/// Prepares the table from nodes to classes. Ids that are small against the number of slots index it directly.
fn index_nodes(slots: &SlotList, from: Time, class_of: &mut Vec<u32>, ids: &mut Vec<u32>) {
    ids.clear();
    class_of.clear();
    let greatest = slots.runs_alive_at(from).flatten().map(|slot| slot.node().0).max().unwrap_or(0) as usize;
    if greatest <= 4 * slots.len() + 1024 {
        class_of.resize(greatest + 1, NONE);
    } else {
        ids.extend(slots.runs_alive_at(from).flatten().map(|slot| slot.node().0));
        ids.sort_unstable();
        ids.dedup();
        class_of.resize(ids.len(), NONE);
    }
}

#[inline]
fn class_entry(node: u32, ids: &[u32]) -> usize {
    if ids.is_empty() { node as usize } else { ids.partition_point(|&id| id < node) }
}
