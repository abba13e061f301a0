//! The check of a mapping against its matrix, independent of the heuristic that made the mapping.

use super::mapping::Mapping;
use sched_model::{EtcMatrix, Span, Time};

/// An error in a mapping, as found by [`Mapping::check`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MappingFlaw {
    /// The length of a list differs from the number of tasks or resources of the matrix.
    #[error("{found} {what} where there should be {expected}")]
    Count {
        /// What the list contains.
        what: &'static str,
        /// The length that the matrix requires.
        expected: usize,
        /// The length of the list.
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
    /// A task is missing from the order.
    #[error("task {task} is missing from the order")]
    Forgotten {
        /// The task, from 0.
        task: usize,
    },
    /// A task is twice in the order.
    #[error("task {task} is twice in the order")]
    Repeated {
        /// The task, from 0.
        task: usize,
    },
    /// The end of a task is not its time plus the end of the task before it on its resource (of the first task: plus
    /// the ready time of the resource).
    #[error("task {task}: stated end {stated}, expected {expected}")]
    Finish {
        /// The task, from 0.
        task: usize,
        /// When it ends, by the order of the mapping.
        expected: Time,
        /// When it ends, as the mapping states it.
        stated: Time,
    },
    /// The load of a resource is not the end of its last task (without tasks: its ready time).
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
    /// Checks this mapping against a matrix and returns all flaws; the mapping is correct if there are none.
    ///
    /// The order must contain every task once, and all ends and loads must be those that follow from it, to the bit:
    /// on each resource the tasks run in this order without gaps, from the ready time of the resource on. O(n + m)
    /// for n tasks on m resources. Shares no code with any heuristic.
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
