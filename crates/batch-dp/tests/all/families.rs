//! Every registered algorithm against all choices, on values of many kinds: exact sums, decimals whose sums
//! round differently in each order, ties, negative values, correlated ones. Limits are often the very sum of
//! some choice.

// Outside of #[test] functions clippy does not know that this is a test.

use crate::oracle;
use crate::oracle::solve;
use batch_dp::*;
use proptest::prelude::*;
use sched_model::{Limit, Proof};

/// Values on a grid of 2^-16 (all sums exact), decimals with many equal sums, whole numbers with many ties,
/// arbitrary doubles, and values of wildly different magnitudes.
fn values() -> impl Strategy<Value = Values> {
    prop_oneof![
        Just(Values::Grid),
        Just(Values::Tenths),
        Just(Values::Small),
        Just(Values::Any),
        Just(Values::Signed)
    ]
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Values {
    Grid,
    Tenths,
    Small,
    Any,
    Signed,
}

impl Values {
    fn of(self, seed: u32) -> f64 {
        match self {
            Self::Grid => f64::from(seed % 10_000_000) / 65536.0,
            Self::Tenths => f64::from(seed % 40) / 10.0,
            Self::Small => f64::from(seed % 6),
            Self::Any => f64::from(seed) / 7.0e3,
            Self::Signed => f64::from(seed % 4001) / 16.0 - 100.0,
        }
    }
}

/// A batch, and where between the least and the largest sum the limits lie.
fn batch() -> impl Strategy<Value = (Alternatives, f64)> {
    let pair = (any::<u32>(), any::<u32>(), any::<bool>());
    let jobs = prop::collection::vec(prop::collection::vec(pair, 1..6), 1..6);
    (values(), jobs, any::<bool>(), -0.05_f64..1.05).prop_map(|(kind, jobs, correlated, place)| {
        let batch = Alternatives::new(
            &jobs
                .into_iter()
                .map(|job| {
                    job.into_iter()
                        .map(move |(a, b, odd)| {
                            let time = kind.of(a);
                            let cost =
                                if correlated { 2.0 * time + f64::from(u8::from(odd)) } else { kind.of(b) };
                            (cost, time)
                        })
                        .collect::<Vec<_>>()
                })
                .collect::<Vec<_>>(),
        );
        (batch.unwrap(), place)
    })
}

/// A limit between the sums of the least and of the largest values; often the very sum of some choice.
fn limit(batch: &Alternatives, problem: &Problem, place: f64) -> f64 {
    let mut sums: Vec<f64> =
        oracle::all_totals(batch).into_iter().map(|t| oracle::sums(problem, t).1).collect();
    sums.sort_by(f64::total_cmp);
    let (least, most) = (sums[0], sums[sums.len() - 1]);
    if place < 0.0 {
        least - 1.0
    } else if place < 0.5 {
        sums[((sums.len() - 1) as f64 * place * 2.0) as usize]
    } else {
        least + (most - least) * (place - 0.5) * 2.0
    }
}

fn problems(batch: &Alternatives, place: f64) -> [Problem; 4] {
    let time_limit = limit(batch, &Problem::MinCost { time_limit: 0.0 }, place);
    let budget = limit(batch, &Problem::MinTime { budget: 0.0 }, place);
    [
        Problem::MinTime { budget },
        Problem::MinCost { time_limit },
        Problem::MaxIncome { time_limit },
        Problem::MaxTime { budget },
    ]
}

proptest! {
    #![proptest_config(oracle::cases(3000))]

    #[test]
    fn every_solver_finds_what_trying_all_finds((batch, place) in batch()) {
        let mut scratch = Scratch::default();
        for problem in problems(&batch, place) {
            let best = oracle::best(&batch, &problem);
            for &kind in ChooserKind::ALL {
                let decision = solve(kind, &batch, problem, &mut scratch);
                let short_by = decision.short_by();
                match (decision, best) {
                    (BatchDecision::Chosen(outcome), Ok(best)) => {
                        prop_assert_eq!(outcome.proof(), Proof::Exact);
                        let choice = outcome.incumbent.unwrap();
                        prop_assert_eq!(outcome.value, Some(problem.value(&choice)));
                        // The totals are those of the picks, and keep the limit to the bit.
                        prop_assert_eq!(oracle::totals(&batch, &choice.picks), (choice.cost, choice.time));
                        let sums = oracle::sums(&problem, (choice.cost, choice.time));
                        prop_assert!(sums.1 <= oracle::limit(&problem));
                        prop_assert_eq!(sums, best, "{} {:?}", kind, problem);
                    }
                    (BatchDecision::OutOfReach { limit, least }, Err(attained)) => {
                        prop_assert_eq!(limit, oracle::limit(&problem));
                        prop_assert_eq!(least, attained);
                        prop_assert_eq!(short_by, least - limit);
                    }
                    (decision, best) => prop_assert!(false, "{kind} {problem:?}: {decision:?}, all: {best:?}"),
                }
            }
        }
    }

    #[test]
    fn the_front_is_what_trying_all_leaves((batch, place) in batch(), mix in 1_u8..16) {
        let front = Front::of(&batch, FRONT_CAP).unwrap().unwrap();
        let expected = oracle::front(&batch, f64::INFINITY, f64::INFINITY);
        let points: Vec<_> = front.points().iter().map(|p| (p.cost, p.time)).collect();
        prop_assert_eq!(&points, &expected);
        for (index, point) in points.iter().enumerate() {
            prop_assert_eq!(oracle::totals(&batch, &front.picks(index)), *point);
        }
        // The best of a weighted sum within both limits.
        let [Problem::MinTime { budget }, Problem::MinCost { time_limit }, ..] = problems(&batch, place) else {
            unreachable!()
        };
        let (c, t) = (f64::from(mix % 4), f64::from(mix / 4));
        let value = |(cost, time): (f64, f64)| c * cost + t * time;
        let best = oracle::front(&batch, budget, time_limit).into_iter().map(value).min_by(f64::total_cmp);
        let weights = Weights { cost: c / 2.0, budget_left: c / 2.0, time: t, ..Weights::default() };
        let found = front.best(budget, time_limit, &Preference::Weighted(weights)).unwrap();
        prop_assert_eq!(found.map(|choice| value((choice.cost, choice.time))), best);
    }

    #[test]
    fn the_income_within_a_derived_limit_is_a_budget_that_can_be_kept((batch, _) in batch()) {
        let mut scratch = Scratch::default();
        for floor in [Floor::Sum, Floor::Term] {
            let limit = time_limit(&batch, floor);
            let most = budget(&batch, limit, &ExpandingCore, &mut scratch, &mut Limit::default().meter()).unwrap();
            if let Some(most) = most.choice() {
                for &kind in ChooserKind::ALL {
                    let problem = Problem::MinTime { budget: most.cost };
                    let decision = solve(kind, &batch, problem, &mut scratch);
                    prop_assert!(decision.choice().unwrap().time <= limit);
                }
            }
        }
    }

    #[test]
    fn a_used_scratch_changes_nothing((first, place) in batch(), (second, other) in batch()) {
        let mut used = Scratch::default();
        for (batch, place) in [(&first, place), (&second, other), (&first, place)] {
            for problem in problems(batch, place) {
                for &kind in ChooserKind::ALL {
                    let again = solve(kind, batch, problem, &mut used);
                    prop_assert_eq!(again, solve(kind, batch, problem, &mut Scratch::default()));
                }
            }
        }
    }
}

/// Decimals whose sums round one way in one order of the jobs and another way in another: the order decides
/// nothing.
#[test]
fn the_order_of_the_jobs_decides_nothing() {
    let mut jobs = vec![
        vec![(1.1, 0.0), (0.0, 0.8)],
        vec![(0.7, 2.0), (0.0, 1.1), (0.0, 2.8)],
        vec![(2.9, 0.1), (0.0, 1.0), (0.0, 1.0), (0.0, 1.8), (0.0, 1.0)],
        vec![(0.0, 2.0), (0.0, 2.0), (0.0, 2.0), (0.0, 0.0), (0.0, 0.2)],
        vec![(2.6, 0.0), (0.0, 1.7), (0.0, 1.7), (0.0, 0.9), (0.0, 1.5)],
    ];
    let problem = Problem::MinCost { time_limit: 2.9 };
    for _ in 0..jobs.len() {
        jobs.rotate_left(1);
        let batch = Alternatives::new(&jobs).unwrap();
        for &kind in ChooserKind::ALL {
            let decision = solve(kind, &batch, problem, &mut Scratch::default());
            assert_eq!(
                decision.choice().map(|choice| (choice.cost, choice.time)),
                Some((3.7, 2.1)),
                "{kind}"
            );
        }
    }
}

/// 0.4 + 0.2 + 0.3 + 0.1 + 0.2 is 1.2, although five additions in this order give 1.2000000000000002.
#[test]
fn a_budget_met_exactly_is_kept() {
    let jobs: Vec<Vec<(f64, f64)>> =
        [0.4, 0.2, 0.3, 0.1, 0.2].iter().map(|&cost| vec![(cost, 1.0), (cost - 0.05, 2.0)]).collect();
    let batch = Alternatives::new(&jobs).unwrap();
    for &kind in ChooserKind::ALL {
        let problem = Problem::MinTime { budget: 1.2 };
        let decision = solve(kind, &batch, problem, &mut Scratch::default());
        assert_eq!(decision.choice().map(|choice| (choice.cost, choice.time)), Some((1.2, 5.0)), "{kind}");
        let below = Problem::MinTime { budget: 1.2_f64.next_down() };
        let decision = solve(kind, &batch, below, &mut Scratch::default());
        assert_eq!(decision.choice().map(|choice| choice.time), Some(6.0), "{kind}");
    }
}

/// 2^53 + 1 lies in the middle of two doubles and goes to the even one: within a limit of 2^53, not below it;
/// 2^53 + 3 goes up to 2^53 + 4.
#[test]
fn a_sum_in_the_middle_of_two_doubles_goes_to_the_even_one() {
    let large = 9_007_199_254_740_992.0;
    for (extra, limit, within) in
        [(1.0, large, true), (1.0, large - 1.0, false), (3.0, large + 2.0, false), (3.0, large + 4.0, true)]
    {
        let batch = Alternatives::new(&[vec![(large, 0.0), (0.0, 9.0)], vec![(extra, 0.0)]]).unwrap();
        for &kind in ChooserKind::ALL {
            let problem = Problem::MinTime { budget: limit };
            let decision = solve(kind, &batch, problem, &mut Scratch::default());
            assert_eq!(decision.choice().map(|choice| choice.time == 0.0), Some(within), "{kind} {limit}");
        }
    }
}

/// Magnitudes from the smallest doubles to 10^60 in one batch.
#[test]
fn all_magnitudes_together() {
    let jobs = [
        vec![(1e60, 0.0), (1e60, -1.0), (0.0, 1.0)],
        vec![(1e-300, 0.0), (0.0, 5e-324)],
        vec![(-1e60, 3.0), (-1e60, 2.0)],
        vec![(1.0, 8.0), (2.0, 0.0)],
    ];
    let batch = Alternatives::new(&jobs).unwrap();
    for &kind in ChooserKind::ALL {
        let best = |budget: f64| {
            let problem = Problem::MinTime { budget };
            let decision = solve(kind, &batch, problem, &mut Scratch::default());
            decision.choice().map(|choice| (choice.cost, choice.time))
        };
        assert_eq!(best(2.0), Some((2.0, 1.0)), "{kind}");
        assert_eq!(best(2.0_f64.next_down()), Some((-1e60, 3.0)), "{kind}");
    }
}

/// Weights below the smallest normal double leave no multiplier: nothing may be excluded by one.
#[test]
fn subnormal_weights_exclude_nothing() {
    let tiny = f64::from_bits(1);
    let jobs: Vec<Vec<(f64, f64)>> = (0..6_u32)
        .map(|job| {
            (0..4_u32)
                .map(|at| (tiny * f64::from((job * 7 + at * 5) % 9), f64::from((job * 11 + at * 13) % 17)))
                .collect()
        })
        .collect();
    let batch = Alternatives::new(&jobs).unwrap();
    for budget in 0..40 {
        let problem = Problem::MinTime { budget: tiny * f64::from(budget) };
        let best = |kind| {
            let decision = solve(kind, &batch, problem, &mut Scratch::default());
            decision.choice().map(|choice| (choice.time, choice.cost))
        };
        assert_eq!(best(ChooserKind::ExpandingCore), best(ChooserKind::BackwardRun), "{budget}");
    }
}

/// Beside a time of 10^44 one unit is nothing, so the cheaper alternative is as good.
#[test]
fn what_rounding_makes_equally_good_leaves_the_lighter() {
    let batch = Alternatives::new(&[vec![(0.0, 1.0), (1.0, 0.0)], vec![(0.0, 1e44)]]).unwrap();
    for &kind in ChooserKind::ALL {
        let problem = Problem::MinTime { budget: f64::INFINITY };
        let decision = solve(kind, &batch, problem, &mut Scratch::default());
        assert_eq!(decision.choice().map(|choice| (choice.time, choice.cost)), Some((1e44, 0.0)), "{kind}");
    }
}

/// The numbers of such a front are long: it must not ask for a whole block of them.
#[test]
fn a_small_front_of_all_magnitudes_fits_into_memory() {
    let batch = Alternatives::new(&[vec![(0.0, 1e60), (0.0, 1.0)], vec![(1e-60, 1.0)]]).unwrap();
    assert_eq!(Front::of(&batch, FRONT_CAP).unwrap().unwrap().points(), [Point { cost: 1e-60, time: 2.0 }]);
}

/// Two costs that differ before the last job is added and are equal when rounded: the faster one is the
/// point.
#[test]
fn points_that_rounding_makes_equally_dear_leave_the_fastest() {
    let jobs =
        [vec![(3.5, 0.0), (2.8, 0.6)], vec![(0.8, 0.5), (0.1, 0.6)], vec![(1.4, 0.0)], vec![(0.0, 0.0)]];
    let batch = Alternatives::new(&jobs).unwrap();
    let front = Front::of(&batch, FRONT_CAP).unwrap().unwrap();
    let points: Vec<_> = front.points().iter().map(|point| (point.cost, point.time)).collect();
    assert_eq!(points, oracle::front(&batch, f64::INFINITY, f64::INFINITY));
    assert_eq!(points, [(4.3, 1.2), (5.0, 0.6), (5.7, 0.5)]);
}

/// The limit is 2, and 1 + 2^-52 + 1 lies half way to the next double: rounded once, it is 2.
#[test]
fn a_sum_half_way_above_the_limit_is_within_it() {
    let up = 1.0_f64.next_up();
    let down = 1.0_f64.next_down();
    let batch =
        Alternatives::new(&[vec![(up, 2.0), (1.0, 13.0)], vec![(down, 9.0), (1.0, 6.0), (up, 2.0)]]).unwrap();
    for kind in ChooserKind::ALL {
        let limit = Limit::default();
        let problem = Problem::MinTime { budget: 2.0 };
        let decision =
            kind.build().choose(&batch, problem, &mut Scratch::default(), &mut limit.meter()).unwrap();
        let choice = decision.choice().unwrap();
        assert_eq!((choice.cost, choice.time), (2.0, 8.0), "{kind}");
    }
}

/// Weights that differ in their last bits make the multiplier so great that the base is least by rounding
/// alone: a downgrade then pays for an upgrade, which no bound by the best upgrade rate may exclude. Job 2
/// takes its greater weight, the others their lesser: 3 + 2^-52 rounds to the limit of 3, and 0.9 - 0.1 + 1
/// is the greatest income.
#[test]
fn a_downgrade_may_pay_for_an_upgrade() {
    let (less, more) = (1.0 - f64::EPSILON / 2.0, 1.0 + f64::EPSILON);
    let batch = Alternatives::new(&[
        vec![(1.0, more), (0.9, less)],
        vec![(0.8, more), (-0.1, less)],
        vec![(1.0, 1.0 + 2.0 * f64::EPSILON), (-0.1, less)],
    ])
    .unwrap();
    let problem = Problem::MaxIncome { time_limit: 3.0 };
    let limit = Limit::default();
    let decision =
        ExpandingCore.choose(&batch, problem, &mut Scratch::default(), &mut limit.meter()).unwrap();
    let choice = decision.choice().unwrap();
    assert_eq!((choice.picks.as_slice(), choice.cost, choice.time), ([1, 1, 0].as_slice(), 1.8, 3.0));
}
