//! Lower bounds on cost and makespan, to compare the results of a broker with.

use crate::grid::GridJob;
use crate::quantity::{money, span, times};
use sched_model::internal::ExactSum;
use sched_model::{Machine, Money, Span, Time};
use std::borrow::Borrow;

/// Lower bounds on the results of any broker: see [`lower_bounds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct GridBounds {
    /// A lower bound on the sum of what the jobs pay.
    pub cost: Money,
    /// A lower bound on the time from the first submission to the last end.
    pub makespan: Span,
}

/// Computes lower bounds on the cost and the makespan of these jobs on these machines. They hold for every broker
/// under which every job runs to its end. With `split` they also hold for brokers that spread a job over several
/// machines. Without it each job runs on one machine with as many CPUs as it needs, and jobs wider than every machine
/// are left out, since they cannot run.
///
/// The bounds are relaxations. Cost: each CPU of a job is on the machine where its time is cheapest. Makespan: no job
/// ends before its submission plus its shortest time; and the jobs submitted from some instant on need CPU time that
/// the machines have provided only some time after that instant. The minimum of that time is a linear program in
/// which jobs are cut into CPU seconds. Its duals, a price for the CPU time of each machine, are found by ascent, and
/// every choice of prices gives a valid bound. Both bounds use the time that a job really takes, up to its requested
/// time. Local jobs can only raise the true values.
///
/// With n jobs on m machines: O(n (k m + log n)) for k steps of the ascent, at most 100 and fewer where n m is above
/// 200,000. The bounds are rounded like sums of doubles: a broker that reaches a bound may have a result that is
/// lower in the last bits.
///
/// ```
/// use grid_sim::{GridJob, lower_bounds};
/// use sched_model::*;
/// let machine = |id, speed, price| Machine::new(MachineId(id), 2, Speed::must(speed), Price::must(price));
/// let machines = [machine(0, 1.0, 1.0)?, machine(1, 2.0, 3.0)?];
/// let job = |id, nodes, submit| {
///     GridJob::from(Job::new(JobId(id), ResourceRequest::must(nodes, 100.0)).with_submit(Time::must(submit)))
/// };
/// let bounds = lower_bounds(&machines, &[job(1, 2, 0.0), job(2, 2, 10.0)], true);
/// // Cheapest: 2 CPUs for 100 at price 1, not for 50 at price 3.
/// assert_eq!(bounds.cost, Money::must(400.0));
/// // Work of 400 on CPUs of speed 1, 1, 2 and 2 takes 66.7; the second job alone could end at 60.
/// assert!((bounds.makespan.get() - 400.0 / 6.0).abs() < 0.1);
/// // Three CPUs at once exist on no machine.
/// assert_eq!(lower_bounds(&machines, &[job(3, 3, 0.0)], true).cost, Money::must(300.0));
/// assert_eq!(lower_bounds(&machines, &[job(3, 3, 0.0)], false).cost, Money::ZERO);
/// # Ok::<(), ModelError>(())
/// ```
pub fn lower_bounds<J: Borrow<GridJob>>(
    machines: &[Machine],
    jobs: impl IntoIterator<Item = J>,
    split: bool,
) -> GridBounds {
    let cost = ExactSum::new();
    let mut needs = Needs { machines, split, cost, last: None, jobs: Vec::new(), cpu_seconds: Vec::new() };
    jobs.into_iter().for_each(|job| needs.add(job.borrow()));
    needs.bounds()
}

/// What the bounds are computed from: the minimum needs of each job.
struct Needs<'a> {
    machines: &'a [Machine],
    split: bool,
    /// The sum of the minimum costs.
    cost: ExactSum,
    /// The latest of the earliest possible ends.
    last: Option<Time>,
    /// For each job its submission, and where its row in `cpu_seconds` begins.
    jobs: Vec<(Time, usize)>,
    /// CPU seconds of each job on each machine, row by row; infinite where the job does not fit.
    cpu_seconds: Vec<f64>,
}

impl Needs<'_> {
    fn add(&mut self, job: &GridJob) {
        let fits = |machine: &Machine| self.split || job.cpus() <= machine.cpus();
        let share = job.actual_share.min(1.0);
        let count = f64::from(job.cpus());
        let time_on = |(at, machine): (usize, &Machine)| times(job.time_on(at, machine), share);
        let fitting = || self.machines.iter().enumerate().filter(|(_, machine)| fits(machine));
        let Some(shortest) = fitting().map(time_on).min() else { return };
        let cheapest =
            fitting().map(|(at, machine)| machine.price * times(job.time_on(at, machine), share * count));
        self.cost.add(cheapest.min().map_or(0.0, Money::get));
        let submit = job.job.submit;
        self.last = self.last.max(Some(submit + shortest));
        self.jobs.push((submit, self.cpu_seconds.len()));
        let needed = |(at, machine)| match fits(machine) {
            true => time_on((at, machine)).get() * count,
            false => f64::INFINITY,
        };
        self.cpu_seconds.extend(self.machines.iter().enumerate().map(needed));
    }

    fn bounds(mut self) -> GridBounds {
        // Latest submission first, so that the jobs submitted from some instant on are a prefix.
        self.jobs.sort_by_key(|&(submit, _)| std::cmp::Reverse(submit));
        let (Some(last), Some(first)) = (self.last, self.jobs.last().map(|&(submit, _)| submit)) else {
            return GridBounds { cost: Money::ZERO, makespan: Span::ZERO };
        };
        let makespan = (last - first).get().max(area_bound(&self, first));
        GridBounds { cost: money(&self.cost), makespan: span(makespan) }
    }

    /// Returns for each job its submission, and its CPU seconds by machine.
    fn rows(&self) -> impl Iterator<Item = (Time, &[f64])> {
        self.jobs.iter().map(|&(submit, row)| (submit, &self.cpu_seconds[row..row + self.machines.len()]))
    }
}

/// Maximum number of steps of the ascent, and of jobs times machines that all steps together read.
const STEPS: usize = 100;
const READS: usize = 20_000_000;

/// Returns the best bound on the makespan that an ascent over prices finds. There is one price w for a CPU second of
/// each machine; the sum over the machines of w times CPUs is 1. Such prices prove a bound: in a span T the CPU
/// seconds of all machines are worth T, and each job needs CPU seconds of at least its minimum worth over the
/// machines.
fn area_bound(needs: &Needs<'_>, first: Time) -> f64 {
    let cpus: Vec<f64> = needs.machines.iter().map(|machine| f64::from(machine.cpus())).collect();
    let all: f64 = cpus.iter().sum();
    let mut prices = vec![1.0 / all; cpus.len()];
    let mut best: f64 = 0.0;
    let steps = (READS / needs.cpu_seconds.len().max(1)).clamp(1, STEPS);
    for step in 0..steps {
        let (bound, count) = bound_of(&prices, needs, first);
        best = best.max(bound);
        // How long each machine would work if each of the jobs that prove the bound went to its machine of minimum
        // worth.
        let mut spans = vec![0.0; cpus.len()];
        for (_, on) in needs.rows().take(count) {
            let (at, _) = cheapest(&prices, on);
            spans[at] += on[at] / cpus[at];
        }
        let mean: f64 =
            spans.iter().zip(&prices).zip(&cpus).map(|((span, price), cpus)| span * price * cpus).sum();
        if !(mean > 0.0 && mean.is_finite()) {
            break;
        }
        // Machines that would work longer than the mean become more expensive.
        let pace = 0.5 / (1.0 + step as f64 / 10.0);
        for (price, span) in prices.iter_mut().zip(spans) {
            *price *= (1.0 + pace * (span / mean - 1.0)).clamp(0.5, 2.0);
        }
        let sum: f64 = prices.iter().zip(&cpus).map(|(price, cpus)| price * cpus).sum();
        prices.iter_mut().for_each(|price| *price /= sum);
    }
    best
}

/// Returns the machine on which the CPU seconds of a job are worth least, and that worth.
fn cheapest(prices: &[f64], on: &[f64]) -> (usize, f64) {
    let worths = prices.iter().zip(on).map(|(price, on)| price * on).enumerate();
    worths.fold((0, f64::INFINITY), |lowest, worth| if worth.1 < lowest.1 { worth } else { lowest })
}

/// Returns the bound that prices prove, and how many jobs, counted from the latest submission, prove it.
fn bound_of(prices: &[f64], needs: &Needs<'_>, first: Time) -> (f64, usize) {
    let (mut best, mut area) = ((0.0, 0), 0.0);
    for (at, (submit, on)) in needs.rows().enumerate() {
        area += cheapest(prices, on).1;
        let bound = (submit - first).get() + area;
        if bound > best.0 {
            best = (bound, at + 1);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::{Job, JobId, MachineId, Price, ResourceRequest, Speed, Work};

    fn job(id: u64, submit: f64, times: &[f64]) -> GridJob {
        let request = ResourceRequest::new(1, Work::must(1.0)).unwrap();
        let job = Job::new(JobId(id), request).with_submit(Time::must(submit));
        GridJob::from(job).with_times(times.iter().map(|&time| Span::must(time)).collect())
    }

    #[test]
    fn prices_of_machines_find_what_a_mean_does_not() {
        let machine = |id| Machine::new(MachineId(id), 1, Speed::ETALON, Price::must(1.0)).unwrap();
        let machines = [machine(0), machine(1)];
        // A job takes 1 on the first machine, 10 on the second: of 110 jobs 100 go to the first, 10 to the second,
        // and both machines take 100.
        let jobs: Vec<GridJob> = (0..110).map(|id| job(id, 0.0, &[1.0, 10.0])).collect();
        let bound = lower_bounds(&machines, &jobs, true).makespan.get();
        assert!((99.0..=100.0 + 1e-9).contains(&bound), "{bound}");
        // The same jobs from 1,000 on, after one that came first.
        let mut later = vec![job(999, 0.0, &[1.0, 1.0])];
        later.extend((0..110).map(|id| job(id, 1000.0, &[1.0, 10.0])));
        let bound = lower_bounds(&machines, &later, true).makespan.get();
        assert!((1099.0..=1100.0 + 1e-9).contains(&bound), "{bound}");
        assert_eq!(lower_bounds::<GridJob>(&machines, [], true).makespan, Span::ZERO);
        assert_eq!(lower_bounds(&[], &jobs, true).cost, Money::ZERO);
    }
}
