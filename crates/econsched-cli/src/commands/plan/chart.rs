//! The Gantt chart of a plan, and the page with everything.

use super::jobs::job_columns;
use super::planned::Plan;
use super::summary::totals;
use crate::draw::gantt::{Bar, Gantt, Lane, letter};
use crate::draw::page::{Group, Page};
use crate::error::CliError;
use crate::input::scenario::Scenario;
use crate::output::terminal::{Times, counted, number};
use econsched::sched_model::NodeId;
use std::collections::BTreeMap;

/// The plan as a chart. Time that is not free is drawn as local load; the windows of each job have its
/// colour.
pub(crate) fn chart(scenario: &Scenario, plan: &Plan) -> Gantt {
    let lane_of: BTreeMap<NodeId, usize> =
        scenario.nodes.iter().enumerate().map(|(lane, node)| (node.id, lane)).collect();
    let lanes = scenario.nodes.iter().map(|node| Lane {
        label: format!("n{} · speed {:.2}", node.id, node.speed.get()),
        price: Some(scenario.money(node.price.get())),
    });
    let mut bars = loads(scenario, &lane_of);
    let mut jobs = Vec::new();
    for (position, job) in scenario.batch.iter().enumerate() {
        jobs.push(format!("{} job {}", letter(position), job.id));
        let Some(window) = plan.schedule.place_of(job.id) else { continue };
        bars.extend(window.placements().iter().filter_map(|placement| {
            let tip = format!(
                "job {} on node {}\nfrom {} to {}\nspeed {}, price {}, cost {}",
                job.id,
                placement.node,
                window.start(),
                placement.end,
                number(placement.speed.get()),
                number(scenario.money(placement.price.get())),
                number(scenario.money(placement.cost.get()))
            );
            let lane = *lane_of.get(&placement.node)?;
            Some(Bar {
                lane,
                lanes: 1,
                start: window.start().get(),
                end: placement.end.get(),
                job: Some(position),
                tip,
            })
        }));
    }
    // With a horizon far beyond the plan, the plan would be too small to see.
    let shown = plan
        .schedule
        .makespan()
        .map_or(scenario.horizon.get(), |finish| scenario.from.get() + 1.06 * (finish - scenario.from).get());
    let near = plan.distance.map_or_else(String::new, |distance| format!("; {}", distance.short()));
    Gantt {
        title: format!("{} · {}", scenario.title, plan.search),
        subtitle: format!("{} · {}{near}", plan.choice, totals(scenario, plan)),
        lanes: lanes.collect(),
        bars,
        jobs,
        from: scenario.from.get(),
        to: scenario.horizon.get().min(shown),
        axis: scenario.axis.clone(),
        dense: false,
    }
}

fn loads(scenario: &Scenario, lane_of: &BTreeMap<NodeId, usize>) -> Vec<Bar> {
    let mut taken_from = vec![scenario.from; scenario.nodes.len()];
    let mut bars = Vec::new();
    let mut taken = |lane: usize, start: f64, end: f64| {
        if start < end {
            let tip = format!("local load\nfrom {start} to {end}");
            bars.push(Bar { lane, lanes: 1, start, end, job: None, tip });
        }
    };
    // Slots come in start order, so those of one node do too.
    for slot in scenario.slots.iter() {
        if let Some(&lane) = lane_of.get(&slot.node()) {
            taken(lane, taken_from[lane].get(), slot.start().get());
            taken_from[lane] = slot.end();
        }
    }
    for (lane, from) in taken_from.into_iter().enumerate() {
        taken(lane, from.get(), scenario.horizon.get());
    }
    bars
}

/// Everything of a plan on one page.
pub(super) fn page(scenario: &Scenario, plan: &Plan) -> Result<String, CliError> {
    let chart = chart(scenario, plan);
    let rows: Vec<usize> = (0..scenario.batch.len()).collect();
    let lanes = chart.lanes.len();
    let mut page = Page::of_gantt(&chart, &rows, scenario.times == Times::Read)
        .with_notes(&scenario.notes)
        .with_groups(vec![Group { name: counted(lanes, "node"), first: 0, lanes }]);
    for (name, kind, value) in job_columns(scenario, plan, &["limit"]) {
        page = page.column(name, kind, scenario.batch.iter().map(value));
    }
    if let Some(points) = plan.front() {
        let pair = |point: &econsched::batch_dp::Point| (scenario.money(point.cost), point.time);
        page = page.with_front(points.iter().map(pair).collect(), pair(&plan.chosen()));
    }
    page.html()
}
