//! Explanations of why a request has no window: the reason, how many nodes each cause excludes, and which single
//! changes would give it one.
//!
//! Each [`Suggestion`] has been tested with the search itself. So has the change that is one representable step
//! smaller: it gives no window.

mod changes;
mod suggestion;

pub use suggestion::Suggestion;

use crate::{Objective, Optimal, WindowError, WindowQuery, WindowSearch};
use changes::Trial;
use sched_model::internal::counted;
use sched_model::{End, Limit, Meter, NodeId, Outcome, Refusal, ResourceRequest, Time, Window};

/// The number of nodes with free time, and how many of them cannot take a single task of the request, by cause. Each
/// node counts once, for the first cause that applies, in the order of the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NodeCounts {
    /// Nodes with free time at the earliest start or later.
    pub all: usize,
    /// Nodes that do not meet the demands of the job.
    pub missing: usize,
    /// Nodes that are slower than the minimum speed.
    pub slow: usize,
    /// Nodes above the price limit, if the search applies it to each slot.
    pub over_price: usize,
    /// Nodes that are never free for long enough.
    pub short: usize,
    /// Nodes on which no task can end by the deadline.
    pub late: usize,
    /// Nodes on which a single task costs more than the budget of the whole window.
    pub over_budget: usize,
    /// Nodes that the search excludes for another reason.
    pub other: usize,
    /// Nodes that can take a single task.
    pub usable: usize,
}

/// The explanation of why a query has no window.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Explanation {
    /// The first obstacle: see [`WindowSearch::refusal`] for the order.
    pub reason: Refusal,
    /// The number of nodes that each cause excludes.
    pub nodes: NodeCounts,
    /// Single changes, each of which gives a window by itself: for each limit that helps, the minimum change.
    pub suggestions: Vec<Suggestion>,
}

impl std::fmt::Display for Explanation {
    /// Writes the reason and the number of usable nodes, then a line for each suggestion.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {} of {} usable", self.reason, self.nodes.usable, counted(self.nodes.all, "node"))?;
        for suggestion in &self.suggestions {
            write!(f, "\nwould have a window with {suggestion}")?;
        }
        Ok(())
    }
}

/// Explains why `search` finds no window for `query`; `None` if it finds one.
///
/// Complexity: for n nodes, O(n) searches on the slots of one node each; and searches on the whole list, some four
/// for each limit that is set, some 64 for a minimum speed or a price limit, and O(log N) for N requested nodes.
///
/// # Errors
/// As for [`WindowSearch::find`].
///
/// ```
/// use sched_model::*;
/// use slot_window::{Amp, WindowQuery, explain::{Suggestion, explain}};
/// let node = |id, price| Node::must(id, 1.0, price);
/// let slots = SlotList::from_nodes(&[node(1, 2.0), node(2, 3.0)], &[], Time::ZERO, Time::must(50.0))?;
/// // Two nodes for 10, at 2 and 3: 50, but only 49 are allowed.
/// let request = ResourceRequest::new(2, Work::must(10.0))?.with_budget(Money::must(49.0));
/// let why = explain(&Amp::new(), &WindowQuery::new(&slots, &request))?.unwrap();
/// assert_eq!(why.reason.code(), "budget");
/// assert_eq!(why.nodes.usable, 2);
/// // With the budget of 50, with one node, or with a third node at 2 there is a window.
/// let like = node(1, 2.0);
/// assert_eq!(why.suggestions, [
///     Suggestion::Budget(Money::must(50.0)),
///     Suggestion::Nodes(1),
///     Suggestion::MoreNodes { count: 1, like },
/// ]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
) -> Result<Option<Explanation>, WindowError> {
    let (mut meter, mut unlimited) = (Limit::default().meter(), Limit::none().meter());
    let (request, mut own) = (with_compiled_demands(query), None);
    let query = &WindowQuery { request: &request, ..query.compiled(&mut own) };
    if window_of(search, query, &mut meter)?.is_some() {
        return Ok(None);
    }
    let reason = search.refusal(query, &mut unlimited)?;
    let nodes = count(search, query, &mut meter, &mut unlimited)?;
    let trial = Trial { search, query: *query, on: None };
    let suggestions = trial.suggestions(trial.more_nodes(), &mut meter)?;
    Ok(Some(Explanation { reason, nodes, suggestions }))
}

/// Returns single changes, each of which gives a window to a query without one; with `on`, a window that includes
/// this node. The changes are those of [`explain`], but with less work and a lower price of the node in place of more
/// nodes. For a broker, which knows the reason already. The search is called as often as by [`explain`], and some 120
/// times more.
///
/// # Errors
/// As for [`WindowSearch::find`].
///
/// ```
/// use sched_model::*;
/// use slot_window::{Amp, WindowQuery, explain::{Suggestion, suggestions}};
/// let node = |id, price| Node::must(id, 1.0, price);
/// let slots = SlotList::from_nodes(&[node(1, 2.0), node(2, 3.0)], &[], Time::ZERO, Time::must(50.0))?;
/// let request = ResourceRequest::new(1, Work::must(8.0))?.with_budget(Money::must(12.0));
/// let query = WindowQuery::new(&slots, &request);
/// // Node 1 would do for 16, or for less work.
/// assert_eq!(suggestions(&Amp::new(), &query, None)?, [
///     Suggestion::Budget(Money::must(16.0)),
///     Suggestion::Work(Work::must(6.0)),
/// ]);
/// // The other one if it were cheaper.
/// let price = Price::must(1.5);
/// assert_eq!(suggestions(&Amp::new(), &query, Some(NodeId(2)))?, [
///     Suggestion::NodePrice { node: NodeId(2), price },
/// ]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn suggestions(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
    on: Option<NodeId>,
) -> Result<Vec<Suggestion>, WindowError> {
    let (request, mut own) = (with_compiled_demands(query), None);
    let query = WindowQuery { request: &request, ..query.compiled(&mut own) };
    let trial = Trial { search, query, on };
    let others = [trial.less_work()].into_iter().chain(trial.lower_price());
    trial.suggestions(others, &mut Limit::default().meter())
}

/// The request of a query, with the demands that apply: the compiled ones, if there are any.
fn with_compiled_demands(query: &WindowQuery<'_>) -> ResourceRequest {
    let request = query.request.clone();
    match query.eligible {
        Some(eligible) => request.with_demands(eligible.demands().clone()),
        None => request,
    }
}

/// Returns the earliest start of all windows that the rules of `search` allow, whichever window the search prefers;
/// `None` if there is no window. On a list with a horizon later than that of the plan, it estimates when the request
/// could begin.
///
/// # Errors
/// As for [`WindowSearch::find`].
pub fn earliest_start(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
) -> Result<Option<Time>, WindowError> {
    let search = Optimal::new(Objective::Start).with_rules(search.rules());
    let first = window_of(&search, query, &mut Limit::default().meter())?;
    Ok(first.map(|window| window.start()))
}

/// Runs `search` on the meter, which is restarted. Returns its window, or an error if the meter ended it before it
/// found one. If a task is so short that its end rounds to its start, there is no window.
fn window_of(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
    meter: &mut Meter,
) -> Result<Option<Window>, WindowError> {
    meter.restart();
    match search.solve(query, meter) {
        Ok(Outcome { best: None, end, .. }) if end != End::Done => Err(end.into()),
        Err(WindowError::Model(_)) => Ok(None),
        found => Ok(found?.best),
    }
}

/// Counts the nodes with free time by cause, from a search for a window of one node on the slots of each node.
fn count(
    search: &dyn WindowSearch,
    query: &WindowQuery<'_>,
    meter: &mut Meter,
    unlimited: &mut Meter,
) -> Result<NodeCounts, WindowError> {
    let mut alone = query.request.clone().with_nodes(1)?;
    if let Some(budget) = search.rules().budget(query.request) {
        alone = alone.with_budget(budget);
    }
    let parts = query.slots.filtered(|slot| slot.end > query.from).split_by_node();
    let mut counts = NodeCounts { all: parts.len(), ..NodeCounts::default() };
    for own in &parts {
        let query = WindowQuery { slots: own, request: &alone, ..*query };
        let refusal = match window_of(search, &query, meter)? {
            Some(_) => None,
            None => Some(search.refusal(&query, unlimited)?),
        };
        let of = match refusal {
            None => &mut counts.usable,
            Some(Refusal::Missing { .. }) => &mut counts.missing,
            Some(Refusal::TooFewNodes { .. }) => &mut counts.slow,
            Some(Refusal::PriceLimit { .. }) => &mut counts.over_price,
            Some(Refusal::Horizon { .. }) => &mut counts.short,
            Some(Refusal::Deadline { .. }) => &mut counts.late,
            Some(Refusal::Budget { .. }) => &mut counts.over_budget,
            Some(_) => &mut counts.other,
        };
        *of += 1;
    }
    Ok(counts)
}
