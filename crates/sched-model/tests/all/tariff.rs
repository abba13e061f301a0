//! Tariffs, compared with whole-number arithmetic.

use crate::testkit::{Draw, drawn};
use sched_model::*;

/// A decimal, `digits * 10^-places`.
#[derive(Debug, Clone, Copy)]
struct Decimal {
    digits: u64,
    places: u32,
}

impl Decimal {
    fn double(self) -> f64 {
        format!("{}e-{}", self.digits, self.places).parse().unwrap()
    }
}

/// No increment; the number is the limit of the digits of prices.
const NONE: (Decimal, usize) = (Decimal { digits: 0, places: 0 }, 1_000_000);

/// A decimal; its digits are a number up to `most`, up to 100, or a multiple of 100.
fn decimal(draw: &mut Draw, most: usize) -> Decimal {
    let digits = match draw.below(3) {
        0 => draw.below(most + 1),
        1 => draw.below(101),
        _ => 100 * draw.between(1, most / 100),
    };
    Decimal { digits: digits as u64, places: draw.below(5) as u32 }
}

/// `a * b` in decimal arithmetic, rounded to a whole number.
fn product(a: Decimal, b: Decimal, rounding: Rounding) -> u64 {
    let one = 10_u64.pow(a.places + b.places);
    let exact = a.digits * b.digits;
    match rounding {
        Rounding::Up => exact.div_ceil(one),
        _ => (2 * exact + one) / (2 * one),
    }
}

/// `a / b` in decimal arithmetic, rounded up.
fn quotient(a: Decimal, b: Decimal) -> u64 {
    (a.digits * 10_u64.pow(b.places)).div_ceil(b.digits * 10_u64.pow(a.places))
}

fn rounding(draw: &mut Draw) -> Rounding {
    draw.of([Rounding::Up, Rounding::Nearest])
}

/// A number of at least 0, up to 10^`most`.
fn number(draw: &mut Draw, most: i32) -> f64 {
    draw.bytes(8) as f64 * 10.0_f64.powi(draw.below((80 + most) as usize) as i32 - 100)
}

/// Usage in begun increments plus a fee, at least the least charge; rounded if the tariff has digits.
#[test]
fn decimals_are_charged_as_people_compute() {
    drawn(20_000, |draw| {
        // Products of up to 14 digits.
        let (increment, most) = if draw.chance(70) { (decimal(draw, 1000), 1000) } else { NONE };
        let (price, span) = (decimal(draw, most), decimal(draw, 1_000_000));
        let rounding = draw.chance(75).then(|| rounding(draw));
        let [fee, least] =
            [5000, 100_000].map(|most| if draw.chance(50) { decimal(draw, most) } else { NONE.0 });
        let money = |amount: Decimal| Money::must(amount.double());
        let tariff = Tariff::default().with_entry_fee(money(fee)).unwrap();
        let mut tariff = tariff.with_least_charge(money(least)).unwrap();
        let (mut billed, mut usage) = (span, span.double());
        if increment.digits > 0 {
            tariff = tariff.with_increment(Span::must(increment.double())).unwrap();
            let count = quotient(span, increment);
            billed = Decimal { digits: count * increment.digits, ..increment };
            usage = count as f64 * increment.double();
        }
        let span = Span::must(span.double());
        assert_eq!(tariff.billed(span).get(), usage);
        let up = |amount: Decimal| product(amount, Decimal { digits: 1, places: 0 }, Rounding::Up) as f64;
        let expected = match rounding {
            None => (price.double() * usage + fee.double()).max(least.double()),
            Some(rounding) => (product(price, billed, rounding) as f64 + up(fee)).max(up(least)),
        };
        let tariff = rounding.map_or(tariff, |rounding| tariff.with_digits(draw.of([2, 3]), rounding));
        assert_eq!(tariff.charge(Price::must(price.double()), span).get(), expected);
    });
}

#[test]
fn any_charge_is_whole_covers_its_usage_and_grows() {
    drawn(10_000, |draw| {
        let [price, span, more, longer] = [20, 20, 3, 3].map(|most| number(draw, most));
        let increment = draw.chance(75).then(|| number(draw, 9));
        let tariff = Tariff::default().with_digits(0, Rounding::Up);
        let tariff = increment.map_or(Ok(tariff), |d| tariff.with_increment(Span::must(d + 1e-9))).unwrap();
        let nearest = tariff.with_digits(0, Rounding::Nearest);
        let charge = |tariff: &Tariff, price, span| tariff.charge(Price::must(price), Span::must(span)).get();
        let up = charge(&tariff, price, span);
        let usage = price * tariff.billed(Span::must(span)).get();
        assert!(up == up.floor() && up >= usage * (1.0 - 1e-15) && up <= usage * (1.0 + 1e-15) + 1.0);
        let near = charge(&nearest, price, span);
        assert!(near == near.floor() && (near - usage).abs() <= 0.5 + usage * 1e-15 && near <= up);
        for (more, longer) in
            [(price.next_up(), span), (price, span.next_up()), (price + more, span + longer)]
        {
            assert!(charge(&tariff, more, longer) >= up);
            assert!(charge(&nearest, more, longer) >= near);
        }
    });
}

#[test]
fn decimals_and_units_convert_as_people_read_them() {
    drawn(10_000, |draw| {
        let (units, digits) = (draw.bytes(7) >> 6, draw.below(10) as u8);
        let tariff = Tariff::default().with_digits(digits, Rounding::Up);
        let decimal: f64 = format!("{units}e-{digits}").parse().unwrap();
        assert_eq!(tariff.to_units(decimal), units as f64);
        assert_eq!(tariff.to_decimal(units as f64), decimal);
    });
}

#[test]
fn extremes_stay_finite() {
    let tariff = Tariff::default().with_digits(9, Rounding::Up).with_increment(Span::must(1e-60)).unwrap();
    let long = Work::must(1e60) / Speed::must(1e-60);
    assert!((tariff.billed(long).get() / long.get() - 1.0).abs() < 1e-15);
    assert!(tariff.charge(Price::must(1e60), long).get().is_finite());
    let hour = Tariff::default().with_increment(Span::must(1e60)).unwrap();
    assert_eq!(hour.billed(Span::must(1e-200)), Span::must(1e60));
    assert_eq!(hour.billed(Span::ZERO), Span::ZERO);
    assert_eq!(Tariff::default().to_units(0.29), 0.29);
    assert_eq!((tariff.to_units(f64::INFINITY), tariff.to_units(-0.5)), (f64::INFINITY, -5e8));
}

#[test]
fn whole_amounts_stay_to_two_to_the_fifty_third() {
    for rounding in [Rounding::Up, Rounding::Nearest] {
        let tariff = Tariff::default().with_digits(6, rounding);
        for amount in [1.0, 49.0, 2.0_f64.powi(49) - 1.0, 2.0_f64.powi(51) + 1.0, 2.0_f64.powi(53) - 1.0] {
            assert_eq!(tariff.charge(Price::must(amount), Span::must(1.0)), Money::must(amount));
        }
        let fraction = 2.0_f64.powi(51) + 0.5;
        assert_eq!(tariff.charge(Price::must(fraction), Span::must(1.0)), Money::must(fraction + 0.5));
        let half = tariff.charge(Price::must(1e9), Span::must(0.5e-9));
        assert_eq!(half, Money::must(1.0));
    }
}
