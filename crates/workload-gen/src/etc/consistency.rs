//! Whether the order of the machines by speed is the same for all tasks.

use crate::WorkloadError;
use crate::error::require;
use sched_model::EtcMatrix;

sched_model::registry! {
    /// Whether a machine that is faster for one task is faster for all.
    pub enum Consistency: "consistency" {
        /// Each row is sorted by one order of the machines.
        Consistent = "consistent",
        /// As drawn.
        Inconsistent = "inconsistent",
        /// Every second machine of the order, the first included, is sorted; the others stay as drawn.
        SemiConsistent = "semi-consistent",
    }
}

impl Consistency {
    /// Sorts the values of each row by `order`, which names the machines from the fastest to the slowest. A
    /// row keeps its values; only their places change.
    ///
    /// O(n m log m) for n tasks and m machines.
    ///
    /// ```
    /// use sched_model::EtcMatrix;
    /// use workload_gen::etc::Consistency;
    /// let etc = EtcMatrix::from_rows(&[[9.0, 4.0, 7.0, 1.0]])?;
    /// let order = [0, 1, 2, 3];
    /// assert_eq!(Consistency::Consistent.arrange(&etc, &order)?.row(0), [1.0, 4.0, 7.0, 9.0]);
    /// assert_eq!(Consistency::SemiConsistent.arrange(&etc, &order)?.row(0), [7.0, 4.0, 9.0, 1.0]);
    /// assert_eq!(Consistency::Consistent.arrange(&etc, &[3, 2, 1, 0])?.row(0), [9.0, 7.0, 4.0, 1.0]);
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] unless `order` names each machine once.
    pub fn arrange(self, etc: &EtcMatrix, order: &[usize]) -> Result<EtcMatrix, WorkloadError> {
        let machines = etc.cols();
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        let each_once = sorted.into_iter().eq(0..machines);
        require(each_once, "order of machines", format_args!("{order:?}"), "each machine once")?;
        let step = match self {
            Consistency::Inconsistent => return Ok(etc.clone()),
            Consistency::Consistent => 1,
            Consistency::SemiConsistent => 2,
        };
        let mut values = etc.values().to_vec();
        let mut picked = Vec::with_capacity(machines);
        // A matrix without machines has no values, but chunks of no width are not allowed.
        for row in values.chunks_exact_mut(machines.max(1)) {
            let places = || order.iter().step_by(step);
            picked.clear();
            picked.extend(places().map(|&machine| row[machine]));
            picked.sort_unstable_by(f64::total_cmp);
            for (&machine, &value) in places().zip(&picked) {
                row[machine] = value;
            }
        }
        Ok(EtcMatrix::new(etc.rows(), machines, values)?)
    }
}
