//! Checks a mapping against its matrix, independently of the heuristic that made it.

use super::mapping::Mapping;
use sched_model::{EtcMatrix, Span, Time};

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
