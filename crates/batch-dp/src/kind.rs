//! The registry of algorithms that choose one alternative per job.

use crate::{BackwardRun, Chooser, ExpandingCore, backward_run, expanding_core};

sched_model::registry! {
    /// The algorithms of this crate, by name.
    pub enum ChooserKind: "choice algorithm" => dyn Chooser {
        /// [`ExpandingCore`], the default.
        ExpandingCore = expanding_core::NAME => ExpandingCore,
        /// [`BackwardRun`], the reference.
        BackwardRun = backward_run::NAME => BackwardRun,
    }
}
