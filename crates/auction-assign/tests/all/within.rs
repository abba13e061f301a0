//! Solving under a limit: what is answered when a search is stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::enumeration::{Case, best_by_enumeration};
use crate::oracle::{Rng, families};
use auction_assign::{
    Bounded, Costs, Coverage, Problem, Sense, solve, solve_within, verify, verify_shortage,
};
use sched_model::{End, Limit, Outcome, StopSignal};

/// Checks every rule of what is known; returns whether it came to its end.
fn check(problem: &Problem<'_>, found: &Bounded, best: Option<f64>) -> bool {
    let outcome = &found.outcome;
    if let Some(shortage) = &found.shortage {
        verify_shortage(problem, shortage).unwrap();
        assert!(best.is_none() && outcome.is_infeasible());
        return true;
    }
    if outcome.end == End::Done {
        assert_eq!(outcome.value, best);
    }
    let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
    let slack = 1e-9 * best.map_or(1.0, f64::abs);
    if let (Some(bound), Some(best)) = (outcome.bound, best) {
        assert!(sign * bound <= sign * best + slack, "{bound} {best}");
    }
    if let Some(assignment) = &outcome.incumbent {
        let certificate = verify(problem, assignment, 0.0).unwrap();
        assert_eq!(Some(certificate.total), outcome.value);
        assert!(
            (certificate.bound - outcome.bound.unwrap()).abs() <= slack.max(1e-9 * certificate.bound.abs())
        );
        assert!(sign * assignment.total >= sign * best.unwrap() - slack);
    }
    outcome.end == End::Done
}

fn no_worse(problem: &Problem<'_>, less: &Outcome<impl Sized>, more: &Outcome<impl Sized>) {
    if more.is_infeasible() {
        return;
    }
    let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
    if let Some(value) = less.value {
        assert!(sign * more.value.unwrap() <= sign * value);
    }
    if let Some(bound) = less.bound {
        // What is proven in the end is the total as its doubles sum.
        let rounding = if more.end == End::Done { 1e-12 * bound.abs() } else { 0.0 };
        assert!(sign * more.bound.unwrap() >= sign * bound - rounding);
    }
}

#[test]
fn small_problems_under_every_limit() {
    let mut rng = Rng(31);
    for round in 0..400 {
        let case = Case::random(&mut rng, round, 5);
        let problem = case.problem();
        let best = best_by_enumeration(&case);
        let whole = solve_within(&problem, &mut Limit::without_limit().meter()).unwrap();
        assert!(check(&problem, &whole, best), "{case:?}");
        let mut last: Option<Outcome<_>> = None;
        for work in (0..=whole.outcome.work).step_by(1 + whole.outcome.work as usize / 40) {
            let found = solve_within(&problem, &mut Limit::default().with_work(work).meter()).unwrap();
            assert!(found.outcome.work <= work);
            check(&problem, &found, best);
            if let Some(last) = &last {
                no_worse(&problem, last, &found.outcome);
            }
            last = Some(found.outcome);
        }
    }
}

fn large(rng: &mut Rng, round: usize) -> (usize, usize, Vec<f64>, Vec<u32>) {
    let (n, m) = [(150, 150), (120, 260), (900, 6), (300, 40)][round % 4];
    let mut values = families(rng, round / 4, n, m);
    if round.is_multiple_of(3) {
        values.iter_mut().for_each(|value| *value /= 3.0);
    }
    let places = [1, 1, 155 + 40 * (round as u32 % 3), 8][round % 4];
    (n, m, values, vec![places; m])
}

#[test]
fn larger_problems_stop_where_they_are_told_and_answer_what_they_have() {
    let mut rng = Rng(32);
    let mut incumbents = 0;
    for round in 0..32 {
        let (n, m, values, capacities) = large(&mut rng, round);
        let costs = Costs::dense(n, m, &values).unwrap();
        let problem = Problem::new(costs).with_capacities(&capacities).unwrap();
        let best = solve(&problem).unwrap().assignment().unwrap().total;
        let problem = problem.with_coverage([Coverage::EveryJob, Coverage::MostJobs][round % 2]);
        let whole = solve_within(&problem, &mut Limit::without_limit().meter()).unwrap();
        let work = whole.outcome.work;
        assert!((whole.outcome.value.unwrap() - best).abs() <= 1e-9 * best.abs());
        let mut last = solve_within(&problem, &mut Limit::default().with_work(0).meter()).unwrap();
        for step in 1..=12 {
            let limit = Limit::without_limit().with_work(work * step / 12);
            let found = solve_within(&problem, &mut limit.meter()).unwrap();
            check(&problem, &found, whole.outcome.value);
            no_worse(&problem, &last.outcome, &found.outcome);
            incumbents += usize::from(found.outcome.incumbent.is_some());
            last = found;
        }
        assert_eq!(last.outcome, whole.outcome);
    }
    assert!(incumbents > 200, "{incumbents}");
}

#[test]
fn a_signal_at_some_work_is_a_limit_of_that_work() {
    let mut rng = Rng(33);
    let mut stopped = 0;
    for round in 0..24 {
        let (n, m, values, capacities) = large(&mut rng, round);
        let costs = Costs::dense(n, m, &values).unwrap();
        let problem = Problem::new(costs).with_capacities(&capacities).unwrap();
        for polls in [1, 3, 6, 12] {
            let left = Arc::new(AtomicU32::new(polls));
            let signal = StopSignal::when(move || left.fetch_sub(1, Ordering::Relaxed) == 1);
            let limit = Limit::without_limit().with_signal(signal);
            let by_signal = solve_within(&problem, &mut limit.meter()).unwrap();
            if by_signal.outcome.end == End::Done {
                continue;
            }
            assert_eq!(by_signal.outcome.end, End::Signal);
            stopped += 1;
            let limit = Limit::without_limit().with_work(by_signal.outcome.work);
            let mut by_work = solve_within(&problem, &mut limit.meter()).unwrap();
            assert_eq!(by_work.outcome.end, End::Work);
            by_work.outcome.end = End::Signal;
            assert_eq!(by_work, by_signal, "round {round}, {polls} polls");
        }
    }
    assert!(stopped > 24, "{stopped}");
}

#[test]
fn a_gap_that_is_good_enough_ends_the_search_and_observers_see_it_close() {
    let mut rng = Rng(34);
    let mut ended = 0;
    for round in 0..24 {
        let (n, m, values, capacities) = large(&mut rng, round);
        let costs = Costs::dense(n, m, &values).unwrap();
        let problem = Problem::new(costs).with_capacities(&capacities).unwrap();
        let best = solve(&problem).unwrap().assignment().unwrap().total;
        let limit = Limit::without_limit().with_relative_gap(0.2);
        let mut seen = Vec::new();
        let mut observer = |progress: sched_model::Progress| seen.push(progress);
        let mut meter = limit.meter().with_observer(&mut observer);
        let outcome = solve_within(&problem, &mut meter).unwrap().outcome;
        let value = outcome.value.unwrap();
        assert!(value >= best - 1e-9 * best.abs() && value - outcome.bound.unwrap() <= 0.2 * value.abs());
        ended += usize::from(outcome.end == End::Gap);
        for pair in seen.windows(2) {
            assert!(pair[0].work <= pair[1].work);
            assert!(pair[0].bound.is_none_or(|bound| bound <= pair[1].bound.unwrap()));
            assert!(pair[0].incumbent.is_none_or(|value| value >= pair[1].incumbent.unwrap()));
        }
    }
    assert!(ended > 4, "{ended}");
}

#[test]
fn memory_is_asked_for_before_it_is_taken() {
    let values = families(&mut Rng(35), 0, 100, 50);
    let problem = Problem::new(Costs::dense(100, 50, &values).unwrap());
    let problem = problem.with_capacities(&[2; 50]).unwrap();
    let limit = Limit::default().with_memory(1000);
    let outcome = solve_within(&problem, &mut limit.meter()).unwrap().outcome;
    assert_eq!(outcome.end, End::Memory);
    assert!(outcome.incumbent.is_some() && outcome.gap().unwrap() > 0.0);
}

/// Copies that only save time are left away where the limit of memory has no room for them: the answer is that
/// of the whole search.
#[test]
fn copies_that_do_not_fit_are_left_away() {
    let entry = |k: usize| ((k * 7919 + k / 400 * 31) % 10_007) as f64;
    let square: Vec<f64> = (0..640_000).map(entry).collect();
    let columns = |k: usize| entry(k / 800 * 800 + k % 800 / 8);
    let equal_columns: Vec<f64> = (0..640_000).map(columns).collect();
    let equal_rows: Vec<f64> = (0..640_000).map(|k| columns(k % 800 * 800 + k / 800)).collect();
    let few_values: Vec<f64> = (0..640_000).map(|k| (entry(k) as u64 % 5) as f64).collect();
    let tenths: Vec<f64> = (0..640_000).map(|k| entry(k) / 10.0).collect();
    // The lists of candidates take 650,000 and 310,000 bytes, each copy more.
    for (what, jobs, resources, values, coverage) in [
        ("turned round", 1_600, 400, &tenths, Coverage::MostJobs),
        ("of few bits", 800, 800, &square, Coverage::EveryJob),
        ("columns merged", 800, 800, &equal_columns, Coverage::EveryJob),
        ("rows merged", 800, 800, &equal_rows, Coverage::EveryJob),
        ("many ties", 800, 800, &few_values, Coverage::EveryJob),
    ] {
        let problem = Problem::new(Costs::dense(jobs, resources, values).unwrap()).with_coverage(coverage);
        let whole = solve_within(&problem, &mut Limit::without_limit().meter()).unwrap().outcome;
        let least = if jobs > 800 { 1_000_000 } else { 420_000 };
        for bytes in [least, 2 * least, 3 * least, 10_000_000] {
            let limit = Limit::without_limit().with_memory(bytes);
            let mut meter = limit.meter();
            let found = solve_within(&problem, &mut meter).unwrap().outcome;
            assert_eq!((found.end, found.value), (End::Done, whole.value), "{what}, {bytes} bytes");
        }
    }
}

/// Places that no job can take promise nothing: what is stated is what the duals prove, to the verifier too.
#[test]
fn a_bound_holds_beside_capacities_beyond_the_number_of_jobs() {
    let mut rng = Rng(36);
    let mut stopped = 0;
    for round in 0..12 {
        let (n, m) = (240, 24);
        let values = families(&mut rng, round, n, m);
        let capacities: Vec<u32> = (0..m).map(|r| if r % 12 == 5 { u32::MAX } else { 1 }).collect();
        let costs = Costs::dense(n, m, &values).unwrap();
        let problem = Problem::new(costs).with_capacities(&capacities).unwrap();
        let whole = solve_within(&problem, &mut Limit::without_limit().meter()).unwrap().outcome;
        for step in 1..24 {
            let limit = Limit::without_limit().with_work(whole.work * step / 24);
            let found = solve_within(&problem, &mut limit.meter()).unwrap();
            stopped += usize::from(found.outcome.incumbent.is_some());
            check(&problem, &found, whole.value);
        }
    }
    assert!(stopped > 60, "{stopped}");
}
