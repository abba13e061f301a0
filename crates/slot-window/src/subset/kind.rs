//! The registry of subset solvers.

use super::{ExactSubset, ExhaustiveSubset, SubsetSolver, SubsetTable};

sched_model::registry! {
    /// Every solver of the subset problem, by name.
    ///
    /// ```
    /// use slot_window::subset::SubsetKind;
    /// assert_eq!("table".parse::<SubsetKind>()?.build().name(), "table");
    /// # Ok::<(), sched_model::UnknownName>(())
    /// ```
    pub enum SubsetKind: "subset solver" => dyn SubsetSolver {
        /// [`ExactSubset`].
        Exact = "exact" => ExactSubset::new(),
        /// [`SubsetTable`] on whole numbers.
        Table = "table" => SubsetTable::new(),
        /// [`ExhaustiveSubset`].
        Exhaustive = "exhaustive" => ExhaustiveSubset,
    }
}
