//! Every call of this crate that can be long keeps to its limit.

// Outside of #[test] functions clippy does not know that this is a test.

use batch_dp::*;
use sched_model::{End, Limit, Meter, Outcome};

/// What a call tells: its work, how it ended, and how good its answer is: the less, the better.
type Told = (u64, End, f64);
type Call<'a> = (String, Box<dyn Fn(&mut Meter<'_>) -> Told + 'a>);

/// Numbers in [0, 1), always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Cost and time add up to 200 but for some noise: choices take long to tell apart.
fn batch(jobs: usize, alternatives: usize, noise: f64) -> Alternatives {
    let mut numbers = Numbers(7);
    let mut pair = || {
        let time = 50.0 + 100.0 * numbers.next();
        (200.0 - time + noise * numbers.next(), time)
    };
    let rows: Vec<Vec<(f64, f64)>> = (0..jobs).map(|_| (0..alternatives).map(|_| pair()).collect()).collect();
    Alternatives::new(&rows).unwrap()
}

fn told<T>(problem: Problem, outcome: &Outcome<T>) -> Told {
    let sign = if problem.sense() == sched_model::Sense::Maximise { -1.0 } else { 1.0 };
    (outcome.work, outcome.end, outcome.value.map_or(f64::INFINITY, |value| sign * value))
}

fn decided(problem: Problem, decision: Result<BatchDecision, BatchError>) -> Told {
    let BatchDecision::Chosen(outcome) = decision.unwrap() else { panic!("there are choices") };
    told(problem, &outcome)
}

/// Whatever is registered, and each way of leaving jobs out and of budgets of users.
fn calls<'a>(batch: &'a Alternatives, users: &'a UserBudgets) -> Vec<Call<'a>> {
    let jobs = batch.jobs() as f64;
    let problem = Problem::MinTime { budget: 100.3 * jobs };
    let mut calls: Vec<Call<'a>> = Vec::new();
    for &kind in ChooserKind::ALL {
        for problem in [
            problem,
            Problem::MinCost { time_limit: 100.3 * jobs },
            Problem::MaxTime { budget: 100.3 * jobs },
        ] {
            let call = move |meter: &mut Meter<'_>| {
                decided(problem, kind.build().choose(batch, problem, &mut Scratch::default(), meter))
            };
            calls.push((format!("{kind} {problem:?}"), Box::new(call)));
        }
    }
    let weights: Vec<f64> = (0..batch.jobs()).map(|job| (1 + job * 37 % 90) as f64).collect();
    let tight = Problem::MinTime { budget: 30.0 * jobs };
    for service in [
        Service::MostJobs,
        Service::GreatestWeight(weights.clone()),
        Service::Penalties(weights.iter().map(|weight| 2.0 * weight).collect()),
    ] {
        let name = format!("{service:?}").split('(').next().unwrap_or_default().to_owned();
        let of_users = service.clone();
        let call = move |meter: &mut Meter<'_>| {
            let found = select(batch, tight, &service, &mut Scratch::default(), meter).unwrap();
            let penalties = matches!(service, Service::Penalties(_));
            let left = found.incumbent.as_ref().map_or(f64::INFINITY, |selection| selection.left_out);
            let (work, end, value) = told(tight, &found);
            (work, end, if penalties { value } else { left })
        };
        calls.push((name.clone(), Box::new(call)));
        let call = move |meter: &mut Meter<'_>| {
            let scratch = &mut Scratch::default();
            let found = select_with_user_budgets(batch, tight, &of_users, users, scratch, meter).unwrap();
            let (work, end, _) = told(tight, &found);
            (work, end, 0.0)
        };
        calls.push((format!("{name} within budgets of users"), Box::new(call)));
    }
    let call = move |meter: &mut Meter<'_>| {
        decided(problem, choose_with_user_budgets(batch, problem, users, &mut Scratch::default(), meter))
    };
    calls.push(("within budgets of users".to_owned(), Box::new(call)));
    let call = move |meter: &mut Meter<'_>| {
        let before = meter.work();
        let end = match Front::within(batch, FRONT_CAP, meter) {
            Ok(_) => End::Done,
            Err(BatchError::Stopped { end, .. }) => end,
            Err(BatchError::FrontTooLarge { .. }) => End::Memory,
            Err(error) => panic!("{error}"),
        };
        (meter.work() - before, end, 0.0)
    };
    calls.push(("front".to_owned(), Box::new(call)));
    calls
}

/// Wherever the limit falls: what is counted is within it, one that stops a call is told, one that suffices
/// changes nothing, and no answer gets worse.
#[test]
fn every_call_keeps_to_its_limit() {
    let batch = batch(12, 12, 1.0);
    let users = UserBudgets::new((0..12).map(|job| job % 2).collect(), vec![650.0, f64::INFINITY]);
    for (name, call) in calls(&batch, &users) {
        let most = 300_000;
        let whole = call(&mut Limit::default().with_work(most).meter());
        let work = whole.0;
        assert!(work > 0 && work <= most, "{name}: {whole:?}");
        assert_eq!(call(&mut Limit::default().with_work(work).meter()).2, whole.2, "{name}");
        let mut best = f64::INFINITY;
        let parts = [0, 1, 100, work / 9, work / 3, work / 2, work - work / 20, work - 1];
        for part in parts.into_iter().filter(|&part| part < work) {
            let limit = Limit::default().with_work(part);
            let mut meter = limit.meter();
            let (counted, end, value) = call(&mut meter);
            assert!(counted <= part && meter.work() <= part, "{name}: {counted} of {part}");
            assert_ne!(end, End::Done, "{name}: {part} of {work}");
            assert!(value <= best, "{name}: {value} after {part}, before {best}");
            best = value;
        }
        assert!(whole.2 <= best, "{name}: {} after {work}, before {best}", whole.2);
    }
}
