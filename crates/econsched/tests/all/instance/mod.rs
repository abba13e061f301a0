//! Instances of the zoo as problems, for tests and benches.

use econsched::auction_assign::{AssignmentProblem, Costs, Coverage};
use econsched::testkit::zoo::AssignmentInstance;

/// The problem of an instance, which must be well formed.
pub(crate) fn problem(instance: &AssignmentInstance, coverage: Coverage) -> AssignmentProblem<'_> {
    let AssignmentInstance { jobs, resources, offsets, columns, values, capacities, .. } = instance;
    let costs = if instance.is_sparse() {
        Costs::sparse(*jobs, *resources, offsets, columns, values)
    } else {
        Costs::dense(*jobs, *resources, values)
    };
    let costs = costs.unwrap_or_else(|error| panic!("{error}"));
    AssignmentProblem::new(costs).with_capacities(capacities).with_coverage(coverage)
}
