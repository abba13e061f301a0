//! Oracles: each tries every solution, or follows a definition step by step, and shares no code with the
//! algorithms that it judges.

#[cfg(feature = "auction-assign")]
mod assignments;
#[cfg(feature = "grid-sim")]
mod busy;
mod windows;

use super::rounded_sum;
#[cfg(feature = "auction-assign")]
pub use assignments::{Weight, best_assignment, weigh};
#[cfg(feature = "grid-sim")]
pub use busy::most_busy;
pub use windows::{subsets, windows};

/// Every way to take one item of each list; the items of the last list change fastest. Time and space: the product of
/// the lengths.
///
/// ```
/// use econsched::testkit::oracle;
/// assert_eq!(oracle::product([vec![1, 2], vec![7, 8]]), [[1, 7], [1, 8], [2, 7], [2, 8]]);
/// ```
#[must_use]
pub fn product<T: Clone>(lists: impl IntoIterator<Item = Vec<T>>) -> Vec<Vec<T>> {
    lists.into_iter().fold(vec![Vec::new()], |taken, list| {
        let with = |taken: &Vec<T>| -> Vec<Vec<T>> {
            list.iter().map(|item| [taken.as_slice(), std::slice::from_ref(item)].concat()).collect()
        };
        taken.iter().flat_map(with).collect()
    })
}

/// Cost and time of every choice of one alternative per job, each sum exact and rounded once. Time: exponential in
/// the number of jobs.
///
/// ```
/// use econsched::testkit::oracle;
/// let jobs = [vec![(0.5, 5.0), (2.0, 1.0)], vec![(1.5, 2.0)]];
/// assert_eq!(oracle::choices(&jobs), [(2.0, 7.0), (3.5, 3.0)]);
/// ```
#[must_use]
pub fn choices(jobs: &[Vec<(f64, f64)>]) -> Vec<(f64, f64)> {
    let sum = |chosen: &[(f64, f64)], of: fn(&(f64, f64)) -> f64| rounded_sum(chosen.iter().map(of));
    let sums = |chosen: &Vec<_>| (sum(chosen, |pair| pair.0), sum(chosen, |pair| pair.1));
    product(jobs.to_vec()).iter().map(sums).collect()
}
