//! The case in which every job has room on its cheapest resource: one pass over the costs, with all prices 0.

use sched_model::{Proof, exact_sum};

use crate::kernel::lanes::CHEAPEST_LANES;
use crate::kernel::watch::{Stop, Watch};
use crate::kernel::wide::cheapest;
use crate::problem::{Form, MAX_COST};
use crate::solution::Duals;
use crate::{Answer, Assignment, AssignmentProblem, Coverage, Sense};

/// The answer with all prices 0, where it exists: a full matrix without forbidden pairs, every job placed,
/// and room for each job where it costs least. `None` proves nothing, not even that the costs are valid.
pub(crate) fn assign(problem: &AssignmentProblem<'_>, watch: Watch<'_>) -> Result<Option<Answer>, Stop> {
    let Form::Dense(values) = problem.costs().form() else { return Ok(None) };
    let (n, m) = (problem.jobs(), problem.resources());
    let capacities: Vec<u32> = (0..m).map(|r| problem.capacity(r)).collect();
    // A resource without a place would need a price.
    let optional = matches!(problem.coverage(), Coverage::Penalty(_));
    if n == 0 || optional || problem.total_capacity() < n as u64 || capacities.contains(&0) {
        return Ok(None);
    }
    match problem.sense() {
        Sense::Minimise => place::<false>(values, n, &capacities, watch),
        Sense::Maximise => place::<true>(values, n, &capacities, watch),
    }
}

fn place<const NEGATE: bool>(
    values: &[f64],
    n: usize,
    capacities: &[u32],
    watch: Watch<'_>,
) -> Result<Option<Answer>, Stop> {
    let m = capacities.len();
    let mut room = capacities.to_vec();
    let mut resource_of = Vec::with_capacity(n);
    let mut profits = Vec::with_capacity(n);
    let mut magnitudes = [0.0; CHEAPEST_LANES];
    for row in values.chunks_exact(m) {
        watch.spend(m as u64)?;
        let Some((least, r)) = cheapest::<NEGATE>(row, &mut magnitudes) else { return Ok(None) };
        let room = &mut room[r];
        let Some(left) = room.checked_sub(1) else { return Ok(None) };
        *room = left;
        resource_of.push(Some(r as u32));
        profits.push(0.0 - least);
    }
    // A cost that is NaN, forbidden or too great shows in the sum of the magnitudes.
    if !(magnitudes.iter().sum::<f64>() <= MAX_COST) {
        return Ok(None);
    }
    let lost = exact_sum(profits.iter().copied());
    let duals = Duals { profits, prices: vec![0.0; m], waiting: None, remainders: None };
    // Never -0.
    let total = if NEGATE { 0.0 + lost } else { 0.0 - lost };
    let solution = Assignment { resources: resource_of, total, duals: Some(duals) };
    Ok(Some(Answer { solution, proof: Proof::Exact }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AssignError, Assigner, Costs, Transport};

    fn assign(problem: &AssignmentProblem<'_>) -> Option<Answer> {
        super::assign(problem, Watch::NONE).ok().flatten()
    }

    fn problem<'a>(values: &'a [f64], capacities: &'a [u32]) -> AssignmentProblem<'a> {
        let (rows, cols) = (values.len() / capacities.len(), capacities.len());
        AssignmentProblem::new(Costs::dense(rows, cols, values).unwrap()).with_capacities(capacities)
    }

    #[test]
    fn it_answers_only_where_all_find_room() {
        let values = [3.0, 1.0, 2.0, 5.0, 0.5, -4.0];
        let roomy = problem(&values, &[1, 2]);
        let answer = assign(&roomy).unwrap();
        assert_eq!(answer.solution.resources, [Some(1), Some(0), Some(1)]);
        assert_eq!(answer.solution.total, -1.0);
        assert!(assign(&problem(&values, &[2, 1])).is_none());
        assert!(assign(&problem(&values, &[3, 0])).is_none());
        assert!(assign(&roomy.with_coverage(Coverage::Penalty(0.0))).is_none());
        // The greatest sums: jobs 0 and 1 on resources 0 and 1, job 2 on 0.
        let most = assign(&problem(&values, &[2, 1]).with_sense(Sense::Maximise)).unwrap();
        assert_eq!(most.solution.total, 8.5);
    }

    #[test]
    fn of_equals_the_first_is_taken() {
        for (row, first) in [
            (&[7.0, 3.0, 9.0, 9.0, 3.0, 3.0][..], 1),
            (&[7.0, 9.0, 9.0, 3.0, 3.0, 3.0, 9.0, 3.0, 3.0], 3),
            (&[9.0, 9.0, 9.0, 9.0, 9.0, 3.0, 3.0, 9.0, 3.0], 5),
            (&[9.0, 9.0, 9.0, 9.0, 9.0, 3.0, 3.0, 9.0, 2.0], 8),
        ] {
            let answer = assign(&problem(row, &vec![1; row.len()])).unwrap();
            assert_eq!(answer.solution.resources, [Some(first)]);
        }
    }

    #[test]
    fn it_agrees_with_shortest_paths() {
        let mut state = 5u64;
        let mut draw = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let (mut answered, mut refused) = (0, 0);
        for round in 0..400 {
            let m = 1 + draw(11) as usize;
            // Some are large enough for a sample.
            let n = if round % 40 == 0 { 300 * m } else { 1 + draw(40) as usize };
            let spread = [3, 1_000_000][round % 2];
            let values: Vec<f64> = (0..n * m).map(|_| draw(spread) as f64 - 1.0).collect();
            let capacities: Vec<u32> =
                (0..m).map(|_| (draw(4) as u32 + 1) * (n / m + 1) as u32 / 2).collect();
            let whole = problem(&values, &capacities);
            let sense = [Sense::Minimise, Sense::Maximise][round / 2 % 2];
            let whole = whole.with_sense(sense).with_coverage(Coverage::MostJobs);
            let slow = crate::ShortestPaths.assign(&whole).unwrap();
            let Some(fast) = assign(&whole) else {
                refused += 1;
                continue;
            };
            answered += 1;
            let (fast, slow) = (fast.solution, slow.best.unwrap());
            assert_eq!(fast.total, slow.total);
            assert_eq!(crate::verify(&whole, &fast).unwrap().gap, 0.0);
        }
        assert!(answered > 40 && refused > 40, "{answered} {refused}");
    }

    #[test]
    fn bad_costs_are_left_to_those_who_name_them() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e61, -1e61] {
            for at in 0..22 {
                let mut values = vec![1.0; 22];
                values[at] = bad;
                let slack = problem(&values, &[9; 11]);
                assert!(assign(&slack).is_none(), "{bad} at {at}");
                match Transport.assign(&slack) {
                    Ok(answer) => assert!(bad == f64::INFINITY && answer.best.is_some()),
                    Err(AssignError::Cost { job, resource, .. }) => {
                        assert_eq!((job, resource), (at / 11, at % 11))
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
}
