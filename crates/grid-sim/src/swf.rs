//! Jobs of a cluster from records of a log in the Standard Workload Format.

use crate::{LocalJob, SimError};
use sched_model::{JobId, Span, Time, UserId};
use workload_gen::swf::SwfRecord;

/// What [`jobs_of_log`] made of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogJobs {
    /// The jobs, in the order of the log.
    pub jobs: Vec<LocalJob>,
    /// Records left out: no job number, submit time, runtime or processors.
    pub incomplete: usize,
    /// Jobs whose requested time was missing or zero: their runtime stands in, or one second for a runtime of zero.
    pub without_request: usize,
}

/// The jobs of a log: processors and time as requested, runtime as it was.
///
/// # Errors
/// [`SimError::Model`] if a value is out of range, [`SimError::OutOfRange`] for a job
/// of more than `u32::MAX` processors.
///
/// ```
/// use workload_gen::swf::SwfLog;
/// let text = "7 100 5 60 4 -1 -1 8 120 -1 1 3 1 -1 1 -1 -1 -1\n";
/// let (log, _) = SwfLog::read(text.as_bytes())?;
/// let job = grid_sim::jobs_of_log(&log.records)?.jobs[0];
/// assert_eq!((job.id().0, job.user().0, job.submit().get(), job.cpus()), (7, 3, 100.0, 8));
/// assert_eq!((job.requested().get(), job.actual().get()), (120.0, 60.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn jobs_of_log(records: &[SwfRecord]) -> Result<LogJobs, SimError> {
    let mut made = LogJobs::default();
    for record in records {
        let (Some(number), Some(submit), Some(runtime), Some(processors)) =
            (record.job, record.submit, record.runtime, record.processors())
        else {
            made.incomplete += 1;
            continue;
        };
        let cpus = u32::try_from(processors).map_err(|_| SimError::OutOfRange {
            what: "the processors of a job",
            expected: "at most 4294967295",
            value: processors as f64,
        })?;
        let requested = match record.requested_time {
            Some(requested) if requested > 0.0 => requested,
            _ => {
                made.without_request += 1;
                if runtime > 0.0 { runtime } else { 1.0 }
            }
        };
        let job = LocalJob::new(
            JobId(number),
            Time::new(submit)?,
            cpus,
            Span::new(requested)?,
            Span::new(runtime)?,
        )?;
        // A log without users has one; numbers beyond u32 do not occur in logs, and are folded.
        made.jobs.push(job.with_user(UserId(u32::try_from(record.user.unwrap_or(0)).unwrap_or(u32::MAX))));
    }
    Ok(made)
}
