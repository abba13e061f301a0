//! Real costs: what is called exact is, to the bit.

use std::cmp::Ordering;

use crate::enumeration::Case;
use crate::oracle::Rng;
use auction_assign::{
    Answer, AssignError, Assigner, AssignerKind, Costs, Coverage, Problem, Sense, ShortestPaths, solve,
    verify,
};
use sched_model::{Proof, exact_sum};

/// A sum of doubles as a whole number of `2^-1074`, in limbs of 32 bits: neither the solver's arithmetic nor
/// the verifier's.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Sum([i64; 48]);

impl Sum {
    fn new() -> Self {
        Self([0; 48])
    }

    fn add(&mut self, value: f64) {
        let bits = value.to_bits();
        let biased = (bits >> 52 & 0x7ff) as usize;
        let mantissa = bits & ((1 << 52) - 1) | u64::from(biased > 0) << 52;
        let shift = biased.max(1) - 1;
        let wide = u128::from(mantissa) << (shift % 32);
        for limb in 0..3 {
            let part = (wide >> (32 * limb)) as u32;
            self.0[shift / 32 + limb] += if value < 0.0 { -i64::from(part) } else { i64::from(part) };
        }
        // Every limb but the last from 0 to 2^32.
        for limb in 0..47 {
            let carry = self.0[limb].div_euclid(1 << 32);
            self.0[limb] -= carry << 32;
            self.0[limb + 1] += carry;
        }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

const FAMILIES: usize = 12;

/// Costs that are no whole numbers.
fn reals(rng: &mut Rng, which: usize, rows: usize, cols: usize) -> Vec<f64> {
    let points: Vec<(f64, f64)> = (0..rows + cols).map(|_| (rng.unit(), rng.unit())).collect();
    let factors: Vec<f64> = (0..rows + cols).map(|_| 1.0 + rng.below(5) as f64 + rng.unit()).collect();
    let few: Vec<f64> = (0..rows + cols).map(|_| 0.1 * (1 + rng.below(4)) as f64).collect();
    (0..rows * cols)
        .map(|k| {
            let (i, r) = (k / cols, rows + k % cols);
            match which % FAMILIES {
                0 => rng.unit(),
                1 => 0.1 * (1 + rng.below(9)) as f64,
                // Ties except for the last bits.
                2 => 1.0 + rng.below(3) as f64 * 1e-12,
                3 => 0.1 + rng.below(4) as f64 * f64::EPSILON / 8.0,
                4 => 10f64.powf(rng.unit() * 21.0 - 9.0),
                5 => f64::from_bits(rng.below(6)),
                6 => 0.1,
                7 => (points[i].0 - points[r].0).hypot(points[i].1 - points[r].1),
                8 => factors[i] / factors[r],
                9 => few[i] / few[r],
                10 => few[i] + few[r] + rng.below(2) as f64 * 1e-17,
                _ => [1e60, -1e60, 1e-300, 1.0, 0.1, f64::from_bits(1), 0.0][rng.below(7) as usize],
            }
        })
        .collect()
}

fn case(rng: &mut Rng, round: usize, rows: usize, cols: usize) -> Case {
    let mut values = reals(rng, round, rows, cols);
    let forbidden = if rng.below(3) == 0 { rng.below(60) } else { 0 };
    for value in &mut values {
        if rng.below(100) < forbidden {
            *value = f64::INFINITY;
        }
    }
    let most = 2 + 2 * (rows / cols) as u64;
    Case {
        rows,
        cols,
        values,
        sparse: rng.below(2) == 0,
        capacities: (rng.below(2) == 0).then(|| (0..cols).map(|_| rng.below(most) as u32).collect()),
        sense: if rng.below(2) == 0 { Sense::Minimise } else { Sense::Maximise },
        coverage: match rng.below(3) {
            0 => Coverage::EveryJob,
            1 => Coverage::MostJobs,
            _ => Coverage::Optional { unplaced: reals(rng, round, 1, 1)[0] },
        },
    }
}

fn sum_of(case: &Case, resources: &[Option<u32>]) -> Sum {
    let mut sum = Sum::new();
    for (job, resource) in resources.iter().enumerate() {
        match (resource, case.coverage) {
            (Some(r), _) => sum.add(case.values[job * case.cols + *r as usize]),
            (None, Coverage::Optional { unplaced }) => sum.add(unplaced),
            (None, _) => {}
        }
    }
    sum
}

/// The best sum by trying all assignments.
fn best(case: &Case) -> Option<Sum> {
    fn descend(
        case: &Case,
        chosen: &mut Vec<Option<u32>>,
        room: &mut [u32],
        best: &mut Option<(usize, Sum)>,
    ) {
        let job = chosen.len();
        if job == case.rows {
            let out = chosen.iter().filter(|r| r.is_none()).count();
            let key = if case.coverage == Coverage::MostJobs { out } else { 0 };
            let sum = sum_of(case, chosen);
            let better = best.as_ref().is_none_or(|(least, found)| {
                let sums = if case.sense == Sense::Minimise { sum.cmp(found) } else { found.cmp(&sum) };
                key.cmp(least).then(sums) == Ordering::Less
            });
            if better {
                *best = Some((key, sum));
            }
            return;
        }
        for r in 0..case.cols {
            if room[r] > 0 && case.values[job * case.cols + r] != f64::INFINITY {
                room[r] -= 1;
                chosen.push(Some(r as u32));
                descend(case, chosen, room, best);
                chosen.pop();
                room[r] += 1;
            }
        }
        if case.coverage != Coverage::EveryJob {
            chosen.push(None);
            descend(case, chosen, room, best);
            chosen.pop();
        }
    }
    let mut room: Vec<u32> = (0..case.cols).map(|r| case.capacities.as_ref().map_or(1, |c| c[r])).collect();
    let mut best = None;
    descend(case, &mut Vec::new(), &mut room, &mut best);
    best.map(|(_, sum)| sum)
}

/// Every method that takes the case: proven exact, verified to the bit, of this sum.
fn check(case: &Case, best: Option<&Sum>) {
    let problem = case.problem();
    for &kind in AssignerKind::ALL.iter().filter(|&&kind| kind != AssignerKind::Greedy) {
        let answer = match kind.build().assign(&problem) {
            Ok(answer) => answer,
            Err(AssignError::Unsupported { .. }) => continue,
            Err(error) => panic!("{kind}: {error} on {case:?}"),
        };
        let Answer::Assigned(outcome) = answer else {
            assert_eq!(best, None, "{kind} on {case:?}");
            continue;
        };
        let found = outcome.solution;
        assert_eq!(outcome.proof, Proof::Exact, "{kind} on {case:?}");
        assert_eq!(Some(&sum_of(case, &found.resources)), best, "{kind} on {case:?}");
        let certificate = verify(&problem, &found, 0.0)
            .unwrap_or_else(|flaw| panic!("{kind}: {flaw} on {case:?} {found:?}"));
        assert_eq!((certificate.gap, certificate.bound), (0.0, found.total), "{kind} on {case:?}");
    }
}

#[test]
fn small_real_instances_against_enumeration_to_the_bit() {
    let mut rng = Rng(21);
    for round in 0..4000 {
        let (rows, cols) = (1 + rng.below(5) as usize, 1 + rng.below(5) as usize);
        let case = case(&mut rng, round, rows, cols);
        check(&case, best(&case).as_ref());
    }
}

#[test]
fn larger_real_instances_have_one_sum_by_every_method() {
    let mut rng = Rng(22);
    for round in 0..600 {
        let cols = 1 + rng.below(40) as usize;
        let rows = if rng.below(2) == 0 { cols } else { 1 + rng.below(400) as usize };
        let case = case(&mut rng, round, rows, cols);
        let answer = ShortestPaths.assign(&case.problem()).unwrap();
        let sum = answer.assignment().map(|found| sum_of(&case, &found.resources));
        check(&case, sum.as_ref());
    }
}

#[test]
fn product_costs_are_exact_where_every_quotient_is_looked_at() {
    let mut rng = Rng(23);
    for round in 0..400 {
        let (n, m) = (1 + rng.below(20) as usize, 1 + rng.below(20) as usize);
        let real = |rng: &mut Rng| [rng.unit() + 0.1, 0.1 * (1 + rng.below(3)) as f64][round % 2];
        let lengths: Vec<f64> = (0..n).map(|_| real(&mut rng)).collect();
        let speeds: Vec<f64> = (0..m).map(|_| real(&mut rng)).collect();
        let values: Vec<f64> = lengths.iter().flat_map(|l| speeds.iter().map(move |s| l / s)).collect();
        let capacities: Vec<u32> = (0..m).map(|_| rng.below(3) as u32).collect();
        for sense in [Sense::Minimise, Sense::Maximise] {
            let case = Case {
                rows: n,
                cols: m,
                values: values.clone(),
                sparse: false,
                capacities: Some(capacities.clone()),
                sense,
                coverage: Coverage::MostJobs,
            };
            let product = Problem::new(Costs::product(&lengths, &speeds).unwrap());
            let product = product.with_capacities(&capacities).unwrap().with_sense(sense);
            let product = product.with_coverage(case.coverage);
            let found = solve(&product).unwrap();
            assert_eq!(found.proof(), Some(Proof::Exact));
            let found = found.assignment().unwrap();
            assert_eq!(verify(&product, found, 0.0).unwrap().gap, 0.0);
            check(&case, Some(&sum_of(&case, &found.resources)));
        }
    }
}

#[test]
fn the_verifier_sees_a_last_bit() {
    // 0.1 + 0.4 and 0.2 + 0.3 are the same double; the first sum is greater by 2^-55.
    let values = [0.1, 0.2, 0.3, 0.4];
    let problem = Problem::new(Costs::dense(2, 2, &values).unwrap());
    let answer = solve(&problem).unwrap();
    let good = answer.assignment().unwrap();
    assert_eq!(good.resources, [Some(1), Some(0)]);
    assert_eq!(verify(&problem, good, 0.0).unwrap().gap, 0.0);
    let mut worse = good.clone();
    worse.resources = vec![Some(0), Some(1)];
    assert_eq!(worse.total, 0.1 + 0.4);
    assert_eq!(verify(&problem, &worse, 0.0).unwrap().gap, 2f64.powi(-55));
    // Without what the doubles lack the duals prove less.
    let mut rounded = good.clone();
    let lacking = rounded.duals.as_mut().unwrap().remainders.take();
    assert!(lacking.is_some());
    let certificate = verify(&problem, &rounded, 1e-15);
    assert!(certificate.unwrap().gap > 0.0);
    // Lengths are checked.
    let mut short = good.clone();
    short.duals.as_mut().unwrap().remainders.as_mut().unwrap().prices.pop();
    assert!(matches!(verify(&problem, &short, 0.0), Err(auction_assign::Flaw::Shape { .. })));
}

/// Equal columns, and values that differ by last bits or by factors of 1e15.
#[test]
fn duals_of_repeated_columns_hold_to_the_bit() {
    let (a, b) = (0.9999999999999999, 1.0000000000000004);
    let ulps = Case {
        rows: 3,
        cols: 2,
        values: vec![a, a, b, b, b, b],
        sparse: false,
        capacities: None,
        sense: Sense::Maximise,
        coverage: Coverage::Optional { unplaced: 0.9999999999999998 },
    };
    check(&ulps, best(&ulps).as_ref());
    let row = |dear: f64, cheap: f64| [dear, dear, cheap, cheap, cheap];
    let rows = [row(2e44, 1e44), row(2.0, 1.0), row(6e59, 3e59), row(0.0, 0.0), row(1e60, 5e59)];
    let far = Case {
        rows: 5,
        cols: 5,
        values: rows.concat(),
        sparse: false,
        capacities: None,
        sense: Sense::Minimise,
        coverage: Coverage::EveryJob,
    };
    check(&far, best(&far).as_ref());
}

/// In the order of the jobs doubles sum to 1.2000000000000002, in the reverse order to 1.2, which is the
/// exact sum, rounded.
#[test]
fn a_total_does_not_depend_on_the_order_of_the_jobs() {
    let costs = [0.4, 0.2, 0.3, 0.1, 0.2];
    assert_ne!(costs.iter().sum::<f64>(), 1.2);
    for is_wide in [false, true] {
        // One place for each job, or one resource for all.
        let (cols, capacities) = if is_wide { (5, vec![1; 5]) } else { (1, vec![5]) };
        let of = |job: usize, col: usize| if is_wide && col != job { f64::INFINITY } else { costs[job] };
        let values: Vec<f64> = (0..5 * cols).map(|at| of(at / cols, at % cols)).collect();
        let problem = Problem::new(Costs::dense(5, cols, &values).unwrap());
        let problem = problem.with_capacities(&capacities).unwrap();
        for sense in [Sense::Minimise, Sense::Maximise] {
            let problem = problem.with_sense(sense);
            for &kind in AssignerKind::ALL {
                let answer = match kind.build().assign(&problem) {
                    Err(AssignError::Unsupported { .. }) => continue,
                    answer => answer.unwrap(),
                };
                assert_eq!(answer.assignment().map(|found| found.total), Some(1.2), "{kind} {sense:?}");
            }
        }
    }
}

/// The quotients of a ranking by factors are summed exactly, too.
#[test]
fn a_total_of_quotients_is_rounded_once() {
    let (lengths, speeds) = ([3.0, 7.17, 3.95], [1.0f64.next_up(), 1.0, 1.0f64.next_down()]);
    for (lengths, speeds) in [(&lengths[..], &speeds[..]), (&[0.4, 0.2, 0.3, 0.1, 0.2], &[1.0])] {
        let capacities = vec![lengths.len() as u32; speeds.len()];
        let problem = Problem::new(Costs::product(lengths, speeds).unwrap());
        let problem = problem.with_capacities(&capacities).unwrap();
        for sense in [Sense::Minimise, Sense::Maximise] {
            let problem = problem.with_sense(sense);
            let answer = auction_assign::Sorted.assign(&problem).unwrap();
            let found = answer.assignment().unwrap();
            let costs = found.resources.iter().enumerate();
            let cost = |(job, on): (usize, &Option<u32>)| problem.costs().get(job, on.unwrap() as usize);
            assert_eq!(found.total, exact_sum(costs.filter_map(cost)), "{sense:?} {lengths:?}");
            // The verifier sums as well, and refuses any other total.
            assert!(verify(&problem, found, 1e-9).is_ok(), "{sense:?} {lengths:?}");
        }
    }
}
