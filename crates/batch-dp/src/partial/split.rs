//! The jobs that the relaxation leaves out, where services differ: the servers of the greatest keys.

use crate::list::sort_keys;

/// Sorts the servers that are kept before those that are left out. Left out are whole servers of the greatest
/// keys, as many as together give at most the service that is to be lost. Returns how many are kept, and the
/// service that is then still to be lost: a part of the last server kept, which has the greatest key of
/// these. Servers that give no service and have a positive value are left out in any case.
///
/// Time O(j) for j servers: each step splits them at their middle key, and continues with only one half.
pub(super) fn split(keys: &mut [(f64, u32)], gives: impl Fn(u32) -> f64, to_lose: f64) -> (usize, f64) {
    /// Fewer are sorted.
    const FEW: usize = 24;
    let rising = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let gives = |key: &(f64, u32)| gives(key.1);
    let mut high = keys.len();
    for at in (0..keys.len()).rev() {
        if keys[at].0 == f64::INFINITY {
            high -= 1;
            keys.swap(at, high);
        }
    }
    let (mut low, mut left) = (0, to_lose);
    while high - low > FEW && left > 0.0 {
        let middle = low.midpoint(high);
        keys[low..high].select_nth_unstable_by(middle - low, rising);
        let upper: f64 = keys[middle..high].iter().map(gives).sum();
        // Of equal keys, servers that give no service stay.
        if upper < left {
            left -= upper;
            high = middle;
        } else {
            low = middle;
        }
    }
    if !(left > 0.0) {
        // The last server kept bounds the worth.
        return (high, 0.0);
    }
    // Sums of halves are rounded differently from sums of single servers: those before `low` may be needed,
    // too.
    for start in [low, 0] {
        sort_keys(&mut keys[start..high]);
        while high > start && left > 0.0 {
            let own = gives(&keys[high - 1]);
            if own > left {
                return (high, left);
            }
            left -= own;
            high -= 1;
        }
        if !(left > 0.0) {
            break;
        }
    }
    (high, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One by one from the greatest key on.
    fn by_sorting(keys: &mut [(f64, u32)], gives: &[f64], to_lose: f64) -> (usize, f64) {
        keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut kept, mut left) = (keys.len(), to_lose);
        while kept > 0 && (left > 0.0 || keys[kept - 1].0 == f64::INFINITY) {
            let own = gives[keys[kept - 1].1 as usize];
            if own > left {
                return (kept, left);
            }
            left -= own;
            kept -= 1;
        }
        (kept, 0.0)
    }

    proptest! {
        #[test]
        fn the_same_are_left_out_as_by_sorting(
            servers in prop::collection::vec((prop_oneof![Just(f64::INFINITY), Just(f64::NEG_INFINITY), (-9..9_i32).prop_map(f64::from)], 0..4_u32), 0..120),
            share in 0.0..1.2_f64,
        ) {
            // What gives nothing has an infinite key, and only that.
            let gives: Vec<f64> =
                servers.iter().map(|&(key, gives)| if key.is_finite() { f64::from(gives) + 1.0 } else { 0.0 }).collect();
            let keys: Vec<(f64, u32)> = servers.iter().map(|server| server.0).zip(0..).collect();
            let to_lose = (gives.iter().sum::<f64>() * share).floor();
            let (mut one, mut other) = (keys.clone(), keys);
            let (kept, left) = split(&mut one, |server| gives[server as usize], to_lose);
            let expected = by_sorting(&mut other, &gives, to_lose);
            prop_assert_eq!((kept, left), expected);
            let out = |keys: &[(f64, u32)]| {
                let mut out: Vec<u32> = keys[kept..].iter().map(|key| key.1).collect();
                out.sort_unstable();
                out
            };
            prop_assert_eq!(out(&one), out(&other));
            if left > 0.0 {
                prop_assert_eq!(one[kept - 1], other[kept - 1]);
            }
        }
    }
}
