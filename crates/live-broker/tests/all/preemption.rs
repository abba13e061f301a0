//! Preemptions compared with all sets of victims; cases computed by hand are among the [stories](crate::stories).

use crate::common::{at, crowded};
use econsched::testkit::{Draw, demands, oracle, request};
use live_broker::*;
use sched_model::*;
use slot_window::SearchKind;
use std::cmp::Reverse;

/// Random clusters: who is stopped is of the smallest sets that will do the first, found by trying every set.
#[test]
fn no_smaller_set_of_victims_would_do_and_none_before_it() {
    let mut sizes = [0usize; 6];
    for seed in 0..3000 {
        let mut draw = Draw::new(seed, 0);
        let kind = draw.of([
            SearchKind::MinStart,
            SearchKind::MinStartRough,
            SearchKind::FirstFit,
            SearchKind::Amp,
            SearchKind::Alp,
        ]);
        let config = Config::new(Span::must(500.0)).with_search(kind);
        let config = config.with_preemption(Preemption { least_run: Span::must(2.0), delay: Span::ZERO });
        let (mut driver, nodes) = crowded(config, &mut draw);
        let now = draw.of([1.0, 2.0, 4.0]);
        if draw.chance(30) {
            driver.wake(now);
        }
        let count = draw.between(1, 5);
        let mut asked = request(&mut draw, &nodes, count, false);
        if draw.chance(15) {
            asked = asked.with_demands(demands(&mut draw, 0, 0, 1.0));
        }
        let urgent = Job::new(JobId(99), asked).with_priority(Priority::must(3.0));
        driver.tell(now, Input::from(urgent.clone()));
        let before = driver.0.clone();
        let found = driver.wake(now).into_iter().find_map(|act| match act {
            Act::Preempt { victims, .. } => Some(victims),
            _ => None,
        });
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
        assert_eq!(found.unwrap_or_default(), best, "seed {seed}");
        sizes[best.len()] += 1;
    }
    assert!(sizes[0] > 50 && sizes[1] > 50 && sizes[2] > 10, "{sizes:?}");
}
