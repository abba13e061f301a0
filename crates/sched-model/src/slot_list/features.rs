//! The features of a list's nodes, and the parts of the list that meet demands on them.

use super::{SlotList, sort};
use crate::features::FeatureTable;
use crate::{Demands, Eligible, Features, ModelError, NodeId, Refusal, Slot, order};
use std::sync::Arc;

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
        eligible.is_of(self.features.as_ref())
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
