//! Local policies and schedulers of brokers that are broken on purpose.

use super::found;
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{
    BatchScheduler, Easy, GridJob, GridPlace, LocalPolicy, Offer, Pass, SimError, TradeOffBroker,
};
use econsched::prelude::*;
use econsched::testkit;

#[derive(Debug)]
struct Own(fn(&mut Pass<'_>) -> Result<(), SimError>);

impl LocalPolicy for Own {
    fn name(&self) -> &str {
        "own"
    }
    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        (self.0)(pass)
    }
}

#[test]
fn policies() {
    let broken = |kind: &str, pass: fn(&mut Pass<'_>) -> Result<(), SimError>| {
        let make = move || Box::new(Own(pass)) as Box<dyn LocalPolicy>;
        found(testkit::policy(make).with_promises_kept().run(200), kind);
    };
    broken("starved", |_| Ok(()));
    // A job that needs all CPUs waits for ever.
    broken("starved", |pass| {
        let mut at = 0;
        while at < pass.queue().len() {
            if pass.queue()[at].job.cpus() == pass.profile().cpus() || !pass.start(at)? {
                at += 1;
            }
        }
        Ok(())
    });
    broken("promise", |pass| {
        // Promises a start, withdraws it, and lets every job overtake.
        for at in 0..pass.queue().len() {
            if let Some(start) = pass.earliest(at) {
                pass.promise(at, start)?;
            }
            pass.withdraw(at)?;
        }
        let mut at = pass.queue().len();
        while at > 0 {
            at -= 1;
            pass.start(at)?;
        }
        Ok(())
    });
    broken("error", |pass| {
        let now = pass.now();
        if pass.queue().is_empty() { Ok(()) } else { pass.promise(0, now - Span::must(1.0)) }
    });
    broken("panic", |pass| pass.start(0).map(drop));
    let make = || Box::new(Easy) as Box<dyn LocalPolicy>;
    found(testkit::policy(make).with_arrival_order().run(200), "overtaken");
}

type Change = fn(Time, &[&GridJob], &[Offer<'_>], JobId, GridPlace) -> Option<GridPlace>;

/// MinCTT with another place for each job.
#[derive(Debug)]
struct Changed(Change);

impl BatchScheduler for Changed {
    fn name(&self) -> &str {
        "changed"
    }
    fn schedule(
        &mut self,
        now: Time,
        jobs: &[&GridJob],
        offers: &[Offer<'_>],
    ) -> Result<Schedule<GridPlace>, SimError> {
        let mut right = TradeOffBroker::of_kind(TradeOffKind::MinCtt, TradeOffMetric::default());
        let mut changed = Schedule::default();
        for (job, place) in right.schedule(now, jobs, offers)?.placed() {
            if let Some(place) = (self.0)(now, jobs, offers, job, place.clone()) {
                changed.place(job, place)?;
            }
        }
        Ok(changed)
    }
}

#[track_caller]
fn broken(kind: &str, change: Change) {
    let make = move || Box::new(Changed(change)) as Box<dyn BatchScheduler>;
    found(testkit::scheduler(make).with_limits_kept().run(200), kind);
}

#[test]
fn schedulers() {
    broken("past", |now, _, _, _, place| Some(GridPlace { start: now - Span::must(1.0), ..place }));
    broken("not free", |now, _, _, _, place| Some(GridPlace { start: now, ..place }));
    broken("span", |_, _, _, _, mut place| {
        place.parts[0].span = Span::must(place.parts[0].span.get() / 2.0);
        Some(place)
    });
    broken("cpus", |_, _, _, _, mut place| {
        place.parts[0].cpus -= 1;
        Some(place)
    });
    broken("resource", |_, _, offers, _, mut place| {
        place.parts[0].resource = offers.len();
        Some(place)
    });
    // At least one deadline has passed by then.
    broken("limits", |_, _, _, _, place| Some(GridPlace { start: place.start + Span::must(1e7), ..place }));
}

#[test]
fn schedulers_that_answer_what_nobody_asked() {
    #[derive(Debug)]
    struct Stranger;
    impl BatchScheduler for Stranger {
        fn name(&self) -> &str {
            "stranger"
        }
        fn schedule(
            &mut self,
            _now: Time,
            _jobs: &[&GridJob],
            _offers: &[Offer<'_>],
        ) -> Result<Schedule<GridPlace>, SimError> {
            let mut schedule = Schedule::default();
            schedule.refuse(JobId(77), Refusal::NoCapacity)?;
            Ok(schedule)
        }
    }
    let make = || Box::new(Stranger) as Box<dyn BatchScheduler>;
    found(testkit::scheduler(make).run(50), "unasked");
}
