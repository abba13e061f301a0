//! Tariffs against whole-number arithmetic, and in lists, windows and the checker.

use proptest::prelude::*;
use sched_model::check::{Checker, Rules, Violation};
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

fn decimal(most: u64) -> impl Strategy<Value = Decimal> {
    (prop_oneof![0..=most, 0_u64..=100, (1..=most / 100).prop_map(|n| 100 * n)], 0_u32..5)
        .prop_map(|(digits, places)| Decimal { digits, places })
}

/// `a * b` as people compute it, rounded to a whole number.
fn product(a: Decimal, b: Decimal, rounding: Rounding) -> u64 {
    let one = 10_u64.pow(a.places + b.places);
    let exact = a.digits * b.digits;
    match rounding {
        Rounding::Up => exact.div_ceil(one),
        _ => (2 * exact + one) / (2 * one),
    }
}

/// `a / b` as people compute it, rounded up.
fn quotient(a: Decimal, b: Decimal) -> u64 {
    (a.digits * 10_u64.pow(b.places)).div_ceil(b.digits * 10_u64.pow(a.places))
}

fn rounding() -> impl Strategy<Value = Rounding> {
    prop::sample::select(Rounding::ALL)
}

/// Any number that is not negative, of up to 10^`most`.
fn number(most: i32) -> impl Strategy<Value = f64> {
    (any::<u64>(), -80..most).prop_map(|(m, e)| m as f64 * 10.0_f64.powi(e - 20))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn decimals_are_charged_as_people_compute(price in decimal(1_000_000), span in decimal(1_000_000), rounding in rounding()) {
        let tariff = Tariff::default().with_digits(2, rounding);
        let charge = tariff.charge(Price::must(price.double()), Span::must(span.double()));
        prop_assert_eq!(charge.get(), product(price, span, rounding) as f64);
    }

    #[test]
    fn begun_increments_are_billed_in_full(span in decimal(10_000_000), increment in decimal(100_000)) {
        prop_assume!(increment.digits > 0);
        let tariff = Tariff::default().with_increment(Span::must(increment.double())).unwrap();
        let billed = tariff.billed(Span::must(span.double()));
        prop_assert_eq!(billed.get(), quotient(span, increment) as f64 * increment.double());
        prop_assert_eq!(tariff.charge(Price::must(2.5), Span::must(span.double())), Price::must(2.5) * billed);
    }

    #[test]
    fn a_charge_is_fee_and_usage_and_at_least_the_least(
        (price, span) in (decimal(100_000), decimal(1_000_000)),
        increment in prop::option::of(1_u64..4000),
        rounding in prop::option::of(rounding()),
        (fee, least) in (decimal(5000), decimal(100_000)),
    ) {
        let tariff = Tariff::default()
            .with_entry_fee(Money::must(fee.double())).unwrap()
            .with_least_charge(Money::must(least.double())).unwrap();
        let tariff = rounding.map_or(tariff, |rounding| tariff.with_digits(3, rounding));
        let billed = increment.map_or(span, |increment| {
            let whole = Decimal { digits: increment, places: 0 };
            Decimal { digits: quotient(span, whole) * increment, places: 0 }
        });
        let tariff = increment.map_or(tariff, |increment| {
            tariff.with_increment(Span::must(increment as f64)).unwrap()
        });
        let up = |amount: Decimal| product(amount, Decimal { digits: 1, places: 0 }, Rounding::Up) as f64;
        let expected = match rounding {
            None => (price.double() * billed.double() + fee.double()).max(least.double()),
            Some(rounding) => (product(price, billed, rounding) as f64 + up(fee)).max(up(least)),
        };
        prop_assert_eq!(tariff.charge(Price::must(price.double()), Span::must(span.double())).get(), expected);
    }

    #[test]
    fn any_charge_is_whole_covers_its_usage_and_grows((price, span) in (number(20), number(20)), (more, longer) in (number(3), number(3)), increment in prop::option::of(number(9))) {
        let tariff = Tariff::default().with_digits(0, Rounding::Up);
        let tariff = increment.map_or(Ok(tariff), |d| tariff.with_increment(Span::must(d + 1e-9))).unwrap();
        let nearest = tariff.with_digits(0, Rounding::Nearest);
        let charge = |tariff: &Tariff, price, span| tariff.charge(Price::must(price), Span::must(span)).get();
        let up = charge(&tariff, price, span);
        let usage = price * tariff.billed(Span::must(span)).get();
        prop_assert!(up == up.floor() && up >= usage * (1.0 - 1e-15) && up <= usage * (1.0 + 1e-15) + 1.0);
        let near = charge(&nearest, price, span);
        prop_assert!(near == near.floor() && (near - usage).abs() <= 0.5 + usage * 1e-15 && near <= up);
        for (more, longer) in [(price.next_up(), span), (price, span.next_up()), (price + more, span + longer)] {
            prop_assert!(charge(&tariff, more, longer) >= up);
            prop_assert!(charge(&nearest, more, longer) >= near);
        }
    }

    #[test]
    fn decimals_and_units_convert_as_people_read_them(units in 0_u64..(1 << 50), digits in 0_u8..10) {
        let tariff = Tariff::default().with_digits(digits, Rounding::Up);
        let decimal: f64 = format!("{units}e-{digits}").parse().unwrap();
        prop_assert_eq!(tariff.to_units(decimal), units as f64);
        prop_assert_eq!(tariff.to_decimal(units as f64), decimal);
    }
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
    assert!(Tariff::default().with_increment(Span::ZERO).is_err());
    assert!(Tariff::default().with_entry_fee(Money::must(-1.0)).is_err());
    assert!(Tariff::default().with_least_charge(Money::must(-1.0)).is_err());
    assert_eq!((tariff.to_units(f64::INFINITY), tariff.to_units(-0.5)), (f64::INFINITY, -5e8));
}

#[test]
fn whole_amounts_stay_to_two_to_the_fifty_third() {
    for rounding in Rounding::ALL {
        let tariff = Tariff::default().with_digits(6, *rounding);
        for amount in [1.0, 49.0, 2.0_f64.powi(49) - 1.0, 2.0_f64.powi(51) + 1.0, 2.0_f64.powi(53) - 1.0] {
            assert_eq!(tariff.charge(Price::must(amount), Span::must(1.0)), Money::must(amount));
        }
        let fraction = 2.0_f64.powi(51) + 0.5;
        assert_eq!(tariff.charge(Price::must(fraction), Span::must(1.0)), Money::must(fraction + 0.5));
        let half = tariff.charge(Price::must(1e9), Span::must(0.5e-9));
        assert_eq!(half, Money::must(1.0));
    }
}

fn list() -> SlotList {
    let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
    let nodes = [node(1, 1.0, 0.25), node(2, 1.5, 0.4)];
    SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(1000.0)).unwrap()
}

fn by_the_minute() -> Tariff {
    Tariff::default().with_digits(2, Rounding::Up).with_increment(Span::must(60.0)).unwrap()
}

#[test]
fn the_checker_reads_the_tariff_of_the_list() {
    let slots = list().with_tariff(by_the_minute());
    let request = ResourceRequest::new(2, Work::must(100.0)).unwrap();
    let window_of = |slots: &SlotList| {
        let place = |slot: &Slot| slots.placement(slot, Time::ZERO, request.span_on(slot.speed()));
        Window::new(Time::ZERO, slots.iter().map(place).collect()).unwrap()
    };
    let window = window_of(&slots);
    assert_eq!(window.cost(), Money::must(30.0 + 48.0)); // 120 s at 0.25, 120 s at 0.4
    let rules = Rules::per_window(1.0);
    assert_eq!(Checker::new(&slots, rules).window(&window, &request), []);
    let met = request.with_budget(Money::must(78.0));
    assert_eq!(Checker::new(&slots, rules).window(&window, &met), []);
    let missed = request.with_budget(Money::must(77.0));
    let over = Violation::OverBudget { budget: Money::must(77.0), cost: Money::must(78.0) };
    assert_eq!(Checker::new(&slots, rules).window(&window, &missed), [over]);
    // Charged by another tariff, each placement is wrong.
    assert_eq!(Checker::new(&list(), rules).window(&window, &request).len(), 2);
    assert_eq!(Checker::new(&slots, rules).window(&window_of(&list()), &request).len(), 2);
    // Changes keep the tariff.
    let mut changed = slots.clone();
    changed.cut(&window).unwrap();
    changed.give_back(&window).unwrap();
    assert_eq!(changed, slots);
    assert_ne!(slots, list());
}

#[cfg(feature = "serde")]
#[test]
fn a_tariff_is_written_only_where_there_is_one() {
    let text = serde_json::to_string(&list()).unwrap();
    assert!(text.starts_with('['), "{text}");
    assert_eq!(serde_json::from_str::<SlotList>(&text).unwrap(), list());
    let slots = list().with_tariff(by_the_minute());
    let text = serde_json::to_string(&slots).unwrap();
    assert!(
        text.starts_with(r#"{"tariff":{"digits":2,"rounding":"up","increment":60.0},"slots":["#),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<SlotList>(&text).unwrap(), slots);
    assert_eq!(serde_json::from_str::<Tariff>("{}").unwrap(), Tariff::default());
    let full = by_the_minute()
        .with_entry_fee(Money::must(3.0))
        .unwrap()
        .with_least_charge(Money::must(9.0))
        .unwrap();
    assert_eq!(serde_json::from_str::<Tariff>(&serde_json::to_string(&full).unwrap()).unwrap(), full);
    for (text, why) in [
        (r#"{"digits": 10}"#, "the digits of a tariff"),
        (r#"{"increment": 0}"#, "billing increment"),
        (r#"{"entry_fee": -1}"#, "entry fee"),
        (r#"{"rounding": "down"}"#, "expected one of: up, nearest"),
        (r#"{"fee": 1}"#, "unknown field"),
    ] {
        let error = serde_json::from_str::<Tariff>(text).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let error = serde_json::from_str::<SlotList>(r#"{"slots": [{"node": 1}]}"#).unwrap_err().to_string();
    assert!(error.contains("missing field"), "{error}");
    assert!(serde_json::from_str::<SlotList>("3").unwrap_err().to_string().contains("a list of slots"));
}
