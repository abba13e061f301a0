//! The trait that every search implements, and the memory they share.

use crate::{
    WindowError,
    cost_scan::CostScratch,
    heaps::Expiring,
    live::{Entry, Live},
    refusal,
    scan::Choice,
    value_scan::ValueScratch,
};
use sched_model::{Refusal, ResourceRequest, SlotList, Time, Window, check::Rules};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Debug;

/// Memory of a search, owned by the caller and used again by the next one, of whatever kind. Holds no result.
///
/// ```
/// use slot_window::SearchScratch;
/// let mut scratch = SearchScratch::default();
/// # let _ = &mut scratch;
/// ```
#[derive(Debug, Default)]
pub struct SearchScratch {
    pub(crate) live: Live,
    pub(crate) choice: Choice,
    pub(crate) speeds: Vec<f64>,
    pub(crate) spare: BinaryHeap<Entry>,
    pub(crate) value: ValueScratch,
    pub(crate) cost: CostScratch,
    pub(crate) waiting: BinaryHeap<Reverse<Expiring>>,
}

impl SearchScratch {
    /// Empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// A search for one window of simultaneous slots.
///
/// Object safe; a search of your own joins the [alternatives search](crate::Alternatives) through it. See the crate's
/// documentation for which of the searches here to take.
pub trait WindowSearch: Debug + Send + Sync {
    /// Its name, as in reports and on command lines.
    fn name(&self) -> &str;

    /// How it reads a request's limits and how long it holds nodes: what its windows are to be
    /// [checked](sched_model::check::Checker) against.
    fn rules(&self) -> Rules;

    /// The window it prefers among those that start at `from` or later; `None` if there is none.
    ///
    /// Slots that have begun before `from` count from `from` on. The same input gives the same window, whatever was in
    /// `scratch`.
    ///
    /// # Errors
    /// Only for malformed input: see [`WindowError`].
    fn find(
        &self,
        slots: &SlotList,
        request: &ResourceRequest,
        from: Time,
        scratch: &mut SearchScratch,
    ) -> Result<Option<Window>, WindowError>;

    /// Whether its windows have the earliest start that its rules allow, so that cutting slots never makes an earlier
    /// start possible and the next search for the same request may begin where the last window stood.
    ///
    /// `false` is always safe and only costs time.
    fn starts_never_recede(&self) -> bool {
        false
    }

    /// Why [`find`](Self::find) has found nothing. To be asked after a search without a window; it reads the list a few
    /// more times.
    ///
    /// The first that holds, in this order: too few nodes fast enough; too few within the price limit; never enough
    /// free at once for long enough; none finishes by the deadline; those that do are too dear.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    fn refusal(
        &self,
        slots: &SlotList,
        request: &ResourceRequest,
        from: Time,
        scratch: &mut SearchScratch,
    ) -> Result<Refusal, WindowError> {
        refusal::explain(slots, request, self.rules(), from, scratch)
    }
}

/// Searches behind pointers are searches.
macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<S: WindowSearch + ?Sized> WindowSearch for $pointer {
            fn name(&self) -> &str {
                (**self).name()
            }
            fn rules(&self) -> Rules {
                (**self).rules()
            }
            fn find(
                &self,
                slots: &SlotList,
                request: &ResourceRequest,
                from: Time,
                scratch: &mut SearchScratch,
            ) -> Result<Option<Window>, WindowError> {
                (**self).find(slots, request, from, scratch)
            }
            fn starts_never_recede(&self) -> bool {
                (**self).starts_never_recede()
            }
            fn refusal(
                &self,
                slots: &SlotList,
                request: &ResourceRequest,
                from: Time,
                scratch: &mut SearchScratch,
            ) -> Result<Refusal, WindowError> {
                (**self).refusal(slots, request, from, scratch)
            }
        }
    )*};
}

forward!(&S, Box<S>);
