//! Reports to an observer while a plan is made.

use std::fmt;

/// A stage of the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Stage {
    /// Cycles by several searches in several orders.
    Cycles,
    /// A choice among all windows found so far.
    Choice,
    /// A step of the prices of node-time.
    Prices,
    /// A branch on the start of a job.
    Branch,
    /// One neighbourhood among the windows found so far.
    NeighbourhoodOfPool,
    /// One neighbourhood with searches for windows.
    Neighbourhood,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cycles => "cycles",
            Self::Choice => "choice among all windows",
            Self::Prices => "prices of node-time",
            Self::Branch => "branch on a start",
            Self::NeighbourhoodOfPool => "neighbourhood among known windows",
            Self::Neighbourhood => "neighbourhood",
        })
    }
}

/// The state of a plan after a part of the search. It depends neither on the clock nor on the number of threads.
/// The bound so far, as in [`JointPlan::bound`](crate::JointPlan::bound); if the minimum makespan comes first,
/// that of the present trial.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JointProgress {
    /// The stage of the last part of the search.
    pub stage: Stage,
    /// Units of work so far.
    pub work: u64,
    /// Jobs that have a window in the best plan so far.
    pub placed: usize,
    /// The objective of this plan.
    pub objective: f64,
    /// The bound so far, as in [`JointPlan::bound`](crate::JointPlan::bound); where the minimum makespan comes
    /// first, that of the present trial.
    pub bound: Option<f64>,
    /// The number of jobs that were replanned; 0 if the last part was not a neighbourhood.
    pub freed: usize,
    /// Whether the last part improved the plan.
    pub better: bool,
}

/// The observer, if there is one.
#[derive(Default)]
pub(crate) struct Watch<'o> {
    observer: Option<&'o mut (dyn FnMut(JointProgress) + 'o)>,
    /// The work of earlier parts.
    pub(crate) spent: u64,
}

impl<'o> Watch<'o> {
    pub(crate) fn by(observer: &'o mut (dyn FnMut(JointProgress) + 'o)) -> Self {
        Self { observer: Some(observer), spent: 0 }
    }

    pub(crate) fn tell(&mut self, progress: JointProgress) {
        if let Some(observer) = &mut self.observer {
            observer(JointProgress { work: self.spent + progress.work, ..progress });
        }
    }
}
