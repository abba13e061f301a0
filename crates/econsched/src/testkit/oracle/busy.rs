//! The oracle of used CPUs: a sweep over starts and ends.

use grid_sim::JobRecord;
use sched_model::{SiteId, Time};

/// The maximum number of CPUs of a site in use at once, by the last run of each job, and by one more CPU during each of
/// `others`. Intervals are half-open, so of what starts and ends at one instant the ends come first.
///
/// ```
/// use econsched::grid_sim::{LocalJob, easy};
/// use econsched::{sched_model::*, testkit::oracle};
/// let machine = Machine::new(MachineId(0), 4, Speed::ETALON, Price::must(2.0))?;
/// let job = |id, cpus| LocalJob::new(JobId(id), Time::ZERO, cpus, Span::must(5.0), Span::must(5.0));
/// let run = easy(&machine, &[job(1, 2)?, job(2, 1)?, job(3, 2)?])?; // job 3 from 5 to 10
/// assert_eq!(oracle::most_busy(SiteId(0), &run.records, []), 3);
/// let other = (Time::must(4.0), Time::must(6.0));
/// assert_eq!(oracle::most_busy(SiteId(0), &run.records, [other]), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn most_busy<'a>(
    site: SiteId,
    records: impl IntoIterator<Item = &'a JobRecord>,
    others: impl IntoIterator<Item = (Time, Time)>,
) -> u64 {
    let of_record = |record: &'a JobRecord| {
        let parts = record.parts.iter().filter(move |part| part.site == site);
        parts.filter_map(|part| Some((record.start?, part.end, i64::from(part.cpus))))
    };
    let held = records.into_iter().flat_map(of_record);
    let held = held.chain(others.into_iter().map(|(from, until)| (from, until, 1)));
    let held = held.filter(|(from, until, _)| from < until);
    let mut changes: Vec<(Time, i64)> =
        held.flat_map(|(from, until, cpus)| [(from, cpus), (until, -cpus)]).collect();
    changes.sort_unstable();
    let (mut busy, mut most) = (0, 0);
    for (_, change) in changes {
        busy += change;
        most = most.max(busy);
    }
    most.unsigned_abs()
}
