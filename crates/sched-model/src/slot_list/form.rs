//! How a list is written and read.

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
