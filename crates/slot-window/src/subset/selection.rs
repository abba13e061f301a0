//! The n items with the greatest keys, and their sums.

use std::cmp::Ordering;

/// An item and the key by which it is selected.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keyed {
    pub(crate) key: f64,
    pub(crate) value: f64,
    pub(crate) cost: f64,
    pub(crate) index: u32,
}

/// Sums over a subset.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    pub(super) key: f64,
    pub(super) value: f64,
    pub(super) cost: f64,
}

/// Up to this many items are sorted by insertion.
const SHORT: usize = 24;

/// Moves the n items with the greatest keys to the front. Of equal keys `sooner` decides, then the lower
/// index.
///
/// Items are in the order that the last selection left, which is mostly nearly the new one.
#[inline(always)]
pub(super) fn select(
    items: &mut [Keyed],
    n: usize,
    given: Sums,
    key: impl Fn(&Keyed) -> f64,
    sooner: impl Fn(&Keyed, &Keyed) -> bool,
) -> Sums {
    let before = |a: &Keyed, b: &Keyed| {
        a.key > b.key || (a.key == b.key && (sooner(a, b) || (!sooner(b, a) && a.index < b.index)))
    };
    let n = n.min(items.len());
    if n > SHORT {
        for item in items.iter_mut() {
            item.key = key(item);
        }
        if n < items.len() {
            items.select_nth_unstable_by(n - 1, |a, b| match (before(a, b), a.index == b.index) {
                (true, _) => Ordering::Less,
                (_, true) => Ordering::Equal,
                _ => Ordering::Greater,
            });
        }
    } else if n > 0 {
        let (front, rest) = items.split_at_mut(n);
        let sift = |front: &mut [Keyed], mut at: usize, entering: Keyed| {
            while at > 0 && before(&entering, &front[at - 1]) {
                front[at] = front[at - 1];
                at -= 1;
            }
            front[at] = entering;
        };
        for at in 0..n {
            let entering = Keyed { key: key(&front[at]), ..front[at] };
            sift(front, at, entering);
        }
        for item in rest {
            item.key = key(item);
            if item.key >= front[n - 1].key && before(item, &front[n - 1]) {
                let entering = std::mem::replace(item, front[n - 1]);
                sift(front, n - 1, entering);
            }
        }
    }
    items[..n].iter().fold(given, |sums, item| Sums {
        key: sums.key + item.key,
        value: sums.value + item.value,
        cost: sums.cost + item.cost,
    })
}
