//! AMP: the earliest window whose total cost is within the job's budget.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for
//! Economic Scheduling in Distributed Systems*, 2011, section 3 (AMP) and section 6 (the factor rho).
//!
//! Deviations. Step 2b is printed as L(s) >= t P(s) / P, by which a task would take longer on a faster node; section
//! 6 gives the runtime as t / P, which is used here. All slots of equal start count before a window is taken: the
//! start is the same, the window never more expensive. The n cheapest slots are selected where a lower bound on their
//! cost is within the budget, and where expired slots are dropped, instead of sorting the window with each slot.

use crate::{Objective, WindowError, WindowQuery, WindowSearch, solve::best_window, sweep::Test};
use sched_model::{Meter, Outcome, Window, check::Rules};

/// The earliest window of N slots that cost at most S together.
///
/// S is the request's budget; if it gives none, S = rho * C * t * N with C its price limit and t the time of a task
/// on a node of speed 1; if it gives neither, there is no limit. The price of a single slot is not limited. Each node
/// is held and charged for its own span, work / speed ([own span](sched_model::check::Holding::OwnSpan)).
///
/// Prefer [`Alp`](crate::Alp) only if each slot must be within the price limit. Every window that ALP finds is
/// affordable for AMP as well, if no node is slower than the etalon, rho is at least 1, no budget and no spans are
/// given, and charges are price x span; AMP then starts no later. For an optimum other than the earliest start see
/// [`Optimal`](crate::Optimal).
///
/// * **Source**: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for
///   Economic Scheduling in Distributed Systems*, 2011, sections 3 and 6.
/// * **Guarantee**: exact. The start is the earliest of all windows that keep speed, budget, deadline and the ends
///   of slots; at that start the window is the cheapest.
/// * **Complexity**: O(m log w) time, O(w) memory; m slots, w of them live at once (w >= N).
/// * **Ties**: of equally expensive slots the one of the lower node id.
/// * **Errors**: [`WindowError`], only for malformed input; [`WindowError::Factor`] for a rho that is not positive and
///   finite.
///
/// ```
/// use sched_model::*;
/// use slot_window::{Amp, WindowQuery, WindowSearch};
///
/// let slot = |id, price, from, to| {
///     Slot::new(Node::must(id, 1.0, price), Time::must(from), Time::must(to))
/// };
/// let slots = SlotList::new(vec![
///     slot(1, 5.0, 0.0, 100.0)?,
///     slot(2, 8.0, 0.0, 100.0)?,
///     slot(3, 3.0, 30.0, 100.0)?,
/// ])?;
/// // Two nodes for 50, at 8 per unit of time together: nodes 1 and 2 cost 13, but from 30 on 1 and 3 cost 8.
/// let request = ResourceRequest::new(2, Work::must(50.0))?.with_budget(Money::must(400.0));
/// let window = Amp::new().find(&WindowQuery::new(&slots, &request))?.solution()?;
/// assert_eq!((window.start(), window.cost()), (Time::must(30.0), Money::must(400.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Amp {
    pub(crate) rho: f64,
}

impl Default for Amp {
    fn default() -> Self {
        Self { rho: 1.0 }
    }
}

impl Amp {
    /// Creates the search with rho = 1.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the factor rho in the budget rho * C * t * N of requests that give none; a factor below 1 restricts the
    /// search to cheaper windows.
    pub fn with_rho(self, rho: f64) -> Self {
        Self { rho, ..self }
    }
}

impl WindowSearch for Amp {
    fn name(&self) -> &str {
        "amp"
    }

    fn rules(&self) -> Rules {
        Rules::per_window(self.rho)
    }

    fn starts_are_monotone(&self) -> bool {
        true
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        best_window(query, self.rules(), (Objective::Start, Test::EachStart), meter)
    }
}
