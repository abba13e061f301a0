//! Assigns jobs to machines at the minimum total time, with prices that prove the answer; and gives the reason if
//! there is no assignment.

use econsched::auction_assign::{AssignmentProblem, Costs, Coverage, assign, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Hours of five jobs (rows) on three machines; infinity if a job may not run there.
    let never = f64::INFINITY;
    #[rustfmt::skip]
    let hours = [
        4.0, 1.0, never,
        2.0, 3.0, never,
        5.0, 2.0, 2.5,
        3.5, 4.0, 1.0,
        6.0, 2.5, never,
    ];
    let costs = || Costs::dense(5, 3, &hours);

    // Two places on each machine.
    let problem = AssignmentProblem::new(costs()?).with_capacities(&[2, 2, 2]);
    let assignment = assign(&problem)?.solution()?;
    println!("machines {:?}, {} hours", assignment.resources, assignment.total);
    if let Some(duals) = &assignment.duals {
        println!("a place costs {:?}, jobs are left with {:?}", duals.prices, duals.profits);
    }
    // The proof is independent of the method: prices and profits give a lower bound for every assignment.
    let certificate = verify(&problem, &assignment)?;
    println!("no assignment takes less than {} hours: {} can be gained", certificate.bound, certificate.gap);

    // One place on the first two machines: jobs 0, 1 and 4 compete for them.
    let narrow = AssignmentProblem::new(costs()?).with_capacities(&[1, 1, 3]);
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
