//! The choice among candidates that conflict, by hand; [`conflicts`](crate::conflicts) tries every choice.

use joint_plan::conflict::{Account, Candidate, ConflictProblem, ResourceUse};
use sched_model::{End, Limit};

/// Costs in tenths: choices of the same cost differ by rounding, and very many of them are the best.
#[test]
fn a_gap_of_rounding_spares_the_search_among_equal_choices() {
    let on = |job: u32, number: u32| Candidate {
        objective: 0.1 * f64::from(1 + (job + number) % 3),
        weight: 0.0,
        uses: vec![ResourceUse {
            resource: number % 3,
            start: f64::from(number / 3 * 5),
            end: f64::from(number / 3 * 5 + 7),
        }],
    };
    let jobs: Vec<Vec<Candidate>> =
        (0..12).map(|job| (0..90).map(|number| on(job, number)).collect()).collect();
    let within = Limit::default().with_work(1_000_000).with_relative_gap(1e-9);
    let choice = ConflictProblem::new(jobs, f64::INFINITY).unwrap().solve(&mut within.meter());
    assert!(matches!(choice.end, End::Done | End::Gap), "{}", choice.end);
    assert!((choice.objective - 1.2).abs() < 1e-9, "{}", choice.objective);
}

#[test]
fn weights_that_cancel_are_added_as_they_are() {
    let of_weight = |weight| vec![Candidate { objective: 1.0, weight, uses: Vec::new() }];
    // Added in this order, doubles give 16; the exact sum is 9.
    let jobs = vec![of_weight(9.0), of_weight(1e17), of_weight(-1e17)];
    let choice = ConflictProblem::new(jobs, 9.0).unwrap().solve(&mut Limit::default().meter());
    assert_eq!((choice.placed(), choice.weight, choice.end), (3, 9.0, End::Done));
}

#[test]
fn accounts_that_do_not_fit_are_refused() {
    let jobs = || vec![vec![Candidate { objective: 1.0, weight: 1.0, uses: Vec::new() }]; 2];
    let with =
        |accounts: &[Account]| ConflictProblem::new(jobs(), 9.0).unwrap().with_accounts(accounts).map(|_| ());
    let account = |budget, costs| Account { budget, costs };
    assert_eq!(with(&[account(1.0, vec![(0, vec![1.0])]), account(1.0, vec![(1, vec![1.0])])]), Ok(()));
    assert!(with(&[account(f64::NAN, vec![])]).is_err());
    assert!(with(&[account(1.0, vec![(2, vec![1.0])])]).is_err());
    assert!(with(&[account(1.0, vec![(0, vec![])])]).is_err());
    assert!(with(&[account(1.0, vec![(0, vec![1.0])]), account(1.0, vec![(0, vec![1.0])])]).is_err());
    assert!(with(&[account(1.0, vec![(0, vec![-1.0])])]).is_err());
}

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
