//! Maps from ids to records, written as lists of records.

use crate::error::BrokerError;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::collections::BTreeMap;

/// Writes the records of a map as a list.
pub(crate) fn list<I, R: Serialize, S: Serializer>(
    records: &BTreeMap<I, R>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_seq(records.values())
}

/// Reads a list of records. An error if an id is repeated.
pub(crate) fn by_id<'de, I: Copy + Ord, R: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
    id: fn(&R) -> I,
    repeated: fn(I) -> BrokerError,
) -> Result<BTreeMap<I, R>, D::Error> {
    let mut records = BTreeMap::new();
    for record in Vec::<R>::deserialize(from)? {
        let id = id(&record);
        if records.insert(id, record).is_some() {
            return Err(Error::custom(repeated(id)));
        }
    }
    Ok(records)
}
