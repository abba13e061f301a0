//! Requests that have failed in a cycle: a request that asks for as much as one of them, or more, in every respect
//! has no window either. The list only shrinks in a cycle, so a failure holds for the rest of it.

use sched_model::check::Rules;
use sched_model::{Eligible, Money, Price, ResourceRequest, Time};
use std::rc::Rc;

/// A queue of equal jobs for which there is no window costs one search, not one for each.
pub(super) struct Failures {
    rules: Rules,
    /// Requests without a window that starts at this instant or later; one with demands tells only of jobs that
    /// demand the same.
    known: Vec<(ResourceRequest, Option<Rc<Eligible>>, Time)>,
}

impl Failures {
    /// To compare with so many takes less time than a search.
    const MOST: usize = 64;

    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, known: Vec::new() }
    }

    /// A complete search from an instant on has found nothing, with no less free time than there is for others.
    pub(super) fn push(&mut self, request: &ResourceRequest, demands: Option<&Rc<Eligible>>, from: Time) {
        if self.known.len() < Self::MOST {
            self.known.push((*request, demands.cloned(), from));
        }
    }

    /// Whether it is known that there is no window for a request with these demands.
    pub(super) fn include(
        &self,
        request: &ResourceRequest,
        demands: Option<&Rc<Eligible>>,
        from: Time,
    ) -> bool {
        self.known.iter().any(|(known, alike, since)| {
            let alike = alike.as_ref();
            from >= *since
                && alike.is_none_or(|alike| demands.is_some_and(|demands| Rc::ptr_eq(alike, demands)))
                && asks_no_less(self.rules, request, known)
        })
    }
}

/// Whether a request asks for as much as another one, or more, in every respect.
fn asks_no_less(rules: Rules, request: &ResourceRequest, other: &ResourceRequest) -> bool {
    let at_most =
        |limit: Option<f64>, of: Option<f64>| of.is_none_or(|of| limit.is_some_and(|limit| limit <= of));
    let budget = |request: &ResourceRequest| rules.budget(request).map(Money::get);
    let price = |request: &ResourceRequest| rules.price_limit(request).map(Price::get);
    request.nodes() >= other.nodes()
        && request.work() >= other.work()
        && request.min_speed() >= other.min_speed()
        && at_most(request.deadline().map(Time::get), other.deadline().map(Time::get))
        && at_most(budget(request), budget(other))
        && at_most(price(request), price(other))
}
