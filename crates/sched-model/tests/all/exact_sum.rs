//! Exact sums, compared with sums of whole multiples of 2^-1074.

use crate::held;
use econsched::testkit::{Draw, Exact, Numbers, beside, drawn, rounded_sum};
use sched_model::internal::{
    ExactSum, SumFilter, affordable, exact_sum, plain_sum_error, span_bound, two_sum,
};
use sched_model::*;

/// Terms of many structures, of either sign.
fn terms(draw: &mut Draw) -> Vec<f64> {
    let count = draw.below(24);
    let one = |draw: &mut Draw| match draw.below(9) {
        0..5 => Numbers::any(draw).draw(draw),
        5 => f64::from_bits(draw.bytes(8) & !(1 << 63)).min(1e300),
        6 => f64::from_bits(beside(f64::MIN_POSITIVE, draw.below(64) as i32 - 32).to_bits()),
        7 => 2f64.powi(draw.below(1900) as i32 - 1000),
        _ => draw.of([1e60, 1e180, -0.0]),
    };
    let signed = |draw: &mut Draw| if draw.chance(20) { -one(draw) } else { one(draw) };
    let mut terms: Vec<f64> = (0..count).map(|_| signed(draw)).collect();
    if count > 0 && draw.chance(50) {
        // Cancellation: the negative of an early partial sum.
        terms.push(-terms[..=draw.below(count)].iter().sum::<f64>());
    }
    terms
}

#[test]
fn sums_are_rounded_once_and_affordable_within_a_limit() {
    drawn(4000, |draw| {
        let terms = terms(draw);
        let all = || terms.iter().copied();
        let exact = rounded_sum(all());
        assert_eq!(exact_sum(all()).to_bits(), (exact + 0.0).to_bits(), "{terms:?}");
        assert_eq!(exact_sum(all().rev()), exact, "{terms:?}");
        // Terms that are added and removed again leave no trace.
        let at = draw.below(terms.len());
        let mut sum: ExactSum = terms[at..].iter().copied().collect();
        sum.extend([1e-300, 7.3, -1e200]);
        sum.extend(terms[..at].iter().copied());
        [7.3, 1e-300, -1e200].into_iter().for_each(|term| sum.remove(term));
        assert_eq!(sum.value(), exact, "{terms:?}");

        for limit in [exact, exact.next_up(), exact.next_down(), 2.0 * exact, 0.0, f64::INFINITY] {
            assert_eq!(affordable(all(), limit), exact <= limit, "{terms:?}");
            assert_eq!(sum.at_most(limit), exact <= limit, "{terms:?}");
        }
        sum.clear();
        assert_eq!(sum.value(), 0.0);

        let plain = terms.iter().fold(0.0, |sum, term| sum + term);
        let error = plain_sum_error(terms.len(), terms.iter().map(|term| term.abs()).sum());
        let limit = beside(exact, draw.below(7) as i32 - 3);
        for limit in [limit, limit + error, limit - error, limit + 2.5 * error, limit - 2.5 * error] {
            let filter = SumFilter::new(limit, error);
            assert!(filter.decide(plain).is_none_or(|says| says == (exact <= limit)), "{terms:?}");
            let says = filter.decide_or(plain, || affordable(all(), limit));
            assert_eq!(says, exact <= limit, "{terms:?}");
        }
        // Far from the limit, the exact sum is not computed.
        let far = |off: f64| SumFilter::new(exact + off * (4.0 * error + 1e-300), error);
        let decided = [1.0, -1.0].map(|off| far(off).decide_or(plain, || unreachable!("{terms:?}")));
        assert_eq!(decided, [true, false], "{terms:?}");
    });
}

/// The sum of two doubles and its error are exact; no span that ends in time exceeds its bound.
#[test]
fn sums_of_two() {
    drawn(256, |draw| {
        for pair in terms(draw).windows(2) {
            let (sum, error) = two_sum(pair[0], pair[1]);
            assert_eq!(sum, pair[0] + pair[1]);
            let rest = Exact::of([pair[0], pair[1], -sum, -error]);
            assert!(rest == Exact::ZERO, "{pair:?}: {sum} and {error}");

            let (start, end) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            let (bound, between) = (span_bound(start, end), end - start);
            // The longest span that fits, and doubles next to it.
            let longest = beside(between, draw.below(9) as i32 - 4);
            for span in [between, longest, draw.unit() * between, bound, bound.next_up()] {
                assert!(start + span > end || span <= bound, "{start} + {span} <= {end}");
            }
            let allowed = 5.0 * f64::EPSILON * (start.abs() + end.abs());
            assert!(between <= bound && bound <= between + allowed);
        }
    });
}

#[test]
fn nothing_overflows_on_the_way() {
    assert_eq!(exact_sum([f64::MAX, f64::MAX, -f64::MAX, -f64::MAX, 1.0]), 1.0);
    assert_eq!(exact_sum([f64::MAX, f64::MAX]), f64::INFINITY);
    assert_eq!(exact_sum([-f64::MAX, -f64::MAX]), f64::NEG_INFINITY);
    let half_ulp = f64::MAX - f64::MAX.next_down();
    assert_eq!(exact_sum([f64::MAX, half_ulp / 2.0]), f64::INFINITY);
    assert_eq!(exact_sum([f64::MAX, half_ulp / 2.0, -1.0]), f64::MAX);
    // Each term is rounded away when added to the largest double; together they exceed it.
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
    // The exact sum may exceed the limit by less than half a bit and still be affordable.
    assert_eq!(SumFilter::new(-1.0, 1.0).decide(1e-320), None);
}

/// The cost of a plan is the sum of the costs of its windows, each rounded once. It may differ by a bit from the
/// sum of all charges, unless these are whole units of money. So the definition decides on which side of a limit
/// of 0.6 this plan is.
#[test]
fn the_cost_of_a_schedule_is_that_of_its_windows() {
    let window = |charges: &[f64]| {
        let places = (0..).zip(charges).map(|(node, &charge)| held(node, 1.0, charge));
        Window::new(Time::ZERO, places.collect()).unwrap()
    };
    let cost = |first: [f64; 2], second: [f64; 2]| {
        let mut schedule = Schedule::default();
        schedule.decide(JobId(1), Ok(window(&first))).unwrap();
        schedule.decide(JobId(2), Ok(window(&second))).unwrap();
        schedule.cost()
    };
    assert_eq!(window(&[0.1, 0.2, 0.3]).cost(), Money::must(0.6));
    assert_eq!(cost([0.1, 0.1], [0.1, 0.3]), Money::must(0.6_f64.next_up()));
    assert_eq!([0.1, 0.1, 0.1, 0.3].map(Money::must).into_iter().sum::<Money>(), Money::must(0.6));
    assert_eq!(cost([1.0, 1.0], [1.0, 3.0]), Money::must(6.0));
}
