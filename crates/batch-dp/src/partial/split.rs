//! Who is left out, where services differ: the servers of the greatest keys.

/// Puts what is kept before what is left out: the greatest keys, whole servers, until they give no less than
/// what is to be lost without the last one. Returns how many are kept, and what is then still to be lost: a
/// part of the last one that is kept, which has the greatest key of these. What gives nothing and costs
/// something is left out in any case.
///
/// O(j) for j servers: halves are told apart by their middle key, and only one of them is looked at further.
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
        // Where they are equal, what gives nothing stays.
        if upper < left {
            left -= upper;
            high = middle;
        } else {
            low = middle;
        }
    }
    if !(left > 0.0) {
        // The last of them bounds the worth.
        return (high, 0.0);
    }
    // Sums of halves round otherwise than sums one by one: those before `low` may be asked for, too.
    for start in [low, 0] {
        keys[start..high].sort_unstable_by(rising);
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
