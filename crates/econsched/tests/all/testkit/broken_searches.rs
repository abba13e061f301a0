//! Searches that are broken on purpose.

use super::{Own, found};
use econsched::prelude::*;
use econsched::sched_model::{End, Limit, Meter, Outcome};
use econsched::slot_window::{Objective, Optimal, WindowError};
use econsched::testkit;
use std::sync::atomic::{AtomicUsize, Ordering};

type Found = Result<Outcome<Window>, WindowError>;
type Solve = fn(&WindowQuery<'_>, &mut Meter) -> Found;

/// By the rules of AMP; and whether its starts are said to be monotone.
impl WindowSearch for Own<(Solve, bool)> {
    fn name(&self) -> &str {
        "own"
    }
    fn rules(&self) -> Rules {
        Amp::new().rules()
    }
    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Found {
        (self.0.0)(query, meter)
    }
    fn starts_are_monotone(&self) -> bool {
        self.0.1
    }
}

fn optimal(objective: Objective) -> Optimal {
    Optimal::new(objective).with_rules(Amp::new().rules())
}

fn cheapest(query: &WindowQuery<'_>, meter: &mut Meter) -> Found {
    optimal(Objective::Cost).solve(query, meter)
}

/// The cheapest window, changed.
fn changed(
    query: &WindowQuery<'_>,
    meter: &mut Meter,
    change: impl FnOnce(Window) -> Option<Window>,
) -> Found {
    let mut found = cheapest(query, meter)?;
    found.best = found.best.and_then(change);
    (found.value, found.bound) = (None, None);
    Ok(found)
}

fn again(window: &Window, change: impl Fn(&mut Placement)) -> Option<Window> {
    let mut placements = window.placements().to_vec();
    placements.iter_mut().for_each(change);
    Window::new(window.start(), placements).ok()
}

/// It promises the cheapest window, and has a fault of these kinds.
#[track_caller]
fn broken(kinds: &str, solve: Solve) {
    let search = Own((solve, false));
    let check = testkit::search(&search).with_completeness();
    found(check.with_value(|window, _| window.cost().get()).run(300), kinds);
}

#[test]
fn wrong_windows() {
    broken("rules", |query, meter| {
        changed(query, meter, |window| {
            again(&window, |placement| placement.end = placement.end + Span::must(1.0))
        })
    });
    // The cost is price x span, under every tariff.
    broken("rules", |query, meter| {
        let plain = query.slots.tariff().is_plain();
        changed(query, meter, |window| {
            again(&window, |placement| {
                if !plain {
                    placement.cost = placement.price * (placement.end - window.start());
                }
            })
        })
    });
    broken("rules", |query, meter| {
        let fewer = query.request.nodes().max(2) - 1;
        changed(query, meter, |window| {
            Window::new(window.start(), window.placements()[..fewer].to_vec()).ok()
        })
    });
    // The given start is ignored, or the end of the starts.
    broken("too early", |query, meter| cheapest(&query.with_from(Time::ZERO), meter));
    broken("too late", |query, meter| {
        let mut all = *query;
        all.before = None;
        cheapest(&all, meter)
    });
}

#[test]
fn missed_windows() {
    broken("not best", |query, meter| optimal(Objective::Runtime).solve(query, meter));
    // A budget that is met exactly counts as exceeded.
    broken("missed", |query, meter| {
        let budget = query.request.budget;
        changed(query, meter, |window| budget.is_none_or(|budget| window.cost() < budget).then_some(window))
    });
    // Only the first slot is read.
    broken("missed", |query, meter| {
        let first = query.slots.iter().next().map(|slot| slot.start);
        changed(query, meter, |window| (first == Some(window.start())).then_some(window))
    });
    // No window is found before one that is known.
    broken("missed", |query, meter| changed(query, meter, |window| query.before.is_none().then_some(window)));
    // One answer in three is lost.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    broken("unsteady", |query, meter| {
        let lost = CALLS.fetch_add(1, Ordering::Relaxed) % 3 == 2;
        changed(query, meter, |window| (!lost).then_some(window))
    });
}

#[test]
fn starts_that_are_not_monotone() {
    let late: Solve =
        |query, meter| Amp::new().solve(&query.with_from(query.from.max(Time::must(1.0))), meter);
    found(testkit::search(&Own((late, true))).run(300), "not earliest");
    // One window may start first by chance; the next does not where it begins at the start of the last.
    let chance: Solve = cheapest;
    found(testkit::search(&Own((chance, true))).run(300), "resuming");
}

#[test]
fn a_search_that_never_finds_a_window_does_not_pass() {
    let never: Solve = |query, meter| changed(query, meter, |_| None);
    let search = Own((never, false));
    found(testkit::search(&search).run(50), "finds nothing");
    // Without cases, nothing has to be found.
    let seen = testkit::search(&search).run(0).unwrap();
    assert_eq!((seen.cases, seen.solved), (0, 0));
}

#[test]
fn limits() {
    // With very little work the search returns the cheapest window, with more the earliest, and states no value.
    broken("worse with more", |query, meter| {
        let few = (2..100).contains(&meter.work_left());
        let objective = if few { Objective::Start } else { Objective::Cost };
        meter.spend(meter.work_left().clamp(1, 10))?;
        let found = optimal(objective).solve(query, &mut Limit::default().meter())?;
        let mut answer = Outcome::plain(found.best, meter.work());
        answer.end = if few { End::Work } else { End::Done };
        Ok(answer)
    });
    broken("ignores the limit", |query, _| {
        let found = cheapest(query, &mut Limit::default().meter())?;
        Ok(Outcome::plain(found.best, 0))
    });
    // The search does not say that it was stopped.
    broken("not done", |query, meter| {
        let mut found = cheapest(query, meter)?;
        found.end = End::Done;
        Ok(found)
    });
    // The search checks the signal itself, after a step.
    broken("signal", |query, meter| {
        let found = cheapest(query, meter)?;
        Ok(if meter.limit().is_signalled() {
            Outcome::stopped(None, None, found.work, End::Signal)
        } else {
            found
        })
    });
    // Any window is near enough.
    broken("beyond the gap", |query, meter| {
        let objective = if meter.limit().absolute_gap > 0.0 { Objective::Start } else { Objective::Cost };
        optimal(objective).solve(query, meter)
    });
    // The observer receives another value than that of the answer.
    broken("observer", |query, meter| {
        let _ = meter.report(Some(-7.0), None);
        cheapest(query, meter)
    });
    broken("bound", |query, meter| {
        let mut found = cheapest(query, meter)?;
        found.value = found.best.as_ref().map(|window| window.cost().get());
        found.bound = found.value.map(|value| value + 1.0);
        Ok(found)
    });
}

#[test]
fn a_search_that_ends_by_its_meter_before_it_holds_anything_passes() {
    let solve: Solve = |query, meter| {
        meter.spend(query.slots.len() as u64)?;
        cheapest(query, meter)
    };
    let careful = Own((solve, false));
    testkit::search(&careful).with_value(|window, _| window.cost().get()).run(100).unwrap();
    // What was found for the first job is kept when the search for the second ends so.
    let slots = SlotList::from_nodes(&[Node::must(1, 1.0, 1.0)], &[], Time::ZERO, Time::must(9.0)).unwrap();
    let jobs = [1, 2].map(|id| Job::new(JobId(id), ResourceRequest::must(1, 3.0))).to_vec();
    let batch = Batch::new(jobs).unwrap();
    let within = |work| {
        let search = AlternativesSearch::new(&careful).with_limit(Limit::default().with_work(work));
        let found = search.find(&slots, &batch, Time::ZERO).unwrap();
        (found.jobs[0].windows.len(), found.end)
    };
    assert_eq!([8, 22].map(within), [(1, End::Work), (2, End::Done)]);
}
