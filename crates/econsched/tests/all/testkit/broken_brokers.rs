//! Local policies and schedulers of brokers that are broken on purpose.

use super::{Own, found};
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{BatchScheduler, GridJob, GridPlace, LocalPolicy, Offer, Pass, SimError};
use econsched::prelude::*;
use econsched::sched_model::{Machine, MachineId};
use econsched::testkit;

type Serve = fn(&mut Pass<'_>) -> Result<(), SimError>;

impl LocalPolicy for Own<Serve> {
    fn name(&self) -> &str {
        "own"
    }
    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        (self.0)(pass)
    }
}

#[test]
fn policies() {
    let broken = |kind: &str, pass: Serve| {
        let make = move || Box::new(Own(pass)) as Box<dyn LocalPolicy>;
        found(testkit::policy(make).with_promises_kept().run(200), kind);
    };
    broken("starved", |_| Ok(()));
    // A job that needs all CPUs waits for ever.
    broken("starved", |pass| {
        let mut at = 0;
        while at < pass.waiting() {
            if pass[at].job.cpus == pass.profile().cpus() || !pass.start(at)? {
                at += 1;
            }
        }
        Ok(())
    });
    // Only the head starts, although every job is promised its earliest start.
    broken("error", |pass| {
        while pass.waiting() > 0 && pass.start(0)? {}
        for at in 0..pass.waiting() {
            if let Some(start) = pass.earliest(at) {
                pass.promise(at, start)?;
            }
        }
        Ok(())
    });
    // The promise to the head is put off for ever.
    broken("starved", |pass| {
        if pass.waiting() == 0 { Ok(()) } else { pass.promise(0, pass.now() + Span::must(1e15)) }
    });
    broken("promise", |pass| {
        // Promises a start, loses it to one that cannot be, and lets every job overtake.
        let past = pass.now() - Span::must(1.0);
        for at in 0..pass.waiting() {
            if let Some(start) = pass.earliest(at) {
                pass.promise(at, start)?;
                let _ = pass.promise(at, past);
            }
        }
        let mut at = pass.waiting();
        while at > 0 {
            at -= 1;
            pass.start(at)?;
        }
        Ok(())
    });
    broken("error", |pass| {
        let now = pass.now();
        if pass.waiting() == 0 { Ok(()) } else { pass.promise(0, now - Span::must(1.0)) }
    });
    broken("panic", |pass| pass.start(0).map(drop));
}

type Change = fn(Time, &[Offer<'_>], Schedule<GridPlace>) -> Result<Schedule<GridPlace>, SimError>;

/// The schedule of MinCTT, changed.
impl BatchScheduler for Own<Change> {
    fn name(&self) -> &str {
        "changed"
    }
    fn schedule(
        &mut self,
        now: Time,
        jobs: &[&GridJob],
        offers: &[Offer<'_>],
    ) -> Result<Schedule<GridPlace>, SimError> {
        let mut right = TradeOffKind::MinCtt.build(TradeOffMetric::default());
        (self.0)(now, offers, right.schedule(now, jobs, offers)?)
    }
}

/// Another place for each job.
fn each(
    right: Schedule<GridPlace>,
    change: impl Fn(&mut GridPlace),
) -> Result<Schedule<GridPlace>, SimError> {
    let mut changed = Schedule::default();
    for (job, place) in right.placed() {
        let mut place = place.clone();
        change(&mut place);
        changed.decide(job, Ok(place))?;
    }
    Ok(changed)
}

#[test]
fn schedulers() {
    let broken = |kind: &str, change: Change| {
        let make = move || Box::new(Own(change)) as Box<dyn BatchScheduler>;
        found(testkit::scheduler(make).with_limits_kept().run(200), kind);
    };
    broken("error", |now, _, right| each(right, |place| place.start = now - Span::must(1.0)));
    broken("error", |now, _, right| each(right, |place| place.start = now));
    broken("span", |_, _, right| {
        each(right, |place| place.parts[0].span = Span::must(place.parts[0].span.get() / 2.0))
    });
    broken("error", |_, _, right| each(right, |place| place.parts[0].cpus -= 1));
    broken("error", |_, offers, right| each(right, |place| place.parts[0].resource = offers.len()));
    // At least one deadline has passed by then.
    broken("limits", |_, _, right| each(right, |place| place.start = place.start + Span::must(1e7)));
    broken("finds nothing", |_, _, right| {
        let mut none = Schedule::default();
        let jobs = right.placed().map(|(job, _)| job).chain(right.refused().map(|(job, _)| job));
        jobs.into_iter().try_for_each(|job| none.decide(job, Err(Refusal::NoCapacity)))?;
        Ok(none)
    });
    // Nobody asked about this job.
    broken("error", |_, _, mut right| {
        right.decide(JobId(77), Err(Refusal::NoCapacity))?;
        Ok(right)
    });
}

/// At 50 a place of 13.333333333333334 ends at 63.333333333333336, and 13.333333333333336 is paid on each CPU.
#[test]
fn a_place_within_its_budget_passes_though_its_rounded_end_costs_more() {
    let machine = Machine::new(MachineId(0), 5, Speed::must(0.5), Price::must(1.0)).unwrap();
    let request = ResourceRequest::must(5, 20.0 / 3.0).with_budget(Money::must(5.0 * (20.0 / 3.0 / 0.5)));
    let job = GridJob::from(Job::new(JobId(1), request).with_submit(Time::must(1.0)));
    let case = testkit::SchedulerCase { machines: vec![(machine, vec![])], jobs: vec![job] };
    let make = || Box::new(TradeOffKind::MinCtt.build(TradeOffMetric::default())) as Box<dyn BatchScheduler>;
    testkit::scheduler(make).with_limits_kept().judge(&case).unwrap();
}
