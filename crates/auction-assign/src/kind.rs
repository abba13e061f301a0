//! The registry of methods.

use std::fmt;
use std::str::FromStr;

use crate::{Answer, AssignError, Auction, Chosen, FewResources, Greedy, Problem, ShortestPaths, Sorted};

/// A method that solves assignment problems.
///
/// # Guarantee
/// Every method except [`Greedy`](crate::Greedy) is exact, whatever the costs: the [`Proof`](sched_model::Proof) is
/// `Exact`, and means that no assignment has a better sum of costs, compared without rounding (the `total` stated is that
/// sum in doubles). Two answers state less, and say by how much the total may miss the optimum: that of an
/// [`Auction`](crate::Auction) told not to close, and that of [`Sorted`](crate::Sorted) on product costs, which looks at no
/// quotient but those it chooses.
///
/// # Errors
/// [`AssignError::Cost`] for a cost that is not a number, negative infinity, or beyond [`MAX_COST`](crate::MAX_COST),
/// [`AssignError::Penalty`] likewise; [`AssignError::Unsupported`] from a method that does not take the problem's form.
pub trait Assigner {
    /// The name in the registry.
    fn name(&self) -> &'static str;

    /// Solves a problem.
    fn assign(&self, problem: &Problem<'_>) -> Result<Answer, AssignError>;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal => $build:expr,)*) => {
        /// All methods of the crate.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
        pub enum AssignerKind {
            $($(#[$doc])* $kind,)*
        }

        impl AssignerKind {
            /// Every method.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The name by which it is chosen.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// The method with its defaults.
            pub fn build(self) -> Box<dyn Assigner> {
                match self { $(Self::$kind => Box::new($build),)* }
            }
        }
    };
}

kinds! {
    /// [`Chosen`](crate::Chosen): whichever fits the problem.
    Chosen = "chosen" => Chosen::default(),
    /// [`Auction`](crate::Auction).
    Auction = "auction" => Auction::default(),
    /// [`ShortestPaths`](crate::ShortestPaths).
    ShortestPaths = "shortest-paths" => ShortestPaths::default(),
    /// [`FewResources`](crate::FewResources).
    FewResources = "few-resources" => FewResources::default(),
    /// [`Sorted`](crate::Sorted).
    Sorted = "sorted" => Sorted::default(),
    /// [`Greedy`](crate::Greedy).
    Greedy = "greedy" => Greedy::default(),
}

impl fmt::Display for AssignerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AssignerKind {
    type Err = AssignError;

    fn from_str(name: &str) -> Result<Self, AssignError> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| AssignError::UnknownMethod {
            name: name.to_owned(),
            known: Self::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
        })
    }
}
