//! Assigns jobs to machines at the minimum total time, with prices that prove the answer; and gives the reason if
//! there is no assignment. The costs come in rows, from `ndarray`, or from a function.

use econsched::auction_assign::{AssignmentProblem, Costs, Coverage, assign, verify};
use ndarray::Array2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Hours of five jobs (rows) on three machines; infinity if a job may not run there.
    let never = f64::INFINITY;
    let hours = [[4.0, 1.0, never], [2.0, 3.0, never], [5.0, 2.0, 2.5], [3.5, 4.0, 1.0], [6.0, 2.5, never]];
    // Concatenates the rows; their number and lengths are checked.
    let values = hours.concat();
    let from_rows = Costs::dense(hours.len(), hours[0].len(), &values)?;

    // An array in standard layout is borrowed without a copy.
    let array = Array2::from_shape_vec((5, 3), values.clone())?;
    let standard = array.as_slice().ok_or("not in standard layout: take `as_standard_layout` first")?;
    let from_array = Costs::dense(array.nrows(), array.ncols(), standard)?;

    // A transposed view does not have that layout, so a function reads its costs one by one.
    let turned = array.t();
    let cost = |job: usize, machine: usize| turned[(machine, job)];
    let from_view = Costs::function(5, 3, &cost)?;

    // Two places on each machine.
    for costs in [from_rows, from_array, from_view] {
        let problem = AssignmentProblem::new(costs).with_capacities(&[2, 2, 2]);
        let assignment = assign(&problem)?.solution()?;
        println!("machines {:?}, {} hours", assignment.resources, assignment.total);
        if let Some(duals) = &assignment.duals {
            println!("a place costs {:?}, jobs are left with {:?}", duals.prices, duals.profits);
        }
        // The proof is independent of the method: prices and profits give a lower bound for every assignment.
        let certificate = verify(&problem, &assignment)?;
        assert_eq!((assignment.total, certificate.gap), (9.0, 0.0));
    }

    // One place on the first two machines: jobs 0, 1 and 4 compete for them.
    let narrow = AssignmentProblem::new(from_rows).with_capacities(&[1, 1, 3]);
    if let Some(shortage) = assign(&narrow)?.refusal {
        shortage.verify(&narrow)?;
        println!("jobs {:?} cannot all run: {shortage}", shortage.jobs);
    }

    // Then let a job wait, at the cost of seven hours.
    let patient = narrow.with_coverage(Coverage::Penalty(7.0));
    let assignment = assign(&patient)?.solution()?;
    println!("machines {:?}, {} hours with the wait", assignment.resources, assignment.total);
    Ok(())
}
