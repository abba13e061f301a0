//! The list of free slots, from which windows are cut and to which they are given back.

mod change;
#[cfg(feature = "serde")]
mod form;
mod runs;

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use crate::features::FeatureTable;
use crate::{
    Demands, Eligible, Features, ModelError, Node, NodeId, Occupied, Refusal, Slot, Tariff, Time, Work, order,
};
use runs::Runs;

/// Free slots in (start, node) order; no two slots of one node overlap.
///
/// A search reads the slots in that order. [`cut`](Self::cut) takes a window out and leaves the free time before and
/// after it; [`give_back`](Self::give_back) makes its time free again. These methods keep a list up to date:
/// [`advance`](Self::advance), [`extend`](Self::extend), [`block`](Self::block), [`reprice`](Self::reprice) and
/// [`lengthen`](Self::lengthen).
///
/// With m slots, a scan is O(m), and a change is amortised O(log m + m / 256) for each slot touched, with a very
/// small constant on the second term: slots are stored in sorted runs of at most 256, of which one is changed, and
/// the run is found by binary search. The first change that has to find a slot by its node builds an index by node in
/// O(m log m), which is kept up to date from then on. A clone takes O(m / 256): it shares the slots until either list
/// changes them, and builds its own index.
///
/// ```
/// use sched_model::{Node, Placement, Slot, SlotList, Span, Time, Window};
/// let node = Node::must(1, 1.0, 2.0);
/// let mut list = SlotList::new(vec![Slot::new(node, Time::ZERO, Time::must(100.0))?])?;
///
/// let slot = list.iter().next().unwrap();
/// let (start, span) = (Time::must(20.0), Span::must(30.0));
/// let window = Window::new(start, vec![Placement::on(slot, start, span, list.tariff())])?;
/// list.cut(&window)?;
/// let free: Vec<_> = list.iter().map(|slot| (slot.start.get(), slot.end.get())).collect();
/// assert_eq!(free, [(0.0, 20.0), (50.0, 100.0)]);
///
/// list.give_back(&window, window.start())?;
/// assert_eq!(list.len(), 1);
/// # Ok::<(), sched_model::ModelError>(())
/// ```
///
/// With the feature `serde` the list is written as the list of its slots. A list with a tariff other than the
/// default, with features of nodes, or with time cut out or repriced at an instant where two slots touched, is
/// written as `{"tariff": ..., "features": [...], "seams": [...], "slots": [...]}` without the empty parts. Both
/// forms are read.
#[derive(Clone, Default)]
#[must_use]
pub struct SlotList {
    runs: Runs,
    tariff: Tariff,
    /// The features of nodes, shared with clones and parts of the list.
    features: Option<Arc<FeatureTable>>,
    /// The seams: node and instant, in order, where two touching slots with equal speed and price were given. Time
    /// that is given back is not joined there, until a single interval is freed that covers both sides. `None` if
    /// there are no seams.
    seams: Option<Arc<Vec<(NodeId, Time)>>>,
}

/// Shows the slots, the tariff and the features, without runs and index.
impl fmt::Debug for SlotList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("SlotList");
        debug.field("slots", &Vec::from_iter(self.iter())).field("tariff", &self.tariff);
        debug.field("features", &self.features).finish_non_exhaustive()
    }
}

impl SlotList {
    /// Creates a list of `slots`, which may be in any order. Touching slots of one node stay two: no placement
    /// reaches from one into the other, even after time there was cut out and given back. If both sides are taken out
    /// and [freed](Self::extend) as one interval, they are one slot from then on.
    ///
    /// # Errors
    /// [`ModelError::OverlappingSlots`] if two slots of one node share an instant, [`ModelError::EmptyInterval`] for
    /// a slot that does not end after it starts.
    pub fn new(mut slots: Vec<Slot>) -> Result<Self, ModelError> {
        sort(&mut slots);
        Self::from_sorted(slots)
    }

    /// Creates a list of slots that must already be in (start, node) order, as in files.
    fn from_sorted(mut slots: Vec<Slot>) -> Result<Self, ModelError> {
        if let Some(before) = slots.windows(2).position(|pair| pair[0].key() > pair[1].key()) {
            let (index, slot) = (before + 1, &slots[before + 1]);
            let (node, start) = (slot.node, slot.start.get());
            return Err(ModelError::UnsortedSlots { index, node, start });
        }
        let by_node = sorted_by_node(slots.iter());
        for pair in by_node.windows(2).filter(|pair| pair[0].node == pair[1].node) {
            if pair[1].start < pair[0].end {
                let (first, second) = (Box::new(*pair[0]), Box::new(*pair[1]));
                return Err(ModelError::OverlappingSlots { node: first.node, first, second });
            }
        }
        let seams = Some(touching(&by_node)).filter(|seams| !seams.is_empty()).map(Arc::new);
        for slot in &mut slots {
            // A slot taken from a list with features carries a kind that has no meaning here.
            *slot = slot.checked()?.with_kind(0);
        }
        Ok(Self { runs: Runs::of_sorted(slots.into_iter()), seams, ..Self::default() })
    }

    /// Creates a list of the free time of `nodes` in `[from, horizon)`: the time outside their `occupied` intervals,
    /// which may overlap, be in any order, and reach beyond both ends.
    ///
    /// With k intervals and n nodes: O((k + n) log (k + n)) time, and 24 bytes per slot in addition to the list;
    /// fastest if nodes are in order of id, and intervals in order of node and start.
    ///
    /// # Errors
    /// [`ModelError::EmptyInterval`] unless `from < horizon` and each interval ends after it starts,
    /// [`ModelError::RepeatedId`] if two nodes share an id, [`ModelError::UnknownId`] for an interval of a node that
    /// is not given.
    ///
    /// ```
    /// use sched_model::{Node, Occupied, SlotList, Time};
    /// let nodes = [Node::must(7, 1.0, 1.0)];
    /// let busy = [Occupied::must(7, 30.0, 40.0)];
    /// let list = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(100.0))?;
    /// let free: Vec<_> = list.iter().map(|slot| (slot.start.get(), slot.end.get())).collect();
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

    /// Sets the tariff by which placements on the slots are charged.
    pub fn with_tariff(self, tariff: Tariff) -> Self {
        Self { tariff, ..self }
    }

    /// The tariff, which turns a price and a span into a charge; by default price x span.
    #[inline]
    pub fn tariff(&self) -> &Tariff {
        &self.tariff
    }

    /// Sets the features of all nodes, and replaces those that were set before. A node that is not named has no
    /// features; nodes that are added later may be named too.
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

    /// The features of `node`, which may be empty; `None` if features were never set.
    pub fn features(&self, node: NodeId) -> Option<&Features> {
        self.features.as_ref().map(|features| features.of(node))
    }

    pub(crate) fn feature_table(&self) -> Option<Arc<FeatureTable>> {
        self.features.clone()
    }

    /// Compiles demands for this list; testing a slot then takes O(1).
    pub fn eligible(&self, demands: &Demands) -> Eligible {
        Eligible::new(self.features.clone(), demands)
    }

    /// Creates a list of the slots for which `keep` returns true, with the tariff and the features of this list.
    /// Demands compiled for this list are valid for the new one. O(m) time.
    pub fn filtered(&self, keep: impl FnMut(&&Slot) -> bool) -> Self {
        self.part(&self.iter().filter(keep).copied().collect::<Vec<Slot>>())
    }

    /// Creates a list of slots of this list, or parts of them, which must be in order.
    fn part(&self, slots: &[Slot]) -> Self {
        let (features, seams) = (self.features.clone(), self.seams.clone());
        Self { runs: Runs::of_sorted(slots.iter().copied()), tariff: self.tariff, features, seams }
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there are no slots.
    pub fn is_empty(&self) -> bool {
        self.runs.len() == 0
    }

    /// The slots, in (start, node) order.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> + Clone {
        self.runs.slices().flatten()
    }
}

/// For the window searches and the broker of this workspace; not part of the public interface.
#[doc(hidden)]
impl SlotList {
    /// Creates a list of the free time from `now` on: slots that have ended are left out, and slots that have begun
    /// start at `now`. O(m) time, plus O(k log k) for the k slots that have begun.
    pub fn since(&self, now: Time) -> Self {
        let left = self.runs_alive_at(now).flatten().filter(|slot| slot.end > now);
        let mut slots: Vec<Slot> = left.map(|slot| slot.part(slot.start.max(now), slot.end)).collect();
        // Slots that have begun now all start at the same instant, so they must be sorted by node.
        let begun = slots.partition_point(|slot| slot.start <= now);
        sort(&mut slots[..begun]);
        self.part(&slots)
    }

    /// Creates a list of `slots`, which may be in any order, with the tariff and the features of this list. Demands
    /// compiled for one of the two lists are valid for the other. O(m log m + m log n) time for m slots and n nodes
    /// with features.
    ///
    /// # Errors
    /// [`ModelError::OverlappingSlots`] as for [`new`](Self::new).
    pub fn with_slots(&self, slots: Vec<Slot>) -> Result<Self, ModelError> {
        let mut list = Self::new(slots)?.with_tariff(self.tariff);
        if let Some(table) = &self.features {
            list.runs.set_kinds(|node| table.kind_of(node));
        }
        Ok(Self { features: self.features.clone(), ..list })
    }

    /// Splits the list into one list per node, in order of node. O(m log m) time.
    pub fn split_by_node(&self) -> Vec<Self> {
        let slots = sorted_by_node(self.iter().copied());
        slots.chunk_by(|a, b| a.node == b.node).map(|slots| self.part(slots)).collect()
    }

    /// As [`runs_alive_at`](Self::runs_alive_at), for a search that skips runs: each slice comes with a lower bound
    /// on the computed charge for `work` on any of its slots, or with `None` if the work fits into none of them. If a
    /// tariff is set, the bound is 0.
    pub fn runs_with_room(&self, instant: Time, work: Work) -> impl Iterator<Item = (&[Slot], Option<f64>)> {
        let priced = if self.tariff.is_plain() { work.get() } else { 0.0 };
        self.runs.with_room(instant, work.get(), priced)
    }

    /// The slots as slices, in order, for hot loops; slices in which every slot has ended by `instant` are left out.
    /// No slice is empty.
    ///
    /// For a search that resumes at `instant`: slots that started earlier and are still free are included. So are
    /// some slots that have ended.
    pub fn runs_alive_at(&self, instant: Time) -> impl Iterator<Item = &[Slot]> + Clone {
        self.runs.alive_at(instant)
    }

    /// Whether demands were compiled for this list, or for a list that shares its features: a clone or a part; or, if
    /// it has no features, any other list without features.
    pub fn is_compiled_for(&self, eligible: &Eligible) -> bool {
        eligible.table().map(Arc::as_ptr) == self.features.as_ref().map(Arc::as_ptr)
    }

    /// Returns the first demand that fewer than `needed` nodes of this list meet, with the number of nodes that do;
    /// `None` if enough nodes meet all demands. The order of demands is: labels, excluded labels, amounts, values of
    /// labels; all demands on single nodes together; the combination of nodes.
    pub fn missing(&self, demands: &Demands, needed: usize) -> Option<Refusal> {
        let mut nodes: Vec<NodeId> = self.iter().map(|slot| slot.node).collect();
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
        // If there are no demands on nodes, nothing is missing.
        demands.on_nodes().next()?;
        missing(each(), meeting().count())
            .or_else(|| missing(demands.together(), demands.max_together(meeting())))
    }
}

/// Sorts by start, then by node. A separate function, so that this sort is compiled only once.
fn sort(slots: &mut [Slot]) {
    slots.sort_unstable_by_key(Slot::key);
}

/// Sorts slots by node; the slots of a node stay in order.
pub(crate) fn sorted_by_node<S: Borrow<Slot>>(slots: impl Iterator<Item = S>) -> Vec<S> {
    let mut slots: Vec<S> = slots.collect();
    order::sort(&mut slots, &|a, b| a.borrow().node.cmp(&b.borrow().node));
    slots
}

/// Returns the node and instant wherever two slots of a node with equal speed and price touch. The slots must be in
/// order of node, then of start.
fn touching(by_node: &[&Slot]) -> Vec<(NodeId, Time)> {
    let touch =
        |pair: &&[&Slot]| pair[0].end == pair[1].start && Node::from(*pair[0]) == Node::from(*pair[1]);
    by_node.windows(2).filter(touch).map(|pair| (pair[1].node, pair[1].start)).collect()
}

impl PartialEq for SlotList {
    /// Equal if both hold the same slots under the same tariff, with the same features of nodes.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.tariff == other.tariff
            && self.features.clone().unwrap_or_default() == other.features.clone().unwrap_or_default()
            && self.iter().eq(other.iter())
    }
}

impl Eq for SlotList {}

impl From<SlotList> for Vec<Slot> {
    fn from(list: SlotList) -> Self {
        list.iter().copied().collect()
    }
}

/// A free interval of one node, without the node's speed and price, which saves memory if there are many gaps.
struct Gap {
    start: Time,
    end: Time,
    /// The position of the node in order of id.
    node: u32,
}

/// Returns the free time of `nodes` in `[from, horizon)`, in (start, node) order. Sorts the gaps, and the nodes and
/// intervals unless they are in order.
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
    let key = |interval: &Occupied| (interval.node, interval.start);
    if !occupied.is_sorted_by_key(key) {
        order::sort(&mut sorted, &|a, b| key(a).cmp(&key(b)));
    }
    let mut sorted = sorted.into_iter().peekable();
    let mut gaps = Vec::with_capacity(nodes.len() + occupied.len());
    // Identifiers have 32 bits, so the number of nodes fits.
    for (number, node) in (0_u32..).zip(&by_id) {
        let mut free_from = from;
        let mut push = |start: Time, end: Time| {
            if start < end {
                gaps.push(Gap { start, end, node: number });
            }
        };
        while let Some(interval) = sorted.next_if(|interval| interval.node == node.id) {
            push(free_from, interval.checked()?.start.min(horizon));
            free_from = interval.end.max(free_from);
        }
        push(free_from, horizon);
    }
    // Intervals are left over only if one of them is of an unknown node, where the loop above stopped.
    if sorted.next().is_some() {
        let is_unknown =
            |interval: &&Occupied| by_id.binary_search_by_key(&interval.node, |node| node.id).is_err();
        let first = occupied.iter().filter(is_unknown).min_by_key(|interval| interval.start);
        let id = first.map_or(0, |interval| interval.node.0);
        return Err(ModelError::UnknownId { what: "node", id: u64::from(id) });
    }
    gaps.sort_unstable_by_key(|gap| (gap.start, gap.node));
    Ok(gaps.into_iter().map(move |gap| Slot::of(by_id[gap.node as usize], gap.start, gap.end)))
}
