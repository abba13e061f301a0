//! Tariffs, compared with whole-number arithmetic.

use econsched::testkit::{Draw, drawn};
use sched_model::*;

/// Decimals are whole numbers of 10^-4.
const ONE: u128 = 10_000;

fn double(decimal: u128) -> f64 {
    format!("{decimal}e-4").parse().unwrap()
}

/// A decimal of up to four places; its digits are a number up to `most`, up to 100, or a multiple of 100.
fn decimal(draw: &mut Draw, most: usize) -> u128 {
    let digits = match draw.below(3) {
        0 => draw.below(most + 1),
        1 => draw.below(101),
        _ => 100 * draw.between(1, most / 100),
    };
    digits as u128 * 10_u128.pow(draw.below(5) as u32)
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
        // Products of up to 14 digits: a price has fewer where spans are billed in increments.
        let (increment, most) = if draw.chance(70) { (decimal(draw, 1000), 1000) } else { (0, 1_000_000) };
        let (price, span) = (decimal(draw, most), decimal(draw, 1_000_000));
        let rounding = draw.chance(75).then(|| rounding(draw));
        let [fee, least] = [5000, 100_000].map(|most| if draw.chance(50) { decimal(draw, most) } else { 0 });
        let tariff = Tariff::default().with_entry_fee(Money::must(double(fee))).unwrap();
        let mut tariff = tariff.with_least_charge(Money::must(double(least))).unwrap();
        let (mut billed, mut usage) = (span, double(span));
        if increment > 0 {
            tariff = tariff.with_increment(Span::must(double(increment))).unwrap();
            let count = span.div_ceil(increment);
            (billed, usage) = (count * increment, count as f64 * double(increment));
        }
        let span = Span::must(double(span));
        assert_eq!(tariff.billed(span).get(), usage);
        let whole = |product: u128, rounding| match rounding {
            Rounding::Up => product.div_ceil(ONE * ONE),
            _ => (2 * product + ONE * ONE) / (2 * ONE * ONE),
        };
        let up = |amount: u128| amount.div_ceil(ONE) as f64;
        let expected = match rounding {
            None => (double(price) * usage + double(fee)).max(double(least)),
            Some(rounding) => (whole(price * billed, rounding) as f64 + up(fee)).max(up(least)),
        };
        let tariff = rounding.map_or(tariff, |rounding| tariff.with_digits(draw.of([2, 3]), rounding));
        assert_eq!(tariff.charge(Price::must(double(price)), span).get(), expected);
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
