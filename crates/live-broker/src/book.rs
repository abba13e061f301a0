//! The nodes: what is known of them, who claims which of their time, and the list of what is free.
//!
//! Claims follow from the windows of jobs, and the free list from nodes and claims: between now and the end of the
//! horizon, what no claim takes of a node that is up, at its present price. [`Book::recomputed`] says so from
//! scratch, for the audit.

use crate::instant::{after, share};
#[cfg(feature = "serde")]
use crate::saved;
use sched_model::{
    Demands, Eligible, Features, JobId, ModelError, Node, NodeId, Price, Slot, SlotList, Span, Tariff, Time,
};
use std::collections::{BTreeMap, BTreeSet};

/// A node that is down: since when, and when it is expected back.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Down {
    pub(crate) since: Time,
    pub(crate) until: Option<Time>,
}

impl Down {
    /// Not back when it was expected: it will be down for as long again.
    pub(crate) fn longer(self, now: Time) -> Time {
        after(now, now - self.since)
    }
}

/// What is known of a node.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct NodeFacts {
    pub(crate) node: Node,
    /// Its labels and amounts.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Features::is_empty"))]
    pub(crate) features: Features,
    pub(crate) down: Option<Down>,
    pub(crate) leaving: bool,
    /// Failures in a row.
    pub(crate) failures: u32,
    /// After failures: the node is not used before this instant.
    pub(crate) rests_until: Option<Time>,
    /// Times in which the node is used for something else: in order, no two touch.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub(crate) blocked: Vec<(Time, Time)>,
}

impl NodeFacts {
    pub(crate) fn new(node: Node, features: Features) -> Self {
        Self {
            node,
            features,
            down: None,
            leaving: false,
            failures: 0,
            rests_until: None,
            blocked: Vec::new(),
        }
    }

    /// From `from` to `until` the node is used for something else. Times that have passed are forgotten.
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

    /// From `from` to `until` the node is no longer used for something else.
    pub(crate) fn unblock(&mut self, (from, until): (Time, Time)) {
        let pieces = |&(start, end): &(Time, Time)| {
            [(start, end.min(from)), (start.max(until), end)].into_iter().filter(|(start, end)| start < end)
        };
        self.blocked = self.blocked.iter().flat_map(pieces).collect();
    }
}

/// The time of one node that a job claims. The start is in its key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Claim {
    pub(crate) end: Time,
    /// The job was started and has not released the node.
    pub(crate) held: bool,
}

/// A node with the claims on it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(crate) struct BookedNode {
    pub(crate) facts: NodeFacts,
    /// By start and job. Promised claims never overlap; one that is held and was lengthened may reach over
    /// others.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) claims: BTreeMap<(Time, JobId), Claim>,
}

impl BookedNode {
    pub(crate) fn new(facts: NodeFacts) -> Self {
        Self { facts, claims: BTreeMap::new() }
    }

    /// From when on it can be used; `None` if that is not known, or never.
    pub(crate) fn usable_from(&self, now: Time) -> Option<Time> {
        let facts = &self.facts;
        let back = match facts.down {
            Some(down) => down.until?,
            None => now,
        };
        (!facts.leaving).then(|| back.max(now).max(facts.rests_until.unwrap_or(now)))
    }

    /// What is free of it in `[from, until)`, without the claims of some jobs.
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

    /// The slots of what is [free](Self::free) of it.
    fn slots(&self, from: Time, until: Time, but: &[JobId]) -> impl Iterator<Item = Slot> + use<> {
        let node = self.facts.node;
        self.free(from, until, but)
            .into_iter()
            .filter_map(move |(from, until)| Slot::new(node, from, until).ok())
    }

    /// The claim of the job that holds it.
    pub(crate) fn held(&self) -> Option<(&(Time, JobId), &Claim)> {
        // It has begun, so it stands before those that are promised.
        self.claims.iter().find(|(_, claim)| claim.held)
    }

    /// Whether a job may start here now.
    pub(crate) fn is_ready(&self, now: Time) -> bool {
        let blocked = self.facts.blocked.iter().any(|&(from, until)| from <= now && now < until);
        self.usable_from(now) == Some(now) && self.held().is_none() && !blocked
    }
}

/// The nodes with their claims, and what is free of them.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Book {
    #[cfg_attr(feature = "serde", serde(serialize_with = "saved::list", deserialize_with = "read_nodes"))]
    pub(crate) nodes: BTreeMap<NodeId, BookedNode>,
    /// What is free. Time before now may linger in it; [`Book::list`] does not show it.
    #[cfg_attr(feature = "serde", serde(skip))]
    free: SlotList,
    /// A superset of the promises that are late.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) at_risk: BTreeSet<JobId>,
    pub(crate) horizon_end: Time,
    /// When the horizon is lengthened.
    pub(crate) extend_at: Time,
    /// Counts the events that made time free or cheaper. A job that found no window need not be searched for
    /// again before this changes.
    pub(crate) gains: u64,
    /// Counts the changes of the free time: the version that a quote names.
    pub(crate) changes: u64,
}

#[cfg(feature = "serde")]
fn read_nodes<'de, D: serde::Deserializer<'de>>(from: D) -> Result<BTreeMap<NodeId, BookedNode>, D::Error> {
    saved::by_id(from, |entry: &BookedNode| entry.facts.node.id, crate::error::BrokerError::RepeatedNode)
}

/// Equal facts. The free list and the promises at risk may differ by what has passed.
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

    /// The free time from now on. To the last byte it depends on nodes, claims, the present and the horizon
    /// alone. O(m + k log k) for m slots, k of which have begun.
    pub(crate) fn list(&self, now: Time) -> SlotList {
        self.free.since(now)
    }

    /// Lists anew what is free of a node in a span of time. O(k log m) for the k slots that go and come, among m.
    fn list_again(&mut self, id: NodeId, from: Time, until: Time) {
        self.free.block(id, from..until);
        for slot in self.slots_of(id, from, until, &[]) {
            let freed = self.free.extend(&[slot.into()], slot.start, slot.end);
            debug_assert!(freed.is_ok(), "{freed:?}");
        }
    }

    /// The free time made anew from the facts, as if the horizon reached up to `until`, without the claims of some
    /// jobs.
    pub(crate) fn recomputed(&self, now: Time, until: Time, but: &[JobId]) -> SlotList {
        let slots = self.nodes.values().flat_map(|entry| entry.slots(now, until, but)).collect();
        // Free pieces of one node never overlap.
        self.listed(slots).unwrap_or_default()
    }

    /// Slots of these nodes as a list: with the tariff and the features of the free time, so that demands
    /// compiled for the free time hold for this list, too.
    ///
    /// # Errors
    /// [`ModelError`] for slots of one node that overlap.
    pub(crate) fn listed(&self, slots: Vec<Slot>) -> Result<SlotList, ModelError> {
        self.free.with_slots(slots)
    }

    /// Demands compiled for the free time; `None` where there are none.
    pub(crate) fn eligible(&self, demands: &Demands) -> Option<Eligible> {
        (!demands.is_empty()).then(|| self.free.eligible(demands))
    }

    /// Enters the features of a node that joins, or forgets those of one that has left.
    fn enter_features(&mut self, id: NodeId, features: Features) {
        if *self.free.features(id).unwrap_or(&Features::default()) != features {
            self.free.set_features(id, features);
        }
    }

    /// Lists anew all that is free.
    pub(crate) fn list_anew(&mut self, tariff: Tariff, now: Time) {
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

    pub(crate) fn add(&mut self, facts: NodeFacts, now: Time) {
        let id = facts.node.id;
        self.enter_features(id, facts.features.clone());
        self.nodes.insert(id, BookedNode::new(facts));
        self.refresh(id, now);
    }

    /// Changes what is known of a node.
    pub(crate) fn change(&mut self, id: NodeId, now: Time, change: impl FnOnce(&mut NodeFacts)) {
        if let Some(entry) = self.nodes.get_mut(&id) {
            change(&mut entry.facts);
            self.refresh(id, now);
        }
    }

    pub(crate) fn reprice(&mut self, id: NodeId, price: Price, now: Time) {
        if let Some(entry) = self.nodes.get_mut(&id) {
            entry.facts.node.price = price;
            self.free.reprice(id, price, now);
            self.changes += 1;
            self.gains += 1;
        }
    }

    /// What is free of a node has changed; forgets one that leaves and is not claimed.
    pub(crate) fn refresh(&mut self, id: NodeId, now: Time) {
        self.changes += 1;
        let Some(entry) = self.nodes.get(&id) else { return };
        if entry.facts.leaving && entry.claims.is_empty() {
            self.nodes.remove(&id);
            self.free.block(id, ..);
            self.enter_features(id, Features::default());
            return;
        }
        self.gains += entry.free(now, self.horizon_end, &[]).len() as u64;
        self.list_again(id, now, self.horizon_end);
    }

    /// Claims `[start, end)` of a node for a job.
    pub(crate) fn claim(&mut self, id: NodeId, job: JobId, start: Time, claim: Claim) {
        if let Some(entry) = self.nodes.get_mut(&id) {
            entry.claims.insert((start, job), claim);
            self.changes += 1;
            self.list_again(id, start, claim.end);
        }
    }

    /// Marks a claim as held from now on.
    pub(crate) fn hold(&mut self, id: NodeId, job: JobId, start: Time) {
        if let Some(claim) = self.nodes.get_mut(&id).and_then(|entry| entry.claims.get_mut(&(start, job))) {
            claim.held = true;
        }
    }

    /// Moves the end of a claim further out. The promises that this may delay are at risk.
    pub(crate) fn lengthen(&mut self, id: NodeId, job: JobId, start: Time, end: Time) {
        let claims = self.nodes.get_mut(&id).map(|entry| &mut entry.claims);
        if let Some(claim) = claims.and_then(|claims| claims.get_mut(&(start, job))) {
            let before = std::mem::replace(&mut claim.end, end);
            self.changes += 1;
            self.list_again(id, before, end);
        }
        self.put_at_risk(id, end);
    }

    /// A node is held until then: promises there that start before may be late. A promise whose planned end
    /// has passed while it waits for another node may be among them.
    pub(crate) fn put_at_risk(&mut self, id: NodeId, until: Time) {
        let Some(entry) = self.nodes.get(&id) else { return };
        let claims = entry.claims.iter().take_while(|((start, _), _)| *start < until);
        self.at_risk.extend(claims.filter(|(_, claim)| !claim.held).map(|((_, job), _)| *job));
    }

    /// Gives a claim up: what no other takes of it is free from now on.
    pub(crate) fn release(&mut self, id: NodeId, job: JobId, start: Time, now: Time) {
        let Some(entry) = self.nodes.get_mut(&id) else { return };
        let Some(claim) = entry.claims.remove(&(start, job)) else { return };
        self.changes += 1;
        if entry.facts.leaving && entry.claims.is_empty() {
            self.refresh(id, now);
            return;
        }
        self.gains += entry.free(start.max(now), claim.end.min(self.horizon_end), &[]).len() as u64;
        self.list_again(id, start, claim.end);
    }

    /// The slots of a node in a part of the horizon, without the claims of some jobs.
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

    /// The end of the horizon at a wake: where it is to be lengthened, it reaches a quarter more than `span` ahead.
    pub(crate) fn horizon(&self, now: Time, span: Span) -> Time {
        if now < self.extend_at {
            return self.horizon_end;
        }
        after(after(now, span), share(span, 0.25)).max(self.horizon_end)
    }

    /// Lets the horizon reach further, and forgets the past.
    pub(crate) fn extend(&mut self, now: Time, span: Span) {
        self.changes += 1;
        let (from, until) = (self.horizon_end.max(now), self.horizon(now, span));
        self.extend_at = after(now, share(span, 0.25));
        self.horizon_end = until;
        self.free.advance(now);
        if from < until {
            for node in self.nodes.keys().copied().collect::<Vec<_>>() {
                self.list_again(node, from, until);
            }
            self.gains += 1;
        }
    }
}
