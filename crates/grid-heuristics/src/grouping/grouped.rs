//! Groups of jobs: their totals, the rule for the time that a resource works on one, and their dispatch, sequential or
//! parallel.

use sched_model::{DataSize, Money, Refusal, Span, Speed, Time, Work, internal::counted};
use std::collections::BTreeMap;

/// A group of jobs that are dispatched together to one resource.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Group {
    /// The number of the group; groups are numbered from 0 in the order in which they are made.
    pub id: usize,
    /// The index of its resource.
    pub resource: usize,
    /// The round over the resources in which it was made, from 1.
    pub round: usize,
    /// The total length of its jobs.
    pub length: Work,
    /// The total input of its jobs.
    pub input: DataSize,
    /// The time for which it holds its resource: overhead, transfer and work.
    pub time: Span,
    /// Its cost: price * time.
    pub cost: Money,
    // The jobs of the group are `order[first..end]` of its grouping.
    pub(super) first: usize,
    pub(super) end: usize,
}

/// The result of [`JobGrouping::group`](crate::JobGrouping::group): the groups, and the jobs that are in none.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Grouping {
    pub(super) order: Vec<u32>,
    /// The groups, in the order in which they are made and dispatched.
    pub groups: Vec<Group>,
    /// The indices of the jobs in no group, each with the reason.
    pub refused: Vec<(u32, Refusal)>,
}

impl std::fmt::Display for Grouping {
    /// One line: the totals, and how many jobs are in no group.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.totals())?;
        match self.refused.len() {
            0 => Ok(()),
            refused => write!(f, ", {} refused", counted(refused, "job")),
        }
    }
}

impl Grouping {
    /// The indices of the jobs of a group of this grouping, in the order in which they were grouped.
    ///
    /// # Panics
    /// May panic for a group of another grouping, like the indexing of a slice.
    pub fn jobs_of(&self, group: &Group) -> &[u32] {
        &self.order[group.first..group.end]
    }

    /// Returns the start and the end of each group if all are dispatched from time 0 on. Each holds its resource for
    /// [`Group::time`].
    ///
    /// ```
    /// use grid_heuristics::{Dispatching, JobGrouping, ServiceRule};
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
    /// let totals = grouping.totals();
    /// assert_eq!((totals.time, totals.cost), (Span::must(11.0), Money::must(29.0)));
    /// let times = |how| grouping.dispatch(how).into_iter().map(|(start, end)| (start.get(), end.get()));
    /// assert!(times(Dispatching::Sequential).eq([(0.0, 6.0), (6.0, 11.0)]));
    /// assert!(times(Dispatching::Parallel).eq([(0.0, 6.0), (0.0, 5.0)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dispatch(&self, how: Dispatching) -> Vec<(Time, Time)> {
        // When each resource is free; for sequential dispatch they count as one.
        let mut free = BTreeMap::new();
        let run = |group: &Group| {
            let resource = if how == Dispatching::Sequential { 0 } else { group.resource };
            let at = free.entry(resource).or_insert(Time::ZERO);
            let start = *at;
            *at = start + group.time;
            (start, *at)
        };
        self.groups.iter().map(run).collect()
    }

    /// Returns the number, times and cost of all groups together.
    pub fn totals(&self) -> Totals {
        Totals::of(self.groups.iter().map(|group| (group.resource, group.time, group.cost)))
    }
}

/// The number of some dispatches, their times and their cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Totals {
    /// Number of dispatches.
    pub dispatches: usize,
    /// The sum of their times: the published processing time, with one dispatch after another.
    pub time: Span,
    /// When the last resource is done if all resources work at the same time, each on one dispatch at a time.
    pub makespan: Span,
    /// The sum of their costs.
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
    /// Computes the totals from (resource, time, cost) of each dispatch.
    pub(super) fn of(dispatches: impl Iterator<Item = (usize, Span, Money)>) -> Self {
        let dispatches: Vec<_> = dispatches.collect();
        let mut busy: BTreeMap<usize, Span> = BTreeMap::new();
        for &(resource, time, _) in &dispatches {
            *busy.entry(resource).or_insert(Span::ZERO) += time;
        }
        Self {
            dispatches: dispatches.len(),
            time: dispatches.iter().map(|&(_, time, _)| time).sum(),
            makespan: busy.into_values().max().unwrap_or(Span::ZERO),
            cost: dispatches.iter().map(|&(_, _, cost)| cost).sum(),
        }
    }
}

sched_model::registry! {
    /// Whether groups are dispatched one after another or all at once.
    #[derive(Default)]
    pub enum Dispatching: setting "way to dispatch" {
        /// The broker dispatches each group when the one before is done. Times add up, as in the tables of S. Yadav,
        /// A. Agarwal, R. Rastogi.
        #[default]
        Sequential = "sequential",
        /// All groups are dispatched at once; each resource works on one at a time, in the order of dispatch.
        Parallel = "parallel",
    }
}

sched_model::registry! {
    /// The rule for the time that a resource works on jobs of a given total length.
    #[derive(Default)]
    pub enum ServiceRule: setting "rule of service" {
        /// Work / speed.
        #[default]
        Exact = "exact",
        /// floor(max(1, work / speed)) + 1: whole seconds, at least two, as on GridSim's space-shared resources
        /// (R. Buyya, M. Murshed, "GridSim: a toolkit for the modeling and simulation of distributed resource
        /// management and scheduling for Grid computing", 2002). The unit of time is then the second.
        WholeSeconds = "whole-seconds",
    }
}

impl ServiceRule {
    /// Returns the time that a resource of this speed works on jobs of this total length. Used by the studies of this
    /// workspace too.
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
