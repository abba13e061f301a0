//! Sorts, each compiled once: with one for every type and order, sorting was two fifths of the crate.

use std::cmp::Ordering;

/// The positions of so many items in an order; of equal ones the earlier first.
pub(crate) fn order(items: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..items as u32).collect();
    arrange(&mut order, &|a, b| compare(a as usize, b as usize).then(a.cmp(&b)));
    order
}

/// Sorts numbers by what they stand for.
pub(crate) fn arrange(numbers: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    numbers.sort_unstable_by(|&a, &b| compare(a, b));
}

/// Sorts a few items; equal ones stay in their order.
pub(crate) fn sort<T: Copy>(items: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    let order = order(items.len(), &|a, b| compare(&items[a], &items[b]));
    let sorted: Vec<T> = order.into_iter().map(|at| items[at as usize]).collect();
    items.copy_from_slice(&sorted);
}

/// Sorts by the first number, then by the second.
pub(crate) fn sort_keys(keys: &mut [(f64, u32)]) {
    keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}

/// The greatest first number first; of equal ones the least second.
pub(crate) fn sort_keys_down(keys: &mut [(f64, u32)]) {
    keys.iter_mut().for_each(|key| key.0 = -key.0);
    sort_keys(keys);
    keys.iter_mut().for_each(|key| key.0 = -key.0);
}
