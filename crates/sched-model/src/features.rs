//! Features of nodes beside speed and price, and the demands of jobs on them.

use crate::{ModelError, NodeId, Slot, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What a node has beside speed and price: labels such as `gpu`, `rack=r7`, `zone=east`, `licence=cad`, and amounts such
/// as memory. A node may have any number of both.
///
/// A label is a name, or a name and a value with `=` between them. [`has`](Self::has) with a name alone is true for
/// every value of it.
///
/// ```
/// use sched_model::Features;
/// let node = Features::new().with_label("gpu").with_label("rack=r7").with_amount("memory", 64.0)?;
/// assert!(node.has("gpu") && node.has("rack=r7") && node.has("rack") && !node.has("rack=r8"));
/// assert_eq!((node.value("rack"), node.amount("memory"), node.amount("scratch")), (Some("r7"), 64.0, 0.0));
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct Features {
    #[cfg_attr(feature = "serde", serde(default))]
    labels: BTreeSet<String>,
    #[cfg_attr(feature = "serde", serde(default, deserialize_with = "read_amounts"))]
    amounts: BTreeMap<String, f64>,
}

#[cfg(feature = "serde")]
fn read_amounts<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, f64>, D::Error> {
    let amounts: BTreeMap<String, f64> = serde::Deserialize::deserialize(deserializer)?;
    let checked = amounts.into_iter().map(|(name, amount)| Ok((name, checked(amount)?)));
    checked.collect::<Result<_, ModelError>>().map_err(serde::de::Error::custom)
}

fn checked(amount: f64) -> Result<f64, ModelError> {
    if amount.is_finite() && amount >= 0.0 {
        return Ok(amount + 0.0);
    }
    Err(ModelError::OutOfRange { what: "an amount of a node", expected: "[0, infinity)", value: amount })
}

impl Features {
    /// No label, and nothing of any amount.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with this label too.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.labels.insert(label.into());
        self
    }

    /// The same with this amount of something, in the caller's unit.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for an amount that is negative or not finite.
    pub fn with_amount(mut self, name: impl Into<String>, amount: f64) -> Result<Self, ModelError> {
        self.amounts.insert(name.into(), checked(amount)?);
        Ok(self)
    }

    /// Whether it has the label, or one of this name with any value.
    pub fn has(&self, label: &str) -> bool {
        self.labels.contains(label) || self.value(label).is_some()
    }

    /// The first value of the labels of this name.
    pub fn value(&self, name: &str) -> Option<&str> {
        let prefix = format!("{name}=");
        let first = self.labels.range(prefix.clone()..).next()?;
        first.strip_prefix(&prefix)
    }

    /// How much it has of something; 0 if nothing is said.
    pub fn amount(&self, name: &str) -> f64 {
        self.amounts.get(name).copied().unwrap_or(0.0)
    }
}

/// What a job asks of its nodes beside speed and price, and of its start.
///
/// [`SlotList::only`](crate::SlotList::only) makes the list of slots that suit; every search works on that list without
/// a change.
///
/// ```
/// use sched_model::*;
/// let nodes = [1, 2, 3].map(|id| Node::new(NodeId(id), Speed::ETALON, Price::must(1.0)));
/// let list = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?.with_features([
///     (NodeId(1), Features::new().with_label("gpu").with_amount("memory", 16.0)?),
///     (NodeId(2), Features::new().with_label("gpu").with_amount("memory", 64.0)?),
/// ])?;
/// let demands = Demands::new().with_label("gpu").with_at_least("memory", 32.0)?.with_not_before(Time::must(10.0));
/// let suitable: Vec<_> = list.only(&demands).iter().map(|slot| (slot.node().0, slot.start().get())).collect();
/// assert_eq!(suitable, [(2, 10.0)]);
/// let refusal = list.missing(&demands, 2).unwrap();
/// assert_eq!(refusal.to_string(), "needs 2 nodes with memory of at least 32, only 1 such");
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct Demands {
    #[cfg_attr(feature = "serde", serde(default))]
    all_of: BTreeSet<String>,
    #[cfg_attr(feature = "serde", serde(default))]
    none_of: BTreeSet<String>,
    #[cfg_attr(feature = "serde", serde(default, deserialize_with = "read_amounts"))]
    at_least: BTreeMap<String, f64>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    not_before: Option<Time>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    start: Option<Time>,
}

/// One of the [`Demands`] on a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Demand<'a> {
    With(&'a str),
    Without(&'a str),
    AtLeast(&'a str, f64),
}

impl Demand<'_> {
    pub(crate) fn is_met(self, features: &Features) -> bool {
        match self {
            Self::With(label) => features.has(label),
            Self::Without(label) => !features.has(label),
            Self::AtLeast(name, amount) => features.amount(name) >= amount,
        }
    }
}

impl fmt::Display for Demand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::With(label) => write!(f, "{label}"),
            Self::Without(label) => write!(f, "no {label}"),
            Self::AtLeast(name, amount) => write!(f, "{name} of at least {amount}"),
        }
    }
}

impl Demands {
    /// No demand.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only nodes with this label; with several calls, with all of them.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.all_of.insert(label.into());
        self
    }

    /// Only nodes without this label; with several calls, with none of them.
    pub fn without_label(mut self, label: impl Into<String>) -> Self {
        self.none_of.insert(label.into());
        self
    }

    /// Only nodes with at least this amount of something.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for an amount that is negative or not finite.
    pub fn with_at_least(mut self, name: impl Into<String>, amount: f64) -> Result<Self, ModelError> {
        self.at_least.insert(name.into(), checked(amount)?);
        Ok(self)
    }

    /// Not to start before this instant.
    pub fn with_not_before(self, not_before: Time) -> Self {
        Self { not_before: Some(not_before), ..self }
    }

    /// To start at this instant and at no other: an advance reservation.
    pub fn with_start(self, start: Time) -> Self {
        Self { start: Some(start), ..self }
    }

    /// Earliest start, where there is one.
    pub fn not_before(&self) -> Option<Time> {
        self.not_before
    }

    /// The only start, where there is one.
    pub fn start(&self) -> Option<Time> {
        self.start
    }

    /// Whether a node with these features meets all demands.
    pub fn are_met(&self, features: &Features) -> bool {
        self.on_nodes().all(|demand| demand.is_met(features))
    }

    /// The demands on nodes, one by one: labels, excluded labels, amounts, each by name.
    pub(crate) fn on_nodes(&self) -> impl Iterator<Item = Demand<'_>> {
        let with = self.all_of.iter().map(|label| Demand::With(label));
        let without = self.none_of.iter().map(|label| Demand::Without(label));
        let at_least = self.at_least.iter().map(|(name, &amount)| Demand::AtLeast(name, amount));
        with.chain(without).chain(at_least)
    }

    /// What is left of a slot for windows that start as demanded; `None` if nothing is.
    pub(crate) fn part_of(&self, slot: &Slot) -> Option<Slot> {
        let mut start = slot.start();
        if let Some(not_before) = self.not_before {
            start = start.max(not_before);
        }
        if let Some(fixed) = self.start {
            if fixed < start {
                return None;
            }
            start = fixed;
        }
        (start < slot.end()).then(|| slot.part(start, slot.end()))
    }
}

/// The features of the nodes of a list. Equal ones are stored once, as a *kind*, and every slot carries its node's kind:
/// so demands are compiled once for each kind, whatever the number of nodes and slots.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FeatureTable {
    /// Kind 0 has no features.
    kinds: Vec<Features>,
    by_node: BTreeMap<NodeId, u32>,
}

impl FeatureTable {
    pub(crate) fn new(features: impl IntoIterator<Item = (NodeId, Features)>) -> Result<Self, ModelError> {
        let mut table = Self { kinds: vec![Features::default()], by_node: BTreeMap::new() };
        // Features hold no NaN, so their text tells them apart.
        let mut known = BTreeMap::from([(format!("{:?}", Features::default()), 0)]);
        for (node, features) in features {
            let kind = *known.entry(format!("{features:?}")).or_insert_with(|| {
                table.kinds.push(features);
                // There are no more kinds than nodes, and those are counted in 32 bits.
                (table.kinds.len() - 1) as u32
            });
            if table.by_node.insert(node, kind).is_some() {
                return Err(ModelError::RepeatedId { what: "node", id: u64::from(node.0) });
            }
        }
        Ok(table)
    }

    pub(crate) fn kind_of(&self, node: NodeId) -> u32 {
        self.by_node.get(&node).copied().unwrap_or(0)
    }

    pub(crate) fn of(&self, node: NodeId) -> &Features {
        &self.kinds[self.kind_of(node) as usize]
    }

    pub(crate) fn kinds(&self) -> &[Features] {
        &self.kinds
    }

    /// Each kind that has nodes, with them.
    #[cfg(feature = "serde")]
    pub(crate) fn nodes_by_kind(&self) -> BTreeMap<u32, Vec<NodeId>> {
        let mut nodes: BTreeMap<u32, Vec<NodeId>> = BTreeMap::new();
        for (&node, &kind) in &self.by_node {
            nodes.entry(kind).or_default().push(node);
        }
        nodes
    }
}

/// [`Demands`] compiled for one list: which slots lie on nodes that meet them. One bit for each kind of node.
///
/// Made by [`SlotList::eligible`](crate::SlotList::eligible), and good for slots of that list.
#[derive(Debug, Clone)]
#[must_use]
pub struct Eligible {
    /// Bit `kind % 64` of word `kind / 64`.
    words: Vec<u64>,
    all: bool,
}

impl Eligible {
    pub(crate) fn new(kinds: &[Features], demands: &Demands) -> Self {
        let mut words = vec![0; kinds.len().div_ceil(64)];
        for (kind, features) in kinds.iter().enumerate() {
            words[kind / 64] |= u64::from(demands.are_met(features)) << (kind % 64);
        }
        Self { words, all: kinds.iter().all(|features| demands.are_met(features)) }
    }

    /// Whether every slot is allowed, so that nothing needs to be asked.
    #[inline]
    pub fn allows_all(&self) -> bool {
        self.all
    }

    /// Whether the slot's node meets the demands.
    #[inline]
    pub fn allows(&self, slot: &Slot) -> bool {
        let kind = slot.kind() as usize;
        self.words.get(kind / 64).is_some_and(|word| word >> (kind % 64) & 1 == 1)
    }
}
