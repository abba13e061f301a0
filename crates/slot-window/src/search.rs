//! The trait that every search implements.

use crate::{SearchScratch, WindowError, refusal};
use sched_model::{End, Limit, Outcome, Refusal, ResourceRequest, SlotList, Time, Window, check::Rules};
use std::fmt::Debug;

/// A search for one window of simultaneous slots.
///
/// Object safe; a search of your own joins the [alternatives search](crate::AlternativesSearch) through it. See the crate's
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
    /// `scratch`. A search that can be long goes as far as [`Limit::default`].
    ///
    /// # Errors
    /// Only for malformed input: see [`WindowError`]; and [`WindowError::Stopped`] where the limit was reached before a
    /// window was found.
    fn find(
        &self,
        slots: &SlotList,
        request: &ResourceRequest,
        from: Time,
        scratch: &mut SearchScratch,
    ) -> Result<Option<Window>, WindowError>;

    /// As [`find`](Self::find), within a limit, with what is proven of the window. Its value is what the search is best
    /// by.
    ///
    /// A search whose work grows with the list alone reads no limit: it always ends, claims no bound, and says how much
    /// it has read. [`MaxValue`](crate::MaxValue) and [`MultipleBest`](crate::MultipleBest) can be stopped.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    fn find_within(
        &self,
        slots: &SlotList,
        request: &ResourceRequest,
        from: Time,
        limit: &Limit,
        scratch: &mut SearchScratch,
    ) -> Result<Outcome<Window>, WindowError> {
        let _ = limit;
        scratch.take_work();
        let incumbent = self.find(slots, request, from, scratch)?;
        let work = match scratch.take_work() {
            0 => slots.len() as u64 + 1,
            work => work,
        };
        let mut outcome = Outcome::infeasible(work);
        outcome.incumbent = incumbent;
        Ok(outcome)
    }

    /// Whether its windows have the earliest start that its rules allow: so that starts are monotone, cutting slots
    /// never makes an earlier start possible, and the next search for the same request may begin where the last window
    /// stood.
    ///
    /// `false` is always safe and only costs time.
    fn starts_are_monotone(&self) -> bool {
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
            fn find_within(
                &self,
                slots: &SlotList,
                request: &ResourceRequest,
                from: Time,
                limit: &Limit,
                scratch: &mut SearchScratch,
            ) -> Result<Outcome<Window>, WindowError> {
                (**self).find_within(slots, request, from, limit, scratch)
            }
            fn starts_are_monotone(&self) -> bool {
                (**self).starts_are_monotone()
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

/// The window of an outcome, where it is known whether there is one.
pub(crate) fn found(outcome: Outcome<Window>) -> Result<Option<Window>, WindowError> {
    match outcome {
        Outcome { incumbent: None, end, work, .. } if end != End::Done => {
            Err(WindowError::Stopped { end, work })
        }
        Outcome { incumbent, .. } => Ok(incumbent),
    }
}
