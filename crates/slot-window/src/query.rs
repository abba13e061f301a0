//! The input of a search for one window.

use crate::WindowError;
use sched_model::{Demands, Eligible, ResourceRequest, Slot, SlotList, Span, Time};

/// The input of a search for one window: the free time, the request with its demands, and the earliest start.
///
/// ```
/// use sched_model::*;
/// use slot_window::{Amp, WindowQuery, WindowSearch};
/// let node = Node::must(1, 1.0, 2.0);
/// let slots = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(100.0))?;
/// let request = ResourceRequest::new(1, Work::must(40.0))?;
/// let query = WindowQuery::new(&slots, &request).with_from(Time::must(10.0));
/// let limit = Limit::default();
/// let found = Amp::new().solve(&query, &mut limit.meter())?;
/// assert_eq!(found.best.unwrap().start(), Time::must(10.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct WindowQuery<'a> {
    /// The free time.
    pub slots: &'a SlotList,
    /// The request of the job.
    pub request: &'a ResourceRequest,
    /// No window starts earlier.
    pub from: Time,
    /// No window starts at this instant or later; `None` if there is no such limit.
    pub before: Option<Time>,
    /// Demands that are compiled for this list, and apply in place of those of the request. `None` if those of the
    /// request apply, which are not compiled yet.
    pub eligible: Option<&'a Eligible>,
}

/// Compiles the demands of a request for a list; `None` if there are none.
pub(crate) fn compiled(slots: &SlotList, request: &ResourceRequest) -> Option<Eligible> {
    let demands = request.demands();
    (!demands.is_empty()).then(|| slots.eligible(demands))
}

impl<'a> WindowQuery<'a> {
    /// Creates the query for a window in `slots` for `request` that starts at time 0 or later.
    pub fn new(slots: &'a SlotList, request: &'a ResourceRequest) -> Self {
        Self { slots, request, from: Time::ZERO, before: None, eligible: None }
    }

    /// Returns the query with compiled demands; if they are not compiled yet, `own` holds them. A query without
    /// demands has none afterwards either.
    pub(crate) fn compiled<'b>(self, own: &'b mut Option<Eligible>) -> WindowQuery<'b>
    where
        'a: 'b,
    {
        if self.eligible.is_some() {
            return self;
        }
        *own = compiled(self.slots, self.request);
        WindowQuery { eligible: own.as_ref(), ..self }
    }

    /// Returns the query, [compiled](Self::compiled), with `from` not before the earliest demanded start, for a
    /// sweep over its slots.
    pub(crate) fn prepared<'b>(self, own: &'b mut Option<Eligible>) -> Result<WindowQuery<'b>, WindowError>
    where
        'a: 'b,
    {
        let query = self.compiled(own);
        // Positions are numbered by `u32`.
        let (slots, limit) = (self.slots.len(), u32::MAX as usize);
        if slots > limit {
            return Err(WindowError::TooManySlots { slots, limit });
        }
        let Some(eligible) = query.eligible else { return Ok(query) };
        if !self.slots.is_compiled_for(eligible) {
            return Err(WindowError::OtherList);
        }
        let demands = eligible.demands();
        let earliest = demands.not_before.max(demands.start);
        Ok(WindowQuery { from: earliest.map_or(self.from, |earliest| self.from.max(earliest)), ..query })
    }

    /// The instant before which a window must start; infinite if there is no limit.
    pub(crate) fn start_below(&self) -> f64 {
        let fixed = self.eligible.and_then(|eligible| eligible.demands().start);
        let fixed = fixed.map_or(f64::INFINITY, |start| start.get().next_up());
        self.before.map_or(fixed, |before| fixed.min(before.get()))
    }

    /// The demands as a test of single slots; `None` if every slot passes.
    #[inline]
    pub(crate) fn mask(&self) -> Option<&'a Eligible> {
        self.eligible.filter(|eligible| !eligible.allows_all())
    }

    /// Whether the usual terms apply: a task may run on any node, takes work / speed, and is charged price x span.
    pub(crate) fn is_usual(&self) -> bool {
        self.mask().or(self.beyond_mask()).is_none() && self.slots.tariff().is_plain()
    }

    /// The demands, if they include more than tests of single nodes: pack, spread, or spans of tasks.
    pub(crate) fn beyond_mask(&self) -> Option<&'a Eligible> {
        self.eligible.filter(|eligible| {
            let demands: &Demands = eligible.demands();
            demands.pack.is_some() || demands.spread.is_some() || !demands.spans.is_empty()
        })
    }

    /// The span of a task on the node of `slot`.
    #[inline]
    pub(crate) fn span_on(&self, slot: &Slot) -> Span {
        match self.eligible {
            Some(eligible) => eligible.span_on(slot, self.request),
            None => self.request.work() / slot.speed,
        }
    }
}

sched_model::setters!(impl<'a> WindowQuery<'a> {
    /// Sets the earliest start.
    with_from: from: Time,
    /// Sets demands that are already [compiled](SlotList::eligible) for the slots, for many searches of one list.
    /// They apply in place of those of the request.
    ///
    /// ```
    /// use sched_model::*;
    /// use slot_window::{Amp, WindowQuery, WindowSearch};
    /// // Nodes 1 and 3 are in rack a, node 2 in rack b; node 3 is busy until 40.
    /// let nodes = [1, 2, 3].map(|id| Node::must(id, 1.0, 2.0));
    /// let busy = [Occupied::must(3, 0.0, 40.0)];
    /// let rack = |id, rack: &str| (NodeId(id), Features::default().with_label(format!("rack={rack}")));
    /// let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(100.0))?;
    /// let slots = slots.with_features([rack(1, "a"), rack(2, "b"), rack(3, "a")])?;
    /// let request = ResourceRequest::new(2, Work::must(30.0))?;
    /// let request = request.with_demands(Demands::default().with_pack("rack"));
    /// let demands = slots.eligible(request.demands());
    /// let query = WindowQuery::new(&slots, &request);
    /// let limit = Limit::default();
    /// let mut start = |query| -> Result<Time, slot_window::WindowError> {
    ///     let found = Amp::new().solve(&query, &mut limit.meter())?;
    ///     Ok(found.best.unwrap().start())
    /// };
    /// assert_eq!(start(query)?, Time::must(40.0));
    /// assert_eq!(start(query.with_eligible(&demands))?, Time::must(40.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    with_eligible: eligible: &'a Eligible => Some,
    /// Sets the instant before which a window must start.
    ///
    /// ```
    /// use sched_model::*;
    /// use slot_window::{Amp, WindowQuery, WindowSearch};
    /// // Node 2 is free from 10 on only.
    /// let nodes = [Node::must(1, 1.0, 2.0), Node::must(2, 1.0, 2.0)];
    /// let busy = [Occupied::must(2, 0.0, 10.0)];
    /// let slots = SlotList::from_nodes(&nodes, &busy, Time::ZERO, Time::must(100.0))?;
    /// let request = ResourceRequest::must(2, 40.0);
    /// let query = WindowQuery::new(&slots, &request).with_start_before(Time::must(10.0));
    /// let limit = Limit::default();
    /// let found = Amp::new().solve(&query, &mut limit.meter())?;
    /// assert!(found.best.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    with_start_before: before: Time => Some,
    /// Sets the list of free time.
    with_slots: slots: &'a SlotList,
});
