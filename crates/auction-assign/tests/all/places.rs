//! Many jobs on few resources: capacities of every kind, samples and cores included.

use crate::oracle;
use crate::oracle::Rng;
use auction_assign::{
    Assigner, AssignerKind, Costs, Coverage, Problem, Sense, ShortestPaths, solve_within, verify,
    verify_answer, verify_shortage,
};
use sched_model::{End, Limit, Proof};

/// How many places there are, by the number of the round.
fn capacities(rng: &mut Rng, kind: usize, n: usize, m: usize) -> Vec<u32> {
    let even = n.div_ceil(m) as u32;
    (0..m)
        .map(|r| match kind % 8 {
            // Tight, slack, short.
            0 => (n / m + usize::from(r < n % m)) as u32,
            1 => 2 * even,
            2 => (even * 4 / 5).max(1),
            // Mixed, and closed resources.
            3 => rng.below(u64::from(2 * even) + 1) as u32 + 1,
            4 => even * 2 * (r as u32 % 2),
            // Heavy tails; one for all, the others one each; endless.
            5 => ((rng.unit() * 7.0).exp() as u32).max(1) + even / 4,
            6 => {
                if r == m / 2 {
                    n as u32
                } else {
                    1
                }
            }
            _ => u32::MAX,
        })
        .collect()
}

/// The methods' totals are those of shortest paths, and proven.
fn check(problem: &Problem<'_>, name: &str) {
    let expected = ShortestPaths.assign(problem).unwrap();
    for kind in [AssignerKind::Automatic, AssignerKind::Transport] {
        let answer = kind.build().assign(problem).unwrap();
        match (answer.shortage(), expected.shortage()) {
            (Some(shortage), Some(_)) => verify_shortage(problem, shortage).unwrap(),
            (None, None) => {
                assert_eq!(answer.proof(), Some(Proof::Exact), "{name}");
                let certificate = verify_answer(problem, &answer, 0.0);
                let certificate = certificate.unwrap_or_else(|flaw| panic!("{name} {kind}: {flaw}"));
                let (total, least) = (certificate.unwrap().total, expected.assignment().unwrap().total);
                assert!((total - least).abs() <= 1e-9 * least.abs(), "{name} {kind}: {total} {least}");
            }
            (found, expected) => panic!("{name} {kind}: {found:?} {expected:?}"),
        }
    }
}

#[test]
fn every_structure_with_capacities_of_every_kind() {
    let mut rng = Rng(61);
    for round in 0..384 {
        let m = 1 + rng.below(if round % 7 == 0 { 40 } else { 9 }) as usize;
        let n = m * (8 + rng.below(60) as usize) + rng.below(5) as usize;
        let mut values = oracle::families(&mut rng, round, n, m);
        match round / 12 % 4 {
            0 => {}
            1 => values.iter_mut().for_each(|value| *value /= 3.0),
            2 => values.iter_mut().for_each(|value| *value += 1e9),
            // All jobs equal but one.
            _ => (1..n).for_each(|i| values.copy_within(0..m, if i == n / 2 { 0 } else { i * m })),
        }
        let places = capacities(&mut rng, round / 5, n, m);
        let sense = [Sense::Minimise, Sense::Maximise][round % 2];
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap()).with_sense(sense);
        let problem = problem.with_capacities(&places).unwrap();
        let unplaced = [0.0, 1e5, -7.25][round % 3];
        for coverage in [Coverage::EveryJob, Coverage::MostJobs, Coverage::Optional { unplaced }] {
            check(&problem.with_coverage(coverage), &format!("{round} {n} x {m} {coverage:?} {places:?}"));
        }
    }
}

#[test]
fn few_admissible_resources() {
    let mut rng = Rng(62);
    for round in 0..240 {
        let m = 2 + rng.below(20) as usize;
        let n = m * (8 + rng.below(40) as usize);
        let dense = oracle::families(&mut rng, round, n, m);
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        // Some jobs have one resource alone, so that chains of moves are forced.
        for i in 0..n {
            let admissible = if i % 3 == 0 { 1 } else { 1 + rng.below(4) as usize };
            let mut row: Vec<u32> = (0..admissible).map(|_| rng.below(m as u64) as u32).collect();
            row.sort_unstable();
            row.dedup();
            values.extend(row.iter().map(|&r| dense[i * m + r as usize] / [1.0, 3.0][round % 2]));
            columns.extend(row);
            offsets.push(columns.len());
        }
        let places = capacities(&mut rng, round, n, m);
        let problem = Problem::new(Costs::sparse(n, m, &offsets, &columns, &values).unwrap());
        let problem = problem.with_capacities(&places).unwrap();
        for coverage in [Coverage::EveryJob, Coverage::MostJobs, Coverage::Optional { unplaced: 50.0 }] {
            check(&problem.with_coverage(coverage), &format!("{round} {n} x {m} {coverage:?} {places:?}"));
        }
    }
}

#[test]
fn two_classes_of_resources_with_opposite_preferences() {
    let mut rng = Rng(63);
    for round in 0..40 {
        let (n, m) = (600, 6);
        let values: Vec<f64> = (0..n * m)
            .map(|k| {
                let likes = (k / m) % 2 == (k % m) % 2;
                f64::from(u8::from(!likes)) * 1000.0 + rng.below([2, 50, 100_000][round % 3]) as f64
            })
            .collect();
        let places = capacities(&mut rng, round, n, m);
        let problem = Problem::new(Costs::dense(n, m, &values).unwrap()).with_coverage(Coverage::MostJobs);
        check(&problem.with_capacities(&places).unwrap(), &format!("{round} {places:?}"));
    }
}

#[test]
fn a_limit_is_kept_on_samples_and_cores() {
    let mut rng = Rng(64);
    let (n, m) = (2000, 25);
    for which in [0, 4, 5, 9] {
        let values = oracle::families(&mut rng, which, n, m);
        for kind in 0..3 {
            let places = capacities(&mut rng, kind, n, m);
            let problem =
                Problem::new(Costs::dense(n, m, &values).unwrap()).with_coverage(Coverage::MostJobs);
            let problem = problem.with_capacities(&places).unwrap();
            for work in [10_000, 100_000, 400_000, 1_000_000] {
                let limit = Limit::default().with_work(work);
                let found = solve_within(&problem, &mut limit.meter()).unwrap().outcome;
                assert!(found.work <= work);
                if let Some(assignment) = &found.incumbent {
                    let gap = verify(&problem, assignment, 0.0).unwrap().gap;
                    assert!(found.end != End::Done || gap == 0.0, "{which} {kind} {work}");
                }
            }
        }
    }
}
