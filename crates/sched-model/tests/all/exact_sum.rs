//! Exact sums against whole numbers of any length.
//!
//! The oracle knows nothing of the accumulator: it takes each double as a multiple of 2^-1074, adds these as
//! whole numbers, and finds the nearest double by bisection over all doubles.

use proptest::prelude::*;
use sched_model::*;
use std::cmp::Ordering;

/// How the exact sum of the terms compares with zero, in digits of base 2^32, the least first.
fn sign(terms: impl IntoIterator<Item = f64>) -> Ordering {
    let mut digits = [0_i64; 68];
    for term in terms {
        let bits = term.to_bits() & !(1 << 63);
        let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
        let (value, doublings) =
            if exponent == 0 { (fraction, 0) } else { (fraction + (1 << 52), exponent - 1) };
        let (place, wide) = ((doublings / 32) as usize, u128::from(value) << (doublings % 32));
        for at in 0..3 {
            let digit = (wide >> (32 * at) & 0xffff_ffff) as i64;
            digits[place + at] += if term < 0.0 { -digit } else { digit };
        }
    }
    // What is carried out of the highest digit is below zero where the sum is.
    let (mut carried, mut rest) = (0, 0);
    for digit in digits {
        rest |= (digit + carried) & 0xffff_ffff;
        carried = (digit + carried) >> 32;
    }
    carried.cmp(&0).then(rest.cmp(&0))
}

/// How twice the exact sum compares with `a + b`.
fn compare_twice(terms: &[f64], a: f64, b: f64) -> Ordering {
    sign(terms.iter().chain(terms).chain(&[-a, -b]).copied())
}

/// The double nearest to the exact sum.
fn nearest(terms: &[f64]) -> f64 {
    // Doubles in their order, as whole numbers: the greatest that is not above the sum.
    let double = |at: i64| if at < 0 { -f64::from_bits(-at as u64) } else { f64::from_bits(at as u64) };
    let largest = f64::MAX.to_bits() as i64;
    let (mut low, mut high) = (-largest, largest);
    while low < high {
        let middle = (i128::from(low) + i128::from(high) + 1).div_euclid(2) as i64;
        if compare_twice(terms, double(middle), double(middle)).is_ge() {
            low = middle
        } else {
            high = middle - 1
        }
    }
    let below = double(low);
    match compare_twice(terms, below, below.next_up()) {
        Ordering::Greater => below.next_up(),
        Ordering::Equal if below.to_bits() & 1 == 1 => below.next_up(),
        _ => below,
    }
}

/// Terms of many structures.
fn terms() -> impl Strategy<Value = Vec<f64>> {
    let tenths = (0_i32..40).prop_map(|n| f64::from(n) / 10.0);
    let cents = (-100_000_i32..100_000).prop_map(|n| f64::from(n) / 100.0);
    let halves_of_an_ulp = (0_u64..8, 0_i32..4).prop_map(|(n, e)| (n as f64) * (2.0_f64).powi(-54 + e));
    let ulps_beside = (0_u64..16).prop_map(|n| f64::from_bits(1.0_f64.to_bits() + n - 8));
    let subnormal = (0_u64..64).prop_map(f64::from_bits);
    let least_normal = (0_u64..64).prop_map(|n| f64::from_bits(f64::MIN_POSITIVE.to_bits() + n - 32));
    let any_size = (any::<u64>(), -180_i32..180).prop_map(|(m, e)| (m as f64) * 10.0_f64.powi(e - 19));
    let any_bits =
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite() && x.abs() < 1e300);
    let powers = (-1000_i32..900).prop_map(|e| 2.0_f64.powi(e));
    let one = prop_oneof![
        4 => tenths, 4 => cents, 2 => halves_of_an_ulp, 2 => ulps_beside, 1 => subnormal, 1 => least_normal,
        2 => any_size, 1 => any_bits, 1 => powers, 1 => Just(1e60), 1 => Just(1e180), 1 => Just(-0.0)
    ];
    let signed = (one, prop::bool::weighted(0.2)).prop_map(|(x, minus)| if minus { -x } else { x });
    (prop::collection::vec(signed, 0..24), any::<prop::sample::Index>(), any::<bool>()).prop_map(
        |(mut terms, at, cancel)| {
            if cancel && !terms.is_empty() {
                // Cancellation: the negative of an early partial sum.
                let some = at.index(terms.len());
                terms.push(-terms[..=some].iter().sum::<f64>());
            }
            terms
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_sum_is_rounded_once((terms, cut) in (terms(), any::<prop::sample::Index>())) {
        let expected = nearest(&terms);
        prop_assert_eq!(exact_sum(terms.iter().copied()).to_bits(), (expected + 0.0).to_bits());
        prop_assert_eq!(exact_sum(terms.iter().rev().copied()), expected);

        // Adding and removing others leaves no trace.
        let at = if terms.is_empty() { 0 } else { cut.index(terms.len()) };
        let mut sum: ExactSum = terms[at..].iter().copied().collect();
        sum.extend([1e-300, 7.3, -1e200]);
        sum.extend(terms[..at].iter().copied());
        for term in [7.3, 1e-300, -1e200] {
            sum.remove(term);
        }
        prop_assert_eq!(sum.value(), expected);
        sum.clear();
        prop_assert_eq!(sum.value(), 0.0);
    }

    #[test]
    fn what_rounds_to_the_limit_is_affordable(terms in terms()) {
        let cost = nearest(&terms);
        for limit in [cost, cost.next_up(), cost.next_down(), 2.0 * cost, 0.0, f64::INFINITY] {
            prop_assert_eq!(affordable(terms.iter().copied(), limit), cost <= limit);
            prop_assert_eq!(terms.iter().copied().collect::<ExactSum>().at_most(limit), cost <= limit);
        }
    }

    #[test]
    fn the_filter_is_right_where_it_decides((terms, steps) in (terms(), -3_i64..4)) {
        let exact = nearest(&terms);
        let (mut plain, mut magnitude) = (0.0_f64, 0.0_f64);
        for &term in &terms {
            plain += term;
            magnitude += term.abs();
        }
        let error = plain_sum_error(terms.len(), magnitude);
        let mut limit = exact;
        for _ in 0..steps.abs() {
            limit = if steps < 0 { limit.next_down() } else { limit.next_up() };
        }
        for limit in [limit, limit + error, limit - error, limit + 2.5 * error, limit - 2.5 * error] {
            let filter = SumFilter::new(limit, error);
            if let Some(says) = filter.decide(plain) {
                prop_assert_eq!(says, exact <= limit);
            }
            prop_assert_eq!(filter.decide_or(plain, || affordable(terms.iter().copied(), limit)), exact <= limit);
        }
        let far = SumFilter::new(exact + 4.0 * error + 1e-300, error);
        prop_assert_eq!(far.decide(plain), Some(true));
    }
}

proptest! {
    #[test]
    fn two_doubles_sum_to_a_double_and_its_error(terms in terms()) {
        for pair in terms.windows(2) {
            let (sum, error) = two_sum(pair[0], pair[1]);
            prop_assert_eq!(sum, pair[0] + pair[1]);
            let rest = sign([pair[0], pair[1], -sum, -error]);
            prop_assert!(rest.is_eq(), "{:?}: {} and {}", pair, sum, error);
        }
    }

    #[test]
    fn no_span_that_ends_in_time_is_above_its_bound(
        terms in terms(),
        share in 0.0_f64..=1.0,
        steps in -4_i64..5,
    ) {
        for pair in terms.windows(2) {
            let (start, end) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            let bound = span_bound(start, end);
            let between = end - start;
            // What just fits, and one unit in the last place beside it.
            let mut longest = between;
            for _ in 0..steps.abs() {
                longest = if steps < 0 { longest.next_down() } else { longest.next_up() };
            }
            for span in [between, longest, share * between, bound, bound.next_up()] {
                prop_assert!(start + span > end || span <= bound, "{} + {} <= {}", start, span, end);
            }
            let allowed = 5.0 * f64::EPSILON * (start.abs() + end.abs());
            prop_assert!(between <= bound && bound <= between + allowed);
        }
    }
}

/// Below the normal doubles five parts in 2^52 are less than the least double, by which the bound is rounded.
#[test]
fn a_bound_of_the_least_doubles_is_off_by_one_of_them_more() {
    let mut is_off = false;
    for exponent in 3..51_u64 {
        for sevenths in 7..14_u64 {
            // Bits of a double below the normal ones count the least double.
            let units = (1 << exponent) / 7 * sevenths;
            let excess = span_bound(0.0, f64::from_bits(units)).to_bits() - units;
            let (excess, parts) = (u128::from(excess) << 52, 5 * u128::from(units));
            assert!(excess <= parts + (1 << 52), "{units}");
            is_off |= excess > parts;
        }
    }
    assert!(is_off);
}

#[test]
fn five_of_six_decimals_meet_their_budget() {
    let prices = [0.4, 0.2, 0.3, 0.4, 0.1, 0.2];
    for left_out in [0, 3] {
        let chosen: Vec<f64> = (0..6).filter(|&at| at != left_out).map(|at| prices[at]).collect();
        assert!(affordable(chosen.iter().copied(), 1.2));
        assert_eq!(Money::total(chosen.into_iter().map(Money::must)), Money::must(1.2));
    }
}

#[test]
fn halves_round_to_even() {
    let ulp = f64::EPSILON;
    assert_eq!(exact_sum([1.0, ulp / 2.0]), 1.0);
    assert_eq!(exact_sum([1.0 + ulp, ulp / 2.0]), 1.0 + 2.0 * ulp);
    // Wherever the half stands among the digits of the wide accumulator, which four sizes make necessary.
    for scale in (-900..900).map(|exponent| 2.0_f64.powi(exponent)) {
        let with = |term: f64| exact_sum([1e300, 5e-324, term, scale * ulp / 2.0, -1e300, -5e-324]);
        assert_eq!(with(scale), scale);
        assert_eq!(with(scale * (1.0 + ulp)), scale * (1.0 + 2.0 * ulp));
    }
    // One bit far below the half decides.
    for tiny in [1e-40, 1e-200, f64::from_bits(1)] {
        assert_eq!(exact_sum([1.0, ulp / 2.0, tiny]), 1.0 + ulp);
        assert_eq!(exact_sum([1.0 + ulp, ulp / 2.0, -tiny]), 1.0 + ulp);
        assert_eq!(exact_sum([tiny, 1.0, 1e100, ulp / 2.0, -1e100]), 1.0 + ulp);
    }
}

#[test]
fn nothing_overflows_on_the_way() {
    assert_eq!(exact_sum([f64::MAX, f64::MAX, -f64::MAX, -f64::MAX, 1.0]), 1.0);
    assert_eq!(exact_sum([f64::MAX, f64::MAX]), f64::INFINITY);
    assert_eq!(exact_sum([-f64::MAX, -f64::MAX]), f64::NEG_INFINITY);
    let half_ulp = f64::MAX - f64::MAX.next_down();
    assert_eq!(exact_sum([f64::MAX, half_ulp / 2.0]), f64::INFINITY);
    assert_eq!(exact_sum([f64::MAX, half_ulp / 2.0, -1.0]), f64::MAX);
    // Each term is lost beside the largest double; together they pass it.
    let small = std::iter::repeat_n(1e291, 20);
    assert_eq!(exact_sum(std::iter::once(f64::MAX).chain(small.clone())), f64::INFINITY);
    assert_eq!(exact_sum(std::iter::once(-f64::MAX).chain(small)), -f64::MAX + 2e292);
    assert_eq!(exact_sum(std::iter::repeat_n(1e180, 1 << 16)), 65536.0 * 1e180);
    assert_eq!(exact_sum([1e180, -1e-180, -1e180]), -1e-180);
}

#[test]
fn what_is_not_finite_is_not_affordable() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut sum = ExactSum::new();
        sum.add(1.0);
        sum.add(bad);
        assert!(sum.value().is_nan() && !sum.at_most(1e9));
        sum.clear();
        sum.add(2.0);
        assert_eq!(sum.value(), 2.0);
    }
    assert!(!SumFilter::new(f64::NAN, 1.0).decide_or(0.0, || affordable([0.0], f64::NAN)));
    assert_eq!(SumFilter::new(1.0, f64::NAN).decide(0.0), None);
    // The exact sum may lie above the limit by less than half a bit, and be affordable.
    assert_eq!(SumFilter::new(-1.0, 1.0).decide(1e-320), None);
}

#[test]
fn nothing_is_plus_zero() {
    for terms in [vec![], vec![-0.0], vec![-0.0, -0.0], vec![1.0, -1.0], vec![-1e300, 1e-300, 1e300, -1e-300]]
    {
        assert_eq!(exact_sum(terms).to_bits(), 0);
    }
}

/// A plan's cost is made of its windows' costs, each rounded once: a bit away from the sum of all its
/// charges, unless these are whole units of money. So the definition says on which side of a limit of 0.6
/// this plan lies.
#[test]
fn the_cost_of_a_schedule_is_that_of_its_windows() {
    let start = Time::ZERO;
    let window = |nodes: [u32; 2], charges: [f64; 2]| {
        let placements = nodes.into_iter().zip(charges).map(|(node, charge)| {
            let node = Node::new(NodeId(node), Speed::ETALON, Price::must(charge));
            let slot = Slot::new(node, start, Time::must(1.0)).unwrap();
            Placement::on(&slot, start, Span::must(1.0))
        });
        Window::new(start, placements.collect()).unwrap()
    };
    let cost = |first: [f64; 2], second: [f64; 2]| {
        let mut schedule = Schedule::default();
        schedule.place(JobId(1), window([1, 2], first)).unwrap();
        schedule.place(JobId(2), window([3, 4], second)).unwrap();
        schedule.cost()
    };
    assert_eq!(cost([0.1, 0.1], [0.1, 0.3]), Money::must(0.6_f64.next_up()));
    assert_eq!(Money::total([0.1, 0.1, 0.1, 0.3].map(Money::must)), Money::must(0.6));
    assert_eq!(cost([1.0, 1.0], [1.0, 3.0]), Money::must(6.0));
}

/// The budget that AMP derives from a price limit is a plain product: 0.29 for 100 is less than 29, which a
/// tariff of whole units charges.
#[test]
fn a_derived_budget_is_not_rounded_to_units_of_a_tariff() {
    let request = ResourceRequest::new(1, Work::must(100.0)).unwrap().with_price_limit(Price::must(0.29));
    let tariff = Tariff::default().with_digits(2, Rounding::Up);
    let charge = tariff.charge(Price::must(0.29), Span::must(100.0));
    assert_eq!(charge, Money::must(29.0));
    assert!(request.budget_for(1.0).unwrap() < charge);
    assert!(request.with_budget(charge).budget_for(1.0).unwrap() >= charge);
}

/// Under a limit of 1.2, with an error of a tenth: only between 1.1 and 1.3 the exact sum is asked for.
#[test]
fn a_filter_asks_for_the_exact_sum_only_near_the_limit() {
    let filter = SumFilter::new(1.2, 0.1);
    for (plain, decided) in [(1.0, Some(true)), (1.4, Some(false)), (1.15, None), (1.25, None)] {
        assert_eq!(filter.decide(plain), decided);
        for exact in [true, false] {
            let mut asked = false;
            let found = filter.decide_or(plain, || {
                asked = true;
                exact
            });
            assert_eq!((found, asked), (decided.unwrap_or(exact), decided.is_none()), "{plain}");
        }
    }
    assert!(filter.surely_below() < 1.1 && filter.surely_above() > 1.3);
    assert_eq!(filter.decide(filter.surely_below()), Some(true));
    assert_eq!(filter.decide(filter.surely_below().next_up()), None);
    assert_eq!(filter.decide(filter.surely_above()), None);
    assert_eq!(filter.decide(filter.surely_above().next_up()), Some(false));
}
