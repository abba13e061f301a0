//! First Fit: the first suitable and affordable window that the scan finds.
//!
//! Source: the baseline of V. Toporkov and D. Yemelyanov, *Optimization of Resources Selection for Jobs
//! Scheduling in Heterogeneous Distributed Computing Environments*, 2018 (talk at the Russian Supercomputing
//! Days).

use crate::{Objective, WindowError, WindowQuery, WindowSearch, solve::best_window, sweep::Test};
use sched_model::{
    Meter, Outcome, Window,
    check::{Holding, Rules},
};

/// The window at the earliest start over all speeds, tested after each slot: as soon as the N cheapest slots
/// so far are affordable, they are the window, even if cheaper slots become free at the same instant.
///
/// Its start is that of [`Optimal`](crate::Optimal) with [`Objective::Start`]; its cost may be higher, and it
/// is found in less time. With [own-span](Holding::OwnSpan) windows it is [`Amp`](crate::Amp), except that
/// the window is tested before all slots of equal start are read.
///
/// * **Source**: V. Toporkov, D. Yemelyanov, *Optimization of Resources Selection for Jobs Scheduling in
///   Heterogeneous Distributed Computing Environments*, 2018: a baseline.
/// * **Guarantee**: the start is exact; nothing else is optimised.
/// * **Complexity**: O(D m log w) for slowest-span windows, O(m log w) for own-span ones; m slots, w live at
///   once, D speeds. It ends with the first window: later passes read no further than the start of the best
///   window so far.
/// * **Ties**: the pass of the highest speed; slots in (start, node id) order; of equally expensive slots the one of
///   the lower node id.
/// * **Errors**: [`WindowError`], only for malformed input.
///
/// ```
/// use sched_model::*;
/// use slot_window::{FirstFit, WindowQuery, WindowSearch};
///
/// let slot = |id, price| {
///     Slot::new(Node::must(id, 1.0, price), Time::ZERO, Time::must(100.0))
/// };
/// let slots = SlotList::new(vec![slot(1, 4.0)?, slot(2, 6.0)?, slot(3, 1.0)?])?;
/// let request = ResourceRequest::new(2, Work::must(10.0))?.with_budget(Money::must(120.0));
/// let window = FirstFit::new().find(&WindowQuery::new(&slots, &request))?.solution()?;
/// // Nodes 1 and 2 are affordable: node 3 is not read.
/// assert_eq!(window.cost(), Money::must(100.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct FirstFit {
    rules: Rules,
}

impl Default for FirstFit {
    fn default() -> Self {
        Self { rules: Rules::per_window(1.0).with_holding(Holding::SlowestSpan) }
    }
}

impl FirstFit {
    /// Creates the search with all nodes held for the slowest span, and rho = 1.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the rules by which nodes are held and limits apply.
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules }
    }
}

impl WindowSearch for FirstFit {
    fn name(&self) -> &str {
        match self.rules.holding {
            Holding::SlowestSpan => "first-fit",
            Holding::OwnSpan => "first-fit-rough",
        }
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn starts_are_monotone(&self) -> bool {
        true
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        best_window(query, self.rules, (Objective::Start, Test::EachSlot), meter)
    }
}
