//! A log of the time that has become free in a profile, for jobs that search repeatedly for an earlier start.

use sched_model::internal::span_bound;
use sched_model::{Profile, Span, Time};

/// Amounts for which rooms are kept: the powers of two of a `u32`.
const AMOUNTS: usize = 32;

/// At most so many steps are read before and after a released interval; a stretch that continues beyond them
/// counts as endless there.
const READ: usize = 64;

/// A log of the time that has become free in a profile. It answers whether a job that found no earlier start
/// before may find one now.
///
/// After each release, [`note`](Self::note) records the interval. Reservations need not be recorded. Suppose
/// that a job holds its CPUs from some instant on, and had no earlier start when the log had some
/// [length](Self::len). It has one now only in two cases: its CPUs are free without a break [directly
/// before](Profile::free_from) that instant, or some stretch of its whole span before that instant includes
/// time recorded since. If there may be such a stretch, [`may_fit`](Self::may_fit) returns true.
///
/// The log is kept in generations: [`turn`](Self::turn) begins one, and forgets the one before the last. It is
/// to be called each time before all jobs are looked at.
///
/// # Complexity
/// [`note`](Self::note) reads the steps of the interval and at most 64 before and after it.
/// [`may_fit`](Self::may_fit) takes O(1): of the stretches of a generation, for each power of two up to the CPUs, the
/// first start and the greatest length are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Openings {
    noted: u64,
    present: Generation,
    /// The generation before the present.
    former: Generation,
}

/// What was recorded between two calls of [`Openings::turn`].
#[derive(Debug, Clone, Default)]
struct Generation {
    /// The length of the log when it began.
    begun: u64,
    /// For each power of two, the stretches of all records.
    rooms: [Room; AMOUNTS],
}

/// Some stretches: intervals on which at least an amount is free.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// The start of the first.
    begin: f64,
    /// At least the length of the longest; below zero if there is none.
    length: f64,
}

impl Default for Room {
    /// No stretch.
    fn default() -> Self {
        Self { begin: f64::INFINITY, length: -1.0 }
    }
}

impl Openings {
    /// The number of intervals recorded.
    pub(super) fn len(&self) -> u64 {
        self.noted
    }

    /// Begins a generation, and forgets all that was recorded before the one that ends now.
    pub(super) fn turn(&mut self) {
        std::mem::swap(&mut self.present, &mut self.former);
        self.present = Generation { begun: self.noted, ..Generation::default() };
    }

    /// Records that CPUs became free during `[start, end)`; `profile` is the profile after that.
    pub(super) fn note(&mut self, profile: &Profile, start: Time, end: Time) {
        self.noted += 1;
        let found = rooms(profile, start.max(profile.start()), end);
        for (all, found) in self.present.rooms.iter_mut().zip(found) {
            *all = Room { begin: all.begin.min(found.begin), length: all.length.max(found.length) };
        }
    }

    /// Whether `cpus` CPUs may be free for `span`, ending by `by`, in a stretch recorded when the log had at
    /// least the length `since`. False is certain, true is not.
    #[must_use]
    pub(super) fn may_fit(&self, cpus: u32, span: Span, by: Time, since: u64) -> bool {
        if since >= self.noted || since < self.former.begun {
            return since < self.noted; // nothing since, or it is forgotten
        }
        let Some(amount) = amounts(cpus).checked_sub(1) else { return true };
        let may_fit = |generation: &Generation| generation.rooms[amount].may_fit(span, by);
        may_fit(&self.present) || since < self.present.begun && may_fit(&self.former)
    }
}

impl Room {
    fn may_fit(&self, span: Span, by: Time) -> bool {
        self.length >= span.get() && self.begin + span.get() <= by.get()
    }
}

/// The number of powers of two up to this value.
fn amounts(value: u32) -> usize {
    (u32::BITS - value.leading_zeros()) as usize
}

/// For each power of two: the stretches that touch `[start, end)` and on which so much is free, up to the last
/// step.
fn rooms(profile: &Profile, start: Time, end: Time) -> [Room; AMOUNTS] {
    let mut rooms = [Room::default(); AMOUNTS];
    let mut steps = profile.steps_from(start);
    let Some((first, free)) = steps.next() else { return rooms };
    let mut begins = begins(profile, first, free);
    let (mut held, mut last, mut behind) = (amounts(free), first.get(), 0);
    // Each stretch of an amount is counted where it ends. Stretches that begin at the end or later are ignored.
    let mut count = |amount: usize, begin: f64, until: f64| {
        let room = &mut rooms[amount];
        room.begin = room.begin.min(begin);
        room.length = room.length.max(span_bound(begin, until));
    };
    for (at, free) in steps {
        last = at.get();
        let now = amounts(free);
        if now < held {
            (now..held).for_each(|amount| count(amount, begins[amount], last));
            held = now;
        } else if at < end {
            begins[held..now].fill(last);
            held = now;
        }
        if at >= end {
            behind += 1;
            if held == 0 || behind == READ {
                last = f64::INFINITY;
                break;
            }
        }
    }
    (0..held).for_each(|amount| count(amount, begins[amount], last));
    rooms
}

/// For each power of two up to what is free in the step that starts at `first`: the start of the stretch that
/// contains the step.
fn begins(profile: &Profile, first: Time, free: u32) -> [f64; AMOUNTS] {
    let mut begins = [f64::NEG_INFINITY; AMOUNTS];
    let (mut held, mut later) = (amounts(free), first.get());
    let mut before = profile.steps_before(first);
    for (at, free) in before.by_ref().take(READ) {
        let now = amounts(free);
        if now < held {
            begins[now..held].fill(later);
            held = now;
        }
        if held == 0 {
            return begins;
        }
        later = at.get();
    }
    if before.next().is_none() {
        begins[..held].fill(profile.start().get());
    }
    begins
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A job that holds its CPUs, and how much had come free when it was looked at last.
    struct Held {
        start: Time,
        span: Span,
        cpus: u32,
        seen: u64,
    }

    /// Jobs end early, and the others look for earlier starts: where the log lets one stay, no search finds an
    /// earlier start than directly before its own.
    #[test]
    fn what_the_log_excludes_no_search_finds() {
        let mut excluded = 0;
        for seed in 0..64 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let cpus = [1, 5, 8, 128, u32::MAX][seed as usize % 5];
            let (mut profile, mut openings) = (Profile::new(cpus, Time::ZERO).unwrap(), Openings::default());
            let mut held: Vec<Held> = Vec::new();
            for _ in 0..random.random_range(1..200) {
                let taken = 1 + (random.random::<f64>().powi(3) * f64::from(cpus - 1)) as u32;
                let span = Span::must(1.0 + (random.random::<f64>().powi(4) * 90.0).round());
                let start = profile.earliest_fit(taken, span, Time::ZERO).unwrap();
                profile.reserve(start, start + span, taken).unwrap();
                held.push(Held { start, span, cpus: taken, seen: 0 });
            }
            while !held.is_empty() {
                openings.turn();
                let Held { start, span, cpus, .. } = held.swap_remove(random.random_range(0..held.len()));
                let over = start + Span::must((random.random::<f64>() * span.get()).floor());
                profile.release(over, start + span, cpus).unwrap();
                openings.note(&profile, over, start + span);
                for job in held.iter_mut().skip(random.random_range(0..8)).take(40) {
                    let best = profile.earliest_fit_until(job.cpus, job.span, Time::ZERO, job.start);
                    if !openings.may_fit(job.cpus, job.span, job.start, job.seen) {
                        assert_eq!(profile.free_from(job.cpus, job.start, Time::ZERO), best, "seed {seed}");
                        excluded += 1;
                    } else if best < job.start {
                        profile.release(job.start, job.start + job.span, job.cpus).unwrap();
                        profile.reserve(best, best + job.span, job.cpus).unwrap();
                        openings.note(&profile, job.start.max(best + job.span), job.start + job.span);
                        job.start = best;
                    }
                    job.seen = openings.len();
                }
            }
        }
        assert!(excluded > 10_000, "{excluded}");
    }
}
