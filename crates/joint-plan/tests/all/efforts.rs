//! A greater effort never ends with a worse plan than the quick one.

use crate::drawn::{Draw, Instance, goal, instance, planned};
use joint_plan::{Effort, JointPlan};
use sched_model::*;

/// Jobs that want more node-time than there is: each cycle leaves some of them out, depending on search and order.
fn crowded(seed: u64) -> Instance {
    let mut draw = Draw(seed.wrapping_mul(6_700_417) ^ 0xc0de);
    draw.whole(0, 1);
    let mut slots = Vec::new();
    for id in 0..draw.whole(3, 7) {
        let (speed, price) = (draw.whole(1, 3) as f64, draw.whole(1, 30) as f64 / 10.0);
        let node = Node::must(id as u32, speed, price);
        let mut start = draw.whole(0, 4) as f64;
        for _ in 0..draw.whole(1, 2) {
            let end = start + draw.whole(4, 14) as f64;
            slots.push(Slot::new(node, Time::must(start), Time::must(end)).unwrap());
            start = end + draw.whole(1, 5) as f64;
        }
    }
    slots.sort_by_key(|slot| (slot.start(), slot.node()));
    let jobs = (0..draw.whole(5, 12)).map(|id| {
        let work = Work::must(draw.whole(3, 18) as f64);
        let request = ResourceRequest::new(draw.whole(1, 3) as usize, work).unwrap();
        let limit = Price::must(draw.whole(5, 40) as f64 / 10.0);
        Job::new(JobId(id), request.with_price_limit(limit)).with_submit(Time::must(draw.whole(0, 3) as f64))
    });
    let batch = Batch::new(jobs.collect()).unwrap();
    let limit = if draw.whole(0, 2) == 0 { f64::INFINITY } else { draw.whole(20, 160) as f64 / 2.0 };
    let goal = goal(&mut draw, limit);
    Instance { slots: SlotList::new(slots).unwrap(), batch, goal }
}

/// A limit that reaches all parts of the search.
fn usual() -> Limit {
    Limit::default().with_work(300_000).with_relative_gap(1e-3)
}

/// A measure of a plan; less is better.
fn measure(plan: &JointPlan, makespan_first: bool) -> (std::cmp::Reverse<usize>, Option<Time>, f64) {
    let makespan = plan.schedule.makespan().filter(|_| makespan_first);
    (std::cmp::Reverse(plan.schedule.placed().count()), makespan, plan.objective)
}

/// Checks the plans of the other efforts against the quick one, under one limit. Returns how many are better.
fn never_worse(instance: &Instance, limit: &Limit, makespan_first: bool, what: &str) -> usize {
    let problem = instance.problem();
    let problem = if makespan_first { problem.with_makespan_first() } else { problem };
    let plan = |effort| measure(&planned(&problem, effort, limit), makespan_first);
    let quick = plan(Effort::Quick);
    let others = [Effort::Normal, Effort::Hard].map(plan);
    for other in &others {
        assert!(*other <= quick, "{what}: {other:?} after {quick:?} of quick");
    }
    others.iter().filter(|other| **other < quick).count()
}

#[test]
fn more_effort_never_ends_with_a_worse_plan_than_the_quick_one() {
    let mut better = 0;
    for seed in 0..45 {
        let instance = if seed % 3 == 0 { instance(seed) } else { crowded(seed) };
        let what = format!("seed {seed}, {:?}", instance.goal);
        better += never_worse(&instance, &usual(), false, &what);
        // The same if a limit of work ends the search at any stage, and if a plan far from its bound is accepted.
        let limits = [0, 200, 2_000, 20_000].map(|work| Limit::default().with_work(work));
        for limit in limits.into_iter().chain([0.02, 0.5].map(|gap| usual().with_relative_gap(gap))) {
            never_worse(&instance, &limit, false, &format!("{what}, {limit:?}"));
        }
    }
    assert!(better > 15, "{better}");
}

#[test]
fn more_effort_never_ends_later_where_the_makespan_comes_first() {
    let mut better = 0;
    for seed in 0..24 {
        let instance = if seed % 3 == 0 { instance(seed) } else { crowded(seed) };
        let what = format!("seed {seed}, {:?}", instance.goal);
        better += never_worse(&instance, &usual(), true, &what);
        for work in [200, 2_000, 20_000] {
            let limit = Limit::default().with_work(work);
            never_worse(&instance, &limit, true, &format!("{what}, work {work}"));
        }
    }
    assert!(better > 4, "{better}");
}
