//! What has come free in a profile, for those who look again and again for something better.

use super::Profile;
use super::blocks::{Place, Steps};
use crate::{Span, Time, span_bound};
use std::collections::VecDeque;

/// Amounts for which rooms are kept: the powers of two of a `u32`.
const AMOUNTS: usize = 32;

/// At most so many steps are read before and behind what has come free; a room that goes on is taken to have
/// no end there.
const READ: usize = 64;

/// At most so many rooms are kept of each amount.
const KEPT: usize = 256;

/// A log of what has come free in a profile: whether a job that found nothing better may find it now.
///
/// After each release the profile is [noted](Self::note) with the interval. What is taken need not be noted.
/// A job that held its CPUs from some instant on, and had no earlier start when the log had some
/// [length](Self::len), has one now only in two ways: what has its CPUs free without a break [right
/// before](Profile::free_from) that instant, or a stretch of its whole span before it, of which something was
/// noted since. If there can be such a stretch, [`may_fit`](Self::may_fit) says so.
///
/// # Complexity
/// Noting reads the steps of the interval and at most 64 before and behind it. A question takes O(log r) or
/// O(r), with r <= 256 the rooms noted since for the greatest power of two up to the CPUs.
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

/// The rooms of one amount, in order of notes.
#[derive(Debug, Clone, Default)]
struct Rooms {
    all: VecDeque<Room>,
    /// The longest, each with the number of its note: none is as long as an older one of these.
    longest: VecDeque<(u64, f64)>,
}

/// The stretches that one note was about.
#[derive(Debug, Clone, Copy)]
struct Room {
    noted: u64,
    /// Where the first begins.
    begin: f64,
    /// At least the length of the longest; below zero if there is none.
    length: f64,
}

impl Openings {
    /// How many intervals have been noted.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.noted
    }

    /// Whether none has been noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.noted == 0
    }

    /// Something has come free during `[start, end)`, after which the profile is this one.
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

    /// Whether `cpus` CPUs may have been free for `span`, ending no later than `by`, in a stretch noted when
    /// the log had at least the length `since`.
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
        // The oldest two as one that says no less than they: as young as the one and as good as both.
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

/// How many powers of two are no more than this.
fn amounts(value: i64) -> usize {
    (i64::BITS - value.max(0).leading_zeros()) as usize
}

impl Steps {
    /// Of each power of two: the stretches that touch `[start, end)` and on which so much is free, up to the
    /// last step.
    fn rooms(&self, start: Time, end: Time, noted: u64) -> [Room; AMOUNTS] {
        let mut rooms = [Room { noted, begin: f64::INFINITY, length: -1.0 }; AMOUNTS];
        let Some(mut place) = self.covering(start) else { return rooms };
        let mut begins = self.begins(place);
        let mut held = amounts(self.value(place));
        let mut behind = 0;
        // Each stretch of an amount is counted where it ends. Those that begin at the end or behind it are
        // none of ours.
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

    /// Where the stretches begin that are open in a step, of each power of two of which it has so much.
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
