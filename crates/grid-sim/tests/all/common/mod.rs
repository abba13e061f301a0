//! Helpers shared by the tests.

use grid_sim::*;
use sched_model::*;

pub fn span(seconds: u32) -> Span {
    Span::must(f64::from(seconds))
}

pub fn machine(id: u32, cpus: u32, speed: u32, price: u32) -> Machine {
    let (speed, price) = (Speed::must(f64::from(speed)), Price::must(f64::from(price)));
    Machine::new(MachineId(id), cpus, speed, price).unwrap()
}

/// A resource of one machine.
pub fn resource(id: u32, cpus: u32, speed: u32, price: u32) -> Resource {
    Resource::new(SiteId(id), "", machine(id, cpus, speed, price))
}

/// A job of the grid: so many CPUs, each for this work.
pub fn job(id: u64, cpus: usize, work: f64, submit: f64) -> GridJob {
    GridJob::from(Job::new(JobId(id), ResourceRequest::must(cpus, work)).with_submit(Time::must(submit)))
}

/// A job of a machine's own, from its identifier, submission, CPUs, requested and actual time.
pub fn local(id: u64, submit: f64, cpus: u32, requested: f64, actual: f64) -> LocalJob {
    LocalJob::new(JobId(id), Time::must(submit), cpus, Span::must(requested), Span::must(actual)).unwrap()
}

/// The most CPUs of a site in use at once, by the last run of each job and by given numbers of CPUs from one
/// instant to another.
pub fn most_busy<'a>(
    site: SiteId,
    records: impl Iterator<Item = &'a JobRecord>,
    besides: impl Iterator<Item = (Time, Time)>,
) -> i64 {
    let mut changes: Vec<(Time, i64)> = Vec::new();
    for record in records {
        let Some(start) = record.start else { continue };
        for part in record.parts.iter().filter(|part| part.site == site && part.end > start) {
            changes.push((start, i64::from(part.cpus)));
            changes.push((part.end, -i64::from(part.cpus)));
        }
    }
    for (from, until) in besides {
        changes.extend([(from, 1), (until, -1)]);
    }
    changes.sort();
    let busy = changes.iter().scan(0, |busy, (_, change)| {
        *busy += change;
        Some(*busy)
    });
    busy.max().unwrap_or(0)
}
