use super::*;
use proptest::prelude::*;
use sched_model::Limit;

/// Every choice there is: the most jobs, then the least objective, in sixteenths, so that sums are exact.
fn enumerate(jobs: &[Vec<Candidate>], limit: f64) -> (usize, f64) {
    fn overlap(a: &Candidate, b: &Candidate) -> bool {
        a.claims
            .iter()
            .any(|x| b.claims.iter().any(|y| x.resource == y.resource && x.start < y.end && y.start < x.end))
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

fn candidate() -> impl Strategy<Value = Candidate> {
    let claim = (0_u32..4, 0_u32..12, 1_u32..6);
    (0_i32..80, 0_i32..80, proptest::collection::vec(claim, 0..3)).prop_map(|(objective, weight, claims)| {
        let claims = claims.into_iter().map(|(resource, start, span)| Claim {
            resource,
            start: f64::from(start),
            end: f64::from(start + span),
        });
        Candidate {
            objective: f64::from(objective - 20) / 16.0,
            weight: f64::from(weight) / 16.0,
            claims: claims.collect(),
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

#[test]
fn start_prices_change_nothing_but_the_work() {
    let on = |resource, start, objective| Candidate {
        objective,
        weight: 1.0,
        claims: vec![Claim { resource, start, end: start + 5.0 }],
    };
    let jobs: Vec<Vec<Candidate>> = (0..6)
        .map(|job| (0..8).map(|k| on(k % 3, f64::from(k / 3 * 3), f64::from(job * k % 7))).collect())
        .collect();
    let plain = ConflictProblem::new(jobs.clone(), 6.0).unwrap().solve(&mut Limit::default().meter());
    let start =
        StartPrices { multiplier: 2.0, prices: vec![(0, 5.0, 3.0), (9, 1.0, 1.0), (1, f64::NAN, -4.0)] };
    let primed = ConflictProblem::new(jobs, 6.0)
        .unwrap()
        .with_start_prices(start)
        .solve(&mut Limit::default().meter());
    assert_eq!((plain.placed(), plain.objective), (primed.placed(), primed.objective));
}

#[test]
fn weights_that_cancel_are_added_as_they_are() {
    let of_weight = |weight| vec![Candidate { objective: 1.0, weight, claims: Vec::new() }];
    // Added in this order, doubles give 16; the exact sum is 9.
    let jobs = vec![of_weight(9.0), of_weight(1e17), of_weight(-1e17)];
    let choice = ConflictProblem::new(jobs, 9.0).unwrap().solve(&mut Limit::default().meter());
    assert_eq!((choice.placed(), choice.weight, choice.end), (3, 9.0, End::Done));
}
