//! Jobs with their windows, and the schedule that a choice makes of them.

use crate::{Alternatives, BatchError};
use sched_model::order::sort;
use sched_model::{JobId, NodeId, Refusal, Schedule, Time, Window};

/// A job with its windows and, where it has none, the reason.
pub(super) type Offer<'o> = (JobId, &'o [Window], Option<&'o Refusal>);

/// Jobs that have windows.
pub(super) type Open<'o> = Vec<(JobId, &'o [Window])>;

/// Refuses the jobs without windows; gives the others, and their positions among the offers.
pub(super) fn refused<'o>(offers: &[Offer<'o>]) -> Result<(Schedule, Open<'o>, Vec<usize>), BatchError> {
    let mut schedule = Schedule::default();
    let (mut open, mut positions) = (Vec::new(), Vec::new());
    for (position, &(job, windows, reason)) in offers.iter().enumerate() {
        if windows.is_empty() {
            refuse(&mut schedule, &[(job, windows)], reason.unwrap_or(&Refusal::NoCapacity))?;
        } else {
            open.push((job, windows));
            positions.push(position);
        }
    }
    Ok((schedule, open, positions))
}

pub(super) fn refuse(
    schedule: &mut Schedule,
    jobs: &[(JobId, &[Window])],
    reason: &Refusal,
) -> Result<(), BatchError> {
    for &(job, _) in jobs {
        schedule.refuse(job, reason.clone()).map_err(|_| BatchError::RepeatedJob { job })?;
    }
    Ok(())
}

/// The alternatives of these jobs.
pub(super) fn alternatives(open: &[(JobId, &[Window])]) -> Result<Alternatives, BatchError> {
    Alternatives::from_windows(&open.iter().map(|(_, windows)| *windows).collect::<Vec<_>>())
}

/// The windows of each offer that end by an instant.
pub(super) fn kept_by(offers: &[Offer<'_>], until: Time) -> Vec<Vec<Window>> {
    let by = |windows: &[Window]| windows.iter().filter(|window| window.finish() <= until).cloned().collect();
    offers.iter().map(|(_, windows, _)| by(windows)).collect()
}

/// Refuses windows of different jobs that need one node at the same time, since a choice of both would not be
/// a schedule. Time O(p log p) for p placements.
pub(super) fn refuse_conflicts(offers: &[Offer<'_>]) -> Result<(), BatchError> {
    let mut taken: Vec<(NodeId, Time, Time, JobId)> = Vec::new();
    for &(job, windows, _) in offers {
        for window in windows {
            taken
                .extend(window.placements().iter().map(|place| (place.node, window.start(), place.end, job)));
        }
    }
    sort(&mut taken, &|a, b| a.cmp(b));
    // The last job on a node, and until when it holds it. What other jobs held before has ended: else they
    // would have been in conflict with it.
    let mut held: Option<(NodeId, Time, JobId)> = None;
    for (node, start, end, job) in taken {
        held = match held {
            Some((same, until, other)) if same == node && until > start => {
                if other != job {
                    return Err(BatchError::Conflict { first: other, second: job, node });
                }
                Some((node, until.max(end), job))
            }
            _ => Some((node, end, job)),
        };
    }
    Ok(())
}
