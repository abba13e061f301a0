//! Every registered algorithm against brute force, on values whose sums are exact.

use crate::oracle::solve;
use batch_dp::*;
use proptest::prelude::*;
use sched_model::{End, Limit, Proof};

/// Numbers that are multiples of 2^-16: sums of a few are exact, so every algorithm must agree to the bit.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0..20u32).prop_map(f64::from),
        (0..40_000_000u32).prop_map(|n| f64::from(n) / 65_536.0),
        Just(0.0),
    ]
}

fn batches() -> impl Strategy<Value = Vec<Vec<(f64, f64)>>> {
    prop::collection::vec(prop::collection::vec((number(), number()), 1..6), 0..6)
}

/// The least objective among all combinations that fit; and the least use of the limited criterion.
fn brute_force(jobs: &[Vec<(f64, f64)>], problem: Problem) -> (Option<f64>, f64) {
    let mut sums = vec![(0.0, 0.0)];
    for job in jobs {
        sums = sums.iter().flat_map(|&(c, t)| job.iter().map(move |&(dc, dt)| (c + dc, t + dt))).collect();
    }
    let split = |&(cost, time): &(f64, f64)| match problem {
        Problem::MinTime { budget } => (time, cost, budget),
        Problem::MinCost { time_limit } => (cost, time, time_limit),
        Problem::MaxIncome { time_limit } => (-cost, time, time_limit),
        _ => unreachable!(),
    };
    let fitting = sums.iter().map(split).filter(|&(_, used, limit)| used <= limit);
    let best = fitting.map(|(objective, ..)| objective).min_by(f64::total_cmp);
    let least = sums.iter().map(|sum| split(sum).1).min_by(f64::total_cmp).unwrap();
    (best, least)
}

fn problems(limit: f64) -> [Problem; 3] {
    [
        Problem::MinTime { budget: limit },
        Problem::MinCost { time_limit: limit },
        Problem::MaxIncome { time_limit: limit },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_algorithm_equals_brute_force(jobs in batches(), limit in number(), factor in 1..6u8) {
        let batch = Alternatives::new(&jobs).unwrap();
        let mut scratch = Scratch::default();
        for problem in problems(limit * f64::from(factor)) {
            let (best, least) = brute_force(&jobs, problem);
            for &kind in ChooserKind::ALL {
                let decision = solve(kind, &batch, problem, &mut scratch);
                match (&decision, best) {
                    (BatchDecision::Chosen(outcome), Some(best)) => {
                        let choice = outcome.incumbent.as_ref().unwrap();
                        prop_assert_eq!(outcome.proof(), Proof::Exact);
                        prop_assert_eq!(choice.picks.len(), jobs.len());
                        let (cost, time) = choice.picks.iter().zip(&jobs).fold((0.0, 0.0), |(c, t), (&pick, job)| {
                            (c + job[pick].0, t + job[pick].1)
                        });
                        prop_assert_eq!((choice.cost, choice.time), (cost, time));
                        let objective = match problem {
                            Problem::MinTime { .. } => time,
                            Problem::MinCost { .. } => cost,
                            _ => -cost,
                        };
                        prop_assert_eq!(objective, best, "{} on {:?}", kind, problem);
                    }
                    (BatchDecision::OutOfReach { least: said, .. }, None) => prop_assert_eq!(*said, least),
                    _ => prop_assert!(false, "{kind}: {decision:?}, brute force {best:?}"),
                }
            }
        }
    }

    #[test]
    fn the_front_is_every_undominated_point(jobs in batches()) {
        let batch = Alternatives::new(&jobs).unwrap();
        let front = Front::of(&batch, FRONT_CAP).unwrap().unwrap();
        let mut sums = vec![(0.0, 0.0)];
        for job in &jobs {
            sums = sums.iter().flat_map(|&(c, t)| job.iter().map(move |&(dc, dt)| (c + dc, t + dt))).collect();
        }
        sums.sort_by(|a: &(f64, f64), b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut expected: Vec<(f64, f64)> = Vec::new();
        for sum in sums {
            if expected.last().is_none_or(|last| sum.1 < last.1) {
                expected.push(sum);
            }
        }
        let points: Vec<(f64, f64)> = front.points().iter().map(|point| (point.cost, point.time)).collect();
        prop_assert_eq!(&points, &expected);
        for (at, &point) in points.iter().enumerate() {
            let sum = front.picks(at).iter().zip(&jobs).fold((0.0, 0.0), |(c, t), (&pick, job)| {
                (c + job[pick].0, t + job[pick].1)
            });
            prop_assert_eq!(sum, point);
        }
        // Both ends, and the least of a weighted sum, lie on it.
        let any = f64::INFINITY;
        let cheap = front.best(any, any, &Preference::Lexicographic(vec![VectorCriterion::BudgetLeft])).unwrap().unwrap();
        prop_assert_eq!((cheap.cost, cheap.time), expected[0]);
        let quick = front.best(any, any, &Preference::Lexicographic(vec![VectorCriterion::Time])).unwrap().unwrap();
        prop_assert_eq!((quick.cost, quick.time), expected[expected.len() - 1]);
        let weights = Weights { cost: 1.0, time_left: 2.0, ..Weights::default() };
        let score = |(cost, time): (f64, f64)| cost + 2.0 * time;
        let best = front.best(any, any, &Preference::Weighted(weights)).unwrap().unwrap();
        let least = expected.iter().copied().map(score).min_by(f64::total_cmp).unwrap();
        prop_assert_eq!(score((best.cost, best.time)), least);
    }

    /// Strongly correlated values leave long cores; the recurrence as published is the oracle.
    #[test]
    fn both_algorithms_agree_on_correlated_values(
        times in prop::collection::vec(prop::collection::vec((1..64_000u32, -600..600i32), 2..9), 2..7),
        share in 0..100u32,
    ) {
        let jobs: Vec<Vec<(f64, f64)>> = times
            .iter()
            .map(|job| {
                job.iter()
                    .map(|&(time, noise)| ((f64::from(2 * time) + f64::from(noise)) / 64.0, f64::from(time) / 64.0))
                    .collect()
            })
            .collect();
        let batch = Alternatives::new(&jobs).unwrap();
        let mut scratch = Scratch::default();
        let most: f64 = jobs.iter().map(|job| job.iter().map(|pair| pair.0).fold(0.0, f64::max)).sum();
        for problem in problems((most * f64::from(share) / 100.0).floor()) {
            let value = |kind: ChooserKind, scratch: &mut Scratch| {
                let decision = solve(kind, &batch, problem, scratch);
                decision.choice().map(|choice| match problem {
                    Problem::MinTime { .. } => choice.time,
                    _ => choice.cost,
                })
            };
            let exact = value(ChooserKind::BackwardRun, &mut scratch);
            prop_assert_eq!(value(ChooserKind::ExpandingCore, &mut scratch), exact);
        }
    }
}

#[test]
fn jobs_without_alternatives_are_named() {
    let batch = Alternatives::new(&[vec![(1.0, 1.0)], vec![], vec![(1.0, 1.0)], vec![]]).unwrap();
    for &kind in ChooserKind::ALL {
        for problem in problems(10.0) {
            let decision = solve(kind, &batch, problem, &mut Scratch::default());
            assert_eq!(decision, BatchDecision::NoAlternative { jobs: vec![1, 3] });
        }
    }
    assert!(Front::of(&batch, FRONT_CAP).unwrap().is_none());
}

#[test]
fn degenerate_batches() {
    let same = vec![vec![(2.0, 3.0); 9]; 50];
    let huge: Vec<Vec<(f64, f64)>> = (0..20)
        .map(|job| (1..5).map(|at| (1e12 * f64::from(at), 1e12 / f64::from(at + job))).collect())
        .collect();
    let negative = vec![vec![(-5.0, 1.0), (3.0, -2.0)], vec![(0.0, 0.0), (-1.0, -1.0)]];
    for jobs in [vec![], same, huge, negative] {
        let batch = Alternatives::new(&jobs).unwrap();
        for &kind in ChooserKind::ALL {
            for limit in [f64::NEG_INFINITY, -1.0, 0.0, 100.0, 3e13, f64::INFINITY] {
                for problem in problems(limit) {
                    let decision = solve(kind, &batch, problem, &mut Scratch::default());
                    if limit == f64::INFINITY {
                        assert!(decision.choice().is_some());
                    }
                    if limit == f64::NEG_INFINITY {
                        assert!(decision.choice().is_none());
                    }
                }
            }
        }
    }
}

/// On equal ratios every combination meets the bound: the search must stop at the first that fills the limit
/// instead of walking through all of them.
#[test]
fn combinations_on_one_line_do_not_explode() {
    let jobs: Vec<Vec<(f64, f64)>> = (0..60)
        .map(|job| {
            (0..40)
                .map(|at| f64::from(1 + (job * 31 + at * 17) % 997))
                .map(|time| (-2.0 * time, time))
                .collect()
        })
        .collect();
    let batch = Alternatives::new(&jobs).unwrap();
    let decision = choose(&batch, Problem::MinCost { time_limit: 20_000.0 }).unwrap();
    assert_eq!(decision.choice().unwrap().cost, -40_000.0);
}

#[test]
fn malformed_input_is_named() {
    let error = Alternatives::new(&[vec![(1.0, 1.0)], vec![(1.0, 2.0), (1.0, f64::NAN)]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the time of alternative 1 of job 1 must be a finite number up to 1e120, got NaN"
    );
    let batch = Alternatives::new(&[vec![(1.0, 1.0)]]).unwrap();
    assert!(choose(&batch, Problem::MinTime { budget: f64::NAN }).is_err());
    assert!(
        "no-such".parse::<ChooserKind>().unwrap_err().to_string().contains("expanding-core, backward-run")
    );
    let front = Front::of(&batch, FRONT_CAP).unwrap().unwrap();
    let none = Preference::Lexicographic(vec![]);
    assert_eq!(front.best(1.0, 1.0, &none), Err(BatchError::NoCriterion));
    let negative = Preference::Weighted(Weights { time: -1.0, ..Weights::default() });
    assert!(front.best(1.0, 1.0, &negative).is_err());
    assert_eq!(
        Front::of(&Alternatives::new(&vec![vec![(1.0, 2.0), (2.0, 1.0)]; 8]).unwrap(), 5).unwrap_err(),
        BatchError::FrontTooLarge { cap: 5, jobs: 5, of: 8 }
    );
}

#[test]
fn a_limit_of_work_gives_up_the_proof_and_says_so() {
    let jobs: Vec<Vec<(f64, f64)>> = (0..12u32)
        .map(|job| {
            (0..12u32)
                .map(|at| {
                    let time = f64::from(1_000 + (job * 7_919 + at * 104_729) % 9_973);
                    (2.0 * time + f64::from((job * 31 + at * 57) % 97), time)
                })
                .collect()
        })
        .collect();
    let batch = Alternatives::new(&jobs).unwrap();
    let problem = Problem::MaxIncome { time_limit: 70_001.0 };
    let exact = choose(&batch, problem).unwrap();
    let limit = Limit::default().with_work(3_000);
    let stopped = ExpandingCore.choose(&batch, problem, &mut Scratch::default(), &mut limit.meter()).unwrap();
    let (BatchDecision::Chosen(exact), BatchDecision::Chosen(stopped)) = (exact, stopped) else { panic!() };
    assert_eq!((exact.end, exact.gap()), (End::Done, Some(0.0)));
    assert_eq!((stopped.end, stopped.proof()), (End::Work, Proof::LimitReached));
    let gap = stopped.gap().unwrap();
    let lost = exact.value.unwrap() - stopped.value.unwrap();
    assert!((0.0..=gap).contains(&lost), "{lost} of {gap}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// From any known choice, within the limit or not, the answer is as good as from none; stopped anywhere,
    /// it is no worse than what was known.
    #[test]
    fn a_known_choice_changes_no_answer(
        jobs in batches(),
        limit in number(),
        factor in 1..6u8,
        known in prop::collection::vec(0usize..60, 6),
        work in 0u64..400,
    ) {
        let batch = Alternatives::new(&jobs).unwrap();
        let mut scratch = Scratch::default();
        let known: Vec<usize> = jobs.iter().zip(known).map(|(job, at)| at % job.len()).collect();
        for (problem, kind) in problems(limit * f64::from(factor)).into_iter().flat_map(|problem| ChooserKind::ALL.iter().map(move |kind| (problem, kind))) {
            let (chooser, within) = (kind.build(), Limit::default());
            let plain = chooser.choose(&batch, problem, &mut scratch, &mut within.meter()).unwrap();
            let warm = chooser.choose_from(&batch, problem, &known, &mut scratch, &mut within.meter()).unwrap();
            let sums = |decision: &BatchDecision| decision.choice().map(|choice| (choice.cost, choice.time));
            prop_assert_eq!(sums(&warm), sums(&plain));
            let own = known.iter().zip(&jobs).fold((0.0, 0.0), |sum, (&at, job)| (sum.0 + job[at].0, sum.1 + job[at].1));
            let (value, used, limit) = match problem {
                Problem::MinTime { budget } => (own.1, own.0, budget),
                Problem::MinCost { time_limit } => (own.0, own.1, time_limit),
                Problem::MaxIncome { time_limit } => (-own.0, own.1, time_limit),
                _ => unreachable!(),
            };
            let little = Limit::without_limit().with_work(work);
            let stopped =
                chooser.choose_from(&batch, problem, &known, &mut scratch, &mut little.meter()).unwrap();
            if used <= limit {
                let choice = stopped.choice().unwrap();
                let found = if let Problem::MinTime { .. } = problem { choice.time } else { choice.cost };
                let sign = if let Problem::MaxIncome { .. } = problem { -1.0 } else { 1.0 };
                prop_assert!(sign * found <= value, "{kind}: {stopped:?} from {own:?}");
            }
        }
    }
}

#[test]
fn a_known_choice_must_be_one_of_the_batch() {
    let batch = Alternatives::new(&[vec![(1.0, 1.0)], vec![(2.0, 1.0), (1.0, 2.0)]]).unwrap();
    let (limit, problem) = (Limit::default(), Problem::MinTime { budget: 9.0 });
    for kind in ChooserKind::ALL {
        let from = |known: &[usize]| {
            kind.build().choose_from(&batch, problem, known, &mut Scratch::default(), &mut limit.meter())
        };
        assert_eq!(from(&[0]), Err(BatchError::Count { jobs: 2, given: 1 }));
        assert_eq!(from(&[0, 2]), Err(BatchError::NoSuchAlternative { job: 1, alternative: 2 }));
        assert!(from(&[0, 1]).is_ok());
    }
}

#[test]
fn every_chooser_has_the_name_of_its_kind() {
    for &kind in ChooserKind::ALL {
        assert_eq!(kind.build().name(), kind.name());
    }
}

/// A unit of time costs 10^-250: no multiplier is a double. One job can be sped up, the second gains more.
#[test]
fn values_too_far_apart_for_a_multiplier_are_chosen_by() {
    let least = 1e-200;
    let rows = [1e50, 3e50, 1e49].map(|time| vec![(0.0, time), (least, 0.0)]);
    let batch = Alternatives::new(&rows).unwrap();
    for &kind in ChooserKind::ALL {
        let decision = solve(kind, &batch, Problem::MinTime { budget: least }, &mut Scratch::default());
        assert_eq!(decision.choice().unwrap().picks, [0, 1, 0], "{kind}");
    }
    // The bound holds wherever the search is stopped.
    for work in 0..500 {
        let limit = Limit::default().with_work(work);
        let problem = Problem::MinTime { budget: least };
        let decision =
            ExpandingCore.choose(&batch, problem, &mut Scratch::default(), &mut limit.meter()).unwrap();
        let BatchDecision::Chosen(outcome) = decision else { panic!("a choice is within the limit") };
        assert!(outcome.bound.is_none_or(|bound| bound <= 1e50 + 1e49), "{work}: {outcome:?}");
    }
}
