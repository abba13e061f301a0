//! Local policies, checked by the starts of their jobs.

use super::check::must;
use super::{Check, Draw, Family, Fault, Numbers, Seen, ensure};
use grid_sim::{Ending, JobRecord, LocalJob, LocalPolicy, Replay};
use sched_model::{JobId, Limit, Machine, MachineId, Price, Span, Speed, Time};
use serde::{Deserialize, Serialize};

/// A function that makes a local policy, with the promises of that policy: see [`policy`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Policies<M> {
    make: M,
    promises: bool,
    order: bool,
}

/// Checks a [`LocalPolicy`] by replaying jobs; `make` returns a new policy for each run. Kinds of faults:
/// `no name`; `error`; `starved` (a job that fits never runs); `unsteady`; and `promise` and `overtaken` if the policy
/// promises these. (A policy cannot start jobs on CPUs that are not free: the replay refuses that.)
///
/// ```
/// use econsched::grid_sim::PolicyKind;
/// use econsched::testkit;
/// testkit::policy(|| PolicyKind::Easy.build()).with_promises_kept().run(50)?;
/// testkit::policy(|| PolicyKind::Fcfs.build()).with_arrival_order().run(50)?;
/// let fault = testkit::policy(|| PolicyKind::Easy.build()).with_arrival_order().run(200).unwrap_err();
/// assert_eq!(fault.kind, "overtaken");
/// # Ok::<(), testkit::Fault>(())
/// ```
pub fn policy<M: Fn() -> Box<dyn LocalPolicy>>(make: M) -> Check<Policies<M>> {
    Check::new(Policies { make, promises: false, order: false })
}

impl<M> Check<Policies<M>> {
    /// No job starts after the first start that it was promised, as long as all jobs keep within their requests.
    pub fn with_promises_kept(mut self) -> Self {
        self.family.promises = true;
        self
    }

    /// Jobs start in the order of their arrival.
    pub fn with_arrival_order(mut self) -> Self {
        self.family.order = true;
        self
    }
}

/// A case for a local policy: jobs for one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyCase {
    /// The machine.
    pub machine: Machine,
    /// The jobs, in the given order.
    pub jobs: Vec<LocalJob>,
}

pub(super) fn machine(id: u32, cpus: usize, speed: f64, price: f64) -> Machine {
    must(Machine::new(MachineId(id), cpus as u32, Speed::must(speed), Price::must(price)))
}

pub(super) fn local(id: u64, submit: f64, cpus: usize, (requested, actual): (f64, f64)) -> LocalJob {
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

/// More work than a policy needs for a case, unless it puts promises off for ever.
const MOST: u64 = 1_000_000;

impl<M: Fn() -> Box<dyn LocalPolicy>> Family for Policies<M> {
    type Case = PolicyCase;

    fn draw(draw: &mut Draw) -> PolicyCase {
        PolicyCase::draw(draw)
    }

    fn judge(&self, case: &PolicyCase) -> Result<Seen, Fault> {
        ensure(!(self.make)().name().is_empty(), "no name", || "the name is empty")?;
        let PolicyCase { machine, jobs } = case;
        let limit = Limit::none().with_work(MOST);
        let run = || Replay::new(machine, (self.make)()).run(jobs, &mut limit.meter());
        let first = run()?;
        let horizon = first.records.iter().filter_map(JobRecord::end).max().unwrap_or(Time::ZERO);
        for (job, record) in jobs.iter().zip(&first.records).filter(|(_, record)| record.end().is_none()) {
            // Too wide, or so short that start + span may round to the start, for any start; halves round to even.
            let latest = job.submit.max(horizon).get();
            let fits = job.cpus <= machine.cpus() && 2.0 * job.requested.get() > latest.next_up() - latest;
            let refused = matches!(record.ending, Ending::Refused(_));
            let starved = || format!("job {} never runs ({})", job.id, record.ending);
            ensure(refused && !fits, "starved", starved)?;
        }
        ensure(run()? == first, "unsteady", || "two runs of the same jobs differ")?;
        if self.promises && jobs.iter().all(|job| job.actual <= job.requested) {
            for (record, promise) in first.records.iter().zip(&first.promises) {
                let (Some(start), Some(promised)) = (record.start, *promise) else { continue };
                let broken = || format!("job {} was promised {promised}, starts at {start}", record.id);
                ensure(start <= promised, "promise", broken)?;
            }
        }
        if self.order {
            order_kept(&first.records)?;
        }
        let ran = first.records.iter().any(|record| record.start.is_some());
        Ok(if ran { Seen::solved() } else { Seen::unsolved(false) })
    }
}

fn order_kept(records: &[JobRecord]) -> Result<(), Fault> {
    let mut started: Vec<&JobRecord> = records.iter().filter(|record| record.start.is_some()).collect();
    // Jobs of one instant arrive in the given order.
    started.sort_by_key(|record| record.submit);
    started.windows(2).try_for_each(|pair| {
        let overtaken = || format!("job {} starts before job {}, which came first", pair[1].id, pair[0].id);
        ensure(pair[0].start <= pair[1].start, "overtaken", overtaken)
    })
}
