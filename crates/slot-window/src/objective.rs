//! The objectives of a window: start, finish, runtime and cost.

use sched_model::Window;

/// The objective that [`Optimal`](crate::Optimal) minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Objective {
    /// The start of the window.
    Start,
    /// The finish of its last task.
    Finish,
    /// How long the window takes: a search compares the span of the slowest task, the runtime of a window is
    /// its finish minus its start, both of them rounded.
    Runtime,
    /// The cost of all placements together.
    Cost,
}

impl Objective {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Start, Self::Finish, Self::Runtime, Self::Cost];

    /// Its name, as in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Finish => "finish",
            Self::Runtime => "runtime",
            Self::Cost => "cost",
        }
    }

    /// Its value for a window.
    pub fn of(self, window: &Window) -> f64 {
        match self {
            Self::Start => window.start().get(),
            Self::Finish => window.finish().get(),
            Self::Runtime => window.runtime().get(),
            Self::Cost => window.cost().get(),
        }
    }
}

sched_model::registry!(impl Objective: "objective");
