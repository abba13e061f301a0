//! A relaxed choice at one multiplier.

use super::{Balance, Server};
use sched_model::order::sort_keys;

/// A relaxed choice.
#[derive(Debug, Clone, Default)]
pub(super) struct Vertex {
    pub(super) p: f64,
    pub(super) w: f64,
    pub(super) worth: f64,
    /// For each server; one that is served in part counts as served.
    pub(super) served: Vec<bool>,
    /// The number of jobs served, with the part of one that is served in part.
    pub(super) count: f64,
}

impl Balance {
    /// The relaxed choice of the alternatives in `best`, where a job's value is `by_p * p + by_w * w`. Where
    /// all servers give the same service, ties of values go to the lesser objective or weight, whichever the
    /// value does not include.
    pub(super) fn vertex(&mut self, (by_p, by_w): (f64, f64), to_lose: f64) -> Vertex {
        let Self { servers, settled, keys, values, is_count, is_free, .. } = self;
        // Without a negative zero, which would sort before a zero that it equals.
        let value = |server: &Server| by_p * server.best.p + by_w * server.best.w + 0.0;
        let mut parted = None;
        let mut served: Vec<bool>;
        let worth;
        if *is_free {
            served = servers.iter().map(|server| server.is_served | !(value(server) > 0.0)).collect();
            worth = 0.0;
        } else if *is_count {
            // After division by the service, different values could become equal.
            let gives = servers.first().map_or(1.0, |server| server.gives);
            let out = (to_lose / gives).round().max(0.0) as usize;
            values.clear();
            values
                .extend(servers.iter().filter(|server| !server.is_served).map(|server| rank(value(server))));
            let kept = values.len() - out.min(values.len());
            let least = match kept < values.len() {
                true => *values.select_nth_unstable(kept).1,
                false => i64::MAX,
            };
            let greatest =
                values[..kept].iter().max().map_or(f64::NEG_INFINITY, |&greatest| unrank(greatest));
            // Those below the first that is left out are served, and of those equal to it as many as remain.
            let mut below = 0;
            keys.clear();
            served = Vec::with_capacity(servers.len());
            for (server, at) in servers.iter().zip(0..) {
                let own = rank(value(server));
                served.push(server.is_served | (own < least));
                below += usize::from(!server.is_served & (own < least));
                if !server.is_served && own == least && kept < values.len() {
                    keys.push((if by_w > 0.0 { server.best.p } else { server.best.w }, at));
                }
            }
            sort_keys(keys);
            keys.iter().take(kept - below).for_each(|key| served[key.1 as usize] = true);
            let least = if kept < values.len() { unrank(least) } else { f64::INFINITY };
            worth = between(greatest, least) / gives;
        } else {
            let key = |server: &Server| match (server.gives > 0.0, value(server)) {
                (true, value) => value / server.gives,
                (false, value) if value > 0.0 => f64::INFINITY,
                (false, _) => f64::NEG_INFINITY,
            };
            keys.clear();
            let open = servers.iter().zip(0..).filter(|server| !server.0.is_served);
            keys.extend(open.map(|(server, at)| (key(server), at)));
            served = vec![true; servers.len()];
            let (kept, left) = split(keys, |server| servers[server as usize].gives, to_lose);
            keys[kept..].iter().for_each(|key| served[key.1 as usize] = false);
            let greatest = keys[..kept].iter().map(|key| key.0).fold(f64::NEG_INFINITY, f64::max);
            let least = keys[kept..].iter().map(|key| key.0).fold(f64::INFINITY, f64::min);
            if left > 0.0
                && let Some(&(_, at)) = keys[..kept].last()
            {
                parted = Some((at as usize, left / servers[at as usize].gives));
            }
            worth = if parted.is_some() { greatest } else { between(greatest, least) };
        }
        let (mut p, mut w) = (settled.p, settled.w);
        for (server, _) in servers.iter().zip(&served).filter(|(_, served)| **served) {
            p += server.best.p;
            w += server.best.w;
        }
        let mut count = (settled.jobs.len() + served.iter().filter(|served| **served).count()) as f64;
        if let Some((at, share)) = parted {
            p -= share * servers[at].best.p;
            w -= share * servers[at].best.w;
            count -= share;
        }
        let worth = if worth.is_finite() { worth } else { 0.0 };
        Vertex { p, w, worth, served, count }
    }
}

/// A whole number for each double, in the same order: that of their bits, those of negative ones inverted.
fn rank(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// The double of a [`rank`].
fn unrank(rank: i64) -> f64 {
    f64::from_bits((rank ^ (((rank >> 63) as u64) >> 1) as i64) as u64)
}

/// A worth between the greatest key that is served and the least one that is not.
fn between(greatest: f64, least: f64) -> f64 {
    match (greatest > f64::NEG_INFINITY, least < f64::INFINITY) {
        (true, true) => 0.5 * (greatest + least),
        (true, false) => greatest,
        (false, true) => least,
        (false, false) => 0.0,
    }
}

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

    #[test]
    fn ranks_are_in_the_order_of_the_numbers() {
        let values = [f64::NEG_INFINITY, -1e300, -2.0, -5e-324, 0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY];
        assert!(values.windows(2).all(|pair| rank(pair[0]) < rank(pair[1])));
        assert!(values.iter().all(|&value| unrank(rank(value)) == value));
    }

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
