//! The question that a search answers.

use sched_model::{ResourceRequest, SlotList, Time};

/// A question for one window: in which free time, for which request, starting at which instant or later.
///
/// ```
/// use sched_model::*;
/// use slot_window::{Amp, SearchScratch, WindowQuery, WindowSearch};
/// let node = Node::new(NodeId(1), Speed::ETALON, Price::must(2.0));
/// let slots = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(100.0))?;
/// let request = ResourceRequest::new(1, Work::must(40.0))?;
/// let query = WindowQuery::new(&slots, &request, Time::must(10.0));
/// let limit = Limit::default();
/// let found = Amp::new().find_within(&query, &mut limit.meter(), &mut SearchScratch::new())?;
/// assert_eq!(found.incumbent.unwrap().start(), Time::must(10.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct WindowQuery<'a> {
    /// The free time.
    pub slots: &'a SlotList,
    /// What the job asks for.
    pub request: &'a ResourceRequest,
    /// No window starts earlier.
    pub from: Time,
}

impl<'a> WindowQuery<'a> {
    /// A window in `slots` for `request` that starts at `from` or later.
    pub fn new(slots: &'a SlotList, request: &'a ResourceRequest, from: Time) -> Self {
        Self { slots, request, from }
    }

    /// The same in other free time.
    pub fn with_slots(self, slots: &'a SlotList) -> Self {
        Self { slots, ..self }
    }
}
