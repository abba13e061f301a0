//! Slots of one node at one price, for searches of the least cost: what a task costs on them is known at once.
//! Bounds read classes in order of price, until each pool has as many as a window; and a sweep reads only the
//! slots of those that can be in a window within the budget.

use super::slots::{Candidate, Held};
use sched_model::{End, Meter, Price, Span, Tariff, check::Holding, order::order, span_bound};

/// Slots of one node with the same price and the same span of a task: mostly all slots of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) node: u32,
    pub(super) price: Price,
    /// The span of a task.
    pub(super) own: Span,
    pub(super) pack: u32,
    pub(super) group: u32,
    /// The length of its longest slot, rounded up.
    longest: f64,
    /// Its last candidate.
    pub(super) last: u32,
}

/// No candidate, no class.
const NONE: u32 = u32::MAX;

/// Candidates in time order, and their classes, those that cost less first.
#[derive(Debug)]
pub(super) struct Classes<'a> {
    pub(super) all: Vec<Candidate<'a>>,
    pub(super) classes: Vec<Class>,
    /// For each candidate the one of the same class before it.
    pub(super) before: Vec<u32>,
}

impl<'a> Classes<'a> {
    /// Each candidate is a unit of work. `finish` is the instant by which a window must end.
    pub(super) fn of(
        all: Vec<Candidate<'a>>,
        (holding, finish): (Holding, f64),
        tariff: &Tariff,
        meter: &mut Meter,
    ) -> Result<Self, End> {
        let nodes = Nodes::of(&all);
        let mut known = vec![NONE; nodes.count];
        let mut classes: Vec<Class> = Vec::new();
        let mut before = Vec::with_capacity(all.len());
        for (candidate, number) in all.iter().zip(0_u32..) {
            meter.spend(1)?;
            let Candidate { slot, start, own, pack, group, .. } = *candidate;
            let (node, price) = (slot.node().0, slot.price());
            let last = &mut known[nodes.number(node)];
            let is_known = classes.get(*last as usize).is_some_and(|of| of.price == price && of.own == own);
            if !is_known {
                *last = classes.len() as u32;
                classes.push(Class { node, price, own, pack, group, longest: 0.0, last: NONE });
            }
            let class = &mut classes[*last as usize];
            class.longest = class.longest.max(span_bound(start, slot.end().get().min(finish)));
            before.push(std::mem::replace(&mut class.last, number));
        }
        let cost = |class: &Class| match holding {
            Holding::OwnSpan => tariff.charge(class.price, class.own).get(),
            // The same span for all: the less the price, the less the cost.
            Holding::SlowestSpan => class.price.get(),
        };
        let costs: Vec<f64> = classes.iter().map(cost).collect();
        let key = |at: usize| (costs[at].to_bits(), classes[at].node);
        let order = order(classes.len(), &|a, b| key(a).cmp(&key(b)));
        let classes = order.into_iter().map(|at| classes[at as usize]).collect();
        Ok(Self { all, classes, before })
    }

    /// The classes that may be in a window of a level with their costs, by rising cost; each one looked at is
    /// a unit of work.
    pub(super) fn on(
        &self,
        level: Held,
        tariff: &Tariff,
        meter: &mut Meter,
    ) -> impl Iterator<Item = Result<(f64, &Class), End>> {
        self.classes.iter().filter_map(move |class| {
            if let Err(end) = meter.spend(1) {
                return Some(Err(end));
            }
            let held = level.unwrap_or(class.own);
            let suits = class.own <= held && held.get() <= class.longest;
            suits.then(|| Ok((tariff.charge(class.price, held).get(), class)))
        })
    }
}

/// Numbers of nodes: their identifiers, where these are small.
struct Nodes {
    ids: Vec<u32>,
    count: usize,
}

impl Nodes {
    fn of(all: &[Candidate<'_>]) -> Self {
        let ids = || all.iter().map(|candidate| candidate.slot.node().0);
        let greatest = ids().max().unwrap_or(0) as usize;
        if greatest < 4 * all.len() + 1024 {
            return Self { ids: Vec::new(), count: greatest + 1 };
        }
        let mut ids: Vec<u32> = ids().collect();
        ids.sort_unstable();
        ids.dedup();
        Self { count: ids.len(), ids }
    }

    #[inline]
    fn number(&self, node: u32) -> usize {
        if self.ids.is_empty() { node as usize } else { self.ids.partition_point(|&id| id < node) }
    }
}
