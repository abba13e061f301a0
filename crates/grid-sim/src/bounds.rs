//! Lower bounds on cost and makespan, to compare the results of a broker with.

use crate::grid::GridJob;
use crate::report::{money, times};
use sched_model::{ExactSum, MAX_QUANTITY, Machine, Money, Span, Time};

/// Lower bounds on the results of any broker: see [`lower_bounds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct GridBounds {
    /// The sum of what the jobs pay.
    pub cost: Money,
    /// From the first submission to the last end.
    pub makespan: Span,
}

/// Lower bounds on the cost and the makespan of these jobs on these machines, for every broker, also one that spreads a
/// job over machines, as long as every job runs to its end.
///
/// The bounds are relaxations. Cost: each CPU of a job is on the machine where its time is cheapest. Makespan: no job
/// ends before its submission and its shortest time; and the jobs that are submitted from an instant on take all CPUs
/// of the grid at least as long as their shortest times together, shared by all of them. Both use the time that a job
/// really takes, at most what it asks for. Local jobs can only raise both.
///
/// With n jobs on m machines: O(n (m + log n)). The bounds are rounded as sums of doubles: a broker that reaches a
/// bound may be below it by some last bits.
///
/// ```
/// use grid_sim::{GridJob, lower_bounds};
/// use sched_model::*;
/// let machine = |id, speed, price| Machine::new(MachineId(id), 2, Speed::must(speed), Price::must(price));
/// let machines = [machine(0, 1.0, 1.0)?, machine(1, 2.0, 3.0)?];
/// let job = |id, submit| Ok::<_, ModelError>(GridJob::new(
///     Job::new(JobId(id), ResourceRequest::new(2, Work::must(100.0))?).with_submit(Time::must(submit))));
/// let bounds = lower_bounds(&machines, &[job(1, 0.0)?, job(2, 10.0)?]);
/// // 2 CPUs for 100 at 1 each is cheaper than for 50 at 3.
/// assert_eq!(bounds.cost, Money::must(400.0));
/// // The second ends at 60 at the earliest; 2 * 2 * 50 CPU seconds on 4 CPUs are 50.
/// assert_eq!(bounds.makespan, Span::must(60.0));
/// # Ok::<(), ModelError>(())
/// ```
#[must_use]
pub fn lower_bounds<'a>(machines: &[Machine], jobs: impl IntoIterator<Item = &'a GridJob>) -> GridBounds {
    let cpus: f64 = machines.iter().map(|machine| f64::from(machine.cpus())).sum();
    let mut cost = ExactSum::new();
    let mut first: Option<Time> = None;
    let mut last: Option<Time> = None;
    // Submission and CPU time at least of each job.
    let mut areas: Vec<(Time, f64)> = Vec::new();
    for job in jobs {
        let share = job.actual_share().min(1.0);
        let count = f64::from(job.cpus());
        let times_on =
            || machines.iter().enumerate().map(|(at, machine)| (machine, job.time_on(at, machine)));
        let Some(shortest) = times_on().map(|(_, time)| times(time, share)).min() else { continue };
        let cheapest = times_on().map(|(machine, time)| machine.price() * times(time, share * count)).min();
        cost.add(cheapest.map_or(0.0, Money::get));
        let submit = job.job.submit;
        first = Some(first.map_or(submit, |first| first.min(submit)));
        let end = submit + shortest;
        last = Some(last.map_or(end, |last| last.max(end)));
        areas.push((submit, shortest.get() * count));
    }
    let (Some(first), Some(last)) = (first, last) else {
        return GridBounds { cost: Money::ZERO, makespan: Span::ZERO };
    };
    areas.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let mut makespan = (last - first).get();
    let mut area = 0.0;
    for (submit, more) in areas {
        area += more;
        makespan = makespan.max((submit - first).get() + area / cpus);
    }
    let makespan = Span::new(makespan.min(MAX_QUANTITY)).unwrap_or(Span::ZERO);
    GridBounds { cost: money(&cost), makespan }
}
