//! Inputs on which a search could run for ever or take all memory: it ends within its limit, with a good
//! choice and a bound that holds.

use crate::asked::{Chosen, Users, choose, select};
use batch_dp::*;
use econsched::testkit::{Draw, Fault, Stopped, Stops};
use sched_model::{End, Limit, Sense};

fn choose_within(batch: &Alternatives, goal: Goal, limit: &Limit) -> Chosen {
    ExpandingCore.solve(&ChoiceProblem::new(batch, goal), &mut limit.meter()).unwrap()
}

/// Numbers in [0, 1), always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// How the cost of an alternative follows from its time.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Family {
    /// 200 less the time: all choices on one line.
    Complement,
    /// The same, with noise of one unit.
    Noisy,
    /// The time itself.
    SubsetSum,
    /// A constant more than the time, whole numbers.
    Strong,
    /// 200 less the time, both in tenths.
    Tenths,
}

const FAMILIES: [Family; 5] =
    [Family::Complement, Family::Noisy, Family::SubsetSum, Family::Strong, Family::Tenths];

impl Family {
    fn pair(self, numbers: &mut Numbers) -> (f64, f64) {
        let time = numbers.between(50.0, 150.0);
        match self {
            Self::Complement => (200.0 - time, time),
            Self::Noisy => (200.0 - time + numbers.between(-1.0, 1.0), time),
            Self::SubsetSum => (time, time),
            Self::Strong => (time.floor() + 10.0, time.floor()),
            Self::Tenths => ((2000.0 - (time * 10.0).floor()) / 10.0, (time * 10.0).floor() / 10.0),
        }
    }

    fn batch(self, jobs: usize, alternatives: usize, seed: u64) -> Alternatives {
        let mut numbers = Numbers(seed);
        let rows: Vec<Vec<(f64, f64)>> =
            (0..jobs).map(|_| (0..alternatives).map(|_| self.pair(&mut numbers)).collect()).collect();
        Alternatives::new(&rows).unwrap()
    }
}

/// All three problems, with limits in the middle.
fn problems(jobs: usize) -> [Goal; 3] {
    let middle = 100.3 * jobs as f64;
    [
        Goal::MinTime { budget: Some(middle) },
        Goal::MinCost { time_limit: Some(middle) },
        Goal::MaxIncome { time_limit: Some(middle) },
    ]
}

/// The bound is on the right side of the value, and the choice within its limit.
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
    for (jobs, alternatives) in [(10, 10), (12, 12), (30, 30), (100, 100)] {
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

/// With jobs left out, too: where the limit lets in few of them, the relaxation serves a part of one more.
#[test]
fn hard_families_with_jobs_left_out_end_within_a_thousandth() {
    for family in FAMILIES {
        let (jobs, mut numbers) = (200, Numbers(11));
        let batch = family.batch(jobs, 50, 7);
        let weights: Vec<f64> = (0..jobs).map(|_| numbers.between(1.0, 100.0).floor()).collect();
        let penalties: Vec<f64> = weights.iter().map(|weight| 2.0 * weight).collect();
        for share in [0.3, 0.6, 0.9] {
            let problem = Goal::MinTime { budget: Some(share * 51.0 * jobs as f64) };
            for service in [
                Coverage::MostJobs,
                Coverage::MostWeight(weights.clone()),
                Coverage::Penalties(penalties.clone()),
            ] {
                let found = |work| {
                    let limit = Limit::default().with_work(work);
                    select(&batch, problem, &service, &mut limit.meter()).unwrap()
                };
                let whole = found(Limit::DEFAULT_WORK);
                let (gap, value) = (whole.gap().unwrap(), whole.value.unwrap());
                assert!(gap <= 1e-3 * value, "{family:?} {share} {service:?}: {gap} of {value}");
                assert!(whole.work <= Limit::DEFAULT_WORK && whole.bound.unwrap() <= value);
                // What is proven earlier holds, too.
                for work in [100_000, 300_000, 1_000_000, 3_000_000] {
                    if let Some(bound) = found(work).bound {
                        assert!(bound <= value, "{family:?} {share} {service:?} {work}: {bound} of {value}");
                    }
                }
            }
        }
    }
}

/// Each choice of ten jobs lies on one line; half the jobs have 100,000 choices, both halves meet.
#[test]
fn ten_jobs_on_one_line_are_solved() {
    let batch = Family::Complement.batch(10, 10, 3);
    let limit = Limit::none().with_memory(1 << 30);
    for problem in problems(10) {
        let outcome = choose_within(&batch, problem, &limit);
        assert_eq!(outcome.end, End::Done);
        sound(problem, &outcome);
    }
}

#[test]
fn little_memory_narrows_the_search_and_the_bound_still_holds() {
    let batch = Family::Noisy.batch(20, 20, 5);
    for problem in problems(20) {
        let best = choose(&batch, problem).unwrap();
        assert_eq!(best.end, End::Done);
        for memory in [1 << 16, 1 << 18, 1 << 20] {
            let limit = Limit::default().with_memory(memory);
            let found = choose_within(&batch, problem, &limit);
            sound(problem, &found);
            let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
            assert!(sign * found.value.unwrap() >= sign * best.value.unwrap());
            assert!(sign * found.bound.unwrap() <= sign * best.value.unwrap(), "{memory} {found:?} {best:?}");
        }
    }
    // Not even the first look at the alternatives.
    let nothing = choose_within(&batch, problems(20)[0], &Limit::default().with_memory(100));
    assert_eq!((nothing.best, nothing.end), (None, End::Memory));
}

#[test]
fn a_front_of_two_long_lines_is_refused_before_it_is_formed() {
    let batch = Family::Complement.batch(2, 10_000, 1);
    let problem = ChoiceProblem::new(&batch, Goal::MinTime { budget: None });
    let error = Front::of(&problem, &mut Limit::default().with_work(500_000_000).meter()).unwrap_err();
    assert!(matches!(error, BatchError::Stopped(End::Memory)), "{error}");
    let limit = Limit::default().with_work(1_000);
    let error = Front::of(&problem, &mut limit.meter()).unwrap_err();
    assert!(matches!(error, BatchError::Stopped(End::Work)), "{error}");
}

/// What a signal stops has the answer of that limit of work, also in the passes over fronts of users and the
/// products that form them; with more work nothing is worse.
#[test]
fn a_signal_is_a_limit_of_work() {
    let mut draw = Draw::new(1, 0);
    for _ in 0..24 {
        let (jobs, alternatives) = (draw.between(10, 59), draw.between(10, 59));
        let batch = draw.of(FAMILIES).batch(jobs, alternatives, draw.bytes(8));
        let problem = draw.of(problems(jobs));
        let users = Users::new((0..jobs).map(|job| job % 4).collect(), vec![jobs as f64 / 4.0 * 103.0; 4]);
        let (served, with_users) = (draw.below(4), draw.chance(50));
        let coverage = match served {
            0 => Coverage::EveryJob,
            1 => Coverage::MostJobs,
            2 => Coverage::MostWeight((0..jobs).map(|job| 1.0 + (job % 5) as f64).collect()),
            _ => Coverage::Penalties(vec![95.0; jobs]),
        };
        let plain = ChoiceProblem::new(&batch, problem).with_coverage(coverage);
        let whole = if with_users { users.pay(plain) } else { plain };
        let stops =
            Stops { works: vec![10, 1_000, 10_000, 30_000, 100_000, 300_000], ..Stops::draw(&mut draw) };
        let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
        let run = |limit: &Limit| {
            let found = ExpandingCore.solve(&whole, &mut limit.meter()).map_err(Fault::error)?;
            let lost =
                found.best.as_ref().filter(|_| matches!(served, 1 | 2)).map_or(0.0, |choice| choice.left_out);
            Ok(Stopped {
                rank: lost,
                value: found.value.map(|value| sign * value),
                bound: found.bound.filter(|_| served == 0 && !with_users).map(|bound| sign * bound),
                work: found.work,
                end: found.end,
                answer: format!("{:?} {:?}", found.best, found.refusal),
            })
        };
        stops.check(800_000, &mut { run }).unwrap();
    }
}
