//! The demands of jobs on their nodes: as stated by the job, and as compiled for one list of slots.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

#[cfg(feature = "serde")]
use super::read_amounts;
use super::{FeatureTable, Features, Spans, checked};
use crate::{ModelError, NodeId, ResourceRequest, Slot, Span, Time, order};

/// The demands of a [request](ResourceRequest::with_demands) beyond speed, price and limits: on features of its nodes
/// and on the start of its window; and the spans of its tasks if these differ from work / speed.
///
/// [`SlotList::eligible`](crate::SlotList::eligible) compiles demands for one list, for searches and for filters.
///
/// ```
/// use sched_model::*;
/// let nodes = [1, 2, 3].map(|id| Node::must(id, 1.0, 1.0));
/// let list = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?.with_features([
///     (NodeId(1), Features::default().with_label("gpu").with_amount("memory", 16.0)?),
///     (NodeId(2), Features::default().with_label("gpu").with_amount("memory", 64.0)?),
/// ])?;
/// let demands = Demands::default().with_label("gpu").with_at_least("memory", 32.0)?;
/// let eligible = list.eligible(&demands);
/// let suitable = list.filtered(|slot| eligible.allows(slot));
/// assert!(suitable.iter().map(|slot| slot.node).eq([NodeId(2)]));
/// let refusal = list.missing(&demands, 2).unwrap();
/// assert_eq!(refusal.to_string(), "needs 2 nodes with memory of at least 32, only 1 such");
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[must_use]
#[non_exhaustive]
pub struct Demands {
    /// Labels that nodes must have.
    pub all_of: BTreeSet<String>,
    /// Labels that nodes must not have.
    pub none_of: BTreeSet<String>,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "read_amounts"))]
    at_least: BTreeMap<String, f64>,
    /// The earliest start, if one is demanded.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub not_before: Option<Time>,
    /// The only start, if one is demanded.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub start: Option<Time>,
    /// The label for which all nodes of a window must have the same value, if any.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub pack: Option<String>,
    /// The limit on the number of nodes of a window with the same value of a label, if any.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub spread: Option<Spread>,
    /// The spans of tasks, if they differ from work / speed.
    #[doc(hidden)]
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Spans::is_empty"))]
    pub spans: Spans,
}

/// Amounts are finite.
impl Eq for Demands {}

/// A limit on the number of nodes of a window with the same value of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
#[non_exhaustive]
pub struct Spread {
    /// The name of the label.
    pub label: String,
    /// The maximum number of nodes of a window that may have the same value of the label.
    pub most: NonZeroUsize,
}

/// A single demand on a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Demand<'a> {
    With(&'a str),
    Without(&'a str),
    AtLeast(&'a str, f64),
    /// Any value of this label, by which nodes are packed or spread.
    Valued(&'a str),
}

impl Demand<'_> {
    pub(crate) fn is_met(self, features: &Features) -> bool {
        match self {
            Self::With(label) => features.has(label),
            Self::Without(label) => !features.has(label),
            Self::AtLeast(name, amount) => features.amount(name) >= amount,
            Self::Valued(name) => features.value(name).is_some(),
        }
    }
}

impl fmt::Display for Demand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::With(label) => write!(f, "{label}"),
            Self::Without(label) => write!(f, "no {label}"),
            Self::AtLeast(name, amount) => write!(f, "{name} of at least {amount}"),
            Self::Valued(name) => write!(f, "a value of {name}"),
        }
    }
}

impl Demands {
    pub(crate) const NONE: Self = Self {
        all_of: BTreeSet::new(),
        none_of: BTreeSet::new(),
        at_least: BTreeMap::new(),
        not_before: None,
        start: None,
        pack: None,
        spread: None,
        spans: Spans { by_node: Vec::new() },
    };

    /// Demands nodes with this label. After several calls, nodes must have all these labels.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.all_of.insert(label.into());
        self
    }

    /// Demands nodes without this label. After several calls, nodes must have none of these labels.
    pub fn without_label(mut self, label: impl Into<String>) -> Self {
        self.none_of.insert(label.into());
        self
    }

    /// Demands nodes with at least this amount of `name`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for an amount that is negative or not finite.
    pub fn with_at_least(mut self, name: impl Into<String>, amount: f64) -> Result<Self, ModelError> {
        self.at_least.insert(name.into(), checked(amount)?);
        Ok(self)
    }

    /// Demands that all nodes of a window have the same value of `label`, for example of `rack`. If a node has
    /// several values, the smallest one (as text) counts; nodes without a value are not suitable. Replaces the label
    /// of an earlier call.
    ///
    /// ```
    /// use sched_model::*;
    /// let nodes = [1, 2, 3].map(|id| Node::must(id, 1.0, 1.0));
    /// let rack = |id, rack: &str| (NodeId(id), Features::default().with_label(format!("rack={rack}")));
    /// let list = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?;
    /// let list = list.with_features([rack(1, "a"), rack(2, "b"), rack(3, "a")])?;
    /// assert_eq!(list.missing(&Demands::default().with_pack("rack"), 2), None);
    /// let refusal = list.missing(&Demands::default().with_pack("rack"), 3).unwrap();
    /// assert_eq!(refusal.to_string(), "needs 3 nodes with one value of rack, only 2 such");
    /// # Ok::<(), ModelError>(())
    /// ```
    pub fn with_pack(self, label: impl Into<String>) -> Self {
        Self { pack: Some(label.into()), ..self }
    }

    /// Demands that at most `most` nodes of a window have the same value of `label`. The value of a node is
    /// determined as for [`with_pack`](Self::with_pack), with which this demand can be combined: all nodes in one
    /// zone, and at most two in each rack. Replaces the limit of an earlier call.
    ///
    /// # Errors
    /// [`ModelError::Zero`] if `most` is 0.
    pub fn with_spread(self, label: impl Into<String>, most: usize) -> Result<Self, ModelError> {
        let most = NonZeroUsize::new(most).ok_or(ModelError::Zero { what: "nodes with the same label" })?;
        Ok(Self { spread: Some(Spread { label: label.into(), most }), ..self })
    }

    /// Sets the span of a task on each of these nodes, whatever its speed; on all other nodes it is work / speed.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a span of 0, [`ModelError::RepeatedId`] for a node that is named twice.
    pub fn with_spans(self, spans: impl IntoIterator<Item = (NodeId, Span)>) -> Result<Self, ModelError> {
        Ok(Self { spans: Spans::new(spans)?, ..self })
    }

    /// The span of a task on `node`, if one was set; otherwise it is work / speed.
    ///
    /// ```
    /// use sched_model::{Demands, NodeId, Span};
    /// let measured = Demands::default().with_spans([(NodeId(2), Span::must(8.5))])?;
    /// assert_eq!((measured.span_on(NodeId(1)), measured.span_on(NodeId(2))), (None, Some(Span::must(8.5))));
    /// # Ok::<(), sched_model::ModelError>(())
    /// ```
    #[inline]
    pub fn span_on(&self, node: NodeId) -> Option<Span> {
        self.spans.on(node)
    }

    pub(crate) fn pack_label(&self) -> Option<&str> {
        self.pack.as_deref()
    }

    pub(crate) fn spread_label(&self) -> Option<&str> {
        self.spread.as_ref().map(|spread| spread.label.as_str())
    }

    /// The demands on single nodes: labels, excluded labels and amounts, each in order of name; then values of the
    /// labels by which nodes are packed or spread.
    pub(crate) fn on_nodes(&self) -> impl Iterator<Item = Demand<'_>> {
        let with = self.all_of.iter().map(|label| Demand::With(label));
        let without = self.none_of.iter().map(|label| Demand::Without(label));
        let at_least = self.at_least.iter().map(|(name, &amount)| Demand::AtLeast(name, amount));
        let valued = self.pack_label().into_iter().chain(self.spread_label()).map(Demand::Valued);
        with.chain(without).chain(at_least).chain(valued)
    }

    /// Returns the maximum number of `nodes` that may be in one window, given their features. All of them must meet
    /// the demands on single nodes.
    pub(crate) fn max_together<'a>(&self, nodes: impl IntoIterator<Item = &'a Features>) -> usize {
        let value =
            |features: &'a Features, label: Option<&str>| label.and_then(|label| features.value(label));
        let (pack, spread) = (self.pack_label(), self.spread_label());
        let places = nodes.into_iter().map(|features| (value(features, pack), value(features, spread)));
        let mut places: Vec<_> = places.collect();
        order::sort(&mut places, &|a, b| a.cmp(b));
        let most = self.spread.as_ref().map_or(usize::MAX, |spread| spread.most.get());
        let packs = places.chunk_by(|a, b| a.0 == b.0);
        let all = packs.map(|pack| pack.chunk_by(|a, b| a.1 == b.1).map(|group| group.len().min(most)).sum());
        all.max().unwrap_or(0)
    }

    /// The demand on the combination of nodes in words, for a refusal.
    pub(crate) fn together(&self) -> String {
        let pack = self.pack.as_ref().map(|label| format!("one value of {label}"));
        let spread =
            self.spread.as_ref().map(|spread| format!("at most {} of one {}", spread.most, spread.label));
        pack.into_iter().chain(spread).collect::<Vec<_>>().join(" and ")
    }
}

crate::setters!(Demands {
    /// Demands that the window starts at this instant or later.
    with_not_before: not_before: Time => Some,
    /// Demands that the window starts exactly at this instant: an advance reservation.
    with_start: start: Time => Some,
});

/// [`Demands`] compiled for one list: which slots are on nodes that meet them, and which nodes may be combined. Holds
/// a bool and two numbers for each kind of node (nodes with equal features).
///
/// Made by [`SlotList::eligible`](crate::SlotList::eligible), and valid for that list, for its clones, and for the
/// lists that remain after cuts.
#[derive(Debug, Clone)]
#[must_use]
pub struct Eligible {
    demands: Demands,
    table: Option<Arc<FeatureTable>>,
    /// Whether nodes of each kind meet the demands.
    meets: Vec<bool>,
    /// Whether nodes of all kinds meet the demands.
    all: bool,
    /// For each kind the rank of its value of the label to pack by; empty if nodes are not packed.
    pack: Vec<u32>,
    /// As `pack`, for the label to spread by.
    spread: Vec<u32>,
}

/// Returns for each kind the rank of its value of `label` among the distinct values, in order of text. Kinds without
/// a value, which do not meet the demands, get 0. Without a label, the result is empty.
fn ranks(kinds: &[Features], label: Option<&str>) -> Vec<u32> {
    let Some(label) = label else { return Vec::new() };
    let values: Vec<Option<&str>> = kinds.iter().map(|features| features.value(label)).collect();
    let mut distinct: Vec<&str> = values.iter().flatten().copied().collect();
    order::sort(&mut distinct, &|a, b| a.cmp(b));
    distinct.dedup();
    let number = |value| distinct.binary_search(&value).map_or(0, |at| at as u32);
    values.into_iter().map(|value| value.map_or(0, number)).collect()
}

impl Eligible {
    pub(crate) fn new(table: Option<Arc<FeatureTable>>, demands: &Demands) -> Self {
        let none = [Features::default()];
        let kinds = table.as_ref().map_or(&none[..], |table| table.kinds());
        let meets: Vec<bool> = kinds.iter().map(|features| demands.are_met(features)).collect();
        Self {
            all: meets.iter().all(|&met| met),
            meets,
            pack: ranks(kinds, demands.pack_label()),
            spread: ranks(kinds, demands.spread_label()),
            demands: demands.clone(),
            table,
        }
    }

    pub(crate) fn table(&self) -> Option<&Arc<FeatureTable>> {
        self.table.as_ref()
    }

    /// Whether the slot's node meets the demands.
    #[inline]
    pub fn allows(&self, slot: &Slot) -> bool {
        self.meets.get(slot.kind() as usize).copied().unwrap_or(false)
    }
}

/// For the other crates of this workspace; not part of its public interface.
#[doc(hidden)]
impl Demands {
    /// Whether there are no demands.
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// The minimum amounts that nodes must have, in order of name.
    pub fn amounts(&self) -> impl Iterator<Item = (&str, f64)> {
        self.at_least.iter().map(|(name, &amount)| (name.as_str(), amount))
    }

    /// Whether a node with these features meets all demands on single nodes.
    pub fn are_met(&self, features: &Features) -> bool {
        self.on_nodes().all(|demand| demand.is_met(features))
    }
}

/// For the window searches of this workspace; not part of its public interface.
#[doc(hidden)]
impl Eligible {
    /// The demands that were compiled.
    pub fn demands(&self) -> &Demands {
        &self.demands
    }

    /// The span of a task of `request` on the slot's node: the one set in the demands, otherwise work / speed.
    #[inline]
    pub fn span_on(&self, slot: &Slot, request: &ResourceRequest) -> Span {
        self.demands.span_on(slot.node).unwrap_or_else(|| request.work() / slot.speed)
    }

    /// Whether every slot is allowed, so that [`allows`](Self::allows) need not be called.
    #[inline]
    pub fn allows_all(&self) -> bool {
        self.all
    }

    /// The rank of the value that the slot's node has of the label to pack by: equal for two allowed slots if and
    /// only if their values are equal, and in the order of values. 0 if nodes are not packed.
    #[inline]
    pub fn pack_of(&self, slot: &Slot) -> u32 {
        self.pack.get(slot.kind() as usize).copied().unwrap_or(0)
    }

    /// As [`pack_of`](Self::pack_of), for the label to spread by.
    #[inline]
    pub fn spread_of(&self, slot: &Slot) -> u32 {
        self.spread.get(slot.kind() as usize).copied().unwrap_or(0)
    }
}
