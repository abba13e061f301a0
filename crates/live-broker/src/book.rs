//! The book of nodes: facts about each node, the claims of jobs on its time, and the list of free time.
//!
//! Claims follow from the windows of jobs. The free list follows from nodes and claims: it has the time between now and
//! the end of the horizon in which a node can be used and is not claimed, at its present price. [`Book::recomputed`]
//! computes the list from scratch.

use crate::instant::{after, share};
#[cfg(feature = "serde")]
use crate::saved;
use sched_model::{
    Demands, Eligible, Features, JobId, ModelError, Node, NodeId, Price, Slot, SlotList, Span, Tariff, Time,
};
use std::collections::{BTreeMap, BTreeSet};

/// The down time of a node: its beginning, and the instant at which the node is expected back.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Down {
    pub(crate) since: Time,
    pub(crate) until: Option<Time>,
}

impl Down {
    /// The new expected end for a node that is not back at the expected instant: it will be down for as long again.
    pub(crate) fn extended(self, now: Time) -> Time {
        after(now, now - self.since)
    }
}

/// The facts about a node, as inputs have reported them.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct NodeFacts {
    pub(crate) node: Node,
    /// Its labels and amounts.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Features::is_empty"))]
    pub(crate) features: Features,
    pub(crate) down: Option<Down>,
    pub(crate) leaving: bool,
    /// Number of failures in a row.
    pub(crate) failures: u32,
    /// The instant before which the node is not used after failures.
    pub(crate) rests_until: Option<Time>,
    /// Intervals in which the node is blocked for other uses: sorted, and no two touch.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub(crate) blocked: Vec<(Time, Time)>,
}

impl NodeFacts {
    pub(crate) fn new(node: Node, features: Features) -> Self {
        Self { node, features, down: None, leaving: false, failures: 0, rests_until: None, blocked: vec![] }
    }

    /// Blocks the node in `[from, until)`, and forgets blocked intervals that have passed.
    pub(crate) fn block(&mut self, (mut from, mut until): (Time, Time), now: Time) {
        self.blocked.retain(|&(start, end)| {
            let touches = start <= until && from <= end;
            if touches {
                (from, until) = (from.min(start), until.max(end));
            }
            !touches && end > now
        });
        self.blocked.push((from, until));
        self.blocked.sort_unstable();
    }

    /// Unblocks the node in `[from, until)`.
    pub(crate) fn unblock(&mut self, (from, until): (Time, Time)) {
        let pieces = |&(start, end): &(Time, Time)| {
            [(start, end.min(from)), (start.max(until), end)].into_iter().filter(|(start, end)| start < end)
        };
        self.blocked = self.blocked.iter().flat_map(pieces).collect();
    }
}

/// The claim of a job on the time of one node. Its start is part of its key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Claim {
    pub(crate) end: Time,
    /// Whether the job was started and has not released the node.
    pub(crate) held: bool,
}

/// A node with the claims on it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(crate) struct BookedNode {
    pub(crate) facts: NodeFacts,
    /// The claims by start and job. Promised claims never overlap; a held claim that was lengthened may overlap others.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) claims: BTreeMap<(Time, JobId), Claim>,
}

impl BookedNode {
    pub(crate) fn new(facts: NodeFacts) -> Self {
        Self { facts, claims: BTreeMap::new() }
    }

    /// The instant from which the node can be used; `None` if that is unknown, or never.
    pub(crate) fn usable_from(&self, now: Time) -> Option<Time> {
        let facts = &self.facts;
        let back = match facts.down {
            Some(down) => down.until?,
            None => now,
        };
        (!facts.leaving).then(|| back.max(now).max(facts.rests_until.unwrap_or(now)))
    }

    /// The free intervals of the node in `[from, until)`, disregarding the claims of the jobs in `but`.
    pub(crate) fn free(&self, from: Time, until: Time, but: &[JobId]) -> Vec<(Time, Time)> {
        let mut free = Vec::new();
        let Some(mut at) = self.usable_from(from) else { return free };
        let mut take = |start: Time, end: Time| {
            if start > at {
                free.push((at, start));
            }
            at = at.max(end);
        };
        let mut blocked = self.facts.blocked.iter().copied().peekable();
        for (&(start, job), claim) in &self.claims {
            if start >= until {
                break;
            }
            while let Some((start, end)) = blocked.next_if(|block| block.0 <= start) {
                take(start, end);
            }
            if !but.contains(&job) {
                take(start, claim.end);
            }
        }
        for (start, end) in blocked.take_while(|block| block.0 < until) {
            take(start, end);
        }
        if at < until {
            free.push((at, until));
        }
        free
    }

    /// The [free](Self::free) intervals as slots.
    fn slots(&self, from: Time, until: Time, but: &[JobId]) -> impl Iterator<Item = Slot> + use<> {
        let node = self.facts.node;
        self.free(from, until, but)
            .into_iter()
            .filter_map(move |(from, until)| Slot::new(node, from, until).ok())
    }

    /// The claim of the job that holds the node.
    pub(crate) fn held(&self) -> Option<(&(Time, JobId), &Claim)> {
        // A held claim has begun, so it comes before promised ones.
        self.claims.iter().find(|(_, claim)| claim.held)
    }

    /// Whether the node is blocked now.
    pub(crate) fn is_blocked(&self, now: Time) -> bool {
        self.facts.blocked.iter().any(|&(from, until)| from <= now && now < until)
    }

    /// Whether a job may start on the node now.
    pub(crate) fn is_ready(&self, now: Time) -> bool {
        self.usable_from(now) == Some(now) && self.held().is_none() && !self.is_blocked(now)
    }
}

/// All nodes with their claims, and the free list.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Book {
    #[cfg_attr(feature = "serde", serde(serialize_with = "saved::list", deserialize_with = "read_nodes"))]
    pub(crate) nodes: BTreeMap<NodeId, BookedNode>,
    /// The free list. It may contain time before now, which [`Book::list`] removes.
    #[cfg_attr(feature = "serde", serde(skip))]
    free: SlotList,
    /// A superset of the promises that are late.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) at_risk: BTreeSet<JobId>,
    pub(crate) horizon_end: Time,
    /// The instant at which the horizon is lengthened.
    pub(crate) extend_at: Time,
    /// Counts the events that made time free or cheaper. For a job without a window, a new search is useless until this
    /// changes.
    pub(crate) gains: u64,
    /// Counts the changes of the free time; quotes name it as the version.
    pub(crate) changes: u64,
}

#[cfg(feature = "serde")]
fn read_nodes<'de, D: serde::Deserializer<'de>>(from: D) -> Result<BTreeMap<NodeId, BookedNode>, D::Error> {
    saved::by_id(from, |entry: &BookedNode| entry.facts.node.id, crate::error::BrokerError::RepeatedNode)
}

/// Compares the facts. The free list and the promises at risk may differ by time that has passed.
impl PartialEq for Book {
    fn eq(&self, other: &Self) -> bool {
        let Self { nodes, free: _, at_risk: _, horizon_end, extend_at, gains, changes } = self;
        (nodes, horizon_end, extend_at, gains, changes)
            == (&other.nodes, &other.horizon_end, &other.extend_at, &other.gains, &other.changes)
    }
}

impl Book {
    pub(crate) fn new(tariff: Tariff, start: Time) -> Self {
        let free = SlotList::default().with_tariff(tariff);
        let (nodes, at_risk) = (BTreeMap::new(), BTreeSet::new());
        Self { nodes, free, at_risk, horizon_end: start, extend_at: start, gains: 0, changes: 0 }
    }

    /// The free time from now on. It depends on nodes, claims, the present and the horizon only, to the last byte.
    /// Time: O(m + k log k) for m slots, k of which have begun.
    pub(crate) fn list(&self, now: Time) -> SlotList {
        self.free.since(now)
    }

    /// Updates the free list for a node in `[from, until)`. O(k log m) for k slots that are removed or added, among m.
    fn update_list(&mut self, id: NodeId, from: Time, until: Time) {
        self.free.block(id, from..until);
        for slot in self.slots_of(id, from, until, &[]) {
            let freed = self.free.extend(&[slot.into()], slot.start, slot.end);
            debug_assert!(freed.is_ok(), "{freed:?}");
        }
    }

    /// Computes the free time from scratch, as if the horizon ended at `until`, disregarding the claims of the jobs in
    /// `but`.
    pub(crate) fn recomputed(&self, now: Time, until: Time, but: &[JobId]) -> SlotList {
        let slots = self.nodes.values().flat_map(|entry| entry.slots(now, until, but)).collect();
        // Free intervals of a node never overlap.
        self.listed(slots).unwrap_or_default()
    }

    /// Creates a list of slots with the tariff and the features of the free list, so that demands compiled for the free
    /// list can be used with it.
    ///
    /// # Errors
    /// [`ModelError`] for slots of one node that overlap.
    pub(crate) fn listed(&self, slots: Vec<Slot>) -> Result<SlotList, ModelError> {
        self.free.with_slots(slots)
    }

    /// Compiles demands for the free list; `None` if there are none.
    pub(crate) fn eligible(&self, demands: &Demands) -> Option<Eligible> {
        (!demands.is_empty()).then(|| self.free.eligible(demands))
    }

    /// Sets the features of a node in the free list, which are empty for a node that has left.
    fn set_features(&mut self, id: NodeId, features: Features) {
        if *self.free.features(id).unwrap_or(&Features::default()) != features {
            self.free.set_features(id, features);
        }
    }

    /// Computes the free list from scratch.
    pub(crate) fn rebuild_list(&mut self, tariff: Tariff, now: Time) {
        self.free = SlotList::default().with_tariff(tariff);
        for (&id, entry) in &self.nodes {
            if !entry.facts.features.is_empty() {
                self.free.set_features(id, entry.facts.features.clone());
            }
        }
        self.free = self.recomputed(now, self.horizon_end, &[]);
    }

    pub(crate) fn tariff(&self) -> &Tariff {
        self.free.tariff()
    }

    pub(crate) fn get(&self, node: NodeId) -> Option<&BookedNode> {
        self.nodes.get(&node)
    }

    /// Adds a node without claims.
    pub(crate) fn add(&mut self, facts: NodeFacts, now: Time) {
        let id = facts.node.id;
        self.set_features(id, facts.features.clone());
        self.nodes.insert(id, BookedNode::new(facts));
        self.refresh(id, now);
    }

    /// Changes the facts about a node.
    pub(crate) fn change(&mut self, id: NodeId, now: Time, change: impl FnOnce(&mut NodeFacts)) {
        if let Some(entry) = self.nodes.get_mut(&id) {
            change(&mut entry.facts);
            self.refresh(id, now);
        }
    }

    /// Changes the price of a node from now on.
    pub(crate) fn reprice(&mut self, id: NodeId, price: Price, now: Time) {
        if let Some(entry) = self.nodes.get_mut(&id) {
            entry.facts.node.price = price;
            self.free.reprice(id, price, now);
            self.changes += 1;
            self.gains += 1;
        }
    }

    /// Updates the free list after the facts about a node have changed, and removes a node that is leaving and not
    /// claimed.
    pub(crate) fn refresh(&mut self, id: NodeId, now: Time) {
        self.changes += 1;
        let Some(entry) = self.nodes.get(&id) else { return };
        if entry.facts.leaving && entry.claims.is_empty() {
            self.nodes.remove(&id);
            self.free.block(id, ..);
            self.set_features(id, Features::default());
            return;
        }
        self.gains += entry.free(now, self.horizon_end, &[]).len() as u64;
        self.update_list(id, now, self.horizon_end);
    }

    /// Claims `[start, end)` of a node for a job.
    pub(crate) fn claim(&mut self, id: NodeId, job: JobId, start: Time, claim: Claim) {
        if let Some(entry) = self.nodes.get_mut(&id) {
            entry.claims.insert((start, job), claim);
            self.changes += 1;
            self.update_list(id, start, claim.end);
        }
    }

    /// Marks a claim as held.
    pub(crate) fn hold(&mut self, id: NodeId, job: JobId, start: Time) {
        if let Some(claim) = self.nodes.get_mut(&id).and_then(|entry| entry.claims.get_mut(&(start, job))) {
            claim.held = true;
        }
    }

    /// Moves the end of a claim to a later instant, and puts the promises that this may delay at risk.
    pub(crate) fn lengthen(&mut self, id: NodeId, job: JobId, start: Time, end: Time) {
        let claims = self.nodes.get_mut(&id).map(|entry| &mut entry.claims);
        if let Some(claim) = claims.and_then(|claims| claims.get_mut(&(start, job))) {
            let before = std::mem::replace(&mut claim.end, end);
            self.changes += 1;
            self.update_list(id, before, end);
        }
        self.put_at_risk(id, end);
    }

    /// Puts the promises on a node that start before `until` at risk, because the node is held until then. A promise
    /// whose planned end has passed while it waits for another node may be among them.
    pub(crate) fn put_at_risk(&mut self, id: NodeId, until: Time) {
        let Some(entry) = self.nodes.get(&id) else { return };
        let claims = entry.claims.iter().take_while(|((start, _), _)| *start < until);
        self.at_risk.extend(claims.filter(|(_, claim)| !claim.held).map(|((_, job), _)| *job));
    }

    /// Releases a claim: its time becomes free from now on, except where another claim covers it.
    pub(crate) fn release(&mut self, id: NodeId, job: JobId, start: Time, now: Time) {
        let Some(entry) = self.nodes.get_mut(&id) else { return };
        let Some(claim) = entry.claims.remove(&(start, job)) else { return };
        self.changes += 1;
        if entry.facts.leaving && entry.claims.is_empty() {
            self.refresh(id, now);
            return;
        }
        self.gains += entry.free(start.max(now), claim.end.min(self.horizon_end), &[]).len() as u64;
        self.update_list(id, start, claim.end);
    }

    /// The free slots of a node in `[from, until)`, at most to the end of the horizon, disregarding the claims of the
    /// jobs in `but`.
    pub(crate) fn slots_of(
        &self,
        id: NodeId,
        from: Time,
        until: Time,
        but: &[JobId],
    ) -> impl Iterator<Item = Slot> + use<> {
        let until = until.min(self.horizon_end);
        self.nodes.get(&id).map(|entry| entry.slots(from, until, but)).into_iter().flatten()
    }

    /// The end of the horizon at a wake. If the horizon is due to be lengthened, it reaches five quarters of `span`
    /// ahead, and never ends earlier than before.
    pub(crate) fn horizon(&self, now: Time, span: Span) -> Time {
        if now < self.extend_at {
            return self.horizon_end;
        }
        after(after(now, span), share(span, 0.25)).max(self.horizon_end)
    }

    /// Lengthens the horizon, and removes the past from the free list.
    pub(crate) fn extend(&mut self, now: Time, span: Span) {
        self.changes += 1;
        let (from, until) = (self.horizon_end.max(now), self.horizon(now, span));
        self.extend_at = after(now, share(span, 0.25));
        self.horizon_end = until;
        self.free.advance(now);
        if from < until {
            for node in self.nodes.keys().copied().collect::<Vec<_>>() {
                self.update_list(node, from, until);
            }
            self.gains += 1;
        }
    }
}
