//! Single algorithms in your unit tests: with expected values, with the checker, and against all solutions.
//!
//! `cargo test -p econsched --features testkit --example unit_tests` runs them.

use econsched::prelude::*;

/// The code under test, which calls one algorithm.
fn cheapest_two(slots: &SlotList, minutes: f64) -> Result<Option<Window>, Box<dyn std::error::Error>> {
    use econsched::slot_window::{Objective, Optimal};
    let request = ResourceRequest::must(2, minutes);
    Ok(Optimal::new(Objective::Cost).find(&WindowQuery::new(slots, &request))?.best)
}

fn three_nodes() -> Result<SlotList, ModelError> {
    let nodes = [Node::must(1, 1.0, 4.0), Node::must(2, 1.0, 1.0), Node::must(3, 1.0, 2.0)];
    SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(60.0))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(window) = cheapest_two(&three_nodes()?, 10.0)? {
        println!("{window}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use econsched::sched_model::check::Rules;
    use econsched::slot_window::{Objective, Optimal};
    use econsched::testkit;

    /// With an expected value: windows can be compared.
    #[test]
    fn the_two_cheapest_nodes() {
        let slots = three_nodes().unwrap();
        let window = cheapest_two(&slots, 10.0).unwrap().unwrap();
        assert_eq!(window.nodes().collect::<Vec<_>>(), [NodeId(2), NodeId(3)]);
        assert_eq!(window.to_string(), "[0, 10) for 30 on nodes 2, 3");
        // The checker shares no code with any search.
        let request = ResourceRequest::must(2, 10.0);
        assert_eq!(Checker::new(&slots, Rules::default()).window(&window, &request), []);
    }

    /// Against all windows that exist, on a few hundred small instances.
    #[test]
    fn nothing_is_cheaper() {
        let search = Optimal::new(Objective::Cost);
        let check = testkit::search(&search).with_completeness();
        check.with_value(|window, _| window.cost().get()).run(200).unwrap();
    }
}
