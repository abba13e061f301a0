//! Groups and their totals, how long a resource works on one, and their dispatch, one after another or all resources
//! at once.

use crate::HeuristicError;
use sched_model::{DataSize, Money, Refusal, Span, Speed, Time, Work};

/// Jobs that are dispatched together.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Group {
    /// Its number: groups are numbered from 0 in the order in which they are made.
    pub id: usize,
    /// Its resource, as an index.
    pub resource: usize,
    /// The round over the resources in which it was made, from 1.
    pub round: usize,
    /// Lengths of its jobs together.
    pub length: Work,
    /// Inputs of its jobs together.
    pub input: DataSize,
    /// The time for which it holds its resource: overhead, transfer, work.
    pub time: Span,
    /// What is paid: price * time.
    pub cost: Money,
    // Its jobs are consecutive in the order of the grouping.
    pub(super) first: usize,
    pub(super) end: usize,
}

/// All groups, and the jobs that are in none.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Grouping {
    pub(super) order: Vec<u32>,
    /// The groups, in the order in which they are made and dispatched.
    pub groups: Vec<Group>,
    /// The jobs in no group, as indices, with the reason.
    pub refused: Vec<(u32, Refusal)>,
    pub(super) resources: usize,
}

impl std::fmt::Display for Grouping {
    /// One line: the totals, and how many jobs are in no group.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.totals())?;
        match self.refused.len() {
            0 => Ok(()),
            1 => write!(f, ", 1 job refused"),
            refused => write!(f, ", {refused} jobs refused"),
        }
    }
}

impl Grouping {
    /// The jobs of one of these groups, as indices, in order.
    ///
    /// # Panics
    /// For a group of another, larger grouping, as indexing a slice does.
    pub fn jobs_of(&self, group: &Group) -> &[u32] {
        &self.order[group.first..group.end]
    }

    /// Number, times and cost of all groups together.
    pub fn totals(&self) -> Totals {
        Totals::of(self.resources, self.groups.iter().map(|group| (group.resource, group.time, group.cost)))
    }
}

/// Number, times and cost of some dispatches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Totals {
    /// Number of dispatches.
    pub dispatches: usize,
    /// Their times added up: the published processing time, one dispatch after another.
    pub time: Span,
    /// When the last resource is done if all work at once, each on one dispatch at a time.
    pub makespan: Span,
    /// Their costs added up.
    pub cost: Money,
}

impl std::fmt::Display for Totals {
    /// One line: `4 dispatches, time 40, makespan 12, cost 80`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { dispatches, time, makespan, cost } = self;
        write!(f, "{dispatches} dispatches, time {time}, makespan {makespan}, cost {cost}")
    }
}

impl Totals {
    /// The totals from (resource, time, cost) of each dispatch.
    pub(super) fn of(resources: usize, dispatches: impl Iterator<Item = (usize, Span, Money)>) -> Self {
        let dispatches: Vec<_> = dispatches.collect();
        let mut busy = vec![Span::ZERO; resources];
        for &(resource, time, _) in &dispatches {
            busy[resource] += time;
        }
        Self {
            dispatches: dispatches.len(),
            time: dispatches.iter().map(|&(_, time, _)| time).sum(),
            makespan: busy.into_iter().max().unwrap_or(Span::ZERO),
            cost: dispatches.iter().map(|&(_, _, cost)| cost).sum(),
        }
    }
}

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
/// use grid_heuristics::{Dispatching, JobGrouping, ServiceRule, dispatch};
/// use sched_model::{Job, JobId, Machine, MachineId, Money, Price, ResourceRequest, Span, Speed, Time};
/// let jobs: Vec<_> = [30.0, 50.0, 20.0, 40.0]
///     .iter()
///     .zip(1..)
///     .map(|(&work, id)| Job::new(JobId(id), ResourceRequest::must(1, work)))
///     .collect();
/// let resources = [
///     Machine::new(MachineId(0), 1, Speed::must(20.0), Price::must(4.0))?, // groups up to 20 * 5 = 100
///     Machine::new(MachineId(1), 1, Speed::must(10.0), Price::must(1.0))?, // up to 50
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
    let groups = &grouping.groups;
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

sched_model::registry! {
    /// How long a resource works on jobs of a total length.
    #[derive(Default)]
    pub enum ServiceRule: "rule of service" {
        /// Work / speed.
        #[default]
        Exact = "exact",
        /// floor(max(1, work / speed)) + 1: whole seconds and at least two, as GridSim's space-shared
        /// resources count (R. Buyya, M. Murshed, "GridSim: a toolkit for the modeling and simulation of
        /// distributed resource management and scheduling for Grid computing", 2002). The unit of time is
        /// then the second.
        WholeSeconds = "whole-seconds",
    }
}

impl ServiceRule {
    /// How long it works: also for the studies of this workspace.
    ///
    /// ```
    /// use grid_heuristics::ServiceRule;
    /// use sched_model::{Span, Speed, Work};
    /// let speed = Speed::must(100.0);
    /// let whole = |work| ServiceRule::WholeSeconds.span(Work::must(work), speed);
    /// assert_eq!([whole(30.0), whole(150.0), whole(200.0)], [2.0, 2.0, 3.0].map(Span::must));
    /// assert_eq!(ServiceRule::Exact.span(Work::must(150.0), speed), Span::must(1.5));
    /// ```
    #[doc(hidden)]
    pub fn span(self, work: Work, speed: Speed) -> Span {
        let exact = work / speed;
        match self {
            Self::Exact => exact,
            // Beyond the range of a span the exact time is used.
            Self::WholeSeconds => Span::try_from(exact.get().max(1.0).floor() + 1.0).unwrap_or(exact),
        }
    }
}
