//! Jobs that ran, as a table in Batsim's format, which Evalys draws.

use crate::WorkloadError;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fmt::Write;

/// A job that ran.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RanJob {
    /// The job number.
    pub job: u64,
    /// The instant of submission, in seconds.
    pub submit: f64,
    /// The instant of the start, in seconds.
    pub start: f64,
    /// The instant of the end, in seconds.
    pub end: f64,
    /// Requested time in seconds; `None` means the run time.
    pub requested_time: Option<f64>,
    /// Number of processors that the job held.
    pub processors: u32,
    /// Whether the job ran to its end.
    pub success: bool,
}

/// The first line that [`write_jobs_csv`] writes.
const COLUMNS: &str = "jobID,workload_name,profile,submission_time,requested_number_of_resources,requested_time,\
    success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
    allocated_resources,consumed_energy,metadata";

/// Writes jobs that ran on a machine of `size` processors as a table in Batsim's format, which Evalys reads and
/// draws.
///
/// Processors are named: each job takes the lowest processors that are free when it starts (`0-3 7`); a job that
/// starts when another ends may take its processors. Rows are in the given order. O(n (log n + k)) time for n jobs
/// on k ranges of processors each.
///
/// ```
/// use workload_gen::convert::{RanJob, write_jobs_csv};
/// let job = |job, start, end, processors| RanJob {
///     job,
///     submit: 0.0,
///     start,
///     end,
///     requested_time: None,
///     processors,
///     success: true,
/// };
/// let text = write_jobs_csv(
///     &[job(1, 0.0, 9.0, 1), job(2, 0.0, 5.0, 2), job(3, 1.0, 9.0, 1), job(4, 5.0, 6.0, 2)],
///     4,
/// )?;
/// let resources: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').nth(14).unwrap()).collect();
/// assert_eq!(resources, ["0", "1-2", "3", "1-2"]);
/// assert!(write_jobs_csv(&[job(1, 0.0, 9.0, 5)], 4).is_err());
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Parameter`] for a job that ends before it starts or starts before it is submitted, or if jobs
/// hold more processors at once than the machine has.
pub fn write_jobs_csv(jobs: &[RanJob], size: u32) -> Result<String, WorkloadError> {
    let places = places(jobs, size)?;
    let mut text = String::from(COLUMNS);
    text.push('\n');
    for (job, ranges) in jobs.iter().zip(&places) {
        let run = job.end - job.start;
        let turnaround = job.end - job.submit;
        let stretch = if run > 0.0 { turnaround / run } else { 1.0 };
        let state = if job.success { "COMPLETED_SUCCESSFULLY" } else { "COMPLETED_FAILED" };
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
            job.requested_time.unwrap_or(run),
            u8::from(job.success),
            job.start,
            job.end,
            job.start - job.submit,
        );
    }
    Ok(text)
}

/// The lowest free processors for each job.
fn places(jobs: &[RanJob], size: u32) -> Result<Vec<Vec<(u32, u32)>>, WorkloadError> {
    for job in jobs {
        if !(job.submit <= job.start && job.start <= job.end && (job.end - job.submit).is_finite()) {
            let times = format!("{} / {} / {}", job.submit, job.start, job.end);
            return Err(WorkloadError::parameter(
                "submit / start / end of a job",
                times,
                "finite, one after the other",
            ));
        }
    }
    let held: Vec<_> = jobs.iter().map(|job| (job.start, job.end, job.processors)).collect();
    let places = lowest_free(&held, size);
    let count = |ranges: &[(u32, u32)]| ranges.iter().map(|(first, last)| last - first + 1).sum::<u32>();
    match jobs.iter().zip(&places).find(|(job, ranges)| count(ranges) < job.processors) {
        Some((job, _)) => Err(WorkloadError::parameter(
            "processors held at once",
            format!("more than {size}, by job {}", job.job),
            "within the machine",
        )),
        None => Ok(places),
    }
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
    // Running jobs are sorted by the bits of their ends, which are made positive below.
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
            places[done].iter().for_each(|&range| give_back(&mut free, range));
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

fn give_back(free: &mut BTreeSet<(u32, u32)>, (mut first, mut last): (u32, u32)) {
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
