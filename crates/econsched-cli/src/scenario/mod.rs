//! What is planned: free slots, and the jobs that ask for them.

use crate::error::{CliError, Place};
use crate::files;
use crate::gantt::TimeAxis;
use crate::printable::one_line;
use crate::terminal::Times;
use econsched::sched_model::{
    Batch, Job, ModelError, Money, Node, NodeId, Occupied, Price, Refusal, ResourceRequest, Rounding, Slot,
    SlotList, Span, Tariff, Time, UserId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
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
    /// What users spend at most, in units of money; the others have no budget.
    pub(crate) budgets: BTreeMap<UserId, f64>,
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

/// What a user spends on all of the user's jobs at most.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct UserBudget {
    user: UserId,
    budget: Money,
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
    #[serde(default)]
    users: Vec<UserBudget>,
    #[serde(default)]
    money: Option<RawMoney>,
    #[serde(default)]
    billing: Option<RawBilling>,
}

/// How money is counted: charges are whole numbers of the smallest unit. Amounts and prices in the file are decimals.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMoney {
    digits: u8,
    #[serde(default)]
    rounding: Option<Rounding>,
}

/// What is charged besides price x span.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawBilling {
    increment: Option<Span>,
    entry_fee: Option<Money>,
    least_charge: Option<Money>,
}

impl RawScenario {
    /// How price and span become a charge.
    fn tariff(&self, path: &Path) -> Result<Tariff, CliError> {
        let wrong = |field: &'static str| {
            move |error: ModelError| CliError::input(Place::file(path).field(field), error)
        };
        let mut tariff = Tariff::default();
        if let Some(money) = self.money {
            if money.digits > Tariff::MOST_DIGITS {
                let most = Tariff::MOST_DIGITS;
                let at = Place::file(path).field("money.digits");
                return Err(CliError::input(at, format!("at most {most}, got {}", money.digits)));
            }
            tariff = tariff.with_digits(money.digits, money.rounding.unwrap_or(Rounding::Up));
        }
        let billing = self.billing.unwrap_or_default();
        let units = |money: Money| Money::new(tariff.to_units(money.get()));
        let fee = billing.entry_fee.map(units).transpose().map_err(wrong("billing.entry_fee"))?;
        let least = billing.least_charge.map(units).transpose().map_err(wrong("billing.least_charge"))?;
        if let Some(increment) = billing.increment {
            tariff = tariff.with_increment(increment).map_err(wrong("billing.increment"))?;
        }
        if let Some(fee) = fee {
            tariff = tariff.with_entry_fee(fee).map_err(wrong("billing.entry_fee"))?;
        }
        if let Some(least) = least {
            tariff = tariff.with_least_charge(least).map_err(wrong("billing.least_charge"))?;
        }
        Ok(tariff)
    }

    /// All amounts and prices in units of money.
    fn in_units(mut self, tariff: &Tariff) -> Result<Self, ModelError> {
        let price = |price: Price| Price::new(tariff.to_units(price.get()));
        let request = |mut request: ResourceRequest| -> Result<ResourceRequest, ModelError> {
            if let Some(limit) = request.price_limit() {
                request = request.with_price_limit(price(limit)?);
            }
            if let Some(budget) = request.budget() {
                request = request.with_budget(Money::new(tariff.to_units(budget.get()))?);
            }
            Ok(request)
        };
        for node in self.nodes.iter_mut().flatten() {
            node.price = price(node.price)?;
        }
        if let Some(slots) = &self.slots {
            let convert = |slot: &Slot| {
                let node = Node { price: price(slot.price())?, ..slot.as_node() };
                Slot::new(node, slot.start(), slot.end())
            };
            let slots = slots.iter().map(convert).collect::<Result<Vec<_>, _>>()?;
            self.slots = Some(SlotList::from_sorted(slots)?);
        }
        let jobs = self.jobs.iter().map(|job| Ok(Job { request: request(job.request)?, ..*job }));
        self.jobs = Batch::new(jobs.collect::<Result<_, ModelError>>()?)?;
        self.request = self.request.map(request).transpose()?;
        for user in &mut self.users {
            user.budget = Money::new(tariff.to_units(user.budget.get()))?;
        }
        Ok(self)
    }
}

/// A small environment for a first look: 12 nodes, 8 local tasks, 6 jobs.
const BUILT_IN: &str = include_str!("../plan/built_in.json");

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
        let mut raw: RawScenario = files::parse_json(bytes, path)?;
        let mut tariff = raw.tariff(path)?;
        if let Some(own) = raw.slots.as_ref().map(SlotList::tariff).filter(|own| !own.is_plain()) {
            if !tariff.is_plain() {
                let at = Place::file(path).field("slots.tariff");
                return Err(CliError::input(
                    at,
                    "give either `money` and `billing` or a tariff of the slots",
                ));
            }
            tariff = *own;
        } else if tariff.digits() > 0 {
            raw = raw.in_units(&tariff).map_err(|error| CliError::input(path, error))?;
        }
        let wrong = |field: &str, message: &str| CliError::input(Place::file(path).field(field), message);
        let mut budgets = BTreeMap::new();
        for (at, user) in raw.users.iter().enumerate() {
            if budgets.insert(user.user, user.budget.get()).is_some() {
                return Err(wrong(
                    &format!("users[{at}]"),
                    &format!("user {} has a budget already", user.user),
                ));
            }
        }
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
            slots: slots.with_tariff(tariff),
            batch: raw.jobs,
            request: raw.request,
            values: raw.values,
            budgets,
            from,
            horizon,
            axis: TimeAxis::default(),
            times: Times::Plain,
            notes: Vec::new(),
        })
    }
}

/// Fields of results that hold money or prices.
const MONEY: [&str; 6] = ["price", "cost", "price_limit", "budget", "total_cost", "entry_fee"];

impl Scenario {
    /// An amount or a price as people write it.
    pub(crate) fn money(&self, units: f64) -> f64 {
        self.slots.tariff().to_decimal(units)
    }

    /// A refusal with its amounts as people write them; `money` says whether the limit of the batch is an amount.
    pub(crate) fn in_decimals(&self, refusal: &Refusal, money: bool) -> Refusal {
        match refusal {
            Refusal::Budget { short_by } => {
                let short = Money::new(self.money(short_by.get())).unwrap_or(*short_by);
                Refusal::Budget { short_by: short }
            }
            Refusal::BatchLimit { short_by } if money => {
                Refusal::BatchLimit { short_by: self.money(*short_by) }
            }
            other => other.clone(),
        }
    }

    /// A result as JSON, its amounts and prices as people write them; `money` as in [`in_decimals`](Self::in_decimals).
    ///
    /// # Errors
    /// [`CliError::Fault`] for a value that JSON cannot hold.
    pub(crate) fn json<T: Serialize>(&self, value: &T, money: bool) -> Result<String, CliError> {
        if self.slots.tariff().digits() == 0 {
            return files::json(value);
        }
        let mut value = serde_json::to_value(value).map_err(CliError::fault)?;
        self.decimals_in(&mut value, false, money);
        files::json(&value)
    }

    fn decimals_in(&self, value: &mut Value, is_money: bool, limit_is_money: bool) {
        match value {
            Value::Number(number) if is_money => {
                if let Some(decimal) =
                    number.as_f64().and_then(|units| serde_json::Number::from_f64(self.money(units)))
                {
                    *number = decimal;
                }
            }
            Value::Array(values) => {
                values.iter_mut().for_each(|value| self.decimals_in(value, false, limit_is_money));
            }
            Value::Object(fields) => {
                for (name, value) in fields {
                    let short = match (name.as_str(), &mut *value) {
                        ("budget", Value::Object(refusal)) => refusal.get_mut("short_by"),
                        ("batch_limit", Value::Object(refusal)) if limit_is_money => {
                            refusal.get_mut("short_by")
                        }
                        _ => None,
                    };
                    match short {
                        Some(short) => self.decimals_in(short, true, limit_is_money),
                        None => self.decimals_in(value, MONEY.contains(&name.as_str()), limit_is_money),
                    }
                }
            }
            _ => {}
        }
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
