//! The spans of tasks where these differ from work / speed.

use crate::{ModelError, Node, NodeId, Span, order};

/// The span of a task of a job on each of some nodes, where it differs from work / speed: rounded to whole
/// seconds, with the transfer of its input, or measured.
///
/// ```
/// use sched_model::*;
/// let nodes =
///     [(1, 1.0), (2, 3.0)].map(|(id, speed)| Node::new(NodeId(id), Speed::must(speed), Price::must(1.0)));
/// // A measured time for node 2.
/// let measured = Spans::new([(NodeId(2), Span::must(8.5))])?;
/// assert_eq!((measured.on(NodeId(1)), measured.on(NodeId(2))), (None, Some(Span::must(8.5))));
/// // Whole seconds on all nodes.
/// let request = ResourceRequest::new(1, Work::must(20.0))?;
/// let whole = Spans::by(&nodes, |node| Span::must(request.span_on(node.speed).get().ceil()))?;
/// assert_eq!(whole.on(NodeId(2)), Some(Span::must(7.0)));
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self", transparent))]
#[must_use]
pub struct Spans {
    /// In order of node.
    by_node: Vec<SpanOn>,
}

/// A node and its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct SpanOn {
    node: NodeId,
    span: Span,
}

#[cfg(feature = "serde")]
crate::serde_checked!(Spans);

impl Spans {
    /// These spans, each for a node.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a span of no length, [`ModelError::RepeatedId`] for a node that is
    /// named twice.
    pub fn new(spans: impl IntoIterator<Item = (NodeId, Span)>) -> Result<Self, ModelError> {
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

    /// The span that a function gives for each node.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn by(nodes: &[Node], mut span: impl FnMut(&Node) -> Span) -> Result<Self, ModelError> {
        Self::new(nodes.iter().map(|node| (node.id, span(node))))
    }

    /// The span of a task on this node; `None` where none was given, so that it is work / speed.
    #[inline]
    pub fn on(&self, node: NodeId) -> Option<Span> {
        order::of_node(&self.by_node, node, |on| on.node).map(|on| on.span)
    }

    /// Whether there is no span for any node.
    pub fn is_empty(&self) -> bool {
        self.by_node.is_empty()
    }

    /// The nodes with their spans, in order of node.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, Span)> {
        self.by_node.iter().map(|on| (on.node, on.span))
    }
}
