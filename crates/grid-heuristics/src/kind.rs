//! The registries: every variant by name.

use crate::{
    BlindGreedy, Duplex, Fpltf, Greedy, HeuristicError, ImmediateHeuristic, Kpb, MappingHeuristic, MaxCtt,
    MaxMin, Mct, Met, MinCtt, MinMin, Olb, Sufferage, SufferagePasses, Switching, TradeOffHeuristic,
};
use std::fmt;
use std::str::FromStr;

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident, $family:literal, { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(try_from = "String", into = "&'static str"))]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name by which it is read and written.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $name {
            type Err = HeuristicError;
            fn from_str(name: &str) -> Result<Self, HeuristicError> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
                    HeuristicError::UnknownName {
                        family: $family,
                        name: name.to_owned(),
                        expected: [$($text),*].join(", "),
                    }
                })
            }
        }

        impl TryFrom<String> for $name {
            type Error = HeuristicError;
            fn try_from(name: String) -> Result<Self, HeuristicError> {
                name.parse()
            }
        }

        impl From<$name> for &'static str {
            fn from(kind: $name) -> &'static str {
                kind.name()
            }
        }
    };
}

kinds!(
    /// The heuristics on matrices of times, each with its usual settings.
    ///
    /// ```
    /// use grid_heuristics::{MappingKind, MappingHeuristic};
    /// use sched_model::EtcMatrix;
    /// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
    /// let kind: MappingKind = "max-min".parse()?;
    /// assert_eq!(kind.build().map(&etc)?.resources(), [1, 0, 0]);
    /// assert!("best".parse::<MappingKind>().is_err());
    /// # Ok::<(), grid_heuristics::HeuristicError>(())
    /// ```
    MappingKind, "mapping heuristic", {
        /// [`Olb`].
        Olb = "olb",
        /// [`Met`].
        Met = "met",
        /// [`Mct`].
        Mct = "mct",
        /// [`Kpb`].
        Kpb = "kpb",
        /// [`Switching`].
        Switching = "switching",
        /// [`Fpltf`].
        Fpltf = "fpltf",
        /// [`MinMin`].
        MinMin = "min-min",
        /// [`MaxMin`].
        MaxMin = "max-min",
        /// [`Duplex`].
        Duplex = "duplex",
        /// [`Sufferage`].
        Sufferage = "sufferage",
        /// [`SufferagePasses`].
        SufferagePasses = "sufferage-passes",
    }
);

impl MappingKind {
    /// The heuristic for a whole matrix (batch mode).
    #[must_use]
    pub fn build(self) -> Box<dyn MappingHeuristic> {
        match self {
            Self::Olb => Box::new(Olb),
            Self::Met => Box::new(Met),
            Self::Mct => Box::new(Mct),
            Self::Kpb => Box::new(Kpb::default()),
            Self::Switching => Box::new(Switching::default()),
            Self::Fpltf => Box::new(Fpltf),
            Self::MinMin => Box::new(MinMin),
            Self::MaxMin => Box::new(MaxMin),
            Self::Duplex => Box::new(Duplex),
            Self::Sufferage => Box::new(Sufferage),
            Self::SufferagePasses => Box::new(SufferagePasses),
        }
    }

    /// The heuristic for tasks one by one (immediate mode); `None` for those that must see all tasks first.
    #[must_use]
    pub fn build_immediate(self) -> Option<Box<dyn ImmediateHeuristic>> {
        match self {
            Self::Olb => Some(Box::new(Olb)),
            Self::Met => Some(Box::new(Met)),
            Self::Mct => Some(Box::new(Mct)),
            Self::Kpb => Some(Box::new(Kpb::default())),
            Self::Switching => Some(Box::new(Switching::default())),
            _ => None,
        }
    }
}

kinds!(
    /// The trade-off heuristics of the meta-broker, each with its usual settings.
    TradeOffKind, "trade-off heuristic", {
        /// [`MinCtt`].
        MinCtt = "min-ctt",
        /// [`MaxCtt`].
        MaxCtt = "max-ctt",
        /// [`Greedy`].
        Greedy = "greedy",
        /// [`BlindGreedy`].
        BlindGreedy = "blind-greedy",
    }
);

impl TradeOffKind {
    /// The heuristic, measuring by the metric given.
    #[must_use]
    pub fn build(self, metric: crate::TradeOffMetric) -> Box<dyn TradeOffHeuristic> {
        match self {
            Self::MinCtt => Box::new(MinCtt::new(metric)),
            Self::MaxCtt => Box::new(MaxCtt::new(metric)),
            Self::Greedy => Box::new(Greedy::new(metric)),
            Self::BlindGreedy => Box::new(BlindGreedy::new(metric)),
        }
    }
}
