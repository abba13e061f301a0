//! What the searches of one cycle share: a request that asks for as much as another one, or more, in every
//! respect has no window where the other has none, and starts no earlier than the other.
//!
//! The list only shrinks in a cycle, so what was found in it holds for the rest of the cycle.

use sched_model::check::Rules;
use sched_model::{Eligible, Money, Price, ResourceRequest, Time};
use slot_window::WindowSearch;
use std::rc::Rc;

/// What the searches of a cycle have found so far.
struct Known {
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

    /// To compare with so many takes about as much time as to read one or two runs of slots.
    const MOST_STARTS: usize = 256;

    fn new(search: &dyn WindowSearch) -> Self {
        Self {
            rules: search.rules(),
            monotone: search.starts_are_monotone(),
            failed: Vec::new(),
            starts: Vec::new(),
            oldest: 0,
        }
    }

    fn push_failure(&mut self, request: &ResourceRequest, from: Time) {
        if self.failed.len() < Self::MOST_FAILED {
            self.failed.push((*request, from));
        }
    }

    /// Whether it is known that there is no window for a request.
    fn fails(&self, request: &ResourceRequest, from: Time) -> bool {
        self.failed.iter().any(|(known, since)| from >= *since && asks_no_less(self.rules, request, known))
    }

    /// A window was found that starts at `start`, in a search from `from` on that was not stopped.
    fn push_start(&mut self, request: &ResourceRequest, from: Time, start: Time) {
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
    fn earliest(&self, request: &ResourceRequest, from: Time) -> Time {
        let earlier = self.starts.iter().filter(|known| known.from <= from && known.start > from);
        let known = earlier.filter(|known| asks_no_less(self.rules, request, &known.request));
        known.map(|known| known.start).fold(from, Time::max)
    }
}

/// What the searches of a cycle have found, by what the jobs demand: jobs without demands tell all others, and
/// jobs with demands tell those that demand the same.
pub(super) struct Shared {
    of_all: Known,
    alike: Vec<(Rc<Eligible>, Known)>,
}

impl Shared {
    /// To compare with so many takes less time than a search.
    const MOST_ALIKE: usize = 64;

    pub(super) fn new(search: &dyn WindowSearch) -> Self {
        Self { of_all: Known::new(search), alike: Vec::new() }
    }

    fn alike(&self, demands: Option<&Rc<Eligible>>) -> Option<&Known> {
        let demands = demands?;
        self.alike.iter().find(|(known, _)| Rc::ptr_eq(known, demands)).map(|(_, known)| known)
    }

    /// A complete search of a job from an instant on has found a window that starts at `start`, or none. There
    /// was no less free time in it than there is for others.
    pub(super) fn tell(
        &mut self,
        search: &dyn WindowSearch,
        request: &ResourceRequest,
        demands: Option<&Rc<Eligible>>,
        from: Time,
        start: Option<Time>,
    ) {
        if let Some(demands) = demands
            && self.alike(Some(demands)).is_none()
        {
            if self.alike.len() == Self::MOST_ALIKE {
                return;
            }
            self.alike.push((Rc::clone(demands), Known::new(search)));
        }
        let known = match demands {
            None => &mut self.of_all,
            Some(demands) => match self.alike.iter_mut().find(|(known, _)| Rc::ptr_eq(known, demands)) {
                Some((_, known)) => known,
                None => return,
            },
        };
        match start {
            Some(start) => known.push_start(request, from, start),
            None => known.push_failure(request, from),
        }
    }

    /// Whether it is known that there is no window for a request with these demands.
    pub(super) fn fails(
        &self,
        request: &ResourceRequest,
        demands: Option<&Rc<Eligible>>,
        from: Time,
    ) -> bool {
        self.of_all.fails(request, from)
            || self.alike(demands).is_some_and(|known| known.fails(request, from))
    }

    /// No window for a request with these demands starts between `from` and this instant: see
    /// [`Known::earliest`].
    pub(super) fn earliest(
        &self,
        request: &ResourceRequest,
        demands: Option<&Rc<Eligible>>,
        from: Time,
    ) -> Time {
        let earliest = self.of_all.earliest(request, from);
        self.alike(demands).map_or(earliest, |known| known.earliest(request, earliest))
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
