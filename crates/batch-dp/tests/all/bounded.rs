//! Inputs on which a search could run forever or take all memory. It must end within its limit, with a good choice
//! and a valid bound.

use crate::asked::{Chosen, choose, select};
use batch_dp::*;
use econsched::testkit::Draw;
use sched_model::{End, Limit, Sense};
use std::sync::mpsc;

fn choose_within(batch: &Alternatives, goal: Goal, limit: &Limit) -> Chosen {
    ExpandingCore.solve(&ChoiceProblem::new(batch, goal), &mut limit.meter()).unwrap()
}

/// The relation between the time of an alternative and its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Family {
    /// 200 minus the time: all choices lie on one line.
    Complement,
    /// The same, with noise of one unit.
    Noisy,
    /// The time itself.
    SubsetSum,
    /// A constant plus the time, in whole numbers.
    Strong,
    /// 200 minus the time, both in tenths.
    Tenths,
}

pub(crate) const FAMILIES: [Family; 5] =
    [Family::Complement, Family::Noisy, Family::SubsetSum, Family::Strong, Family::Tenths];

impl Family {
    pub(crate) fn pair(self, draw: &mut Draw) -> (f64, f64) {
        let time = 50.0 + 100.0 * draw.unit();
        match self {
            Self::Complement => (200.0 - time, time),
            Self::Noisy => (199.0 - time + 2.0 * draw.unit(), time),
            Self::SubsetSum => (time, time),
            Self::Strong => (time.floor() + 10.0, time.floor()),
            Self::Tenths => ((2000.0 - (time * 10.0).floor()) / 10.0, (time * 10.0).floor() / 10.0),
        }
    }

    pub(crate) fn batch(self, jobs: usize, alternatives: usize, seed: u64) -> Alternatives {
        let draw = &mut Draw::new(seed, 0);
        let rows: Vec<Vec<(f64, f64)>> =
            (0..jobs).map(|_| (0..alternatives).map(|_| self.pair(draw)).collect()).collect();
        Alternatives::new(&rows).unwrap()
    }
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
fn sound(problem: Goal, outcome: &Chosen) {
    let choice = outcome.best.as_ref().unwrap();
    let used = if problem.limits_cost() { choice.cost } else { choice.time };
    assert!(used <= problem.limit().unwrap_or(f64::INFINITY));
    assert_eq!(outcome.value, Some(problem.value(choice)));
    if let Some(bound) = outcome.bound {
        let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
        assert!(sign * bound <= sign * outcome.value.unwrap(), "{outcome:?}");
    }
}

#[test]
fn hard_families_end_within_the_default_limit_and_a_thousandth() {
    for (jobs, alternatives) in [(10, 10), (12, 12), (30, 30), (60, 60)] {
        for family in FAMILIES {
            let batch = family.batch(jobs, alternatives, 7);
            for problem in problems(jobs) {
                let outcome = choose(&batch, problem).unwrap();
                sound(problem, &outcome);
                let (gap, value) = (outcome.gap().unwrap(), outcome.value.unwrap());
                assert!(gap <= 1e-3 * value, "{family:?} {jobs} {problem:?}: {gap} of {value}");
                assert!(outcome.work <= Limit::DEFAULT_WORK);
            }
        }
    }
}

/// The same with jobs left out: if the limit has room for few jobs, the relaxation serves part of one more.
#[test]
fn hard_families_with_jobs_left_out_end_within_a_thousandth() {
    for family in FAMILIES {
        let (jobs, draw) = (100, &mut Draw::new(11, 0));
        let batch = family.batch(jobs, 25, 7);
        let weights: Vec<f64> = (0..jobs).map(|_| draw.between(1, 99) as f64).collect();
        let penalties = weights.iter().map(|weight| 2.0 * weight).collect();
        let services = [Coverage::MostJobs, Coverage::MostWeight(weights), Coverage::Penalties(penalties)];
        for share in [0.3, 0.6, 0.9] {
            let problem = Goal::MinTime { budget: Some(share * 51.0 * jobs as f64) };
            for service in &services {
                let found = |work| {
                    let limit = Limit::default().with_work(work);
                    select(&batch, problem, service, &mut limit.meter()).unwrap()
                };
                let whole = found(Limit::DEFAULT_WORK);
                let (gap, value) = (whole.gap().unwrap(), whole.value.unwrap());
                assert!(gap <= 1e-3 * value, "{family:?} {share} {service:?}: {gap} of {value}");
                assert!(whole.work <= Limit::DEFAULT_WORK && whole.bound.unwrap() <= value);
                // Bounds that are proven earlier hold, too.
                for work in [100_000, 300_000, 1_000_000] {
                    if let Some(bound) = found(work).bound {
                        assert!(bound <= value, "{family:?} {share} {service:?} {work}: {bound} of {value}");
                    }
                }
            }
        }
    }
}

#[test]
fn little_memory_narrows_the_search_and_the_bound_still_holds() {
    // The second search ends by memory; before that, it shortens its histories.
    for (family, jobs) in [(Family::Noisy, 20), (Family::Complement, 30)] {
        let batch = family.batch(jobs, jobs, 7);
        for problem in problems(jobs) {
            let best = choose_within(&batch, problem, &Limit::default().with_work(3_000_000));
            let is_whole = best.end == End::Done;
            for memory in [1 << 17, 1 << 18, 1 << 19, 1 << 20] {
                let limit = Limit::default().with_work(3_000_000).with_memory(memory);
                let found = choose_within(&batch, problem, &limit);
                sound(problem, &found);
                let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
                assert!(!is_whole || sign * found.value.unwrap() >= sign * best.value.unwrap());
                assert!(sign * found.bound.unwrap() <= sign * best.value.unwrap(), "{memory} {found:?}");
            }
        }
    }
    // The limit does not even allow the first look at the alternatives.
    let batch = Family::Noisy.batch(20, 20, 7);
    let nothing = choose_within(&batch, problems(20)[0], &Limit::default().with_memory(100));
    assert_eq!((nothing.best, nothing.end), (None, End::Memory));
}

/// Several problems may share a meter, whose observer must not get the bound of one with the choice of the next.
#[test]
fn no_bound_of_an_earlier_problem_is_reported_for_the_next() {
    let rows = |jobs: usize, more: Option<(f64, f64)>| {
        let draw = &mut Draw::new(3, 0);
        let row = |_| (0..10).map(|_| Family::Noisy.pair(draw)).collect();
        Alternatives::new(&(0..jobs).map(row).chain(more.map(|pair| vec![pair])).collect::<Vec<_>>()).unwrap()
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
    let batch = Family::Complement.batch(2, 10_000, 1);
    let problem = ChoiceProblem::new(&batch, Goal::MinTime { budget: None });
    for (work, end) in [(500_000_000, End::Memory), (1_000, End::Work)] {
        let error = Front::of(&problem, &mut Limit::default().with_work(work).meter()).unwrap_err();
        assert_eq!(error, BatchError::Stopped(end));
    }
}
