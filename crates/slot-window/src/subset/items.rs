//! The subset problem as the kernels see it.
//!
//! | word | meaning |
//! |---|---|
//! | multiplier | the price l of one unit of budget |
//! | reduced value | value less l times cost: what an item is worth beside the budget that it takes |
//! | bound | no affordable subset is worth more |
//! | incumbent | the best affordable subset so far |
//! | inside, outside | the n items of greatest reduced value, and all others |
//! | gap | what lies between bound and incumbent |
//! | given | an item that is in every subset |
//! | floor | what a subset must be worth more than |

/// Value and cost of what is in every subset beside the items chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Given {
    pub(crate) value: f64,
    pub(crate) cost: f64,
}

/// A subset problem as the kernels see it.
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
    /// Whether these items are affordable, with what is given: the definition.
    #[cold]
    pub(crate) fn affordable(&self, items: impl Iterator<Item = u32>) -> bool {
        let costs = items.map(|item| self.costs[item as usize]);
        sched_model::affordable(costs.chain([self.given.cost]), self.budget)
    }

    /// The exact sum, rounded once, of the values or costs of these items and of what is given.
    pub(super) fn exact(of: &[f64], items: &[u32], given: f64) -> f64 {
        // A sum with the errors of its additions carried along tells mostly.
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

/// What a subset must surpass to be of interest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Floor {
    /// Any subset will do.
    None,
    /// It must be worth more than this.
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
