//! Searches that are broken on purpose.

use super::{Own, found};
use econsched::prelude::*;
use econsched::sched_model::{End, Limit, Meter, Outcome};
use econsched::slot_window::{FirstFit, Objective, Optimal, WindowError};
use econsched::testkit;
use std::sync::atomic::{AtomicUsize, Ordering};

type Solve = fn(&WindowQuery<'_>, &mut Meter) -> Result<Outcome<Window>, WindowError>;

impl WindowSearch for Own<Solve> {
    fn name(&self) -> &str {
        "own"
    }
    fn rules(&self) -> Rules {
        Optimal::new(Objective::Cost).rules()
    }
    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        (self.0)(query, meter)
    }
}

/// A change to the answer of AMP.
type Change = fn(&SlotList, &ResourceRequest, Time, Option<Window>) -> Option<Window>;

/// And whether its starts are said to be monotone.
impl WindowSearch for Own<(Change, bool)> {
    fn name(&self) -> &str {
        "changed"
    }
    fn rules(&self) -> Rules {
        Amp::new().rules()
    }
    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        let WindowQuery { slots, request, from, .. } = *query;
        let found = Amp::new().solve(query, meter)?;
        let window = (self.0.0)(slots, request, from, found.best);
        let in_time = |window: &Window| query.before.is_none_or(|before| window.start() < before);
        let mut changed = Outcome::plain(window.filter(in_time), found.work);
        changed.end = found.end;
        Ok(changed)
    }
    fn starts_are_monotone(&self) -> bool {
        self.0.1
    }
}

fn changed(change: Change, monotone: bool) -> Own<(Change, bool)> {
    Own((change, monotone))
}

#[track_caller]
fn broken(kind: &str, change: Change) {
    found(testkit::search(&changed(change, false)).with_completeness().run(300), kind);
}

fn again(window: &Window, change: impl Fn(&mut Placement)) -> Window {
    let mut placements = window.placements().to_vec();
    placements.iter_mut().for_each(change);
    Window::new(window.start(), placements).unwrap()
}

#[test]
fn wrong_windows() {
    broken("rules", |_, _, _, found| {
        found.map(|window| again(&window, |placement| placement.end = placement.end + Span::must(1.0)))
    });
    // The cost is price x span, under every tariff.
    broken("rules", |slots, _, _, found| {
        let plain = slots.tariff().is_plain();
        found.map(|window| {
            let start = window.start();
            again(&window, |placement| {
                if !plain {
                    placement.cost = placement.price * (placement.end - start);
                }
            })
        })
    });
    broken("rules", |_, request, _, found| {
        let window = found?;
        let fewer = window.placements()[..request.nodes().max(2) - 1].to_vec();
        Some(Window::new(window.start(), fewer).unwrap())
    });
}

#[test]
fn early_starts() {
    // The search ignores the given start and begins with the first slot.
    broken("too early", |slots, request, _, _| {
        Amp::new().find(&WindowQuery::new(slots, request)).unwrap().best
    });
}

#[test]
fn late_starts() {
    let forgetful: Own<Solve> = Own(|query, meter| {
        let all = WindowQuery::new(query.slots, query.request).with_from(query.from);
        cheapest(&query.eligible.map_or(all, |eligible| all.with_eligible(eligible)), meter)
    });
    found(testkit::search(&forgetful).run(300), "too late");
}

#[test]
fn missed_windows() {
    // A budget that is met exactly counts as exceeded.
    broken("missed", |_, request, _, found| {
        found.filter(|window| request.budget.is_none_or(|budget| window.cost() < budget))
    });
    // Only the first slot is read.
    broken("missed", |slots, _, _, found| {
        found.filter(|w| slots.iter().next().map(|slot| slot.start) == Some(w.start()))
    });
}

#[test]
fn starts_that_are_not_monotone() {
    let later: Change = |slots, request, _, found| {
        let first = found?;
        let query = WindowQuery::new(slots, request).with_from(first.start() + Span::must(1.0));
        Amp::new().find(&query).unwrap().best.or(Some(first))
    };
    // In a list of many nodes, where not every window is tried, the fault shows in a batch.
    found(testkit::search(&changed(later, true)).run(300), "not earliest, resuming");
}

#[test]
fn not_the_best() {
    let first_fit = FirstFit::new();
    let check = testkit::search(&first_fit).with_completeness();
    found(check.with_value(|window, _| window.cost().get()).run(300), "not best");
}

#[test]
fn answers_that_differ() {
    // One answer in three is lost.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let change: Change = |_, _, _, found| found.filter(|_| CALLS.fetch_add(1, Ordering::Relaxed) % 3 != 2);
    found(testkit::search(&changed(change, false)).run(300), "unsteady");
}

#[test]
fn a_search_that_never_finds_a_window_does_not_pass() {
    let search = changed(|_, _, _, _| None, false);
    found(testkit::search(&search).run(50), "finds nothing");
    // Without cases, nothing has to be found.
    let seen = testkit::search(&search).run(0).unwrap();
    assert_eq!((seen.cases, seen.solved), (0, 0));
}

fn cheapest(query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
    Optimal::new(Objective::Cost).solve(query, meter)
}

#[test]
fn limits() {
    let broken = |kinds: &str, solve: Solve| {
        found(testkit::search(&Own(solve)).with_value(|window, _| window.cost().get()).run(300), kinds);
    };
    // With very little work the search returns the cheapest window, with more the earliest, and states no value.
    broken("worse with more, looser with more", |query, meter| {
        let few = (2..100).contains(&meter.work_left());
        let objective = if few { Objective::Start } else { Objective::Cost };
        let _ = meter.spend(10);
        let found = Optimal::new(objective).solve(query, &mut Limit::default().meter())?;
        let mut answer = Outcome::plain(found.best, found.work);
        answer.end = if few { End::Work } else { End::Done };
        Ok(answer)
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
        Optimal::new(objective).solve(query, meter)
    });
    broken("bound, looser with more", |query, meter| {
        let mut found = cheapest(query, meter)?;
        found.value = found.best.as_ref().map(|window| window.cost().get());
        found.bound = found.value.map(|value| value + 1.0);
        Ok(found)
    });
}

#[test]
fn a_search_that_ends_by_its_meter_before_it_holds_anything_passes() {
    let careful: Own<Solve> = Own(|query, meter| {
        meter.spend(query.slots.len() as u64)?;
        cheapest(query, meter)
    });
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
