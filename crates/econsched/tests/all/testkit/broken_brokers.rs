//! Local policies and schedulers of brokers that are broken on purpose.

use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{
    BatchScheduler, Easy, GridJob, GridPlace, LocalPolicy, Offer, Pass, SimError, TradeOffBroker,
};
use econsched::prelude::*;
use econsched::testkit::{self, Fault};

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
        testkit::policy(make).with_promises_kept().run(200).unwrap_err()
    };
    let lazy = broken(|_| Ok(()));
    assert_eq!(lazy.kind, "starved", "{lazy}");
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
    assert_eq!(unfair.kind, "starved", "{unfair}");
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
    assert_eq!(faithless.kind, "promise", "{faithless}");
    let past = broken(|pass| {
        let now = pass.now();
        if pass.queue().is_empty() { Ok(()) } else { pass.promise(0, now - Span::must(1.0)) }
    });
    assert_eq!(past.kind, "error", "{past}");
    let panics = broken(|pass| pass.start(0).map(drop));
    assert_eq!(panics.kind, "panic", "{panics}");
    let make = || Box::new(Easy) as Box<dyn LocalPolicy>;
    let overtakes = testkit::policy(make).with_arrival_order().run(200).unwrap_err();
    assert_eq!(overtakes.kind, "overtaken", "{overtakes}");
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
fn broken(change: Change) -> Fault {
    let make = move || Box::new(Changed(change)) as Box<dyn BatchScheduler>;
    testkit::scheduler(make).with_limits_kept().run(200).unwrap_err()
}

#[test]
fn schedulers() {
    let past = broken(|now, _, _, _, place| Some(GridPlace { start: now - Span::must(1.0), ..place }));
    assert_eq!(past.kind, "past", "{past}");
    let at_once = broken(|now, _, _, _, place| Some(GridPlace { start: now, ..place }));
    assert_eq!(at_once.kind, "not free", "{at_once}");
    let short = broken(|_, _, _, _, mut place| {
        place.parts[0].span = Span::must(place.parts[0].span.get() / 2.0);
        Some(place)
    });
    assert_eq!(short.kind, "span", "{short}");
    let narrow = broken(|_, _, _, _, mut place| {
        place.parts[0].cpus -= 1;
        Some(place)
    });
    assert_eq!(narrow.kind, "cpus", "{narrow}");
    let nowhere = broken(|_, _, offers, _, mut place| {
        place.parts[0].resource = offers.len();
        Some(place)
    });
    assert_eq!(nowhere.kind, "resource", "{nowhere}");
    // At least one deadline has passed by then.
    let careless =
        broken(|_, _, _, _, place| Some(GridPlace { start: place.start + Span::must(1e7), ..place }));
    assert_eq!(careless.kind, "limits", "{careless}");
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
    let found = testkit::scheduler(make).run(50).unwrap_err();
    assert_eq!(found.kind, "unasked", "{found}");
}
