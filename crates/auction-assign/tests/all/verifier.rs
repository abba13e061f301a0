//! The verifier: answers that it must refuse, and the gaps that it must find.

use auction_assign::{
    Assignment, AssignmentProblem, Costs, Coverage, Duals, Flaw, Remainders, Sense, assign, verify,
};
use econsched::testkit::{AssignCase, Draw, StoredCosts};
use sched_model::internal::exact_sum;

#[test]
fn a_waiting_profit_that_is_not_the_problems_is_refused() {
    // Without one, nothing is proven of jobs left out: of two jobs for one place job 1, the cheaper one.
    let costs = Costs::dense(2, 1, &[1.0, 0.0]).unwrap();
    let problem = AssignmentProblem::new(costs).with_coverage(Coverage::MostJobs);
    let duals = Duals { profits: vec![-1.0, 0.0], prices: vec![0.0], waiting: None, remainders: None };
    let wrong = Assignment { resources: vec![Some(0), None], total: 1.0, duals: Some(duals) };
    assert_eq!(verify(&problem, &wrong), Err(Flaw::Waiting { waiting: None }));
    let costs = Costs::dense(2, 2, &[1.0, 0.0, 0.0, 3.0]).unwrap();
    let every = AssignmentProblem::new(costs);
    let mut answer = assign(&every).unwrap().best.unwrap();
    answer.duals.as_mut().unwrap().waiting = Some(-9.0);
    assert_eq!(verify(&every, &answer), Err(Flaw::Waiting { waiting: Some(-9.0) }));
    for (penalty, waiting) in [(7.0, Some(-6.0)), (7.0, None), (0.0, None)] {
        let optional = every.with_coverage(Coverage::Penalty(penalty));
        let mut answer = assign(&optional).unwrap().best.unwrap();
        assert_eq!(verify(&optional, &answer).unwrap().gap, 0.0);
        answer.duals.as_mut().unwrap().waiting = waiting;
        assert_eq!(verify(&optional, &answer), Err(Flaw::Waiting { waiting }));
    }
}

/// The gap of a job on a resource of this cost, with these duals and, if given, their remainders. A second job
/// costs nothing on a resource of its own.
fn one(cost: f64, (profit, price): (f64, f64), rest: Option<(f64, f64)>) -> Result<f64, Flaw> {
    let costs = [cost, f64::INFINITY, f64::INFINITY, 0.0];
    let problem = AssignmentProblem::new(Costs::dense(2, 2, &costs).unwrap());
    let remainders = rest.map(|(profit, price)| Remainders {
        each: 1,
        profits: vec![profit, 0.0],
        prices: vec![price, 0.0],
        waiting: vec![],
    });
    let duals = Duals { profits: vec![profit, 0.0], prices: vec![price, 0.0], waiting: None, remainders };
    let answer = Assignment { resources: vec![Some(0), Some(1)], total: cost, duals: Some(duals) };
    verify(&problem, &answer).map(|certificate| certificate.gap)
}

#[test]
fn what_rounding_hides_of_a_pair_is_seen() {
    let p = |exponent: i32| 2f64.powi(exponent);
    // The excess counts for both jobs, and the duals of the pair are too low by it once.
    let beats = |excess: f64, gap: Result<f64, Flaw>| assert_eq!(gap, Ok(excess));
    // A value of 2^-60 less a price of 1 rounds to -1, which is the profit.
    beats(p(-60), one(-p(-60), (-1.0, 1.0), None));
    // By their doubles the duals are 2^-63 above the value; with their remainders they are 2^-63 below it.
    beats(p(-63), one(-p(-10), (p(-63), p(-10)), Some((0.0, -p(-62)))));
    beats(p(-63), one(0.0, (p(-63) - p(-10), p(-10)), Some((0.0, -p(-62)))));
    // A remainder is at most a rounding of its dual.
    assert!(one(0.0, (-1.0, 1.0), Some((p(-52), 0.0))).is_ok());
    assert!(matches!(one(0.0, (-1.0, 1.0), Some((p(-51), 0.0))), Err(Flaw::Remainder { .. })));
}

#[test]
fn duals_of_other_lengths_are_refused() {
    let costs = [0.1, 0.2, 0.3, 0.4];
    let problem = AssignmentProblem::new(Costs::dense(2, 2, &costs).unwrap());
    let good = assign(&problem).unwrap().best.unwrap();
    let changes: [fn(&mut Duals, &mut Remainders); 5] = [
        |duals, _| duals.profits.truncate(1),
        |duals, _| duals.prices.truncate(1),
        |_, rest| rest.profits.push(0.0),
        |_, rest| rest.prices.push(0.0),
        |_, rest| rest.waiting.push(0.0),
    ];
    for change in changes {
        let mut duals = good.duals.clone().unwrap();
        let mut rest = duals.remainders.take().unwrap();
        change(&mut duals, &mut rest);
        duals.remainders = Some(rest);
        let changed = Assignment { duals: Some(duals), ..good.clone() };
        assert!(matches!(verify(&problem, &changed), Err(Flaw::Shape { .. })), "{changed:?}");
    }
}

#[test]
fn every_changed_shortage_is_seen() {
    let mut seen = 0;
    for round in 0..6000 {
        let case = AssignCase::draw(&mut Draw::new(33, round));
        let case = AssignCase { coverage: Coverage::EveryJob, ..case };
        let stored = StoredCosts::of(&case);
        let problem = stored.problem(&case).unwrap();
        let answer = assign(&problem).unwrap();
        let Some(good) = answer.refusal.as_ref() else { continue };
        seen += 1;
        good.verify(&problem).unwrap();
        let mut changed = good.clone();
        changed.capacity += 1;
        assert!(matches!(changed.verify(&problem), Err(Flaw::Places { .. })), "{changed:?}");
        for at in 0..good.resources.len() {
            // Without this resource, its places are missing from the sum, or a job may use it.
            let mut changed = good.clone();
            let gone = changed.resources.remove(at) as usize;
            if problem.capacities.is_none_or(|all| all.get(gone).is_some_and(|places| *places > 0)) {
                assert!(changed.verify(&problem).is_err(), "{case:?} {changed:?}");
            }
            let mut changed = good.clone();
            changed.resources.push(good.resources[at]);
            assert!(changed.verify(&problem).is_err(), "{case:?} {changed:?}");
        }
        // If there are as many places as jobs, there is no shortage.
        let mut changed = good.clone();
        changed.jobs.truncate(usize::try_from(good.capacity).unwrap());
        assert!(matches!(changed.verify(&problem), Err(Flaw::NoShortage { .. })), "{changed:?}");
        let (mut more_jobs, mut more_resources) = (good.clone(), good.clone());
        more_jobs.jobs.push(problem.costs.rows() as u32);
        more_resources.resources.push(problem.costs.cols() as u32);
        assert!(more_jobs.verify(&problem).is_err() && more_resources.verify(&problem).is_err());
        // If jobs may be left out, a shortage is no answer.
        for coverage in [Coverage::MostJobs, Coverage::Penalty(1.0)] {
            let other = problem.with_coverage(coverage);
            assert!(matches!(good.verify(&other), Err(Flaw::MayStayOut)));
        }
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn what_the_duals_leave_open_is_the_gap() {
    let values = [4.0, 1.0, 3.0, 2.0, 0.0, 5.0, 3.0, 2.0, 2.0];
    for sense in [Sense::Minimise, Sense::Maximise] {
        let problem = AssignmentProblem::new(Costs::dense(3, 3, &values).unwrap()).with_sense(sense);
        let mut loose = assign(&problem).unwrap().best.unwrap();
        loose.duals.as_mut().unwrap().prices[0] += 2.0;
        let sign = if sense == Sense::Minimise { 1.0 } else { -1.0 };
        let certificate = verify(&problem, &loose).unwrap();
        assert_eq!((certificate.gap, certificate.bound), (2.0, loose.total - sign * 2.0));
    }
}

/// Each job has a resource of its own; `terms` are the profits and costs, and the last resource has free places at
/// a price.
#[test]
fn a_gap_is_summed_without_rounding() {
    let gap = |terms: &[(f64, f64)], (price, places): (f64, u32)| {
        let n = terms.len();
        let mut values = vec![f64::INFINITY; n * (n + 1)];
        terms.iter().enumerate().for_each(|(job, term)| values[job * (n + 1) + job] = term.1);
        let mut capacities = vec![1; n];
        capacities.push(places);
        let problem = AssignmentProblem::new(Costs::dense(n, n + 1, &values).unwrap());
        let (mut prices, profits) = (vec![0.0; n], terms.iter().map(|term| term.0).collect());
        prices.push(price);
        let duals = Duals { profits, prices, waiting: None, remainders: None };
        let total = exact_sum(terms.iter().map(|term| term.1));
        let resources = (0..n as u32).map(Some).collect();
        let found = Assignment { resources, total, duals: Some(duals) };
        verify(&problem.with_capacities(&capacities), &found).unwrap().gap
    };
    let least = f64::from_bits(1);
    assert_eq!(gap(&[(1.0, 0.0), (-1e60, 1e60)], (0.0, 1)), 1.0);
    assert_eq!(gap(&[(least, 0.0), (-1e60, 1e60), (-3.0, 3.0)], (0.0, 1)), least);
    // 5 + 5 * 2^-52 lies between two doubles, nearer to the lower one.
    assert_eq!(gap(&[(0.0, 0.0)], (1.0f64.next_up(), 5)), 5.0f64.next_up().next_up());
}

#[test]
fn a_remainder_of_no_doubles_is_none() {
    let problem = AssignmentProblem::new(Costs::dense(1, 1, &[1.0]).unwrap());
    let mut answer = assign(&problem).unwrap().best.unwrap();
    let rest = Remainders { each: 0, profits: vec![], prices: vec![], waiting: vec![] };
    answer.duals.as_mut().unwrap().remainders = Some(rest);
    assert!(verify(&problem, &answer).is_ok());
    answer.duals.as_mut().unwrap().remainders.as_mut().unwrap().each = usize::MAX;
    assert!(matches!(verify(&problem, &answer), Err(Flaw::Shape { .. })));
}
