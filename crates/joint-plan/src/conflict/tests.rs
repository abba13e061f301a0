use super::*;
use proptest::prelude::*;
use sched_model::Limit;

/// Every choice there is: the most jobs, then the least objective, in sixteenths, so that sums are exact.
fn enumerate(jobs: &[Vec<Candidate>], limit: f64) -> (usize, f64) {
    fn overlap(a: &Candidate, b: &Candidate) -> bool {
        a.uses
            .iter()
            .any(|x| b.uses.iter().any(|y| x.resource == y.resource && x.start < y.end && y.start < x.end))
    }
    fn go(jobs: &[Vec<Candidate>], limit: f64, chosen: &mut Vec<Candidate>, best: &mut (usize, f64)) {
        let Some((first, rest)) = jobs.split_first() else {
            let weight: f64 = chosen.iter().map(|c| c.weight).sum();
            let objective: f64 = chosen.iter().map(|c| c.objective).sum();
            let better = chosen.len() > best.0 || chosen.len() == best.0 && objective < best.1;
            if weight <= limit && better {
                *best = (chosen.len(), objective);
            }
            return;
        };
        go(rest, limit, chosen, best);
        for candidate in first {
            if chosen.iter().all(|other| !overlap(other, candidate)) {
                chosen.push(candidate.clone());
                go(rest, limit, chosen, best);
                chosen.pop();
            }
        }
    }
    let mut best = (0, 0.0);
    go(jobs, limit, &mut Vec::new(), &mut best);
    best
}

/// The same where what each account's jobs cost together is at most its budget. The cost of a candidate is
/// its weight.
fn enumerate_with_accounts(
    jobs: &[Vec<Candidate>],
    limit: f64,
    account_of: &[usize],
    budgets: &[f64],
) -> (usize, f64) {
    let mut best = (0, 0.0);
    let mut picks = vec![0; jobs.len()];
    // Pick 0 leaves the job out.
    'choices: loop {
        let chosen: Vec<(usize, &Candidate)> = (picks.iter().enumerate())
            .filter_map(|(job, &pick): (usize, &usize)| Some((job, &jobs[job][pick.checked_sub(1)?])))
            .collect();
        let overlap = |a: &Candidate, b: &Candidate| {
            let pairs = a.uses.iter().flat_map(|x| b.uses.iter().map(move |y| (x, y)));
            pairs.into_iter().any(|(x, y)| x.resource == y.resource && x.start < y.end && y.start < x.end)
        };
        let free = chosen.iter().all(|(at, a)| chosen.iter().all(|(other, b)| at == other || !overlap(a, b)));
        let spent = |account: usize| -> f64 {
            chosen.iter().filter(|(job, _)| account_of[*job] == account).map(|(_, c)| c.weight).sum()
        };
        let weight: f64 = chosen.iter().map(|(_, c)| c.weight).sum();
        let objective: f64 = chosen.iter().map(|(_, c)| c.objective).sum();
        let kept = budgets.iter().enumerate().all(|(account, &budget)| spent(account) <= budget);
        let better = chosen.len() > best.0 || chosen.len() == best.0 && objective < best.1;
        if free && kept && weight <= limit && better {
            best = (chosen.len(), objective);
        }
        for (pick, list) in picks.iter_mut().zip(jobs) {
            *pick += 1;
            if *pick <= list.len() {
                continue 'choices;
            }
            *pick = 0;
        }
        return best;
    }
}

fn candidate() -> impl Strategy<Value = Candidate> {
    let held = (0_u32..4, 0_u32..12, 1_u32..6);
    (0_i32..80, 0_i32..80, proptest::collection::vec(held, 0..3)).prop_map(|(objective, weight, uses)| {
        let uses = uses.into_iter().map(|(resource, start, span)| ResourceUse {
            resource,
            start: f64::from(start),
            end: f64::from(start + span),
        });
        Candidate {
            objective: f64::from(objective - 20) / 16.0,
            weight: f64::from(weight) / 16.0,
            uses: uses.collect(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]
    #[test]
    fn the_choice_is_the_best_of_all(
        jobs in proptest::collection::vec(proptest::collection::vec(candidate(), 0..6), 0..6),
        limit in prop_oneof![Just(f64::INFINITY), (0_u32..300).prop_map(|limit| f64::from(limit) / 16.0)],
    ) {
        let best = enumerate(&jobs, limit);
        let choice = ConflictProblem::new(jobs, limit).unwrap().solve(&mut Limit::default().meter());
        prop_assert_eq!(choice.end, End::Done);
        prop_assert_eq!((choice.placed(), choice.objective), best);
        prop_assert!(choice.weight <= limit);
        prop_assert!(choice.most_jobs);
        prop_assert_eq!(choice.bound, Some(choice.objective));
    }

    #[test]
    fn accounts_are_kept_and_the_choice_is_the_best_of_all(
        jobs in proptest::collection::vec(proptest::collection::vec(candidate(), 0..5), 0..6),
        limit in prop_oneof![Just(f64::INFINITY), (0_u32..300).prop_map(|limit| f64::from(limit) / 16.0)],
        account_of in proptest::collection::vec(0_usize..3, 6),
        budgets in proptest::collection::vec(
            prop_oneof![Just(f64::INFINITY), (0_u32..150).prop_map(|budget| f64::from(budget) / 16.0)], 2),
        multipliers in proptest::collection::vec(0.0..2.0, 0..3),
        work in 0_u64..400,
    ) {
        let best = enumerate_with_accounts(&jobs, limit, &account_of, &budgets);
        let costs = |account: usize| {
            let own = jobs.iter().enumerate().filter(|(job, _)| account_of[*job] == account);
            own.map(|(job, list)| (job, list.iter().map(|candidate| candidate.weight).collect())).collect()
        };
        let accounts: Vec<Account> =
            budgets.iter().enumerate().map(|(at, &budget)| Account { budget, costs: costs(at) }).collect();
        let problem = ConflictProblem::new(jobs.clone(), limit).unwrap().with_accounts(&accounts).unwrap();
        let problem = problem.with_start_prices(StartPrices { accounts: multipliers, ..StartPrices::default() });
        let choice = problem.solve(&mut Limit::default().meter());
        prop_assert_eq!(choice.end, End::Done);
        prop_assert_eq!((choice.placed(), choice.objective), best);
        prop_assert_eq!(choice.bound, Some(choice.objective));
        let stopped = problem.solve(&mut Limit::default().with_work(work).meter());
        for (account, &budget) in budgets.iter().enumerate() {
            let chosen = jobs.iter().zip(&stopped.picks).zip(&account_of).filter(|job| *job.1 == account);
            let spent: f64 = chosen.filter_map(|((list, pick), _)| Some(list[(*pick)?].weight)).sum();
            prop_assert!(spent <= budget);
        }
        if let (Some(bound), true) = (stopped.bound, stopped.placed() == best.0) {
            prop_assert!(bound <= best.1, "{} > {}", bound, best.1);
        }
    }

    #[test]
    fn what_is_stopped_is_feasible_and_its_bound_holds(
        jobs in proptest::collection::vec(proptest::collection::vec(candidate(), 1..6), 1..6),
        limit in (0_u32..300).prop_map(|limit| f64::from(limit) / 16.0),
        work in 0_u64..400,
    ) {
        let problem = ConflictProblem::new(jobs, limit).unwrap();
        let best = problem.solve(&mut Limit::default().meter());
        let choice = problem.solve(&mut Limit::default().with_work(work).meter());
        prop_assert!(choice.weight <= limit);
        prop_assert!(choice.work <= work);
        prop_assert!(choice.placed() <= best.placed());
        if choice.most_jobs {
            prop_assert_eq!(choice.placed(), best.placed());
        }
        if let (Some(bound), true) = (choice.bound, choice.placed() == best.placed()) {
            prop_assert!(bound <= best.objective, "{} > {}", bound, best.objective);
        }
    }
}

proptest! {
    #[test]
    fn within_a_gap_the_choice_is_near_and_its_bound_holds(
        jobs in proptest::collection::vec(proptest::collection::vec(candidate(), 1..7), 1..7),
        limit in prop_oneof![Just(f64::INFINITY), (0_u32..300).prop_map(|limit| f64::from(limit) / 16.0)],
        absolute in 0.0..2.0,
        relative in 0.0..0.5,
    ) {
        let (placed, least) = enumerate(&jobs, limit);
        let within = Limit::default().with_absolute_gap(absolute).with_relative_gap(relative);
        let choice = ConflictProblem::new(jobs, limit).unwrap().solve(&mut within.meter());
        prop_assert!(choice.most_jobs);
        prop_assert_eq!(choice.placed(), placed);
        let bound = choice.bound.unwrap();
        prop_assert!(bound <= least && least <= choice.objective);
        // The bound is a difference, which rounds.
        let gap = absolute.max(relative * choice.objective.abs());
        prop_assert!(choice.objective - bound <= gap + 1e-12);
        prop_assert_eq!(choice.end, if gap > 0.0 { End::Gap } else { End::Done });
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
fn start_prices_change_nothing_but_the_work() {
    let on = |resource, start, objective| Candidate {
        objective,
        weight: 1.0,
        uses: vec![ResourceUse { resource, start, end: start + 5.0 }],
    };
    let jobs: Vec<Vec<Candidate>> = (0..6)
        .map(|job| (0..8).map(|k| on(k % 3, f64::from(k / 3 * 3), f64::from(job * k % 7))).collect())
        .collect();
    let plain = ConflictProblem::new(jobs.clone(), 6.0).unwrap().solve(&mut Limit::default().meter());
    let prices = vec![(0, 5.0, 3.0), (9, 1.0, 1.0), (1, f64::NAN, -4.0)];
    let start = StartPrices { multiplier: 2.0, accounts: vec![1.0], prices };
    let primed = ConflictProblem::new(jobs, 6.0)
        .unwrap()
        .with_start_prices(start)
        .solve(&mut Limit::default().meter());
    assert_eq!((plain.placed(), plain.objective), (primed.placed(), primed.objective));
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
