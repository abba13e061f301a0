//! Groups of small jobs on their resources: one dispatch after another, or all resources at once.

use crate::SimError;
use crate::engine::{EventQueue, Model, run};
use grid_heuristics::Grouping;
use sched_model::{Money, Span, Time};
use std::collections::VecDeque;

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
    /// Events served.
    pub events: u64,
}

/// Runs the groups of a grouping of `jobs` jobs on `resources` resources, from time 0. The grouping states
/// how long each group takes: in exact time or whole seconds, with overhead and transfer.
///
/// With g groups: O(g log g).
///
/// # Errors
/// [`SimError::Length`] if the grouping has more jobs, or more resources, than given.
///
/// ```
/// use grid_heuristics::{GroupResource, JobGrouping, ServiceRule, SmallJob};
/// use grid_sim::{Dispatching, dispatch};
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
) -> Result<DispatchOutcome, SimError> {
    let groups = grouping.groups();
    let most = groups.iter().map(|group| group.resource + 1).max().unwrap_or(0);
    if most > resources {
        return Err(SimError::Length {
            what: "the resources of a grouping".into(),
            expected: most,
            got: resources,
        });
    }
    // One queue for all, or one for each resource.
    let lines = if dispatching == Dispatching::Sequential { 1 } else { resources };
    let mut model = Dispatches {
        grouping,
        lines: vec![VecDeque::new(); lines],
        times: vec![(Time::ZERO, Time::ZERO); groups.len()],
    };
    for (at, group) in groups.iter().enumerate() {
        model.lines[group.resource % lines].push_back(at);
    }
    let mut queue = EventQueue::new();
    for line in 0..lines {
        queue.schedule(Time::ZERO, 0, line)?;
    }
    run(&mut model, &mut queue)?;
    let mut job_ends = vec![None; jobs];
    let mut busy = vec![Span::ZERO; resources];
    for (group, &(_, end)) in groups.iter().zip(&model.times) {
        busy[group.resource] += group.time;
        for &job in grouping.jobs_of(group) {
            let slot = job_ends.get_mut(job as usize);
            let what = || SimError::Length {
                what: "the jobs of a grouping".into(),
                expected: job as usize + 1,
                got: jobs,
            };
            *slot.ok_or_else(what)? = Some(end);
        }
    }
    let last = model.times.iter().map(|&(_, end)| end).max().unwrap_or(Time::ZERO);
    Ok(DispatchOutcome {
        job_ends,
        processing_time: groups.iter().map(|group| group.time).sum(),
        makespan: last - Time::ZERO,
        cost: groups.iter().map(|group| group.cost).sum(),
        busy,
        groups: model.times,
        events: queue.served(),
    })
}

struct Dispatches<'a> {
    grouping: &'a Grouping,
    /// Groups not yet sent.
    lines: Vec<VecDeque<usize>>,
    times: Vec<(Time, Time)>,
}

impl Model<usize> for Dispatches<'_> {
    /// A line is free: its next group is sent.
    fn serve(&mut self, now: Time, line: usize, queue: &mut EventQueue<usize>) -> Result<(), SimError> {
        let Some(group) = self.lines[line].pop_front() else { return Ok(()) };
        let end = now + self.grouping.groups()[group].time;
        self.times[group] = (now, end);
        queue.schedule(end, 0, line)
    }
}
