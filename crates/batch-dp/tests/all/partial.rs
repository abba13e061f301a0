//! Batches that need not be served whole, against all selections.

// Outside of #[test] functions clippy does not know that this is a test.

use crate::oracle;
use crate::oracle::Exact;
use batch_dp::*;
use proptest::prelude::*;
use sched_model::{End, Limit, Progress, Sense};

/// Every selection: cost, time, what is left out, all exact, and what it picks.
fn all(jobs: &[Vec<(f64, f64)>], lost: &[f64]) -> Vec<(Exact, Exact, Exact, Vec<Option<usize>>)> {
    let zero = Exact::of(0.0);
    let mut all = vec![(zero, zero, zero, Vec::new())];
    for (job, &lost) in jobs.iter().zip(lost) {
        all = all
            .into_iter()
            .flat_map(|(cost, time, left, picks)| {
                let with = |pick: Option<usize>| {
                    let mut picks = picks.clone();
                    picks.push(pick);
                    picks
                };
                let mut next = vec![(cost, time, left.plus(lost), with(None))];
                next.extend(
                    job.iter()
                        .enumerate()
                        .map(|(pick, &(c, t))| (cost.plus(c), time.plus(t), left, with(Some(pick)))),
                );
                next
            })
            .collect();
    }
    all
}

/// What is minimised and what is limited, exact.
fn sides(problem: Problem, cost: Exact, time: Exact) -> (Exact, Exact) {
    match problem {
        Problem::MinTime { .. } => (time, cost),
        Problem::MinCost { .. } => (cost, time),
        Problem::MaxTime { .. } => (time.negated(), cost),
        _ => (cost.negated(), time),
    }
}

fn values() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0..12_u32).prop_map(f64::from),
        (0..60_u32).prop_map(|tenths| f64::from(tenths) / 10.0),
        (0..4_000_u32).prop_map(|n| f64::from(n) / 7.0),
        Just(0.0),
    ]
}

fn jobs() -> impl Strategy<Value = Vec<(Vec<(f64, f64)>, f64)>> {
    prop::collection::vec((prop::collection::vec((values(), values()), 0..5), values()), 0..6)
}

proptest! {
    #![proptest_config(oracle::cases(1_500))]

    #[test]
    fn selections_are_the_best_of_all(
        jobs in jobs(),
        place in 0.0..1.0_f64,
        which in 0..4_usize,
        kind in 0..3_usize,
    ) {
        let (rows, numbers): (Vec<_>, Vec<f64>) = jobs.into_iter().unzip();
        let batch = Alternatives::new(&rows).unwrap();
        let lost: Vec<f64> = match kind {
            0 => numbers,
            1 => vec![1.0; rows.len()],
            _ => numbers.iter().map(|number| number.floor()).collect(),
        };
        let service = match kind {
            0 => Service::Penalties(lost.clone()),
            1 => Service::MostJobs,
            _ => Service::GreatestWeight(lost.clone()),
        };
        let all = all(&rows, &lost);
        // Often the very sum of some selection.
        let at = ((all.len() - 1) as f64 * place) as usize;
        let problem = match which {
            0 => Problem::MinTime { budget: all[at].0.rounded() },
            1 => Problem::MinCost { time_limit: all[at].1.rounded() },
            2 => Problem::MaxTime { budget: all[at].0.rounded() },
            _ => Problem::MaxIncome { time_limit: all[at].1.rounded() },
        };
        let limit = oracle::limit(&problem);
        // In order: service, objective as rounded, weight as rounded.
        let best = all
            .iter()
            .filter_map(|(cost, time, left, _)| {
                let (p, w) = sides(problem, *cost, *time);
                let key = if kind == 0 { (Exact::of(0.0), p.added(*left).rounded()) } else { (*left, p.rounded()) };
                (w.rounded() <= limit).then_some((key.0, key.1, w.rounded()))
            })
            .min_by(|a, b| a.partial_cmp(b).unwrap())
            .unwrap();
        let outcome =
            select(&batch, problem, &service, &mut Scratch::default(), &mut Limit::default().meter()).unwrap();
        prop_assert_eq!(outcome.end, End::Done);
        let found = outcome.incumbent.unwrap();
        let (cost, time, left, _) = all.iter().find(|selection| selection.3 == found.picks).unwrap();
        prop_assert_eq!((found.cost, found.time), (cost.rounded(), time.rounded()));
        prop_assert_eq!(found.left_out, left.rounded());
        let (p, w) = sides(problem, *cost, *time);
        let key = if kind == 0 { (Exact::of(0.0), p.added(*left).rounded()) } else { (*left, p.rounded()) };
        prop_assert_eq!((key.0, key.1, w.rounded()), best, "{:?} {:?}", problem, service);
        let sign = if problem.sense() == Sense::Maximise { -1.0 } else { 1.0 };
        prop_assert_eq!(outcome.value, Some(sign * key.1 + 0.0));
    }
}

#[test]
fn what_is_wrong_is_named() {
    let batch = Alternatives::new(&[vec![(1.0, 1.0)], vec![(2.0, 1.0)]]).unwrap();
    let problem = Problem::MinTime { budget: 1.0 };
    let ask = |service: &Service, problem| {
        select(&batch, problem, service, &mut Scratch::default(), &mut Limit::default().meter())
    };
    assert_eq!(ask(&Service::Penalties(vec![1.0]), problem), Err(BatchError::Count { jobs: 2, given: 1 }));
    let negative = Service::GreatestWeight(vec![1.0, -1.0]);
    assert_eq!(ask(&negative, problem), Err(BatchError::Service { job: 1, value: -1.0 }));
    assert!(ask(&Service::Penalties(vec![1.0, f64::NAN]), problem).is_err());
    assert!(ask(&Service::MostJobs, Problem::MinTime { budget: f64::NAN }).is_err());
    assert!(ask(&Service::MostJobs, Problem::MinTime { budget: -1.0 }).unwrap().is_infeasible());
    let stopped = select(
        &batch,
        problem,
        &Service::MostJobs,
        &mut Scratch::default(),
        &mut Limit::default().with_work(3).meter(),
    );
    assert_eq!(stopped.unwrap().end, End::Work);
}

/// Three jobs of one window each under a budget for two: the third is refused with what it lacks.
#[test]
fn a_plan_serves_as_many_as_it_can() {
    use sched_model::*;
    let window = |node: u32, price: f64| {
        let node = Node::new(NodeId(node), Speed::ETALON, Price::must(price));
        let slot = Slot::new(node, Time::ZERO, Time::must(99.0)).unwrap();
        vec![Window::new(Time::ZERO, vec![Placement::on(&slot, Time::ZERO, Span::must(2.0))]).unwrap()]
    };
    let windows = [window(1, 5.0), window(2, 2.0), window(3, 3.0)];
    let offers = || (0..).map(JobId).zip(&windows).map(|(job, windows)| (job, windows.as_slice(), None));
    let goal = Goal::MinTime { budget: Some(11.0) };
    let plan = Planner::new(goal).plan(offers()).unwrap();
    assert_eq!(plan.schedule.placed().count(), 0);
    let plan = Planner::new(goal).with_service(Service::MostJobs).plan(offers()).unwrap();
    let placed: Vec<JobId> = plan.schedule.placed().map(|(job, _)| job).collect();
    assert_eq!(placed, [JobId(1), JobId(2)]);
    assert_eq!(plan.schedule.refused().next(), Some((JobId(0), &Refusal::BatchLimit { short_by: 9.0 })));
    // The greatest weight is that of the first job alone, although two others could be served instead.
    let service = Service::GreatestWeight(vec![5.0, 1.0, 1.0]);
    let plan = Planner::new(goal).with_service(service).plan(offers()).unwrap();
    assert_eq!(plan.schedule.placed().map(|(job, _)| job).collect::<Vec<_>>(), [JobId(0)]);
}

/// Windows of two jobs on one node at the same time are refused, with both named; those of one job may
/// overlap.
#[test]
fn conflicting_windows_are_refused() {
    use sched_model::*;
    let window = |node: u32, start: f64, span: f64| {
        let node = Node::new(NodeId(node), Speed::ETALON, Price::must(1.0));
        let slot = Slot::new(node, Time::ZERO, Time::must(99.0)).unwrap();
        let start = Time::must(start);
        Window::new(start, vec![Placement::on(&slot, start, Span::must(span))]).unwrap()
    };
    let plan = |jobs: &[Vec<Window>]| {
        let offers = (1..).map(JobId).zip(jobs).map(|(job, windows)| (job, windows.as_slice(), None));
        Planner::new(Goal::MinCost { time_limit: Some(1e9) }).plan(offers).map(|plan| plan.schedule.len())
    };
    let (long, inside) = (window(7, 0.0, 50.0), window(7, 20.0, 5.0));
    assert_eq!(plan(&[vec![long.clone(), inside.clone()], vec![window(7, 50.0, 5.0)]]), Ok(2));
    let conflict = |first, second| {
        Err(BatchError::Conflict { first: JobId(first), second: JobId(second), node: NodeId(7) })
    };
    assert_eq!(plan(&[vec![long.clone()], vec![inside.clone()]]), conflict(1, 2));
    // The first window of job 1 still runs when job 3 starts, behind a window of job 2 that has ended, and
    // one of job 1.
    let jobs = [vec![long.clone(), window(7, 1.0, 2.0)], vec![], vec![window(7, 49.0, 5.0)]];
    assert_eq!(plan(&jobs), conflict(1, 3));
    let jobs = [vec![long, window(7, 52.0, 20.0)], vec![window(7, 50.0, 1.0)], vec![window(7, 71.0, 5.0)]];
    assert_eq!(plan(&jobs), conflict(1, 3));
}

/// Times below the normal doubles beside costs of 10^60: one of two jobs can be served, the second faster.
#[test]
fn the_least_numbers_decide_beside_the_greatest() {
    let batch =
        Alternatives::new(&[vec![(1e59, 4e-323)], vec![], vec![(1e60, 0.0), (3e59, 1.5e-323)], vec![]])
            .unwrap();
    let problem = Problem::MinTime { budget: 3.2905345711725457e+59 };
    let ask = |service: &Service| {
        select(&batch, problem, service, &mut Scratch::default(), &mut Limit::default().meter()).unwrap()
    };
    let most = ask(&Service::MostJobs).incumbent.unwrap();
    assert_eq!((most.picks.as_slice(), most.time), ([None, None, Some(1), None].as_slice(), 1.5e-323));
}

/// A penalty of 10^44 makes the multiplier so great at first that the objectives of the others are lost
/// beside it.
#[test]
fn a_great_penalty_hides_no_better_alternative() {
    let batch = Alternatives::new(&[vec![(1.0, 0.0), (2.0, 8.5), (1.0, 4.0)], vec![(1.0, 4.8)]]).unwrap();
    let service = Service::Penalties(vec![1e44, 0.0]);
    let problem = Problem::MaxTime { budget: 2.0 };
    let answer =
        select(&batch, problem, &service, &mut Scratch::default(), &mut Limit::default().meter()).unwrap();
    assert_eq!(answer.incumbent.unwrap().picks, [Some(2), Some(0)]);
}

/// At the first multipliers, some 10^20 and more, a loss of a few units is lost in rounding: an alternative
/// that is best at the last one must not be taken for worse, nor the reduction exclude what goes with it.
#[test]
fn what_was_lost_at_a_great_multiplier_is_found_again() {
    let four: Vec<Vec<(f64, f64)>> = vec![
        vec![(2.0, 2e30), (0.5, -6.9), (1.0, -9.0)],
        vec![(1.0, -2.3), (1.0, -7.0)],
        vec![(1.0, -1.7), (2.0, -8.7), (1.0, -7.4), (0.0, 5e29)],
        vec![(0.5, -1.7), (1.0, -4.7), (2.0, -9.3)],
        vec![(3.0, -2.6)],
    ];
    let two: Vec<Vec<(f64, f64)>> = vec![
        vec![(1.0, -6.5)],
        vec![(2.0, 1e20), (2.0, -0.3), (0.0, -9.3), (3.0, -1.8)],
        vec![(3.0, -0.3)],
        vec![(0.5, 1e20), (1.0, -2.6), (2.0, -7.7), (1.0, -6.6)],
    ];
    for (jobs, budget, weights, expected) in [
        (four, 4.0, vec![1.0, 3.0, 1.0, 2.0, 3.0], vec![Some(2), Some(1), Some(2), Some(1), None]),
        (two, 1.0, vec![1.0, 2.0, 1.0, 1.0], vec![None, Some(2), None, Some(3)]),
    ] {
        let batch = Alternatives::new(&jobs).unwrap();
        let (problem, service) = (Problem::MinTime { budget }, Service::GreatestWeight(weights));
        let limit = Limit::default();
        let found = select(&batch, problem, &service, &mut Scratch::default(), &mut limit.meter()).unwrap();
        assert_eq!(found.end, End::Done);
        assert_eq!(found.incumbent.unwrap().picks, expected);
    }
}

#[test]
fn below_a_limit_of_zero_a_negative_cost_may_be_chosen() {
    let batch = Alternatives::new(&[vec![(-5.0, 1.0)], vec![(2.0, 1.0)]]).unwrap();
    let least = Service::Penalties(vec![1.0, 1.0]);
    for service in [Service::MostJobs, Service::GreatestWeight(vec![1.0, 1.0]), least] {
        let ask = |budget: f64| {
            let problem = Problem::MinTime { budget };
            let limit = Limit::default();
            select(&batch, problem, &service, &mut Scratch::default(), &mut limit.meter()).unwrap()
        };
        // Leaving both out costs 0, above -1; the first job costs less.
        let found = ask(-1.0).incumbent.unwrap();
        assert_eq!((found.picks[0], found.cost <= -1.0), (Some(0), true), "{service:?}");
        assert!(ask(-6.0).is_infeasible(), "{service:?}");
    }
    let nothing = Alternatives::new(&[] as &[Vec<(f64, f64)>]).unwrap();
    for (budget, is_infeasible) in [(-0.0, false), (0.0, false), (-5e-324, true)] {
        let problem = Problem::MinTime { budget };
        let limit = Limit::default();
        let outcome =
            select(&nothing, problem, &Service::MostJobs, &mut Scratch::default(), &mut limit.meter());
        assert_eq!(outcome.unwrap().is_infeasible(), is_infeasible, "{budget}");
    }
}

/// Where cost and time differ by a constant, the cheapest jobs are the shortest, and hundreds of them tie.
#[test]
fn jobs_that_tie_are_not_searched() {
    let mut seed = 7_u32;
    let rows: Vec<Vec<(f64, f64)>> = (0..400)
        .map(|_| {
            let pair = |_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let time = f64::from(50 + (seed >> 16) % 4);
                (time + 10.0, time)
            };
            (0..3).map(pair).collect()
        })
        .collect();
    let batch = Alternatives::new(&rows).unwrap();
    let (problem, limit) = (Problem::MinTime { budget: 0.6 * 400.0 * 60.0 }, Limit::default());
    let found =
        select(&batch, problem, &Service::MostJobs, &mut Scratch::default(), &mut limit.meter()).unwrap();
    assert_eq!(found.end, End::Done);
    assert!(found.work <= 20 * 1_200, "{}", found.work);
}

/// A gap is one of the criterion: however wide, the service stays the greatest, and the bound holds among the
/// choices of that service.
#[test]
fn a_gap_does_not_lessen_the_service() {
    let mut seed = 5_u64;
    let mut below = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    let mut gaps = 0;
    for _ in 0..150 {
        let jobs = 6 + below(12) as usize;
        let rows: Vec<Vec<(f64, f64)>> =
            (0..jobs).map(|_| (0..3).map(|_| (1.0 + below(40) as f64, below(60) as f64)).collect()).collect();
        let batch = Alternatives::new(&rows).unwrap();
        let weights: Vec<f64> = (0..jobs).map(|_| (1 + below(30)) as f64).collect();
        let users = UserBudgets::new((0..jobs).map(|job| job % 2).collect(), vec![3.0 * jobs as f64; 2]);
        let problem = Problem::MinTime { budget: 5.0 * jobs as f64 };
        for service in [Service::MostJobs, Service::GreatestWeight(weights)] {
            for with_users in [false, true] {
                let find = |limit: &Limit, observer: &mut (dyn FnMut(Progress) + Send)| {
                    let (mut scratch, mut meter) =
                        (Scratch::default(), limit.meter().with_observer(observer));
                    if with_users {
                        select_with_user_budgets(&batch, problem, &service, &users, &mut scratch, &mut meter)
                    } else {
                        select(&batch, problem, &service, &mut scratch, &mut meter)
                    }
                };
                let best = find(&Limit::default(), &mut |_| {}).unwrap();
                let (least, left_out) = (best.value.unwrap(), best.incumbent.unwrap().left_out);
                for limit in
                    [Limit::default().with_relative_gap(0.5), Limit::default().with_absolute_gap(9.0)]
                {
                    let mut told = Vec::new();
                    let found = find(&limit, &mut |progress| told.extend(progress.bound)).unwrap();
                    assert_eq!(found.incumbent.as_ref().unwrap().left_out, left_out);
                    let bound = found.bound.unwrap();
                    assert!(bound <= least && limit.gap_closed(found.value.unwrap(), bound), "{found:?}");
                    // Nor is an observer told of the service.
                    assert!(told.iter().all(|&bound| bound <= least), "{told:?}, {least}");
                    gaps += usize::from(found.end == End::Gap);
                }
            }
        }
    }
    assert!(gaps > 100, "{gaps}");
}

/// Two jobs that must be placed and one that may be left out for 4.
#[test]
fn a_penalty_of_infinity_forbids_leaving_out() {
    let jobs = [vec![(10.0, 1.0), (4.0, 5.0)], vec![(10.0, 1.0), (4.0, 5.0)], vec![(9.0, 2.0), (6.0, 3.0)]];
    let service = Service::Penalties(vec![f64::INFINITY, f64::INFINITY, 4.0]);
    let limit = Limit::default();
    let ask = |jobs: &[Vec<(f64, f64)>], service: &Service, problem| {
        let batch = Alternatives::new(jobs).unwrap();
        select(&batch, problem, service, &mut Scratch::default(), &mut limit.meter()).unwrap()
    };
    // The first two in times of 1 or 5 each, and 4 for the third that is left out.
    for (budget, value, picks) in [
        (20.0, 6.0, Some([Some(0), Some(0), None])),
        (19.0, 10.0, Some([Some(0), Some(1), None])),
        (8.0, 14.0, Some([Some(1), Some(1), None])),
        (8f64.next_down(), 0.0, None),
    ] {
        let found = ask(&jobs, &service, Problem::MinTime { budget });
        assert_eq!(found.is_infeasible(), picks.is_none(), "{budget}");
        assert_eq!(found.incumbent.map(|found| found.picks), picks.map(Vec::from), "{budget}");
        assert_eq!(found.value.unwrap_or_default(), value, "{budget}");
    }
    // In a batch of which every criterion is 0, or 10^60, nothing else decides.
    for scale in [0.0, 1e60, 5e-324] {
        let scaled = vec![vec![(1.0, scale)]; 3];
        let service = Service::Penalties(vec![0.0, f64::INFINITY, 0.0]);
        let found = ask(&scaled, &service, Problem::MinTime { budget: 1.0 });
        assert_eq!(found.incumbent.unwrap().picks[1], Some(0), "{scale}");
        let none = ask(&scaled, &service, Problem::MinTime { budget: 0.5 });
        assert!(none.is_infeasible());
    }
    // A job without alternatives cannot be placed.
    let without = vec![vec![(1.0, 1.0)], vec![]];
    let service = Service::Penalties(vec![1.0, f64::INFINITY]);
    assert!(ask(&without, &service, Problem::MinTime { budget: 9.0 }).is_infeasible());
}

#[test]
fn what_is_no_penalty_is_an_error() {
    let batch = Alternatives::new(&[vec![(1.0, 1.0)]]).unwrap();
    let limit = Limit::default();
    let (problem, scratch) = (Problem::MinTime { budget: 1.0 }, &mut Scratch::default());
    for value in [f64::NEG_INFINITY, 2e120, f64::NAN] {
        let error = select(&batch, problem, &Service::Penalties(vec![value]), scratch, &mut limit.meter());
        assert!(matches!(error, Err(BatchError::Service { job: 0, .. })), "{value}");
    }
    let weight = Service::GreatestWeight(vec![f64::INFINITY]);
    let error = select(&batch, problem, &weight, scratch, &mut limit.meter());
    assert_eq!(error, Err(BatchError::Service { job: 0, value: f64::INFINITY }));
}
