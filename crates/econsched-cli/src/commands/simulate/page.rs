//! The page of a simulation: the CPUs that each job held, the use of each site over time, and the jobs.

use super::report::JOB_COLUMNS;
use super::{Run, Runs};
use crate::commands::prelude::*;
use crate::draw::gantt::{Bars, Gantt, Lane, TimeAxis};
use crate::draw::page::{Column, Group, Kind, Page};
use econsched::grid_sim::{JobRecord, Part, SiteInfo, SiteReport};
use econsched::workload_gen::convert::lowest_free;
use serde_json::Value;

/// Maximum number of lanes; on larger grids a lane stands for several CPUs.
const MOST_LANES: u64 = 10_000;

/// CPUs that a job held at a site: from when, until when, how many, and the job's row in the table of jobs.
type Held = (f64, f64, u32, i64);

/// Returns all CPUs held at a site, by start; those of one start in the order of the jobs.
fn held(run: &Run, site: SiteId) -> Vec<Held> {
    let mut all: Vec<Held> = Vec::new();
    for (job, row) in run.records.iter().zip(0..) {
        let Some(start) = job.start.map(Time::get) else { continue };
        let here = job.parts.iter().filter(|part| part.site == site);
        all.extend(here.map(|part| (start, part.end.get(), part.cpus, row)));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

impl Runs {
    /// Renders a run on one page. The simulation does not say which CPUs of a site a job held: each is drawn on the
    /// lowest free ones.
    pub(super) fn page(&self, run: &Run) -> Result<String, CliError> {
        let cpus_of_lane = run.cpus().div_ceil(MOST_LANES).max(1);
        let (mut lanes, mut groups, mut bars, mut placements) = (Vec::new(), Vec::new(), Bars::default(), 0);
        for SiteReport { site: SiteInfo { id, name, cpus }, .. } in &run.report.sites {
            let base = lanes.len();
            // A label for each site, not for each CPU.
            let label = |lane: u64| match lane {
                0 => format!("{name}, {}", counted(*cpus, "CPU")),
                _ => String::new(),
            };
            let lane = |lane| Lane { label: label(lane), price: None };
            lanes.extend((0..cpus.div_ceil(cpus_of_lane)).map(lane));
            groups.push(Group { name: name.clone(), first: base, lanes: lanes.len() - base });
            let here = held(run, *id);
            placements += here.len();
            let spans: Vec<_> = here.iter().map(|&(start, end, cpus, _)| (start, end, cpus)).collect();
            let places = lowest_free(&spans, u32::try_from(*cpus).unwrap_or(u32::MAX));
            for ((start, end, _, row), ranges) in here.into_iter().zip(places) {
                for (first, last) in ranges {
                    let [first, last] = [first, last].map(|cpu| (u64::from(cpu) / cpus_of_lane) as usize);
                    bars.extend([(base + first, last - first + 1, start, end, row)]);
                }
            }
        }
        let column = |name, kind, value: &dyn Fn(&JobRecord) -> Value| {
            let values = run.records.iter().map(|job| value(&job)).collect();
            Column { name, kind, values }
        };
        let site = |job: &JobRecord| {
            let name = |part: &Part| {
                let site = run.report.sites.iter().find(|site| site.site.id == part.site)?;
                Some(site.site.name.as_str())
            };
            job.parts.iter().filter_map(name).collect::<Vec<_>>().join(", ").into()
        };
        let numbers = JOB_COLUMNS.iter().filter(|(name, ..)| *name != "bounded_slowdown");
        let mut columns: Vec<Column> =
            numbers.map(|(name, kind, value)| column(name, *kind, value)).collect();
        columns.push(column("site", Kind::Text, &site));
        columns.push(column("state", Kind::Text, &|job| job.ending.to_string().into()));
        let from = run.records.iter().filter_map(|job| job.start).min().map_or(0.0, Time::get);
        let to = run.report.last_end.map_or(from, Time::get);
        let scale = if cpus_of_lane > 1 { format!("; a row is {cpus_of_lane} CPUs") } else { String::new() };
        Page {
            title: format!("{} · {}", self.scheduler, counted(run.cpus(), "CPU")),
            subtitle: format!("{}; seed {}{scale}", counted(placements, "placement"), run.seed),
            notes: self.notes.clone(),
            seconds: true,
            chart: Gantt { lanes, bars, from, to, axis: TimeAxis { origin: from, ..TimeAxis::default() } },
            groups,
            columns,
            ..Page::default()
        }
        .html()
    }
}
