//! The list of free slots in start order, from which windows are cut and to which they are given back.

use crate::{ModelError, Node, NodeId, Occupied, Placement, Slot, Span, Tariff, Time, Window};
use std::collections::BTreeMap;

/// Slots in one run at most. A run is moved as a block on insertion, so this bounds the work of a cut; it is long
/// enough that a scan spends its time within runs.
const RUN: usize = 256;

/// Free slots in (start, node) order, no two of one node overlapping.
///
/// A search reads them in that order; [`cut`](Self::cut) takes a window out, leaving what remains to its left and
/// right; [`give_back`](Self::give_back) returns it. With m slots, a scan is O(m), a cut or return of a window of N
/// placements O(N (log m + m / 256)) with a very small constant on the second term: sorted runs of at most 256 slots,
/// of which one is touched and their directory binary-searched.
///
/// The first cut builds an index of the slots by node in O(m log m); it is kept up to date from then on. Lists that
/// are only searched never pay for it.
///
/// ```
/// use sched_model::{Node, NodeId, Placement, Price, Slot, SlotList, Span, Speed, Time, Window};
/// let node = Node::new(NodeId(1), Speed::ETALON, Price::must(2.0));
/// let mut list = SlotList::new(vec![Slot::new(node, Time::ZERO, Time::must(100.0))?])?;
///
/// let slot = *list.iter().next().unwrap();
/// let window = Window::new(Time::must(20.0), vec![Placement::on(&slot, Time::must(20.0), Span::must(30.0))])?;
/// list.cut(&window)?;
/// let free: Vec<_> = list.iter().map(|slot| (slot.start().get(), slot.end().get())).collect();
/// assert_eq!(free, [(0.0, 20.0), (50.0, 100.0)]);
///
/// list.give_back(&window)?;
/// assert_eq!(list.len(), 1);
/// # Ok::<(), sched_model::ModelError>(())
/// ```
///
/// With the feature `serde` it is written as the list of its slots; with a tariff other than the default, as
/// `{"tariff": ..., "slots": [...]}`. Both are read.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct SlotList {
    /// Sorted runs, none empty, all slots of one before all slots of the next.
    runs: Vec<Run>,
    len: usize,
    /// End of each slot by (node, start). Built by the first change.
    by_node: Option<BTreeMap<(NodeId, Time), Time>>,
    tariff: Tariff,
}

#[derive(Debug, Clone)]
struct Run {
    slots: Vec<Slot>,
    /// No slot of the run ends later.
    latest_end: Time,
}

impl Run {
    fn new(slots: Vec<Slot>) -> Self {
        let mut run = Self { slots, latest_end: Time::ZERO };
        run.refresh();
        run
    }

    fn refresh(&mut self) {
        if let Some(latest) = self.slots.iter().map(Slot::end).max() {
            self.latest_end = latest;
        }
    }
}

impl SlotList {
    /// A list of these slots, in any order.
    ///
    /// # Errors
    /// [`ModelError::OverlappingSlots`] if two slots of one node share an instant.
    pub fn new(mut slots: Vec<Slot>) -> Result<Self, ModelError> {
        slots.sort_unstable_by_key(Slot::key);
        Self::from_sorted(slots)
    }

    /// A list of slots that are in (start, node) order already: what a trusted source writes, and what a file must
    /// hold.
    ///
    /// # Errors
    /// [`ModelError::UnsortedSlots`] at the first slot out of order, [`ModelError::OverlappingSlots`] as for
    /// [`new`](Self::new).
    pub fn from_sorted(slots: Vec<Slot>) -> Result<Self, ModelError> {
        if let Some(before) = slots.windows(2).position(|pair| pair[0].key() > pair[1].key()) {
            let slot = &slots[before + 1];
            return Err(ModelError::UnsortedSlots {
                index: before + 1,
                node: slot.node(),
                start: slot.start().get(),
            });
        }
        let mut by_node: Vec<&Slot> = slots.iter().collect();
        by_node.sort_by_key(|slot| slot.node()); // stable: the slots of a node stay in start order
        for pair in by_node.windows(2) {
            if pair[0].node() == pair[1].node() && pair[1].start() < pair[0].end() {
                return Err(ModelError::OverlappingSlots {
                    node: pair[0].node(),
                    first: Box::new(*pair[0]),
                    second: Box::new(*pair[1]),
                });
            }
        }
        let len = slots.len();
        // Runs start three quarters full, so that the first cuts do not split them all.
        let runs = slots.chunks(RUN * 3 / 4).map(|chunk| Run::new(chunk.to_vec())).collect();
        Ok(Self { runs, len, by_node: None, tariff: Tariff::default() })
    }

    /// The free time of `nodes` in `[from, horizon)`: what their `occupied` intervals leave. These may overlap, come
    /// in any order and reach beyond the horizon.
    ///
    /// With k intervals and n nodes: O((k + n) log (k + n)).
    ///
    /// # Errors
    /// [`ModelError::EmptyInterval`] unless `from < horizon`, [`ModelError::RepeatedId`] if two nodes share an id,
    /// [`ModelError::UnknownId`] for an interval of a node that is not given.
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
            return Err(ModelError::EmptyInterval {
                what: "the time from now to the horizon".to_owned(),
                start: from.get(),
                end: horizon.get(),
            });
        }
        let mut free: BTreeMap<NodeId, (Node, Time)> = BTreeMap::new();
        for node in nodes {
            if free.insert(node.id, (*node, from)).is_some() {
                return Err(ModelError::RepeatedId { what: "node", id: u64::from(node.id.0) });
            }
        }
        let mut occupied: Vec<&Occupied> = occupied.iter().collect();
        occupied.sort_by_key(|interval| interval.start());
        let mut slots = Vec::new();
        for interval in occupied {
            let Some((node, free_from)) = free.get_mut(&interval.node()) else {
                return Err(ModelError::UnknownId { what: "node", id: u64::from(interval.node().0) });
            };
            let gap_end = interval.start().min(horizon);
            if *free_from < gap_end {
                slots.push(Slot::of(*node, *free_from, gap_end));
            }
            *free_from = interval.end().max(*free_from);
        }
        for (node, free_from) in free.into_values() {
            if free_from < horizon {
                slots.push(Slot::of(node, free_from, horizon));
            }
        }
        Self::new(slots)
    }

    /// The same slots, charged by this tariff.
    pub fn with_tariff(self, tariff: Tariff) -> Self {
        Self { tariff, ..self }
    }

    /// How price and span become a charge: price x span unless told otherwise.
    #[inline]
    pub fn tariff(&self) -> &Tariff {
        &self.tariff
    }

    /// `span` of a slot of this list from `start` on, charged by its tariff.
    #[inline]
    pub fn placement(&self, slot: &Slot, start: Time, span: Span) -> Placement {
        Placement { cost: self.tariff.charge(slot.price(), span), ..Placement::on(slot, start, span) }
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no slot at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The slots, in (start, node) order.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> + Clone {
        self.runs.iter().flat_map(|run| run.slots.iter())
    }

    /// The slots as slices, in order, for hot loops; none of the slices is empty.
    pub fn runs(&self) -> impl Iterator<Item = &[Slot]> + Clone {
        self.runs.iter().map(|run| run.slots.as_slice())
    }

    /// As [`runs`](Self::runs), without those runs in which every slot has ended at `instant`.
    ///
    /// What a search that resumes at `instant` must read: slots that started before it and are still free are in.
    /// Some slots that have ended are in too.
    pub fn runs_alive_at(&self, instant: Time) -> impl Iterator<Item = &[Slot]> + Clone {
        self.runs.iter().filter(move |run| run.latest_end > instant).map(|run| run.slots.as_slice())
    }

    /// Takes a window's time out of the list.
    ///
    /// # Errors
    /// [`ModelError::NotFree`] for the first placement that no single slot of its node covers. The list is then
    /// unchanged.
    pub fn cut(&mut self, window: &Window) -> Result<(), ModelError> {
        let start = window.start();
        let index = self.index();
        let mut found = Vec::with_capacity(window.placements().len());
        for placement in window.placements() {
            let covering = index
                .range((placement.node, Time::BEFORE_ALL)..=(placement.node, start))
                .next_back()
                .filter(|&(_, &end)| placement.end <= end);
            let Some((&(node, slot_start), _)) = covering else {
                return Err(ModelError::NotFree {
                    node: placement.node,
                    start: start.get(),
                    end: placement.end.get(),
                });
            };
            found.push((slot_start, node, placement.end));
        }
        for (slot_start, node, cut_end) in found {
            // The nodes of a window differ, so no cut disturbs the slots found for the others.
            if let Some(slot) = self.remove((slot_start, node)) {
                if slot.start() < start {
                    self.insert(Slot::of(slot.as_node(), slot.start(), start));
                }
                if cut_end < slot.end() {
                    self.insert(Slot::of(slot.as_node(), cut_end, slot.end()));
                }
            }
        }
        Ok(())
    }

    /// Returns a window's time to the list. A slot of the same node, speed and price that ends where the window's
    /// placement starts, or starts where it ends, becomes one slot with it.
    ///
    /// # Errors
    /// [`ModelError::AlreadyFree`] for the first placement of which the list holds a part as free. The list is then
    /// unchanged.
    pub fn give_back(&mut self, window: &Window) -> Result<(), ModelError> {
        let start = window.start();
        let index = self.index();
        for placement in window.placements() {
            let before_end =
                index.range((placement.node, Time::BEFORE_ALL)..(placement.node, placement.end)).next_back();
            if before_end.is_some_and(|(_, &end)| end > start) {
                return Err(ModelError::AlreadyFree {
                    node: placement.node,
                    start: start.get(),
                    end: placement.end.get(),
                });
            }
        }
        for placement in window.placements() {
            let node = Node::new(placement.node, placement.speed, placement.price);
            let (mut from, mut to) = (start, placement.end);
            if let Some(left) = self.slot_before(placement.node, start)
                && left.end() == start
                && left.as_node() == node
            {
                from = left.start();
                self.remove(left.key());
            }
            if let Some(right) = self.get((placement.end, placement.node))
                && right.as_node() == node
            {
                to = right.end();
                self.remove(right.key());
            }
            self.insert(Slot::of(node, from, to));
        }
        Ok(())
    }

    /// The last slot of `node` that starts before `instant`.
    fn slot_before(&mut self, node: NodeId, instant: Time) -> Option<Slot> {
        let range = (node, Time::BEFORE_ALL)..(node, instant);
        let (&(_, start), _) = self.index().range(range).next_back()?;
        self.get((start, node))
    }

    fn index(&mut self) -> &mut BTreeMap<(NodeId, Time), Time> {
        let runs = &self.runs;
        self.by_node.get_or_insert_with(|| {
            runs.iter()
                .flat_map(|run| &run.slots)
                .map(|slot| ((slot.node(), slot.start()), slot.end()))
                .collect()
        })
    }

    /// The run in which a slot with this key stands or belongs: the last whose first slot does not come after it.
    fn run_of(&self, key: (Time, NodeId)) -> usize {
        self.runs.partition_point(|run| run.slots[0].key() <= key).saturating_sub(1)
    }

    fn get(&self, key: (Time, NodeId)) -> Option<Slot> {
        let run = self.runs.get(self.run_of(key))?;
        run.slots.binary_search_by_key(&key, Slot::key).ok().map(|at| run.slots[at])
    }

    fn insert(&mut self, slot: Slot) {
        self.len += 1;
        if let Some(index) = &mut self.by_node {
            index.insert((slot.node(), slot.start()), slot.end());
        }
        let number = self.run_of(slot.key());
        let Some(run) = self.runs.get_mut(number) else {
            self.runs.push(Run::new(vec![slot]));
            return;
        };
        let at = run.slots.partition_point(|other| other.key() < slot.key());
        run.slots.insert(at, slot);
        run.latest_end = run.latest_end.max(slot.end());
        if run.slots.len() > RUN {
            let right = Run::new(run.slots.split_off(RUN / 2));
            run.refresh();
            self.runs.insert(number + 1, right);
        }
    }

    fn remove(&mut self, key: (Time, NodeId)) -> Option<Slot> {
        let number = self.run_of(key);
        let run = self.runs.get_mut(number)?;
        let at = run.slots.binary_search_by_key(&key, Slot::key).ok()?;
        let slot = run.slots.remove(at);
        self.len -= 1;
        if run.slots.is_empty() {
            self.runs.remove(number);
        } else if slot.end() == run.latest_end {
            run.refresh();
        }
        if let Some(index) = &mut self.by_node {
            index.remove(&(slot.node(), slot.start()));
        }
        Some(slot)
    }
}

impl PartialEq for SlotList {
    /// Equal if they hold the same slots under the same tariff.
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.tariff == other.tariff && self.iter().eq(other.iter())
    }
}

impl Eq for SlotList {}

impl From<SlotList> for Vec<Slot> {
    fn from(list: SlotList) -> Self {
        list.iter().copied().collect()
    }
}

#[cfg(feature = "serde")]
mod form {
    use super::SlotList;
    use crate::{Slot, Tariff};
    use serde::de::{Error, MapAccess, SeqAccess, Visitor, value};
    use serde::ser::SerializeStruct;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    impl Serialize for SlotList {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            if self.tariff.is_plain() {
                return serializer.collect_seq(self.iter());
            }
            let slots: Vec<&Slot> = self.iter().collect();
            let mut form = serializer.serialize_struct("SlotList", 2)?;
            form.serialize_field("tariff", &self.tariff)?;
            form.serialize_field("slots", &slots)?;
            form.end()
        }
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct WithTariff {
        #[serde(default)]
        tariff: Tariff,
        slots: Vec<Slot>,
    }

    struct Form;

    impl<'de> Visitor<'de> for Form {
        type Value = SlotList;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of slots, or one with its tariff")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, slots: A) -> Result<SlotList, A::Error> {
            let slots = Deserialize::deserialize(value::SeqAccessDeserializer::new(slots))?;
            SlotList::from_sorted(slots).map_err(Error::custom)
        }

        fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<SlotList, A::Error> {
            let WithTariff { tariff, slots } =
                Deserialize::deserialize(value::MapAccessDeserializer::new(fields))?;
            Ok(SlotList::from_sorted(slots).map_err(Error::custom)?.with_tariff(tariff))
        }
    }

    impl<'de> Deserialize<'de> for SlotList {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Form)
        }
    }
}
