//! Short lists of admissible resources, read beside the candidates.

use super::*;
use crate::{AssignmentProblem, Costs};

/// What is said of a job is what its row says, at any prices that have risen; and making lists anew costs no
/// less than what was read beside them.
#[test]
fn the_best_of_short_rows_is_that_of_the_row() {
    let (n, m, each) = (12usize, 90usize, 20usize);
    let draw = |k: usize| ((k * 7919 + (k + 5) * k % 10_007 * 31) % 1009) as f64;
    for (kinds, dummy) in [(1009.0, None), (3.0, None), (1009.0, Some(400.0))] {
        let offsets: Vec<usize> = (0..=n).map(|i| i * each).collect();
        let columns: Vec<u32> = (0..n * each).map(|k| (k % each * 4 + k / each % 4) as u32).collect();
        let values: Vec<f64> = (0..n * each).map(|k| draw(k) % kinds).collect();
        let problem = AssignmentProblem::new(Costs::sparse(n, m, &offsets, &columns, &values).unwrap());
        let mut lists = CandidateLists::empty(Source::new(&problem), dummy, 8);
        let mut prices = vec![0.0; m + 1];
        (0..n).for_each(|i| lists.refill(i, &prices));
        (lists.refills, lists.work) = (0, 0);
        let mut beside = 0;
        for round in 0..400usize {
            prices[(round * 37) % m] += draw(round) % 500.0;
            let i = round % n;
            let before = lists.work;
            let best = lists.best(i, &prices).unwrap();
            beside += u64::from(lists.work - before == each as u64);
            let row = (i * each..(i + 1) * each).map(|k| values[k] + prices[columns[k] as usize]);
            let mut sums: Vec<f64> = row.chain(dummy.map(|cost| cost + prices[m])).collect();
            sums.sort_by(f64::total_cmp);
            assert_eq!((best.value, best.second), (sums[0], sums[1]), "{round}");
            assert_eq!(best.cost + prices[best.resource as usize], sums[0], "{round}");
        }
        assert!(beside > 0 || kinds == 3.0, "no row was read");
        let (made, of_one) = (lists.refills as u64, lists.work_of(0));
        assert!(beside * each as u64 <= (made + n as u64) * of_one);
    }
}
