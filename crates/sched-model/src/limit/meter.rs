//! The meter, which counts the work and memory of a search.

use super::{End, Limit};
use std::any::Any;
use std::fmt;

/// The progress of a search, as its observer receives it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Units of work done so far.
    pub work: u64,
    /// Value of the best solution so far; `None` if there is none.
    pub best: Option<f64>,
    /// A bound that no solution can beat; `None` if nothing is proven.
    pub bound: Option<f64>,
}

type Observer = Box<dyn FnMut(Progress) + Send>;

/// Counts the work and memory of a search, and returns an error when the search must stop. Loops call it *before*
/// they do work or allocate memory.
///
/// If a signal stopped a search at `w = work()`, the same search with a limit of `w` units ends at the same step
/// with the same answer. So a run that was stopped by the clock can be repeated. The first end by work or by the
/// signal is final: all later calls of [`spend`](Self::spend) for any work return it. After a refused
/// [`reserve`](Self::reserve) a search may go on with less memory.
///
/// A call costs an addition and a comparison; the signal and the observer are called every 2^14 units, or with the
/// next call if one call pays for more.
///
/// ```
/// use sched_model::{End, Limit};
/// let limit = Limit::default().with_work(10).with_memory(1000);
/// let mut meter = limit.meter();
/// assert_eq!(meter.spend(7), Ok(()));
/// assert_eq!(meter.spend(4), Err(End::Work)); // 4 more are too many, so they are not begun
/// assert_eq!((meter.work(), meter.spend(1)), (7, Err(End::Work)));
///
/// assert_eq!(meter.reserve(800), Ok(()));
/// assert_eq!(meter.reserve(800), Err(End::Memory));
/// ```
#[must_use]
pub struct Meter {
    limit: Limit,
    work: u64,
    /// Up to this work, [`spend`](Self::spend) only counts: the lower of the next two fields, or 0 once the search
    /// has ended.
    pause_at: u64,
    /// Beyond this work, the signal and the observer are called.
    poll_at: u64,
    /// The work limit in force: that of `limit`, or of a share of it (see [`within`](Self::within)).
    stop_at: u64,
    /// Why the search has ended; reset if only a share of the work was exceeded.
    ended: Option<End>,
    /// The total work that the refused call of [`spend`](Self::spend) would have reached.
    refused_work: u64,
    memory: u64,
    best: Option<f64>,
    bound: Option<f64>,
    observer: Option<Observer>,
    /// Buffers that were put back, to be lent again.
    kept: Vec<Box<dyn Any + Send>>,
}

impl Meter {
    /// Creates a meter that has counted nothing.
    pub(super) fn new(limit: Limit) -> Self {
        Self::with(limit, None, Vec::new())
    }

    fn with(limit: Limit, observer: Option<Observer>, kept: Vec<Box<dyn Any + Send>>) -> Self {
        let poll_at = if limit.signal.is_some() || observer.is_some() { 0 } else { u64::MAX };
        Self {
            work: 0,
            pause_at: poll_at.min(limit.work),
            poll_at,
            stop_at: limit.work,
            limit,
            ended: None,
            refused_work: 0,
            memory: 0,
            best: None,
            bound: None,
            observer,
            kept,
        }
    }

    /// Sets an observer, which is called whenever the search [reports](Self::report), and every 2^14 units of work.
    /// The progress that it receives does not depend on the clock, and it cannot change the search.
    pub fn with_observer(self, observer: impl FnMut(Progress) + Send + 'static) -> Self {
        Self { observer: Some(Box::new(observer)), poll_at: 0, pause_at: 0, ..self }
    }

    /// Lends a buffer of type `T`: one that was [put](Self::put) back earlier, or a new one. A returned buffer may
    /// hold old content, so an algorithm clears it before use. A buffer that is not put back, for example because of
    /// an early return, is merely allocated again.
    ///
    /// ```
    /// use sched_model::Limit;
    /// let limit = Limit::default();
    /// let mut meter = limit.meter();
    /// let mut buffer: Vec<u8> = meter.take();
    /// buffer.reserve(100);
    /// meter.put(buffer);
    /// meter.restart();
    /// assert!(meter.take::<Vec<u8>>().capacity() >= 100);
    /// ```
    pub fn take<T: Any + Default>(&mut self) -> T {
        let at = self.kept.iter().position(|kept| kept.is::<T>());
        let kept = at.and_then(|at| self.kept.swap_remove(at).downcast().ok());
        kept.map_or_else(T::default, |kept| *kept)
    }

    /// Takes back a buffer that [`take`](Self::take) lent.
    pub fn put<T: Any + Send>(&mut self, lent: T) {
        self.kept.push(Box::new(lent));
    }

    /// Resets the meter, with the same limit and observer, for the next search in a loop. Buffers are kept.
    pub fn restart(&mut self) {
        let kept = std::mem::take(&mut self.kept);
        *self = Self::with(self.limit.clone(), self.observer.take(), kept);
    }

    /// Counts work that is about to be done. Before the search has ended, zero units always succeed.
    ///
    /// # Errors
    /// [`End::Work`] if the work would exceed the limit, [`End::Signal`] if the stop signal asks to stop. The work is
    /// then not counted, and must not be done.
    #[inline]
    pub fn spend(&mut self, units: u64) -> Result<(), End> {
        match self.work.checked_add(units) {
            Some(after) if after <= self.pause_at => {
                self.work = after;
                Ok(())
            }
            after => self.pause(after),
        }
    }

    /// Counts work up to `after` that [`spend`](Self::spend) did not count at once: calls the signal and the observer
    /// if they are due, and ends the search otherwise. `None` is a count beyond 64 bits.
    #[cold]
    fn pause(&mut self, after: Option<u64>) -> Result<(), End> {
        let end = match (self.ended, after) {
            (Some(end), _) => end,
            (None, Some(after)) if after <= self.stop_at => {
                // Within the limit, so the poll was due.
                if !self.limit.is_signalled() {
                    self.work = after;
                    self.poll_at = after.saturating_add(Self::POLL);
                    self.pause_at = self.poll_at.min(self.stop_at);
                    self.observe();
                    return Ok(());
                }
                End::Signal
            }
            (None, after) => {
                self.refused_work = after.unwrap_or(u64::MAX);
                End::Work
            }
        };
        self.ended = Some(end);
        self.pause_at = 0;
        Err(end)
    }

    /// Counts memory that is about to be taken, in bytes; it counts until the meter [restarts](Self::restart).
    ///
    /// # Errors
    /// [`End::Memory`] if the memory would exceed the limit. It is then not counted, and must not be taken. The
    /// search may continue without it.
    #[inline]
    pub fn reserve(&mut self, bytes: u64) -> Result<(), End> {
        match self.memory.checked_add(bytes) {
            Some(after) if after <= self.limit.memory => {
                self.memory = after;
                Ok(())
            }
            _ => Err(End::Memory),
        }
    }

    /// Reports the value of the best solution so far, and a bound that no solution can beat. `None` keeps what was
    /// reported before. Returns whether the two are within a gap of the limit; the search may then end with
    /// [`End::Gap`].
    ///
    /// ```
    /// use sched_model::Limit;
    /// let mut meter = Limit::default().with_absolute_gap(1.0).meter();
    /// assert!(!meter.report(Some(14.0), None));
    /// assert!(!meter.report(None, Some(12.5)));
    /// assert!(meter.report(Some(13.5), None));
    /// ```
    #[inline]
    pub fn report(&mut self, best: Option<f64>, bound: Option<f64>) -> bool {
        if best.is_some() || bound.is_some() {
            (self.best, self.bound) = (best.or(self.best), bound.or(self.bound));
            self.observe();
        }
        matches!((self.best, self.bound), (Some(best), Some(bound)) if self.limit.gap_closed(best, bound))
    }

    #[inline]
    fn observe(&mut self) {
        if let Some(observer) = &mut self.observer {
            observer(Progress { work: self.work, best: self.best, bound: self.bound });
        }
    }

    /// Units of work spent.
    #[inline]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Units of work left. An algorithm may adapt its effort to this number, but never to the clock.
    #[inline]
    pub fn work_left(&self) -> u64 {
        self.stop_at - self.work
    }
}

/// For the searches of this workspace; not part of the public interface.
#[doc(hidden)]
impl Meter {
    /// Units of work between two calls of the signal.
    pub const POLL: u64 = 1 << 14;

    /// The limit under which the search runs.
    pub fn limit(&self) -> &Limit {
        &self.limit
    }

    /// Why the search ended, if it did.
    #[inline]
    pub fn ended(&self) -> Option<End> {
        self.ended
    }

    /// Returns how many of the next `units` of work may be done before the limit or the signal has to be checked
    /// again: all of them, fewer if the limit is near, 0 once the search has to end. They are not counted yet; a
    /// following [`spend`](Self::spend) of up to this many cannot fail. For loops that know only afterwards how much
    /// they have done.
    ///
    /// ```
    /// use sched_model::{End, Limit};
    /// let limit = Limit::default().with_work(100);
    /// let mut meter = limit.meter();
    /// assert_eq!(meter.allowance(80), 80);
    /// assert_eq!(meter.spend(70), Ok(())); // the loop has ended early
    /// assert_eq!(meter.allowance(80), 30);
    /// assert_eq!(meter.spend(30), Ok(()));
    /// assert_eq!((meter.allowance(80), meter.ended()), (0, Some(End::Work)));
    /// ```
    #[inline]
    pub fn allowance(&mut self, units: u64) -> u64 {
        if units == 0 {
            return 0;
        }
        let units = units.min(self.work_left());
        match self.spend(units.max(1)) {
            Ok(()) => {
                self.work -= units;
                units
            }
            Err(_) => 0,
        }
    }

    /// Ends the search as if the next [`spend`](Self::spend) had failed with `end`: for a search of which a part with
    /// its own meter was ended by the signal. The results of that part may still be used, because a limit equal to
    /// the work spent ends it at the same step. The first end is final.
    pub fn end(&mut self, end: End) {
        self.ended.get_or_insert(end);
        self.pause_at = 0;
    }

    /// Counts memory for `count` values of type `T`, as [`reserve`](Self::reserve) does.
    ///
    /// # Errors
    /// As for [`reserve`](Self::reserve).
    #[inline]
    pub fn reserve_items<T>(&mut self, count: usize) -> Result<(), End> {
        self.reserve(bytes_of::<T>(count))
    }

    /// Subtracts memory that was freed, in bytes.
    #[inline]
    pub fn release(&mut self, bytes: u64) {
        self.memory = self.memory.saturating_sub(bytes);
    }

    /// Subtracts the freed memory of `count` values of type `T`.
    #[inline]
    pub fn release_items<T>(&mut self, count: usize) {
        self.release(bytes_of::<T>(count));
    }

    /// Runs a part of the search that frees all its memory at its end.
    ///
    /// ```
    /// use sched_model::Limit;
    /// let limit = Limit::default().with_memory(1000);
    /// let mut meter = limit.meter();
    /// assert_eq!(meter.scratch(|meter| meter.reserve(800)), Ok(()));
    /// assert_eq!(meter.memory(), 0);
    /// ```
    pub fn scratch<R>(&mut self, part: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.memory;
        let result = part(self);
        self.memory = before;
        result
    }

    /// Runs a part of the search with at most `work` units, and at most the work that is left. If the part ends
    /// because it would exceed this share, the whole search may continue with the rest.
    ///
    /// For a method that is tried first, and stopped if it takes too much work:
    ///
    /// ```
    /// use sched_model::{End, Limit};
    /// let limit = Limit::default().with_work(100);
    /// let mut meter = limit.meter();
    /// assert_eq!(meter.within(30, |meter| meter.spend(31)), Err(End::Work));
    /// assert_eq!(meter.within(300, |meter| meter.spend(100)), Ok(()));
    /// assert_eq!(meter.spend(1), Err(End::Work));
    /// ```
    pub fn within<R>(&mut self, work: u64, part: impl FnOnce(&mut Self) -> R) -> R {
        let (whole, was_running, share) =
            (self.stop_at, self.ended.is_none(), self.work.saturating_add(work));
        self.stop_at = share.min(whole);
        self.pause_at = self.pause_at.min(self.stop_at);
        let result = part(self);
        // Under any limit of the whole, exceeding the share would have ended the part; so the whole continues with
        // the rest.
        if was_running && self.ended == Some(End::Work) && self.refused_work > share {
            self.ended = None;
        }
        self.stop_at = whole;
        if self.ended.is_none() {
            self.pause_at = self.poll_at.min(whole);
        }
        result
    }

    /// Whether there is no limit, no gap, no signal and no observer. A search may then omit the state that stopping
    /// and reporting need.
    pub fn is_unlimited(&self) -> bool {
        let Limit { work, memory, absolute_gap, relative_gap, signal } = &self.limit;
        let no_limit = *work == u64::MAX && *memory == u64::MAX && signal.is_none();
        no_limit && *absolute_gap <= 0.0 && *relative_gap <= 0.0 && self.observer.is_none()
    }

    /// Bytes in use.
    pub fn memory(&self) -> u64 {
        self.memory
    }
}

fn bytes_of<T>(count: usize) -> u64 {
    // No platform has a `usize` of more than 64 bits.
    (size_of::<T>() as u64).saturating_mul(count as u64)
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, work, ended, .. } = self;
        let mut meter = f.debug_struct("Meter");
        meter.field("limit", limit).field("work", work).field("ended", ended).finish_non_exhaustive()
    }
}
