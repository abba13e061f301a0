//! Inputs on which a search could run for an unlimited time or use up the memory. The search must end within its limit,
//! with a good choice and a valid bound.

use crate::asked::{Chosen, select};
use crate::families::{FAMILIES, Family, Pair};
use batch_dp::*;
use econsched::testkit::Draw;
use sched_model::{End, Limit};
use std::sync::mpsc;

fn choose_within(batch: &Alternatives, goal: Goal, limit: &Limit) -> Chosen {
    select(batch, goal, &Coverage::EveryJob, &mut limit.meter()).unwrap()
}

/// All choices on one line, the same with noise of one unit, and in tenths; the time itself; a constant more.
pub(crate) const HARD: [Family; 5] = [FAMILIES[3], FAMILIES[2], FAMILIES[4], FAMILIES[5], FAMILIES[6]];
pub(crate) const LINE: Family = HARD[0];
pub(crate) const NOISY: Family = HARD[1];

/// Costs and times of the alternatives of jobs.
pub(crate) fn rows(family: Family, (jobs, alternatives): (usize, usize), draw: &mut Draw) -> Vec<Vec<Pair>> {
    let mut pair = |_| family.1(&mut |least, most| least + (most - least) * draw.unit(), 100.0);
    (0..jobs).map(|_| (0..alternatives).map(&mut pair).collect()).collect()
}

pub(crate) fn batch(family: Family, jobs: usize, alternatives: usize, seed: u64) -> Alternatives {
    Alternatives::new(&rows(family, (jobs, alternatives), &mut Draw::new(seed, 0))).unwrap()
}

/// All three problems, each with a limit in the middle of its range.
pub(crate) fn problems(jobs: usize) -> [Goal; 3] {
    let middle = 100.3 * jobs as f64;
    [
        Goal::MinTime { budget: Some(middle) },
        Goal::MinCost { time_limit: Some(middle) },
        Goal::MaxIncome { time_limit: Some(middle) },
    ]
}

/// Checks that the bound is on the right side of the value, and that the choice keeps the limit.
fn sound(goal: Goal, outcome: &Chosen) {
    let choice = outcome.best.as_ref().unwrap();
    let used = if goal.limits_cost() { choice.cost } else { choice.time };
    assert!(used <= goal.limit().unwrap_or(f64::INFINITY));
    let (sign, value) = (goal.sense().sign(), outcome.value.unwrap());
    assert!(outcome.bound.is_none_or(|bound| sign * bound >= sign * value), "{outcome:?}");
}

/// If jobs may be left out and the limit has room for few of them, the relaxation serves part of one more.
#[test]
fn hard_families_end_within_the_default_limit_and_a_thousandth() {
    for family in HARD {
        let ends_near = |batch: &Alternatives, goal: Goal, coverage: &Coverage| {
            let found = select(batch, goal, coverage, &mut Limit::default().meter()).unwrap();
            sound(goal, &found);
            let (gap, value) = (found.gap().unwrap(), found.value.unwrap());
            assert!(gap <= 1e-3 * value, "{} {goal:?} {coverage:?}: {gap} of {value}", family.0);
            assert!(found.work <= Limit::default().work);
        };
        for (jobs, alternatives) in [(10, 10), (12, 12), (30, 30), (60, 60)] {
            let batch = batch(family, jobs, alternatives, 7);
            for goal in problems(jobs) {
                ends_near(&batch, goal, &Coverage::EveryJob);
            }
        }
        let (jobs, draw) = (100, &mut Draw::new(11, 0));
        let batch = batch(family, jobs, 25, 7);
        let weights: Vec<f64> = (0..jobs).map(|_| draw.between(1, 99) as f64).collect();
        let penalties = weights.iter().map(|weight| 2.0 * weight).collect();
        for coverage in [Coverage::MostJobs, Coverage::MostWeight(weights), Coverage::Penalties(penalties)] {
            for share in [0.3, 0.6, 0.9] {
                ends_near(&batch, Goal::MinTime { budget: Some(share * 51.0 * jobs as f64) }, &coverage);
            }
        }
    }
}

#[test]
fn little_memory_narrows_the_search_and_the_bound_still_holds() {
    // The second search ends by memory; before that, it shortens its histories.
    for (family, jobs) in [(NOISY, 20), (LINE, 30)] {
        let batch = batch(family, jobs, jobs, 7);
        for problem in problems(jobs) {
            let best = choose_within(&batch, problem, &Limit::default().with_work(3_000_000));
            let is_whole = best.end == End::Done;
            for memory in [1 << 17, 1 << 18, 1 << 19, 1 << 20] {
                let limit = Limit::default().with_work(3_000_000).with_memory(memory);
                let found = choose_within(&batch, problem, &limit);
                sound(problem, &found);
                let sign = -problem.sense().sign();
                assert!(!is_whole || sign * found.value.unwrap() >= sign * best.value.unwrap());
                assert!(sign * found.bound.unwrap() <= sign * best.value.unwrap(), "{memory} {found:?}");
            }
        }
    }
    // The limit does not even allow the first look at the alternatives.
    let batch = batch(NOISY, 20, 20, 7);
    let nothing = choose_within(&batch, problems(20)[0], &Limit::default().with_memory(100));
    assert_eq!((nothing.best, nothing.end), (None, End::Memory));
}

/// Several problems may share a meter, whose observer must not get the bound of one with the choice of the next.
#[test]
fn no_bound_of_an_earlier_problem_is_reported_for_the_next() {
    let rows = |jobs: usize, more: Option<Pair>| {
        let rows = rows(NOISY, (jobs, 10), &mut Draw::new(3, 0)).into_iter();
        Alternatives::new(&rows.chain(more.map(|pair| vec![pair])).collect::<Vec<_>>()).unwrap()
    };
    // The second batch of the two has numbers over sixty decades, which no list of the search holds.
    for next in [rows(10, None), rows(10, Some((1e-60, 1e-60)))] {
        let (tell, told) = mpsc::channel();
        let mut meter = Limit::none().meter().with_observer(move |progress| tell.send(progress).unwrap());
        let mut solve = |batch: &Alternatives, jobs| {
            let best =
                ExpandingCore.solve(&ChoiceProblem::new(batch, problems(jobs)[0]), &mut meter).unwrap();
            let pairs = told.try_iter().filter_map(|progress| Some((progress.best?, progress.bound?)));
            (best.value.unwrap(), pairs.collect::<Vec<_>>())
        };
        assert!(solve(&rows(20, None), 20).1.iter().any(|&(_, bound)| bound > 0.0));
        let (least, told) = solve(&next, 10);
        assert_eq!(told.last().map(|&(best, _)| best), Some(least));
        assert!(told.iter().all(|&(best, bound)| bound <= best), "{told:?}");
    }
}

#[test]
fn a_front_of_two_long_lines_is_refused_before_it_is_formed() {
    let batch = batch(LINE, 2, 10_000, 1);
    let problem = ChoiceProblem::new(&batch, Goal::MinTime { budget: None });
    for (work, end) in [(500_000_000, End::Memory), (1_000, End::Work)] {
        let error = Front::of(&problem, &mut Limit::default().with_work(work).meter()).unwrap_err();
        assert_eq!(error, BatchError::Stopped(end));
    }
}
