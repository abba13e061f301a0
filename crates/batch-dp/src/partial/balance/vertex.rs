//! A relaxed choice at one multiplier.

use super::{Balance, Server};
use std::cmp::Ordering;

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
    /// The relaxed choice of the alternatives in `best`, where a job's value is `by_p * p + by_w * w`. Ties of values
    /// go to the lesser objective or weight, whichever the value does not include.
    pub(super) fn vertex(&mut self, (by_p, by_w): (f64, f64), to_lose: f64) -> Vertex {
        let Self { servers, settled, keys, is_count, .. } = self;
        // Without a negative zero, which would sort before a zero that it equals.
        let value = |server: &Server| by_p * server.best.p + by_w * server.best.w + 0.0;
        // Jobs are counted where all give the same: after division, different values could become equal.
        let unit = servers.first().filter(|_| *is_count).map_or(1.0, |server| server.gives);
        let to_lose = if *is_count { (to_lose / unit).round() } else { to_lose };
        let gives = |server: &Server| server.gives / unit;
        let key = |server: &Server| match (server.gives > 0.0, value(server)) {
            (true, value) => value / gives(server),
            (false, value) if value > 0.0 => f64::INFINITY,
            (false, _) => f64::NEG_INFINITY,
        };
        let tie = |server: &Server| if by_w > 0.0 { server.best.p } else { server.best.w };
        keys.clear();
        let open = servers.iter().zip(0..).filter(|server| !server.0.is_served);
        keys.extend(open.map(|(server, at)| Key { key: key(server), tie: tie(server), at }));
        let mut served = vec![true; servers.len()];
        let (kept, left) = split(keys, |at| gives(&servers[at as usize]), to_lose);
        keys[kept..].iter().for_each(|key| served[key.at as usize] = false);
        let greatest = keys[..kept].iter().map(|key| key.key).fold(f64::NEG_INFINITY, f64::max);
        let least = keys[kept..].iter().map(|key| key.key).fold(f64::INFINITY, f64::min);
        let (mut p, mut w) = (settled.p, settled.w);
        for (server, _) in servers.iter().zip(&served).filter(|(_, served)| **served) {
            p += server.best.p;
            w += server.best.w;
        }
        let mut count = (settled.jobs.len() + served.iter().filter(|served| **served).count()) as f64;
        let parted = keys[..kept].last().filter(|_| left > 0.0).map(|key| &servers[key.at as usize]);
        if let Some(server) = parted {
            let share = left / gives(server);
            p -= share * server.best.p;
            w -= share * server.best.w;
            count -= share;
        }
        let worth = if parted.is_some() { greatest } else { between(greatest, least) } / unit;
        let worth = if worth.is_finite() { worth } else { 0.0 };
        Vertex { p, w, worth, served, count }
    }
}

/// By what a server is kept or left out: its key, then what its value does not include, then its position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Key {
    key: f64,
    tie: f64,
    at: u32,
}

impl Key {
    fn order(&self, other: &Self) -> Ordering {
        let keys = self.key.total_cmp(&other.key);
        keys.then_with(|| self.tie.total_cmp(&other.tie)).then_with(|| self.at.cmp(&other.at))
    }
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
fn split(keys: &mut [Key], gives: impl Fn(u32) -> f64, to_lose: f64) -> (usize, f64) {
    /// Fewer are sorted.
    const FEW: usize = 24;
    let gives = |key: &Key| gives(key.at);
    let mut high = keys.len();
    for at in (0..keys.len()).rev() {
        if keys[at].key == f64::INFINITY {
            high -= 1;
            keys.swap(at, high);
        }
    }
    let (mut low, mut left) = (0, to_lose);
    while high - low > FEW && left > 0.0 {
        let middle = low.midpoint(high);
        keys[low..high].select_nth_unstable_by(middle - low, Key::order);
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
        keys[start..high].sort_unstable_by(Key::order);
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
