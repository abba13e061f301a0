//! Local policies and schedulers of brokers that are broken on purpose.

use super::fault;
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{
    BatchScheduler, Easy, GridJob, GridPlace, LocalPolicy, Offer, Pass, SimError, TradeOffBroker,
};
use econsched::prelude::*;
use econsched::testkit::{Cases, PolicyCheck, PolicyFault, SchedulerCheck, SchedulerFault};

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
    let broken = |pass: fn(&mut Pass<'_>) -> Result<(), SimError>| {
        let make = move || Box::new(Own(pass)) as Box<dyn LocalPolicy>;
        fault(PolicyCheck::new(&make).with_promises_kept().run(&Cases::new(200)))
    };
    let lazy = broken(|_| Ok(()));
    assert!(matches!(lazy, PolicyFault::Starved { .. }), "{lazy}");
    // A job that needs all CPUs waits for ever.
    let unfair = broken(|pass| {
        let mut at = 0;
        while at < pass.queue().len() {
            if pass.queue()[at].job.cpus() == pass.profile().cpus() || !pass.start(at)? {
                at += 1;
            }
        }
        Ok(())
    });
    assert!(matches!(unfair, PolicyFault::Starved { .. }), "{unfair}");
    let faithless = broken(|pass| {
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
    assert!(matches!(faithless, PolicyFault::Promise { .. }), "{faithless}");
    let past = broken(|pass| {
        let now = pass.now();
        if pass.queue().is_empty() { Ok(()) } else { pass.promise(0, now - Span::must(1.0)) }
    });
    assert!(matches!(past, PolicyFault::Error(SimError::BadPlace { .. })), "{past}");
    let panics = broken(|pass| pass.start(0).map(drop));
    assert!(matches!(panics, PolicyFault::Panic(_)), "{panics}");
    let make = || Box::new(Easy) as Box<dyn LocalPolicy>;
    let overtakes = fault(PolicyCheck::new(&make).with_arrival_order().run(&Cases::new(200)));
    assert!(matches!(overtakes, PolicyFault::Overtaken { .. }), "{overtakes}");
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
fn broken(change: Change) -> SchedulerFault {
    let make = move || Box::new(Changed(change)) as Box<dyn BatchScheduler>;
    fault(SchedulerCheck::new(&make).with_limits_kept().run(&Cases::new(200)))
}

#[test]
fn schedulers() {
    let past = broken(|now, _, _, _, place| Some(GridPlace { start: now - Span::must(1.0), ..place }));
    assert!(matches!(past, SchedulerFault::Past { .. }), "{past}");
    let at_once = broken(|now, _, _, _, place| Some(GridPlace { start: now, ..place }));
    assert!(matches!(at_once, SchedulerFault::NotFree { .. }), "{at_once}");
    let short = broken(|_, _, _, _, mut place| {
        place.parts[0].span = Span::must(place.parts[0].span.get() / 2.0);
        Some(place)
    });
    assert!(matches!(short, SchedulerFault::Span { .. }), "{short}");
    let narrow = broken(|_, _, _, _, mut place| {
        place.parts[0].cpus -= 1;
        Some(place)
    });
    assert!(matches!(narrow, SchedulerFault::Cpus { .. }), "{narrow}");
    let nowhere = broken(|_, _, offers, _, mut place| {
        place.parts[0].resource = offers.len();
        Some(place)
    });
    assert!(matches!(nowhere, SchedulerFault::Resource { .. }), "{nowhere}");
    // At least one deadline has passed by then.
    let careless =
        broken(|_, _, _, _, place| Some(GridPlace { start: place.start + Span::must(1e7), ..place }));
    assert!(matches!(careless, SchedulerFault::Limits(_)), "{careless}");
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
    let found = fault(SchedulerCheck::new(&make).run(&Cases::new(50)));
    assert_eq!(found, SchedulerFault::Unasked(JobId(77)));
}
