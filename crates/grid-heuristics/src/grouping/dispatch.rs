//! Groups of small jobs on their resources: one dispatch after another, or all resources at once.

use super::Grouping;
use crate::HeuristicError;
use sched_model::{Money, Span, Time};

sched_model::registry! {
    /// Whether groups wait for one another.
    #[derive(Default)]
    pub enum Dispatching: "way to dispatch" {
        /// The broker sends the next group when the one before has come back. Times add up, as in the tables
        /// of S. Yadav, A. Agarwal, R. Rastogi.
        #[default]
        Sequential = "sequential",
        /// All groups are sent at once; each resource works on one at a time, in the order of dispatch.
        Parallel = "parallel",
    }
}

/// When the groups ran, and the sums over them.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DispatchOutcome {
    /// Start and end of each group, in the order of the grouping.
    pub groups: Vec<(Time, Time)>,
    /// End of each job, that of its group; `None` for refused jobs.
    pub job_ends: Vec<Option<Time>>,
    /// The times of all groups added up: the published processing time.
    pub processing_time: Span,
    /// The end of the last group.
    pub makespan: Span,
    /// The cost of all groups: the sum of rate times time.
    pub cost: Money,
    /// The time for which each resource worked.
    pub busy: Vec<Span>,
}

impl std::fmt::Display for DispatchOutcome {
    /// One line: `2 groups, time 11, makespan 6, cost 29`, and how many jobs are in no group.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counted = |count: usize, what| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let groups = counted(self.groups.len(), "group");
        write!(f, "{groups}, time {}, makespan {}, cost {}", self.processing_time, self.makespan, self.cost)?;
        match self.job_ends.iter().filter(|end| end.is_none()).count() {
            0 => Ok(()),
            refused => write!(f, ", {} refused", counted(refused, "job")),
        }
    }
}

/// Runs the groups of a grouping of `jobs` jobs on `resources` resources, from time 0. The grouping states
/// how long each group takes: in exact time or whole seconds, with overhead and transfer.
///
/// O(groups + jobs + resources).
///
/// # Errors
/// [`HeuristicError::TooMany`] if the grouping has more jobs, or more resources, than given.
///
/// ```
/// use grid_heuristics::{Dispatching, GroupResource, JobGrouping, ServiceRule, SmallJob, dispatch};
/// use sched_model::{JobId, Money, Price, Span, Speed, Time, Work};
/// let jobs: Vec<_> = [30.0, 50.0, 20.0, 40.0]
///     .iter()
///     .zip(1..)
///     .map(|(&work, id)| SmallJob::new(JobId(id), Work::must(work)))
///     .collect();
/// let resources = [
///     GroupResource::new(Speed::must(20.0), Price::must(4.0)), // groups up to 20 * 5 = 100
///     GroupResource::new(Speed::must(10.0), Price::must(1.0)), // up to 50
/// ];
/// let grouping =
///     JobGrouping::new(Span::must(5.0)).with_service(ServiceRule::WholeSeconds).group(&jobs, &resources)?;
/// // 30 + 50 + 20 on the first: 5 + 1 s; 40 on the second: 4 + 1 s.
/// let one = dispatch(&grouping, jobs.len(), resources.len(), Dispatching::Sequential)?;
/// assert_eq!(
///     (one.processing_time, one.makespan, one.cost),
///     (Span::must(11.0), Span::must(11.0), Money::must(29.0))
/// );
/// let both = dispatch(&grouping, jobs.len(), resources.len(), Dispatching::Parallel)?;
/// assert_eq!((both.processing_time, both.makespan), (Span::must(11.0), Span::must(6.0)));
/// assert_eq!(both.job_ends[3], Some(Time::must(5.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn dispatch(
    grouping: &Grouping,
    jobs: usize,
    resources: usize,
    dispatching: Dispatching,
) -> Result<DispatchOutcome, HeuristicError> {
    let groups = grouping.groups();
    let most = groups.iter().map(|group| group.resource + 1).max().unwrap_or(0);
    if most > resources {
        return Err(HeuristicError::TooMany { limit: resources, given: most });
    }
    // One line for all, or one for each resource: when it is free.
    let lines = if dispatching == Dispatching::Sequential { 1 } else { resources };
    let mut free = vec![Time::ZERO; lines];
    let mut times = Vec::with_capacity(groups.len());
    for group in groups {
        let at = &mut free[group.resource % lines];
        let start = *at;
        *at = start + group.time;
        times.push((start, *at));
    }
    let mut job_ends = vec![None; jobs];
    let mut busy = vec![Span::ZERO; resources];
    for (group, &(_, end)) in groups.iter().zip(&times) {
        busy[group.resource] += group.time;
        for &job in grouping.jobs_of(group) {
            let slot = job_ends.get_mut(job as usize);
            let too_many = HeuristicError::TooMany { limit: jobs, given: job as usize + 1 };
            *slot.ok_or(too_many)? = Some(end);
        }
    }
    let last = times.iter().map(|&(_, end)| end).max().unwrap_or(Time::ZERO);
    Ok(DispatchOutcome {
        job_ends,
        processing_time: groups.iter().map(|group| group.time).sum(),
        makespan: last - Time::ZERO,
        cost: groups.iter().map(|group| group.cost).sum(),
        busy,
        groups: times,
    })
}
