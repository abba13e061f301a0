//! The writer of a table of jobs in Batsim's format, which Evalys draws.

use super::draft::code;
use crate::WorkloadError;
use crate::error::require;
use crate::swf::{SwfLog, SwfRecord};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fmt::Write;

/// A record of a job that ran.
struct RanJob<'a> {
    record: &'a SwfRecord,
    job: u64,
    submit: f64,
    start: f64,
    end: f64,
    processors: u32,
}

impl<'a> RanJob<'a> {
    /// `None` if a value is missing, or there are 2^32 processors or more.
    fn of(record: &'a SwfRecord) -> Option<Self> {
        let processors = record.allocated.filter(|&count| count > 0).or_else(|| record.processors())?;
        let (job, submit, start) = (record.job?, record.submit?, record.start()?);
        let (end, processors) = (start + record.runtime?, u32::try_from(processors).ok()?);
        Some(RanJob { record, job, submit, start, end, processors })
    }
}

/// The first line that [`write_jobs_csv`] writes.
const COLUMNS: &str = "jobID,workload_name,profile,submission_time,requested_number_of_resources,requested_time,\
    success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
    allocated_resources,consumed_energy,metadata";

/// Writes the jobs of a log that ran as a table in Batsim's format, which Evalys reads and draws. Jobs without number,
/// submit time, wait, run time or processors are left out.
///
/// Each job is given the lowest processors that are free when it starts, as ranges (`0-3 7`); a job that starts when
/// another ends may take its processors. The machine has the processors that the log states, otherwise as many as
/// needed. O(n (log n + k)) time for n jobs on k ranges of processors each.
///
/// ```
/// use workload_gen::convert::write_jobs_csv;
/// use workload_gen::swf::SwfLog;
/// let text = "; MaxProcs: 4
///     1 0 0 9 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1
///     2 0 0 5 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1
///     3 0 1 8 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1
///     4 0 5 1 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1";
/// let (mut log, _) = SwfLog::read(text.as_bytes())?;
/// let table = write_jobs_csv(&log)?;
/// let resources: Vec<&str> = table.lines().skip(1).map(|line| line.split(',').nth(14).unwrap()).collect();
/// assert_eq!(resources, ["0", "1-2", "3", "1-2"]);
/// log.records[0].allocated = Some(5);
/// assert!(write_jobs_csv(&log).is_err());
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Parameter`] for a job that ends before it starts or starts before it is submitted, or if jobs
/// hold more processors at once than the machine has.
pub fn write_jobs_csv(log: &SwfLog) -> Result<String, WorkloadError> {
    let jobs: Vec<RanJob<'_>> = log.records.iter().filter_map(RanJob::of).collect();
    let size = log.header.max_procs().and_then(|size| u32::try_from(size).ok());
    let places = places(&jobs, size.unwrap_or(u32::MAX))?;
    let mut text = String::from(COLUMNS);
    text.push('\n');
    for (job, ranges) in jobs.iter().zip(&places) {
        let run = job.end - job.start;
        let turnaround = job.end - job.submit;
        let stretch = if run > 0.0 { turnaround / run } else { 1.0 };
        let success = job.record.status.is_none_or(|status| status == code::COMPLETED);
        let state = if success { "COMPLETED_SUCCESSFULLY" } else { "COMPLETED_FAILED" };
        let mut resources = String::new();
        for &(first, last) in ranges {
            let gap = if resources.is_empty() { "" } else { " " };
            // Writing to a string cannot fail.
            let _ = match first == last {
                true => write!(resources, "{gap}{first}"),
                false => write!(resources, "{gap}{first}-{last}"),
            };
        }
        let _ = writeln!(
            text,
            "{},w0,delay{run},{},{},{},{},{state},{},{run},{},{},{turnaround},{stretch},{resources},-1,",
            job.job,
            job.submit,
            job.processors,
            job.record.requested_time.unwrap_or(run),
            u8::from(success),
            job.start,
            job.end,
            job.start - job.submit,
        );
    }
    Ok(text)
}

/// Returns the ranges (first, last) of the lowest free processors for each job.
fn places(jobs: &[RanJob<'_>], size: u32) -> Result<Vec<Vec<(u32, u32)>>, WorkloadError> {
    for job in jobs {
        let RanJob { submit, start, end, .. } = job;
        let in_order = submit <= start && start <= end && (end - submit).is_finite();
        let times = format_args!("{submit} / {start} / {end}");
        require(in_order, "submit / start / end of a job", times, "finite, one after the other")?;
    }
    let held: Vec<_> = jobs.iter().map(|job| (job.start, job.end, job.processors)).collect();
    let places = lowest_free(&held, size);
    for (job, ranges) in jobs.iter().zip(&places) {
        let held = ranges.iter().map(|(first, last)| last - first + 1).sum::<u32>();
        let wanted = format_args!("more than {size}, by job {}", job.job);
        require(held >= job.processors, "processors held at once", wanted, "within the machine")?;
    }
    Ok(places)
}

/// Assigns processors of a machine with `size` processors to jobs, given as (start, end, number of processors),
/// and returns them for each job as ranges (first, last). Each job takes the lowest processors that are free when
/// it starts, or all free ones if these are fewer. A job that starts when another ends may take its processors.
/// Among jobs that start at the same instant, those earlier in the list come first.
///
/// O(n (log n + k)) time for n jobs on k ranges each; times must be finite.
///
/// ```
/// use workload_gen::convert::lowest_free;
/// let held = lowest_free(&[(0.0, 9.0, 1), (0.0, 5.0, 2), (1.0, 9.0, 1), (6.0, 7.0, 3)], 5);
/// assert_eq!(held, [vec![(0, 0)], vec![(1, 2)], vec![(3, 3)], vec![(1, 2), (4, 4)]]);
/// ```
#[must_use]
pub fn lowest_free(held: &[(f64, f64, u32)], size: u32) -> Vec<Vec<(u32, u32)>> {
    let mut order: Vec<usize> = (0..held.len()).collect();
    order.sort_by(|&a, &b| held[a].0.total_cmp(&held[b].0).then(a.cmp(&b)));
    let mut places: Vec<Vec<(u32, u32)>> = vec![vec![]; held.len()];
    // Free ranges by their first processor; adjacent ranges are joined.
    let mut free: BTreeSet<(u32, u32)> = size.checked_sub(1).map(|last| (0, last)).into_iter().collect();
    // Running jobs are ordered by the bits of their ends, which `key` makes non-negative.
    let earliest = held.iter().map(|(start, ..)| *start).fold(0.0, f64::min);
    let mut running: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for at in order {
        let (start, end, mut needed) = held[at];
        let key = |instant: f64| (instant - earliest + 0.0).to_bits();
        while let Some(&Reverse((end, done))) = running.peek() {
            if end > key(start) {
                break;
            }
            running.pop();
            places[done].iter().for_each(|&range| release(&mut free, range));
        }
        while needed > 0 {
            let Some((first, last)) = free.pop_first() else { break };
            let until = last.min(first.saturating_add(needed - 1));
            if until < last {
                free.insert((until + 1, last));
            }
            needed -= until - first + 1;
            places[at].push((first, until));
        }
        running.push(Reverse((key(end), at)));
    }
    places
}

/// Adds a range to the free ranges and joins it with adjacent ones.
fn release(free: &mut BTreeSet<(u32, u32)>, (mut first, mut last): (u32, u32)) {
    if let Some(&before) = free.range(..(first, first)).next_back()
        && before.1 + 1 == first
    {
        free.remove(&before);
        first = before.0;
    }
    if let Some(&after) = free.range((last, last)..).next()
        && last + 1 == after.0
    {
        free.remove(&after);
        last = after.1;
    }
    free.insert((first, last));
}
