//! All alternatives of a batch: windows for each job that do not overlap.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for Economic
//! Scheduling in Distributed Systems*, 2011, section 2 (the multi-variant search).
//!
//! Deviations. A job that has found nothing is not asked again, because cutting slots never makes a window possible. A
//! search whose [starts never recede](crate::WindowSearch::starts_never_recede) resumes where the job's last window
//! stood. Neither changes the result. Caps on alternatives and rounds are ours.

use crate::{SearchScratch, WindowError, WindowSearch};
use sched_model::{Batch, JobId, Refusal, SlotList, Time, Window};

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
/// use slot_window::{Alternatives, Amp};
///
/// let node = |id, price| Node::new(NodeId(id), Speed::ETALON, Price::must(price));
/// let nodes = [node(1, 1.0), node(2, 2.0)];
/// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(100.0))?;
/// let batch = Batch::new(vec![
///     Job::new(JobId(1), ResourceRequest::new(2, Work::must(30.0))?),
///     Job::new(JobId(2), ResourceRequest::new(1, Work::must(40.0))?.with_budget(Money::must(40.0))),
/// ])?;
/// let found = Alternatives::new(Amp::new()).find(&slots, &batch, Time::ZERO)?;
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
pub struct Alternatives<S> {
    search: S,
    max_per_job: Option<usize>,
    max_rounds: Option<usize>,
}

impl<S: WindowSearch> Alternatives<S> {
    /// With this search and no caps.
    #[must_use]
    pub fn new(search: S) -> Self {
        Self { search, max_per_job: None, max_rounds: None }
    }

    /// At most this many alternatives for each job.
    #[must_use]
    pub fn with_max_per_job(self, max: usize) -> Self {
        Self { max_per_job: Some(max), ..self }
    }

    /// At most this many rounds over the batch.
    #[must_use]
    pub fn with_max_rounds(self, max: usize) -> Self {
        Self { max_rounds: Some(max), ..self }
    }

    /// The search.
    #[must_use]
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
        let mut scratch = SearchScratch::new();
        let mut found: Vec<Found> =
            batch.iter().map(|job| Found { job: job.id, windows: Vec::new(), refusal: None }).collect();
        // Where each job's next search begins; none once it has ended.
        let mut next: Vec<Option<Time>> = batch.iter().map(|job| Some(from.max(job.submit))).collect();
        let most = self.max_per_job.unwrap_or(usize::MAX);
        let mut rounds = 0;
        while self.max_rounds.is_none_or(|max| rounds < max) {
            let mut gained = false;
            for ((job, next), found) in batch.iter().zip(&mut next).zip(&mut found) {
                let Some(begin) = *next else { continue };
                if found.windows.len() >= most {
                    *next = None;
                    continue;
                }
                match self.search.find(&rest, &job.request, begin, &mut scratch)? {
                    Some(window) => {
                        rest.cut(&window)?;
                        if self.search.starts_never_recede() {
                            *next = Some(window.start());
                        }
                        found.windows.push(window);
                        gained = true;
                    }
                    None => {
                        *next = None;
                        if found.windows.is_empty() {
                            found.refusal =
                                Some(self.search.refusal(&rest, &job.request, begin, &mut scratch)?);
                        }
                    }
                }
            }
            if !gained {
                break;
            }
            rounds += 1;
        }
        Ok(BatchAlternatives { found, rest, rounds })
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Found {
    job: JobId,
    windows: Vec<Window>,
    refusal: Option<Refusal>,
}

/// What the multi-variant search has found.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchAlternatives {
    found: Vec<Found>,
    rest: SlotList,
    rounds: usize,
}

impl BatchAlternatives {
    /// The windows of the job at this position of the batch, in the order in which they were found; none for a
    /// position beyond the batch.
    #[must_use]
    pub fn of(&self, position: usize) -> &[Window] {
        self.found.get(position).map_or(&[], |found| &found.windows)
    }

    /// Why the job at this position has no alternative: judged on the list as it stood at the job's turn, so that
    /// windows of jobs before it count as taken. `None` if it has some, or was not asked.
    #[must_use]
    pub fn refusal(&self, position: usize) -> Option<&Refusal> {
        self.found.get(position)?.refusal.as_ref()
    }

    /// Each job with its windows, in the order of the batch.
    pub fn jobs(&self) -> impl Iterator<Item = (JobId, &[Window])> {
        self.found.iter().map(|found| (found.job, found.windows.as_slice()))
    }

    /// Each job with its windows and, where it has none, the reason: what the choice of one window per job takes.
    pub fn offers(&self) -> impl Iterator<Item = (JobId, &[Window], Option<&Refusal>)> {
        self.found.iter().map(|found| (found.job, found.windows.as_slice(), found.refusal.as_ref()))
    }

    /// The jobs without an alternative, with the reason, in the order of the batch.
    pub fn refused(&self) -> impl Iterator<Item = (JobId, &Refusal)> {
        self.found.iter().filter_map(|found| Some((found.job, found.refusal.as_ref()?)))
    }

    /// Number of jobs in the batch.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether the batch was empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Number of alternatives of all jobs.
    #[must_use]
    pub fn total(&self) -> usize {
        self.found.iter().map(|found| found.windows.len()).sum()
    }

    /// Whether every job has an alternative.
    #[must_use]
    pub fn covers_every_job(&self) -> bool {
        self.found.iter().all(|found| !found.windows.is_empty())
    }

    /// Rounds in which at least one job gained a window.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// The slots that no alternative takes.
    pub fn rest(&self) -> &SlotList {
        &self.rest
    }

    /// The windows, one list per job in the order of the batch, for a choice among them.
    #[must_use]
    pub fn into_windows(self) -> Vec<Vec<Window>> {
        self.found.into_iter().map(|found| found.windows).collect()
    }
}
