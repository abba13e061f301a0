//! Selections from earlier ones: as good as from nothing, never worse than what is known, with less work.

// Outside of #[test] functions clippy does not know that this is a test.

use crate::oracle;
use crate::oracle::values;
use batch_dp::*;
use proptest::prelude::*;
use sched_model::{End, Limit, Outcome, Sense};

/// What is minimised, in order of rank.
fn ranks(problem: Problem, service: &Service, selection: &Selection, value: f64) -> (f64, f64) {
    let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
    let lost = if let Service::Penalties(_) = service { 0.0 } else { selection.left_out };
    (lost, sign * value)
}

fn keeps(problem: Problem, selection: &Selection) -> bool {
    let limited = match problem {
        Problem::MinTime { .. } | Problem::MaxTime { .. } => selection.cost,
        _ => selection.time,
    };
    limited <= oracle::limit(&problem)
}

proptest! {
    #![proptest_config(oracle::cases(1_500))]

    #[test]
    fn an_earlier_selection_changes_the_work_alone(
        jobs in prop::collection::vec((prop::collection::vec((values(), values()), 0..5), 0.0..9.0_f64), 1..7),
        limits in (0.0..30.0_f64, -5.0..5.0_f64),
        which in 0..4_usize,
        serve in 0..3_usize,
        work in 0..400_u64,
    ) {
        let (rows, numbers): (Vec<_>, Vec<f64>) = jobs.into_iter().unzip();
        let batch = Alternatives::new(&rows).unwrap();
        let service = match serve {
            0 => Service::MostJobs,
            1 => Service::GreatestWeight(numbers.iter().map(|number| number.floor()).collect()),
            _ => Service::Penalties(numbers),
        };
        let problem = |limit: f64| match which {
            0 => Problem::MinTime { budget: limit },
            1 => Problem::MinCost { time_limit: limit },
            2 => Problem::MaxTime { budget: limit },
            _ => Problem::MaxIncome { time_limit: limit },
        };
        let (before, now) = (problem(limits.0), problem(limits.0 + limits.1));
        let (mut scratch, limit) = (Scratch::default(), Limit::default());
        let known = select(&batch, before, &service, &mut scratch, &mut limit.meter()).unwrap();
        let Some(known) = known.incumbent else { return Ok(()) };
        let cold = select(&batch, now, &service, &mut scratch, &mut limit.meter()).unwrap();
        let warm = select_from(&batch, now, &service, &known.picks, &mut scratch, &mut limit.meter()).unwrap();
        prop_assert_eq!((cold.end, warm.end), (End::Done, End::Done));
        let of = |outcome: &Outcome<Selection>| {
            outcome.incumbent.as_ref().map(|best| ranks(now, &service, best, outcome.value.unwrap()))
        };
        prop_assert_eq!(of(&warm), of(&cold));
        // Wherever it is stopped, it is no worse than what is known.
        let little = Limit::default().with_work(work);
        let stopped = select_from(&batch, now, &service, &known.picks, &mut scratch, &mut little.meter()).unwrap();
        if keeps(now, &known) {
            let repeated = Limit::default();
            let same = select_from(&batch, now, &service, &known.picks, &mut scratch, &mut repeated.meter());
            prop_assert_eq!(same.unwrap(), warm);
            let value = |of: &Selection| match (&service, which) {
                (Service::Penalties(_), 0 | 2) => of.time + if which == 2 { -of.left_out } else { of.left_out },
                (Service::Penalties(_), _) => of.cost + if which == 3 { -of.left_out } else { of.left_out },
                (_, 0 | 2) => of.time,
                _ => of.cost,
            };
            let found = stopped.incumbent.unwrap();
            let (found, known) = (
                ranks(now, &service, &found, value(&found)),
                ranks(now, &service, &known, value(&known)),
            );
            prop_assert!(found.0 < known.0 || found.0 == known.0 && found.1 <= known.1 + 1e-9, "{found:?} {known:?}");
        }
    }
}

/// Costs near 200 less the time: many choices are nearly as good.
fn noisy(jobs: u64, alternatives: u64, seed: u64) -> Alternatives {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut pair = || {
        let time = 50.0 + 100.0 * next();
        (200.0 - time + 2.0 * next(), time)
    };
    let rows: Vec<Vec<(f64, f64)>> = (0..jobs).map(|_| (0..alternatives).map(|_| pair()).collect()).collect();
    Alternatives::new(&rows).unwrap()
}

#[test]
fn the_best_as_a_start_takes_less_work() {
    let (mut scratch, limit) = (Scratch::default(), Limit::default());
    let (mut colder, mut warmer) = (0, 0);
    for seed in 0..6 {
        let batch = noisy(20, 20, seed);
        let problem = Problem::MinTime { budget: 1_900.0 };
        let penalties = Service::Penalties(vec![130.0; 20]);
        for service in
            [Service::MostJobs, Service::GreatestWeight((1..=20).map(f64::from).collect()), penalties]
        {
            let cold = select(&batch, problem, &service, &mut scratch, &mut limit.meter()).unwrap();
            let known = cold.incumbent.unwrap().picks;
            let warm =
                select_from(&batch, problem, &service, &known, &mut scratch, &mut limit.meter()).unwrap();
            assert_eq!(warm.value, cold.value);
            colder += cold.work;
            warmer += warm.work;
        }
    }
    assert!(warmer * 10 < colder * 9, "{warmer} of {colder}");
}

#[test]
fn a_schedule_starts_from_an_earlier_one() {
    use sched_model::{JobId, Node, NodeId, Placement, Price, Slot, Span, Speed, Time, Window};
    let window = |node: u32, price: f64, span: f64| {
        let node = Node::new(NodeId(node), Speed::ETALON, Price::must(price));
        let slot = Slot::new(node, Time::ZERO, Time::must(99.0)).unwrap();
        Window::new(Time::ZERO, vec![Placement::on(&slot, Time::ZERO, Span::must(span))]).unwrap()
    };
    let (one, two) = ([window(1, 2.0, 5.0), window(2, 5.0, 4.0)], [window(3, 2.0, 5.0), window(4, 5.0, 4.0)]);
    let offers = || [(JobId(1), &one[..], None), (JobId(2), &two[..], None)];
    let goal = |budget| Goal::MinTime { budget: Some(budget) };
    let first = Planner::new(goal(30.0)).plan(offers()).unwrap();
    assert_eq!(first.schedule.total_runtime(), Span::must(9.0));
    let nothing = Limit::default().with_work(0);
    for service in [None, Some(Service::MostJobs)] {
        let planner = |budget| {
            let planner = Planner::new(goal(budget)).with_known(first.schedule.clone());
            match &service {
                Some(service) => planner.with_service(service.clone()),
                None => planner,
            }
        };
        // Where it may not take one step, the earlier schedule is what is left.
        let stopped = planner(40.0).with_limit(nothing.clone()).plan(offers()).unwrap();
        assert_eq!(stopped.schedule, first.schedule);
        assert_eq!(planner(40.0).plan(offers()).unwrap().schedule.total_runtime(), Span::must(8.0));
        // An earlier schedule that is too expensive now.
        assert_eq!(planner(20.0).plan(offers()).unwrap().schedule.total_runtime(), Span::must(10.0));
    }
}

#[test]
fn what_is_wrong_is_named() {
    let batch = Alternatives::new(&[vec![(1.0, 1.0)], vec![(2.0, 1.0)]]).unwrap();
    let ask = |known: &[Option<usize>]| {
        let problem = Problem::MinTime { budget: 9.0 };
        let limit = Limit::default();
        select_from(&batch, problem, &Service::MostJobs, known, &mut Scratch::default(), &mut limit.meter())
    };
    assert_eq!(ask(&[None]), Err(BatchError::Count { jobs: 2, given: 1 }));
    assert_eq!(ask(&[None, Some(1)]), Err(BatchError::NoSuchAlternative { job: 1, alternative: 1 }));
    assert!(ask(&[None, Some(0)]).is_ok());
}
