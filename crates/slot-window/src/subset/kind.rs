//! The registry of subset solvers.

use super::{ExactSubset, ExhaustiveSubset, SubsetSolver, SubsetTable};
use crate::WindowError;
use std::fmt;
use std::str::FromStr;

/// Every solver of the subset problem, by name.
///
/// ```
/// use slot_window::subset::SubsetKind;
/// assert_eq!("table".parse::<SubsetKind>()?.build().name(), "table");
/// # Ok::<(), slot_window::WindowError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SubsetKind {
    /// [`ExactSubset`].
    Exact,
    /// [`SubsetTable`] on whole numbers.
    Table,
    /// [`ExhaustiveSubset`].
    Exhaustive,
}

impl SubsetKind {
    /// All of them, in the order of this documentation.
    pub const ALL: &'static [Self] = &[Self::Exact, Self::Table, Self::Exhaustive];

    /// Its name, as in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Table => "table",
            Self::Exhaustive => "exhaustive",
        }
    }

    /// The solver, with its defaults.
    #[must_use]
    pub fn build(self) -> Box<dyn SubsetSolver> {
        match self {
            Self::Exact => Box::new(ExactSubset::new()),
            Self::Table => Box::new(SubsetTable::new()),
            Self::Exhaustive => Box::new(ExhaustiveSubset::new()),
        }
    }
}

impl fmt::Display for SubsetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SubsetKind {
    type Err = WindowError;
    fn from_str(name: &str) -> Result<Self, WindowError> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| WindowError::UnknownName {
            what: "subset solver",
            name: name.to_owned(),
            known: Self::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
        })
    }
}
