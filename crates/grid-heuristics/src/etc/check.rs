//! Checks a mapping against its matrix, without trusting who made it.

use super::mapping::Mapping;
use sched_model::{EtcMatrix, Span, Time};

/// What is wrong with a mapping.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MappingFlaw {
    /// There is not one of these for each task, or for each resource.
    #[error("{found} {what} where there should be {expected}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// As many as the matrix asks for.
        expected: usize,
        /// As many as there are.
        found: usize,
    },
    /// A task is mapped to a resource that is not there.
    #[error("task {task} is mapped to resource {resource}, which is not there")]
    NoSuchResource {
        /// The task, from 0.
        task: usize,
        /// The resource, from 0.
        resource: usize,
    },
    /// The order names a task that is not there.
    #[error("the order names task {task}, which is not there")]
    NoSuchTask {
        /// The task, from 0.
        task: usize,
    },
    /// A task is never run.
    #[error("task {task} stands nowhere in the order")]
    Forgotten {
        /// The task, from 0.
        task: usize,
    },
    /// A task is run twice.
    #[error("task {task} stands twice in the order")]
    Repeated {
        /// The task, from 0.
        task: usize,
    },
    /// A task ends at another time than those before it on its resource, and its own time, let it.
    #[error("task {task} is said to end at {stated}, and ends at {expected}")]
    Finish {
        /// The task, from 0.
        task: usize,
        /// When it ends.
        expected: Time,
        /// When it is said to end.
        stated: Time,
    },
    /// A resource is done at another time than it is said to be.
    #[error("resource {resource} is said to be done at {stated}, and is done at {expected}")]
    Load {
        /// The resource, from 0.
        resource: usize,
        /// When it is done.
        expected: Time,
        /// When it is said to be done.
        stated: Time,
    },
}

/// Checks that a mapping is one of this matrix and these ready times: complete, every task once, each after those before
/// it on its resource and not before the resource is ready, and all times as they come out of that order, to the bit.
/// An empty list is a pass. O(n + m) for n tasks on m resources; shares no code with any heuristic.
///
/// ```
/// use grid_heuristics::{MappingFlaw, MappingHeuristic, MinMin, check_mapping};
/// use sched_model::{EtcMatrix, Time};
/// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0]])?;
/// let ready = [Time::ZERO, Time::must(5.0)];
/// let mapping = MinMin.map_from(&etc, &ready)?;
/// assert_eq!(check_mapping(&etc, &ready, &mapping), []);
/// // The same mapping is wrong where resource 0 is ready at 1.
/// let late = [Time::must(1.0), Time::must(5.0)];
/// let flaws = check_mapping(&etc, &late, &mapping);
/// assert!(matches!(flaws[0], MappingFlaw::Finish { task: 1, .. }));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[must_use]
pub fn check_mapping(etc: &EtcMatrix, ready: &[Time], mapping: &Mapping) -> Vec<MappingFlaw> {
    let counts = [
        ("ready times", etc.cols(), ready.len()),
        ("resources of tasks", etc.rows(), mapping.resources().len()),
        ("finishes of tasks", etc.rows(), mapping.finishes().len()),
        ("loads of resources", etc.cols(), mapping.loads().len()),
    ];
    let wrong = counts.into_iter().filter(|(_, expected, found)| expected != found);
    let mut flaws: Vec<MappingFlaw> =
        wrong.map(|(what, expected, found)| MappingFlaw::Count { what, expected, found }).collect();
    if !flaws.is_empty() {
        return flaws;
    }
    let mut loads = ready.to_vec();
    let mut seen = vec![false; etc.rows()];
    for &task in mapping.order() {
        let Some(seen) = seen.get_mut(task) else {
            flaws.push(MappingFlaw::NoSuchTask { task });
            continue;
        };
        if std::mem::replace(seen, true) {
            flaws.push(MappingFlaw::Repeated { task });
            continue;
        }
        let resource = mapping.resources()[task];
        let Some(load) = loads.get_mut(resource) else {
            flaws.push(MappingFlaw::NoSuchResource { task, resource });
            continue;
        };
        *load = *load + Span::new(etc.get(task, resource)).unwrap_or(Span::ZERO);
        let (expected, stated) = (*load, mapping.finishes()[task]);
        if expected != stated {
            flaws.push(MappingFlaw::Finish { task, expected, stated });
        }
    }
    let forgotten = seen.iter().enumerate().filter(|(_, seen)| !**seen);
    flaws.extend(forgotten.map(|(task, _)| MappingFlaw::Forgotten { task }));
    let pairs = loads.iter().zip(mapping.loads()).enumerate();
    flaws.extend(
        pairs
            .filter(|(_, (expected, stated))| expected != stated)
            .map(|(resource, (&expected, &stated))| MappingFlaw::Load { resource, expected, stated }),
    );
    flaws
}
