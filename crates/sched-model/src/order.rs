//! Sorting, and look-ups in sorted items. The sort itself is compiled once, not for each type and order.

use crate::NodeId;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Returns the positions of `items` items in the order of `compare`; among equal items, the earlier comes first.
///
/// # Panics
/// If there are 2^32 items or more.
pub fn order(items: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<u32> {
    assert!(u32::try_from(items).is_ok(), "2^32 items or more");
    let mut order: Vec<u32> = (0..items as u32).collect();
    order.sort_by(|&a, &b| compare(a as usize, b as usize));
    order
}

/// Sorts items stably.
pub fn sort<T>(items: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    let mut order = order(items.len(), &|a, b| compare(&items[a], &items[b]));
    // Moves every item to its place, along each cycle of the permutation.
    for first in 0..items.len() {
        let mut at = first;
        loop {
            let next = std::mem::replace(&mut order[at], at as u32) as usize;
            if next == first {
                break;
            }
            items.swap(at, next);
            at = next;
        }
    }
}

/// Sorts by the first number, then by the second.
pub fn sort_keys(keys: &mut [(f64, u32)]) {
    keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}

/// Collects pairs into a map; among equal keys the last one counts. `collect` would compile a sort for each type.
pub fn map_of<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(pairs);
    map
}

/// Returns the item of `node` from `items` in order of node. O(1) if the ids of the nodes are consecutive, otherwise
/// O(log n).
#[inline]
pub fn of_node<T>(items: &[T], node: NodeId, of: impl Fn(&T) -> NodeId) -> Option<&T> {
    let first = of(items.first()?);
    match items.get(node.0.wrapping_sub(first.0) as usize) {
        Some(item) if of(item) == node => Some(item),
        _ => items.binary_search_by_key(&node, of).ok().map(|at| &items[at]),
    }
}

/// The identifiers that occur more than once, in order; one entry for each repetition.
pub(crate) fn repeated<I: Ord + Copy>(ids: impl Iterator<Item = I>) -> Vec<I> {
    let mut ids: Vec<I> = ids.collect();
    sort(&mut ids, &|a, b| a.cmp(b));
    ids.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}
