//! The registry of algorithms that choose one alternative per job.

use crate::{Alternatives, BackwardRun, BatchError, Decision, GrowingCore, Problem};
use std::fmt;
use std::str::FromStr;

/// An algorithm that chooses one alternative per job. Implement it to add one of your own.
pub trait Chooser {
    /// Solves `problem` on `batch`, with buffers that the caller keeps between calls.
    ///
    /// # Errors
    /// [`BatchError::Limit`] for a limit that is NaN. That no choice exists is a [`Decision`], not an error.
    fn choose(
        &self,
        batch: &Alternatives,
        problem: Problem,
        scratch: &mut Scratch,
    ) -> Result<Decision, BatchError>;
}

/// Buffers that are kept between calls, so that solving many batches allocates almost nothing. Never carries
/// information from one call to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) core: crate::growing_core::CoreScratch,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident => $name:literal, $build:expr;)*) => {
        /// The algorithms of this crate, by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ChooserKind {
            $($(#[$doc])* $kind,)*
        }

        impl ChooserKind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The name on a command line.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// The algorithm with its default configuration.
            #[must_use]
            pub fn build(self) -> Box<dyn Chooser + Send + Sync> {
                match self {
                    $(Self::$kind => Box::new($build),)*
                }
            }
        }
    };
}

kinds! {
    /// [`GrowingCore`], the default.
    GrowingCore => "growing-core", GrowingCore::default();
    /// [`BackwardRun`], the reference.
    BackwardRun => "backward-run", BackwardRun;
}

impl fmt::Display for ChooserKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ChooserKind {
    type Err = BatchError;
    fn from_str(name: &str) -> Result<Self, BatchError> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| BatchError::UnknownName {
            name: name.to_owned(),
            known: Self::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
        })
    }
}
