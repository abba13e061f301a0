//! Quotes: the windows that a job could get now, and the check when one is accepted.

use super::Broker;
use crate::cycle::{CycleMeter, Displacement, Query, cannot_stop, displacement};
use crate::error::BrokerError;
use crate::fit::{asked, fault};
use crate::jobs::JobRecord;
use sched_model::{End, Job, JobId, Limit, Time, Window};
use slot_window::{WindowError, WindowQuery};

/// Windows that a job could have in the present state.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Quotes {
    /// The version of the free time for which they hold: see [`Input::Accept`](crate::Input::Accept).
    pub version: u64,
    /// Windows that do not overlap, the one that the search prefers first.
    pub windows: Vec<Window>,
    /// Where none of these starts within the [delay](crate::Preemption::delay), and the job has the priority
    /// for it: a window that begins now, and the running jobs that would be stopped for it.
    pub displacing: Option<Displacement>,
    /// [`End::Done`] if nothing was left out: there is no other window beside these, or there are as many as
    /// asked for.
    pub end: End,
    /// Units of work that it took.
    pub work: u64,
}

impl Broker {
    /// The version of the free time. It changes whenever time is taken, becomes free or changes its price.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.state.book.changes
    }

    /// Up to `count` windows for a job: the one that the search prefers, the one that it prefers beside that,
    /// and so on; and one for which running jobs would be stopped, where
    /// [preemption](crate::Config::preemption) allows that. Nothing is changed. The horizon reaches as far as
    /// at the last `Wake`.
    ///
    /// O(m) for m free slots, and the searches, within the limit.
    ///
    /// # Errors
    /// [`BrokerError::Search`] for a request that the search cannot take.
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
        let mut list = self.free();
        let eligible = self.state.book.eligible(job.request.demands());
        let (version, windows) = (self.version(), Vec::new());
        let mut quotes = Quotes { version, windows, displacing: None, end: End::Done, work: 0 };
        let (request, mut from) = (&job.request, job.submit.max(self.state.now));
        let mut meter = CycleMeter::new(limit, None);
        while quotes.windows.len() < count && quotes.end == End::Done {
            if let Err(end) = meter.check() {
                quotes.end = end;
                break;
            }
            let query = asked(WindowQuery::new(&list, request).with_from(from), eligible.as_ref());
            let (window, stopped) = meter.solve(&*self.search, &query)?;
            quotes.end = stopped.unwrap_or(End::Done);
            let Some(window) = window else { break };
            list.cut(&window).map_err(WindowError::from)?;
            if self.search.starts_are_monotone() {
                from = window.start();
            }
            quotes.windows.push(window);
        }
        if quotes.end == End::Done {
            let record = JobRecord::new(job.clone(), self.state.now);
            match self.quote_displacing(&record, &quotes.windows, &mut meter) {
                Ok(displacing) => quotes.displacing = displacing,
                Err(end) => quotes.end = end,
            }
        }
        quotes.work = meter.spent;
        Ok(quotes)
    }

    fn quote_displacing(
        &self,
        record: &JobRecord,
        windows: &[Window],
        meter: &mut CycleMeter<'_>,
    ) -> Result<Option<Displacement>, End> {
        let Some(rule) = self.state.config.preemption else { return Ok(None) };
        let latest = self.state.now + rule.delay;
        if windows.iter().any(|window| window.start() <= latest) {
            return Ok(None);
        }
        displacement(&Query::about_nobody(&self.state, &*self.search), record, meter)
    }
}

/// Whether a window that was quoted can still be had.
///
/// # Errors
/// [`BrokerError::Stale`] for another version, [`BrokerError::Unfit`] for a window that was never quoted so,
/// or on a node that has not been released when it should have been.
pub(super) fn check(
    broker: &Broker,
    now: Time,
    record: &JobRecord,
    window: &Window,
    version: u64,
    victims: &[JobId],
) -> Result<(), BrokerError> {
    let current = broker.version();
    if version != current {
        return Err(BrokerError::Stale { given: version, current });
    }
    let job = &record.job;
    let free = (&broker.state, broker.search.rules(), now);
    let stops = || cannot_stop(&broker.state, job, window, victims);
    match fault(free, record, window, victims).or_else(stops) {
        Some(why) => Err(BrokerError::Unfit { job: job.id, why }),
        None => Ok(()),
    }
}
