//! Inputs on which a search could run for ever or take all memory: it ends within its limit, with a good
//! choice and a bound that holds.

// Outside of #[test] functions clippy does not know that this is a test.

use crate::oracle;
use crate::oracle::solve;
use batch_dp::*;
use proptest::prelude::*;
use sched_model::{End, Limit, Meter, Outcome, Progress, Sense, StopSignal};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn choose_within(batch: &Alternatives, problem: Problem, limit: &Limit) -> Result<BatchDecision, BatchError> {
    ExpandingCore.choose(batch, problem, &mut Scratch::default(), &mut limit.meter())
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
fn problems(jobs: usize) -> [Problem; 3] {
    let middle = 100.3 * jobs as f64;
    [
        Problem::MinTime { budget: middle },
        Problem::MinCost { time_limit: middle },
        Problem::MaxIncome { time_limit: middle },
    ]
}

fn outcome(decision: BatchDecision) -> Outcome<Choice> {
    let BatchDecision::Chosen(outcome) = decision else { panic!("{decision:?}") };
    outcome
}

fn limit_of(problem: Problem, choice: &Choice) -> f64 {
    match problem {
        Problem::MinTime { .. } => choice.cost,
        _ => choice.time,
    }
}

/// The bound is on the right side of the value, and the choice within its limit.
fn sound(problem: Problem, outcome: &Outcome<Choice>) {
    let choice = outcome.incumbent.as_ref().unwrap();
    assert!(limit_of(problem, choice) <= oracle::limit(&problem));
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
                let outcome = outcome(choose(&batch, problem).unwrap());
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
            let problem = Problem::MinTime { budget: share * 51.0 * jobs as f64 };
            for service in [
                Service::MostJobs,
                Service::GreatestWeight(weights.clone()),
                Service::Penalties(penalties.clone()),
            ] {
                let found = |work| {
                    let limit = Limit::default().with_work(work);
                    select(&batch, problem, &service, &mut Scratch::default(), &mut limit.meter()).unwrap()
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
    let limit = Limit::without_limit().with_memory(1 << 30);
    for problem in problems(10) {
        let outcome = outcome(choose_within(&batch, problem, &limit).unwrap());
        assert_eq!(outcome.end, End::Done);
        sound(problem, &outcome);
    }
}

#[test]
fn little_memory_narrows_the_search_and_the_bound_still_holds() {
    let batch = Family::Noisy.batch(20, 20, 5);
    for problem in problems(20) {
        let best = outcome(choose(&batch, problem).unwrap());
        assert_eq!(best.end, End::Done);
        for memory in [1 << 16, 1 << 18, 1 << 20] {
            let limit = Limit::default().with_memory(memory);
            let found = outcome(choose_within(&batch, problem, &limit).unwrap());
            sound(problem, &found);
            let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
            assert!(sign * found.value.unwrap() >= sign * best.value.unwrap());
            assert!(sign * found.bound.unwrap() <= sign * best.value.unwrap(), "{memory} {found:?} {best:?}");
        }
    }
    // Not even the first look at the alternatives.
    let nothing =
        outcome(choose_within(&batch, problems(20)[0], &Limit::default().with_memory(100)).unwrap());
    assert_eq!((nothing.incumbent, nothing.end), (None, End::Memory));
}

#[test]
fn a_front_of_two_long_lines_is_refused_before_it_is_formed() {
    let batch = Family::Complement.batch(2, 10_000, 1);
    let error = Front::of(&batch, FRONT_CAP).unwrap_err();
    assert!(
        matches!(
            error,
            BatchError::FrontTooLarge { jobs: 2, .. } | BatchError::Stopped { end: End::Memory, .. }
        ),
        "{error}"
    );
    let limit = Limit::default().with_work(1_000);
    let error = Front::within(&batch, FRONT_CAP, &mut limit.meter()).unwrap_err();
    assert!(matches!(error, BatchError::Stopped { end: End::Work, .. }), "{error}");
}

#[test]
fn the_reference_is_refused_what_it_cannot_hold() {
    let batch = Family::Complement.batch(8, 20, 1);
    for problem in problems(8) {
        let found = outcome(solve(ChooserKind::BackwardRun, &batch, problem, &mut Scratch::default()));
        if found.end != End::Done {
            assert!(matches!(found.end, End::Memory | End::Work));
            assert_eq!(found.bound, None);
        }
        sound(problem, &found);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A search that a signal stops has the answer of one with that limit of work; and more work makes
    /// neither the choice nor the bound worse.
    #[test]
    fn a_signal_is_a_limit_of_work(
        family in 0..FAMILIES.len(),
        jobs in 2..14_usize,
        alternatives in 2..14_usize,
        seed in any::<u64>(),
        polls in 0..40_u64,
        which in 0..3_usize,
    ) {
        let batch = FAMILIES[family].batch(jobs, alternatives, seed);
        let problem = problems(jobs)[which];
        let asked = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&asked);
        let signal = StopSignal::when(move || count.fetch_add(1, Ordering::Relaxed) >= polls);
        let stopped = choose_within(&batch, problem, &Limit::default().with_signal(signal)).unwrap();
        let BatchDecision::Chosen(stopped) = stopped else { return Ok(()) };
        let again = outcome(choose_within(&batch, problem, &Limit::default().with_work(stopped.work)).unwrap());
        prop_assert_eq!(&again.incumbent, &stopped.incumbent);
        prop_assert_eq!((again.value, again.bound, again.work), (stopped.value, stopped.bound, stopped.work));
        if stopped.end != End::Signal {
            prop_assert_eq!(again.end, stopped.end);
        }

        let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
        let (mut value, mut bound, mut out_of_reach) = (f64::INFINITY, f64::NEG_INFINITY, false);
        for work in [10, 100, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000] {
            let decision = choose_within(&batch, problem, &Limit::default().with_work(work)).unwrap();
            // That no choice keeps to the limit may take work to prove: then none was found before, and the
            // proof stays.
            let BatchDecision::Chosen(found) = decision else {
                prop_assert_eq!(value, f64::INFINITY);
                out_of_reach = true;
                continue;
            };
            prop_assert!(!out_of_reach);
            prop_assert!(found.work <= work);
            let (now, best) = (
                found.value.map_or(f64::INFINITY, |value| sign * value),
                found.bound.map_or(f64::NEG_INFINITY, |bound| sign * bound),
            );
            prop_assert!(now <= value && best >= bound, "{} {} after {} {}", now, best, value, bound);
            (value, bound) = (now, best);
        }
    }
}

/// The most units of work between two questions, at the default limit.
fn greatest_step<T>(run: impl FnOnce(&mut Meter<'_>) -> T) -> (u64, T) {
    greatest_step_within(&Limit::default(), run)
}

fn greatest_step_within<T>(limit: &Limit, run: impl FnOnce(&mut Meter<'_>) -> T) -> (u64, T) {
    let (mut before, mut greatest) = (0, 0);
    let mut note = |progress: Progress| {
        greatest = greatest.max(progress.work.saturating_sub(before));
        before = progress.work;
    };
    let mut meter = limit.meter().with_observer(&mut note);
    let found = run(&mut meter);
    let last = meter.work();
    (greatest.max(last - before), found)
}

/// 1,000 jobs with 100 alternatives each: as a whole, with jobs left out, and with users' budgets. No search
/// does more than so much between two questions, some 0.1 ms.
#[test]
fn questions_are_never_far_apart() {
    const GREATEST: u64 = 40_000;
    let users = UserBudgets::new((0..1_000).map(|job| job % 60).collect(), vec![1_800.0; 60]);
    let services = [
        Service::MostJobs,
        Service::GreatestWeight((0..1_000).map(|job| 1.0 + f64::from(job % 7)).collect()),
    ];
    let services = services.into_iter().chain([Service::Penalties(vec![90.0; 1_000])]);
    let services: Vec<Service> = services.collect();
    let mut greatest = 0;
    for family in [Family::Complement, Family::Noisy, Family::Strong] {
        let batch = family.batch(1_000, 100, 3);
        for problem in problems(1_000) {
            let mut scratch = Scratch::default();
            let mut check = |step: u64, what: &str| {
                assert!(step <= GREATEST, "{family:?} {problem:?} {what}: {step}");
                greatest = greatest.max(step);
            };
            let (step, _) = greatest_step(|meter| ExpandingCore.choose(&batch, problem, &mut scratch, meter));
            check(step, "all jobs");
            let (step, _) =
                greatest_step(|meter| choose_with_user_budgets(&batch, problem, &users, &mut scratch, meter));
            check(step, "all jobs within users' budgets");
            for service in &services {
                let (step, _) = greatest_step(|meter| select(&batch, problem, service, &mut scratch, meter));
                check(step, "jobs left out");
                let (step, _) = greatest_step(|meter| {
                    select_with_user_budgets(&batch, problem, service, &users, &mut scratch, meter)
                });
                check(step, "jobs left out within users' budgets");
            }
        }
    } // The observer was called.
    assert!(greatest > Meter::POLL);
}

/// The same of large batches on one line, where all alternatives stay: many jobs, and one job of a million.
#[test]
fn questions_are_never_far_apart_in_large_batches() {
    const GREATEST: u64 = 40_000;
    for (jobs, alternatives, work) in [(20_000, 100, 16_000_000), (1, 1_000_000, 30_000_000)] {
        let batch = Family::Complement.batch(jobs, alternatives, 3);
        let limit = Limit::without_limit().with_work(work);
        let mut scratch = Scratch::default();
        let problem = Problem::MinTime { budget: 100.3 * jobs as f64 };
        let (step, _) =
            greatest_step_within(&limit, |meter| ExpandingCore.choose(&batch, problem, &mut scratch, meter));
        assert!(step <= GREATEST, "{jobs} jobs, all: {step}");
        if jobs == 1 {
            // What its sorts count leaves enough of the default limit.
            assert_eq!(outcome(choose_within(&batch, problem, &Limit::default()).unwrap()).end, End::Done);
        }
        // Some four of five jobs can be served.
        let problem = Problem::MinTime { budget: 40.3 * jobs as f64 };
        let weights = (0..jobs).map(|job| 1.0 + (job % 7) as f64).collect();
        for service in
            [Service::MostJobs, Service::GreatestWeight(weights), Service::Penalties(vec![90.0; jobs])]
        {
            let (step, found) =
                greatest_step_within(&limit, |meter| select(&batch, problem, &service, &mut scratch, meter));
            assert!(step <= GREATEST, "{jobs} jobs, {service:.20?}: {step}");
            assert!(found.unwrap().work > batch.len() as u64);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The same where users have budgets, and where jobs may be left out: the passes over their fronts, and the
    /// products that form them, stop in the middle.
    #[test]
    fn a_signal_is_a_limit_of_work_within_users_budgets(
        family in 0..FAMILIES.len(),
        (jobs, alternatives) in (10..60_usize, 10..60_usize),
        seed in any::<u64>(),
        polls in 0..60_u64,
        which in 0..3_usize,
        served in 0..4_usize,
    ) {
        let batch = FAMILIES[family].batch(jobs, alternatives, seed);
        let problem = problems(jobs)[which];
        let users = UserBudgets::new((0..jobs).map(|job| job % 4).collect(), vec![jobs as f64 / 4.0 * 103.0; 4]);
        let run = |limit: &Limit| {
            let (mut scratch, mut meter) = (Scratch::default(), limit.meter());
            let service = match served {
                0 => {
                    let found = choose_with_user_budgets(&batch, problem, &users, &mut scratch, &mut meter);
                    let BatchDecision::Chosen(found) = found.unwrap() else { return None };
                    let picks = found.incumbent.map(|choice| choice.picks.into_iter().map(Some).collect());
                    let picks: Option<Vec<Option<usize>>> = picks;
                    return Some((picks, found.value, found.bound, found.work, found.end));
                }
                1 => Service::MostJobs,
                2 => Service::GreatestWeight((0..jobs).map(|job| 1.0 + (job % 5) as f64).collect()),
                _ => Service::Penalties(vec![95.0; jobs]),
            };
            let found = select_with_user_budgets(&batch, problem, &service, &users, &mut scratch, &mut meter);
            let found = found.unwrap();
            Some((found.incumbent.map(|of| of.picks), found.value, found.bound, found.work, found.end))
        };
        let asked = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&asked);
        let signal = StopSignal::when(move || count.fetch_add(1, Ordering::Relaxed) >= polls);
        let limit = Limit::default().with_work(800_000);
        let Some(stopped) = run(&limit.clone().with_signal(signal)) else { return Ok(()) };
        let Some(again) = run(&limit.clone().with_work(stopped.3)) else { return Ok(()) };
        prop_assert_eq!((&again.0, again.1, again.2, again.3), (&stopped.0, stopped.1, stopped.2, stopped.3));
        // With more work no worse, where one number decides.
        if let (0 | 3, Some(more)) = (served, run(&limit)) {
            let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
            let value = |of: Option<f64>| of.map_or(f64::INFINITY, |value| sign * value);
            prop_assert!(value(more.1) <= value(stopped.1));
        }
    }
}
