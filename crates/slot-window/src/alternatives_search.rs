//! All alternatives of a batch: windows for each job that do not overlap.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for Economic
//! Scheduling in Distributed Systems*, 2011, section 2 (the multi-variant search).
//!
//! Deviations. A job that has found nothing is not asked again, because cutting slots never makes a window possible. A
//! search whose [starts are monotone](crate::WindowSearch::starts_are_monotone) resumes where the job's last window
//! stood. Neither changes the result. Caps on alternatives and rounds are ours.

use crate::{SearchScratch, WindowError, WindowQuery, WindowSearch};
use sched_model::{
    Batch, Demands, Eligible, End, JobId, Limit, Placement, Refusal, SlotList, Time, Window, check::unmet,
};
use std::collections::BTreeMap;

/// The multi-variant search: round after round, each job of the batch in turn gets the window that the search prefers,
/// which is cut out of the list; until a round in which no job gains one.
///
/// Windows of one batch, of the same job or of different ones, never overlap: any choice of one alternative per job
/// is a schedule.
///
/// Works with any [`WindowSearch`], by value, by reference or boxed. A job does not start before its submit time.
///
/// * **Complexity**: with a search that resumes, over m slots: each job passes over the list once, plus, at each of
///   its alternatives, the slots still alive there and the cut, O(N log m) for N nodes. Other searches start anew at
///   each alternative.
/// * **Errors**: [`WindowError`], only for malformed input or a search that returns time that is not free.
///
/// ```
/// use sched_model::*;
/// use slot_window::{AlternativesSearch, Amp};
///
/// let node = |id, price| Node::new(NodeId(id), Speed::ETALON, Price::must(price));
/// let nodes = [node(1, 1.0), node(2, 2.0)];
/// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?;
/// let batch = Batch::new(vec![
///     Job::new(JobId(1), ResourceRequest::new(2, Work::must(30.0))?),
///     Job::new(JobId(2), ResourceRequest::new(1, Work::must(40.0))?.with_budget(Money::must(40.0))),
/// ])?;
/// let found = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO)?;
///
/// // Round 1: job 1 takes both nodes during [0, 30), job 2 node 1 during [30, 70).
/// // Round 2: job 1 takes both during [70, 100). Then nothing is left that suits.
/// let starts = |job: usize| -> Vec<f64> { found.of(job).iter().map(|window| window.start().get()).collect() };
/// assert_eq!(starts(0), [0.0, 70.0]);
/// assert_eq!(starts(1), [30.0]);
/// assert_eq!(found.total(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct AlternativesSearch<S> {
    search: S,
    max_per_job: Option<usize>,
    max_rounds: Option<usize>,
    limit: Limit,
    demands: BTreeMap<JobId, Demands>,
}

impl<S: WindowSearch> AlternativesSearch<S> {
    /// With this search, no caps, and the default limit.
    pub fn new(search: S) -> Self {
        Self {
            search,
            max_per_job: None,
            max_rounds: None,
            limit: Limit::default(),
            demands: BTreeMap::new(),
        }
    }

    /// With demands of jobs on their nodes and starts, in addition to their requests. The demands of each job are compiled
    /// once. A search that does not keep to them is an error.
    pub fn with_demands(self, demands: impl IntoIterator<Item = (JobId, Demands)>) -> Self {
        Self { demands: demands.into_iter().collect(), ..self }
    }

    /// Within this limit. Work is counted after each search: the slots that it has read, as a rule. Memory is that of
    /// the windows.
    pub fn with_limit(self, limit: Limit) -> Self {
        Self { limit, ..self }
    }

    /// At most this many alternatives for each job.
    pub fn with_max_per_job(self, max: usize) -> Self {
        Self { max_per_job: Some(max), ..self }
    }

    /// At most this many rounds over the batch.
    pub fn with_max_rounds(self, max: usize) -> Self {
        Self { max_rounds: Some(max), ..self }
    }

    /// The search.
    pub fn search(&self) -> &S {
        &self.search
    }

    /// All alternatives of `batch` in `slots`, none starting before `from`.
    ///
    /// # Errors
    /// [`WindowError`], only for malformed input or a search that returns time that is not free.
    pub fn find(
        &self,
        slots: &SlotList,
        batch: &Batch,
        from: Time,
    ) -> Result<BatchAlternatives, WindowError> {
        let mut rest = slots.clone();
        if self.search.starts_are_monotone() && batch.len() >= MANY_JOBS {
            rest.order_first_group();
        }
        let mut scratch = SearchScratch::new();
        let mut found: Vec<Found> =
            batch.iter().map(|job| Found { job: job.id, windows: Vec::new(), refusal: None }).collect();
        // Where each job's next search begins; none once it has ended.
        let mut next: Vec<Option<Time>> = batch.iter().map(|job| Some(from.max(job.submit))).collect();
        let eligible: Vec<Option<Eligible>> =
            batch.iter().map(|job| Some(slots.eligible(self.demands.get(&job.id)?))).collect();
        let mut meter = self.limit.meter();
        let mut end = meter.spend(slots.len() as u64).err();
        // A search that kept to the limit, though not to its guarantee.
        let mut doubt = None;
        let most = self.max_per_job.unwrap_or(usize::MAX);
        let mut rounds = 0;
        'rounds: while end.is_none() && self.max_rounds.is_none_or(|max| rounds < max) {
            let mut gained = false;
            let jobs = batch.iter().zip(&eligible).zip(&mut next).zip(&mut found);
            for (((job, eligible), next), found) in jobs {
                let Some(begin) = *next else { continue };
                if found.windows.len() >= most {
                    *next = None;
                    continue;
                }
                // No window takes more nodes than there are slots, whatever the job asks for.
                let nodes = job.request.nodes().min(rest.len());
                let bytes = size_of::<Window>() + nodes * size_of::<Placement>();
                end = meter.reserve(bytes as u64).err();
                if end.is_some() {
                    break 'rounds;
                }
                let left = self.limit.clone().with_work(meter.work_left());
                let query = WindowQuery {
                    eligible: eligible.as_ref(),
                    ..WindowQuery::new(&rest, &job.request, begin)
                };
                let outcome = match self.search.find_within(&query, &mut left.meter(), &mut scratch) {
                    // A job too short to be told apart at the instants at which it could run spoils no other.
                    Err(WindowError::Model(_)) => {
                        *next = None;
                        if found.windows.is_empty() {
                            found.refusal = Some(Refusal::Horizon { needed: job.request.nodes(), most: 0 });
                        }
                        continue;
                    }
                    outcome => outcome?,
                };
                end = meter.spend(outcome.work).err();
                if !matches!(outcome.end, End::Done | End::Gap) {
                    doubt = Some(outcome.end);
                }
                match outcome.incumbent {
                    Some(window) => {
                        let unmet =
                            eligible.as_ref().map(|eligible| unmet(&rest, &window, eligible.demands()));
                        if let Some(first) = unmet.into_iter().flatten().next() {
                            return Err(WindowError::Unmet { first });
                        }
                        rest.cut(&window)?;
                        if self.search.starts_are_monotone() {
                            *next = Some(window.start());
                        }
                        found.windows.push(window);
                        gained = true;
                    }
                    None if outcome.end == End::Done => {
                        *next = None;
                        meter.release(bytes as u64);
                        if found.windows.is_empty() {
                            let refusal = self.search.refusal(&query, &mut scratch)?;
                            #[cfg(feature = "tracing")]
                            tracing::debug!(job = job.id.0, %refusal, "no alternative");
                            found.refusal = Some(refusal);
                        }
                    }
                    // Nothing is known of this job.
                    None => *next = None,
                }
                if end.is_some() {
                    break 'rounds;
                }
            }
            if !gained {
                break;
            }
            rounds += 1;
        }
        let end = end.or(doubt).unwrap_or(End::Done);
        let found = BatchAlternatives { found, rest, rounds, work: meter.work(), end };
        #[cfg(feature = "tracing")]
        tracing::info!(
            jobs = batch.len(),
            without = found.jobs().filter(|(_, windows)| windows.is_empty()).count(),
            windows = found.total(),
            rounds,
            work = found.work,
            %end,
            "alternatives by {}",
            self.search.name()
        );
        Ok(found)
    }
}

/// So many searches pay for an order of the slots that are free first.
const MANY_JOBS: usize = 8;

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
struct Found {
    job: JobId,
    windows: Vec<Window>,
    refusal: Option<Refusal>,
}

/// What the multi-variant search has found.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct BatchAlternatives {
    found: Vec<Found>,
    rest: SlotList,
    rounds: usize,
    work: u64,
    end: End,
}

impl std::fmt::Display for BatchAlternatives {
    /// How many windows were found, then a line for each job: its windows, or the reason why it has none.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} windows for {} jobs; {} after {} units of work",
            self.total(),
            self.len(),
            self.end,
            self.work
        )?;
        for Found { job, windows, refusal } in &self.found {
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
    /// The windows of the job at this position of the batch, in the order in which they were found; none for a
    /// position beyond the batch.
    pub fn of(&self, position: usize) -> &[Window] {
        self.found.get(position).map_or(&[], |found| &found.windows)
    }

    /// Why the job at this position has no alternative, by the list as it was at the job's turn: windows of jobs before
    /// it are taken. `None` if it has some, or was not asked.
    pub fn refusal(&self, position: usize) -> Option<&Refusal> {
        self.found.get(position)?.refusal.as_ref()
    }

    /// Each job with its windows, in the order of the batch.
    pub fn jobs(&self) -> impl Iterator<Item = (JobId, &[Window])> {
        self.found.iter().map(|found| (found.job, found.windows.as_slice()))
    }

    /// Each job with its windows and, where it has none, the reason: the input for the choice of one window per job.
    pub fn offers(&self) -> impl Iterator<Item = (JobId, &[Window], Option<&Refusal>)> {
        self.found.iter().map(|found| (found.job, found.windows.as_slice(), found.refusal.as_ref()))
    }

    /// The jobs without an alternative, with the reason, in the order of the batch.
    pub fn refused(&self) -> impl Iterator<Item = (JobId, &Refusal)> {
        self.found.iter().filter_map(|found| Some((found.job, found.refusal.as_ref()?)))
    }

    /// Number of jobs in the batch.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether the batch was empty.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Number of alternatives of all jobs.
    pub fn total(&self) -> usize {
        self.found.iter().map(|found| found.windows.len()).sum()
    }

    /// Whether every job has an alternative.
    pub fn covers_every_job(&self) -> bool {
        self.found.iter().all(|found| !found.windows.is_empty())
    }

    /// Rounds in which at least one job gained a window.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// Why the search ended: [`End::Done`] if no job can gain another window, or a cap was reached; else what stopped it,
    /// so that there may be more windows, and jobs without one of which nothing is known.
    pub fn end(&self) -> End {
        self.end
    }

    /// Units of work that the search took.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The slots that no alternative takes.
    pub fn rest(&self) -> &SlotList {
        &self.rest
    }

    /// The windows, one list per job in the order of the batch, for a choice among them.
    pub fn into_windows(self) -> Vec<Vec<Window>> {
        self.found.into_iter().map(|found| found.windows).collect()
    }
}
