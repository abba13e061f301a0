//! Converts records of a log in the Standard Workload Format to jobs of a cluster.

use crate::LocalJob;
use sched_model::{JobId, Span, Time, UserId};
use std::borrow::Borrow;
use workload_gen::swf::SwfRecord;

/// The result of [`jobs_of_log`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LogJobs {
    /// The jobs, in the order of the log.
    pub jobs: Vec<LocalJob>,
    /// Number of records left out because the job number, submit time, runtime or processors are missing.
    pub incomplete: usize,
    /// Number of records left out because of a time that the model does not accept, or more processors than fit into
    /// a `u32`.
    pub out_of_range: usize,
    /// Number of jobs whose requested time was missing or zero: their runtime is used instead, or one second where
    /// that is zero, too.
    pub without_request: usize,
}

/// Converts the records of a log to jobs: processors, time and memory as requested, runtime as recorded.
///
/// The format counts memory in kilobytes per processor. A job's memory is that of all its processors together, in
/// units of 1024 kilobytes, rounded up; it is 0 where the record has none.
///
/// A record that cannot be a job is counted and left out. Records may come one by one, for example from a
/// [`SwfReader`](workload_gen::swf::SwfReader), and need not be held in memory.
///
/// ```
/// use workload_gen::swf::SwfLog;
/// let text = "7 100 5 60 4 -1 -1 8 120 2000 1 3 1 -1 1 -1 -1 -1\n";
/// let (log, _) = SwfLog::read(text.as_bytes())?;
/// let job = grid_sim::jobs_of_log(&log.records).jobs[0];
/// assert_eq!((job.id.0, job.user.0, job.submit.get(), job.cpus), (7, 3, 100.0, 8));
/// assert_eq!((job.requested.get(), job.actual.get()), (120.0, 60.0));
/// assert_eq!(job.memory, 16); // 8 times 2000 kilobytes
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn jobs_of_log<R: Borrow<SwfRecord>>(records: impl IntoIterator<Item = R>) -> LogJobs {
    let mut made = LogJobs::default();
    records.into_iter().for_each(|record| made.add(record.borrow()));
    made
}

impl LogJobs {
    /// Adds the job of a record, or counts the record as left out.
    fn add(&mut self, record: &SwfRecord) {
        let (Some(number), Some(submit), Some(runtime), Some(processors)) =
            (record.job, record.submit, record.runtime, record.processors())
        else {
            self.incomplete += 1;
            return;
        };
        let asked = record.requested_time.filter(|&requested| requested > 0.0);
        let requested = asked.unwrap_or(if runtime > 0.0 { runtime } else { 1.0 });
        let Some(job) = job(number, submit, processors, requested, runtime) else {
            self.out_of_range += 1;
            return;
        };
        self.without_request += usize::from(asked.is_none());
        let job = job.with_memory(memory(record.requested_memory, processors));
        // In a log without users all jobs belong to user 0. User numbers beyond u32 do not occur in logs; they would
        // all become the largest.
        self.jobs.push(job.with_user(UserId(u32::try_from(record.user.unwrap_or(0)).unwrap_or(u32::MAX))));
    }
}

/// Creates a job; `None` for values that no job can have.
fn job(number: u64, submit: f64, processors: u64, requested: f64, runtime: f64) -> Option<LocalJob> {
    let (submit, cpus) = (Time::try_from(submit).ok()?, u32::try_from(processors).ok()?);
    let (requested, runtime) = (Span::try_from(requested).ok()?, Span::try_from(runtime).ok()?);
    LocalJob::new(JobId(number), submit, cpus, requested, runtime).ok()
}

/// Converts kilobytes per processor to the memory of all processors, in units of 1024 kilobytes.
fn memory(kilobytes: Option<f64>, processors: u64) -> u32 {
    let megabytes = kilobytes.unwrap_or(0.0).max(0.0) * processors as f64 / 1024.0;
    megabytes.ceil() as u32 // the cast saturates
}
