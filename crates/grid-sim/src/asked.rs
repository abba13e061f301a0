//! Jobs of a grid as a live broker takes them, and its refusals as those of a schedule.

use crate::{GridJob, SimError};
use live_broker::{Reason, SpeedOn};
use sched_model::{ModelError, NodeId, Refusal, Speed, Time};
use std::ops::Range;

/// This speed on the nodes of a machine.
pub(crate) fn speed_on(nodes: &Range<u32>, speed: Speed) -> SpeedOn {
    SpeedOn { first: NodeId(nodes.start), last: NodeId(nodes.end.saturating_sub(1)), speed }
}

/// The speeds of a job that has expected times on machines of these nodes; none where the nodes' own hold.
pub(crate) fn speeds(job: &GridJob, machines: &[Range<u32>]) -> Result<Vec<SpeedOn>, ModelError> {
    let work = job.job.request.work().get();
    let times = machines.iter().zip(job.times.iter().flatten());
    times.map(|(nodes, time)| Ok(speed_on(nodes, Speed::try_from(work / time.get())?))).collect()
}

/// Why a job is refused that needs more nodes than there are of those that are fast enough; `None` if it does not.
pub(crate) fn too_few(job: &GridJob, fast_enough: impl Iterator<Item = u32>) -> Option<Refusal> {
    let (needed, fast_enough) = (job.job.request.nodes(), fast_enough.map(|cpus| cpus as usize).sum());
    (fast_enough < needed).then_some(Refusal::TooFewNodes { needed, fast_enough })
}

/// Why a job was refused now.
pub(crate) fn refusal(job: &GridJob, reason: &Reason, now: Time) -> Refusal {
    match (reason, job.job.request.deadline) {
        (Reason::Deadline, Some(deadline)) => Refusal::Deadline { late_by: now - deadline },
        _ => Refusal::NoCapacity,
    }
}

/// An error of a broker.
pub(crate) fn failed(who: &str, why: impl ToString) -> SimError {
    SimError::Scheduler { who: who.to_owned(), why: why.to_string() }
}
