//! The list of free slots in start order, from which windows are cut and to which they are given back.

mod change;
#[cfg(feature = "serde")]
mod form;
mod runs;

use std::borrow::Borrow;
use std::sync::Arc;

use crate::features::FeatureTable;
use crate::{
    Demands, Eligible, Features, ModelError, Node, NodeId, Occupied, Placement, Refusal, Slot, Span, Tariff,
    Time, Work, order,
};
use runs::Runs;

/// Free slots in (start, node) order, no two of one node overlapping.
///
/// A search reads them in that order; [`cut`](Self::cut) takes a window out, leaving what remains to its left
/// and right; [`give_back`](Self::give_back) returns it. A list is kept up to date by
/// [`advance`](Self::advance), [`extend`](Self::extend), [`free`](Self::free), [`block`](Self::block),
/// [`remove_node`](Self::remove_node), [`reprice`](Self::reprice), [`lengthen`](Self::lengthen) and
/// [`give_back_rest`](Self::give_back_rest).
///
/// With m slots, a scan is O(m), a change O(log m + m / 256) amortised for each slot touched, with a very
/// small constant on the second term: sorted runs of at most 256 slots, of which one is touched and their
/// directory binary-searched. The first change that has to look for a slot by its node builds an index by node in
/// O(m log m), which is kept up to date from then on. A clone takes O(m / 256): it shares the slots, until either list
/// changes them, and builds an index of its own.
///
/// ```
/// use sched_model::{Node, NodeId, Placement, Price, Slot, SlotList, Span, Speed, Time, Window};
/// let node = Node::new(NodeId(1), Speed::ETALON, Price::must(2.0));
/// let mut list = SlotList::new(vec![Slot::new(node, Time::ZERO, Time::must(100.0))?])?;
///
/// let slot = *list.iter().next().unwrap();
/// let window =
///     Window::new(Time::must(20.0), vec![Placement::on(&slot, Time::must(20.0), Span::must(30.0))])?;
/// list.cut(&window)?;
/// let free: Vec<_> = list.iter().map(|slot| (slot.start().get(), slot.end().get())).collect();
/// assert_eq!(free, [(0.0, 20.0), (50.0, 100.0)]);
///
/// list.give_back(&window)?;
/// assert_eq!(list.len(), 1);
/// # Ok::<(), sched_model::ModelError>(())
/// ```
///
/// With the feature `serde` it is written as the list of its slots; with a tariff other than the default, or
/// with features of nodes, as `{"tariff": ..., "features": [...], "slots": [...]}`. Both are read.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct SlotList {
    runs: Runs,
    tariff: Tariff,
    /// The features of nodes; shared by lists of the same nodes.
    features: Option<Arc<FeatureTable>>,
    /// Where slots of a node that touch, at one speed and price, were given as two, in order: time that is
    /// given back is not joined there, until a piece of time is freed that reaches from one side to the
    /// other. `None` where there are none.
    seams: Option<Arc<Vec<(NodeId, Time)>>>,
}

impl SlotList {
    /// A list of these slots, in any order. Slots of one node that touch stay two: no placement reaches from
    /// one into the other, also after time there was cut out and given back. Where both sides are taken out
    /// and [freed](Self::free) in one piece, they are one slot from then on.
    ///
    /// # Errors
    /// [`ModelError::OverlappingSlots`] if two slots of one node share an instant.
    pub fn new(mut slots: Vec<Slot>) -> Result<Self, ModelError> {
        sort(&mut slots);
        Self::from_sorted(slots)
    }

    /// A list of slots that are already in (start, node) order, as files must have them.
    ///
    /// # Errors
    /// [`ModelError::UnsortedSlots`] at the first slot out of order, [`ModelError::OverlappingSlots`] as for
    /// [`new`](Self::new).
    pub fn from_sorted(mut slots: Vec<Slot>) -> Result<Self, ModelError> {
        if let Some(before) = slots.windows(2).position(|pair| pair[0].key() > pair[1].key()) {
            let (index, slot) = (before + 1, &slots[before + 1]);
            let (node, start) = (slot.node(), slot.start().get());
            return Err(ModelError::UnsortedSlots { index, node, start });
        }
        let by_node = sorted_by_node(slots.iter());
        for pair in by_node.windows(2).filter(|pair| pair[0].node() == pair[1].node()) {
            if pair[1].start() < pair[0].end() {
                let (first, second) = (Box::new(*pair[0]), Box::new(*pair[1]));
                return Err(ModelError::OverlappingSlots { node: first.node(), first, second });
            }
        }
        let seams = Some(touching(&by_node)).filter(|seams| !seams.is_empty()).map(Arc::new);
        // A slot taken from a list with features carries a kind that means nothing here.
        slots.iter_mut().for_each(|slot| *slot = slot.with_kind(0));
        Ok(Self { runs: Runs::of_sorted(slots.into_iter()), seams, ..Self::default() })
    }

    /// The free time of `nodes` in `[from, horizon)`: the time outside their `occupied` intervals. These may
    /// overlap, be in any order, and reach beyond the horizon.
    ///
    /// With k intervals and n nodes: O((k + n) log (k + n)) time, and beside the list 24 bytes for each slot;
    /// fastest where nodes are in order of id, and intervals in order of node and start.
    ///
    /// # Errors
    /// [`ModelError::EmptyInterval`] unless `from < horizon`, [`ModelError::RepeatedId`] if two nodes share
    /// an id, [`ModelError::UnknownId`] for an interval of a node that is not given.
    ///
    /// ```
    /// use sched_model::{Node, NodeId, Occupied, Price, SlotList, Speed, Time};
    /// let nodes = [Node::new(NodeId(7), Speed::ETALON, Price::must(1.0))];
    /// let busy = [Occupied::new(NodeId(7), Time::must(30.0), Time::must(40.0))?];
    /// let list = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(100.0))?;
    /// let free: Vec<_> = list.iter().map(|slot| (slot.start().get(), slot.end().get())).collect();
    /// assert_eq!(free, [(0.0, 30.0), (40.0, 100.0)]);
    /// # Ok::<(), sched_model::ModelError>(())
    /// ```
    pub fn from_nodes(
        nodes: &[Node],
        occupied: &[Occupied],
        from: Time,
        horizon: Time,
    ) -> Result<Self, ModelError> {
        if from >= horizon {
            return Err(ModelError::empty_interval("the time from now to the horizon", from, horizon));
        }
        let runs = Runs::of_sorted(free_slots(nodes, occupied, from, horizon)?);
        Ok(Self { runs, ..Self::default() })
    }

    /// The same slots, charged by this tariff.
    pub fn with_tariff(self, tariff: Tariff) -> Self {
        Self { tariff, ..self }
    }

    /// How price and span become a charge: price x span if no tariff was set.
    #[inline]
    pub fn tariff(&self) -> &Tariff {
        &self.tariff
    }

    /// A placement of `span` on a slot of this list from `start` on, charged by its tariff.
    #[inline]
    pub fn placement(&self, slot: &Slot, start: Time, span: Span) -> Placement {
        Placement { cost: self.tariff.charge(slot.price(), span), ..Placement::on(slot, start, span) }
    }

    /// The slots for which `keep` is true, with the tariff and the features of this list: demands compiled
    /// for it are valid for the part. O(m).
    pub fn filtered(&self, keep: impl FnMut(&&Slot) -> bool) -> Self {
        self.part(&self.iter().filter(keep).copied().collect::<Vec<Slot>>())
    }

    /// This list in parts, one for each node, in order of node id. O(m log m).
    #[doc(hidden)]
    pub fn split_by_node(&self) -> Vec<Self> {
        let slots = sorted_by_node(self.iter().copied());
        slots.chunk_by(|a, b| a.node() == b.node()).map(|slots| self.part(slots)).collect()
    }

    /// Slots of this list, or parts of them, in its order.
    fn part(&self, slots: &[Slot]) -> Self {
        let (features, seams) = (self.features.clone(), self.seams.clone());
        Self { runs: Runs::of_sorted(slots.iter().copied()), tariff: self.tariff, features, seams }
    }

    /// The free time from an instant on, as a new list: slots that have ended are left out, and slots that
    /// have begun start at the instant. The same as [`only`](Self::only) with starts not before it, and
    /// faster. O(m), and O(k log k) for the k slots that have begun.
    ///
    /// ```
    /// # use sched_model::*;
    /// let nodes = [1, 2].map(|id| Node::new(NodeId(id), Speed::ETALON, Price::must(2.0)));
    /// let busy = [Occupied::new(NodeId(1), Time::ZERO, Time::must(10.0))?];
    /// let list = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(100.0))?;
    /// let late = list.since(Time::must(40.0));
    /// assert!(late.iter().all(|slot| slot.start() == Time::must(40.0)));
    /// assert_eq!(late, list.only(&Demands::new().with_not_before(Time::must(40.0))));
    /// # Ok::<(), ModelError>(())
    /// ```
    pub fn since(&self, now: Time) -> Self {
        let left = self.runs_alive_at(now).flatten().filter(|slot| slot.end() > now);
        let mut slots: Vec<Slot> = left.map(|slot| slot.part(slot.start().max(now), slot.end())).collect();
        // Those that have begun start at the same instant, so that they are sorted by node.
        let begun = slots.partition_point(|slot| slot.start() <= now);
        sort(&mut slots[..begun]);
        self.part(&slots)
    }

    /// As [`runs_alive_at`](Self::runs_alive_at), so that a search can skip runs: each with a lower bound on
    /// what this work costs on any slot of the run, as charges are computed; or with `None` if every slot is
    /// shorter than the work takes on its node. Where a tariff is set, the bound is 0.
    pub fn runs_with_room(&self, instant: Time, work: Work) -> impl Iterator<Item = (&[Slot], Option<f64>)> {
        let priced = if self.tariff.is_plain() { work.get() } else { 0.0 };
        self.runs.with_room(instant, work.get(), priced)
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there is no slot at all.
    pub fn is_empty(&self) -> bool {
        self.runs.len() == 0
    }

    /// The slots, in (start, node) order.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> + Clone {
        self.runs.slices().flatten()
    }

    /// The slots as slices, in order, for hot loops, without those slices in which every slot has ended at `instant`.
    /// None is empty.
    ///
    /// For a search that resumes at `instant`: slots that started before it and are still free are included.
    /// Some slots that have ended are included too.
    pub fn runs_alive_at(&self, instant: Time) -> impl Iterator<Item = &[Slot]> + Clone {
        self.runs.alive_at(instant)
    }
}

/// Sorts by start, then by node. One function, since a sort is compiled anew for each way to compare.
fn sort(slots: &mut [Slot]) {
    slots.sort_unstable_by_key(Slot::key);
}

/// Slots in order of start, by node; those of a node stay in order.
pub(crate) fn sorted_by_node<S: Borrow<Slot>>(slots: impl Iterator<Item = S>) -> Vec<S> {
    let mut slots: Vec<S> = slots.collect();
    order::sort(&mut slots, &|a, b| a.borrow().node().cmp(&b.borrow().node()));
    slots
}

/// Where slots touch that are at one speed and price; those of a node stand together, in order.
fn touching(by_node: &[&Slot]) -> Vec<(NodeId, Time)> {
    let touch = |pair: &&[&Slot]| pair[0].end() == pair[1].start() && pair[0].as_node() == pair[1].as_node();
    by_node.windows(2).filter(touch).map(|pair| (pair[1].node(), pair[1].start())).collect()
}

impl PartialEq for SlotList {
    /// Equal if they hold the same slots under the same tariff, with the same features of nodes.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.tariff == other.tariff
            && self.features == other.features
            && self.iter().eq(other.iter())
    }
}

impl Eq for SlotList {}

impl From<SlotList> for Vec<Slot> {
    fn from(list: SlotList) -> Self {
        list.iter().copied().collect()
    }
}

impl SlotList {
    /// The same slots, with these features of nodes; a node that is not named has none. Nodes may be named
    /// that are added later. Features that were set before are replaced.
    ///
    /// # Errors
    /// [`ModelError::RepeatedId`] for a node that is named twice.
    pub fn with_features(
        mut self,
        features: impl IntoIterator<Item = (NodeId, Features)>,
    ) -> Result<Self, ModelError> {
        let table = FeatureTable::new(features)?;
        self.runs.set_kinds(|node| table.kind_of(node));
        Ok(Self { features: Some(Arc::new(table)), ..self })
    }

    /// The same slots, with the features that nodes have in another list: demands compiled for one list are
    /// valid for the other. O(m log n) for m slots and n nodes with features.
    pub fn with_features_of(mut self, other: &Self) -> Self {
        let table = other.features.clone();
        self.runs.set_kinds(|node| table.as_ref().map_or(0, |table| table.kind_of(node)));
        Self { features: table, ..self }
    }

    /// The features of a node, where the list has any.
    pub fn features(&self, node: NodeId) -> Option<&Features> {
        self.features.as_ref().map(|features| features.of(node))
    }

    pub(crate) fn feature_table(&self) -> Option<Arc<FeatureTable>> {
        self.features.clone()
    }

    /// Demands compiled for this list: a test of a slot then takes O(1).
    pub fn eligible(&self, demands: &Demands) -> Eligible {
        Eligible::new(self.features.clone(), demands)
    }

    /// Whether demands were compiled for this list, or for one of which it is a clone or a part.
    pub fn is_compiled_for(&self, eligible: &Eligible) -> bool {
        eligible.table().map(Arc::as_ptr) == self.features.as_ref().map(Arc::as_ptr)
    }

    /// The part of this list that is suitable for the demands: slots of nodes that meet them, shortened to
    /// the starts demanded. On it, every search finds windows that meet the demands on single nodes and on
    /// the start, and no others. With a fixed start, every slot starts there, so that every window does.
    ///
    /// O(m), or O(m log m) where starts are demanded.
    pub fn only(&self, demands: &Demands) -> Self {
        let eligible = self.eligible(demands);
        let suiting = self.iter().filter(|slot| eligible.allows(slot));
        let mut slots: Vec<Slot> = suiting.filter_map(|slot| demands.part_of(slot)).collect();
        sort(&mut slots);
        self.part(&slots)
    }

    /// The first demand that fewer than `needed` nodes of this list meet, with their number, in this order:
    /// labels, excluded labels, amounts; all demands on single nodes together; the combination of nodes.
    /// `None` if enough nodes meet all demands.
    pub fn missing(&self, demands: &Demands, needed: usize) -> Option<Refusal> {
        let mut nodes: Vec<NodeId> = self.iter().map(Slot::node).collect();
        order::sort(&mut nodes, &|a, b| a.cmp(b));
        nodes.dedup();
        let none = Features::default();
        let features = || nodes.iter().map(|&node| self.features(node).unwrap_or(&none));
        let missing = |what, having| (having < needed).then_some(Refusal::Missing { needed, what, having });
        for demand in demands.on_nodes() {
            let having = features().filter(|features| demand.is_met(features)).count();
            if let Some(refusal) = missing(demand.to_string(), having) {
                return Some(refusal);
            }
        }
        let meeting = || features().filter(|features| demands.are_met(features));
        let each = || demands.on_nodes().map(|demand| demand.to_string()).collect::<Vec<_>>().join(" and ");
        // Without a demand any nodes meet all of them.
        demands.on_nodes().next()?;
        missing(each(), meeting().count())
            .or_else(|| missing(demands.together(), demands.most_together(meeting())))
    }
}

/// Free time of one node, without the node's data: this saves memory where there are many gaps.
struct Gap {
    start: Time,
    end: Time,
    /// The position of its node in order of id.
    node: u32,
}

/// The free time of nodes in `[from, horizon)`, in (start, node) order. One sort of the gaps, and one of the
/// nodes and of the intervals each unless they are in order.
fn free_slots(
    nodes: &[Node],
    occupied: &[Occupied],
    from: Time,
    horizon: Time,
) -> Result<impl ExactSizeIterator<Item = Slot>, ModelError> {
    let order = order::order(nodes.len(), &|a, b| nodes[a].id.cmp(&nodes[b].id)); // in one pass where they are in order
    let by_id: Vec<Node> = order.iter().map(|&at| nodes[at as usize]).collect();
    let is_again = |at: &usize| by_id[*at].id == by_id[*at - 1].id;
    if let Some(first) = (1..by_id.len()).filter(is_again).map(|at| order[at]).min() {
        return Err(ModelError::RepeatedId { what: "node", id: u64::from(nodes[first as usize].id.0) });
    }
    let mut sorted: Vec<&Occupied> = occupied.iter().collect();
    let key = |interval: &Occupied| (interval.node(), interval.start());
    if !occupied.is_sorted_by_key(key) {
        order::sort(&mut sorted, &|a, b| key(a).cmp(&key(b)));
    }
    let mut sorted = sorted.into_iter().peekable();
    let mut gaps = Vec::with_capacity(nodes.len() + occupied.len());
    // Identifiers are of 32 bits, so that the number of nodes fits.
    for (number, node) in (0_u32..).zip(&by_id) {
        let mut free_from = from;
        let mut push = |start: Time, end: Time| {
            if start < end {
                gaps.push(Gap { start, end, node: number });
            }
        };
        while let Some(interval) = sorted.next_if(|interval| interval.node() == node.id) {
            push(free_from, interval.start().min(horizon));
            free_from = interval.end().max(free_from);
        }
        push(free_from, horizon);
    }
    // One of a node that is not there holds up all that follow.
    if sorted.next().is_some() {
        let is_unknown =
            |interval: &&Occupied| by_id.binary_search_by_key(&interval.node(), |node| node.id).is_err();
        let first = occupied.iter().filter(is_unknown).min_by_key(|interval| interval.start());
        let id = first.map_or(0, |interval| interval.node().0);
        return Err(ModelError::UnknownId { what: "node", id: u64::from(id) });
    }
    gaps.sort_unstable_by_key(|gap| (gap.start, gap.node));
    Ok(gaps.into_iter().map(move |gap| Slot::of(by_id[gap.node as usize], gap.start, gap.end)))
}
