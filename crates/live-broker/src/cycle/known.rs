//! What the searches of one cycle share: a request that asks for as much as another one, or more, in every
//! respect has no window where the other has none, and starts no earlier than the other.
//!
//! The list only shrinks in a cycle, so what was found in it holds for the rest of the cycle.

use sched_model::check::Rules;
use sched_model::{Money, Price, ResourceRequest, Time};
use slot_window::WindowSearch;

/// What the searches of a cycle have found so far.
pub(super) struct Known {
    rules: Rules,
    monotone: bool,
    /// Requests for which there is no window that starts at this instant or later.
    failed: Vec<(ResourceRequest, Time)>,
    /// Of requests with a window, searched for from an instant on: no window starts between that and this.
    starts: Vec<Start>,
    /// The next of them that is forgotten for a new one.
    oldest: usize,
}

struct Start {
    request: ResourceRequest,
    from: Time,
    start: Time,
}

impl Known {
    const MOST_FAILED: usize = 64;

    /// To compare with so many takes less time than to read a run of slots.
    const MOST_STARTS: usize = 64;

    pub(super) fn new(search: &dyn WindowSearch) -> Self {
        Self {
            rules: search.rules(),
            monotone: search.starts_are_monotone(),
            failed: Vec::new(),
            starts: Vec::new(),
            oldest: 0,
        }
    }

    pub(super) fn push_failure(&mut self, request: &ResourceRequest, from: Time) {
        if self.failed.len() < Self::MOST_FAILED {
            self.failed.push((*request, from));
        }
    }

    /// Whether it is known that there is no window for a request.
    pub(super) fn fails(&self, request: &ResourceRequest, from: Time) -> bool {
        self.failed.iter().any(|(known, since)| from >= *since && asks_no_less(self.rules, request, known))
    }

    /// A window was found that starts at `start`, in a search from `from` on that was not stopped.
    pub(super) fn push_start(&mut self, request: &ResourceRequest, from: Time, start: Time) {
        if !self.monotone || start <= from {
            return;
        }
        // An older one that says less, as the list has shrunk since, makes room.
        let rules = self.rules;
        let says_less = |known: &Start| {
            known.from >= from && known.start <= start && asks_no_less(rules, &known.request, request)
        };
        let known = Start { request: *request, from, start };
        if let Some(old) = self.starts.iter_mut().find(|known| says_less(known)) {
            *old = known;
        } else if self.starts.len() < Self::MOST_STARTS {
            self.starts.push(known);
        } else {
            self.starts[self.oldest] = known;
            self.oldest = (self.oldest + 1) % Self::MOST_STARTS;
        }
    }

    /// No window for a request starts between `from` and this instant. What starts there earliest is found
    /// from there on as well: a window starts with one of its slots, so at this instant at the earliest.
    pub(super) fn earliest(&self, request: &ResourceRequest, from: Time) -> Time {
        let earlier = self.starts.iter().filter(|known| known.from <= from && known.start > from);
        let known = earlier.filter(|known| asks_no_less(self.rules, request, &known.request));
        known.map(|known| known.start).fold(from, Time::max)
    }
}

/// Whether a request asks for as much as another one, or more, in every respect.
fn asks_no_less(rules: Rules, request: &ResourceRequest, other: &ResourceRequest) -> bool {
    let at_most =
        |limit: Option<f64>, of: Option<f64>| of.is_none_or(|of| limit.is_some_and(|limit| limit <= of));
    let budget = |request: &ResourceRequest| rules.budget(request).map(Money::get);
    let price = |request: &ResourceRequest| request.price_limit().map(Price::get);
    request.nodes() >= other.nodes()
        && request.work() >= other.work()
        && request.min_speed() >= other.min_speed()
        && at_most(request.deadline().map(Time::get), other.deadline().map(Time::get))
        && at_most(budget(request), budget(other))
        && (!rules.slot_price || at_most(price(request), price(other)))
}
