//! The published pseudo code, literally: after each choice all tasks or jobs are examined again.
//!
//! For tests and for comparisons: the answers are those of [`MinMin`](crate::MinMin),
//! [`MaxMin`](crate::MaxMin), [`Sufferage`](crate::Sufferage), [`MinCtt`](crate::MinCtt) and
//! [`MaxCtt`](crate::MaxCtt), which take a fraction of the time.

use crate::etc::mapping::{Building, Mapping};
use crate::trade_off::{check, schedule_of};
use crate::{ClusterView, HeuristicError, ParallelJob, Reservation, TradeOffMetric};
use sched_model::{EtcMatrix, Schedule, Time};

/// The rule that chooses the next task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextTask {
    /// That of minimum earliest completion time: Min-min.
    Least,
    /// That of greatest earliest completion time: Max-min.
    Greatest,
    /// That of greatest difference between its second earliest and its earliest completion time: Sufferage.
    Sufferage,
}

/// Maps all tasks, choice by choice; ties go to the lowest task, then to the lowest resource.
/// O(n^2 m) for n tasks on m resources.
///
/// # Errors
/// As for [`MappingHeuristic::map_from`](crate::MappingHeuristic::map_from).
pub fn map(choice: NextTask, etc: &EtcMatrix, ready: &[Time]) -> Result<Mapping, HeuristicError> {
    let mut building = Building::new(etc, ready)?;
    let mut left: Vec<usize> = (0..etc.rows()).collect();
    while !left.is_empty() {
        let mut chosen: Option<(usize, usize, f64)> = None;
        for (place, &task) in left.iter().enumerate() {
            let (mut resource, mut first, mut second) = (0, f64::INFINITY, f64::INFINITY);
            for (at, (time, ready)) in etc.row(task).iter().zip(&building.ready).enumerate() {
                let finish = time + ready;
                if finish < first {
                    second = first;
                    (resource, first) = (at, finish);
                } else if finish < second {
                    second = finish;
                }
            }
            let value = match choice {
                NextTask::Least => -first,
                NextTask::Greatest => first,
                NextTask::Sufferage if second.is_infinite() => 0.0,
                NextTask::Sufferage => second - first,
            };
            if chosen.is_none_or(|(_, _, best)| value > best) {
                chosen = Some((place, resource, value));
            }
        }
        let Some((place, resource, _)) = chosen else { break };
        // Not `swap_remove`: the order of the tasks decides ties.
        building.commit(left.remove(place), resource);
    }
    building.mapping()
}

/// Places all jobs, choice by choice: that of minimum metric ([`NextTask::Least`], MinCTT), else that of
/// greatest (MaxCTT). Ties go to the first job, then to the lowest cluster. O(n^2 m) earliest fits for n jobs
/// on m clusters.
///
/// # Errors
/// As for [`TradeOffHeuristic::schedule`](crate::TradeOffHeuristic::schedule).
pub fn schedule(
    choice: NextTask,
    metric: &TradeOffMetric,
    clusters: &[ClusterView],
    jobs: &[ParallelJob],
) -> Result<Schedule<Reservation>, HeuristicError> {
    check(clusters, jobs)?;
    let mut filled = clusters.to_vec();
    let mut taken: Vec<Option<Reservation>> = vec![None; jobs.len()];
    loop {
        let mut chosen: Option<(usize, Reservation, f64)> = None;
        for (at, job) in jobs.iter().enumerate().filter(|(at, _)| taken[*at].is_none()) {
            let Some((place, phi)) = metric.scale(clusters, job).best(&filled, job) else { continue };
            let value = if choice == NextTask::Least { -phi } else { phi };
            if chosen.is_none_or(|(_, _, greatest)| value > greatest) {
                chosen = Some((at, place, value));
            }
        }
        let Some((at, place, _)) = chosen else { break };
        if place.end > place.start {
            filled[place.resource].free.reserve(place.start, place.end, place.cpus)?;
        }
        taken[at] = Some(place);
    }
    schedule_of(&filled, jobs, &taken)
}
