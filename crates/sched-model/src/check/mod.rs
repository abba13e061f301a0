//! The independent checker: verifies windows and schedules without trusting the algorithm that made them.
//!
//! The checker shares only the arithmetic of this crate (spans, charges, sums, rules) with searches, and recomputes
//! each span and cost from the request. A [`Violation`] is a value that says what is wrong and where; no violations
//! mean that all rules are kept.

mod violation;

pub use violation::Violation;
#[doc(hidden)]
pub use violation::in_words;

use std::sync::Arc;

use crate::features::FeatureTable;
use crate::order::{repeated, sort};
use crate::slot_list::sorted_by_node;
use crate::{
    Batch, Demands, Features, Job, JobId, Money, NodeId, Placement, Price, ResourceRequest, Schedule, Slot,
    SlotList, Span, Speed, Tariff, Time, Window,
};

/// The span for which each node of a window is held and charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Holding {
    /// Each node is held and charged for its own span, work / speed. The papers call this a rough right edge.
    #[default]
    #[cfg_attr(feature = "serde", serde(alias = "rough"))]
    OwnSpan,
    /// All nodes are held and charged for the span of the slowest of them. The papers call this a square window.
    #[cfg_attr(feature = "serde", serde(alias = "square"))]
    SlowestSpan,
}

/// The rules by which a window is checked, in addition to its request.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct Rules {
    /// How long each node is held.
    pub holding: Holding,
    /// Whether the price of each slot must be within the price limit (ALP). Otherwise the price limit only serves
    /// to derive the budget.
    pub slot_price: bool,
    /// The factor rho by which the budget of a request without one is derived from its price limit (AMP); with
    /// `None`, no budget is derived.
    pub budget_factor: Option<f64>,
}

impl Rules {
    /// Returns the rules of ALP: a price limit for each slot, and a budget only if the request has one.
    pub fn per_slot() -> Self {
        Self { slot_price: true, ..Self::default() }
    }

    /// Returns the rules of AMP: the budget of the request, or rho * C * t * N if the request has none.
    pub fn per_window(rho: f64) -> Self {
        Self { budget_factor: Some(rho), ..Self::default() }
    }

    /// Sets how long each node is held.
    pub fn with_holding(self, holding: Holding) -> Self {
        Self { holding, ..self }
    }

    /// Returns the limit that these rules set on the price of each slot for `request`; `None` if they set none.
    #[doc(hidden)]
    pub fn price_limit(&self, request: &ResourceRequest) -> Option<Price> {
        request.price_limit.filter(|_| self.slot_price)
    }

    /// Returns the budget of `request` under these rules: its own budget or, with a [budget
    /// factor](Self::budget_factor) rho, S = rho * C * t * N, where C is its price limit, t the span of a task on the
    /// etalon and N the number of nodes (V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov: Resource Selection
    /// Algorithms for Economic Scheduling in Distributed Systems, 2011, sections 3 and 6). Returns `None` if the
    /// request has neither a budget nor, with a factor, a price limit. The product is not rounded to units of a
    /// tariff: if charges are rounded up, a window at the price limit may cost more than S. In that case, set a
    /// budget.
    pub fn budget(&self, request: &ResourceRequest) -> Option<Money> {
        request.budget.or_else(|| {
            let etalon_span = request.work() / Speed::ETALON;
            // `nodes` is a count, far below 2^53.
            let nodes = request.nodes() as f64;
            Some(Money::unchecked(
                self.budget_factor? * request.price_limit?.get() * etalon_span.get() * nodes,
            ))
        })
    }
}

/// Checks windows and schedules against one list of free slots.
///
/// Building a checker takes O(m log m) time for m slots; checking a window of N placements takes O(N log m).
///
/// ```
/// use sched_model::check::{Checker, Rules, Violation};
/// use sched_model::*;
/// let node = Node::must(1, 1.0, 2.0);
/// let slot = Slot::new(node, Time::ZERO, Time::must(100.0))?;
/// let list = SlotList::new(vec![slot])?;
/// let request = ResourceRequest::new(1, Work::must(40.0))?.with_budget(Money::must(79.0));
/// let window = Window::new(Time::ZERO, vec![Placement::on(&slot, Time::ZERO, Span::must(40.0), list.tariff())])?;
/// let violations = Checker::new(&list, Rules::per_window(1.0)).window(&window, &request);
/// assert_eq!(violations, [Violation::OverBudget { budget: Money::must(79.0), cost: Money::must(80.0) }]);
/// # Ok::<(), sched_model::ModelError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Checker {
    /// In order of node, then of start.
    free: Vec<Slot>,
    tariff: Tariff,
    features: Option<Arc<FeatureTable>>,
    rules: Rules,
}

impl Checker {
    /// Creates a checker for `free`, the slots that were free before anything was placed.
    pub fn new(free: &SlotList, rules: Rules) -> Self {
        Self {
            free: sorted_by_node(free.iter().copied()),
            tariff: *free.tariff(),
            features: free.feature_table(),
            rules,
        }
    }

    /// Returns the violations of `request` and its demands by `window`. The window is valid if there are none.
    #[must_use]
    pub fn window(&self, window: &Window, request: &ResourceRequest) -> Vec<Violation> {
        let demands = request.demands();
        let own_span = |placement: &Placement| {
            demands.span_on(placement.node).unwrap_or_else(|| request.work() / placement.speed)
        };
        let placements = window.placements();
        let slowest_span = placements.iter().map(own_span).fold(Span::ZERO, Span::max);
        let mut found = Vec::new();
        if placements.len() != request.nodes() {
            found.push(Violation::WrongCount { needed: request.nodes(), placed: placements.len() });
        }
        let repeated_nodes = repeated(placements.iter().map(|placement| placement.node));
        found.extend(repeated_nodes.into_iter().map(|node| Violation::RepeatedNode { node }));
        for placement in placements {
            let held = match self.rules.holding {
                Holding::OwnSpan => own_span(placement),
                Holding::SlowestSpan => slowest_span,
            };
            self.placement(placement, (window.start(), held), request, &mut found);
        }
        let budget = self.rules.budget(request).filter(|&budget| window.cost() > budget);
        found.extend(budget.map(|budget| Violation::OverBudget { budget, cost: window.cost() }));
        let deadline = request.deadline.filter(|&deadline| window.finish() > deadline);
        found.extend(deadline.map(|deadline| Violation::PastDeadline { deadline, finish: window.finish() }));
        found.extend(unmet_with(self.features.as_deref(), window, demands));
        found
    }

    /// Appends the violations by `placement` to `found`, if its node is to be held for `held` from `start` on.
    fn placement(
        &self,
        placement: &Placement,
        (start, held): (Time, Span),
        request: &ResourceRequest,
        found: &mut Vec<Violation>,
    ) {
        let Placement { node, speed, price, end, cost } = *placement;
        match self.covering(node, start, end) {
            None => found.push(Violation::NotFree { node, start, end }),
            Some(slot) if slot.speed != speed || slot.price != price => {
                found.push(Violation::WrongNode { node });
            }
            Some(_) => {}
        }
        if speed < request.min_speed {
            found.push(Violation::TooSlow { node });
        }
        if end != start + held {
            found.push(Violation::WrongEnd { node, expected: start + held, end });
        }
        let expected = self.tariff.charge(price, held);
        if cost != expected {
            found.push(Violation::WrongCost { node, expected, cost });
        }
        if self.rules.price_limit(request).is_some_and(|limit| price > limit) {
            found.push(Violation::OverPrice { node });
        }
    }

    /// Returns the violations by `window` as the place of `job`: those of its request, and a start before its submit
    /// time.
    fn job(&self, window: &Window, job: &Job) -> Vec<Violation> {
        let mut found = self.window(window, &job.request);
        if window.start() < job.submit {
            found.push(Violation::BeforeSubmit { submit: job.submit, start: window.start() });
        }
        found
    }

    /// Returns the violations by a schedule of `batch`, each with its job: those of each window as in
    /// [`window`](Self::window), starts before the submit time of the job, nodes that two windows take at the same
    /// instant, jobs of the batch that are neither placed nor refused, and jobs that are not in the batch.
    #[must_use]
    pub fn schedule(&self, schedule: &Schedule, batch: &Batch) -> Vec<(JobId, Violation)> {
        let mut found = Vec::new();
        let mut jobs: Vec<&Job> = batch.iter().collect();
        sort(&mut jobs, &|a, b| a.id.cmp(&b.id));
        for (&id, fate) in schedule.iter() {
            match (jobs.binary_search_by_key(&id, |job| job.id), fate) {
                (Err(_), _) => found.push((id, Violation::Unknown)),
                (Ok(at), Ok(window)) => {
                    found.extend(self.job(window, jobs[at]).into_iter().map(|violation| (id, violation)));
                }
                (Ok(_), Err(_)) => {}
            }
        }
        let forgotten = jobs.iter().filter(|job| schedule.get(&job.id).is_none());
        found.extend(forgotten.map(|job| (job.id, Violation::Forgotten)));
        found.extend(overlaps(schedule.placed()));
        found
    }

    /// Returns the slot of `node` that covers `[start, end)`, if a single slot does.
    fn covering(&self, node: NodeId, start: Time, end: Time) -> Option<&Slot> {
        let before = self.free.partition_point(|slot| (slot.node, slot.start) <= (node, start));
        self.free[..before].last().filter(|slot| slot.node == node && end <= slot.end)
    }
}

/// Returns the violations of `demands` by `window`, without building a checker: of the demands on features of nodes,
/// on the combination of nodes, and on the start. O(N log (N + n)) time per demand for N placements and n nodes with
/// features.
#[must_use]
#[doc(hidden)]
pub fn unmet(free: &SlotList, window: &Window, demands: &Demands) -> Vec<Violation> {
    unmet_with(free.feature_table().as_deref(), window, demands)
}

/// As [`unmet`], given the features of nodes; without features, no node has any.
fn unmet_with(features: Option<&FeatureTable>, window: &Window, demands: &Demands) -> Vec<Violation> {
    let mut found = Vec::new();
    let none = Features::default();
    let features = |node: NodeId| features.map_or(&none, |features| features.of(node));
    for node in window.nodes() {
        for demand in demands.on_nodes().filter(|demand| !demand.is_met(features(node))) {
            found.push(Violation::Missing { node, what: demand.to_string() });
        }
    }
    // Counts the nodes of the window for each value of a label.
    let placed = |label: &str| {
        let mut values: Vec<&str> = window.nodes().filter_map(|node| features(node).value(label)).collect();
        sort(&mut values, &|a, b| a.cmp(b));
        values.chunk_by(|a, b| a == b).map(|same| (same[0].to_owned(), same.len())).collect::<Vec<_>>()
    };
    if let Some(label) = &demands.pack {
        let values: Vec<String> = placed(label).into_iter().map(|(value, _)| value).collect();
        if values.len() > 1 {
            found.push(Violation::NotPacked { label: label.to_owned(), values });
        }
    }
    if let Some(spread) = &demands.spread {
        for (value, placed) in placed(&spread.label) {
            if placed > spread.most.get() {
                let (label, most) = (spread.label.clone(), spread.most.get());
                found.push(Violation::NotSpread { label, value, most, placed });
            }
        }
    }
    let start = window.start();
    let demanded = [
        demands.not_before.filter(|earliest| start < *earliest),
        demands.start.filter(|only| start != *only),
    ];
    found.extend(demanded.into_iter().flatten().map(|demanded| Violation::WrongStart { demanded, start }));
    found
}

/// Returns an [overlap](Violation::Overlap) for each placement that starts while an earlier one still holds the same
/// node, with the key of the later window.
///
/// O(p log p) time for p placements in total.
#[doc(hidden)]
pub fn overlaps<'a, K: Copy>(windows: impl IntoIterator<Item = (K, &'a Window)>) -> Vec<(K, Violation)> {
    let mut taken = Vec::new();
    for (key, window) in windows {
        taken.extend(window.placements().iter().map(|held| (held.node, window.start(), held.end, key)));
    }
    sort(&mut taken, &|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
    let mut found = Vec::new();
    let mut latest: Option<(NodeId, Time)> = None;
    for (node, start, end, key) in taken {
        match &mut latest {
            Some((last, until)) if *last == node => {
                if start < *until {
                    found.push((key, Violation::Overlap { node, at: start }));
                }
                *until = end.max(*until);
            }
            _ => latest = Some((node, end)),
        }
    }
    found
}
