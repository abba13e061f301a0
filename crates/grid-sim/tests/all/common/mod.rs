//! What the tests of both brokers share.
#![allow(dead_code)]

use econsched::testkit::{Draw, SchedulerCase};
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

/// Machines, the jobs of their own users, and jobs of three other users for a broker, some of which end early or late.
pub fn scene(draw: &mut Draw) -> (Vec<Machine>, Vec<Vec<LocalJob>>, Vec<GridJob>) {
    let SchedulerCase { machines, jobs } = SchedulerCase::draw(draw);
    let (machines, local) = machines.into_iter().unzip();
    let owned = |mut job: GridJob| {
        job.job.user = UserId(draw.below(3) as u32);
        job.job.priority = Priority::must(draw.between(1, 3) as f64);
        job.with_actual_share(draw.between(1, 8) as f64 / 4.0)
    };
    (machines, local, jobs.into_iter().map(owned).collect())
}

/// Fewer outages than `most` of the CPUs of these machines, of up to 59 seconds in the first 200.
pub fn outages_on(machines: &[u32], most: usize, draw: &mut Draw) -> Vec<Outage> {
    let mut outages = Vec::new();
    for _ in 0..draw.below(most) {
        let machine = draw.below(machines.len());
        let from = draw.below(200);
        outages.push(Outage {
            machine,
            cpu: draw.below(machines[machine] as usize) as u32,
            from: Time::must(from as f64),
            until: Time::must((from + draw.between(1, 59)) as f64),
            announced: draw.chance(50),
        });
    }
    outages
}

/// Fewer cancellations than `most` of these jobs, in the first 200 seconds.
pub fn cancellations(jobs: usize, most: usize, draw: &mut Draw) -> Vec<(Time, JobId)> {
    let count = draw.below(most).min(jobs);
    (0..count).map(|_| (Time::must(draw.below(200) as f64), JobId(draw.below(jobs) as u64))).collect()
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
