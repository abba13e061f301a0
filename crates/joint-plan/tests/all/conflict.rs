//! The choice among candidates that conflict: against every choice, whole, stopped and within a gap; by hand.

use joint_plan::conflict::{Account, Candidate, ConflictProblem, ResourceUse, StartPrices};
use proptest::prelude::*;
use sched_model::{End, Limit};

/// Every choice there is: the most jobs, then the least objective, in sixteenths, so that sums are exact. What the
/// jobs of each account weigh together is at most its budget.
fn enumerate(jobs: &[Vec<Candidate>], limit: f64, account_of: &[usize], budgets: &[f64]) -> (usize, f64) {
    let overlap = |a: &Candidate, b: &Candidate| {
        let pairs = a.uses.iter().flat_map(|x| b.uses.iter().map(move |y| (x, y)));
        pairs.into_iter().any(|(x, y)| x.resource == y.resource && x.start < y.end && y.start < x.end)
    };
    let mut choices: Vec<Vec<(usize, &Candidate)>> = vec![Vec::new()];
    for (job, candidates) in jobs.iter().enumerate() {
        let mut more = Vec::new();
        for chosen in &choices {
            let apart = |one: &&Candidate| chosen.iter().all(|(_, other)| !overlap(other, one));
            more.extend(candidates.iter().filter(apart).map(|one| [&chosen[..], &[(job, one)]].concat()));
        }
        choices.extend(more);
    }
    let mut best = (0, 0.0);
    for chosen in choices {
        let weight = |of: &dyn Fn(usize) -> bool| -> f64 {
            chosen.iter().filter(|(job, _)| of(*job)).map(|(_, candidate)| candidate.weight).sum()
        };
        let kept = (0..).zip(budgets).all(|(at, &budget)| weight(&|job| account_of[job] == at) <= budget);
        let objective: f64 = chosen.iter().map(|(_, candidate)| candidate.objective).sum();
        let better = chosen.len() > best.0 || chosen.len() == best.0 && objective < best.1;
        if kept && weight(&|_| true) <= limit && better {
            best = (chosen.len(), objective);
        }
    }
    best
}

fn candidate() -> impl Strategy<Value = Candidate> {
    let held = (0_u32..4, 0_u32..12, 1_u32..6);
    let held = held.prop_map(|(resource, start, span)| ResourceUse {
        resource,
        start: f64::from(start),
        end: f64::from(start + span),
    });
    (0_i32..80, 0_i32..80, prop::collection::vec(held, 0..3)).prop_map(|(objective, weight, uses)| {
        Candidate { objective: f64::from(objective - 20) / 16.0, weight: f64::from(weight) / 16.0, uses }
    })
}

fn sixteenths(most: u32) -> impl Strategy<Value = f64> {
    prop_oneof![Just(f64::INFINITY), (0..most).prop_map(|limit| f64::from(limit) / 16.0)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_choice_is_the_best_of_all(
        jobs in prop::collection::vec(prop::collection::vec(candidate(), 0..6), 0..6),
        limit in sixteenths(300),
        account_of in prop::collection::vec(0_usize..3, 6),
        budgets in prop::collection::vec(sixteenths(150), 0..3),
        multipliers in prop::collection::vec(0.0..2.0, 0..3),
        work in 0_u64..400,
        (absolute, relative) in (0.0..2.0, 0.0..0.5),
    ) {
        let (placed, least) = enumerate(&jobs, limit, &account_of, &budgets);
        let costs = |account: usize| {
            let own = jobs.iter().enumerate().filter(|(job, _)| account_of[*job] == account);
            own.map(|(job, list)| (job, list.iter().map(|candidate| candidate.weight).collect())).collect()
        };
        let accounts = budgets.iter().enumerate().map(|(at, &budget)| Account { budget, costs: costs(at) });
        let problem = ConflictProblem::new(jobs.clone(), limit).unwrap();
        let problem = problem.with_accounts(&accounts.collect::<Vec<_>>()).unwrap();
        let start = StartPrices { accounts: multipliers, prices: vec![(1, f64::NAN, -4.0)], multiplier: work as f64 };
        let problem = problem.with_start_prices(start);
        let solve = |limit: Limit| problem.solve(&mut limit.meter());

        let whole = solve(Limit::default());
        prop_assert_eq!((whole.end, whole.placed(), whole.objective), (End::Done, placed, least));
        prop_assert!(whole.weight <= limit && whole.most_jobs);
        prop_assert_eq!(whole.bound, Some(whole.objective));

        let stopped = solve(Limit::default().with_work(work));
        prop_assert!(stopped.weight <= limit && stopped.work <= work && stopped.placed() <= placed);
        prop_assert!(!stopped.most_jobs || stopped.placed() == placed);
        prop_assert!(stopped.placed() < placed || stopped.bound.is_none_or(|bound| bound <= least));
        for (account, &budget) in budgets.iter().enumerate() {
            let chosen = jobs.iter().zip(&stopped.picks).zip(&account_of).filter(|job| *job.1 == account);
            let spent: f64 = chosen.filter_map(|((list, pick), _)| Some(list[(*pick)?].weight)).sum();
            prop_assert!(spent <= budget);
        }

        let near = solve(Limit::default().with_absolute_gap(absolute).with_relative_gap(relative));
        let bound = near.bound.unwrap();
        prop_assert!(near.most_jobs && near.placed() == placed && bound <= least && least <= near.objective);
        // The bound is a difference, which rounds.
        let gap = absolute.max(relative * near.objective.abs());
        prop_assert!(near.objective - bound <= gap + 1e-12);
        prop_assert!(matches!(near.end, End::Gap | End::Done));
    }
}

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
