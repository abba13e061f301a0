//! Limits of a search: work, gap, memory, and a stop signal.

mod meter;

pub use meter::{Meter, Progress};

use std::fmt;
use std::sync::Arc;

/// A function that returns true once the search should stop.
#[derive(Clone)]
struct StopSignal(Arc<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for StopSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StopSignal")
    }
}

/// The limits of a search. A search that reaches one of them returns the best solution found so far.
///
/// Work is counted, not timed, so a limit of work stops at the same step on every machine and for any number of
/// threads. One unit is about one visit of one element (a state, an edge, a slot), which takes a few nanoseconds. The
/// default is safe for a server: 20 million units, which take a few tenths of a second, and 100 million bytes,
/// without a gap and without a signal.
///
/// ```
/// use sched_model::Limit;
/// assert_eq!((Limit::default().work, Limit::default().memory), (20_000_000, 100_000_000));
/// let limit = Limit::default().with_work(1_000_000).with_relative_gap(0.001);
/// assert!(limit.meter().report(Some(1000.0), Some(999.5)));
/// assert!(!limit.meter().report(Some(1000.0), Some(998.5)));
/// assert!(!Limit::none().meter().report(Some(1000.0), Some(999.999)));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct Limit {
    /// The maximum number of units of work.
    pub work: u64,
    /// The search may end once the incumbent is at most this far from the bound, in the unit of the objective.
    pub absolute_gap: f64,
    /// The search may end once the distance of the incumbent from the bound is at most this fraction of its value.
    pub relative_gap: f64,
    /// The maximum number of bytes that the search may take; input and answer do not count.
    pub memory: u64,
    signal: Option<StopSignal>,
}

impl Default for Limit {
    fn default() -> Self {
        Self { work: 20_000_000, absolute_gap: 0.0, relative_gap: 0.0, memory: 100_000_000, signal: None }
    }
}

impl Limit {
    /// Returns limits that never stop a search, which may then take hours, and all memory.
    pub fn none() -> Self {
        Self { work: u64::MAX, memory: u64::MAX, ..Self::default() }
    }

    /// Sets a stop signal: a function that the searching thread calls every 2^14 units of work, and that stops the
    /// search once it returns true, for example because another thread has set a flag, or a deadline has passed. This
    /// crate itself reads no clock.
    ///
    /// ```
    /// use sched_model::{End, Limit};
    /// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
    /// let flag = Arc::new(AtomicBool::new(false));
    /// let shared = Arc::clone(&flag);
    /// let mut meter = Limit::default().with_signal(move || shared.load(Ordering::Relaxed)).meter();
    /// flag.store(true, Ordering::Relaxed);
    /// assert_eq!(meter.spend(1), Err(End::Signal));
    ///
    /// let deadline = std::time::Instant::now() + std::time::Duration::from_millis(50);
    /// let by_the_clock = Limit::default().with_signal(move || std::time::Instant::now() >= deadline);
    /// # let _ = by_the_clock;
    /// ```
    pub fn with_signal(self, is_set: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { signal: Some(StopSignal(Arc::new(is_set))), ..self }
    }

    /// Creates a meter for one search under this limit.
    pub fn meter(&self) -> Meter {
        Meter::new(self.clone())
    }
}

/// For the searches of this workspace; not part of the public interface.
#[doc(hidden)]
impl Limit {
    /// Whether an incumbent of value `incumbent` is within one of the gaps of `bound`. With the default gaps of 0 the
    /// two must be equal. False if one of them is NaN.
    #[inline]
    pub fn gap_closed(&self, incumbent: f64, bound: f64) -> bool {
        let gap = (incumbent - bound).abs();
        gap <= self.absolute_gap || gap <= self.relative_gap * incumbent.abs() || incumbent == bound
    }

    /// Replaces the signal by that of `other`, for a part of a search that has a limit of its own.
    pub fn with_signal_of(self, other: &Self) -> Self {
        Self { signal: other.signal.clone(), ..self }
    }

    /// Whether there is a signal.
    pub fn has_signal(&self) -> bool {
        self.signal.is_some()
    }

    /// Whether there is a signal and it asks to stop.
    pub fn is_signalled(&self) -> bool {
        self.signal.as_ref().is_some_and(|signal| (signal.0)())
    }
}

crate::setters!(Limit {
    /// Sets the maximum number of units of work.
    with_work: work: u64,
    /// Sets the maximum number of bytes.
    with_memory: memory: u64,
    /// Sets the distance of the incumbent from the bound, in the unit of the objective, within which the search may
    /// end.
    with_absolute_gap: absolute_gap: f64,
    /// Sets the distance of the incumbent from the bound, as a fraction of the incumbent's value, within which the
    /// search may end.
    with_relative_gap: relative_gap: f64,
});

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum End {
    /// The search is complete.
    #[default]
    Done,
    /// The incumbent is within the gap of the bound.
    Gap,
    /// The limit of work was reached.
    Work,
    /// The next step needed more memory than the limit leaves.
    Memory,
    /// The stop signal asked to stop.
    Signal,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Done => "done",
            Self::Gap => "gap reached",
            Self::Work => "work limit reached",
            Self::Memory => "memory limit reached",
            Self::Signal => "stopped by a signal",
        })
    }
}
