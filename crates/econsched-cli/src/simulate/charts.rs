//! Charts of a simulation: utilisation, Gantt chart, and the page with everything.

use super::{Run, Station};
use crate::error::CliError;
use crate::gantt::{Bar, Extent, Gantt, Holder, Lane, TimeAxis};
use crate::page::{Group, Kind, Page, Value};
use crate::panels;
use crate::terminal::{Times, counted};
use econsched::grid_sim::{JobRecord, Part};
use econsched::sched_model::{SiteId, Time};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// Points of the utilisation chart.
const BINS: usize = 300;

/// First submission and last end.
fn extent(run: &Run) -> (f64, f64) {
    let from = run.records.iter().map(|job| job.submit).min().map_or(0.0, Time::get);
    (from, run.report.last_end.map_or(from, Time::get))
}

/// Busy share of each site over time, one row for each.
pub(super) fn utilisation(run: &Run, stations: &[Station], shown: Extent) -> String {
    let (begin, end) = extent(run);
    let (from, to) = shown.over(begin, end);
    let axis = TimeAxis::seconds_since(begin, to - from, "the first submission");
    let rows = sites(stations).into_iter().map(|(site, (name, cpus))| {
        let held = run.records.iter().flat_map(|job| {
            let start = job.start.map(Time::get);
            let parts = job.into_owned().parts.into_iter().filter(move |part| part.site == site);
            parts.filter_map(move |part| Some((start?, part.end.get(), part.cpus)))
        });
        // What lies beyond the ends of the chart must not fall into its first and last bin.
        let held = held.filter(|(start, end, _)| *end > from && *start < to);
        (name, busy_shares(held, from, to, cpus))
    });
    panels::shares("Utilisation", &axis, (from, to), &rows.collect::<Vec<_>>())
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

/// Free CPUs: ranges in ascending order that do not touch.
#[derive(Debug)]
struct FreeCpus(Vec<Range<u64>>);

impl FreeCpus {
    fn of(cpus: u64) -> Self {
        Self(std::iter::once(0..cpus).collect())
    }

    /// Takes the lowest `count` CPUs, or all where there are fewer.
    fn take(&mut self, mut count: u64) -> Vec<Range<u64>> {
        let mut taken = Vec::new();
        while let Some(lowest) = self.0.first_mut().filter(|_| count > 0) {
            let end = lowest.end.min(lowest.start.saturating_add(count));
            count -= end - lowest.start;
            taken.push(lowest.start..end);
            lowest.start = end;
            if lowest.is_empty() {
                self.0.remove(0);
            }
        }
        taken
    }

    fn give_back(&mut self, cpus: impl IntoIterator<Item = Range<u64>>) {
        self.0.extend(cpus);
        self.0.sort_by_key(|range| range.start);
        self.0.dedup_by(|next, range| {
            let touches = range.end == next.start;
            if touches {
                range.end = next.end;
            }
            touches
        });
    }
}

/// The first jobs that started, CPU by CPU. Which CPUs of a site a job held is not simulated: each takes the
/// lowest that are free.
pub(super) fn gantt(scheduler: &str, run: &Run, stations: &[Station], most: usize, shown: Extent) -> Gantt {
    let sites = sites(stations);
    let all: u64 = sites.values().map(|(_, cpus)| cpus).sum();
    let mut rows = Rows::of(&sites, all.div_ceil(MOST_LANES).max(1));
    let drawn = Drawn::of(run, most, shown);
    let (from, to) = drawn.extent();
    for started in &drawn.started {
        let (job, part) = drawn.part(started);
        rows.draw(&job, &part, drawn.shows(started));
    }
    let Rows { cpus_of_lane, lanes, bars, jobs, .. } = rows;
    let since = if shown.is_given() { "in the given time" } else { "from the first start on" };
    let scale = if cpus_of_lane > 1 { format!("; a row is {cpus_of_lane} CPUs") } else { String::new() };
    let (count, total) = (jobs.len(), counted(drawn.total, "placement"));
    Gantt {
        title: format!("{scheduler} · {}", counted(all, "CPU")),
        subtitle: format!("{count} of {total}, {since}; seed {}{scale}", run.seed),
        lanes,
        bars,
        jobs,
        load: String::new(),
        from,
        to,
        axis: TimeAxis::seconds_since(from, to - from, "the first start"),
        dense: true,
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
            let start = job.start.map(Time::get);
            started.extend(
                start
                    .into_iter()
                    .flat_map(|start| (0..).zip(&job.parts).map(move |(part, _)| (start, at, part))),
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

    fn part(&self, &(_, at, part): &Started) -> (Cow<'a, JobRecord>, Part) {
        let job = self.run.records.at(at as usize);
        let part = job.parts[part as usize];
        (job, part)
    }

    fn shows(&self, started: &Started) -> bool {
        self.shown.shows(started.0, self.part(started).1.end.get())
    }

    /// The first and the last instant of the chart.
    fn extent(&self) -> (f64, f64) {
        let drawn = || self.started.iter().filter(|started| self.shows(started));
        let from = drawn().next().map_or(0.0, |first| first.0);
        let last_start = drawn().next_back().map_or(from, |last| last.0);
        let last_end = drawn().map(|started| self.part(started).1.end.get()).fold(from, f64::max);
        // Where jobs are left out, what follows the last start would look idle and is not.
        let to = if self.cut { last_start.max(from + 1.0) } else { last_end };
        self.shown.over(from, to)
    }
}

/// The rows of the chart, and the holders of the CPUs at the start that was reached.
struct Rows {
    cpus_of_lane: u64,
    lanes: Vec<Lane>,
    first_lane: BTreeMap<SiteId, usize>,
    free: BTreeMap<SiteId, FreeCpus>,
    /// End, site and CPUs of each part that runs.
    running: Vec<(f64, SiteId, Vec<Range<u64>>)>,
    bars: Vec<Bar>,
    /// Those with bars.
    jobs: Vec<String>,
}

impl Rows {
    fn of(sites: &BTreeMap<SiteId, (String, u64)>, cpus_of_lane: u64) -> Self {
        let (mut first_lane, mut free) = (BTreeMap::new(), BTreeMap::new());
        let mut lanes = Vec::new();
        for (&site, (name, cpus)) in sites {
            first_lane.insert(site, lanes.len());
            free.insert(site, FreeCpus::of(*cpus));
            // A label for each site, not for each CPU.
            let label = |lane: u64| {
                if lane == 0 { format!("{name}, {}", counted(*cpus, "CPU")) } else { String::new() }
            };
            lanes.extend(
                (0..cpus.div_ceil(cpus_of_lane)).map(|lane| Lane { label: label(lane), price: None }),
            );
        }
        let (running, bars, jobs) = (Vec::new(), Vec::new(), Vec::new());
        Self { cpus_of_lane, lanes, first_lane, free, running, bars, jobs }
    }

    /// Gives a part its CPUs; with a bar for each run of them if it is shown.
    fn draw(&mut self, job: &JobRecord, part: &Part, is_shown: bool) {
        let Some(start) = job.start.map(Time::get) else { return };
        self.give_back(start);
        let Some(free) = self.free.get_mut(&part.site) else { return };
        let held = free.take(u64::from(part.cpus));
        let end = part.end.get();
        if is_shown {
            let tip = format!(
                "job {} of user {}\n{} from {start} to {end}",
                job.id,
                job.user,
                counted(part.cpus, "CPU")
            );
            let holder = Holder::Job(self.jobs.len());
            self.jobs.push(job.id.to_string());
            let base = self.first_lane.get(&part.site).copied().unwrap_or(0);
            for range in &held {
                let (first, last) = (range.start / self.cpus_of_lane, range.end.div_ceil(self.cpus_of_lane));
                let (lane, lanes) = (base + first as usize, (last - first) as usize);
                self.bars.push(Bar { lane, lanes, start, end, holder, tip: tip.clone() });
            }
        }
        self.running.push((end, part.site, held));
    }

    /// Frees the CPUs of parts that have ended by then.
    fn give_back(&mut self, now: f64) {
        let free = &mut self.free;
        self.running.retain_mut(|(end, site, held)| {
            let ended = *end <= now;
            if ended && let Some(free) = free.get_mut(site) {
                free.give_back(held.drain(..));
            }
            !ended
        });
    }
}

/// Everything of a run on one page.
pub(super) fn page(
    scheduler: &str,
    run: &Run,
    stations: &[Station],
    notes: &[String],
    times: Times,
) -> Result<String, CliError> {
    let chart = gantt(scheduler, run, stations, usize::MAX, Extent::default());
    let row_of: BTreeMap<String, usize> =
        run.records.iter().enumerate().map(|(at, job)| (job.id.to_string(), at)).collect();
    let rows: Vec<usize> = chart.jobs.iter().filter_map(|id| row_of.get(id).copied()).collect();
    let sites = sites(stations);
    let all: u64 = sites.values().map(|(_, cpus)| cpus).sum();
    let cpus_of_lane = all.div_ceil(MOST_LANES).max(1);
    let mut first = 0;
    let groups = sites.values().map(|(name, cpus)| {
        let lanes = cpus.div_ceil(cpus_of_lane) as usize;
        first += lanes;
        Group { name: name.clone(), first: first - lanes, lanes }
    });
    let groups = groups.collect();
    let of =
        |value: &dyn Fn(&JobRecord) -> Value| run.records.iter().map(|job| value(&job)).collect::<Vec<_>>();
    let site = |job: &JobRecord| {
        let names = job.parts.iter().filter_map(|part| sites.get(&part.site)).map(|(name, _)| name.as_str());
        Value::Text(names.collect::<Vec<_>>().join(", "))
    };
    Page::of_gantt(&chart, &rows, times == Times::Read)
        .with_notes(notes)
        .with_groups(groups)
        .column("job", Kind::Number, of(&|job| Value::Number(job.id.0 as f64)))
        .column("user", Kind::Number, of(&|job| Value::Number(f64::from(job.user.0))))
        .column("cpus", Kind::Number, of(&|job| Value::Number(f64::from(job.cpus))))
        .column("submit", Kind::Time, of(&|job| Some(job.submit).into()))
        .column("requested", Kind::Span, of(&|job| Some(job.requested).into()))
        .column("start", Kind::Time, of(&|job| job.start.into()))
        .column("end", Kind::Time, of(&|job| job.end().into()))
        .column("wait", Kind::Span, of(&|job| job.wait().into()))
        .column("response", Kind::Span, of(&|job| job.response().into()))
        .column("cost", Kind::Number, of(&|job| Some(job.cost()).into()))
        .column("site", Kind::Text, of(&site))
        .column("state", Kind::Text, of(&|job| Value::Text(job.ending.to_string())))
        .html()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_the_time_held() {
        let held = [(0.0, 150.0, 2), (100.0, 300.0, 4)];
        let shares = busy_shares(held.into_iter(), 0.0, 300.0, 8);
        let sum: f64 = shares.iter().sum::<f64>() * (300.0 / BINS as f64) * 8.0;
        assert!((sum - (150.0 * 2.0 + 200.0 * 4.0)).abs() < 1e-6, "{sum}");
        assert!((shares[0] - 0.25).abs() < 1e-12 && (shares[120] - 0.75).abs() < 1e-12);
        assert_eq!(busy_shares(std::iter::empty(), 5.0, 5.0, 8).len(), BINS);
    }

    #[test]
    fn the_lowest_cpus_are_taken_and_come_back() {
        let bounds = |ranges: &[Range<u64>]| -> Vec<_> { ranges.iter().map(|r| (r.start, r.end)).collect() };
        let mut free = FreeCpus::of(8);
        let (first, second) = (free.take(3), free.take(2));
        assert_eq!((bounds(&first), bounds(&second)), (vec![(0, 3)], vec![(3, 5)]));
        free.give_back(first);
        assert_eq!(bounds(&free.take(5)), [(0, 3), (5, 7)]);
        free.give_back(second);
        free.give_back([5..7, 0..3]);
        assert_eq!(bounds(&free.0), [(0, 8)]);
        assert_eq!(bounds(&free.take(9)), [(0, 8)]);
        assert!(free.take(1).is_empty());
    }
}
