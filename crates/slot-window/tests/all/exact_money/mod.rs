//! Budgets met to the last bit: subsets and windows against brute force in integer arithmetic.
//!
//! The cost of a choice is the exact sum of its charges, rounded once; so is its value. The oracle adds
//! multiples of 2^-80 as integers and shares nothing with the searches but the charge of one placement.

mod cases;
mod subsets;
mod windows;

use sched_model::check::Holding;
use sched_model::*;
use slot_window::subset::SubsetProblem;
use slot_window::{Alp, Amp, FirstFit, MaxValue, NodeValues, Objective, Optimal, WindowQuery, WindowSearch};

/// A double as a multiple of 2^-80.
fn scaled(number: f64) -> i128 {
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i128;
    let (significand, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let shift = exponent + 80;
    let magnitude = if shift >= 0 {
        assert!(shift < 70, "{number} is too large for the oracle");
        significand << shift
    } else {
        assert!(
            significand == 0 || (shift > -53 && significand % (1 << -shift) == 0),
            "{number} is too fine"
        );
        if significand == 0 { 0 } else { significand >> -shift }
    };
    if number < 0.0 { -magnitude } else { magnitude }
}

/// The double nearest to a multiple of 2^-80, ties to even.
fn rounded(sum: i128) -> f64 {
    sum as f64 / 2_f64.powi(80)
}

fn total(terms: impl IntoIterator<Item = f64>) -> i128 {
    terms.into_iter().map(scaled).sum()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What amounts of money look like.
#[derive(Debug, Clone, Copy)]
enum Style {
    Tenths,
    Hundredths,
    /// Three amounts only.
    Ties,
    /// Tenths and the doubles beside them.
    Beside,
    /// Whole numbers.
    Whole,
    /// Any double in [0, 1).
    Real,
    /// Tenths, some of them with a million added.
    Uneven,
}

const STYLES: [Style; 7] =
    [Style::Tenths, Style::Hundredths, Style::Ties, Style::Beside, Style::Whole, Style::Real, Style::Uneven];

impl Style {
    fn amount(self, random: &mut Random) -> f64 {
        match self {
            Self::Tenths => random.below(12) as f64 / 10.0,
            Self::Hundredths => random.below(300) as f64 / 100.0,
            Self::Ties => [0.1, 0.2, 0.3][random.below(3)],
            Self::Beside => beside(1.0 + random.below(12) as f64, random) / 10.0,
            Self::Whole => random.below(9) as f64,
            Self::Real => (random.next() >> 11) as f64 / 2_f64.powi(53),
            Self::Uneven => random.below(9) as f64 / 10.0 + if random.chance(30) { 1e6 } else { 0.0 },
        }
    }
}

/// The number itself or one or two doubles beside it.
fn beside(number: f64, random: &mut Random) -> f64 {
    match random.below(6) {
        0 => number.next_up(),
        1 => number.next_down(),
        2 => number.next_up().next_up(),
        _ => number,
    }
}

/// A budget that some choice of `n` costs is likely to meet: added in some order, or a decimal near to it.
fn budget(costs: &[f64], n: usize, random: &mut Random) -> f64 {
    let mut chosen: Vec<f64> = Vec::new();
    let mut rest = costs.to_vec();
    if random.chance(30) {
        rest.sort_unstable_by(f64::total_cmp);
        chosen.extend(rest.iter().take(n));
    } else {
        while chosen.len() < n && !rest.is_empty() {
            let at = random.below(rest.len());
            chosen.push(rest.swap_remove(at));
        }
    }
    let sum: f64 = chosen.iter().sum();
    let sum = match random.below(4) {
        0 => (sum * 10.0).round() / 10.0,
        1 => rounded(total(chosen)),
        _ => sum,
    };
    beside(sum, random).max(0.0)
}

/// Price x span half of the time; else whole units, billing increments, least charges and fees.
fn tariff(random: &mut Random) -> Tariff {
    let mut tariff = Tariff::default();
    if random.chance(50) {
        return tariff;
    }
    if random.chance(70) {
        let rounding = if random.chance(50) { Rounding::Up } else { Rounding::Nearest };
        tariff = tariff.with_digits(random.below(3) as u8, rounding);
    }
    if random.chance(30) {
        tariff = tariff.with_increment(Span::must([0.25, 0.3, 1.0][random.below(3)])).unwrap();
    }
    if random.chance(30) {
        tariff = tariff.with_entry_fee(Money::must([1.0, 0.1][random.below(2)])).unwrap();
    }
    if random.chance(30) {
        tariff = tariff.with_least_charge(Money::must([2.0, 0.7][random.below(2)])).unwrap();
    }
    tariff
}

/// Calls `visit` with every subset of `n` of `k`, in lexicographic order.
fn subsets(k: usize, n: usize, mut visit: impl FnMut(&[usize])) {
    if n > k {
        return;
    }
    let mut chosen: Vec<usize> = (0..n).collect();
    loop {
        visit(&chosen);
        let Some(at) = (0..n).rev().find(|&at| chosen[at] < k - n + at) else { return };
        let first = chosen[at] + 1;
        for (item, next) in chosen[at..].iter_mut().zip(first..) {
            *item = next;
        }
    }
}
