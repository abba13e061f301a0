//! The linear relaxation at a fixed service: it finds a price of the limit and a worth of the service together.
//!
//! | word | meaning |
//! |---|---|
//! | multiplier | the price `m` of a unit of the limit |
//! | value | `p + m w` of an alternative; of a job, the least value of its alternatives |
//! | worth | what a unit of the service is worth at the multiplier, in the unit of the objective |
//! | key | the value of a job per unit of service that it gives: the worth at which the job is just served |
//! | vertex | the relaxed choice at a multiplier, with its sums |
//! | light, heavy | the best vertex within the limit, and the best one beyond it |
//! | settled | a job that is served in any case, by its lightest alternative, which also has the least objective |
//!
//! At a multiplier, the best relaxed choice of a given service serves the jobs of least key, each by its
//! alternative of least value. So the worth follows from the multiplier, and the bound is a concave function of
//! the multiplier alone. Two vertices, one within the limit and one beyond it, give the next multiplier as the
//! slope of the chord between them, as in [`relax`](crate::kernel::relaxation); a job keeps only the alternatives
//! below the chord of its two current ones.

mod base;

use super::rows::Rows;
use crate::kernel::PASSES;
use crate::kernel::relaxation::{GREATEST, LEAST, add_below, keep_below};
use crate::list::Step;
use sched_model::internal::exact_sum;
use sched_model::{End, Meter};

pub(super) use base::Relaxed;
use std::cmp::Ordering;

/// A job that can be served.
#[derive(Debug, Clone, Copy)]
struct Server {
    job: u32,
    /// The service that it gives.
    gives: f64,
    /// The cost of leaving it out, apart from the service lost; it is subtracted from the objectives below.
    saves: f64,
    /// Whether it is served in any case.
    is_served: bool,
    /// Its alternatives at the light vertex, at the heavy one, and at the multiplier last tried.
    light: Step,
    heavy: Step,
    best: Step,
    /// Its candidates between light and heavy.
    start: u32,
    end: u32,
}

/// Jobs that have the same alternative at every multiplier and are served in any case.
#[derive(Debug, Default)]
struct Settled {
    /// Each job, with its alternative minus the cost of leaving the job out.
    jobs: Vec<(u32, Step)>,
    /// Sums over these jobs.
    p: f64,
    w: f64,
}

impl Settled {
    fn take(&mut self, job: u32, step: Step) {
        self.jobs.push((job, step));
        self.p += step.p;
        self.w += step.w;
    }
}

/// Dual values of limit and service, and the relaxed choice at them.
#[derive(Default)]
pub(super) struct Balance {
    /// `None` if values differ so much in magnitude that no multiplier fits into a double.
    pub(super) multiplier: Option<f64>,
    pub(super) worth: f64,
    /// The cost of leaving out any job, apart from its own cost and its service.
    pub(super) toll: f64,
    servers: Vec<Server>,
    /// Servers with nothing left to decide: they are in every vertex.
    settled: Settled,
    /// The least objective and the least weight of the alternatives of each server.
    least: Vec<(f64, f64)>,
    candidates: Vec<Step>,
    /// The servers whose two ends differ, by index.
    open: Vec<u32>,
    keys: Vec<Key>,
    /// Whether every server gives the same service, so that the amount of service is the number of jobs served.
    pub(super) is_count: bool,
    /// Whether no choice of as many jobs has a lesser weight than the base, which has the least objective.
    is_best_of_both: bool,
    light: Vertex,
    heavy: Vertex,
    /// The least `p + m w` at the multiplier among all choices of this service.
    least_value: f64,
}

/// The most rounds of the secant method; each round removes candidates, and about ten are usual.
const ROUNDS: usize = 100;

impl Balance {
    /// The dual values for choices that lose exactly `lost` of the service, if leaving a job out costs `toll`.
    /// Time: O(alternatives) for the first passes, then less from round to round; O(j log j) for j jobs in each.
    pub(super) fn of(rows: &Rows, lost: f64, toll: f64, meter: &mut Meter) -> Result<Self, End> {
        meter.spend(PASSES * rows.objective.len() as u64)?;
        let mut balance = Self { toll, is_count: true, least_value: f64::NEG_INFINITY, ..Self::default() };
        let (view, mut to_lose, mut first) = (rows.view(), lost, None);
        for (job, row) in rows.offsets.windows(2).enumerate() {
            let gives = rows.lost[row[1] - 1];
            let saves = rows.sign * rows.objective[row[1] - 1] + toll;
            if row[0] == row[1] - 1 {
                to_lose -= gives;
                continue;
            }
            let (mut light, mut heavy) = view.extremes(row[0]..row[1] - 1);
            let job = job as u32;
            balance.is_count &= gives > 0.0 && gives == *first.get_or_insert(gives);
            let least = (heavy.p, light.w);
            (light.p, heavy.p) = (light.p - saves, heavy.p - saves);
            let is_served = rows.is_served(job as usize);
            if is_served && light.alt == heavy.alt {
                balance.settled.take(job, light);
                continue;
            }
            balance.least.push(least);
            balance.servers.push(Server {
                job,
                gives,
                saves,
                is_served,
                light,
                heavy,
                best: light,
                start: 0,
                end: 0,
            });
        }
        balance.is_count &= first.is_some();
        balance.light = balance.vertex((0.0, 1.0), to_lose);
        balance.servers.iter_mut().for_each(|server| server.best = server.heavy);
        balance.heavy = balance.vertex((1.0, 0.0), to_lose);
        if balance.heavy.w <= rows.limit {
            balance.multiplier = Some(0.0);
            balance.least_value = balance.heavy.p;
            balance.worth = balance.heavy.worth;
            let lightest = balance.weights(&balance.light);
            for server in &mut balance.servers {
                server.light = server.heavy;
            }
            balance.light = balance.heavy.clone();
            balance.is_best_of_both = balance.is_count && balance.weights(&balance.light) <= lightest;
            return Ok(balance);
        }
        balance.fill_candidates(rows);
        balance.narrow(rows.limit, to_lose);
        balance.repair(rows);
        Ok(balance)
    }

    /// Gives each server the alternatives of its job below its chord.
    fn fill_candidates(&mut self, rows: &Rows) {
        let view = rows.view();
        for (server, at) in self.servers.iter_mut().zip(0..) {
            if server.light.alt == server.heavy.alt {
                continue;
            }
            self.open.push(at);
            let job = server.job as usize;
            let row = view.row(rows.offsets[job]..rows.offsets[job + 1] - 1);
            let row = row.map(|(at, p, w)| (at, p - server.saves, w));
            (server.start, server.end) = add_below(&mut self.candidates, row, (&server.light, &server.heavy));
        }
    }

    /// Secant steps until the chord touches no vertex between its ends.
    fn narrow(&mut self, limit: f64, to_lose: f64) {
        for _ in 0..ROUNDS {
            let multiplier = (self.light.p - self.heavy.p) / (self.heavy.w - self.light.w);
            if !(LEAST..=GREATEST).contains(&multiplier) {
                return;
            }
            for &at in &self.open {
                let server = &mut self.servers[at as usize];
                let value = |step: &Step| step.p + multiplier * step.w;
                // Track the position of the best, rather than the best itself, to avoid mispredicted branches.
                let (mut least, mut best) = (value(&server.light), server.end as usize);
                let own = server.start as usize..server.end as usize;
                for (at, step) in own.clone().zip(&self.candidates[own]) {
                    let other = value(step);
                    (least, best) = if other < least { (other, at) } else { (least, best) };
                }
                let first = if best < server.end as usize { &self.candidates[best] } else { &server.light };
                server.best = *if value(&server.heavy) < least { &server.heavy } else { first };
            }
            let vertex = self.vertex((1.0, multiplier), to_lose);
            (self.multiplier, self.worth) = (Some(multiplier), vertex.worth);
            self.least_value = vertex.p + multiplier * vertex.w;
            let known = self.light.p + multiplier * self.light.w;
            let large = self.light.p.abs() + multiplier * self.light.w.abs();
            if vertex.p + multiplier * vertex.w >= known - 1e-14 * large {
                return;
            }
            let within = vertex.w <= limit;
            let Self { open, servers, candidates, .. } = self;
            open.retain(|&at| {
                let server = &mut servers[at as usize];
                if within {
                    server.light = server.best;
                } else {
                    server.heavy = server.best;
                }
                let own = (server.start, server.end);
                server.end = keep_below(candidates, own, (&server.light, &server.heavy));
                let is_open = server.light.alt != server.heavy.alt;
                if !is_open {
                    server.best = server.light;
                }
                is_open
            });
            *(if within { &mut self.light } else { &mut self.heavy }) = vertex;
        }
    }

    /// The sum of the weights of the jobs that a vertex serves, by their light alternatives.
    fn weights(&self, vertex: &Vertex) -> f64 {
        let served = self.servers.iter().zip(&vertex.served).filter(|(_, served)| **served);
        let settled = self.settled.jobs.iter().map(|job| job.1.w);
        exact_sum(served.map(|(server, _)| server.light.w).chain(settled))
    }

    /// Lets each job choose its best alternative again. If the numbers of some round were much larger than those of
    /// the last one, rounding may have dropped candidates that are better now; the difference between the base and
    /// the least would then be too small, and the reduction would exclude too much.
    fn repair(&mut self, rows: &Rows) {
        let Some(multiplier) = self.multiplier else { return };
        for server in &mut self.servers {
            let job = server.job as usize;
            for at in rows.offsets[job]..rows.offsets[job + 1] - 1 {
                let (p, w) = (rows.sign * rows.objective[at] - server.saves, rows.weight[at]);
                if p + multiplier * w < server.best.p + multiplier * server.best.w {
                    server.best = Step { p, w, alt: at as u32 };
                }
            }
        }
    }
}

/// A relaxed choice.
#[derive(Debug, Clone, Default)]
pub(super) struct Vertex {
    pub(super) p: f64,
    pub(super) w: f64,
    pub(super) worth: f64,
    /// For each server whether it is served; one that is served in part counts as served.
    pub(super) served: Vec<bool>,
    /// The number of jobs served, including the fraction of a job that is served in part.
    pub(super) count: f64,
}

impl Balance {
    /// The relaxed choice of the alternatives in `best`, where the value of a job is `by_p * p + by_w * w`. Ties
    /// go to the lesser objective or weight, whichever the value does not include.
    pub(super) fn vertex(&mut self, (by_p, by_w): (f64, f64), to_lose: f64) -> Vertex {
        let Self { servers, settled, keys, is_count, .. } = self;
        // Avoids a negative zero, which would sort before an equal zero.
        let value = |server: &Server| by_p * server.best.p + by_w * server.best.w + 0.0;
        // If all give the same service, jobs are counted, because after a division different values could become
        // equal.
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

/// What decides whether a server is kept: its key, then the sum that its value does not include, then its
/// position.
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

/// A worth between the greatest key that is served and the least that is not.
fn between(greatest: f64, least: f64) -> f64 {
    match (greatest > f64::NEG_INFINITY, least < f64::INFINITY) {
        (true, true) => 0.5 * (greatest + least),
        (true, false) => greatest,
        (false, true) => least,
        (false, false) => 0.0,
    }
}

/// Sorts the servers that are kept before those that are left out. Whole servers of the greatest keys are left
/// out, as many as together give at most the service that is to be lost. Returns how many are kept, and the
/// service that is then still to be lost: a part of the last server kept, which has the greatest key of those
/// kept. Servers that give no service and have a positive value are always left out.
///
/// Time: O(j) for j servers, because each step splits them at their middle key, and continues with only one half.
fn split(keys: &mut [Key], gives: impl Fn(u32) -> f64, to_lose: f64) -> (usize, f64) {
    /// Fewer servers than this are sorted.
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
        // Among equal keys, servers that give no service stay.
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
    // Sums of halves are rounded differently from sums of single servers, so those before `low` may be needed,
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
