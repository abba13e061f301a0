//! ALP: the earliest window of slots, each within a price limit.
//!
//! Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for
//! Economic Scheduling in Distributed Systems*, 2011, section 3 (ALP).
//!
//! Deviations. Step 2b is printed as L(s) >= t P(s) / P, by which a task would take longer on a faster node; section
//! 6 gives the runtime as t / P, which is used here. A budget of the request limits the window too; the source has
//! none.

use crate::{Objective, WindowError, WindowQuery, WindowSearch, solve::best_window, sweep::Test};
use sched_model::{Meter, Outcome, Window, check::Rules};

/// The earliest window of N slots of which none is more expensive than the request's price limit C.
///
/// Slots are read in (start, node) order; as soon as N of them are live at the same time, they are the window. Each
/// node is held and charged for its own span, work / speed ([own span](sched_model::check::Holding::OwnSpan)). A
/// request without a price limit takes any slot. If the request has a budget, the window starts at the first instant
/// at which the N cheapest live slots cost at most the budget.
///
/// Prefer [`Amp`](crate::Amp) if only the cost of the window as a whole matters: it finds more windows, and earlier
/// ones.
///
/// If the job demands that nodes are packed or spread, or gives the spans of its tasks, the window is the cheapest
/// one at the earliest start, with or without a budget.
///
/// * **Source**: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for
///   Economic Scheduling in Distributed Systems*, 2011, section 3.
/// * **Guarantee**: exact. The start is the earliest of all windows that keep speed, price limit, budget (if
///   given), deadline and the ends of slots.
/// * **Complexity**: O(m log N) time, O(N) memory, m slots; with a budget as [`Amp`](crate::Amp).
/// * **Ties**: slots in (start, node id) order. With a budget, of equally expensive slots the one of the
///   lower node id.
/// * **Errors**: [`WindowError`], only for malformed input.
///
/// ```
/// use sched_model::*;
/// use slot_window::{Alp, WindowQuery, WindowSearch};
///
/// let slot = |id, speed, price, from, to| {
///     Slot::new(
///         Node::must(id, speed, price),
///         Time::must(from),
///         Time::must(to),
///     )
/// };
/// let slots = SlotList::new(vec![
///     slot(1, 1.0, 2.0, 0.0, 100.0)?,
///     slot(2, 2.0, 6.0, 10.0, 90.0)?, // too expensive
///     slot(3, 2.0, 4.0, 25.0, 90.0)?,
/// ])?;
/// let request = ResourceRequest::new(2, Work::must(60.0))?.with_price_limit(Price::must(4.0));
/// let window = Alp.find(&WindowQuery::new(&slots, &request))?.solution()?;
/// assert_eq!(window.start(), Time::must(25.0));
/// // 60 on node 1, 30 on node 3, which is twice as fast: 2 * 60 + 4 * 30.
/// assert_eq!((window.runtime(), window.cost()), (Span::must(60.0), Money::must(240.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use]
pub struct Alp;

impl WindowSearch for Alp {
    fn name(&self) -> &str {
        "alp"
    }

    fn rules(&self) -> Rules {
        Rules::per_slot()
    }

    fn starts_are_monotone(&self) -> bool {
        true
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        let mut own = None;
        let query = &query.compiled(&mut own);
        // Without a budget the first n live slots are the window, whatever they cost.
        let takes_cheapest = query.request.budget.is_some() || query.beyond_mask().is_some();
        let test = if takes_cheapest { Test::EachStart } else { Test::EachSlot };
        best_window(query, self.rules(), (Objective::Start, test), meter)
    }
}
