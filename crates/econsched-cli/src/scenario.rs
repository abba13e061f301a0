//! What is planned: free slots, and the jobs that ask for them.

use crate::error::{CliError, Place};
use crate::files;
use crate::gantt::TimeAxis;
use crate::terminal::{Times, one_line};
use econsched::sched_model::{Batch, Node, NodeId, Occupied, ResourceRequest, SlotList, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// One instance: an environment, a batch, and what a reader should know about both.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) title: String,
    /// All nodes, by id.
    pub(crate) nodes: Vec<Node>,
    /// Their free time in `[from, horizon)`.
    pub(crate) slots: SlotList,
    pub(crate) batch: Batch,
    /// A request apart from the jobs, for a single search.
    pub(crate) request: Option<ResourceRequest>,
    /// What each node is worth to a search for the greatest value; empty where its speed is.
    pub(crate) values: Vec<NodeValue>,
    pub(crate) from: Time,
    pub(crate) horizon: Time,
    pub(crate) axis: TimeAxis,
    /// How its times are shown.
    pub(crate) times: Times,
    /// Assumptions and losses, one a line.
    pub(crate) notes: Vec<String>,
}

/// The value of a node.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeValue {
    pub(crate) node: NodeId,
    pub(crate) value: f64,
}

/// The file as it is written: nodes with what occupies them, or slots outright.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScenario {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    nodes: Option<Vec<Node>>,
    #[serde(default)]
    occupied: Vec<Occupied>,
    #[serde(default)]
    from: Option<Time>,
    #[serde(default)]
    horizon: Option<Time>,
    #[serde(default)]
    slots: Option<SlotList>,
    #[serde(default)]
    values: Vec<NodeValue>,
    #[serde(default)]
    jobs: Batch,
    #[serde(default)]
    request: Option<ResourceRequest>,
}

/// A small environment for a first look: 12 nodes, 8 local tasks, 6 jobs.
const BUILT_IN: &str = include_str!("plan/built_in.json");

impl Scenario {
    /// What the program runs on when no file is given.
    ///
    /// # Errors
    /// None in practice: a test reads it.
    pub(crate) fn built_in() -> Result<Self, CliError> {
        Self::from_json(BUILT_IN.as_bytes(), Path::new("built-in scenario"))
    }

    /// A scenario from JSON: `{"nodes": [..], "occupied": [..], "from": 0, "horizon": 600, "jobs": [..]}` or
    /// `{"slots": [..], "jobs": [..]}`.
    ///
    /// # Errors
    /// [`CliError::Input`] with line and field.
    pub(crate) fn from_json(bytes: &[u8], path: &Path) -> Result<Self, CliError> {
        let raw: RawScenario = files::parse_json(bytes, path)?;
        let wrong = |field: &str, message: &str| CliError::input(Place::file(path).field(field), message);
        let title = raw.name.map_or_else(|| Place::file(path).to_string(), |name| one_line(&name));
        let (nodes, slots, from, horizon) = match (raw.nodes, raw.slots) {
            (Some(_), Some(_)) => return Err(wrong("slots", "give either `nodes` or `slots`, not both")),
            (None, None) => return Err(wrong("nodes", "missing: give `nodes` or `slots`")),
            (Some(mut nodes), None) => {
                let from = raw.from.unwrap_or(Time::ZERO);
                let Some(horizon) = raw.horizon else {
                    return Err(wrong("horizon", "missing: `nodes` need a `horizon`"));
                };
                let slots = SlotList::from_nodes(&nodes, &raw.occupied, from, horizon)
                    .map_err(|error| CliError::input(path, error))?;
                nodes.sort_by_key(|node| node.id);
                (nodes, slots, from, horizon)
            }
            (None, Some(slots)) => {
                for (field, given) in [
                    ("occupied", !raw.occupied.is_empty()),
                    ("from", raw.from.is_some()),
                    ("horizon", raw.horizon.is_some()),
                ] {
                    if given {
                        return Err(wrong(field, "goes with `nodes`; `slots` say themselves what is free"));
                    }
                }
                let nodes: BTreeMap<NodeId, Node> =
                    slots.iter().map(|slot| (slot.node(), slot.as_node())).collect();
                let from = slots.iter().map(|slot| slot.start()).min().unwrap_or(Time::ZERO);
                let horizon = slots.iter().map(|slot| slot.end()).max().unwrap_or(from);
                (nodes.into_values().collect(), slots, from, horizon)
            }
        };
        Ok(Self {
            title,
            nodes,
            slots,
            batch: raw.jobs,
            request: raw.request,
            values: raw.values,
            from,
            horizon,
            axis: TimeAxis::default(),
            times: Times::Plain,
            notes: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Scenario, CliError> {
        Scenario::from_json(text.as_bytes(), Path::new("s.json"))
    }

    #[test]
    fn the_built_in_scenario_is_sound() {
        let scenario = Scenario::built_in().unwrap();
        assert_eq!((scenario.nodes.len(), scenario.batch.len()), (12, 6));
        assert_eq!(scenario.slots.len(), 12 + 7); // the load of node 7 begins at 0: no slot before it
    }

    #[test]
    fn slots_or_nodes_but_not_both() {
        let node = r#"{"id":1,"speed":1,"price":2}"#;
        let slot = r#"{"node":1,"speed":1,"price":2,"start":5,"end":9}"#;
        let scenario = parse(&format!(r#"{{"slots":[{slot}]}}"#)).unwrap();
        assert_eq!((scenario.from, scenario.horizon), (Time::must(5.0), Time::must(9.0)));
        let scenario = parse(&format!(r#"{{"nodes":[{node}],"horizon":9}}"#)).unwrap();
        assert_eq!(scenario.slots.len(), 1);
        for (text, field) in [
            (format!(r#"{{"nodes":[{node}],"slots":[{slot}],"horizon":9}}"#), "slots"),
            (format!(r#"{{"nodes":[{node}]}}"#), "horizon"),
            (format!(r#"{{"slots":[{slot}],"from":0}}"#), "from"),
            ("{}".to_owned(), "nodes"),
            (r#"{"slotz":[]}"#.to_owned(), "slotz"),
            (format!(r#"{{"nodes":[{node},{node}],"horizon":9}}"#), "node 1"),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.to_string().contains(field), "{text}: {error}");
            assert_eq!(error.exit_code(), 2);
        }
    }
}
