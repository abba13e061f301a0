//! The oracle of assignments: tries every assignment.

use super::product;
use crate::testkit::{AssignCase, Exact};
use auction_assign::Coverage;

/// The number of jobs left out if as few as possible are wanted (otherwise 0), and the exact sum, negated if it is
/// maximised. The minimum weight is the best.
pub type Weight = (usize, Exact);

/// The weight of the best assignment, found by trying every one; `None` if there is none. Time and space:
/// exponential in the number of jobs.
pub fn best_assignment(case: &AssignCase) -> Option<Weight> {
    let places: Vec<Option<u32>> = (0..).take(case.room().len()).map(Some).chain([None]).collect();
    let all = product(vec![places; case.rows.len()]);
    all.iter().filter_map(|resources| weigh(case, resources)).min()
}

/// The weight of an assignment; `None` if it breaks a rule.
pub fn weigh(case: &AssignCase, resources: &[Option<u32>]) -> Option<Weight> {
    let mut room = case.room();
    let (mut out, mut costs) = (0, Vec::new());
    if resources.len() != case.rows.len() {
        return None;
    }
    for (row, resource) in case.rows.iter().zip(resources) {
        match (resource, case.coverage) {
            (Some(resource), _) => {
                let place = room.get_mut(*resource as usize)?;
                *place = place.checked_sub(1)?;
                costs.push(row.get(*resource as usize).copied().flatten()?);
            }
            (None, Coverage::MostJobs) => out += 1,
            (None, Coverage::Penalty(unplaced)) => costs.push(unplaced),
            (None, _) => return None,
        }
    }
    let sign = if case.maximise { -1.0 } else { 1.0 };
    Some((out, Exact::of(costs.into_iter().map(|cost| sign * cost))))
}
