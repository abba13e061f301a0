//! The algorithms of the examples pass the same checks as those of the library.

use econsched::grid_sim::LocalPolicy;
use econsched::testkit;

#[allow(dead_code)] // the program around the algorithm
#[path = "../../../examples/custom_search.rs"]
mod custom_search;
#[allow(dead_code)]
#[path = "../../../examples/own_heuristic.rs"]
mod own_heuristic;
#[allow(dead_code)]
#[path = "../../../examples/own_policy.rs"]
mod own_policy;

#[test]
fn searches() {
    let seen = testkit::search(&custom_search::OneRack).run(300).unwrap();
    assert!(seen.solved > 100, "{seen:?}");
}

#[test]
fn heuristics() {
    testkit::mapping(&own_heuristic::LongestFirst).run(300).unwrap();
}

#[test]
fn policies() {
    let make = || Box::new(own_policy::ShortestBehindHead) as Box<dyn LocalPolicy>;
    testkit::policy(make).with_promises_kept().run(300).unwrap();
}
