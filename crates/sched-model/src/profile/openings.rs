//! A log of the time that has become free in a profile, for jobs that search repeatedly for an earlier start.

use super::Profile;
use super::blocks::{Place, Steps};
use crate::{Span, Time, span_bound};
use std::collections::VecDeque;

/// Amounts for which rooms are kept: the powers of two of a `u32`.
const AMOUNTS: usize = 32;

/// At most so many steps are read before and after a released interval; a stretch that continues beyond them
/// counts as endless there.
const READ: usize = 64;

/// At most so many rooms are kept for each amount.
const KEPT: usize = 256;

/// A log of the time that has become free in a profile. It answers whether a job that found no earlier start
/// before may find one now.
///
/// After each release, [`note`](Self::note) records the interval. Reservations need not be recorded. Suppose
/// that a job holds its CPUs from some instant on, and had no earlier start when the log had some
/// [length](Self::len). It has one now only in two cases: its CPUs are free without a break [directly
/// before](Profile::free_from) that instant, or some stretch of its whole span before that instant includes
/// time recorded since. If there may be such a stretch, [`may_fit`](Self::may_fit) returns true.
///
/// # Complexity
/// [`note`](Self::note) reads the steps of the interval and at most 64 before and after it.
/// [`may_fit`](Self::may_fit) takes O(log r) or O(r) time, where r <= 256 is the number of stretches recorded
/// since for the greatest power of two up to the CPUs.
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
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Openings {
    noted: u64,
    rooms: [Rooms; AMOUNTS],
}

/// The rooms of one amount, in the order in which they were recorded.
#[derive(Debug, Clone, Default)]
struct Rooms {
    all: VecDeque<Room>,
    /// The longest rooms, each with the number of its record, in descending order of length.
    longest: VecDeque<(u64, f64)>,
}

/// The stretches of one record: intervals on which at least an amount is free.
#[derive(Debug, Clone, Copy)]
struct Room {
    noted: u64,
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

    /// Records that CPUs became free during `[start, end)`; `profile` is the profile after that.
    pub fn note(&mut self, profile: &Profile, start: Time, end: Time) {
        self.noted += 1;
        let found = profile.steps.rooms(start.max(profile.start()), end, self.noted);
        for (rooms, room) in self.rooms.iter_mut().zip(found) {
            if room.length < 0.0 {
                break; // there is none for more either
            }
            rooms.push(room);
        }
    }

    /// Whether `cpus` CPUs may be free for `span`, ending by `by`, in a stretch recorded when the log had at
    /// least the length `since`. False is certain, true is not.
    #[must_use]
    pub fn may_fit(&self, cpus: u32, span: Span, by: Time, since: u64) -> bool {
        let Some(amount) = amounts(i64::from(cpus)).checked_sub(1) else { return since < self.noted };
        self.rooms[amount].may_fit(span, by, since)
    }
}

impl Rooms {
    fn push(&mut self, room: Room) {
        while self.longest.back().is_some_and(|&(_, older)| older <= room.length) {
            self.longest.pop_back();
        }
        self.longest.push_back((room.noted, room.length));
        self.all.push_back(room);
        // The two oldest become one that allows no less: as recent as the younger, and as good as both.
        if self.all.len() > KEPT
            && let (Some(oldest), Some(next)) = (self.all.pop_front(), self.all.front_mut())
        {
            next.begin = next.begin.min(oldest.begin);
            next.length = next.length.max(oldest.length);
        }
        if self.longest.len() > KEPT
            && let (Some(oldest), Some(next)) = (self.longest.pop_front(), self.longest.front_mut())
        {
            next.1 = oldest.1;
        }
    }

    fn may_fit(&self, span: Span, by: Time, since: u64) -> bool {
        let first = self.longest.partition_point(|&(noted, _)| noted <= since);
        if self.longest.get(first).is_none_or(|&(_, length)| length < span.get()) {
            return false;
        }
        let later = self.all.iter().rev().take_while(|room| room.noted > since);
        let fits = |room: &Room| span.get() <= room.length && room.begin + span.get() <= by.get();
        later.into_iter().any(fits)
    }
}

/// The number of powers of two up to this value.
fn amounts(value: i64) -> usize {
    (i64::BITS - value.max(0).leading_zeros()) as usize
}

impl Steps {
    /// For each power of two: the stretches that touch `[start, end)` and on which so much is free, up to the
    /// last step.
    fn rooms(&self, start: Time, end: Time, noted: u64) -> [Room; AMOUNTS] {
        let mut rooms = [Room { noted, begin: f64::INFINITY, length: -1.0 }; AMOUNTS];
        let Some(mut place) = self.covering(start) else { return rooms };
        let mut begins = self.begins(place);
        let mut held = amounts(self.value(place));
        let mut behind = 0;
        // Each stretch of an amount is counted where it ends. Stretches that begin at the end or later are
        // ignored.
        let mut count = |amounts: std::ops::Range<usize>, begins: &[f64; AMOUNTS], until: f64| {
            for (room, &begin) in rooms[amounts.clone()].iter_mut().zip(&begins[amounts]) {
                room.begin = room.begin.min(begin);
                room.length = room.length.max(span_bound(begin, until));
            }
        };
        while behind < READ
            && let Some(next) = self.after(place)
        {
            place = next;
            let (at, now) = (self.instant(place), amounts(self.value(place)));
            if now < held {
                count(now..held, &begins, at.get());
                held = now;
            } else if at < end {
                begins[held..now].fill(at.get());
                held = now;
            }
            if at >= end {
                behind = if held == 0 { READ } else { behind + 1 };
            }
        }
        count(0..held, &begins, if behind == READ { f64::INFINITY } else { self.last().get() });
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
