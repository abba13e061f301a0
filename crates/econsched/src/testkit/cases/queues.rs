//! Cases for local policies and for schedulers of brokers.

use crate::testkit::check::must;
use crate::testkit::{Draw, Numbers};
use grid_sim::{GridJob, LocalJob};
use sched_model::{Job, JobId, Machine, MachineId, Money, Price, ResourceRequest, Span, Speed, Time};
use serde::{Deserialize, Serialize};

/// A case for a local policy: jobs for one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyCase {
    /// The machine.
    pub machine: Machine,
    /// The jobs, in the given order.
    pub jobs: Vec<LocalJob>,
}

fn machine(id: u32, cpus: usize, speed: f64, price: f64) -> Machine {
    must(Machine::new(MachineId(id), cpus as u32, Speed::must(speed), Price::must(price)))
}

fn local(id: u64, submit: f64, cpus: usize, (requested, actual): (f64, f64)) -> LocalJob {
    let (requested, actual) = (Span::must(requested), Span::must(actual));
    must(LocalJob::new(JobId(id), Time::must(submit), cpus as u32, requested, actual))
}

impl PolicyCase {
    /// Draws a case of up to 25 jobs on up to 9 CPUs: jobs that arrive together or one by one, request too much
    /// time, take no time, exceed their requested time, are wider than the machine, or are out of order.
    pub fn draw(draw: &mut Draw) -> Self {
        let numbers = Numbers::any(draw);
        let cpus = draw.between(1, 9);
        let (together, dishonest) = (draw.chance(30), draw.chance(50));
        let (mut submit, mut jobs) = (0.0, Vec::new());
        for id in 0..draw.below(26) as u64 {
            if !together && draw.chance(70) {
                submit += numbers.draw(draw);
            }
            let wide = if draw.chance(4) { cpus + 1 } else { draw.between(1, cpus) };
            let requested = numbers.positive(draw).min(1e12);
            let actual = match draw.below(8) {
                5 => requested * 0.25,
                6 => 0.0,
                7 if dishonest => requested * 1.5,
                _ => requested,
            };
            jobs.push(local(id, f64::min(submit, 1e12), wide, (requested, actual)));
        }
        if jobs.len() > 1 && draw.chance(20) {
            let at = draw.below(jobs.len() - 1);
            jobs.swap(at, at + 1);
        }
        Self { machine: machine(0, cpus, 1.0, 0.1), jobs }
    }
}

/// A case for a scheduler: jobs for a broker, and the machines that it may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchedulerCase {
    /// The machines, each with the jobs of its own users.
    pub machines: Vec<(Machine, Vec<LocalJob>)>,
    /// The jobs of the broker, in the given order.
    pub jobs: Vec<GridJob>,
}

impl SchedulerCase {
    /// Draws a case of up to four machines and up to eight jobs, some with budgets and deadlines.
    pub fn draw(draw: &mut Draw) -> Self {
        let numbers =
            draw.of([Numbers::Whole, Numbers::Tenths, Numbers::Cents, Numbers::Ties, Numbers::Thirds]);
        let mut machines = Vec::new();
        for id in 0..draw.between(1, 4) as u32 {
            let cpus = draw.between(1, 6);
            let own = (0..draw.below(4) as u64).map(|at| {
                let span = numbers.positive(draw);
                let submit = draw.below(60) as f64;
                local(1000 + 100 * u64::from(id) + at, submit, draw.between(1, cpus), (span, span))
            });
            let own = own.collect();
            let speed = draw.of([1.0, 0.5, 2.0, 4.0]);
            machines.push((machine(id, cpus, speed, numbers.draw(draw)), own));
        }
        let count = draw.below(9) as u64;
        let job = |id| {
            let (submit, cpus) = (draw.below(90) as f64, draw.between(1, 6));
            let work = numbers.positive(draw) * draw.of([1.0, 4.0, 10.0]);
            let mut request = ResourceRequest::must(cpus, work);
            if draw.chance(20) {
                request = request.with_min_speed(Speed::must(1.0));
            }
            request.budget = draw.chance(30).then(|| Money::must(numbers.draw(draw) * 20.0));
            request.deadline = draw.chance(30).then(|| Time::must(50.0 + numbers.draw(draw) * 10.0));
            GridJob::from(Job::new(JobId(id), request).with_submit(Time::must(submit)))
        };
        let jobs = (0..count).map(job).collect();
        Self { machines, jobs }
    }
}
