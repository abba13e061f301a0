//! The local policies: first come first served, and the two kinds of backfilling.
//!
//! Source: D. Lifka, "The ANL/IBM SP Scheduling System", 1995 (EASY); D. Feitelson, A. Mu'alem Weil,
//! "Utilization and Predictability in Scheduling the IBM SP2 with Backfilling", 1998 (both kinds).

use super::{LocalPolicy, Pass};
use crate::SimError;
use sched_model::Time;

/// First come, first served: no job starts before the first job of the queue (the head).
///
/// The head is promised its earliest start, so that reservations of others cannot delay it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fcfs;

/// EASY (aggressive) backfilling: the head of the queue is promised its earliest start; any other job starts
/// at once if it fits beside that promise.
///
/// Guarantee: as long as jobs keep within their requested times, the head never starts later than it was
/// first promised. One pass with q jobs waiting: one search for the head, and for each job that starts, O(log
/// q) times the number of waiting jobs on the front: see [`Pass::next_that_fits`].
///
/// Prefer it to [`Conservative`] where the mean wait matters more than the wait of wide jobs deep in the
/// queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Easy;

/// Conservative backfilling: every job is promised its earliest start when it comes; a job overtakes others
/// only where it delays none of them. When CPUs are given back early, new promises are made in order of
/// arrival, each no later than before.
///
/// Guarantee: as long as jobs keep within their requested times, no job starts later than it was first
/// promised. One pass with q jobs waiting: if CPUs were given back early, O(1) for each job, one search for
/// each job for whose size time has become free since, and a change of the profile for each promise that
/// moves; else one search for each new job and O(q / 256) for each that starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Conservative;

/// Starts jobs from the head for as long as they fit; the one that does not is promised its earliest start.
fn serve_head(pass: &mut Pass<'_>) -> Result<(), SimError> {
    while !pass.queue().is_empty() {
        if pass.start(0)? {
            continue;
        }
        if (pass.queue()[0].promise.is_none() || pass.freed())
            && let Some(start) = pass.earliest(0)
        {
            pass.promise(0, start)?;
        }
        break;
    }
    Ok(())
}

impl LocalPolicy for Fcfs {
    fn name(&self) -> &str {
        PolicyKind::Fcfs.name()
    }

    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        serve_head(pass)
    }
}

impl LocalPolicy for Easy {
    fn name(&self) -> &str {
        PolicyKind::Easy.name()
    }

    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        serve_head(pass)?;
        let mut index = 1;
        while let Some(next) = pass.next_that_fits(index) {
            index = if pass.start(next)? { next } else { next + 1 };
        }
        Ok(())
    }
}

impl LocalPolicy for Conservative {
    fn name(&self) -> &str {
        PolicyKind::Conservative.name()
    }

    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        let now = pass.now();
        // If nothing was given back and no promise is due, only jobs that came since the last pass can be
        // served.
        let stands = !pass.freed() && pass.next_promise().is_none_or(|promise| promise > now);
        // These are behind the last job with a promise.
        let come = pass.queue().iter().rev().take_while(|queued| queued.promise.is_none()).count();
        let mut index = if stands { pass.queue().len() - come } else { 0 };
        // Most promises stand: what is held for them is given up only when there is something better.
        while let Some((next, start)) = next_unsettled(pass, index) {
            index = match start {
                Some(start) if start <= now && pass.start(next)? => next,
                Some(start) if Some(start) != pass.queue()[next].promise => {
                    pass.promise(next, start)?;
                    next + 1
                }
                _ => next + 1,
            };
        }
        Ok(())
    }
}

/// The first job, from a place on, that starts now or is to be promised another start; and that start.
fn next_unsettled(pass: &mut Pass<'_>, from: usize) -> Option<(usize, Option<Time>)> {
    if pass.freed() {
        return pass.next_better(from);
    }
    let next = pass.next_due(from)?;
    Some((next, pass.queue()[next].promise.or_else(|| pass.earliest(next))))
}

sched_model::registry! {
    /// The local policies by name.
    pub enum PolicyKind: "local policy" => dyn LocalPolicy {
        /// [`Fcfs`].
        Fcfs = "fcfs" => Fcfs,
        /// [`Easy`].
        Easy = "easy" => Easy,
        /// [`Conservative`].
        Conservative = "conservative" => Conservative,
    }
}
