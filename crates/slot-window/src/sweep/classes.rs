//! Slots of one node at one price, for slowest-span windows of the least cost: what a task costs on them is known
//! at once. Bounds read classes in order of price, until each pool has as many as a window.

use super::{list::Nodes, slots::Candidate};
use sched_model::{End, Meter, Price, Span, Tariff, order::sort, span_bound};

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
}

/// The classes of some candidates, those of less price first.
#[derive(Debug)]
pub(super) struct Classes(pub(super) Vec<Class>);

impl Classes {
    /// Each candidate is a unit of work. `finish` is the instant by which a window must end.
    pub(super) fn of(all: &[Candidate<'_>], finish: f64, meter: &mut Meter) -> Result<Self, End> {
        let nodes = Nodes::of(all.iter().map(|candidate| candidate.slot.node().0));
        let mut known: Vec<Option<usize>> = vec![None; nodes.count()];
        let mut classes: Vec<Class> = Vec::new();
        for &Candidate { slot, start, own, pack, group, .. } in all {
            meter.spend(1)?;
            let (node, price) = (slot.node().0, slot.price());
            let last = &mut known[nodes.number(node)];
            let same = last.filter(|&last| classes[last].price == price && classes[last].own == own);
            let at = *last.insert(same.unwrap_or(classes.len()));
            if same.is_none() {
                classes.push(Class { node, price, own, pack, group, longest: 0.0 });
            }
            classes[at].longest = classes[at].longest.max(span_bound(start, slot.end().get().min(finish)));
        }
        // The same span for all: the less the price, the less the cost.
        sort(&mut classes, &|a, b| (a.price, a.node).cmp(&(b.price, b.node)));
        Ok(Self(classes))
    }

    /// The classes that may be in a window of a level with their costs, by rising cost; each one looked at is
    /// a unit of work.
    pub(super) fn on(
        &self,
        level: Span,
        tariff: &Tariff,
        meter: &mut Meter,
    ) -> impl Iterator<Item = Result<(f64, &Class), End>> {
        self.0.iter().filter_map(move |class| {
            if let Err(end) = meter.spend(1) {
                return Some(Err(end));
            }
            let suits = class.own <= level && level.get() <= class.longest;
            suits.then(|| Ok((tariff.charge(class.price, level).get(), class)))
        })
    }
}
