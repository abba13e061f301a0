use super::*;
use crate::kernel::watch::Watch;
use crate::kernel::wide::least_sum;
use crate::rows::costs::Wide;
use crate::rows::stages::{Passes, begin, bid};
use crate::{Answer, Assigner, Costs, Problem, ShortestPaths, verify};

/// Costs without structure, of points in a square, of points in clusters, with many ties, and of low rank.
fn costs(kind: usize, n: usize, seed: usize) -> Vec<f64> {
    let draw = |k: usize, below: usize| {
        let mut state = (k + seed * 1_000_003) as u64;
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^= state >> 29;
        }
        (state >> 33) as usize % below
    };
    let place = |k: usize, part: usize| match kind {
        1 => draw(2 * k + part, 1000),
        _ => draw(k, 3) * 5000 + draw(2 * k + part, 100),
    } as f64;
    let cost = |at: usize| {
        let (i, r) = (at / n, at % n + n);
        let (dx, dy) = (place(i, 0) - place(r, 0), place(i, 1) - place(r, 1));
        match kind {
            0 => draw(at, 10_000) as f64,
            1 | 2 => (dx * dx + dy * dy).sqrt().round(),
            3 => draw(at, 4) as f64,
            _ => (draw(i, 100) * draw(r, 100)) as f64,
        }
    };
    (0..n * n).map(cost).collect()
}

/// What the core places pays its least cost + price, and what is complete is the optimum.
#[test]
fn a_core_places_most_and_keeps_every_job_at_its_least() {
    let (mut complete, mut handed_over) = (0, 0);
    // Rows long enough that a core leaves something out.
    for n in [300, 560] {
        for kind in 0..5 {
            for seed in 0..3 {
                let values = costs(kind, n, seed);
                let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
                let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
                let rows = Wide(&prepared);
                let begun = begin(&prepared, prepared.start(), None);
                let (standing, waiting) = bid(&prepared, &rows, begun, Passes::default()).ok().unwrap();
                let (standing, waiting) = place(&prepared, &rows, standing, waiting, u64::MAX).ok().unwrap();
                let unplaced = standing.resource_of.iter().filter(|&&r| r == NONE).count();
                assert_eq!(unplaced, waiting.len());
                for (job, &r) in standing.resource_of.iter().enumerate().filter(|&(_, &r)| r != NONE) {
                    assert_eq!(standing.owner[r as usize], job as u32);
                    let row = &values[job * n..(job + 1) * n];
                    let paid = row[r as usize] + standing.prices[r as usize];
                    assert_eq!(paid, least_sum(row, &standing.prices), "{kind} {n} {seed}");
                }
                if !waiting.is_empty() {
                    handed_over += 1;
                    continue;
                }
                complete += 1;
                let Answer::Assigned(proven) = prepared.finish(standing.found(&prepared)) else { panic!() };
                assert_eq!(verify(&problem, &proven.solution, 0.0).unwrap().gap, 0.0);
                let other = ShortestPaths.assign(&problem).unwrap();
                assert_eq!(proven.solution.total, other.assignment().unwrap().total);
            }
        }
    }
    assert!(complete >= 15 && handed_over > 0, "{complete} {handed_over}");
}

#[test]
fn what_takes_too_much_is_left_as_it_was() {
    let n = 300;
    let values = costs(1, n, 7);
    let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
    let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
    let rows = Wide(&prepared);
    let begun = begin(&prepared, prepared.start(), None);
    let (standing, waiting) = bid(&prepared, &rows, begun, Passes::default()).ok().unwrap();
    assert!(!waiting.is_empty());
    let (after, left) = place(&prepared, &rows, standing.clone(), waiting.clone(), 1).ok().unwrap();
    assert_eq!((after.prices, after.resource_of, left), (standing.prices, standing.resource_of, waiting));
}
