//! Money as decimals for people, and as whole units inside.

use super::{RawScenario, Scenario};
use crate::prelude::*;
use econsched::sched_model::{Rounding, Tariff};
use econsched::slot_window::explain::Suggestion;
use serde_json::Value;
use std::fmt::Display;

/// How money is counted: charges are whole numbers of the smallest unit, which has this many decimal digits. Amounts
/// and prices in the file are decimals.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMoney {
    digits: u8,
    rounding: Option<Rounding>,
}

/// Billing rules beyond price x span.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawBilling {
    increment: Option<Span>,
    entry_fee: Option<Money>,
    least_charge: Option<Money>,
}

impl RawScenario {
    /// Returns the tariff, by which price and span become a charge.
    pub(super) fn tariff(&self, path: &Path) -> Result<Tariff, CliError> {
        let wrong = |field, why: &dyn Display| CliError::field(path, field, why);
        let mut tariff = Tariff::default();
        if let Some(RawMoney { digits, rounding }) = self.money {
            if digits > Tariff::MOST_DIGITS {
                return Err(wrong("money.digits", &format!("at most {}, got {digits}", Tariff::MOST_DIGITS)));
            }
            tariff = tariff.with_digits(digits, rounding.unwrap_or(Rounding::Up));
        }
        let RawBilling { increment, entry_fee, least_charge } = self.billing.unwrap_or_default();
        if let Some(increment) = increment {
            tariff = tariff.with_increment(increment).map_err(|error| wrong("billing.increment", &error))?;
        }
        type Set = fn(Tariff, Money) -> Result<Tariff, ModelError>;
        let amounts: [(_, _, Set); 2] = [
            ("billing.entry_fee", entry_fee, Tariff::with_entry_fee),
            ("billing.least_charge", least_charge, Tariff::with_least_charge),
        ];
        for (field, amount, set) in amounts {
            let Some(amount) = amount else { continue };
            let units = tariff.to_units(amount.get());
            if tariff.digits() > 0 && units.fract() != 0.0 {
                let digits = counted(usize::from(tariff.digits()), "digit");
                return Err(wrong(field, &format!("{amount}: money is counted to {digits}")));
            }
            let set = Money::try_from(units).and_then(|units| set(tariff, units));
            tariff = set.map_err(|error| wrong(field, &error))?;
        }
        Ok(tariff)
    }
}

/// Names of fields that hold amounts or prices.
const MONEY: [&str; 6] = ["price", "cost", "price_limit", "budget", "total_cost", "entry_fee"];

/// Converts all amounts and prices within a value; `limit` says whether the limit of the batch is an amount.
pub(super) fn convert(value: &mut Value, limit: bool, to: &dyn Fn(f64) -> f64) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| convert(value, limit, to)),
        Value::Object(fields) => {
            // The amounts of nodes, and what jobs demand of them, may have any names.
            let others = ["amounts", "demands", "features"];
            for (name, value) in fields.iter_mut().filter(|(name, _)| !others.contains(&name.as_str())) {
                let amount = match (name.as_str(), &mut *value) {
                    ("budget", Value::Object(refusal)) => refusal.get_mut("short_by"),
                    ("batch_limit", Value::Object(refusal)) if limit => refusal.get_mut("short_by"),
                    (name, Value::Number(_)) if MONEY.contains(&name) => Some(&mut *value),
                    _ => None,
                };
                match amount {
                    Some(Value::Number(number)) => {
                        let converted = number.as_f64().map(to).and_then(serde_json::Number::from_f64);
                        *number = converted.unwrap_or_else(|| number.clone());
                    }
                    Some(_) => {}
                    None => convert(value, limit, to),
                }
            }
        }
        _ => {}
    }
}

impl Scenario {
    /// Converts an amount or a price from units to decimals.
    pub(crate) fn money(&self, units: f64) -> f64 {
        self.slots.tariff().to_decimal(units)
    }

    /// Converts a value of a goal for people: to decimals, if it is an amount.
    pub(crate) fn value(&self, goal: Goal, value: f64) -> f64 {
        if goal.limits_cost() { value } else { self.money(value) }
    }

    /// Returns a refusal with its amount as a decimal; `money` says whether the limit of the batch is an amount.
    pub(crate) fn refusal(&self, why: &Refusal, money: bool) -> Refusal {
        match *why {
            Refusal::Budget { short_by } => Refusal::Budget { short_by: self.decimal(short_by) },
            Refusal::BatchLimit { short_by } if money => {
                Refusal::BatchLimit { short_by: self.money(short_by) }
            }
            _ => why.clone(),
        }
    }

    /// Returns a suggested change with its amount or price as a decimal.
    pub(crate) fn suggestion(&self, change: &Suggestion) -> Suggestion {
        match *change {
            Suggestion::Budget(budget) => Suggestion::Budget(self.decimal(budget)),
            Suggestion::PriceLimit(price) => Suggestion::PriceLimit(self.decimal(price)),
            _ => change.clone(),
        }
    }

    fn decimal<Q: Into<f64> + TryFrom<f64> + Copy>(&self, units: Q) -> Q {
        Q::try_from(self.money(units.into())).unwrap_or(units)
    }

    /// Formats a result as JSON with its amounts and prices as decimals; `money` as for a
    /// [refusal](Self::refusal).
    ///
    /// # Errors
    /// [`CliError::Fault`] for a value that JSON cannot hold.
    pub(crate) fn json<T: Serialize>(&self, value: &T, money: bool) -> Result<String, CliError> {
        let json = files::json(value)?;
        if self.slots.tariff().digits() == 0 {
            return Ok(json);
        }
        let mut tree = serde_json::from_str(&json)?;
        convert(&mut tree, money, &|units| self.money(units));
        files::json(&tree)
    }
}
