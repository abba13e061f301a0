//! A plan as text, chart, page and files.

use super::planned::{Plan, job_columns, number_of_time, totals, verdict};
use crate::commands::prelude::*;
use crate::commands::window::Explanation;
use crate::draw::gantt::{Bar, Gantt, Lane, letter};
use crate::draw::page::{Column, Group, Kind, Page, Value};
use econsched::batch_dp::Point;
use econsched::joint_plan::Effort;

/// The greatest number of rows of the chart in characters. A larger environment shows only the nodes that the
/// plan uses.
const TEXT_LANES: usize = 40;
/// Cells of its time axis.
const TEXT_COLUMNS: usize = 72;

/// The text for the terminal.
pub(crate) fn text(scenario: &Scenario, plan: &Plan) -> String {
    let search = if plan.is_joint() { String::new() } else { format!("search {}, ", plan.search) };
    let mut text = format!(
        "{}: {}, {}, {}; {search}{}\n\n",
        scenario.title,
        counted(scenario.nodes.len(), "node"),
        counted(scenario.slots.len(), "free slot"),
        counted(scenario.batch.len(), "job"),
        plan.choice
    );
    text.push_str(&job_table(scenario, plan).render());
    let _ = writeln!(text, "\n{}", totals(scenario, plan));
    if let Some(distance) = &plan.distance {
        let line = if plan.is_joint() { distance.of_mean_finish(scenario) } else { distance.to_string() };
        let _ = writeln!(text, "{line}");
    }
    text.extend(plan.stopped(scenario).iter().map(|line| format!("{line}\n")));
    let _ = writeln!(text, "{}\n", verdict(plan));
    let gantt = chart(scenario, plan);
    let used: BTreeSet<usize> =
        gantt.bars.iter().filter(|bar| bar.job.is_some()).map(|bar| bar.lane).collect();
    let all = gantt.lanes.len() <= TEXT_LANES;
    let mut shown = 0;
    text.push_str(&gantt.text(TEXT_COLUMNS, terminal::width(), |lane| {
        let keep = all || (used.contains(&lane) && shown < TEXT_LANES);
        shown += usize::from(keep);
        keep
    }));
    text.push_str(
        "  ░ local load  · free  A, B, ... jobs as in the table; the number behind a row is its price\n",
    );
    if !all {
        let _ = writeln!(text, "  {shown} of {} shown", counted(gantt.lanes.len(), "node"));
    }
    text + &terminal::notes(&scenario.notes)
}

fn job_table(scenario: &Scenario, plan: &Plan) -> Columns {
    let without: &[&str] =
        if plan.is_joint() { &["user", "state", "alternatives"] } else { &["user", "state"] };
    let columns = job_columns(scenario, plan, without);
    let headings: Vec<&str> = [""].into_iter().chain(columns.iter().map(|column| column.name)).collect();
    let cell = |at: usize, column: &Column| match (column.kind, &column.values[at]) {
        (Kind::Time, Value::Number(instant)) => number_of_time(scenario, *instant),
        (Kind::Span, Value::Number(span)) => scenario.times.show(*span),
        (_, value) => value.short(),
    };
    let row = |at| {
        let cells = columns.iter().map(move |column| cell(at, column));
        [letter(at).to_string()].into_iter().chain(cells)
    };
    Columns::with(&headings, (0..scenario.batch.len()).map(row))
}

/// Figures of a plan by name.
pub(super) fn figures(scenario: &Scenario, plan: &Plan) -> [(&'static str, f64); 7] {
    let placed = plan.schedule.placed().count();
    let mean = |of: fn(&Window) -> f64| {
        let sum: f64 = plan.schedule.placed().map(|(_, window)| of(window) - scenario.axis.origin).sum();
        if placed == 0 { f64::NAN } else { sum / placed as f64 }
    };
    [
        ("jobs", scenario.batch.len() as f64),
        ("placed", placed as f64),
        (
            "alternatives",
            plan.cycle.iter().flat_map(|cycle| cycle.alternatives.values()).sum::<usize>() as f64,
        ),
        ("sum of runtimes", plan.schedule.total_runtime().get()),
        ("sum of costs", scenario.money(plan.schedule.cost().get())),
        ("mean start", mean(|window| window.start().get())),
        ("mean finish", mean(|window| window.finish().get())),
    ]
}

/// The plan as it is written to `plan.json`.
pub(super) fn json(
    scenario: &Scenario,
    plan: &Plan,
    explanations: Option<Vec<Explanation>>,
) -> impl Serialize {
    let jobs = scenario.batch.iter().map(|job| {
        object! {
            job: job,
            alternatives Option<>: plan.alternatives_of(job.id),
            fate: plan.schedule.get(&job.id).map(|fate| object! {
                placed Option<>: fate.as_ref().ok(),
                refused Option<>: fate.as_ref().err(),
            }),
        }
    });
    let violations = plan.violations.iter().map(|(job, violation)| format!("job {job}: {violation}"));
    let stopped = plan.stopped(scenario);
    let front = |points: &[Point]| {
        let points = points.iter().map(|point| object! { cost: point.cost, runtime: point.time });
        points.collect::<Vec<_>>()
    };
    object! {
        title: &scenario.title,
        search: &plan.search,
        choice: &plan.choice,
        effort: plan.beyond.unwrap_or(Effort::Quick),
        // With effort `quick` of the choice among the alternatives of the cycle, else of the plan.
        proof: plan.proof,
        distance Option<>: plan.distance,
        from: scenario.from.get(),
        horizon: scenario.horizon.get(),
        nodes: &scenario.nodes,
        notes: &scenario.notes,
        jobs: jobs.collect::<Vec<_>>(),
        total_runtime: plan.schedule.total_runtime().get(),
        total_cost: plan.schedule.cost().get(),
        violations: violations.collect::<Vec<_>>(),
        // What limits have stopped, with what is still proven.
        stopped Option<>: (!stopped.is_empty()).then_some(stopped),
        // Every undominated combination, cheapest first.
        front Option<>: plan.front().map(front),
        explanations Option<>: explanations,
    }
}

/// One row for each job.
pub(crate) fn jobs_csv(scenario: &Scenario, plan: &Plan) -> Result<String, CliError> {
    let columns = job_columns(scenario, plan, &["user", "limit", "state"]);
    let headings: Vec<String> = columns.iter().map(|column| column.name.replace(' ', "_")).collect();
    let row = |at: usize| columns.iter().map(move |column| column.values[at].to_string());
    files::csv(&headings, (0..scenario.batch.len()).map(row))
}

/// One row for each node of each placed job.
pub(crate) fn placements_csv(scenario: &Scenario, plan: &Plan) -> Result<String, CliError> {
    let placements = plan.schedule.placed().flat_map(|(job, window)| {
        window.placements().iter().map(move |placement| (job, window.start(), placement))
    });
    files::table(
        placements,
        &[
            ("job", &|(job, ..)| job.to_string()),
            ("node", &|(.., placement)| placement.node.to_string()),
            ("speed", &|(.., placement)| placement.speed.to_string()),
            ("price", &|(.., placement)| scenario.money(placement.price.get()).to_string()),
            ("start", &|(_, start, _)| start.to_string()),
            ("end", &|(.., placement)| placement.end.to_string()),
            ("cost", &|(.., placement)| scenario.money(placement.cost.get()).to_string()),
        ],
    )
}

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
    let pair = |point: &Point| (scenario.money(point.cost), point.time);
    let front = |points: &[Point]| {
        let points: Vec<(f64, f64)> = points.iter().map(pair).collect();
        serde_json::json!({"points": points, "chosen": pair(&plan.chosen())})
    };
    let mut page = Page::of_gantt(&chart, &rows, scenario.times == Times::Read);
    page.notes.clone_from(&scenario.notes);
    page.groups.push(Group { name: counted(lanes, "node"), first: 0, lanes });
    page.front = plan.front().map(front);
    page.columns = job_columns(scenario, plan, &["limit"]);
    page.html()
}
