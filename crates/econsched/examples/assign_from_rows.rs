//! Assignment with a proof, from `Vec<Vec<f64>>`, from `ndarray`, and from a function.

use econsched::auction_assign::{AssignmentProblem, Costs, assign, verify};
use ndarray::{Array2, array};

/// The resource of each job, and the sum of the costs.
type Found = (Vec<Option<u32>>, f64);

/// Solves and verifies an assignment. The verifier is independent of the method.
fn proven(costs: Costs<'_>) -> Result<Found, Box<dyn std::error::Error>> {
    let problem = AssignmentProblem::new(costs);
    let assignment = assign(&problem)?.solution()?;
    let certificate = verify(&problem, &assignment)?;
    assert_eq!(certificate.gap, 0.0);
    Ok((assignment.resources, assignment.total))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Concatenates the rows; their number and lengths are checked.
    let rows: Vec<Vec<f64>> = vec![vec![4.0, 1.0, 3.0], vec![2.0, 0.0, 5.0], vec![3.0, 2.0, 2.0]];
    let values = rows.concat();
    let from_rows = proven(Costs::dense(rows.len(), rows[0].len(), &values)?)?;
    println!("from rows: {from_rows:?}");

    // An array in standard layout is borrowed without a copy.
    let array: Array2<f64> = array![[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]];
    let values = array.as_slice().ok_or("not in standard layout: take `as_standard_layout` first")?;
    let from_array = proven(Costs::dense(array.nrows(), array.ncols(), values)?)?;
    println!("from ndarray: {from_array:?}");

    // A transposed view does not have that layout, so a function reads its costs one by one.
    let turned = array.t();
    let cost = |job: usize, resource: usize| turned[(resource, job)];
    let from_view = proven(Costs::function(3, 3, &cost)?)?;
    println!("from a function: {from_view:?}");

    assert_eq!(from_rows.1, 5.0);
    assert!(from_rows == from_array && from_array == from_view);
    Ok(())
}
