//! Features of nodes in addition to speed and price, the demands of jobs on them, and the spans of tasks on single
//! nodes.

mod demands;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use crate::{ModelError, NodeId, Span, order};

pub use demands::{Demands, Eligible, Spread};

/// The features of a node in addition to speed and price: labels such as `gpu`, `rack=r7`, `zone=east`,
/// `licence=cad`, and amounts such as memory. A node may have any number of both.
///
/// A label is a name, or a name and a value separated by `=`. A node with `rack=r7` meets a demand for `rack=r7`, and
/// one for `rack`.
///
/// ```
/// use sched_model::Features;
/// let node = Features::default().with_label("rack=r7").with_amount("memory", 64.0)?;
/// assert!(node.labels.contains("rack=r7"));
/// assert_eq!(node.amounts().get("memory"), Some(&64.0));
/// assert!(node.with_amount("memory", f64::NAN).is_err());
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[must_use]
pub struct Features {
    /// The labels of the node.
    pub labels: BTreeSet<String>,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "read_amounts"))]
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

/// Returns `amount` with -0.0 as 0, or an error if it is negative or not finite.
fn checked(amount: f64) -> Result<f64, ModelError> {
    if amount.is_finite() && amount >= 0.0 {
        return Ok(amount + 0.0);
    }
    Err(ModelError::out_of_range("an amount of a node", "[0, infinity)", amount))
}

impl Features {
    /// Adds a label.
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.labels.insert(label.into());
        self
    }

    /// Sets the amount of `name`, in the caller's unit.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for an amount that is negative or not finite.
    pub fn with_amount(mut self, name: impl Into<String>, amount: f64) -> Result<Self, ModelError> {
        self.amounts.insert(name.into(), checked(amount)?);
        Ok(self)
    }

    /// The amounts by name, finite and not negative. An amount that is not listed is 0.
    pub fn amounts(&self) -> &BTreeMap<String, f64> {
        &self.amounts
    }

    /// Whether there are no labels and no amounts.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.amounts.is_empty()
    }

    /// Whether the node has this label, or a label with this name and any value.
    pub(crate) fn has(&self, label: &str) -> bool {
        self.labels.contains(label) || self.value(label).is_some()
    }

    /// The first value, in order of text, of the labels with this name.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        // Labels that begin with the name are adjacent; the name alone, and longer names, may come first.
        let named = self.labels.range::<str, _>((Bound::Included(name), Bound::Unbounded));
        let mut named = named.map_while(|label| label.strip_prefix(name));
        named.find_map(|rest| rest.strip_prefix('='))
    }

    /// The amount of `name`; 0 if none was given.
    pub(crate) fn amount(&self, name: &str) -> f64 {
        self.amounts.get(name).copied().unwrap_or(0.0)
    }
}

/// The features of the nodes of a list. Equal features are stored once, as a *kind*, and every slot carries the
/// kind of its node. So demands are compiled once per kind, not per node or slot.
#[derive(Debug, Clone)]
pub(crate) struct FeatureTable {
    /// Kind 0 has no features.
    kinds: Vec<Features>,
    /// The kind of each set of features, by their `Debug` text. Different features have different texts, because they
    /// hold no NaN.
    known: BTreeMap<String, u32>,
    /// The kind of each node that has features, in order of node.
    by_node: Vec<(NodeId, u32)>,
}

impl PartialEq for FeatureTable {
    /// Equal if every node has the same features, however the kinds are numbered.
    fn eq(&self, other: &Self) -> bool {
        let of = |table: &Self| {
            let named = table.by_node.iter().filter(|(_, kind)| *kind > 0);
            named.map(|&(node, kind)| (node, table.kinds[kind as usize].clone())).collect::<Vec<_>>()
        };
        of(self) == of(other)
    }
}

impl Default for FeatureTable {
    fn default() -> Self {
        let none = Features::default();
        let known = order::map_of([(format!("{none:?}"), 0)]);
        Self { kinds: vec![none], known, by_node: Vec::new() }
    }
}

impl FeatureTable {
    pub(crate) fn new(features: impl IntoIterator<Item = (NodeId, Features)>) -> Result<Self, ModelError> {
        let mut features: Vec<(NodeId, Features)> = features.into_iter().collect();
        order::sort(&mut features, &|a, b| a.0.cmp(&b.0));
        let mut table = Self::default();
        for (node, features) in features {
            if table.set(node, features).is_some() {
                return Err(ModelError::RepeatedId { what: "node", id: u64::from(node.0) });
            }
        }
        Ok(table)
    }

    /// Sets the features of `node`. Returns its former kind, if the node was in the table. O(log n + log k) time for
    /// n nodes and k kinds, or O(n) for a new node that comes before others.
    pub(crate) fn set(&mut self, node: NodeId, features: Features) -> Option<u32> {
        let kinds = &mut self.kinds;
        let kind = *self.known.entry(format!("{features:?}")).or_insert_with(|| {
            kinds.push(features);
            // Each kind was added with a node, and node ids have 32 bits.
            u32::try_from(kinds.len() - 1).unwrap_or(u32::MAX)
        });
        match self.by_node.binary_search_by_key(&node, |&(node, _)| node) {
            Ok(at) => Some(std::mem::replace(&mut self.by_node[at].1, kind)),
            Err(at) => {
                self.by_node.insert(at, (node, kind));
                None
            }
        }
    }

    /// Removes `node` from the table.
    pub(crate) fn remove(&mut self, node: NodeId) {
        self.by_node.retain(|&(other, _)| other != node);
    }

    /// Whether more than half of the kinds have no nodes, and more than 64.
    pub(crate) fn is_sparse(&self) -> bool {
        self.kinds.len() > 2 * self.by_node.len() + 64
    }

    /// Removes kinds without nodes, and renumbers the others.
    pub(crate) fn compact(&mut self) {
        let mut kept = Self::default();
        for &(node, kind) in &self.by_node {
            kept.set(node, self.kinds[kind as usize].clone());
        }
        *self = kept;
    }

    /// The kind of a node; 0 for a node without features.
    pub(crate) fn kind_of(&self, node: NodeId) -> u32 {
        order::of_node(&self.by_node, node, |&(node, _)| node).map_or(0, |&(_, kind)| kind)
    }

    pub(crate) fn of(&self, node: NodeId) -> &Features {
        &self.kinds[self.kind_of(node) as usize]
    }

    pub(crate) fn kinds(&self) -> &[Features] {
        &self.kinds
    }

    /// The nodes of each kind.
    #[cfg(feature = "serde")]
    pub(crate) fn nodes_by_kind(&self) -> Vec<Vec<NodeId>> {
        let mut nodes = vec![Vec::new(); self.kinds.len()];
        for &(node, kind) in &self.by_node {
            nodes[kind as usize].push(node);
        }
        nodes
    }
}

/// The span of a job's task on individual nodes, for nodes on which it is not work / speed: because it is rounded to
/// whole seconds, includes the transfer of the input, or was measured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use]
pub struct Spans {
    /// In order of node.
    by_node: Vec<SpanOn>,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "Spans", rename = "Spans", transparent)]
struct SpansForm {
    by_node: Vec<SpanOn>,
}

/// A node, and the span of the task on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct SpanOn {
    node: NodeId,
    span: Span,
}

#[cfg(feature = "serde")]
crate::serde_checked!(Spans as SpansForm);

impl Spans {
    fn new(spans: impl IntoIterator<Item = (NodeId, Span)>) -> Result<Self, ModelError> {
        Self { by_node: spans.into_iter().map(|(node, span)| SpanOn { node, span }).collect() }.checked()
    }

    fn checked(mut self) -> Result<Self, ModelError> {
        if let Some(SpanOn { span, .. }) = self.by_node.iter().find(|on| on.span <= Span::ZERO) {
            return Err(ModelError::out_of_range("the span of a task", "(0, 1e60]", span.get()));
        }
        order::sort(&mut self.by_node, &|a, b| a.node.cmp(&b.node));
        if let Some(pair) = self.by_node.windows(2).find(|pair| pair[0].node == pair[1].node) {
            return Err(ModelError::RepeatedId { what: "node", id: u64::from(pair[0].node.0) });
        }
        Ok(self)
    }

    /// The span of the task on `node`; `None` if none was given, so that it is work / speed.
    #[inline]
    fn on(&self, node: NodeId) -> Option<Span> {
        order::of_node(&self.by_node, node, |on| on.node).map(|on| on.span)
    }

    /// Whether no span is given.
    pub fn is_empty(&self) -> bool {
        self.by_node.is_empty()
    }

    /// The nodes with their spans, in order of node.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, Span)> {
        self.by_node.iter().map(|on| (on.node, on.span))
    }
}
