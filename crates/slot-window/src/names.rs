//! The names of searches, composed from what they minimise and how they hold nodes.

use crate::Objective;
use sched_model::{check::Holding, joined};

/// The names of a search that knows both window models.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    slowest_span: &'static str,
    own_span: &'static str,
}

impl Names {
    pub(crate) const fn of(self, holding: Holding) -> &'static str {
        match holding {
            Holding::SlowestSpan => self.slowest_span,
            Holding::OwnSpan => self.own_span,
        }
    }
}

/// The name alone means slowest-span windows; `-rough`, the word of the papers, own-span ones.
macro_rules! names {
    ($name:expr) => {
        Names { slowest_span: $name, own_span: joined!($name, "-rough") }
    };
}

pub(crate) const FIRST_FIT: Names = names!("first-fit");
pub(crate) const MULTIPLE_BEST: Names = names!("multiple-best");
pub(crate) const MAX_VALUE: Names = names!("max-value");
pub(crate) const MIN_VALUE: Names = names!("min-value");
pub(crate) const MIN_START: Names = names!(joined!("min-", Objective::Start.name()));
pub(crate) const MIN_FINISH: Names = names!(joined!("min-", Objective::Finish.name()));
pub(crate) const MIN_RUNTIME: Names = names!(joined!("min-", Objective::Runtime.name()));
pub(crate) const MIN_COST: Names = names!(joined!("min-", Objective::Cost.name()));

pub(crate) const fn optimal(objective: Objective) -> Names {
    match objective {
        Objective::Start => MIN_START,
        Objective::Finish => MIN_FINISH,
        Objective::Runtime => MIN_RUNTIME,
        Objective::Cost => MIN_COST,
    }
}
