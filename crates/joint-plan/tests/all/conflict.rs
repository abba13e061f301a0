//! The choice among windows that conflict keeps to its limit.

use joint_plan::conflict::{Candidate, ConflictProblem, ResourceUse};
use sched_model::{End, Limit};

/// 12 jobs with 12 windows each on few nodes, so that most of different jobs conflict. Objective and weight
/// add up to 200 but for some noise: choices take long to tell apart.
fn conflicting() -> ConflictProblem {
    let mut state: u64 = 7;
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut candidate = |at: usize| {
        let weight = 50.0 + 100.0 * number();
        let start = (at * 7 % 40) as f64;
        let uses = vec![ResourceUse { resource: (at % 6) as u32, start, end: start + weight / 10.0 }];
        Candidate { objective: 200.0 - weight + number(), weight, uses }
    };
    let jobs = (0..12).map(|job| (0..12).map(|at| candidate(at + 11 * job)).collect());
    ConflictProblem::new(jobs.collect(), f64::INFINITY).unwrap()
}

/// Wherever the limit falls: what is counted is within it, one that stops the search is told, and the choice
/// is no worse than that under a lower limit.
#[test]
fn a_choice_keeps_to_its_limit() {
    let problem = conflicting();
    let most = 300_000;
    let work = problem.solve(&mut Limit::default().with_work(most).meter()).work;
    assert!(work > 0 && work <= most);
    let mut best = (0, f64::INFINITY);
    for part in [0, 1, 100, work / 9, work / 3, work / 2, work - work / 20, work - 1, work] {
        let limit = Limit::default().with_work(part);
        let mut meter = limit.meter();
        let choice = problem.solve(&mut meter);
        assert!(choice.work <= part && meter.work() <= part, "{} of {part}", choice.work);
        assert!(part == work || choice.end != End::Done, "{part} of {work}");
        let now = (choice.placed(), choice.objective);
        assert!(
            now.0 > best.0 || now.0 == best.0 && now.1 <= best.1,
            "{now:?} after {part}, before {best:?}"
        );
        best = now;
    }
}
