//! Quotes: the windows that a job could get now, and the check of an accepted one.

use super::Broker;
use crate::cycle::{CycleMeter, Found, Query, cannot_stop, displacement, find};
use crate::error::BrokerError;
use crate::fit::unfit_reason;
use crate::jobs::JobRecord;
use sched_model::{End, Job, JobId, Limit, Time, Window, internal::counted};
use std::fmt;

/// The windows that a job could have in the present state.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Quotes {
    /// The version of the free time for which the quotes hold. It changes whenever time is claimed, becomes free or
    /// changes its price. See [`Input::Accept`](crate::Input::Accept).
    pub version: u64,
    /// Windows that do not overlap, in the order of preference of the search.
    pub windows: Vec<Window>,
    /// If none of these starts within the [delay](crate::Preemption::delay), and the priority of the job permits it, a
    /// window that starts now and for which running jobs would be stopped.
    pub displacing: Option<Window>,
    /// The running jobs that would be stopped for `displacing`, in the order of their ids.
    pub victims: Vec<JobId>,
    /// [`End::Done`] if the search was complete: there are no other windows in addition to these, or there are as many
    /// as requested.
    pub end: End,
    /// Units of work spent.
    pub work: u64,
}

impl Broker {
    /// Finds up to `count` windows for a job: the one that the search prefers, the one that it prefers in the remaining
    /// time, and so on; and a window for which running jobs would be stopped, if
    /// [preemption](crate::Config::preemption) permits it. The state stays unchanged. The horizon is that of the last
    /// `Wake`.
    ///
    /// O(m) for m free slots, plus the searches, within the limit.
    ///
    /// # Errors
    /// [`BrokerError::Search`] for a request that the search rejects.
    ///
    /// ```
    /// use live_broker::{Broker, BrokerError, Config, Input, Standing};
    /// use sched_model::*;
    /// let mut broker = Broker::new(Config::new(Span::must(100.0)))?;
    /// broker.handle(Time::ZERO, Node::must(1, 1.0, 2.0).into())?;
    /// broker.handle(Time::ZERO, Input::Wake)?;
    /// let job = |id| Job::new(JobId(id), ResourceRequest::must(1, 30.0));
    /// let quotes = broker.quote(&job(1), 2, &Limit::default())?;
    /// let starts: Vec<f64> = quotes.windows.iter().map(|window| window.start().get()).collect();
    /// assert_eq!(starts, [0.0, 30.0]);
    /// let text = quotes.to_string();
    /// assert!(text.starts_with("2 windows; done after ") && text.ends_with("\n[30, 60) for 60 on node 1"));
    ///
    /// // Taken while it holds; not a second time.
    /// let accept = |id| Input::Accept {
    ///     job: job(id),
    ///     window: quotes.windows[1].clone(),
    ///     version: quotes.version,
    ///     victims: Vec::new(),
    /// };
    /// broker.handle(Time::ZERO, accept(1))?;
    /// assert_eq!(broker.standing(JobId(1)), Some(Standing::Promised));
    /// assert!(matches!(broker.handle(Time::ZERO, accept(2)), Err(BrokerError::Stale { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn quote(&self, job: &Job, count: usize, limit: &Limit) -> Result<Quotes, BrokerError> {
        let record = JobRecord::new(job.clone(), self.state.now);
        let query = Query::about(&record, &self.state, &*self.search);
        let mut meter = CycleMeter::new(limit, End::Work);
        let Found { mut windows, mut refused, mut end, .. } = find(&query, self.free(), count, &mut meter);
        if let Some((_, error)) = refused.pop() {
            return Err(error.into());
        }
        let windows = windows.pop().map(|found| found.windows).unwrap_or_default();
        let latest = self.state.config.preemption.map(|rule| self.state.now + rule.delay);
        let mut displacing = None;
        if end == End::Done
            && latest.is_some_and(|latest| windows.iter().all(|window| window.start() > latest))
        {
            match displacement(&query, &record, &mut meter) {
                Ok(found) => displacing = found,
                Err(stopped) => end = stopped,
            }
        }
        let (displacing, victims) = displacing.map(|found| (found.window, found.victims)).unzip();
        let (version, victims) = (self.state.book.changes, victims.unwrap_or_default());
        Ok(Quotes { version, windows, displacing, victims, end, work: meter.spent })
    }
}

impl fmt::Display for Quotes {
    /// One line for each window, and one for the window for which running jobs would be stopped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (windows, units) = (counted(self.windows.len(), "window"), counted(self.work, "unit"));
        write!(f, "{windows}; {} after {units} of work", self.end)?;
        for window in &self.windows {
            write!(f, "\n{window}")?;
        }
        if let Some(window) = &self.displacing {
            let victims: Vec<String> = self.victims.iter().map(ToString::to_string).collect();
            write!(f, "\n{window} if jobs {} were stopped", victims.join(", "))?;
        }
        Ok(())
    }
}

/// Checks that a quoted window is still available.
///
/// # Errors
/// [`BrokerError::Stale`] for another version, [`BrokerError::Unfit`] for a window that cannot have been quoted, or on
/// a node that has not been released in time.
pub(super) fn check(
    broker: &Broker,
    now: Time,
    record: &JobRecord,
    window: &Window,
    version: u64,
    victims: &[JobId],
) -> Result<(), BrokerError> {
    let current = broker.state.book.changes;
    if version != current {
        return Err(BrokerError::Stale { given: version, current });
    }
    let job = &record.job;
    let free = (&broker.state, broker.search.rules(), now);
    let stops = || cannot_stop(&broker.state, job, window, victims);
    match unfit_reason(free, record, window, victims).or_else(stops) {
        Some(why) => Err(BrokerError::Unfit { job: job.id, why }),
        None => Ok(()),
    }
}
