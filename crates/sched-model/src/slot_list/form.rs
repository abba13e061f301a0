//! The serialized form of a list.

use super::{SlotList, sorted_by_node, touching};
use crate::{Features, NodeId, Slot, Tariff, Time};
use serde::de::{Error, MapAccess, SeqAccess, Visitor, value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

impl Serialize for SlotList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let seams = self.hidden_seams();
        if self.tariff.is_plain() && self.features.is_none() && seams.is_empty() {
            return serializer.collect_seq(self.iter());
        }
        let form = FullForm {
            tariff: self.tariff,
            features: self.features.as_ref().map(|features| {
                let kinds = features.nodes_by_kind().into_iter().zip(features.kinds());
                let named = kinds.filter(|(nodes, _)| !nodes.is_empty());
                named.map(|(nodes, features)| Kind { nodes, features: features.clone() }).collect()
            }),
            seams,
            slots: self.iter().copied().collect(),
        };
        form.serialize(serializer)
    }
}

impl SlotList {
    /// The seams at which the list does not have two touching slots of equal price now, because time there was cut
    /// out or repriced.
    fn hidden_seams(&self) -> Vec<(NodeId, Time)> {
        let Some(seams) = &self.seams else { return Vec::new() };
        let shown = touching(&sorted_by_node(self.iter()));
        seams.iter().filter(|seam| shown.binary_search(seam).is_err()).copied().collect()
    }
}

/// The serialized form of a list with a tariff, with features, or with hidden seams.
#[derive(Serialize, Deserialize)]
#[serde(rename = "SlotList", deny_unknown_fields)]
struct FullForm {
    #[serde(default, skip_serializing_if = "Tariff::is_plain")]
    tariff: Tariff,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    features: Option<Vec<Kind>>,
    /// The [hidden seams](SlotList::hidden_seams).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    seams: Vec<(NodeId, Time)>,
    slots: Vec<Slot>,
}

/// Nodes that have the same features.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    nodes: Vec<NodeId>,
    features: Features,
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = SlotList;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of slots, or one with its tariff")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, slots: A) -> Result<SlotList, A::Error> {
        let slots = Deserialize::deserialize(value::SeqAccessDeserializer::new(slots))?;
        SlotList::from_sorted(slots).map_err(Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<SlotList, A::Error> {
        let form: FullForm = Deserialize::deserialize(value::MapAccessDeserializer::new(fields))?;
        let mut list = SlotList::from_sorted(form.slots).map_err(Error::custom)?.with_tariff(form.tariff);
        if !form.seams.is_empty() {
            let seams = Arc::make_mut(list.seams.get_or_insert_default());
            seams.extend(form.seams);
            seams.sort_unstable();
        }
        let Some(kinds) = form.features else { return Ok(list) };
        let features = kinds.into_iter().flat_map(|kind| {
            let Kind { nodes, features } = kind;
            nodes.into_iter().map(move |node| (node, features.clone()))
        });
        list.with_features(features).map_err(Error::custom)
    }
}

impl<'de> Deserialize<'de> for SlotList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor)
    }
}
