//! The oracle of choices: lists every choice.

use crate::testkit::Exact;

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
    let mut sums = vec![(Exact::ZERO, Exact::ZERO)];
    for job in jobs {
        let with = |(cost, time): &(Exact, Exact)| -> Vec<(Exact, Exact)> {
            job.iter().map(|pair| (cost.plus(pair.0), time.plus(pair.1))).collect()
        };
        sums = sums.iter().flat_map(with).collect();
    }
    sums.iter().map(|(cost, time)| (cost.rounded(), time.rounded())).collect()
}
