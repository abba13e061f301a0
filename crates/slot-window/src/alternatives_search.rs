//! The alternatives of a batch: for each job windows that do not overlap, neither with each other nor with those of
//! other jobs.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for
//! Economic Scheduling in Distributed Systems*, 2011, section 2 (the multi-variant search).
//!
//! Deviations. After a job got no window, it is not searched for again, because cutting slots never makes a window
//! possible. A search whose [starts are monotone](crate::WindowSearch::starts_are_monotone) resumes at the start of
//! the job's last window. Neither changes the result. The caps on alternatives and rounds are additions.

use crate::query::compiled;
use crate::{WindowError, WindowQuery, WindowSearch};
use sched_model::internal::counted;
use sched_model::{
    Batch, Eligible, End, Job, JobWindows, Limit, Meter, Outcome, Placement, Refusal, SlotList, Time, Window,
    check::unmet,
};

/// The multi-variant search: in each round, each job of the batch in turn gets the window that the search
/// prefers, which is cut out of the list. It ends with a round in which no job gets a window.
///
/// Windows of one batch, of the same job or of different ones, never overlap: any choice of one alternative
/// per job is a schedule.
///
/// Works with any [`WindowSearch`], by value, by reference or boxed. A job does not start before its submit
/// time.
///
/// * **Source**: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for
///   Economic Scheduling in Distributed Systems*, 2011, section 2.
/// * **Complexity**: with a search that resumes, over m slots: the searches of a job read the list once in all and,
///   for each alternative, the slots that are still free at its start; the cut takes O(N log m) for N nodes. Other
///   searches read the list again for each alternative.
/// * **Errors**: [`WindowError`], only for malformed input or a search that returns time that is not free.
///
/// ```
/// use sched_model::*;
/// use slot_window::{AlternativesSearch, Amp};
///
/// let node = |id, price| Node::must(id, 1.0, price);
/// let nodes = [node(1, 1.0), node(2, 2.0)];
/// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?;
/// let batch = Batch::new(vec![
///     Job::new(JobId(1), ResourceRequest::new(2, Work::must(30.0))?),
///     Job::new(JobId(2), ResourceRequest::new(1, Work::must(40.0))?.with_budget(Money::must(40.0))),
/// ])?;
/// let found = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO)?;
///
/// // Round 1: job 1 takes both nodes during [0, 30), job 2 node 1 during [30, 70).
/// // Round 2: job 1 takes both during [70, 100). Then no further window exists.
/// let starts = |job: usize| -> Vec<f64> {
///     found.jobs[job].windows.iter().map(|window| window.start().get()).collect()
/// };
/// assert_eq!(starts(0), [0.0, 70.0]);
/// assert_eq!(starts(1), [30.0]);
/// assert_eq!(found.total(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct AlternativesSearch<S> {
    /// The search for one window.
    pub search: S,
    /// The maximum number of alternatives for each job; `None` if there is none.
    pub max_per_job: Option<usize>,
    /// The maximum number of rounds over the batch; `None` if there is none.
    pub max_rounds: Option<usize>,
    /// Whether to find the reason why a job has no window, if the search does not state one itself. If this is
    /// `false`, the reason is [`Refusal::Stopped`] instead, which takes no work.
    pub reasons: bool,
    /// The limit of the whole search. Its work is that of the searches for single windows, for most of them the
    /// number of slots read; its memory is that of the windows. Finding the reasons why jobs have no window counts
    /// too: in total at most a tenth of the work done so far, or 2,000,000 units if that is more. Beyond that, the
    /// reason is [`Refusal::Stopped`].
    ///
    /// Whatever ended a search, the same search with a limit of the [work](field@BatchAlternatives::work) that it
    /// took gives the same windows and reasons.
    pub limit: Limit,
}

impl<S: WindowSearch> AlternativesSearch<S> {
    /// Creates the multi-variant search over `search`, without caps, with reasons and the default limit.
    pub fn new(search: S) -> Self {
        Self { search, max_per_job: None, max_rounds: None, reasons: true, limit: Limit::default() }
    }

    /// Finds all alternatives of `batch` in `slots`, none starting before `from`.
    ///
    /// # Errors
    /// [`WindowError`], only for malformed input or a search that returns time that is not free.
    pub fn find(
        &self,
        slots: &SlotList,
        batch: &Batch,
        from: Time,
    ) -> Result<BatchAlternatives, WindowError> {
        let mut meter = self.limit.meter();
        let end = meter.spend(slots.len() as u64).err();
        let mut run = Run { of: self, rest: slots.clone(), meter, reason_work: 0, end, interrupted: None };
        let members = batch.iter().map(|job| Member {
            job,
            eligible: compiled(slots, &job.request),
            next: Some(from.max(job.submit)),
            found: JobWindows { job: job.id, windows: Vec::new(), refusal: None },
        });
        let (mut members, mut rounds, mut gained) = (members.collect::<Vec<_>>(), 0, true);
        while gained && run.end.is_none() && self.max_rounds.is_none_or(|max| rounds < max) {
            gained = false;
            for member in &mut members {
                gained |= run.next_window(member)?;
                if run.end.is_some() {
                    break;
                }
            }
            rounds += usize::from(gained);
        }
        let Run { rest, meter, end, interrupted, .. } = run;
        let found = BatchAlternatives {
            jobs: members.into_iter().map(|member| member.found).collect(),
            rest,
            rounds,
            work: meter.work(),
            end: end.or(interrupted).unwrap_or(End::Done),
        };
        #[cfg(feature = "tracing")]
        tracing::info!(
            jobs = batch.len(),
            without = found.jobs.iter().filter(|of| of.windows.is_empty()).count(),
            windows = found.total(),
            rounds,
            work = found.work,
            end = %found.end,
            "alternatives by {}",
            self.search.name()
        );
        Ok(found)
    }
}

sched_model::setters!(impl<S> AlternativesSearch<S> {
    /// Sets the limit of the whole search.
    with_limit: limit: Limit,
    /// Sets the maximum number of alternatives for each job.
    with_max_per_job: max_per_job: usize => Some,
    /// Sets the maximum number of rounds over the batch.
    with_max_rounds: max_rounds: usize => Some,
    /// Sets whether to find the reasons why jobs have no window.
    with_reasons: reasons: bool,
});

/// A job, and the state of its search.
struct Member<'a> {
    job: &'a Job,
    eligible: Option<Eligible>,
    /// The instant at which its next search begins; `None` once its searches have ended.
    next: Option<Time>,
    found: JobWindows,
}

/// The state of the multi-variant search.
struct Run<'a, S> {
    of: &'a AlternativesSearch<S>,
    /// The remaining free time.
    rest: SlotList,
    meter: Meter,
    /// The work spent on reasons so far.
    reason_work: u64,
    /// The limit that ended the whole search, if any.
    end: Option<End>,
    /// Why a search for one window stopped before it was complete, if one did.
    interrupted: Option<End>,
}

impl<S: WindowSearch> Run<'_, S> {
    /// Searches for the next window of a job, and cuts it out of the free time. Returns whether one was found.
    fn next_window(&mut self, member: &mut Member<'_>) -> Result<bool, WindowError> {
        // A job without a window is not searched for again.
        let Some(begin) = member.next.take() else { return Ok(false) };
        let Member { job, eligible, next, found } = member;
        if found.windows.len() >= self.of.max_per_job.unwrap_or(usize::MAX) {
            return Ok(false);
        }
        // No window takes more nodes than there are slots, even if the job asks for more.
        let nodes = job.request.nodes().min(self.rest.len());
        let bytes = (size_of::<Window>() + nodes * size_of::<Placement>()) as u64;
        self.end = self.meter.reserve(bytes).err();
        if self.end.is_some() {
            return Ok(false);
        }
        let query = WindowQuery {
            eligible: eligible.as_ref(),
            ..WindowQuery::new(&self.rest, &job.request).with_from(begin)
        };
        let (outcome, end) = solve_charged(&self.of.search, &query, &mut self.meter)?;
        self.end = end;
        if end.is_some() {
            return Ok(false);
        }
        if !matches!(outcome.end, End::Done | End::Gap) {
            self.interrupted = Some(outcome.end);
        }
        let Some(window) = outcome.best else {
            // If the search was stopped, it is unknown whether this job has a window.
            if outcome.end == End::Done {
                self.meter.release(bytes);
                if found.windows.is_empty() {
                    found.refusal = Some(match outcome.refusal {
                        Some(known) => known,
                        None if self.of.reasons => {
                            reason(&self.of.search, &query, &mut self.reason_work, &mut self.meter)?
                        }
                        None => Refusal::Stopped,
                    });
                }
            }
            self.end = self.meter.ended();
            return Ok(false);
        };
        let unmet = eligible.as_ref().map(|eligible| unmet(&self.rest, &window, eligible.demands()));
        if let Some(first) = unmet.into_iter().flatten().next() {
            return Err(WindowError::Unmet { first });
        }
        self.rest.cut(&window)?;
        *next = Some(if self.of.search.starts_are_monotone() { window.start() } else { begin });
        found.windows.push(window);
        self.end = self.meter.ended();
        Ok(true)
    }
}

/// Runs `search`, which need not be one of this crate, and charges the meter for work that the search states but did
/// not charge itself. Returns the outcome, and the end of the meter if that work exceeds the limit. In that case the
/// outcome must be discarded, because a run limited to the work charged would not find it.
fn solve_charged(
    search: &impl WindowSearch,
    query: &WindowQuery<'_>,
    meter: &mut Meter,
) -> Result<(Outcome<Window>, Option<End>), WindowError> {
    let work = meter.work();
    let found = match meter.scratch(|meter| Outcome::on(meter, |meter| search.solve(query, meter))) {
        // A job so short that its end rounds to its start has no window; this does not affect the other jobs.
        Err(WindowError::Model(_)) => {
            let refusal = Refusal::Horizon { needed: query.request.nodes(), most: 0 };
            Outcome::infeasible(meter.work() - work).with_refusal(Some(refusal))
        }
        found => found?,
    };
    let unpaid = found.work.saturating_sub(meter.work() - work);
    let end = if unpaid > 0 { meter.spend(unpaid).err() } else { None };
    Ok((found, end))
}

/// Returns the reason why `search` finds no window for one of many jobs, or [`Refusal::Stopped`] if that would exceed
/// the allowance for all reasons, or the meter ends. `reason_work` is the work of the reasons so far. The allowance
/// is a tenth of all work so far, or of the default limit if that is more. It does not depend on the limit, so that a
/// run with a limit of the work done gives the same reasons.
fn reason(
    search: &impl WindowSearch,
    query: &WindowQuery<'_>,
    reason_work: &mut u64,
    meter: &mut Meter,
) -> Result<Refusal, WindowError> {
    let work = meter.work();
    let allowance = (work.max(Limit::default().work) / 10).saturating_sub(*reason_work);
    let reason = meter.scratch(|meter| meter.within(allowance, |meter| search.refusal(query, meter)));
    *reason_work += meter.work() - work;
    let reason = match reason {
        Err(WindowError::Stopped(_)) => Refusal::Stopped,
        reason => reason?,
    };
    #[cfg(feature = "tracing")]
    tracing::debug!(%reason, "no alternative");
    Ok(reason)
}

/// The result of an [`AlternativesSearch`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
#[must_use]
pub struct BatchAlternatives {
    /// The jobs in the order of the batch, each with its windows in the order in which they were found: the input for
    /// the choice of one window per job. A job without windows has the reason, which refers to the list at the job's
    /// turn, without the windows of the jobs before it. It has no reason if it was not searched to the end.
    #[cfg_attr(feature = "serde", serde(rename = "found"))]
    pub jobs: Vec<JobWindows>,
    /// The slots that no alternative takes.
    pub rest: SlotList,
    /// Rounds in which at least one job gained a window.
    pub rounds: usize,
    /// Units of work that the search took.
    pub work: u64,
    /// Why the search ended: [`End::Done`] if no job can get another window, or a cap was reached. Otherwise the
    /// limit that stopped it; then there may be more windows, also for jobs that have none.
    pub end: End,
}

impl std::fmt::Display for BatchAlternatives {
    /// Writes the number of windows found, then a line for each job: its windows, or the reason why it has none.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { jobs, end, work, .. } = self;
        let (windows, batch) = (counted(self.total(), "window"), counted(jobs.len(), "job"));
        write!(f, "{windows} for {batch}; {end} after {} of work", counted(*work, "unit"))?;
        for JobWindows { job, windows, refusal } in jobs {
            write!(f, "\njob {job}: ")?;
            match refusal {
                _ if !windows.is_empty() => {
                    write!(f, "{}", windows.iter().map(Window::to_string).collect::<Vec<_>>().join("; "))?
                }
                Some(refusal) => write!(f, "{refusal}")?,
                None => write!(f, "not searched to the end")?,
            }
        }
        Ok(())
    }
}

impl BatchAlternatives {
    /// The number of alternatives of all jobs together.
    pub fn total(&self) -> usize {
        self.jobs.iter().map(|of| of.windows.len()).sum()
    }
}
