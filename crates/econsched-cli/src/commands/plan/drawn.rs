//! A plan as a chart and as a page.

use super::planned::Plan;
use crate::commands::prelude::*;
use crate::draw::gantt::{Bars, Gantt, Lane};
use crate::draw::page::{Group, Page};

/// Draws a plan as a chart: time that is not free is local load, and the windows of each job are its bars.
pub(super) fn chart(plan: &Plan<'_>) -> Gantt {
    let scenario = plan.scenario;
    let mut bars = Bars::default();
    let mut bar = |id: NodeId, start: Time, end: Time, job| {
        let lane = scenario.nodes.binary_search_by_key(&id, |node| node.id);
        bars.extend(lane.map(|lane| (lane, 1, start.get(), end.get(), job)));
    };
    let lanes = scenario.nodes.iter().map(|node| Lane {
        label: format!("n{} · speed {:.2}", node.id, node.speed.get()),
        price: Some(scenario.money(node.price.get())),
    });
    // All time that is not free; without slots, no time is drawn.
    let whole = SlotList::from_nodes(&scenario.nodes, &[], scenario.from, scenario.horizon);
    let mut busy = whole.unwrap_or_default();
    for slot in scenario.slots.iter() {
        busy.block(slot.node, slot.start..slot.end);
    }
    busy.iter().for_each(|busy| bar(busy.node, busy.start, busy.end, -1));
    for (row, job) in (0..).zip(scenario.batch.iter()) {
        let Some(window) = plan.schedule.place_of(job.id) else { continue };
        window.placements().iter().for_each(|on| bar(on.node, window.start(), on.end, row));
    }
    let (from, horizon) = (scenario.from.get(), scenario.horizon.get());
    // If the horizon is far beyond the plan, the plan would be too small to see.
    let shown = plan.schedule.makespan().map_or(horizon, |finish| from + 1.06 * (finish.get() - from));
    Gantt { lanes: lanes.collect(), bars, from, to: horizon.min(shown), axis: scenario.axis.clone() }
}

/// Renders a plan on one page.
pub(super) fn page(plan: &Plan<'_>, chart: Gantt) -> Result<String, CliError> {
    let (scenario, lanes) = (plan.scenario, chart.lanes.len());
    let near = plan.line.as_ref().map_or_else(String::new, |line| format!("; {line}"));
    Page {
        title: format!("{} · {}", scenario.title, plan.search),
        subtitle: format!("{} · {}{near}", plan.choice, plan.totals()),
        notes: scenario.notes.clone(),
        seconds: scenario.seconds,
        groups: vec![Group { name: counted(lanes, "node"), first: 0, lanes }],
        chart,
        front: plan.front_json(),
        columns: plan.job_columns(&["limit"]),
        ..Page::default()
    }
    .html()
}
