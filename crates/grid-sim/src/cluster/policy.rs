//! The local policies: first come, first served, and two kinds of backfilling.
//!
//! Source: D. Lifka, "The ANL/IBM SP Scheduling System", 1995 (EASY); D. Feitelson, A. Mu'alem Weil,
//! "Utilization and Predictability in Scheduling the IBM SP2 with Backfilling", 1998 (both kinds).

use super::{LocalPolicy, Pass};
use crate::SimError;

sched_model::registry! {
    /// The local policies by name. Each variant is a [`LocalPolicy`] itself.
    ///
    /// Guarantees, as long as jobs keep within their requested times and no CPU fails: under EASY the head never
    /// starts later than it was first promised; under conservative backfilling no job does.
    pub enum PolicyKind: "local policy" => dyn LocalPolicy {
        /// First come, first served: no job starts before the head, the first job of the queue.
        ///
        /// The head is promised its earliest start, so that advance reservations cannot delay it.
        Fcfs = "fcfs" => Self::Fcfs,
        /// EASY (aggressive) backfilling: the head of the queue is promised its earliest start; any other job starts
        /// at once if it fits beside that promise.
        ///
        /// One pass with q jobs waiting takes one search for the head, and what [`Pass::next_that_fits`] takes for
        /// each job that starts.
        ///
        /// Prefer it to conservative backfilling where the mean wait matters more than the wait of wide jobs deep in
        /// the queue.
        Easy = "easy" => Self::Easy,
        /// Conservative backfilling: every job is promised its earliest start when it arrives; a job overtakes others
        /// only where it delays none of them. When CPUs are given back early, promises are renewed in order of
        /// arrival, each to a start no later than before.
        ///
        /// One pass with q jobs waiting in chunks of up to b = 256 takes, if CPUs were given back early, one search
        /// for each job, and a change of the profile for each promise that moves; else one search for each new job,
        /// O(q / b) for each job that is new or whose promised start has come, and O(b) for each chunk with such a
        /// job.
        Conservative = "conservative" => Self::Conservative,
    }
}

impl LocalPolicy for PolicyKind {
    fn name(&self) -> &str {
        Self::name(*self)
    }

    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        match self {
            Self::Fcfs => serve_head(pass),
            Self::Easy => easy(pass),
            Self::Conservative => conservative(pass),
        }
    }
}

/// Starts jobs from the head on for as long as they fit; the first that does not is promised its earliest start.
fn serve_head(pass: &mut Pass<'_>) -> Result<(), SimError> {
    while pass.waiting() > 0 {
        if pass.start(0)? {
            continue;
        }
        if (pass[0].promise.is_none() || pass.freed())
            && let Some(start) = pass.earliest(0)
        {
            pass.promise(0, start)?;
        }
        break;
    }
    Ok(())
}

fn easy(pass: &mut Pass<'_>) -> Result<(), SimError> {
    serve_head(pass)?;
    let mut index = 1;
    while let Some(next) = pass.next_that_fits(index) {
        index = if pass.start(next)? { next } else { next + 1 };
    }
    Ok(())
}

fn conservative(pass: &mut Pass<'_>) -> Result<(), SimError> {
    let (now, mut index) = (pass.now(), 0);
    // Most promises stand: what is held for them is given up only for something better.
    while let Some((next, start)) = pass.next_unsettled(index) {
        index = match start {
            Some(start) if start <= now && pass.start(next)? => next,
            Some(start) if Some(start) != pass[next].promise => {
                pass.promise(next, start)?;
                next + 1
            }
            _ => next + 1,
        };
    }
    Ok(())
}
