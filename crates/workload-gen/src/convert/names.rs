//! Names of users, queues and the like, as numbers.

use crate::swf::{SwfField, SwfHeader};
use std::collections::BTreeMap;

/// The columns whose values may be names.
pub(super) const NAMED: [SwfField; 5] =
    [SwfField::User, SwfField::Group, SwfField::Executable, SwfField::Queue, SwfField::Partition];

/// Numbers names from 1 in the order in which they are met.
#[derive(Default)]
pub(super) struct Names {
    numbers: BTreeMap<String, u64>,
    in_order: Vec<String>,
}

impl Names {
    pub(super) fn number(&mut self, name: &str) -> u64 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.in_order.len() as u64 + 1;
        self.numbers.insert(name.to_owned(), number);
        self.in_order.push(name.to_owned());
        number
    }

    /// The numbers that the names are, where all of them are numbers: then these stay.
    pub(super) fn values(&self) -> Option<Vec<u64>> {
        self.in_order.iter().map(|name| name.parse().ok()).collect()
    }

    /// Writes the names of the numbers into the comments: `Queue: 1 batch`, as the format does for queues and
    /// partitions.
    pub(super) fn note(&self, field: SwfField, header: &mut SwfHeader) {
        for (name, number) in self.in_order.iter().zip(1..) {
            let shown: String = name.chars().filter(|letter| !letter.is_control()).collect();
            header.push(&format!(" {field:?}: {number} {shown}"));
        }
    }
}
