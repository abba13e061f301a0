//! A log of the time that has become free in a profile, for jobs that search repeatedly for an earlier start.

use super::Profile;
use super::blocks::{Place, Steps};
use crate::{Span, Time, span_bound};

/// Amounts for which rooms are kept: the powers of two of a `u32`.
const AMOUNTS: usize = 32;

/// At most so many steps are read before and after a released interval; a stretch that continues beyond them
/// counts as endless there.
const READ: usize = 64;

/// At most so many rooms are kept for each amount and generation.
const KEPT: usize = 64;

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
/// [`may_fit`](Self::may_fit) takes O(log r), where r <= 64 is the number of stretches kept of a generation
/// for the greatest power of two up to the CPUs: of those stretches none begins as early as another that is
/// as long.
///
/// ```
/// use sched_model::{Openings, Profile, Span, Time};
/// let t = Time::must;
/// let mut free = Profile::from_steps(4, &[(t(0.0), 0), (t(50.0), 1), (t(90.0), 0), (t(100.0), 4)])?;
/// let mut openings = Openings::default();
/// let seen = openings.len();
/// free.release(t(30.0), t(60.0), 2)?;
/// openings.note(&free, t(30.0), t(60.0));
/// let by = t(95.0);
/// assert!(openings.may_fit(1, Span::must(60.0), by, seen)); // one CPU from 30 to 90
/// assert!(openings.may_fit(2, Span::must(30.0), by, seen));
/// assert!(!openings.may_fit(2, Span::must(31.0), by, seen));
/// assert!(!openings.may_fit(2, Span::must(30.0), t(59.0), seen), "it would end at 60");
/// assert!(!openings.may_fit(1, Span::must(1.0), by, openings.len()), "nothing since");
/// openings.turn();
/// assert!(!openings.may_fit(2, Span::must(31.0), by, seen));
/// openings.turn();
/// assert!(openings.may_fit(2, Span::must(31.0), by, seen), "forgotten: it may");
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Openings {
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
    rooms: [Rooms; AMOUNTS],
}

/// The rooms of one amount, of which none begins as early as another that is as long: the earlier ones are
/// shorter.
#[derive(Debug, Clone, Default)]
struct Rooms(Vec<Room>);

/// The stretches of one record: intervals on which at least an amount is free.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// The start of the first.
    begin: f64,
    /// At least the length of the longest; below zero if there is none.
    length: f64,
}

impl Openings {
    /// The number of intervals recorded.
    pub fn len(&self) -> u64 {
        self.noted
    }

    /// Whether no interval has been recorded.
    pub fn is_empty(&self) -> bool {
        self.noted == 0
    }

    /// Begins a generation, and forgets all that was recorded before the one that ends now.
    pub fn turn(&mut self) {
        std::mem::swap(&mut self.present, &mut self.former);
        self.present.begun = self.noted;
        self.present.rooms.iter_mut().for_each(|rooms| rooms.0.clear());
    }

    /// Records that CPUs became free during `[start, end)`; `profile` is the profile after that.
    pub fn note(&mut self, profile: &Profile, start: Time, end: Time) {
        self.noted += 1;
        let found = profile.steps.rooms(start.max(profile.start()), end);
        for (rooms, room) in self.present.rooms.iter_mut().zip(found) {
            if room.length < 0.0 {
                break; // there is none for more either
            }
            rooms.insert(room);
        }
    }

    /// Whether `cpus` CPUs may be free for `span`, ending by `by`, in a stretch recorded when the log had at
    /// least the length `since`. False is certain, true is not.
    #[must_use]
    pub fn may_fit(&self, cpus: u32, span: Span, by: Time, since: u64) -> bool {
        if since >= self.noted || since < self.former.begun {
            return since < self.noted; // nothing since, or it is forgotten
        }
        let Some(amount) = amounts(i64::from(cpus)).checked_sub(1) else { return true };
        let may_fit = |generation: &Generation| generation.rooms[amount].may_fit(span, by);
        may_fit(&self.present) || since < self.present.begun && may_fit(&self.former)
    }
}

impl Rooms {
    fn insert(&mut self, room: Room) {
        let Self(rooms) = self;
        let covers = |other: &Room| other.begin <= room.begin && other.length >= room.length;
        if rooms.last().is_some_and(covers) {
            return; // the common case
        }
        let at = rooms.partition_point(|other| other.begin < room.begin);
        if rooms.get(at).is_some_and(covers) || at.checked_sub(1).is_some_and(|before| covers(&rooms[before]))
        {
            return;
        }
        let covered = rooms[at..].iter().take_while(|other| other.length <= room.length).count();
        rooms.splice(at..at + covered, [room]);
        if rooms.len() > KEPT {
            // The first two become one that allows no less.
            let first = rooms.remove(0);
            rooms[0].begin = first.begin;
        }
    }

    fn may_fit(&self, span: Span, by: Time) -> bool {
        let Self(rooms) = self;
        if rooms.last().is_none_or(|longest| longest.length < span.get()) {
            return false;
        }
        // Of those that are long enough, the first begins first.
        let first = rooms.partition_point(|room| room.length < span.get());
        rooms.get(first).is_some_and(|room| room.begin + span.get() <= by.get())
    }
}

/// The number of powers of two up to this value.
fn amounts(value: i64) -> usize {
    (i64::BITS - value.max(0).leading_zeros()) as usize
}

impl Steps {
    /// For each power of two: the stretches that touch `[start, end)` and on which so much is free, up to the
    /// last step.
    fn rooms(&self, start: Time, end: Time) -> [Room; AMOUNTS] {
        let mut rooms = [Room { begin: f64::INFINITY, length: -1.0 }; AMOUNTS];
        let Some(mut place) = self.covering(start) else { return rooms };
        let mut begins = self.begins(place);
        let mut held = amounts(self.value(place));
        let mut behind = 0;
        // Each stretch of an amount is counted where it ends. Stretches that begin at the end or later are
        // ignored.
        let mut count = |amount: usize, begin: f64, until: f64| {
            let room = &mut rooms[amount];
            room.begin = room.begin.min(begin);
            room.length = room.length.max(span_bound(begin, until));
        };
        while behind < READ
            && let Some(next) = self.after(place)
        {
            place = next;
            let (at, now) = (self.instant(place), amounts(self.value(place)));
            if now < held {
                (now..held).for_each(|amount| count(amount, begins[amount], at.get()));
                held = now;
            } else if at < end {
                begins[held..now].fill(at.get());
                held = now;
            }
            if at >= end {
                behind = if held == 0 { READ } else { behind + 1 };
            }
        }
        let until = if behind == READ { f64::INFINITY } else { self.last().get() };
        (0..held).for_each(|amount| count(amount, begins[amount], until));
        rooms
    }

    /// For each power of two up to the value of a step: the start of the stretch that contains the step.
    fn begins(&self, place: Place) -> [f64; AMOUNTS] {
        let mut begins = [f64::NEG_INFINITY; AMOUNTS];
        let mut held = amounts(self.value(place));
        let mut later = place;
        for _ in 0..READ {
            let Some(before) = self.before(later).filter(|_| held > 0) else { break };
            let now = amounts(self.value(before));
            if now < held {
                begins[now..held].fill(self.instant(later).get());
                held = now;
            }
            later = before;
        }
        if self.before(later).is_none() {
            begins[..held].fill(self.start().get());
        }
        begins
    }
}
