//! The registry of methods.

use std::fmt;
use std::str::FromStr;

use crate::{AssignError, Assigner, Auction, Automatic, Greedy, ShortestPaths, Sorted, Transport};

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
    /// [`Automatic`](crate::Automatic): whichever fits the problem.
    Automatic = "automatic" => Automatic::default(),
    /// [`Auction`](crate::Auction).
    Auction = "auction" => Auction::default(),
    /// [`ShortestPaths`](crate::ShortestPaths).
    ShortestPaths = "shortest-paths" => ShortestPaths::default(),
    /// [`Transport`](crate::Transport).
    Transport = "transport" => Transport::default(),
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
