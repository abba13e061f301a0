//! Searches that are broken on purpose.

use super::fault;
use econsched::prelude::*;
use econsched::sched_model::{Meter, Outcome};
use econsched::slot_window::{FirstFit, Objective, Optimal, WindowError};
use econsched::testkit::{Cases, SearchCheck, SearchFault};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is done to the answer of AMP.
type Change = fn(&SlotList, &ResourceRequest, Time, Option<Window>) -> Option<Window>;

#[derive(Debug)]
struct Changed {
    change: Change,
    monotone: bool,
}

impl WindowSearch for Changed {
    fn name(&self) -> &str {
        "changed"
    }
    fn rules(&self) -> Rules {
        Amp::new().rules()
    }
    fn find_within(
        &self,
        query: &WindowQuery<'_>,
        meter: &mut Meter<'_>,
        scratch: &mut SearchScratch,
    ) -> Result<Outcome<Window>, WindowError> {
        let WindowQuery { slots, request, from, .. } = *query;
        let found = Amp::new().find_within(query, meter, scratch)?;
        Ok(Outcome::plain((self.change)(slots, request, from, found.incumbent), found.work))
    }
    fn starts_are_monotone(&self) -> bool {
        self.monotone
    }
}

fn broken(change: Change) -> SearchFault {
    fault(SearchCheck::new(&Changed { change, monotone: false }).with_completeness().run(&Cases::new(300)))
}

fn again(window: &Window, change: impl Fn(&mut Placement)) -> Window {
    let mut placements = window.placements().to_vec();
    placements.iter_mut().for_each(change);
    Window::new(window.start(), placements).unwrap()
}

#[test]
fn wrong_windows() {
    let short = broken(|_, _, _, found| {
        found.map(|window| again(&window, |placement| placement.end = placement.end + Span::must(1.0)))
    });
    assert!(matches!(short, SearchFault::Violations(_)), "{short}");
    // Price x span, whatever the tariff.
    let cheap = broken(|slots, _, _, found| {
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
    assert!(matches!(cheap, SearchFault::Violations(_)), "{cheap}");
    let one_node_less = broken(|_, request, _, found| {
        let window = found?;
        let fewer = window.placements()[..request.nodes().max(2) - 1].to_vec();
        Some(Window::new(window.start(), fewer).unwrap())
    });
    assert!(matches!(one_node_less, SearchFault::Violations(_)), "{one_node_less}");
}

#[test]
fn early_starts() {
    // Searches from the beginning, whenever it is asked to start.
    let early = broken(|slots, request, _, _| {
        Amp::new().find(slots, request, Time::ZERO, &mut SearchScratch::new()).unwrap()
    });
    assert!(matches!(early, SearchFault::TooEarly { .. }), "{early}");
}

#[test]
fn missed_windows() {
    // Takes a budget that is met exactly for one that is exceeded.
    let missed = broken(|_, request, _, found| {
        found.filter(|window| request.budget().is_none_or(|budget| window.cost() < budget))
    });
    assert!(matches!(missed, SearchFault::Missed(_)), "{missed}");
    // Only the first slot is read.
    let missed = broken(|slots, _, _, found| {
        found.filter(|w| slots.iter().next().map(Slot::start) == Some(w.start()))
    });
    assert!(matches!(missed, SearchFault::Missed(_)), "{missed}");
}

#[test]
fn starts_that_are_not_monotone() {
    let later: Change = |slots, request, from, found| {
        let first = found?;
        let then =
            Amp::new().find(slots, request, first.start() + Span::must(1.0), &mut SearchScratch::new());
        let _ = from;
        then.unwrap().or(Some(first))
    };
    let found = fault(SearchCheck::new(&Changed { change: later, monotone: true }).run(&Cases::new(300)));
    assert!(matches!(found, SearchFault::NotEarliest { .. }), "{found}");
}

#[test]
fn not_the_best() {
    let first_fit = FirstFit::new();
    let check = SearchCheck::new(&first_fit).with_completeness();
    let found = fault(check.with_value(&|window, _| window.cost().get()).run(&Cases::new(300)));
    assert!(matches!(found, SearchFault::NotBest { .. }), "{found}");
    let soonest = Optimal::new(Objective::Start);
    let found = fault(
        SearchCheck::new(&soonest).with_value(&|window, _| window.finish().get()).run(&Cases::new(300)),
    );
    assert!(matches!(found, SearchFault::NotBest { .. }), "{found}");
}

#[test]
fn memory_and_panics() {
    // Every third answer is none.
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let change: Change = |_, _, _, found| found.filter(|_| CALLS.fetch_add(1, Ordering::Relaxed) % 3 != 2);
    let found = fault(SearchCheck::new(&Changed { change, monotone: false }).run(&Cases::new(300)));
    assert!(matches!(found, SearchFault::Unsteady { .. }), "{found}");
    let panics = broken(|_, request, _, found| {
        assert!(request.deadline().is_none(), "no deadlines, please");
        found
    });
    assert!(matches!(&panics, SearchFault::Panic(text) if text.contains("no deadlines")), "{panics}");
}

#[test]
fn a_search_that_never_finds_a_window_does_not_pass() {
    let search = Changed { change: |_, _, _, _| None, monotone: false };
    let found = fault(SearchCheck::new(&search).run(&Cases::new(50)));
    assert!(matches!(found, SearchFault::FindsNothing(_)), "{found}");
    // Where there is none, there is nothing to be found.
    let found = SearchCheck::new(&search).run(&Cases::new(0)).unwrap();
    assert_eq!((found.cases, found.found), (0, 0));
}
