//! The input of a plan as it is read and written: free slots, and the jobs that ask for them.

mod money;

use crate::draw::gantt::TimeAxis;
use crate::prelude::*;
use crate::printable::one_line;
use econsched::sched_model::{Priority, Sense, Tariff};
use econsched::slot_window::{NodeValues, SearchOptions};
use money::{RawBilling, RawMoney};

/// One instance: nodes, their free time, a batch, and notes.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) title: String,
    /// All nodes, in order of id.
    pub(crate) nodes: Vec<Node>,
    /// Their free time in `[from, horizon)`.
    pub(crate) slots: SlotList,
    /// Their busy times, including those after the horizon; `None` if only slots were given.
    pub(crate) occupied: Option<Vec<Occupied>>,
    pub(crate) batch: Batch,
    /// A separate request, for a single search.
    pub(crate) request: Option<ResourceRequest>,
    /// The value of each node for a search for the maximum value; if empty, the speed is the value.
    pub(crate) values: BTreeMap<NodeId, f64>,
    /// The budgets of users, in units of money; other users have none.
    pub(crate) budgets: BTreeMap<UserId, f64>,
    /// The weights and penalties of jobs, where given.
    pub(crate) service: BTreeMap<JobId, Worth>,
    pub(crate) from: Time,
    pub(crate) horizon: Time,
    pub(crate) axis: TimeAxis,
    /// Whether its times are seconds.
    pub(crate) seconds: bool,
    /// Notes on assumptions and losses, a line each.
    pub(crate) notes: Vec<String>,
}

/// The value of a node, as in the file.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeValue {
    pub(crate) node: NodeId,
    pub(crate) value: f64,
}

/// The budget of a user for all of the user's jobs, as in the file.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct UserBudget {
    user: UserId,
    budget: Money,
}

/// The weight and the penalty of a job.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Worth {
    job: JobId,
    /// Its weight beside the other jobs.
    pub(crate) weight: Option<Priority>,
    /// The penalty for leaving it out, in the unit of the quantity that the criterion optimises.
    pub(crate) penalty: Option<f64>,
}

/// A scenario file: nodes with their busy times, or slots.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawScenario {
    name: Option<String>,
    nodes: Option<Nodes>,
    occupied: Vec<Occupied>,
    from: Option<Time>,
    horizon: Option<Time>,
    slots: Option<SlotList>,
    values: Vec<NodeValue>,
    jobs: Batch,
    request: Option<ResourceRequest>,
    users: Vec<UserBudget>,
    service: Vec<Worth>,
    money: Option<RawMoney>,
    billing: Option<RawBilling>,
}

/// The nodes, sorted by id, and their free time.
struct FreeTime {
    nodes: Vec<Node>,
    slots: SlotList,
    /// The busy times of nodes; `None` if slots were given.
    occupied: Option<Vec<Occupied>>,
    from: Time,
    horizon: Time,
}

impl RawScenario {
    /// Reads a file. Returns it with its amounts in units of money, and the tariff.
    fn read(bytes: &[u8], path: &Path) -> Result<(Self, Tariff), CliError> {
        let raw: Self = files::parse_json(bytes, path)?;
        let tariff = raw.tariff(path)?;
        let both = "give either `money` and `billing` or a tariff of the slots";
        match raw.slots.as_ref().map(SlotList::tariff).filter(|own| !own.is_plain()) {
            Some(_) if !tariff.is_plain() => Err(CliError::field(path, "slots.tariff", both)),
            Some(&own) => Ok((raw, own)),
            None if tariff.digits() == 0 => Ok((raw, tariff)),
            None => {
                let mut tree = serde_json::from_slice(bytes)?;
                money::convert(&mut tree, false, &|amount| tariff.to_units(amount));
                Ok((files::parse_json(tree.to_string().as_bytes(), path)?, tariff))
            }
        }
    }

    /// Takes the nodes or the slots out of the file.
    fn free_time(&mut self, path: &Path) -> Result<FreeTime, CliError> {
        let wrong = |field, message| CliError::field(path, field, message);
        match (self.nodes.take(), self.slots.take()) {
            (Some(_), Some(_)) => Err(wrong("slots", "give either `nodes` or `slots`, not both")),
            (None, None) => Err(wrong("nodes", "missing: give `nodes` or `slots`")),
            (Some(Nodes { mut nodes, features }), None) => {
                let from = self.from.unwrap_or(Time::ZERO);
                let horizon =
                    self.horizon.ok_or_else(|| wrong("horizon", "missing: `nodes` need a `horizon`"))?;
                let occupied = std::mem::take(&mut self.occupied);
                let slots = SlotList::from_nodes(&nodes, &occupied, from, horizon);
                let slots = slots.and_then(|slots| slots.with_features(features));
                let slots = slots.map_err(|error| CliError::input(path, error))?;
                nodes.sort_by_key(|node| node.id);
                Ok(FreeTime { nodes, slots, occupied: Some(occupied), from, horizon })
            }
            (None, Some(slots)) => {
                let of_nodes = [
                    ("occupied", !self.occupied.is_empty()),
                    ("from", self.from.is_some()),
                    ("horizon", self.horizon.is_some()),
                ];
                if let Some((field, _)) = of_nodes.iter().find(|(_, given)| *given) {
                    return Err(wrong(field, "is for `nodes`; `slots` are free time already"));
                }
                let nodes: BTreeMap<NodeId, Node> =
                    slots.iter().map(|slot| (slot.node, Node::from(*slot))).collect();
                let nodes = nodes.into_values().collect();
                let from = slots.iter().map(|slot| slot.start).min().unwrap_or(Time::ZERO);
                let horizon = slots.iter().map(|slot| slot.end).max().unwrap_or(from);
                Ok(FreeTime { nodes, slots, occupied: None, from, horizon })
            }
        }
    }
}

/// Collects the entries of a list by their keys, each of which may occur once.
fn unique_entries<K: Ord + Copy, V>(
    list: &str,
    entries: impl Iterator<Item = (K, Result<V, String>)>,
    twice: impl Fn(K) -> String,
    path: &Path,
) -> Result<BTreeMap<K, V>, CliError> {
    let mut all = BTreeMap::new();
    for (at, (of, entry)) in entries.enumerate() {
        let wrong = |why| CliError::field(path, format!("{list}[{at}]"), why);
        if all.insert(of, entry.map_err(wrong)?).is_some() {
            return Err(wrong(twice(of)));
        }
    }
    Ok(all)
}

/// A small environment to try the program with: 12 nodes, 8 local tasks, 6 jobs.
const BUILT_IN: &str = include_str!("built_in.json");

impl Scenario {
    /// Formats a span of time for people.
    pub(crate) fn time(&self, span: f64) -> String {
        if self.seconds { span_text(span) } else { number(span) }
    }

    /// Builds the search of this kind, with the scenario's values of nodes for searches by value.
    ///
    /// # Errors
    /// [`CliError::Wrong`] if `rho` or a value is out of range.
    pub(crate) fn search(&self, kind: SearchKind, rho: f64) -> Result<Box<dyn WindowSearch>, CliError> {
        let mut options = SearchOptions::default().with_rho(rho);
        if !self.values.is_empty() {
            let values = self.values.iter().map(|(node, value)| (*node, *value));
            options = options.with_criterion(NodeValues::new(values)?, Sense::Maximise);
        }
        kind.build_with(&options).map_err(CliError::usage)
    }

    /// Returns the scenario that is planned if no file is given.
    ///
    /// # Errors
    /// None in practice: a test covers it.
    pub(crate) fn built_in() -> Result<Self, CliError> {
        Self::from_json(BUILT_IN.as_bytes(), Path::new("built-in scenario"))
    }

    /// Parses a scenario from JSON: `{"nodes": [..], "occupied": [..], "from": 0, "horizon": 600, "jobs": [..]}` or
    /// `{"slots": [..], "jobs": [..]}`. Nodes may have `labels` and `amounts`.
    ///
    /// # Errors
    /// [`CliError::Wrong`] with line and field.
    pub(crate) fn from_json(bytes: &[u8], path: &Path) -> Result<Self, CliError> {
        let (mut raw, tariff) = RawScenario::read(bytes, path)?;
        let users = raw.users.iter().map(|one| (one.user, Ok(one.budget.get())));
        let budgets =
            unique_entries("users", users, |user| format!("user {user} has a budget already"), path)?;
        let (jobs, owners): (BTreeSet<JobId>, BTreeSet<UserId>) =
            raw.jobs.iter().map(|job| (job.id, job.user)).unzip();
        let idle = budgets.keys().filter(|user| !owners.contains(user));
        let notes = idle.map(|user| format!("user {user} has a budget but no job")).collect();
        let service = raw.service.iter().map(|&worth| {
            let known = jobs.contains(&worth.job);
            (worth.job, if known { Ok(worth) } else { Err(format!("no job {}", worth.job)) })
        });
        let service = unique_entries("service", service, |job| format!("job {job} is given twice"), path)?;
        let FreeTime { nodes, slots, occupied, from, horizon } = raw.free_time(path)?;
        let title = raw.name.map_or_else(|| Place::file(path).to_string(), |name| one_line(&name));
        let values = raw.values.iter().map(|&NodeValue { node, value }| {
            let known = nodes.binary_search_by_key(&node, |node| node.id).is_ok();
            (node, if known { Ok(value) } else { Err(format!("no node {node}")) })
        });
        let values =
            unique_entries("values", values, |node| format!("node {node} has a value already"), path)?;
        Ok(Self {
            title,
            nodes,
            slots: slots.with_tariff(tariff),
            occupied,
            batch: raw.jobs,
            request: raw.request,
            values,
            budgets,
            service,
            from,
            horizon,
            axis: TimeAxis::default(),
            seconds: false,
            notes,
        })
    }
}

/// Nodes, and the features of those that have any.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<RawNode>")]
pub(super) struct Nodes {
    pub(super) nodes: Vec<Node>,
    pub(super) features: BTreeMap<NodeId, Features>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawNode {
    id: NodeId,
    speed: Speed,
    price: Price,
    #[serde(default)]
    labels: BTreeSet<String>,
    #[serde(default)]
    amounts: BTreeMap<String, f64>,
}

impl TryFrom<Vec<RawNode>> for Nodes {
    type Error = ModelError;
    fn try_from(raw: Vec<RawNode>) -> Result<Self, ModelError> {
        let (mut nodes, mut features) = (Vec::with_capacity(raw.len()), BTreeMap::new());
        for RawNode { id, speed, price, labels, amounts } in raw {
            nodes.push(Node { id, speed, price });
            let mut own = labels.into_iter().fold(Features::default(), Features::with_label);
            for (name, amount) in amounts {
                own = own.with_amount(name, amount)?;
            }
            if own != Features::default() {
                features.insert(id, own);
            }
        }
        Ok(Self { nodes, features })
    }
}
