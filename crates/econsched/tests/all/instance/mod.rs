//! Instances of the zoo as problems, for tests and benches.

use econsched::auction_assign::{Costs, Coverage, Problem};
use econsched::testkit::zoo::AssignmentInstance;

/// The problem of an instance, which is well formed.
pub(crate) fn problem(instance: &AssignmentInstance, coverage: Coverage) -> Problem<'_> {
    let AssignmentInstance { jobs, resources, offsets, columns, values, capacities, .. } = instance;
    let costs = if instance.is_sparse() {
        Costs::sparse(*jobs, *resources, offsets, columns, values)
    } else {
        Costs::dense(*jobs, *resources, values)
    };
    costs
        .and_then(|costs| Problem::new(costs).with_capacities(capacities))
        .unwrap_or_else(|error| panic!("{error}"))
        .with_coverage(coverage)
}
