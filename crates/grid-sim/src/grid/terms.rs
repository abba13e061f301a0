//! Conversions between a grid and a live broker: CPUs become nodes, expected times become speeds, and taken time is
//! blocked; windows on nodes become places on resources, and the broker's refusals become those of a schedule.

use super::{GridPlace, PlacePart};
use crate::quantity::span_within;
use crate::{GridJob, SimError};
use live_broker::{Reason, SpeedOn};
use sched_model::{Machine, ModelError, Node, NodeId, Profile, Refusal, Span, Speed, Time, Window};
use std::ops::Range;

/// Returns the range of nodes of each resource: the CPUs are numbered one resource after another.
///
/// # Errors
/// [`SimError::OutOfRange`] for more CPUs than node numbers.
pub(super) fn nodes_of<'a>(machines: impl Iterator<Item = &'a Machine>) -> Result<Vec<Range<u32>>, SimError> {
    let mut nodes: Vec<Range<u32>> = Vec::new();
    for machine in machines {
        let base = nodes.last().map_or(0, |before| before.end);
        let (what, value) = ("the CPUs of all resources", f64::from(base) + f64::from(machine.cpus()));
        let many = SimError::OutOfRange { what, expected: "at most 4294967295", value };
        let next = base.checked_add(machine.cpus()).ok_or(many)?;
        nodes.push(base..next);
    }
    Ok(nodes)
}

/// Creates the node that stands for a CPU of a machine.
pub(super) fn node(id: u32, machine: &Machine) -> Node {
    Node { id: NodeId(id), speed: machine.speed, price: machine.price }
}

/// Returns when CPUs of a resource are taken, as (CPU, from, until); the stretches of one CPU are in order of time.
/// From `horizon` to `until` all CPUs count as taken.
///
/// While k CPUs are free, they are the first k, so that lower CPUs are free in longer stretches.
pub(super) fn taken_stretches(free: &Profile, horizon: Time, until: Time) -> Vec<(u32, Time, Time)> {
    let (all, mut taken) = (free.cpus(), Vec::new());
    // Since when each taken CPU has been taken, the last CPU first.
    let mut since: Vec<Time> = Vec::new();
    for (at, free) in free.steps().take_while(|(at, _)| *at < horizon).chain([(horizon, 0)]) {
        for cpu in all - since.len() as u32..free {
            taken.extend(since.pop().map(|start| (cpu, start, at)));
        }
        since.resize((all - free) as usize, at);
    }
    taken.extend((0..all).rev().zip(since).map(|(cpu, start)| (cpu, start, until)));
    taken
}

/// Converts a window on these nodes to CPUs of resources. Each resource gives all its CPUs for as long as the slowest
/// of them is needed.
pub(super) fn place_of(nodes: &[Range<u32>], window: &Window) -> GridPlace {
    let mut parts: Vec<PlacePart> = Vec::new();
    let placements = window.placements().iter();
    let mut on: Vec<(NodeId, Span)> =
        placements.map(|placement| (placement.node, span_within(window.start(), placement.end))).collect();
    on.sort_unstable();
    for (node, span) in on {
        let resource = nodes.partition_point(|nodes| nodes.end <= node.0);
        match parts.last_mut().filter(|part| part.resource == resource) {
            Some(part) => {
                part.cpus += 1;
                part.span = part.span.max(span);
            }
            None => parts.push(PlacePart { resource, cpus: 1, span }),
        }
    }
    GridPlace { start: window.start(), parts }
}

/// Assigns this speed to the nodes of a machine.
pub(super) fn speed_on(nodes: &Range<u32>, speed: Speed) -> SpeedOn {
    SpeedOn { first: NodeId(nodes.start), last: NodeId(nodes.end.saturating_sub(1)), speed }
}

/// Returns the speeds of a job with expected times on the machines of these nodes; empty for a job without, since the
/// speeds of the nodes themselves hold for it.
pub(super) fn speeds(job: &GridJob, machines: &[Range<u32>]) -> Result<Vec<SpeedOn>, ModelError> {
    let work = job.job.request.work().get();
    let times = machines.iter().zip(job.times.iter().flatten());
    times.map(|(nodes, time)| Ok(speed_on(nodes, Speed::try_from(work / time.get())?))).collect()
}

/// Returns why a job is refused if it needs more nodes than there are fast ones (`fast_enough` gives their numbers by
/// resource); `None` if there are enough.
pub(super) fn too_few(job: &GridJob, fast_enough: impl Iterator<Item = u32>) -> Option<Refusal> {
    let (needed, fast_enough) = (job.job.request.nodes(), fast_enough.map(|cpus| cpus as usize).sum());
    (fast_enough < needed).then_some(Refusal::TooFewNodes { needed, fast_enough })
}

/// Returns why a job was refused at `now`, as the reason of a schedule.
pub(super) fn refusal(job: &GridJob, reason: &Reason, now: Time) -> Refusal {
    match (reason, job.job.request.deadline) {
        (Reason::Deadline, Some(deadline)) => Refusal::Deadline { late_by: now - deadline },
        _ => Refusal::NoCapacity,
    }
}

/// Wraps an error of a broker or heuristic.
pub(super) fn scheduler_error(who: &str, why: impl ToString) -> SimError {
    SimError::Scheduler { who: who.to_owned(), why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cpus_are_free_for_as_long_as_possible() {
        let t = Time::must;
        let mut free = Profile::new(3, t(0.0));
        free.reserve(t(10.0), t(30.0), 1).unwrap();
        free.reserve(t(20.0), t(40.0), 1).unwrap();
        free.reserve(t(90.0), t(120.0), 2).unwrap();
        let taken: Vec<_> = taken_stretches(&free, t(100.0), t(200.0))
            .into_iter()
            .map(|(cpu, start, end)| (cpu, start.get(), end.get()))
            .collect();
        assert_eq!(
            taken,
            [(1, 20.0, 30.0), (2, 10.0, 40.0), (2, 90.0, 200.0), (1, 90.0, 200.0), (0, 100.0, 200.0)]
        );
    }
}
