//! The trait that every search implements.

use crate::{SearchScratch, WindowError, WindowQuery, refusal};
use sched_model::{
    End, Limit, Meter, Outcome, Refusal, ResourceRequest, SlotList, Time, Window, check::Rules,
};
use std::fmt::Debug;

/// A search for one window of simultaneous slots.
///
/// Object safe; a search of your own joins the [alternatives search](crate::AlternativesSearch) through it.
/// See the crate's documentation for which of the searches here to take.
///
/// # Demands
/// A query may carry what the job [demands](sched_model::Demands) beside its request, and a search keeps to
/// all of it: a search of your own too, though the alternatives search finds out if it does not.
///
/// * Labels and amounts of nodes are a mask in the scan: one bit is asked for each slot. A start not before
///   an instant, or at one alone, only bounds the scan.
/// * Nodes that go together or apart (pack, spread), and tasks that take other times than work / speed, are
///   searched for in a scan of their own, exactly: O(m log w) for own-span windows of least start or cost,
///   with O(w log w) whenever finish or runtime improves; a scan for each distinct span for slowest-span
///   windows, of least start or finish only over the slots that start before the best window ends. Searches
///   by value choose by branch and bound at each instant, within the limit of the meter. Ties that remain go
///   to the first value of the label to pack by.
pub trait WindowSearch: Debug + Send + Sync {
    /// Its name, as in reports and on command lines.
    fn name(&self) -> &str;

    /// The rules by which it reads a request's limits and holds nodes. Its windows are
    /// [checked](sched_model::check::Checker) by them.
    fn rules(&self) -> Rules;

    /// The window it prefers, within the limit of the meter, with what is proven of it. The value of the
    /// outcome, where there is one, is that of the search's objective.
    ///
    /// Slots that have begun before the query's `from` count from `from` on. The same query gives the same
    /// window, whatever was in `scratch`.
    ///
    /// A search whose work grows with the list alone always ends: it states no bound, and counts what it has
    /// read after reading it. [`MaxValue`](crate::MaxValue), [`MaxValueTable`](crate::MaxValueTable) and
    /// [`MultipleBest`](crate::MultipleBest) stop at the limit. The first two report the value of each better
    /// window to the observer of the meter; the last one reports only the work.
    ///
    /// # Errors
    /// Only for malformed input: see [`WindowError`].
    fn find_within(
        &self,
        query: &WindowQuery<'_>,
        meter: &mut Meter<'_>,
        scratch: &mut SearchScratch,
    ) -> Result<Outcome<Window>, WindowError>;

    /// The window it prefers among those that start at `from` or later; `None` if there is none. A search
    /// that can take long stops at [`Limit::default`].
    ///
    /// # Errors
    /// As for [`find_within`](Self::find_within), and [`WindowError::Stopped`] where the limit was reached
    /// before a window was found.
    fn find(
        &self,
        slots: &SlotList,
        request: &ResourceRequest,
        from: Time,
        scratch: &mut SearchScratch,
    ) -> Result<Option<Window>, WindowError> {
        find(self, &WindowQuery::new(slots, request, from), scratch)
    }

    /// Whether its windows have the earliest start that its rules allow: so that starts are monotone, cutting
    /// slots never makes an earlier start possible, and the next search for the same request may begin at the
    /// start of the last window; so may one for a request that asks for no less in any respect.
    ///
    /// `false` is always safe and only costs time.
    fn starts_are_monotone(&self) -> bool {
        false
    }

    /// Why there is no window. Call it after a search that has found none; it reads the list a few more
    /// times.
    ///
    /// The first reason that holds, in this order: too few nodes fast enough; too few within the price limit;
    /// never enough free at once for long enough; none finishes by the deadline; those that do are too
    /// expensive.
    ///
    /// # Errors
    /// As for [`find_within`](Self::find_within).
    fn refusal(&self, query: &WindowQuery<'_>, scratch: &mut SearchScratch) -> Result<Refusal, WindowError> {
        refusal::explain(*query, self.rules(), scratch)
    }
}

/// [`WindowSearch::find`] with all of a query.
pub(crate) fn find<S: WindowSearch + ?Sized>(
    search: &S,
    query: &WindowQuery<'_>,
    scratch: &mut SearchScratch,
) -> Result<Option<Window>, WindowError> {
    let limit = Limit::default();
    match search.find_within(query, &mut limit.meter(), scratch)? {
        Outcome { incumbent: None, end, work, .. } if end != End::Done => {
            Err(WindowError::Stopped { end, work })
        }
        Outcome { incumbent, .. } => Ok(incumbent),
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
            fn find_within(
                &self,
                query: &WindowQuery<'_>,
                meter: &mut Meter<'_>,
                scratch: &mut SearchScratch,
            ) -> Result<Outcome<Window>, WindowError> {
                (**self).find_within(query, meter, scratch)
            }
            fn starts_are_monotone(&self) -> bool {
                (**self).starts_are_monotone()
            }
            fn refusal(
                &self,
                query: &WindowQuery<'_>,
                scratch: &mut SearchScratch,
            ) -> Result<Refusal, WindowError> {
                (**self).refusal(query, scratch)
            }
        }
    )*};
}

forward!(&S, Box<S>, std::sync::Arc<S>);

/// The outcome of a search that always ends: its choice, and what was read for it, counted when it has been
/// read.
pub(crate) fn ended(
    query: WindowQuery<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut SearchScratch,
) -> Result<Outcome<Window>, WindowError> {
    let incumbent = scratch.choice.window(query)?;
    let work = match scratch.live.reading.take_read() {
        0 if !scratch.live.reading.is_stopped() => query.slots.len() as u64 + 1,
        work => work,
    };
    // The answer stands, whatever the limit says of it.
    let _ = meter.spend(work);
    Ok(Outcome::plain(incumbent, work))
}
