//! Problems of any shape, form, sense and coverage, and the best sum by trying everything.

#![allow(dead_code)]

use auction_assign::{Costs, Coverage, Problem, Sense};

use crate::oracle::{Rng, families};

/// A problem with what it borrows.
#[derive(Debug, Clone)]
pub struct Case {
    pub rows: usize,
    pub cols: usize,
    /// Infinite where forbidden.
    pub values: Vec<f64>,
    pub sparse: bool,
    pub capacities: Option<Vec<u32>>,
    pub sense: Sense,
    pub coverage: Coverage,
}

impl Case {
    /// Any shape, form, sense and coverage, up to `most` jobs and resources.
    pub fn random(rng: &mut Rng, round: usize, most: u64) -> Self {
        let rows = 1 + rng.below(most) as usize;
        let cols = if rng.below(4) == 0 { rows } else { 1 + rng.below(most) as usize };
        let mut values = families(rng, round, rows, cols);
        let forbidden = if rng.below(2) == 0 { rng.below(90) } else { 0 };
        for value in &mut values {
            if rng.below(100) < forbidden {
                *value = f64::INFINITY;
            }
        }
        Self {
            rows,
            cols,
            values,
            sparse: rng.below(2) == 0,
            capacities: (rng.below(2) == 0).then(|| (0..cols).map(|_| rng.below(4) as u32).collect()),
            sense: if rng.below(2) == 0 { Sense::Minimise } else { Sense::Maximise },
            coverage: match rng.below(3) {
                0 => Coverage::EveryJob,
                1 => Coverage::MostJobs,
                _ => Coverage::Optional { unplaced: rng.below(2000) as f64 - 500.0 },
            },
        }
    }

    /// The problem, borrowing for as long as the test runs.
    pub fn problem(&self) -> Problem<'static> {
        let values: &'static [f64] = self.values.clone().leak();
        let costs = if self.sparse {
            let mut offsets = vec![0];
            let (mut columns, mut listed) = (Vec::new(), Vec::new());
            for row in values.chunks(self.cols) {
                for (r, &value) in row.iter().enumerate() {
                    if value != f64::INFINITY {
                        columns.push(r as u32);
                        listed.push(value);
                    }
                }
                offsets.push(columns.len());
            }
            Costs::sparse(self.rows, self.cols, offsets.leak(), columns.leak(), listed.leak()).unwrap()
        } else {
            Costs::dense(self.rows, self.cols, values).unwrap()
        };
        let mut problem = Problem::new(costs).with_sense(self.sense).with_coverage(self.coverage);
        if let Some(capacities) = &self.capacities {
            problem = problem.with_capacities(capacities.clone().leak()).unwrap();
        }
        problem
    }
}

/// The best sum by trying all assignments; `None` where there is none.
pub fn best_by_enumeration(case: &Case) -> Option<f64> {
    let mut room: Vec<u32> = (0..case.cols).map(|r| case.capacities.as_ref().map_or(1, |c| c[r])).collect();
    let sign = if case.sense == Sense::Minimise { 1.0 } else { -1.0 };
    // Fewest unplaced first, where that matters.
    let mut best: Option<(usize, f64)> = None;
    descend(case, 0, &mut room, 0, 0.0, sign, &mut best);
    best.map(|(_, sum)| sum)
}

fn descend(
    case: &Case,
    job: usize,
    room: &mut [u32],
    out: usize,
    sum: f64,
    sign: f64,
    best: &mut Option<(usize, f64)>,
) {
    if job == case.rows {
        let key = if case.coverage == Coverage::MostJobs { out } else { 0 };
        let better = best.is_none_or(|(key2, sum2)| key < key2 || (key == key2 && sign * sum < sign * sum2));
        if better {
            *best = Some((key, sum));
        }
        return;
    }
    for r in 0..case.cols {
        let value = case.values[job * case.cols + r];
        if room[r] > 0 && value != f64::INFINITY {
            room[r] -= 1;
            descend(case, job + 1, room, out, sum + value, sign, best);
            room[r] += 1;
        }
    }
    match case.coverage {
        Coverage::EveryJob => {}
        Coverage::MostJobs => descend(case, job + 1, room, out + 1, sum, sign, best),
        Coverage::Optional { unplaced } => descend(case, job + 1, room, out + 1, sum + unplaced, sign, best),
        other => panic!("{other:?} is not enumerated"),
    }
}
