//! Values as JSON, here and in the tests of the crates: read again, and damaged.

#![allow(dead_code)] // each takes its part

use crate::judge::{Verdict, ensure};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::fmt::Debug;

/// What is read of a value that was written, which must be the same. None where the value holds a product of quantities
/// beyond their range: it is written, and not read.
pub(crate) fn read_again<T>(value: &T) -> Verdict<Option<T>>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let text = serde_json::to_string(value)?;
    let again: T = match serde_json::from_str(&text) {
        Err(error) if error.to_string().contains("at most 1e60") => return Ok(None),
        again => again?,
    };
    ensure!(again == *value, "{text} is read as {again:?}");
    ensure!(serde_json::to_string(&again)? == text, "{text} is written otherwise");
    Ok(Some(again))
}

/// Where the parts of a value are, itself first, as JSON pointers.
pub(crate) fn places(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut under =
        |name: &str, part| found.extend(places(part).iter().map(|place| format!("/{name}{place}")));
    match value {
        Value::Array(items) => (0..).zip(items).for_each(|(at, item)| under(&usize::to_string(&at), item)),
        Value::Object(fields) => fields.iter().for_each(|(name, field)| under(name, field)),
        _ => {}
    }
    found
}

/// A value with one part changed: a list is empty, or has one item less or one more; a record has one field less or one
/// more; anything else is another number, a text or nothing.
pub(crate) fn damaged(value: &Value, at: usize, how: usize) -> Value {
    let (mut value, places) = (value.clone(), places(value));
    match value.pointer_mut(&places[at % places.len()]) {
        Some(Value::Array(items)) if how.is_multiple_of(3) => items.clear(),
        Some(Value::Array(items)) if how % 3 == 1 => drop(items.pop()),
        Some(Value::Array(items)) => items.extend(items.first().cloned()),
        Some(Value::Object(fields)) => drop(match fields.keys().next().cloned() {
            Some(first) if how.is_multiple_of(2) => fields.remove(&first),
            _ => fields.insert("never heard of".to_owned(), json!(1)),
        }),
        Some(part) => {
            let others = json!([
                -0.0,
                -1,
                1e308,
                5e-324,
                9_007_199_254_740_993_u64,
                -1e60,
                0.1,
                null,
                "1",
                u64::MAX,
                0,
                1,
                1e60,
                u32::MAX
            ]);
            *part = others[how % 14].clone();
        }
        None => {}
    }
    value
}
