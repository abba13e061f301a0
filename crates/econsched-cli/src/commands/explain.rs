//! `--explain`: why a request has no window, what would give it one, and when it could start.

use crate::error::CliError;
use crate::input::scenario::Scenario;
use crate::output::terminal::counted;
use econsched::sched_model::{
    Demands, JobId, Limit, Refusal, ResourceRequest, Schedule, SlotList, Time, Window,
};
use econsched::slot_window::explain::{self, NodeCounts, Suggestion};
use econsched::slot_window::{WindowQuery, WindowSearch};
use serde::Serialize;

/// Why a request has no place.
#[derive(Debug, Serialize)]
pub(crate) struct Explanation {
    /// The job, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<JobId>,
    /// A stable name of the reason.
    code: &'static str,
    reason: Refusal,
    /// The number of nodes on which a single task finds no place, by cause; `None` where the request has a
    /// window beside the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<NodeCounts>,
    /// Nodes that are never free.
    busy: usize,
    /// Changes, each of which alone gives a window; one representable step less does not.
    suggestions: Vec<Suggestion>,
    /// The earliest start beside all that is planned, where what is free after the horizon is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_start: Option<Time>,
}

impl Explanation {
    /// Why the refused jobs of a schedule have no place beside the others.
    ///
    /// # Errors
    /// As [`beside`](Self::beside).
    pub(crate) fn of_refused(
        scenario: &Scenario,
        schedule: &Schedule,
        search: &dyn WindowSearch,
    ) -> Result<Vec<Self>, CliError> {
        let windows: Vec<&Window> = schedule.placed().map(|(_, window)| window).collect();
        let left = without(&scenario.slots, &windows)?;
        let mut explanations = Vec::new();
        let none = Demands::new();
        for (id, reason) in schedule.refused() {
            let Some(job) = scenario.batch.iter().find(|job| job.id == id) else { continue };
            let eligible = left.eligible(scenario.demands.get(&id).unwrap_or(&none));
            let query = WindowQuery::new(&left, &job.request).with_from(scenario.from.max(job.submit));
            let query = query.with_eligible(&eligible);
            let explanation = Self::beside(scenario, &windows, search, &query, reason)?;
            explanations.push(Self { job: Some(id), ..explanation });
        }
        Ok(explanations)
    }

    /// Why a request has no window beside these.
    ///
    /// # Errors
    /// [`CliError::Usage`] for a request that the search does not take.
    pub(crate) fn beside(
        scenario: &Scenario,
        windows: &[&Window],
        search: &dyn WindowSearch,
        query: &WindowQuery<'_>,
        reason: &Refusal,
    ) -> Result<Self, CliError> {
        let why = explain::explain(search, query).map_err(CliError::usage)?;
        let estimated_start = match scenario.free_until(far(scenario, query))? {
            Some(slots) => {
                let slots = without(&slots, windows)?;
                let eligible = query.eligible.map(|eligible| slots.eligible(eligible.demands()));
                let later = WindowQuery::new(&slots, query.request).with_from(query.from);
                let later = eligible.iter().fold(later, |later, eligible| later.with_eligible(eligible));
                explain::earliest_start(search, &later).map_err(CliError::usage)?
            }
            None => None,
        };
        let mut told = Self {
            job: None,
            code: reason.code(),
            reason: reason.clone(),
            nodes: None,
            busy: 0,
            suggestions: Vec::new(),
            estimated_start,
        };
        if let Some(why) = why {
            (told.code, told.reason) = (why.reason.code(), why.reason);
            told.busy = scenario.nodes.len().saturating_sub(why.nodes.all);
            (told.nodes, told.suggestions) = (Some(why.nodes), why.suggestions);
        } else if estimated_start.is_none() {
            // A plan may also refuse a job that has a window, because of its limit or because a search was stopped.
            let found = search.solve(query, &mut Limit::default().meter()).map_err(CliError::usage)?;
            told.estimated_start = found.best.map(|window| window.start());
        }
        Ok(told)
    }

    /// As a person reads it; `money` says whether the limit of the batch is an amount.
    pub(crate) fn text(&self, scenario: &Scenario, money: bool) -> String {
        let who = self.job.map_or_else(|| "no window".to_owned(), |job| format!("job {job}"));
        let mut text = format!("{who}: {} ({})\n", scenario.in_decimals(&self.reason, money), self.code);
        if let Some(nodes) = &self.nodes {
            let causes = [
                (self.busy, "never free"),
                (nodes.missing, "without a demanded label or amount"),
                (nodes.slow, "too slow"),
                (nodes.over_price, "above the price limit"),
                (nodes.short, "not free for long enough"),
                (nodes.late, "free too late"),
                (nodes.over_budget, "where one task costs more than the budget"),
                (nodes.other, "that this search does not use"),
                (nodes.usable, "usable"),
            ];
            let causes = causes.iter().filter(|(count, _)| *count > 0);
            let causes: Vec<String> = causes.map(|(count, cause)| format!("{count} {cause}")).collect();
            let all = counted(nodes.all + self.busy, "node");
            let changes: Vec<String> =
                self.suggestions.iter().map(|change| words(scenario, change)).collect();
            let what = if changes.is_empty() {
                "no single change gives it a window".to_owned()
            } else {
                format!("it has a window with {}", changes.join(", or with "))
            };
            text += &format!("  {all}: {}\n  {what}\n", causes.join(", "));
        } else {
            text +=
                "  it has a window beside this plan; a limit of the batch or of the search leaves it out\n";
        }
        if let Some(start) = self.estimated_start {
            let after = if start >= scenario.horizon { ", after the horizon" } else { "" };
            text.push_str(&format!("  earliest start{after}: {}\n", start.get()));
        }
        text
    }
}

/// A change with all its digits, so that it can be applied, and money in decimals.
fn words(scenario: &Scenario, change: &Suggestion) -> String {
    let amount = |units: f64| scenario.money(units);
    match change {
        Suggestion::Budget(budget) => format!("a budget of {}", amount(budget.get())),
        Suggestion::PriceLimit(price) => format!("a price limit of {}", amount(price.get())),
        Suggestion::NodePrice { node, price } => {
            format!("a price of {} for node {node}", amount(price.get()))
        }
        other => other.to_string(),
    }
}

/// A list without these windows.
fn without(slots: &SlotList, windows: &[&Window]) -> Result<SlotList, CliError> {
    let mut left = slots.clone();
    for window in windows {
        left.cut(window).map_err(CliError::fault)?;
    }
    Ok(left)
}

/// If the request ever finds a place, it does so before this instant: all known busy time has ended, and
/// twice the time that it takes on the slowest node remains.
fn far(scenario: &Scenario, query: &WindowQuery<'_>) -> Time {
    let request: &ResourceRequest = query.request;
    let speeds = scenario.nodes.iter().map(|node| node.speed).filter(|speed| *speed >= request.min_speed());
    let span = speeds.min().map_or(0.0, |slowest| request.span_on(slowest).get());
    let demands = query.eligible.map(|eligible| eligible.demands());
    let asked = demands.and_then(|demands| demands.not_before().max(demands.start()));
    let clear = asked.into_iter().fold(scenario.clear_from().max(query.from), Time::max);
    Time::new(clear.get() + 2.0 * span + 1.0).unwrap_or(clear)
}
