//! Window searches by name.

use crate::error::CliError;
use crate::input::scenario::Scenario;
use econsched::sched_model::Sense;
use econsched::slot_window::{NodeValues, SearchKind, SearchOptions, WindowSearch};

/// The names of all searches.
pub(crate) fn names() -> Vec<&'static str> {
    SearchKind::ALL.iter().map(|kind| kind.name()).collect()
}

/// The search of this name, with the scenario's values of nodes for searches by value.
///
/// # Errors
/// [`CliError::Usage`] for an unknown name, a rho out of range, or a value out of range.
pub(crate) fn build(name: &str, rho: f64, scenario: &Scenario) -> Result<Box<dyn WindowSearch>, CliError> {
    let kind: SearchKind = name.parse().map_err(CliError::usage)?;
    let mut options = SearchOptions::new().with_rho(rho);
    if !scenario.values.is_empty() {
        let values = scenario.values.iter().map(|value| (value.node, value.value));
        options = options.with_criterion(NodeValues::new(values).map_err(CliError::usage)?, Sense::Maximise);
    }
    kind.build_with(&options).map_err(CliError::usage)
}
