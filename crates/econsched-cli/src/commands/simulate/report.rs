//! Tables and CSV of a simulation.

use super::{Run, Station};
use crate::error::CliError;
use crate::output::files;
use crate::output::terminal::{Columns, Times, counted, number};
use econsched::grid_sim::{Ending, JobRecord, default_threshold};
use econsched::workload_gen::convert::{RanJob, write_jobs_csv};
use econsched_studies::stats::Moments;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

/// Figures that are spans of seconds.
const SPANS: [&str; 9] = [
    "makespan",
    "lower bound of the makespan",
    "CPU time",
    "mean wait",
    "median wait",
    "95% of waits below",
    "mean response",
    "mean transfer and processing time",
    "CPU time of lost jobs",
];

/// The jobs that ran, in the format that Batsim writes and Evalys draws; `None` if there are several
/// machines.
///
/// # Errors
/// [`CliError::Fault`] if more CPUs are held at once than there are.
pub(super) fn evalys(run: &Run, stations: &[Station]) -> Result<Option<String>, CliError> {
    let [station] = stations else { return Ok(None) };
    let jobs = run.records.iter().filter_map(|record| {
        Some(RanJob {
            job: record.id.0,
            submit: record.submit.get(),
            start: record.start?.get(),
            end: record.end()?.get(),
            requested_time: Some(record.requested.get()),
            processors: record.cpus,
            success: record.ending == Ending::Done,
        })
    });
    write_jobs_csv(&jobs.collect::<Vec<_>>(), station.machine.cpus()).map(Some).map_err(CliError::fault)
}

/// The output of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct RunsFile<'a> {
    scheduler: &'a str,
    notes: &'a [String],
    runs: Vec<RunEntry<'a>>,
}

#[derive(Debug, Serialize)]
struct RunEntry<'a> {
    seed: u64,
    events: u64,
    figures: BTreeMap<String, f64>,
    report: &'a econsched::grid_sim::Report,
}

/// A run in `report.json`.
#[derive(Debug, Serialize)]
pub(super) struct ReportEntry<'a> {
    #[serde(flatten)]
    report: &'a econsched::grid_sim::Report,
    /// What ended it before its jobs had ended, if anything did.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
}

impl<'a> ReportEntry<'a> {
    pub(super) fn of(run: &'a Run) -> Self {
        Self { report: &run.report, stopped: run.note() }
    }
}

impl<'a> RunsFile<'a> {
    pub(super) fn new(scheduler: &'a str, runs: &'a [Run], notes: &'a [String]) -> Self {
        let entry = |run: &'a Run| RunEntry {
            seed: run.seed,
            events: run.events,
            figures: figures(run).into_iter().collect(),
            report: &run.report,
        };
        Self { scheduler, notes, runs: runs.iter().map(entry).collect() }
    }
}

/// Figures of a run by name.
pub(super) fn figures(run: &Run) -> Vec<(String, f64)> {
    let report = &run.report;
    let fixed = [
        ("jobs", report.jobs as f64),
        ("makespan", report.makespan.get()),
        ("utilisation", report.utilisation),
        ("CPU time", report.cpu_time.get()),
        ("mean wait", report.wait.mean),
        ("median wait", report.wait.median),
        ("95% of waits below", report.wait.p95),
        ("mean response", report.response.mean),
        ("mean bounded slowdown", report.bounded_slowdown.mean),
        ("cost", report.cost.get()),
        ("mean cost of a job", report.mean_cost),
    ];
    let endings = report.endings.iter().map(|(ending, count)| (format!("jobs {ending}"), *count as f64));
    fixed
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .chain(endings)
        .chain(run.more.iter().cloned())
        .collect()
}

/// The text for the terminal.
pub(super) fn text(
    scheduler: &str,
    runs: &[Run],
    stations: &[Station],
    notes: &[String],
    times: Times,
) -> String {
    let cpus: u64 = stations.iter().map(|station| u64::from(station.machine.cpus())).sum();
    let cpus = counted(cpus, "CPU");
    let (machines, seeds) = (counted(stations.len(), "machine"), counted(runs.len(), "seed"));
    let mut text = format!("{scheduler} on {machines} of {cpus}, {seeds}\n\n");
    let mut values: Vec<(String, Moments)> = Vec::new();
    for (name, value) in runs.iter().flat_map(figures) {
        let at = values.iter().position(|(known, _)| *known == name).unwrap_or(values.len());
        if at == values.len() {
            values.push((name, Moments::default()));
        }
        values[at].1.push(value);
    }
    let several = runs.len() > 1;
    let mut table = Columns::new(if several { &["figure", "mean", "95% +-"] } else { &["figure", "value"] });
    for (name, moments) in values {
        let estimate = moments.estimate();
        let times = if SPANS.contains(&name.as_str()) { times } else { Times::Plain };
        let interval = several.then(|| times.show(estimate.half));
        table.row([name, times.show(estimate.mean)].into_iter().chain(interval));
    }
    text.push_str(&table.render());
    if let Some(run) = runs.first() {
        let table = Columns::of(
            &run.report.sites,
            &[
                ("site", &|site| site.site.name.clone()),
                ("CPUs", &|site| site.site.cpus.to_string()),
                ("jobs", &|site| site.jobs.to_string()),
                ("CPU time", &|site| times.show(site.cpu_time.get())),
                ("utilisation", &|site| number(site.utilisation)),
                ("earned", &|site| number(site.earned.get())),
            ],
        );
        let _ = write!(text, "\n{}", table.render());
        let events = counted(run.events, "event");
        let _ = writeln!(text, "\n{events} served; sites and charts of seed {}", run.seed);
    }
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

fn show<T: Into<f64>>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.into().to_string())
}

/// One row for each job of each seed.
pub(super) fn write_jobs(out: &mut dyn io::Write, runs: &[Run]) -> io::Result<()> {
    let sites =
        |job: &JobRecord| job.parts.iter().map(|part| part.site.to_string()).collect::<Vec<_>>().join(" ");
    files::write_table(
        out,
        runs.iter().flat_map(|run| run.records.iter().map(|job| (run.seed, job))),
        &[
            ("seed", &|(seed, _)| seed.to_string()),
            ("job", &|(_, job)| job.id.to_string()),
            ("user", &|(_, job)| job.user.to_string()),
            ("cpus", &|(_, job)| job.cpus.to_string()),
            ("submit", &|(_, job)| job.submit.to_string()),
            ("requested", &|(_, job)| job.requested.to_string()),
            ("start", &|(_, job)| show(job.start)),
            ("end", &|(_, job)| show(job.end())),
            ("wait", &|(_, job)| show(job.wait())),
            ("response", &|(_, job)| show(job.response())),
            ("bounded_slowdown", &|(_, job)| show(job.bounded_slowdown(default_threshold()))),
            ("cost", &|(_, job)| job.cost().to_string()),
            ("sites", &|(_, job)| sites(job)),
            ("ending", &|(_, job)| job.ending.to_string()),
        ],
    )
}

/// One row for each user of each seed.
pub(super) fn users_csv(runs: &[Run]) -> Result<String, CliError> {
    files::table(
        runs.iter().flat_map(|run| run.report.users.iter().map(|user| (run.seed, user))),
        &[
            ("seed", &|(seed, _)| seed.to_string()),
            ("user", &|(_, user)| user.user.to_string()),
            ("jobs", &|(_, user)| user.jobs.to_string()),
            ("done", &|(_, user)| user.done.to_string()),
            ("paid", &|(_, user)| user.paid.to_string()),
            ("cpu_time", &|(_, user)| user.cpu_time.to_string()),
            ("mean_wait", &|(_, user)| user.wait.mean.to_string()),
            ("mean_response", &|(_, user)| user.response.mean.to_string()),
            ("mean_bounded_slowdown", &|(_, user)| user.bounded_slowdown.mean.to_string()),
        ],
    )
}
