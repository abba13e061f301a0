//! Charts of a simulation: utilisation, Gantt chart, and the page with everything.

use super::report::JOB_COLUMNS;
use super::{Run, Runs, Station};
use crate::commands::limits::Extent;
use crate::commands::prelude::*;
use crate::draw::charts;
use crate::draw::gantt::{Bar, Gantt, Lane, TimeAxis};
use crate::draw::page::{Column, Group, Kind, Page, Value};
use econsched::grid_sim::{JobRecord, Part};
use econsched::workload_gen::convert::lowest_free;
use econsched_studies::Chart;

/// Points of the utilisation chart.
const BINS: usize = 300;

/// First submission and last end.
fn extent(run: &Run) -> (f64, f64) {
    let from = run.records.iter().map(|job| job.submit).min().map_or(0.0, Time::get);
    (from, run.report.last_end.map_or(from, Time::get))
}

/// Busy share of each site over time.
///
/// # Errors
/// [`CliError::Fault`] where the plotting library fails.
pub(super) fn utilisation(run: &Run, stations: &[Station], shown: Extent) -> Result<String, CliError> {
    let (begin, end) = extent(run);
    let (from, to) = shown.over(begin, end);
    let axis = TimeAxis::seconds_since(begin, to - from, "the first submission");
    let mut chart = Chart::new("Utilisation", axis.label.clone(), "busy CPUs, %").with_markers(false);
    for (site, (name, cpus)) in sites(stations) {
        let held = run.records.iter().flat_map(|job| {
            let start = job.start.map(Time::get);
            let parts = job.into_owned().parts.into_iter().filter(move |part| part.site == site);
            parts.filter_map(move |part| Some((start?, part.end.get(), part.cpus)))
        });
        // What lies beyond the ends of the chart must not fall into its first and last bin.
        let held = held.filter(|(start, end, _)| *end > from && *start < to);
        let shares = busy_shares(held, from, to, cpus);
        let mean = 100.0 * shares.iter().sum::<f64>() / BINS as f64;
        let middle = |bin: usize| axis.mark(from + (bin as f64 + 0.5) * (to - from) / BINS as f64);
        let points = shares.iter().enumerate().map(|(bin, share)| (middle(bin), 100.0 * share));
        chart = chart.with_series(format!("{name}, {mean:.0}% in the mean"), points);
    }
    charts::svg(&chart)
}

/// Sites with their names and CPUs.
fn sites(stations: &[Station]) -> BTreeMap<SiteId, (String, u64)> {
    let mut sites: BTreeMap<SiteId, (String, u64)> = BTreeMap::new();
    for station in stations {
        let site = sites.entry(station.site).or_insert_with(|| (station.name.clone(), 0));
        site.1 += u64::from(station.machine.cpus());
    }
    sites
}

/// Mean busy share of `cpus` in each of the equal bins of `[from, to)`.
fn busy_shares(held: impl Iterator<Item = (f64, f64, u32)>, from: f64, to: f64, cpus: u64) -> Vec<f64> {
    let width = (to - from) / BINS as f64;
    let mut busy = vec![0.0; BINS];
    if width <= 0.0 {
        return busy;
    }
    for (start, end, count) in held {
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
        let sites = sites(&self.stations);
        let all: u64 = sites.values().map(|(_, cpus)| cpus).sum();
        let cpus_of_lane = all.div_ceil(MOST_LANES).max(1);
        let drawn = Drawn::of(run, most, shown);
        let (from, to) = drawn.extent();
        let (mut lanes, mut bars) = (Vec::new(), Vec::new());
        let (mut jobs, mut rows, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for (&site, (name, cpus)) in &sites {
            let base = lanes.len();
            // A label for each site, not for each CPU.
            let label = |lane: u64| {
                if lane == 0 { format!("{name}, {}", counted(*cpus, "CPU")) } else { String::new() }
            };
            lanes.extend(
                (0..cpus.div_ceil(cpus_of_lane)).map(|lane| Lane { label: label(lane), price: None }),
            );
            groups.push(Group { name: name.clone(), first: base, lanes: lanes.len() - base });
            let parts = drawn.started.iter().map(|started| (started, drawn.part(started)));
            let parts: Vec<(&Started, Part)> = parts.filter(|(_, part)| part.site == site).collect();
            let held: Vec<_> =
                parts.iter().map(|(started, part)| (started.0, part.end.get(), part.cpus)).collect();
            let held = lowest_free(&held, u32::try_from(*cpus).unwrap_or(u32::MAX));
            for ((started, part), ranges) in
                parts.into_iter().zip(held).filter(|((one, _), _)| drawn.shows(one))
            {
                let row = started.1 as usize;
                let (start, end, record) = (started.0, part.end.get(), run.records.at(row));
                let held = counted(part.cpus, "CPU");
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
        let (count, total) = (jobs.len(), counted(drawn.total, "placement"));
        let chart = Gantt {
            title: format!("{} · {}", self.scheduler, counted(all, "CPU")),
            subtitle: format!("{count} of {total}, {since}; seed {}{scale}", run.seed),
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
        let sites = sites(&self.stations);
        let column = |name, kind, value: &dyn Fn(&JobRecord) -> Value| {
            let values = run.records.iter().map(|job| value(&job)).collect();
            Column { name, kind, values }
        };
        let site = |job: &JobRecord| {
            let names =
                job.parts.iter().filter_map(|part| sites.get(&part.site)).map(|(name, _)| name.as_str());
            Value::Text(names.collect::<Vec<_>>().join(", "))
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

/// A part of a job that started: when, the job's place, and the place among its parts.
type Started = (f64, u32, u32);

/// The parts that the chart goes through, by start.
struct Drawn<'a> {
    run: &'a Run,
    started: Vec<Started>,
    shown: Extent,
    /// All parts, drawn or not.
    total: usize,
    /// Whether parts are left out that would be shown.
    cut: bool,
}

impl<'a> Drawn<'a> {
    /// The first `most` parts that are shown, and all parts before the last of them: which CPUs a job gets
    /// depends on all parts before it, shown or not.
    fn of(run: &'a Run, most: usize, shown: Extent) -> Self {
        let mut started: Vec<Started> = Vec::new();
        for (job, at) in run.records.iter().zip(0..) {
            let start = job.start.map(Time::get).into_iter();
            started.extend(
                start.flat_map(|start| (0..).zip(&job.parts).map(move |(part, _)| (start, at, part))),
            );
        }
        let id = |at: u32| run.records.id(at as usize);
        started.sort_unstable_by(|a, b| {
            a.0.total_cmp(&b.0).then_with(|| id(a.1).cmp(&id(b.1))).then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
        });
        let total = started.len();
        let mut drawn = Self { run, started, shown, total, cut: false };
        let mut left = most;
        let last = drawn.started.iter().position(|started| {
            left -= usize::from(left > 0 && drawn.shows(started));
            left == 0
        });
        drawn.cut =
            last.is_some_and(|last| drawn.started[last + 1..].iter().any(|started| drawn.shows(started)));
        drawn.started.truncate(if most == 0 { 0 } else { last.map_or(total, |last| last + 1) });
        drawn
    }

    fn part(&self, &(_, at, part): &Started) -> Part {
        self.run.records.at(at as usize).parts[part as usize]
    }

    fn shows(&self, started: &Started) -> bool {
        self.shown.shows(started.0, self.part(started).end.get())
    }

    /// The first and the last instant of the chart.
    fn extent(&self) -> (f64, f64) {
        let drawn = || self.started.iter().filter(|started| self.shows(started));
        let from = drawn().next().map_or(0.0, |first| first.0);
        let last_start = drawn().next_back().map_or(from, |last| last.0);
        let last_end = drawn().map(|started| self.part(started).end.get()).fold(from, f64::max);
        // Where jobs are left out, what follows the last start would look idle and is not.
        let to = if self.cut { last_start.max(from + 1.0) } else { last_end };
        self.shown.over(from, to)
    }
}
