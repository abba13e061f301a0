//! Cases for local policies and for schedulers of brokers.

use crate::testkit::{Draw, Numbers};
use serde::{Deserialize, Serialize};

/// A case for a local policy: jobs for one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyCase {
    /// Number of CPUs of the machine.
    pub cpus: u32,
    /// The jobs, in the given order; job `k` has the identifier `k`.
    pub jobs: Vec<LocalJobCase>,
}

/// A job of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalJobCase {
    /// The instant of its arrival.
    pub submit: f64,
    /// Number of CPUs.
    pub cpus: u32,
    /// The requested time.
    pub requested: f64,
    /// The time that the job would take.
    pub actual: f64,
}

impl PolicyCase {
    /// Draws a case of up to 25 jobs on up to 9 CPUs: jobs that arrive together or one by one, request too much
    /// time, take no time, exceed their requested time, are wider than the machine, or are out of order.
    pub fn draw(draw: &mut Draw) -> Self {
        let numbers = Numbers::any(draw);
        let cpus = draw.between(1, 9);
        let (together, dishonest) = (draw.chance(30), draw.chance(50));
        let (mut submit, mut jobs) = (0.0, Vec::new());
        for _ in 0..draw.below(26) {
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
            jobs.push(LocalJobCase { submit: f64::min(submit, 1e12), cpus: wide as u32, requested, actual });
        }
        if jobs.len() > 1 && draw.chance(20) {
            let at = draw.below(jobs.len() - 1);
            jobs.swap(at, at + 1);
        }
        Self { cpus: cpus as u32, jobs }
    }
}

/// A case for a scheduler: jobs for a broker, and the machines that it may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchedulerCase {
    /// The machines.
    pub machines: Vec<MachineCase>,
    /// The jobs of the broker, in the given order.
    pub jobs: Vec<GridJobCase>,
}

/// A machine with jobs of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineCase {
    /// Number of CPUs.
    pub cpus: u32,
    /// Work per unit of time.
    pub speed: f64,
    /// Money per unit of time and CPU.
    pub price: f64,
    /// The jobs of the machine's own users.
    pub local: Vec<LocalJobCase>,
}

/// A job of a broker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GridJobCase {
    /// The instant of its arrival.
    pub submit: f64,
    /// Number of CPUs.
    pub cpus: usize,
    /// Work on each CPU.
    pub work: f64,
    /// The least speed.
    pub min_speed: Option<f64>,
    /// The greatest total cost.
    pub budget: Option<f64>,
    /// The latest end.
    pub deadline: Option<f64>,
}

impl SchedulerCase {
    /// Draws a case of up to four machines and up to eight jobs, some with budgets and deadlines.
    pub fn draw(draw: &mut Draw) -> Self {
        let numbers =
            draw.of([Numbers::Whole, Numbers::Tenths, Numbers::Cents, Numbers::Ties, Numbers::Thirds]);
        let mut machines = Vec::new();
        for _ in 0..draw.between(1, 4) {
            let cpus = draw.between(1, 6);
            let local = (0..draw.below(4)).map(|_| {
                let span = numbers.positive(draw);
                let submit = draw.below(60) as f64;
                LocalJobCase { submit, cpus: draw.between(1, cpus) as u32, requested: span, actual: span }
            });
            let local = local.collect();
            let speed = draw.of([1.0, 0.5, 2.0, 4.0]);
            machines.push(MachineCase { cpus: cpus as u32, speed, price: numbers.draw(draw), local });
        }
        let jobs = (0..draw.below(9)).map(|_| GridJobCase {
            submit: draw.below(90) as f64,
            cpus: draw.between(1, 6),
            work: numbers.positive(draw) * draw.of([1.0, 4.0, 10.0]),
            min_speed: draw.chance(20).then_some(1.0),
            budget: draw.chance(30).then(|| numbers.draw(draw) * 20.0),
            deadline: draw.chance(30).then(|| 50.0 + numbers.draw(draw) * 10.0),
        });
        let jobs = jobs.collect();
        Self { machines, jobs }
    }
}
