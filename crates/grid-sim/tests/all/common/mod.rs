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
