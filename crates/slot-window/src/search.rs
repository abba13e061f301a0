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
/// * The demands are those of the query's `eligible` or, if that is `None`, of its request. All must be met: the
///   alternatives search returns an error for a window that does not meet them.
/// * [`Placement::on`](sched_model::Placement::on) places a task, charged by the tariff of the list.
/// * It calls [`Meter::spend`] for slots before it reads them, and states the work spent in the outcome. The work
///   does not depend on whether the demands were compiled before. With more work, its window is never worse.
/// * [`End::Done`](sched_model::End::Done) without a window says that there is none. A search that was stopped, or
///   that leaves out windows, states another end.
///
/// The testkit of `econsched` tests all this, except for the work that is stated.
///
/// # Demands
/// A request may have [demands](sched_model::Demands).
///
/// * Labels and amounts of nodes are a mask in the scan: one bit is tested for each slot. An earliest start
///   or a fixed start only bounds the scan.
/// * Nodes that are packed or spread, and tasks with given spans, have an exact scan of their own: O(m log w) for
///   own-span windows of minimum start or cost, with O(w log w) whenever finish or runtime improves; a scan for each
///   distinct span for slowest-span windows, of minimum start or finish only over the slots that start before the
///   best window ends. Searches by value choose among spread nodes by branch and bound, at the instants that their
///   bounds leave, within the limit of the meter. Remaining ties go to the first value of the label to pack by.
pub trait WindowSearch: Debug + Send + Sync {
    /// The name of the search, as in reports and on command lines.
    fn name(&self) -> &str;

    /// The rules by which the search applies a request's limits and holds nodes. The
    /// [checker](sched_model::check::Checker) verifies its windows by them.
    fn rules(&self) -> Rules;

    /// Finds the window that the search prefers, within the limit of the meter. The value of the outcome, if it
    /// states one, is that of the search's objective; an exact search that was not stopped states it as the bound
    /// too.
    ///
    /// Slots that have begun before the query's `from` count from `from` on. The same query gives the same
    /// window, whatever the meter was used for before.
    ///
    /// Every search of this crate stops within a pass over the slots, at the limit or after the signal. It then returns
    /// the best window so far, or none, which does not prove that there is none; with more work the window is never
    /// worse. A unit of work is a slot read, or one examined again; skipped slots count one unit each in lists of fewer
    /// than 4096 slots, and one unit for each run in longer ones. Only [`MaxValue`](crate::MaxValue) states a bound
    /// when it is stopped; it and the table report the value of each better window to the observer of the meter, the
    /// others only the work.
    ///
    /// # Errors
    /// For malformed input: see [`WindowError`]. A search of your own that has no window yet may also end by `?` on
    /// its meter: its callers read that as an outcome without a window.
    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError>;

    /// As [`solve`](Self::solve), within [`Limit::default`]. If there is no window, adds the [reason](Self::refusal),
    /// found within the same limit again. The work of the outcome is that of the search alone.
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

    /// Whether the windows of the search have the earliest start that its rules allow. Then starts are monotone:
    /// cutting slots never makes an earlier start possible, and the next search for the same request may begin at the
    /// start of the last window; so may a search for a request that asks for no less in any respect.
    ///
    /// `false` is always correct, and only takes more time.
    fn starts_are_monotone(&self) -> bool {
        false
    }

    /// Returns the reason why there is no window. Call it after a search that has found none; it reads the list a few
    /// more times.
    ///
    /// It is the first reason that applies, in this order: too few nodes meet the demands; too few of these are fast
    /// enough; too few are within the price limit; at no instant are enough of them free for long enough; no window
    /// finishes by the deadline; the windows that do are too expensive; [`Refusal::NoCapacity`] if none of these
    /// applies. If the best window has a task so short that its end rounds to its start, nodes count as never free
    /// for long enough.
    ///
    /// # Errors
    /// As for [`solve`](Self::solve), and [`WindowError::Stopped`] if the meter ended it.
    fn refusal(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Refusal, WindowError> {
        refusal::first_obstacle(*query, self.rules(), meter)
    }
}

/// Implements the trait for pointers to searches.
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
