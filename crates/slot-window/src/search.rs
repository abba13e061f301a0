//! The trait that every search implements.

use crate::{SearchScratch, WindowError, WindowQuery, error::Stop, refusal};
use sched_model::{
    End, Limit, Meter, Outcome, Refusal, ResourceRequest, SlotList, Time, Window, check::Rules,
};
use std::fmt::Debug;

/// A search for one window of simultaneous slots.
///
/// Object safe; your own search works in the [alternatives search](crate::AlternativesSearch) through this
/// trait. The crate's documentation says which search to use when.
///
/// # Demands
/// A query may include [demands](sched_model::Demands) of the job beside its request, and a search must meet
/// all of them. This holds for your own search too; the alternatives search returns an error if it does not.
///
/// * Labels and amounts of nodes are a mask in the scan: one bit is tested for each slot. An earliest start
///   or a fixed start only bounds the scan.
/// * Nodes that are packed or spread, and tasks with given spans, have an exact scan of their own: O(m log w)
///   for own-span windows of minimum start or cost, with O(w log w) whenever finish or runtime improves; a scan
///   for each distinct span for slowest-span windows, of minimum start or finish only over the slots that start
///   before the best window ends. Searches by value choose by branch and bound at each instant, within the
///   limit of the meter. Ties that remain go to the first value of the label to pack by.
pub trait WindowSearch: Debug + Send + Sync {
    /// Its name, as in reports and on command lines.
    fn name(&self) -> &str;

    /// The rules by which it applies a request's limits and holds nodes. The
    /// [checker](sched_model::check::Checker) verifies its windows by them.
    fn rules(&self) -> Rules;

    /// The window that it prefers, within the limit of the meter, with its proof. The value of the outcome,
    /// where there is one, is that of the search's objective.
    ///
    /// Slots that have begun before the query's `from` count from `from` on. The same query gives the same
    /// window, whatever `scratch` contains.
    ///
    /// Every search of this crate stops within a pass over the slots: at the limit, or at most
    /// [`Meter::POLL`] units of work after the signal. It then has the best window found until then, or none,
    /// which is not to say that there is none; with more work the window is never worse. A unit of work is a
    /// slot read, or one looked at again. [`MaxValue`](crate::MaxValue) and
    /// [`MaxValueTable`](crate::MaxValueTable) state bounds, and report the value of each better window to
    /// the observer of the meter; the others state no bound, and report only the work.
    ///
    /// # Errors
    /// Only for malformed input: see [`WindowError`].
    fn find_within(
        &self,
        query: &WindowQuery<'_>,
        meter: &mut Meter,
        scratch: &mut SearchScratch,
    ) -> Result<Outcome<Window>, WindowError>;

    /// The window it prefers among those that start at `from` or later; `None` if there is none. It stops at
    /// [`Limit::default`].
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

    /// Whether its windows have the earliest start that its rules allow. Then starts are monotone: cutting
    /// slots never makes an earlier start possible, and the next search for the same request may begin at the
    /// start of the last window; so may a search for a request that asks for no less in any respect.
    ///
    /// `false` is always correct, and only takes more time.
    fn starts_are_monotone(&self) -> bool {
        false
    }

    /// Why there is no window. Call it after a search that has found none; it reads the list a few more
    /// times.
    ///
    /// The first reason that holds, in this order: too few nodes are fast enough; too few are within the
    /// price limit; at no instant are enough of them free for long enough; no window finishes by the
    /// deadline; those that do are too expensive. A job that the best of them cannot be timed for, since its
    /// end rounds to its start, is never free for long enough.
    ///
    /// # Errors
    /// As for [`find_within`](Self::find_within).
    fn refusal(&self, query: &WindowQuery<'_>, scratch: &mut SearchScratch) -> Result<Refusal, WindowError> {
        self.refusal_within(query, &mut Limit::without_limit().meter(), scratch)
    }

    /// As [`refusal`](Self::refusal), within the limit of the meter. The default of both; a search with
    /// refusals of its own overrides this one.
    ///
    /// # Errors
    /// As for [`find_within`](Self::find_within), and [`WindowError::Stopped`] where the meter ended it.
    fn refusal_within(
        &self,
        query: &WindowQuery<'_>,
        meter: &mut Meter,
        scratch: &mut SearchScratch,
    ) -> Result<Refusal, WindowError> {
        refusal::explain(*query, self.rules(), meter, scratch)
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

/// As [`find`], for a query that somebody else has thought of: a job so short on some node that its end rounds
/// to its start has no window there.
pub(crate) fn find_timed<S: WindowSearch + ?Sized>(
    search: &S,
    query: &WindowQuery<'_>,
    scratch: &mut SearchScratch,
) -> Result<Option<Window>, WindowError> {
    match find(search, query, scratch) {
        Err(WindowError::Model(_)) => Ok(None),
        found => found,
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
                meter: &mut Meter,
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
            fn refusal_within(
                &self,
                query: &WindowQuery<'_>,
                meter: &mut Meter,
                scratch: &mut SearchScratch,
            ) -> Result<Refusal, WindowError> {
                (**self).refusal_within(query, meter, scratch)
            }
        }
    )*};
}

forward!(&S, Box<S>, std::sync::Arc<S>);

/// The outcome of a search that leaves its best window in the scratch's choice. Of a search that was stopped
/// it is the best one so far.
pub(crate) fn found(
    query: WindowQuery<'_>,
    scratch: &mut SearchScratch,
    meter: &mut Meter,
    search: impl FnOnce(&mut SearchScratch, &mut Meter) -> Result<(), Stop>,
) -> Result<Outcome<Window>, WindowError> {
    let before = meter.work();
    let end = match search(scratch, meter) {
        Ok(()) => End::Done,
        Err(Stop::End(end)) => end,
        Err(Stop::Error(error)) => return Err(error),
    };
    let mut outcome = Outcome::plain(scratch.choice.window(query)?, meter.work() - before);
    outcome.end = end;
    Ok(outcome)
}
