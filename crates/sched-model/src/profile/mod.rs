//! Free CPUs of one machine over time.

mod blocks;

use crate::{ModelError, Span, Time};
use blocks::{Place, Steps};
use std::fmt;

/// The free CPUs of one machine over time: a step function that begins at some instant and has no end.
///
/// Before the first step, no CPU counts as free. Each step lasts to the next, the last one without end. Adjacent
/// steps differ, so equal functions have equal steps.
///
/// # Complexity
/// With n steps in blocks of B = 64: [`free_at`](Self::free_at) takes O(log n); [`advance`](Self::advance) takes
/// O(B + n/B), where the second term scans dense arrays. So do [`reserve`](Self::reserve) and
/// [`release`](Self::release), plus one addition for each step of the interval.
/// [`earliest_fit`](Self::earliest_fit) takes O(B + n/B), plus O(B) for each block before the fit in which enough
/// CPUs are free at some instants but not at others.
///
/// ```
/// use sched_model::{Profile, Span, Time};
/// let t = Time::must;
/// let mut free = Profile::new(4, t(0.0));
/// free.reserve(t(0.0), t(10.0), 3)?;
/// free.reserve(t(20.0), t(30.0), 2)?;
/// assert_eq!(free.to_string(), "0: 1, 10: 4, 20: 2, 30: 4");
///
/// // Two CPUs for 15 are free from 10 on, three only after 30.
/// assert_eq!(free.earliest_fit(2, Span::must(15.0), t(0.0)), Some(t(10.0)));
/// assert_eq!(free.earliest_fit(3, Span::must(15.0), t(0.0)), Some(t(30.0)));
/// assert_eq!(free.earliest_fit(5, Span::must(15.0), t(0.0)), None);
///
/// free.release(t(20.0), t(30.0), 2)?;
/// free.advance(t(5.0));
/// assert_eq!(free.to_string(), "5: 1, 10: 4");
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawProfile", into = "RawProfile"))]
#[must_use]
pub struct Profile {
    cpus: u32,
    steps: Steps,
}

impl Profile {
    /// Creates the profile of a machine with `cpus` CPUs, all free from `start` on.
    pub fn new(cpus: u32, start: Time) -> Self {
        Self::of_valid_steps(cpus, &[(start, cpus)])
    }

    fn of_valid_steps(cpus: u32, steps: &[(Time, u32)]) -> Self {
        let mut joined = steps.to_vec();
        joined.dedup_by_key(|step| step.1);
        Self { cpus, steps: Steps::new(&joined) }
    }

    /// The steps in order of time: each instant, and the number of CPUs free from then on.
    pub fn steps(&self) -> impl Iterator<Item = (Time, u32)> {
        self.steps.iter()
    }

    fn step(&self, place: Place) -> (Time, u32) {
        (self.steps.instant(place), self.steps.value(place))
    }

    /// The number of CPUs free at `instant`; 0 before the first step.
    pub fn free_at(&self, instant: Time) -> u32 {
        self.steps.covering(instant).map_or(0, |place| self.steps.value(place))
    }

    /// Returns the earliest instant, not before `not_before` and not before the first step, from which `cpus` CPUs
    /// are free for `span`; `None` if there is none.
    ///
    /// The end is `start + span`, rounded as an `f64`: [`reserve`](Self::reserve) for that interval succeeds, unless
    /// the end rounds to the start. For a span of zero, `cpus` CPUs are free at the instant itself.
    pub fn earliest_fit(&self, cpus: u32, span: Span, not_before: Time) -> Option<Time> {
        self.earliest(cpus, span, not_before.max(self.start()), None)
    }

    /// The earliest instant, not before `from`, from which `cpus` CPUs are free for `span` or, if it is given and
    /// earlier, up to `until`. `from` must be within the profile.
    fn earliest(&self, cpus: u32, span: Span, from: Time, until: Option<Time>) -> Option<Time> {
        let lasts = |start: Time, below: Time| {
            let end = start.max(from) + span;
            until.map_or(end, |until| until.min(end)) <= below
        };
        let start = self.steps.first_run(self.steps.covering(from)?, cpus, lasts)?;
        Some(start.max(from))
    }

    /// Takes `cpus` CPUs during `[start, end)`.
    ///
    /// # Errors
    /// [`ModelError::EmptyInterval`] unless `start < end`, [`ModelError::Zero`] if `cpus` is 0,
    /// [`ModelError::TooFewFree`] with the first instant at which too few are free. The profile is then unchanged.
    pub fn reserve(&mut self, start: Time, end: Time, cpus: u32) -> Result<(), ModelError> {
        check_interval("a reservation", start, end, cpus)?;
        let too_few = |at: Time, free| ModelError::TooFewFree { needed: cpus, free, at: at.get() };
        let first = self.steps.covering(start).ok_or_else(|| too_few(start, 0))?;
        let below = self.steps.next_below(first, cpus).map(|place| self.step(place));
        match below.map(|(at, free)| (at.max(start), free)) {
            Some((at, free)) if at < end => Err(too_few(at, free)),
            _ => {
                self.steps.change(start, end, |free| free - cpus);
                Ok(())
            }
        }
    }

    /// Releases `cpus` CPUs during `[start, end)`. The part before the first step is ignored.
    ///
    /// # Errors
    /// [`ModelError::EmptyInterval`] unless `start < end`, [`ModelError::Zero`] if `cpus` is 0,
    /// [`ModelError::TooManyFree`] with the first instant at which fewer than `cpus` CPUs are taken. The profile
    /// is then unchanged.
    pub fn release(&mut self, start: Time, end: Time, cpus: u32) -> Result<(), ModelError> {
        check_interval("a release", start, end, cpus)?;
        let start = start.max(self.start());
        if start >= end {
            return Ok(());
        }
        let is_over = |free: u32| u64::from(free) + u64::from(cpus) > u64::from(self.cpus);
        let first = self.steps.covering(start);
        let over = first.and_then(|first| self.steps.next_where(first, |head| head.high, is_over));
        match over.map(|place| self.step(place)).map(|(at, free)| (at.max(start), free)) {
            Some((at, free)) if at < end => {
                Err(ModelError::TooManyFree { released: cpus, taken: self.cpus - free, at: at.get() })
            }
            _ => {
                self.steps.change(start, end, |free| free + cpus);
                Ok(())
            }
        }
    }

    /// Removes everything before `to`, so that the profile starts there. Does nothing if it starts there or later.
    pub fn advance(&mut self, to: Time) {
        self.steps.advance(to);
    }
}

/// For the clusters of this workspace; not part of the public interface.
#[doc(hidden)]
impl Profile {
    /// Number of CPUs of the machine.
    pub fn cpus(&self) -> u32 {
        self.cpus
    }

    /// The instant at which the profile begins.
    pub fn start(&self) -> Time {
        self.steps.start()
    }

    /// Creates a profile from its steps: each step is an instant and the number of CPUs that are free from then on.
    /// Adjacent steps of equal value are joined.
    ///
    /// # Errors
    /// [`ModelError::Zero`] if there is no step, [`ModelError::EmptyInterval`] if the instants do not
    /// ascend, [`ModelError::OutOfRange`] for a step with more than `cpus`.
    pub fn from_steps(cpus: u32, steps: &[(Time, u32)]) -> Result<Self, ModelError> {
        if steps.is_empty() {
            return Err(ModelError::Zero { what: "steps of a profile" });
        }
        if let Some(pair) = steps.windows(2).find(|pair| pair[1].0 <= pair[0].0) {
            return Err(ModelError::empty_interval("a step of a profile", pair[0].0, pair[1].0));
        }
        if let Some(step) = steps.iter().find(|step| step.1 > cpus) {
            let (what, expected) = ("a step of a profile", "[0, CPUs of the machine]");
            return Err(ModelError::out_of_range(what, expected, step.1.into()));
        }
        Ok(Self::of_valid_steps(cpus, steps))
    }

    /// The minimum number of CPUs free during `[start, end)`; for an empty interval, the number free at `start`.
    pub fn min_free(&self, start: Time, end: Time) -> u32 {
        let Some(first) = self.steps.covering(start) else { return 0 };
        self.steps.minimum(first, self.steps.last_before(end).max(first))
    }

    /// The instants after `from` at which fewer CPUs are free than ever before since `from`, each with the number
    /// then free, in order of time. Empty if `from` is before the first step.
    ///
    /// ```
    /// use sched_model::{Profile, Time};
    /// let t = Time::must;
    /// let free =
    ///     Profile::from_steps(9, &[(t(0.0), 5), (t(10.0), 8), (t(20.0), 4), (t(30.0), 4), (t(40.0), 1)])?;
    /// assert_eq!(free.drops(t(0.0)).collect::<Vec<_>>(), [(t(20.0), 4), (t(40.0), 1)]);
    /// # Ok::<(), sched_model::ModelError>(())
    /// ```
    pub fn drops(&self, from: Time) -> impl Iterator<Item = (Time, u32)> + '_ {
        let mut place = self.steps.covering(from);
        let mut minimum = place.map_or(0, |place| self.steps.value(place));
        std::iter::from_fn(move || {
            let next = self.steps.next_below(place?, minimum)?;
            place = Some(next);
            minimum = self.steps.value(next);
            Some((self.steps.instant(next), minimum))
        })
    }

    /// Returns the earliest instant, not before `not_before` and not before the first step, from which `cpus` CPUs
    /// are free for `span` or up to `until`, whichever ends first. The result is `until` if no earlier instant
    /// qualifies, or the later of `not_before` and `start` if that is after `until`.
    ///
    /// This is the earliest start of a job that now holds `cpus` CPUs for `span` from `until` on, if it released
    /// them first.
    ///
    /// ```
    /// use sched_model::{Profile, Span, Time};
    /// let t = Time::must;
    /// let mut free = Profile::new(4, t(0.0));
    /// free.reserve(t(0.0), t(10.0), 3)?;
    /// free.reserve(t(15.0), t(25.0), 2)?; // the job
    /// free.reserve(t(15.0), t(20.0), 2)?;
    /// assert_eq!(free.earliest_fit(2, Span::must(10.0), t(0.0)), Some(t(20.0)));
    /// assert_eq!(free.earliest_fit_until(2, Span::must(10.0), t(0.0), t(15.0)), t(10.0));
    /// # Ok::<(), sched_model::ModelError>(())
    /// ```
    pub fn earliest_fit_until(&self, cpus: u32, span: Span, not_before: Time, until: Time) -> Time {
        let from = not_before.max(self.start());
        let found = self.earliest(cpus, span, from, Some(until));
        found.map_or(until, |start| start.min(until)).max(from)
    }
}

fn check_interval(what: &'static str, start: Time, end: Time, cpus: u32) -> Result<(), ModelError> {
    if end <= start {
        return Err(ModelError::empty_interval(what, start, end));
    }
    if cpus == 0 {
        return Err(ModelError::Zero { what: "cpus of a reservation" });
    }
    Ok(())
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        // Equal functions have equal steps, but may have them in different blocks.
        self.cpus == other.cpus && self.steps().eq(other.steps())
    }
}

impl Eq for Profile {}

impl fmt::Display for Profile {
    /// Writes `instant: free` for each step, separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (start, free)) in self.steps().enumerate() {
            write!(f, "{}{start}: {free}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Profile of {} CPUs {{ {self} }}", self.cpus)
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProfile {
    cpus: u32,
    steps: Vec<(Time, u32)>,
}

#[cfg(feature = "serde")]
impl TryFrom<RawProfile> for Profile {
    type Error = ModelError;
    fn try_from(raw: RawProfile) -> Result<Self, ModelError> {
        Self::from_steps(raw.cpus, &raw.steps)
    }
}

#[cfg(feature = "serde")]
impl From<Profile> for RawProfile {
    fn from(profile: Profile) -> Self {
        Self { cpus: profile.cpus, steps: profile.steps().collect() }
    }
}
