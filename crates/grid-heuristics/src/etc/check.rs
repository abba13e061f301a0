//! Checks a mapping against its matrix, independently of the heuristic that made it; and finds tasks with equal rows.

use super::mapping::Mapping;
use sched_model::{End, EtcMatrix, Meter, Span, Time};
use std::cmp::Ordering;

/// What is wrong with a mapping.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MappingFlaw {
    /// The number of values is not that of the tasks, or of the resources.
    #[error("{found} {what} where there should be {expected}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// The number that the matrix asks for.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A task is mapped to a resource that the matrix does not have.
    #[error("task {task} is mapped to resource {resource}, which does not exist")]
    NoSuchResource {
        /// The task, from 0.
        task: usize,
        /// The resource, from 0.
        resource: usize,
    },
    /// The order names a task that the matrix does not have.
    #[error("the order names task {task}, which does not exist")]
    NoSuchTask {
        /// The task, from 0.
        task: usize,
    },
    /// A task is never run.
    #[error("task {task} is missing from the order")]
    Forgotten {
        /// The task, from 0.
        task: usize,
    },
    /// A task is run twice.
    #[error("task {task} is twice in the order")]
    Repeated {
        /// The task, from 0.
        task: usize,
    },
    /// The end of a task differs from the end of the tasks before it on its resource plus its own time.
    #[error("task {task}: stated end {stated}, expected {expected}")]
    Finish {
        /// The task, from 0.
        task: usize,
        /// When it ends, by the order of the mapping.
        expected: Time,
        /// When it ends, as the mapping states it.
        stated: Time,
    },
    /// The time at which a resource is done is wrong.
    #[error("resource {resource}: stated ready time {stated}, expected {expected}")]
    Load {
        /// The resource, from 0.
        resource: usize,
        /// When it is done, by the order of the mapping.
        expected: Time,
        /// When it is done, as the mapping states it.
        stated: Time,
    },
}

impl Mapping {
    /// Checks this mapping against a matrix: it contains every task once, each runs after those before it on
    /// its resource and not before the resource is ready, and all times are those that follow from that order,
    /// to the bit. The mapping passes if the list is empty. O(n + m) for n tasks on m resources; shares no code
    /// with any heuristic.
    ///
    /// ```
    /// use grid_heuristics::{MappingFlaw, MappingHeuristic, MappingKind};
    /// use sched_model::{EtcMatrix, Time};
    /// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0]])?;
    /// let from = |at: f64| etc.clone().with_ready([Time::must(at), Time::must(5.0)]);
    /// let mapping = MappingKind::MinMin.map(&from(0.0))?;
    /// assert_eq!(mapping.check(&from(0.0)), []);
    /// // The same mapping is wrong where resource 0 is ready at 1.
    /// assert!(matches!(mapping.check(&from(1.0))[0], MappingFlaw::Finish { task: 1, .. }));
    /// # Ok::<(), grid_heuristics::HeuristicError>(())
    /// ```
    #[must_use]
    pub fn check(&self, etc: &EtcMatrix) -> Vec<MappingFlaw> {
        let counts = [
            ("ready times", etc.cols(), etc.ready().len()),
            ("resources of tasks", etc.rows(), self.resources.len()),
            ("finishes of tasks", etc.rows(), self.finishes.len()),
            ("loads of resources", etc.cols(), self.loads.len()),
        ];
        let wrong = counts.into_iter().filter(|(_, expected, found)| expected != found);
        let mut flaws: Vec<MappingFlaw> =
            wrong.map(|(what, expected, found)| MappingFlaw::Count { what, expected, found }).collect();
        if !flaws.is_empty() {
            return flaws;
        }
        let mut loads: Vec<Time> = etc.ready().collect();
        let mut seen = vec![false; etc.rows()];
        for &task in &self.order {
            let Some(seen) = seen.get_mut(task) else {
                flaws.push(MappingFlaw::NoSuchTask { task });
                continue;
            };
            if std::mem::replace(seen, true) {
                flaws.push(MappingFlaw::Repeated { task });
                continue;
            }
            let resource = self.resources[task];
            let Some(load) = loads.get_mut(resource) else {
                flaws.push(MappingFlaw::NoSuchResource { task, resource });
                continue;
            };
            *load = *load + Span::try_from(etc[task][resource]).unwrap_or(Span::ZERO);
            let (expected, stated) = (*load, self.finishes[task]);
            if expected != stated {
                flaws.push(MappingFlaw::Finish { task, expected, stated });
            }
        }
        let forgotten = seen.iter().enumerate().filter(|(_, seen)| !**seen);
        flaws.extend(forgotten.map(|(task, _)| MappingFlaw::Forgotten { task }));
        let pairs = loads.iter().zip(&self.loads).enumerate();
        flaws.extend(
            pairs
                .filter(|(_, (expected, stated))| expected != stated)
                .map(|(resource, (&expected, &stated))| MappingFlaw::Load { resource, expected, stated }),
        );
        flaws
    }
}

/// The tasks of a matrix in classes of equal rows. What holds for one task of a class holds for all, and the
/// tasks of a class are chosen in ascending order.
pub(crate) struct Classes {
    /// Class after class, each from its lowest task.
    tasks: Vec<u32>,
    /// For each class the range of its tasks that are left.
    left: Vec<(u32, u32)>,
}

impl Classes {
    /// A unit for each task, and for each time of a task that shares its first time with others.
    pub(crate) fn new(etc: &EtcMatrix, meter: &mut Meter) -> Result<Self, End> {
        let first = |task: u32| etc[task as usize].first().map_or(0, |time| time.to_bits());
        // Most rows differ in their first time, so whole rows are compared only where these are equal.
        meter.spend(etc.rows() as u64)?;
        let mut order: Vec<(u64, u32)> = (0..etc.rows() as u32).map(|task| (first(task), task)).collect();
        order.sort_unstable();
        let mut tasks: Vec<u32> = order.iter().map(|&(_, task)| task).collect();
        let mut left = vec![];
        let mut begin = 0;
        for run in order.chunk_by(|a, b| a.0 == b.0) {
            let base = begin;
            let run = &mut tasks[base..base + run.len()];
            if run.len() > 1 {
                meter.spend((run.len() * etc.cols()) as u64)?;
                run.sort_unstable_by(|&a, &b| by_row(etc, a, b).then(a.cmp(&b)));
            }
            for (at, pair) in run.windows(2).enumerate() {
                if by_row(etc, pair[0], pair[1]).is_ne() {
                    let end = base + at + 1;
                    left.push((begin as u32, end as u32));
                    begin = end;
                }
            }
            let end = base + run.len();
            left.push((begin as u32, end as u32));
            begin = end;
        }
        Ok(Self { tasks, left })
    }

    /// Renumbers the classes, greatest sum of times first.
    pub(crate) fn sort_by_size(&mut self, etc: &EtcMatrix, meter: &mut Meter) -> Result<(), End> {
        let mut sized: Vec<(f64, (u32, u32))> = Vec::with_capacity(self.left.len());
        for &class in &self.left {
            meter.spend(etc.cols() as u64)?;
            let row = &etc[self.tasks[class.0 as usize] as usize];
            sized.push((row.iter().sum::<f64>(), class));
        }
        sized.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.left = sized.into_iter().map(|(_, class)| class).collect();
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.left.len()
    }

    /// The lowest task left of a class.
    pub(crate) fn lowest(&self, class: u32) -> u32 {
        self.tasks[self.left[class as usize].0 as usize]
    }

    /// Takes the lowest task of a class; false if it was the last.
    pub(crate) fn take(&mut self, class: u32) -> bool {
        let (begin, end) = &mut self.left[class as usize];
        *begin += 1;
        begin < end
    }
}

fn by_row(etc: &EtcMatrix, a: u32, b: u32) -> Ordering {
    let pairs = etc[a as usize].iter().zip(&etc[b as usize]);
    pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
