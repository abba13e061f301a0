//! Tariffs: the charge of a price and a span.

use crate::{ModelError, Money, Price, Span};

/// 2^-50: the relative error that a product or quotient of decimals may have. A decimal as a double has a
/// relative error of up to 2^-53, and so has each operation.
const FORGIVEN: f64 = f64::EPSILON * 4.0;

/// The whole number below `x`, which is not negative; the excess of `x` over it; and the part of the excess
/// that counts as rounding error: 2^-50 of `x` (100 * 0.07 is 7.000000000000001 in doubles), but at most a
/// quarter where numbers are so great that doubles hold few fractions.
fn parts(x: f64) -> (f64, f64, f64) {
    let below = x.floor();
    (below, x - below, (x * FORGIVEN).min(0.25))
}

/// The least whole number that is at least `x` less its rounding error.
fn up(x: f64) -> f64 {
    let (below, rest, forgiven) = parts(x);
    if rest <= forgiven { below } else { below + 1.0 }
}

/// The whole number nearest to `x`; halves are rounded up, also where a rounding error puts `x` below a half.
fn nearest(x: f64) -> f64 {
    let (below, rest, forgiven) = parts(x);
    if rest <= forgiven || rest < 0.5 - forgiven { below } else { below + 1.0 }
}

crate::registry! {
    /// How a charge is rounded to a whole number of units of money.
    pub enum Rounding: "rounding of charges" {
        /// Up: each unit that is begun is charged.
        Up = "up",
        /// To nearest, halves up.
        Nearest = "nearest",
    }
}

impl Rounding {
    fn round(self, x: f64) -> f64 {
        match self {
            Self::Up => up(x),
            Self::Nearest => nearest(x),
        }
    }
}

/// The rules by which price and span give the charge of one node. The default is price x span.
///
/// The charge is `max(entry fee + usage, minimum charge)`, where the usage is the price times the *billed
/// span*: the span, or with a billing increment the smallest multiple of it that covers the span. With
/// [digits](Self::with_digits), usage, fee and minimum charge are whole units of money; so that sums of charges
/// are exact up to 2^53 units, and are compared with budgets as in decimal arithmetic.
///
/// Decimals are not exact as doubles. So a product or quotient that exceeds a whole number by at most 2^-50
/// (about 10^-15) of itself counts as that number: 100 seconds at 0.07 cents are 7 cents and not 8, 1.1 hours
/// are 11 increments of 0.1 and not 12. Decimals of up to 14 digits in all are charged as if computed in
/// decimals.
///
/// A tariff belongs to a [`SlotList`](crate::SlotList); every search and the checker use that of the list.
/// The charge of a greater price or a greater span is never less.
///
/// ```
/// use sched_model::{Money, Price, Rounding, Span, Tariff};
/// // Prices per second, in cents; billed by the minute, begun minutes in full; 5 cents for each node, at
/// // least 20 cents.
/// let tariff = Tariff::default()
///     .with_digits(2, Rounding::Up)
///     .with_increment(Span::must(60.0))?
///     .with_entry_fee(Money::must(5.0))?
///     .with_least_charge(Money::must(20.0))?;
/// assert_eq!(tariff.billed(Span::must(61.0)), Span::must(120.0));
/// assert_eq!(tariff.charge(Price::must(0.3), Span::must(61.0)), Money::must(41.0)); // 120 * 0.3 + 5
/// assert_eq!(tariff.charge(Price::must(0.01), Span::must(61.0)), Money::must(20.0));
/// assert_eq!(Tariff::default().charge(Price::must(0.3), Span::must(61.0)), Money::must(0.3 * 61.0));
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "form::Form", into = "form::Form"))]
#[must_use]
pub struct Tariff {
    /// Whether a charge is price x span.
    plain: bool,
    digits: u8,
    rounding: Option<Rounding>,
    increment: Option<Span>,
    entry_fee: Money,
    least_charge: Money,
}

impl Default for Tariff {
    fn default() -> Self {
        Self {
            plain: true,
            digits: 0,
            rounding: None,
            increment: None,
            entry_fee: Money::ZERO,
            least_charge: Money::ZERO,
        }
    }
}

impl Tariff {
    /// The most digits of money: 10^-9 of the currency is the smallest unit.
    pub const MOST_DIGITS: u8 = 9;

    /// Charges are whole numbers of units of money, and a unit is 10^-`digits` of the currency: with 2
    /// digits, money counts cents, and prices are in cents too. A greater number of digits than
    /// [`MOST_DIGITS`](Self::MOST_DIGITS) counts as that number. Entry fee and minimum charge are rounded up to
    /// whole units.
    ///
    /// [`to_units`](Self::to_units) and [`to_decimal`](Self::to_decimal) convert from and to decimals of the
    /// currency.
    pub fn with_digits(self, digits: u8, rounding: Rounding) -> Self {
        Self { digits: digits.min(Self::MOST_DIGITS), rounding: Some(rounding), ..self }.settled()
    }

    /// Spans are billed in multiples of this increment (a second, a minute, an hour in the caller's unit of
    /// time). An increment that is begun is billed in full.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for an increment below 1e-60.
    pub fn with_increment(self, increment: Span) -> Result<Self, ModelError> {
        if increment.get() < crate::MIN_SPEED {
            let what = "the billing increment of a tariff";
            return Err(ModelError::out_of_range(what, "[1e-60, 1e60]", increment.get()));
        }
        Ok(Self { increment: Some(increment), ..self }.settled())
    }

    /// Each node costs this much beside its usage.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a negative fee.
    pub fn with_entry_fee(self, entry_fee: Money) -> Result<Self, ModelError> {
        not_negative("the entry fee of a tariff", entry_fee)?;
        Ok(Self { entry_fee, ..self }.settled())
    }

    /// Each node costs at least this much.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a negative charge.
    pub fn with_least_charge(self, least_charge: Money) -> Result<Self, ModelError> {
        not_negative("the least charge of a tariff", least_charge)?;
        Ok(Self { least_charge, ..self }.settled())
    }

    /// Keeps the invariants: whole amounts where charges are whole, `plain` where nothing differs from price
    /// x span.
    fn settled(self) -> Self {
        let whole = |amount: Money| {
            if self.rounding.is_some() { Money::unchecked(up(amount.get())) } else { amount }
        };
        let (entry_fee, least_charge) = (whole(self.entry_fee), whole(self.least_charge));
        let plain = self.rounding.is_none()
            && self.increment.is_none()
            && entry_fee == Money::ZERO
            && least_charge == Money::ZERO;
        Self { plain, entry_fee, least_charge, ..self }
    }

    /// Whether a charge is price x span, as by default.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// The charge of a node of this price for this span.
    #[inline]
    pub fn charge(&self, price: Price, span: Span) -> Money {
        if self.plain { price * span } else { self.charge_by_rules(price, span) }
    }

    fn charge_by_rules(&self, price: Price, span: Span) -> Money {
        let billed = self.billed(span);
        let usage = match self.rounding {
            Some(rounding) => Money::unchecked(rounding.round((price * billed).get())),
            None => price * billed,
        };
        (usage + self.entry_fee).max(self.least_charge)
    }

    /// The span that is paid for: the smallest multiple of the billing increment that covers the span, as a
    /// double.
    pub fn billed(&self, span: Span) -> Span {
        match self.increment {
            Some(increment) => Span::unchecked(up(span.get() / increment.get()) * increment.get()),
            None => span,
        }
    }

    /// An amount of the currency, or a price in it, in units of money: times 10^digits. The number counts as
    /// the decimal that it prints as, so that 0.29 with two digits is 29.
    ///
    /// ```
    /// use sched_model::{Rounding, Tariff};
    /// let cents = Tariff::default().with_digits(2, Rounding::Nearest);
    /// assert_eq!((cents.to_units(0.29), cents.to_decimal(29.0)), (29.0, 0.29));
    /// assert_ne!(0.29 * 100.0, 29.0);
    /// ```
    pub fn to_units(&self, decimal: f64) -> f64 {
        shift(decimal, i32::from(self.digits))
    }

    /// Units of money as an amount of the currency: the inverse of [`to_units`](Self::to_units).
    pub fn to_decimal(&self, units: f64) -> f64 {
        shift(units, -i32::from(self.digits))
    }
}

crate::getters!(Tariff {
    /// The decimal places of a unit of money in the currency; 0 where money is not counted in whole units.
    digits: u8,
    /// How charges are rounded to whole units; `None` where they are not rounded.
    rounding: Option<Rounding>,
    /// The billing increment, where there is one.
    increment: Option<Span>,
    /// The entry fee of each node, in addition to its usage.
    entry_fee: Money,
    /// The minimum charge of each node.
    least_charge: Money,
});

/// The decimal that a number prints as, with its point moved to the right.
fn shift(value: f64, places: i32) -> f64 {
    // A finite number prints as digits, so that the text is a number. Other values are unchanged.
    if places == 0 || !value.is_finite() {
        value
    } else {
        format!("{value}e{places}").parse().unwrap_or(value)
    }
}

fn not_negative(what: &'static str, amount: Money) -> Result<(), ModelError> {
    if amount < Money::ZERO {
        return Err(ModelError::out_of_range(what, "[0, 1e60]", amount.get()));
    }
    Ok(())
}

/// The written form of a tariff: fields that are left out have their defaults.
#[cfg(feature = "serde")]
mod form {
    use super::{Rounding, Tariff};
    use crate::{ModelError, Money, Span};

    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Form {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digits: Option<u8>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rounding: Option<Rounding>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        increment: Option<Span>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entry_fee: Option<Money>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        least_charge: Option<Money>,
    }

    impl TryFrom<Form> for Tariff {
        type Error = ModelError;
        fn try_from(form: Form) -> Result<Self, ModelError> {
            let mut tariff = Self::default();
            if form.digits.is_some() || form.rounding.is_some() {
                let digits = form.digits.unwrap_or(0);
                if digits > Self::MOST_DIGITS {
                    return Err(ModelError::out_of_range("the digits of a tariff", "[0, 9]", digits.into()));
                }
                tariff = tariff.with_digits(digits, form.rounding.unwrap_or(Rounding::Up));
            }
            if let Some(increment) = form.increment {
                tariff = tariff.with_increment(increment)?;
            }
            if let Some(entry_fee) = form.entry_fee {
                tariff = tariff.with_entry_fee(entry_fee)?;
            }
            if let Some(least_charge) = form.least_charge {
                tariff = tariff.with_least_charge(least_charge)?;
            }
            Ok(tariff)
        }
    }

    impl From<Tariff> for Form {
        fn from(tariff: Tariff) -> Self {
            let amount = |amount: Money| (amount != Money::ZERO).then_some(amount);
            Self {
                digits: tariff.rounding.map(|_| tariff.digits),
                rounding: tariff.rounding,
                increment: tariff.increment,
                entry_fee: amount(tariff.entry_fee),
                least_charge: amount(tariff.least_charge),
            }
        }
    }
}
