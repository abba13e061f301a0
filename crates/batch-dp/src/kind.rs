//! The registry of interchangeable solvers.

use std::fmt;
use std::str::FromStr;

use sched_model::Outcome;

use crate::{Alternatives, BackwardRun, BatchError, Decision, ExpandingCore, Problem, Scratch};

/// A solver that chooses one alternative per job.
pub trait BatchChoice: fmt::Debug + Send + Sync {
    /// The best choice of the batch, or why there is none.
    ///
    /// # Errors
    /// [`BatchError::Limit`] when the limit is NaN.
    fn choose(
        &self,
        batch: &Alternatives,
        problem: &Problem,
        scratch: &mut Scratch,
    ) -> Result<Outcome<Decision>, BatchError>;
}

/// The solvers of this crate, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum BatchChoiceKind {
    /// [`ExpandingCore`]: the one to use.
    #[default]
    ExpandingCore,
    /// [`BackwardRun`]: the reference.
    BackwardRun,
}

impl BatchChoiceKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::ExpandingCore, Self::BackwardRun];

    /// The name, as [`FromStr`] reads it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ExpandingCore => "expanding-core",
            Self::BackwardRun => "backward-run",
        }
    }

    /// The solver with its defaults.
    pub fn build(self) -> Box<dyn BatchChoice> {
        match self {
            Self::ExpandingCore => Box::new(ExpandingCore::new()),
            Self::BackwardRun => Box::new(BackwardRun::new()),
        }
    }
}

impl fmt::Display for BatchChoiceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for BatchChoiceKind {
    type Err = BatchError;

    fn from_str(name: &str) -> Result<Self, BatchError> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| BatchError::UnknownKind {
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_kinds() {
        for kind in BatchChoiceKind::ALL {
            assert_eq!(kind.to_string().parse::<BatchChoiceKind>().unwrap(), kind);
        }
        let error = "simplex".parse::<BatchChoiceKind>().unwrap_err().to_string();
        assert!(error.contains("simplex") && error.contains("backward-run"), "{error}");
    }
}
