//! The trait that every search implements.

use crate::{WindowError, WindowQuery, refusal};
use sched_model::{Limit, Meter, Outcome, Refusal, Window, check::Rules};
use std::fmt::Debug;

/// A search for one window of simultaneous slots.
///
/// Object safe; your own search works in the [alternatives search](crate::AlternativesSearch) through this
/// trait. The crate's documentation says which search to use when.
///
/// # Your own search
/// * A window starts at the query's `from` or later, and not before the demands' earliest or fixed start; it starts
///   before the query's `before`.
/// * The demands are those of the query's `eligible` or, where that is `None`, of its request. All must be met: the
///   alternatives search returns an error for a window that does not meet them.
/// * [`Placement::on`](sched_model::Placement::on) places a task, charged by the tariff of the list.
/// * It calls [`Meter::spend`] before it reads as much, and states the same work in the outcome, whether or not the
///   demands were compiled before. With more work its window is never worse.
/// * [`End::Done`](sched_model::End::Done) without a window says that there is none. A search that was stopped, or that
///   leaves out some windows, states another end.
///
/// The testkit of `econsched` tests all this.
///
/// # Demands
/// A request may have [demands](sched_model::Demands).
///
/// * Labels and amounts of nodes are a mask in the scan: one bit is tested for each slot. An earliest start
///   or a fixed start only bounds the scan.
/// * Nodes that are packed or spread, and tasks with given spans, have an exact scan of their own: O(m log w)
///   for own-span windows of minimum start or cost, with O(w log w) whenever finish or runtime improves; a scan
///   for each distinct span for slowest-span windows, of minimum start or finish only over the slots that start
///   before the best window ends. Searches by value choose among spread nodes by branch and bound, at
///   the instants that their bounds leave, within the limit of the meter. Ties that remain go to the first
///   value of the label to pack by.
pub trait WindowSearch: Debug + Send + Sync {
    /// Its name, as in reports and on command lines.
    fn name(&self) -> &str;

    /// The rules by which it applies a request's limits and holds nodes. The
    /// [checker](sched_model::check::Checker) verifies its windows by them.
    fn rules(&self) -> Rules;

    /// The window that it prefers, within the limit of the meter. The value of the outcome, where there is one, is
    /// that of the search's objective; an exact search that was not stopped states it as the bound too.
    ///
    /// Slots that have begun before the query's `from` count from `from` on. The same query gives the same
    /// window, whatever the meter was used for before.
    ///
    /// Every search of this crate stops within a pass over the slots: at the limit, or at most
    /// 2^14 units of work after the signal. It then has the best window found until then, or none,
    /// which is not to say that there is none; with more work the window is never worse. A unit of work is a
    /// slot read, or one looked at again; slots skipped count one each in lists of less than 4096, in longer ones
    /// one for each run. Only [`MaxValue`](crate::MaxValue) states a bound where it is stopped; it and the
    /// table report the value of each better window to the observer of the meter, the others only the work.
    ///
    /// # Errors
    /// For malformed input: see [`WindowError`]. A search of your own that holds no window yet may also end by `?` on
    /// its meter: that is read as an outcome without a window.
    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError>;

    /// As [`solve`](Self::solve), within [`Limit::default`]; where there is no window, with the
    /// [reason](Self::refusal), found within the same limit again. The work of the outcome is that of the search.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve).
    fn find(&self, query: &WindowQuery<'_>) -> Result<Outcome<Window>, WindowError> {
        let mut meter = Limit::default().meter();
        let found = Outcome::on(&mut meter, |meter| self.solve(query, meter))?;
        if !found.is_infeasible() {
            return Ok(found);
        }
        meter.restart();
        match self.refusal(query, &mut meter) {
            Err(WindowError::Stopped(_)) => Ok(found),
            reason => Ok(found.with_refusal(Some(reason?))),
        }
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
    /// As for [`solve`](Self::solve), and [`WindowError::Stopped`] where the meter ended it.
    fn refusal(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Refusal, WindowError> {
        refusal::first_obstacle(*query, self.rules(), meter)
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
            fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
                (**self).solve(query, meter)
            }
            fn starts_are_monotone(&self) -> bool {
                (**self).starts_are_monotone()
            }
            fn refusal(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Refusal, WindowError> {
                (**self).refusal(query, meter)
            }
        }
    )*};
}

forward!(&S, Box<S>, std::sync::Arc<S>);
