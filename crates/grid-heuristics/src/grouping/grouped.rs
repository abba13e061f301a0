//! Groups and their totals.

use sched_model::{DataSize, Money, Refusal, Span, Work};

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

impl Group {
    /// Number of its jobs, at least 1.
    #[must_use]
    pub fn job_count(&self) -> usize {
        self.end - self.first
    }
}

/// All groups, and the jobs that are in none.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Grouping {
    pub(super) order: Vec<u32>,
    pub(super) groups: Vec<Group>,
    pub(super) refused: Vec<(u32, Refusal)>,
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
    /// The groups, in the order in which they are made and dispatched.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The jobs of one of these groups, as indices, in order.
    ///
    /// # Panics
    /// For a group of another, larger grouping, as indexing a slice does.
    pub fn jobs_of(&self, group: &Group) -> &[u32] {
        &self.order[group.first..group.end]
    }

    /// The jobs in no group, as indices, with the reason.
    pub fn refused(&self) -> impl Iterator<Item = (usize, &Refusal)> {
        self.refused.iter().map(|(job, reason)| (*job as usize, reason))
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
