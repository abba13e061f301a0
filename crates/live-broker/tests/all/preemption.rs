//! Preemption: by cases computed by hand, and against every set of victims.

use crate::common::{Driver, accept_displacing, at, plain, restored, starts, urgent as job};
use econsched::testkit::{Draw, demands, features, oracle};
use live_broker::*;
use sched_model::*;
use slot_window::SearchKind;
use std::cmp::Reverse;

fn preempted(acts: &[Act]) -> Option<(JobId, Vec<JobId>)> {
    acts.iter().find_map(|act| match act {
        Act::Preempt { job, victims, .. } => Some((*job, victims.clone())),
        _ => None,
    })
}

/// Jobs 1, 2 and 3 hold 1, 2 and 1 of four nodes from 0 to 100.
fn three_running(least_run: f64, delay: f64) -> Driver {
    let rule = Preemption { least_run: Span::must(least_run), delay: Span::must(delay) };
    let config = plain().with_preemption(rule);
    let mut driver = Driver::new(config, &[1.0; 4]);
    for (id, nodes, priority) in [(1, 1, 2.0), (2, 2, 2.0), (3, 1, 1.0)] {
        driver.tell(0.0, Input::from(job(id, nodes, 100.0, priority)));
    }
    driver.wake(0.0);
    driver
}

/// At 10, job 4 asks for `nodes` at once with priority `priority`.
fn four_nodes(least: f64, delay: f64, nodes: usize, priority: f64) -> (Driver, Option<(JobId, Vec<JobId>)>) {
    let mut driver = three_running(least, delay);
    driver.tell(10.0, Input::from(job(4, nodes, 20.0, priority)));
    let acts = driver.wake(10.0);
    (driver, preempted(&acts))
}

/// A quote names who would be stopped, as the cycle would stop them; accepted, it stops them.
#[test]
fn a_quote_says_who_would_be_displaced() {
    let quote = |delay: f64, nodes: usize, priority: f64| {
        let mut driver = three_running(5.0, delay);
        driver.tell(10.0, Input::from(job(9, 1, 1.0, 1.0)));
        let quotes = driver.0.quote(&job(4, nodes, 20.0, priority), 1, &Limit::default()).unwrap();
        (driver, quotes)
    };
    for nodes in 1..6 {
        let (_, quotes) = quote(0.0, nodes, 3.0);
        let victims = quotes.displacing.map(|_| quotes.victims);
        assert_eq!(victims, four_nodes(5.0, 0.0, nodes, 3.0).1.map(|(_, victims)| victims), "{nodes}");
        assert_eq!(quotes.windows.first().map(Window::start), (nodes < 5).then_some(at(100.0)));
    }
    assert_eq!(quote(0.0, 2, 2.0).1.displacing, None);
    assert_eq!(quote(90.0, 2, 3.0).1.displacing, None);
    // One that may not begin yet stops nobody.
    let later = job(4, 2, 20.0, 3.0).with_submit(at(11.0));
    assert_eq!(quote(0.0, 2, 3.0).0.0.quote(&later, 1, &Limit::default()).unwrap().displacing, None);
    let (mut driver, quotes) = quote(0.0, 2, 3.0);
    let (window, victims) = (quotes.displacing.unwrap(), quotes.victims);
    let accept = |priority: f64, victims: &[u64]| {
        let victims: Vec<JobId> = victims.iter().map(|&id| JobId(id)).collect();
        accept_displacing(job(4, 2, 20.0, priority), &window, quotes.version, &victims)
    };
    assert_eq!((window.start(), &victims), (at(10.0), &vec![JobId(2)]));
    // Of the same priority; nobody, another, one more than needed, one that waits, nobody known.
    for (priority, wrong) in
        [(2.0, &[2][..]), (3.0, &[]), (3.0, &[1]), (3.0, &[2, 3]), (3.0, &[9]), (3.0, &[77])]
    {
        let refused = driver.0.handle(at(10.0), accept(priority, wrong));
        assert!(matches!(refused, Err(BrokerError::Unfit { .. })), "{wrong:?}: {refused:?}");
    }
    driver.tell(10.0, accept(2f64.next_up(), &[2]));
    assert_eq!(preempted(&driver.wake(10.0)), Some((JobId(4), vec![JobId(2)])));
    driver.tell(12.0, Input::Evicted { job: JobId(2), done: Work::must(10.0) });
    assert_eq!(starts(&driver.wake(12.0)), [4]);
}

/// Plans reach 125 ahead, and job 1 runs to 120: where they reach further, at 25 and at 50, job 2 is looked at again,
/// long before job 1 may be stopped for it.
#[test]
fn who_cannot_be_stopped_yet_keeps_nobody_from_a_longer_horizon() {
    let rule = Preemption { least_run: Span::must(1e4), delay: Span::ZERO };
    for rule in [None, Some(rule)] {
        let mut config = Config::new(Span::must(100.0));
        config.preemption = rule;
        let mut driver = Driver::new(config, &[1.0]);
        driver.serve(0.0, &[(1, 120.0)]);
        driver.tell(0.0, Input::from(job(2, 1, 50.0, 5.0)));
        for now in [0.0, 25.0, 50.0] {
            assert_eq!(driver.0.standing(JobId(2)), Some(Standing::Waiting));
            driver.wake(now);
            assert!(
                now == 50.0 || driver.0.next_wakeup() == Some(at(now + 25.0)),
                "{:?}",
                driver.0.next_wakeup()
            );
        }
        assert_eq!(driver.0.job(JobId(2)).unwrap().window.map(Window::start), Some(at(120.0)), "{rule:?}");
    }
}

/// Without the rule no job is stopped, whatever the inputs say.
#[test]
fn nobody_is_stopped_without_the_rule() {
    let mut driver = Driver::new(plain(), &[1.0]);
    driver.serve(0.0, &[(1, 100.0)]);
    let urgent = job(2, 1, 20.0, 9.0);
    let quotes = driver.0.quote(&urgent, 1, &Limit::default()).unwrap();
    assert_eq!(quotes.displacing, None);
    let free = Slot::new(Node::must(1, 1.0, 1.0), at(0.0), at(100.0)).unwrap();
    let placement = Placement::on(&free, at(0.0), Span::must(20.0), &Tariff::default());
    let window = Window::new(at(0.0), vec![placement]).unwrap();
    let victims = vec![JobId(1)];
    // A window that was never quoted.
    let accept = accept_displacing(urgent.clone(), &window, quotes.version, &victims);
    assert!(matches!(driver.0.handle(at(0.0), accept), Err(BrokerError::Unfit { .. })));
    // A state of such a broker.
    let (other, _) = four_nodes(5.0, 0.0, 2, 3.0);
    let mut state = crate::common::state(&other.0);
    state["config"]["preemption"] = serde_json::Value::Null;
    assert!(restored(&state.to_string()).unwrap_err().contains("no job may be"));
}

/// Random clusters: who is stopped is of the smallest sets that will do the first, found by trying every set.
#[test]
fn no_smaller_set_of_victims_would_do_and_none_before_it() {
    let mut sizes = [0usize; 6];
    for seed in 0..1200 {
        let mut draw = Draw::new(seed, 0);
        let kind = draw.of([
            SearchKind::MinStart,
            SearchKind::MinStartRough,
            SearchKind::FirstFit,
            SearchKind::Amp,
            SearchKind::Alp,
        ]);
        let config = Config::new(Span::must(500.0)).with_search(kind);
        let mut driver = Driver::new(
            config.with_preemption(Preemption { least_run: Span::must(2.0), delay: Span::ZERO }),
            &[],
        );
        for id in 0..3 + draw.below(5) as u32 {
            let node = Node::must(id, draw.of([1.0, 1.0, 2.0, 0.5]), draw.of([1.0, 2.0, 0.3]));
            let features = features(&mut draw);
            driver.tell(0.0, Input::NodeAdded { node, features });
        }
        for id in 1..2 + draw.below(5) as u64 {
            let priority = draw.of([1.0, 1.0, 2.0, 5.0]);
            let submit = at(if draw.chance(30) { 15.0 } else { 0.0 });
            let job = job(id, 1 + draw.below(3), draw.of([20.0, 50.0]), priority).with_submit(submit);
            driver.tell(0.0, Input::from(job));
        }
        driver.wake(0.0);
        let now = draw.of([1.0, 2.0, 4.0]);
        if draw.chance(30) {
            driver.wake(now);
        }
        let mut urgent = job(99, 1 + draw.below(5), 10.0, 3.0);
        let mut request = urgent.request;
        if draw.chance(30) {
            request = request.with_budget(Money::must(draw.of([10.0, 25.0, 40.0])));
        }
        if draw.chance(30) {
            request = request.with_min_speed(Speed::must(1.0));
        }
        if draw.chance(30) {
            request = request.with_deadline(at(now + draw.of([5.0, 10.0, 20.0])));
        }
        if draw.chance(20) {
            request = request.with_price_limit(Price::must(draw.of([1.0, 2f64.next_down(), 2.0])));
        }
        if draw.chance(15) {
            request = request.with_demands(demands(&mut draw, 0, 0, 1.0));
        }
        urgent.request = request;
        driver.tell(now, Input::from(urgent.clone()));
        let before = driver.0.clone();
        let found = preempted(&driver.wake(now)).map_or(Vec::new(), |(_, victims)| victims);
        // Whether the job could start now if these were gone.
        let would_do = |victims: &[JobId]| {
            let mut broker = before.clone();
            for &victim in victims {
                broker.handle(at(now), Input::Evicted { job: victim, done: Work::must(0.1) }).unwrap();
            }
            let rules = broker.config().search.build().rules();
            let free = broker.free();
            let now_free = free.iter().filter(|slot| slot.start == at(now)).copied().collect();
            let now_free = free.with_slots(now_free).unwrap();
            !oracle::windows(&now_free, &urgent.request, at(now), rules).is_empty()
        };
        let running = before.jobs().filter(|view| view.standing == Standing::Running);
        let lower = running.filter(|view| view.job.priority < urgent.priority);
        let mut lower: Vec<JobView<'_>> =
            lower.filter(|view| view.window.unwrap().start() <= at(now - 2.0)).collect();
        lower.sort_by_key(|view| (view.job.priority, Reverse(view.window.unwrap().start()), view.job.id));
        // By size, then by who comes first in that order.
        let some = |set: u32| (0..lower.len()).filter(move |bit| set >> bit & 1 == 1).collect::<Vec<_>>();
        let mut sets: Vec<Vec<usize>> = (0u32..1 << lower.len()).map(some).collect();
        sets.sort_by_key(|set| (set.len(), set.clone()));
        let jobs = |set: Vec<usize>| set.into_iter().map(|at| lower[at].job.id).collect::<Vec<_>>();
        let mut best = sets.into_iter().map(jobs).find(|set| would_do(set)).unwrap_or_default();
        best.sort_unstable();
        assert_eq!(found, best, "seed {seed}");
        sizes[best.len()] += 1;
    }
    assert!(sizes[0] > 50 && sizes[1] > 50 && sizes[2] > 10, "{sizes:?}");
}
