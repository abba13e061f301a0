//! Tariffs: the rules that turn a price and a span into a charge.

use crate::{ModelError, Money, Price, Span};

/// 2^-50: the relative error that a product or quotient of decimals may have. A decimal has a relative error of up
/// to 2^-53 as a double, and so has each operation.
const FORGIVEN: f64 = f64::EPSILON * 4.0;

/// Rounds `x`, which must not be negative, to a whole number: up if its fraction is positive and at least `threshold`,
/// otherwise down. A rounding error of 2^-50 of `x` is forgiven (100 * 0.07 is 7.000000000000001 in doubles), but at
/// most 1/4, for numbers so large that doubles hold few fractions: a fraction of at most this error counts as 0, and
/// one that is below `threshold` by at most this error counts as `threshold`.
fn round_at(x: f64, threshold: f64) -> f64 {
    let (below, forgiven) = (x.floor(), (x * FORGIVEN).min(0.25));
    if x - below <= forgiven || x - below < threshold - forgiven { below } else { below + 1.0 }
}

/// The smallest whole number that is at least `x` minus its rounding error.
fn up(x: f64) -> f64 {
    round_at(x, 0.0)
}

crate::registry! {
    /// How a charge is rounded to a whole number of units of money.
    pub enum Rounding: setting "rounding of charges" {
        /// Up: a unit that has begun is charged in full.
        Up = "up",
        /// To nearest, halves up.
        Nearest = "nearest",
    }
}

impl Rounding {
    fn round(self, x: f64) -> f64 {
        match self {
            Self::Up => up(x),
            Self::Nearest => round_at(x, 0.5),
        }
    }
}

/// The rules that turn the price of one node and a span into a charge. The default is price x span.
///
/// The charge is `max(entry fee + usage, minimum charge)`, where the usage is the price times the *billed span*:
/// the span or, with a billing increment, the smallest multiple of the increment that covers the span. With
/// [digits](Self::with_digits), usage, fee and minimum charge are whole units of money. Sums of charges are then
/// exact up to 2^53 units, and are compared with budgets as in decimal arithmetic.
///
/// Decimals are not exact as doubles. So a product or quotient that exceeds a whole number by at most 2^-50 (about
/// 10^-15) of itself counts as that number: 100 seconds at 0.07 cents are 7 cents and not 8, and 1.1 hours are 11
/// increments of 0.1 and not 12. Decimals with up to 14 digits in total are charged as if computed in decimals.
///
/// A tariff belongs to a [`SlotList`](crate::SlotList); every search and the checker use the tariff of the list. A
/// higher price or a longer span never gives a lower charge.
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
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[must_use]
pub struct Tariff {
    /// Whether a charge may differ from price x span.
    by_rules: bool,
    /// The decimal places to which charges are rounded.
    digits: Option<u8>,
    rounding: Option<Rounding>,
    increment: Option<Span>,
    /// `None` instead of zero, as for the minimum charge.
    entry_fee: Option<Money>,
    least_charge: Option<Money>,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "Tariff", rename = "Tariff", default = "Tariff::default", deny_unknown_fields)]
struct TariffForm {
    #[serde(skip)]
    by_rules: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    digits: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounding: Option<Rounding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    increment: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_fee: Option<Money>,
    #[serde(skip_serializing_if = "Option::is_none")]
    least_charge: Option<Money>,
}

#[cfg(feature = "serde")]
crate::serde_checked!(Tariff as TariffForm);

impl Tariff {
    /// The maximum number of digits of money: the smallest unit is 10^-9 of the currency.
    #[doc(hidden)]
    pub const MOST_DIGITS: u8 = 9;

    /// Rounds charges to whole units of money, where a unit is 10^-`digits` of the currency: with 2 digits, money
    /// counts cents, and prices are in cents too. More digits than 9 count as 9. Entry fee and minimum charge are
    /// rounded up to whole units. [`to_units`](Self::to_units) and [`to_decimal`](Self::to_decimal) convert from and
    /// to decimals of the currency.
    pub fn with_digits(self, digits: u8, rounding: Rounding) -> Self {
        Self { digits: Some(digits.min(Self::MOST_DIGITS)), rounding: Some(rounding), ..self }.normalised()
    }

    /// Bills spans in multiples of this increment (a second, a minute, an hour in the caller's unit of time). An
    /// increment that has begun is billed in full.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for an increment below 1e-60.
    pub fn with_increment(self, increment: Span) -> Result<Self, ModelError> {
        Self { increment: Some(increment), ..self }.checked()
    }

    /// Charges each node this fee in addition to its usage.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a negative fee.
    pub fn with_entry_fee(self, entry_fee: Money) -> Result<Self, ModelError> {
        Self { entry_fee: Some(entry_fee), ..self }.checked()
    }

    /// Charges each node at least this amount.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a negative charge.
    pub fn with_least_charge(self, least_charge: Money) -> Result<Self, ModelError> {
        Self { least_charge: Some(least_charge), ..self }.checked()
    }

    fn checked(self) -> Result<Self, ModelError> {
        if let Some(digits) = self.digits.filter(|digits| *digits > Self::MOST_DIGITS) {
            return Err(ModelError::out_of_range("the digits of a tariff", "[0, 9]", digits.into()));
        }
        if let Some(short) = self.increment.filter(|increment| increment.get() < crate::quantity::MIN_SPEED) {
            let what = "the billing increment of a tariff";
            return Err(ModelError::out_of_range(what, "[1e-60, 1e60]", short.get()));
        }
        let amounts = [
            ("the entry fee of a tariff", self.entry_fee),
            ("the least charge of a tariff", self.least_charge),
        ];
        for (what, amount) in amounts {
            if let Some(negative) = amount.filter(|amount| *amount < Money::ZERO) {
                return Err(ModelError::out_of_range(what, "[0, 1e60]", negative.get()));
            }
        }
        Ok(self.normalised())
    }

    /// Restores the invariants: digits and rounding are set together, amounts are whole if charges are, and amounts
    /// of zero are `None`.
    fn normalised(self) -> Self {
        let (digits, rounding) = match (self.digits, self.rounding) {
            (None, None) => (None, None),
            (digits, rounding) => (digits.or(Some(0)), rounding.or(Some(Rounding::Up))),
        };
        let whole = |x: Money| if rounding.is_some() { Money::unchecked(up(x.get())) } else { x };
        let amount = |given: Option<Money>| given.map(whole).filter(|amount| *amount != Money::ZERO);
        let normalised = Self {
            digits,
            rounding,
            entry_fee: amount(self.entry_fee),
            least_charge: amount(self.least_charge),
            ..self
        };
        let plain = Self { by_rules: self.by_rules, ..Self::default() };
        Self { by_rules: normalised != plain, ..normalised }
    }

    /// Whether every charge is price x span, as by default.
    #[inline]
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        !self.by_rules
    }

    /// The charge for a node of this price that is held for this span.
    #[inline]
    pub fn charge(&self, price: Price, span: Span) -> Money {
        if self.by_rules { self.charge_by_rules(price, span) } else { price * span }
    }

    fn charge_by_rules(&self, price: Price, span: Span) -> Money {
        let billed = self.billed(span);
        let usage = match self.rounding {
            Some(rounding) => Money::unchecked(rounding.round((price * billed).get())),
            None => price * billed,
        };
        (usage + self.entry_fee()).max(self.least_charge())
    }

    /// The span that is paid for: the smallest multiple of the billing increment that covers `span`, as a double;
    /// without an increment, `span` itself.
    #[doc(hidden)]
    pub fn billed(&self, span: Span) -> Span {
        match self.increment {
            Some(increment) => Span::unchecked(up(span.get() / increment.get()) * increment.get()),
            None => span,
        }
    }

    /// Converts an amount of the currency, or a price in it, to units of money, by 10^digits. The number is taken as
    /// the decimal that it prints as, so 0.29 with two digits is 29.
    ///
    /// ```
    /// use sched_model::{Rounding, Tariff};
    /// let cents = Tariff::default().with_digits(2, Rounding::Nearest);
    /// assert_eq!((cents.to_units(0.29), cents.to_decimal(29.0)), (29.0, 0.29));
    /// assert_ne!(0.29 * 100.0, 29.0);
    /// ```
    pub fn to_units(&self, decimal: f64) -> f64 {
        shift(decimal, i32::from(self.digits()))
    }

    /// Converts units of money to an amount of the currency: the inverse of [`to_units`](Self::to_units).
    pub fn to_decimal(&self, units: f64) -> f64 {
        shift(units, -i32::from(self.digits()))
    }

    /// The decimal places of a unit of money in the currency; 0 if money is not counted in whole units.
    #[doc(hidden)]
    pub fn digits(&self) -> u8 {
        self.digits.unwrap_or(0)
    }

    /// The entry fee of each node, in addition to its usage.
    fn entry_fee(&self) -> Money {
        self.entry_fee.unwrap_or(Money::ZERO)
    }

    /// The minimum charge of each node.
    fn least_charge(&self) -> Money {
        self.least_charge.unwrap_or(Money::ZERO)
    }
}

/// Returns the decimal that `value` prints as, with its point moved `places` to the right.
fn shift(value: f64, places: i32) -> f64 {
    // A finite number prints as digits, so its text is a number. Other values stay unchanged.
    if places == 0 || !value.is_finite() {
        value
    } else {
        format!("{value}e{places}").parse().unwrap_or(value)
    }
}
