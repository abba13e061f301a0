//! Charts of a simulation: utilisation, Gantt chart, and the page with everything.

use super::report::JOB_COLUMNS;
use super::{Run, Runs};
use crate::commands::limits::Extent;
use crate::commands::prelude::*;
use crate::draw::charts;
use crate::draw::gantt::{Bar, Gantt, Lane, TimeAxis};
use crate::draw::page::{Column, Group, Kind, Page, Value};
use econsched::grid_sim::{JobRecord, Part, SiteInfo, SiteReport};
use econsched::workload_gen::convert::lowest_free;
use econsched_studies::Chart;

/// Points of the utilisation chart.
const BINS: usize = 300;

/// CPUs that a job held, by its row in the table of jobs.
struct Held {
    start: f64,
    end: f64,
    site: SiteId,
    cpus: u32,
    row: usize,
}

/// All of a run, by start; those of one instant in the order of the jobs.
fn held(run: &Run) -> Vec<Held> {
    let mut all = Vec::with_capacity(run.records.len());
    for (job, row) in run.records.iter().zip(0..) {
        let Some(start) = job.start.map(Time::get) else { continue };
        let part = |&Part { site, cpus, end, .. }: &Part| Held { start, end: end.get(), site, cpus, row };
        all.extend(job.parts.iter().map(part));
    }
    // In place: there may be 10^7.
    all.sort_unstable_by(|a: &Held, b| a.start.total_cmp(&b.start).then(a.row.cmp(&b.row)));
    all
}

/// Busy share of each site over time.
///
/// # Errors
/// [`CliError::Fault`] where the plotting library fails.
pub(super) fn utilisation(run: &Run, shown: Extent) -> Result<String, CliError> {
    let begin = run.records.iter().map(|job| job.submit).min().map_or(0.0, Time::get);
    let (from, to) = shown.over(begin, run.report.last_end.map_or(begin, Time::get));
    let axis = TimeAxis::seconds_since(begin, to - from, "the first submission");
    let mut chart = Chart::new("Utilisation", axis.label.clone(), "busy CPUs, %").with_markers(false);
    let held = held(run);
    for SiteReport { site, .. } in &run.report.sites {
        // What lies beyond the ends of the chart must not fall into its first and last bin.
        let held = held.iter().filter(|held| held.site == site.id && held.end > from && held.start < to);
        let shares = busy_shares(held, from, to, site.cpus);
        let mean = 100.0 * shares.iter().sum::<f64>() / BINS as f64;
        let middle = |bin: usize| axis.mark(from + (bin as f64 + 0.5) * (to - from) / BINS as f64);
        let points = shares.iter().enumerate().map(|(bin, share)| (middle(bin), 100.0 * share));
        chart = chart.with_series(format!("{}, {mean:.0}% in the mean", site.name), points);
    }
    charts::svg(&chart)
}

/// Mean busy share of `cpus` in each of the equal bins of `[from, to)`.
fn busy_shares<'a>(held: impl Iterator<Item = &'a Held>, from: f64, to: f64, cpus: u64) -> Vec<f64> {
    let width = (to - from) / BINS as f64;
    let mut busy = vec![0.0; BINS];
    if width <= 0.0 {
        return busy;
    }
    for &Held { start, end, cpus: count, .. } in held {
        let bin_of = |instant: f64| (((instant - from) / width).max(0.0) as usize).min(BINS - 1);
        for (bin, busy) in busy.iter_mut().enumerate().take(bin_of(end) + 1).skip(bin_of(start)) {
            let left = from + bin as f64 * width;
            let overlap = end.min(left + width) - start.max(left);
            *busy += overlap.max(0.0) * f64::from(count);
        }
    }
    let capacity = width * cpus.max(1) as f64;
    busy.into_iter().map(|busy| busy / capacity).collect()
}

/// The greatest number of lanes of a Gantt chart; on larger grids a lane stands for several CPUs.
const MOST_LANES: u64 = 10_000;

impl Runs {
    /// The first jobs that started, CPU by CPU. Which CPUs of a site a job held is not simulated: each takes the
    /// lowest that are free.
    /// Also the place of each of them in the run, and the lanes of each site.
    pub(super) fn gantt(&self, run: &Run, most: usize, shown: Extent) -> (Gantt, Vec<usize>, Vec<Group>) {
        let cpus_of_lane = run.cpus().div_ceil(MOST_LANES).max(1);
        let (mut all, is_shown) = (held(run), |held: &&Held| shown.shows(held.start, held.end));
        let total = counted(all.len(), "placement");
        // Which CPUs a job gets depends on all before it, shown or not.
        let next = all.iter().enumerate().filter(|(_, held)| is_shown(held)).nth(most).map(|(at, _)| at);
        all.truncate(next.unwrap_or(all.len()));
        let drawn = || all.iter().filter(is_shown);
        let from = drawn().next().map_or(0.0, |first| first.start);
        let (from, to) = shown.over(
            from,
            match next {
                None => drawn().map(|held| held.end).fold(from, f64::max),
                // What follows the last start would look idle and is not.
                Some(_) => drawn().next_back().map_or(from, |last| last.start).max(from + 1.0),
            },
        );
        let (mut lanes, mut bars) = (Vec::new(), Vec::new());
        let (mut jobs, mut rows, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for SiteReport { site: SiteInfo { id, name, cpus }, .. } in &run.report.sites {
            let base = lanes.len();
            // A label for each site, not for each CPU.
            let label = |lane: u64| {
                if lane == 0 { format!("{name}, {}", counted(*cpus, "CPU")) } else { String::new() }
            };
            lanes.extend(
                (0..cpus.div_ceil(cpus_of_lane)).map(|lane| Lane { label: label(lane), price: None }),
            );
            groups.push(Group { name: name.clone(), first: base, lanes: lanes.len() - base });
            let here: Vec<&Held> = all.iter().filter(|held| held.site == *id).collect();
            let spans: Vec<_> = here.iter().map(|held| (held.start, held.end, held.cpus)).collect();
            let places = lowest_free(&spans, u32::try_from(*cpus).unwrap_or(u32::MAX));
            for (&Held { start, end, cpus, row, .. }, ranges) in
                here.into_iter().zip(places).filter(|(held, _)| is_shown(held))
            {
                let (record, held) = (run.records.at(row), counted(cpus, "CPU"));
                let tip = format!("job {} of user {}\n{held} from {start} to {end}", record.id, record.user);
                let job = Some(jobs.len());
                jobs.push(record.id.to_string());
                rows.push(row);
                for (first, last) in ranges {
                    let (first, last) = (u64::from(first) / cpus_of_lane, u64::from(last) / cpus_of_lane);
                    let (lane, lanes) = (base + first as usize, (last - first) as usize + 1);
                    bars.push(Bar { lane, lanes, start, end, job, tip: tip.clone() });
                }
            }
        }
        let since = if shown == Extent::default() { "from the first start on" } else { "in the given time" };
        let scale = if cpus_of_lane > 1 { format!("; a row is {cpus_of_lane} CPUs") } else { String::new() };
        let chart = Gantt {
            title: format!("{} · {}", self.scheduler, counted(run.cpus(), "CPU")),
            subtitle: format!("{} of {total}, {since}; seed {}{scale}", jobs.len(), run.seed),
            lanes,
            bars,
            jobs,
            from,
            to,
            axis: TimeAxis::seconds_since(from, to - from, "the first start"),
            dense: true,
        };
        (chart, rows, groups)
    }

    /// Everything of a run on one page.
    pub(super) fn page(&self, run: &Run) -> Result<String, CliError> {
        let (chart, rows, groups) = self.gantt(run, usize::MAX, Extent::default());
        let column = |name, kind, value: &dyn Fn(&JobRecord) -> Value| {
            let values = run.records.iter().map(|job| value(&job)).collect();
            Column { name, kind, values }
        };
        let site = |job: &JobRecord| {
            let name = |part: &Part| {
                let site = run.report.sites.iter().find(|site| site.site.id == part.site)?;
                Some(site.site.name.as_str())
            };
            Value::Text(job.parts.iter().filter_map(name).collect::<Vec<_>>().join(", "))
        };
        let mut page = Page::of_gantt(&chart, &rows, self.times == Times::Read);
        (page.notes, page.groups) = (self.notes.clone(), groups);
        let numbers = JOB_COLUMNS.iter().filter(|(name, ..)| *name != "bounded_slowdown");
        page.columns = numbers.map(|(name, kind, value)| column(name, *kind, value)).collect();
        page.columns.push(column("site", Kind::Text, &site));
        page.columns.push(column("state", Kind::Text, &|job| Value::Text(job.ending.to_string())));
        page.html()
    }
}
