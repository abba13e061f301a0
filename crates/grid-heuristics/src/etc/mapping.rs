//! Mappings of tasks to resources, and the traits of the heuristics that make them.

use crate::HeuristicError;
use sched_model::{EtcMatrix, Limit, Meter, Time, internal::counted};
use std::fmt::Debug;

/// The assignment of each task to a resource. Each resource runs its tasks one at a time, in the order in which they
/// were mapped.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Mapping {
    /// The resource of each task (row).
    pub resources: Vec<usize>,
    /// When each task (row) ends.
    pub finishes: Vec<Time>,
    /// The tasks in the order in which they were mapped: the order of execution on each resource.
    pub order: Vec<usize>,
    /// When each resource (column) has completed all tasks mapped to it; its ready time if there are none.
    pub loads: Vec<Time>,
}

impl std::fmt::Display for Mapping {
    /// One line: `3 tasks on 2 resources, makespan 9`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (tasks, resources) = (self.resources.len(), self.loads.len());
        write!(f, "{} on {}", counted(tasks, "task"), counted(resources, "resource"))?;
        self.makespan().map_or(Ok(()), |makespan| write!(f, ", makespan {makespan}"))
    }
}

impl Mapping {
    /// The maximum of `loads`: when all resources are done; `None` without resources.
    pub fn makespan(&self) -> Option<Time> {
        self.loads.iter().copied().max()
    }

    /// Builds the mapping from decisions `(task, resource)`: each resource runs its tasks in the order of the
    /// decisions, one after the other, from its ready time on.
    ///
    /// # Errors
    /// [`HeuristicError::Incomplete`] if a task is missing; [`HeuristicError::ReadyTimes`],
    /// [`HeuristicError::NoResource`] and [`HeuristicError::TooMany`] as for [`MappingHeuristic::map`];
    /// [`HeuristicError::Model`] for an unknown task or resource and for a task given twice.
    ///
    /// ```
    /// use grid_heuristics::Mapping;
    /// use sched_model::{EtcMatrix, Time};
    /// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
    /// let mapping = Mapping::from_order(&etc, [(2, 0), (0, 1), (1, 0)])?;
    /// assert_eq!(mapping.resources, [1, 0, 0]);
    /// assert_eq!(mapping.finishes, [8.0, 4.0, 2.0].map(Time::must)); // task 1 waits for task 2
    /// # Ok::<(), grid_heuristics::HeuristicError>(())
    /// ```
    pub fn from_order(
        etc: &EtcMatrix,
        decisions: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, HeuristicError> {
        let mut building = Building::new(etc)?;
        let mut seen = vec![false; etc.rows()];
        for (task, resource) in decisions {
            let unknown = |what, id: usize| sched_model::ModelError::UnknownId { what, id: id as u64 };
            let seen = seen.get_mut(task).ok_or_else(|| unknown("task", task))?;
            if std::mem::replace(seen, true) {
                return Err(sched_model::ModelError::RepeatedId { what: "task", id: task as u64 }.into());
            }
            if resource >= etc.cols() {
                return Err(unknown("resource", resource).into());
            }
            building.commit(task, resource);
        }
        building.mapping()
    }
}

/// A heuristic that maps all tasks of a matrix. Each resource (column) works from its
/// [ready time](EtcMatrix::with_ready) on.
///
/// Object-safe; the registered heuristics are listed in [`MappingKind`](crate::MappingKind). For a heuristic of your
/// own implement [`name`](Self::name) and [`solve`](Self::solve). Every [`ImmediateHeuristic`] that is `Clone`
/// implements this trait: it maps task by task, in the order of the rows.
pub trait MappingHeuristic: Debug + Send + Sync {
    /// The name of the heuristic; for a registered one that in [`MappingKind`](crate::MappingKind).
    fn name(&self) -> &str;

    /// Maps all tasks within the work and memory that the meter allows; there is no partial mapping. One unit of work
    /// is one look at the time of a task on a resource.
    ///
    /// # Errors
    /// [`HeuristicError::Stopped`] if the meter ended the heuristic; an implementation gets it by `?` on the calls of
    /// the meter. Otherwise as for [`map`](Self::map).
    ///
    /// ```
    /// use grid_heuristics::{HeuristicError, MappingHeuristic, MappingKind};
    /// use sched_model::{End, EtcMatrix, Limit, Time};
    /// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
    /// let mapping = MappingKind::MinMin.solve(&etc, &mut Limit::default().meter())?;
    /// assert_eq!(mapping.makespan(), Some(Time::must(9.0)));
    /// assert_eq!(mapping.to_string(), "3 tasks on 2 resources, makespan 9");
    /// let short = MappingKind::MinMin.solve(&etc, &mut Limit::default().with_work(3).meter());
    /// assert_eq!(short, Err(HeuristicError::Stopped(End::Work)));
    /// # Ok::<(), HeuristicError>(())
    /// ```
    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError>;

    /// Maps all tasks, without a limit.
    ///
    /// # Errors
    /// [`HeuristicError::ReadyTimes`] if there is not one ready time for each column,
    /// [`HeuristicError::NoResource`] for tasks without a column, [`HeuristicError::TooMany`] for 2^31 tasks
    /// or more, and for more than 2^24 resources.
    fn map(&self, etc: &EtcMatrix) -> Result<Mapping, HeuristicError> {
        self.solve(etc, &mut Limit::none().meter())
    }
}

/// A heuristic that maps each task on its arrival (immediate mode).
///
/// An implementation may keep state between tasks: use a separate value for each stream of tasks.
pub trait ImmediateHeuristic: Debug + Send + Sync {
    /// The name of the heuristic; for a registered one that in [`MappingKind`](crate::MappingKind).
    fn name(&self) -> &str;

    /// Chooses the resource of a task that takes `times[j]` on resource `j`, which is ready at `ready[j]`; `None` if
    /// there is no resource.
    fn choose(&mut self, times: &[f64], ready: &[Time]) -> Option<usize>;
}

impl<H: ImmediateHeuristic + Clone> MappingHeuristic for H {
    fn name(&self) -> &str {
        ImmediateHeuristic::name(self)
    }

    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
        let mut stream = self.clone();
        let mut building = Building::new(etc)?;
        for task in 0..etc.rows() {
            meter.spend(etc.cols() as u64)?;
            let Some(resource) = stream.choose(&etc[task], &building.done.loads) else {
                return Err(HeuristicError::NoResource { jobs: etc.rows() });
            };
            building.commit(task, resource);
        }
        building.mapping()
    }
}

/// A mapping under construction.
pub(crate) struct Building<'a> {
    etc: &'a EtcMatrix,
    /// The present loads as plain numbers, for the inner loops.
    pub(crate) ready: Vec<f64>,
    done: Mapping,
}

impl<'a> Building<'a> {
    pub(crate) fn new(etc: &'a EtcMatrix) -> Result<Self, HeuristicError> {
        // Tasks, and packs of tasks (there are fewer packs than tasks), are numbered in 32 bits. A matrix without rows
        // may have any number of columns, but a mapping has a load for each.
        for (given, limit) in [(etc.rows(), (u32::MAX / 2) as usize), (etc.cols(), 1 << 24)] {
            if given > limit {
                return Err(HeuristicError::TooMany { limit, given });
            }
        }
        if etc.cols() == 0 && etc.rows() > 0 {
            return Err(HeuristicError::NoResource { jobs: etc.rows() });
        }
        let ready = etc.ready();
        if ready.len() != etc.cols() {
            return Err(HeuristicError::ReadyTimes { resources: etc.cols(), given: ready.len() });
        }
        Ok(Self {
            etc,
            ready: etc.ready().map(Time::get).collect(),
            done: Mapping {
                resources: vec![0; etc.rows()],
                finishes: vec![Time::ZERO; etc.rows()],
                order: Vec::with_capacity(etc.rows()),
                loads: ready.collect(),
            },
        })
    }

    /// Appends a task to those of a resource.
    pub(crate) fn commit(&mut self, task: usize, resource: usize) {
        // A cell is a valid span, and sums of them stay finite.
        let span = sched_model::Span::try_from(self.etc[task][resource]).unwrap_or(sched_model::Span::ZERO);
        let finish = self.done.loads[resource] + span;
        self.done.loads[resource] = finish;
        self.done.resources[task] = resource;
        self.done.finishes[task] = finish;
        self.done.order.push(task);
        self.ready[resource] = finish.get();
    }

    /// Returns the mapping, or an error if it is incomplete.
    pub(crate) fn mapping(self) -> Result<Mapping, HeuristicError> {
        let (mapped, tasks) = (self.done.order.len(), self.etc.rows());
        if mapped == tasks { Ok(self.done) } else { Err(HeuristicError::Incomplete { mapped, tasks }) }
    }
}

/// Returns the position and value of the minimum, the first among equals; `None` if there are no values.
pub(crate) fn first_min(values: impl Iterator<Item = f64>) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for (at, value) in values.enumerate() {
        if best.is_none_or(|(_, lowest)| value < lowest) {
            best = Some((at, value));
        }
    }
    best
}

/// Returns the two smallest sums of a time and the ready time at the same position.
///
/// Independent lanes, with the positions looked up afterwards, are several times as fast as one pass that keeps track
/// of the positions.
#[inline]
fn two_smallest(times: &[f64], ready: &[f64]) -> (f64, f64) {
    const LANES: usize = 8;
    let min = |a: f64, b: f64| if a < b { a } else { b };
    let max = |a: f64, b: f64| if a < b { b } else { a };
    let (mut first, mut second) = ([f64::INFINITY; LANES], [f64::INFINITY; LANES]);
    let (t_chunks, t_rest) = times.as_chunks::<LANES>();
    let (r_chunks, r_rest) = ready.as_chunks::<LANES>();
    for (t, r) in t_chunks.iter().zip(r_chunks) {
        for lane in 0..LANES {
            let sum = t[lane] + r[lane];
            second[lane] = min(second[lane], max(first[lane], sum));
            first[lane] = min(first[lane], sum);
        }
    }
    let rest = t_rest.iter().zip(r_rest).map(|(t, r)| t + r);
    first
        .into_iter()
        .chain(second)
        .chain(rest)
        .fold((f64::INFINITY, f64::INFINITY), |(first, second), sum| {
            (min(first, sum), min(second, max(first, sum)))
        })
}

/// Returns the resource that completes a task first, and the completion time. Both slices must have the same length,
/// not zero.
#[inline]
pub(crate) fn earliest(times: &[f64], ready: &[f64]) -> (usize, f64) {
    let (value, _) = two_smallest(times, ready);
    let at = times.iter().zip(ready).position(|(t, r)| t + r == value);
    (at.unwrap_or(0), value)
}

/// The two resources that complete a task first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BestTwo {
    pub(crate) first: usize,
    pub(crate) first_finish: f64,
    /// `first` if there is only one resource.
    pub(crate) second: usize,
    pub(crate) second_finish: f64,
}

impl BestTwo {
    /// Both slices must have the same length, not zero.
    pub(crate) fn of(times: &[f64], ready: &[f64]) -> Self {
        let (first_finish, second_finish) = two_smallest(times, ready);
        let at = |finish: f64, but: usize| {
            times.iter().zip(ready).enumerate().position(|(at, (t, r))| t + r == finish && at != but)
        };
        let first = at(first_finish, usize::MAX).unwrap_or(0);
        match at(second_finish, first) {
            Some(second) => Self { first, first_finish, second, second_finish },
            None => Self { first, first_finish, second: first, second_finish: first_finish },
        }
    }

    /// The sufferage: the second earliest completion minus the earliest; 0 if there is only one resource.
    pub(crate) fn sufferage(&self) -> f64 {
        self.second_finish - self.first_finish
    }
}
