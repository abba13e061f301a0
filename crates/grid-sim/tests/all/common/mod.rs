//! What the tests of both brokers share.
#![allow(dead_code)]

use grid_sim::*;
use sched_model::*;

pub fn span(seconds: u32) -> Span {
    Span::must(f64::from(seconds))
}

pub fn machine(id: u32, cpus: u32, speed: u32, price: u32) -> Machine {
    let (speed, price) = (Speed::must(f64::from(speed)), Price::must(f64::from(price)));
    Machine::new(MachineId(id), cpus, speed, price).unwrap()
}

/// Two jobs that know their times on each of two machines: 5 and 30, 30 and 8.
pub fn jobs_with_times() -> [GridJob; 2] {
    let request = ResourceRequest::new(1, Work::must(7.0)).unwrap();
    [(1, [5.0, 30.0]), (2, [30.0, 8.0])].map(|(id, times)| {
        let times = times.map(Span::must).to_vec();
        GridJob::new(Job::new(JobId(id), request)).with_times(times).unwrap()
    })
}

/// How long each job ran, and on which site.
pub fn runs(records: &[JobRecord]) -> Vec<(f64, u32)> {
    records.iter().map(|record| (record.runtime().unwrap().get(), record.parts[0].site.0)).collect()
}

/// Outages of CPUs that exist, from (machine, CPU, start, length, announced).
pub fn outages_on(machines: &[u32], drawn: &[(usize, u32, u32, u32, bool)]) -> Vec<Outage> {
    let exist =
        drawn.iter().filter(|(machine, cpu, ..)| machines.get(*machine).is_some_and(|cpus| cpu < cpus));
    exist
        .map(|&(machine, cpu, from, takes, announced)| {
            let (from, until) = (Time::must(f64::from(from)), Time::must(f64::from(from + takes)));
            Outage { machine, cpu, from, until, announced }
        })
        .collect()
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
