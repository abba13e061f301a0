//! The form of the subset problem that the kernels use.
//!
//! | word | meaning |
//! |---|---|
//! | multiplier | the price l of one unit of budget |
//! | reduced value | value less l times cost: the value less the price of the budget that it takes |
//! | bound | no affordable subset has a greater value |
//! | incumbent | the best affordable subset so far |
//! | inside, outside | the n items of greatest reduced value, and all others |
//! | gap | the difference between bound and incumbent |
//! | given | an item that is in every subset |
//! | floor | the value that a subset must exceed |

/// Value and cost of the items that are in every subset beside the chosen ones.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Given {
    pub(crate) value: f64,
    pub(crate) cost: f64,
}

/// A subset problem, in the form that the kernels use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Items<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) costs: &'a [f64],
    /// How many to choose.
    pub(crate) n: usize,
    pub(crate) budget: f64,
    pub(crate) given: Given,
}

impl Items<'_> {
    /// Whether these items, with the given ones, are affordable by the definition.
    #[cold]
    pub(crate) fn affordable(&self, items: impl Iterator<Item = u32>) -> bool {
        let costs = items.map(|item| self.costs[item as usize]);
        sched_model::affordable(costs.chain([self.given.cost]), self.budget)
    }

    /// The exact sum, rounded once, of the values or costs of these items and of what is given.
    pub(super) fn exact(of: &[f64], items: &[u32], given: f64) -> f64 {
        // A sum with the sum of its rounding errors mostly decides.
        let (mut sum, mut error, mut size) = (given, 0.0, given.abs());
        for &item in items {
            let term = of[item as usize];
            let next = sum + term;
            let part = next - sum;
            error += (sum - (next - part)) + (term - part);
            sum = next;
            size += term.abs();
        }
        let count = items.len() as f64 + 2.0;
        let doubt = size * f64::EPSILON * f64::EPSILON * count * count;
        let (low, high) = (sum + (error - doubt), sum + (error + doubt));
        if low == high {
            return low;
        }
        sched_model::exact_sum(items.iter().map(|&item| of[item as usize]).chain([given]))
    }
}

/// The value that a subset must exceed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Floor {
    /// Any subset is accepted.
    None,
    /// Its value must exceed this.
    Above(f64),
}

impl Floor {
    pub(super) fn least(self) -> f64 {
        match self {
            Self::None => f64::NEG_INFINITY,
            Self::Above(least) => least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Items;
    use proptest::prelude::*;

    /// Numbers of which sums are often half way between two doubles.
    fn number() -> impl Strategy<Value = f64> {
        (-12_i32..12, 0_i32..60, any::<bool>()).prop_map(|(mantissa, exponent, tenths)| {
            let number = f64::from(mantissa) * 2_f64.powi(exponent);
            if tenths { number / 10.0 } else { number }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn a_sum_with_its_errors_is_the_exact_sum(numbers in proptest::collection::vec(number(), 1..7), given in number()) {
            let items: Vec<u32> = (0..numbers.len() as u32).collect();
            let all = numbers.iter().copied().chain([given]);
            prop_assert_eq!(Items::exact(&numbers, &items, given), sched_model::exact_sum(all));
        }
    }
}
