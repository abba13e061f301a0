//! The records of a run, their tables and CSV. Those of a queue are kept in a compact form, since a log may have 10^7
//! jobs.

use super::{Run, Runs};
use crate::commands::prelude::*;
pub(super) use crate::draw::page::Kind;
use crate::draw::page::all_digits;
use econsched::grid_sim::{
    Ending, JobRecord, LocalJob, Part, Report, ReportBuilder, SiteInfo, SiteReport,
    internal::default_threshold,
};
use econsched_studies::multi_s_grid::Site;
use econsched_studies::stats::Moments;
use serde_json::Value;
use std::borrow::Cow;
use std::io;

/// A figure of a run: its name, whether it is a number or a span in seconds, and its value.
pub(super) type Figure = (String, Kind, f64);

/// Returns the figures of a run.
fn figures(run: &Run) -> impl Iterator<Item = Figure> {
    let report = &run.report;
    let fixed = [
        ("jobs", Kind::Number, report.jobs as f64),
        ("makespan", Kind::Span, report.makespan.get()),
        ("utilisation", Kind::Number, report.utilisation),
        ("CPU time", Kind::Span, report.cpu_time.get()),
        ("mean wait", Kind::Span, report.wait.mean),
        ("median wait", Kind::Span, report.wait.median),
        ("95% of waits below", Kind::Span, report.wait.p95),
        ("mean response", Kind::Span, report.response.mean),
        ("mean bounded slowdown", Kind::Number, report.bounded_slowdown.mean),
        ("cost", Kind::Number, report.cost.get()),
        ("mean cost of a job", Kind::Number, report.mean_cost),
    ];
    let fixed = fixed.map(|(name, kind, value)| (name.to_owned(), kind, value));
    let endings = report.endings.iter();
    let endings = endings.map(|(ending, count)| (format!("jobs {ending}"), Kind::Number, *count as f64));
    fixed.into_iter().chain(endings).chain(run.more.iter().cloned())
}

/// Returns the figures of a run by their names.
pub(super) fn by_name(run: &Run) -> impl Iterator<Item = (String, f64)> {
    figures(run).map(|(name, _, value)| (name, value))
}

impl Runs {
    /// Returns the output of `--json`.
    pub(super) fn json(&self) -> impl Serialize {
        let runs = self.runs.iter().map(|run| {
            let figures = by_name(run).collect::<BTreeMap<_, _>>();
            object! { seed: run.seed, events: run.events, figures: figures, report: &run.report }
        });
        object! { scheduler: &self.scheduler, notes: &self.notes, runs: runs.collect::<Vec<_>>() }
    }

    /// Renders the text for the terminal.
    pub(super) fn text(&self) -> String {
        let Some(first) = self.runs.first() else { return String::new() };
        let (machines, seeds) = (counted(first.machines, "machine"), counted(self.runs.len(), "seed"));
        let cpus = counted(first.cpus(), "CPU");
        let mut text = format!("{} on {machines} of {cpus}, {seeds}\n\n", self.scheduler);
        let mut values: Vec<(String, Kind, Moments)> = Vec::new();
        for (name, kind, value) in self.runs.iter().flat_map(figures) {
            let at = values.iter().position(|(known, ..)| *known == name).unwrap_or(values.len());
            if at == values.len() {
                values.push((name, kind, Moments::default()));
            }
            values[at].2.push(value);
        }
        let several = self.runs.len() > 1;
        let rows = values.into_iter().map(|(name, kind, moments)| {
            let estimate = moments.estimate();
            let shown = if kind == Kind::Span { span_text } else { number };
            let interval = several.then(|| shown(estimate.half));
            [name, shown(estimate.mean)].into_iter().chain(interval)
        });
        let headings: &[&str] = if several { &["figure", "mean", "95% +-"] } else { &["figure", "value"] };
        text.push_str(&Columns::with(headings, rows).render());
        let columns: [TextColumn<'_, SiteReport>; 6] = [
            ("site", &|of| of.site.name.clone()),
            ("CPUs", &|of| of.site.cpus.to_string()),
            ("jobs", &|of| of.jobs.to_string()),
            ("CPU time", &|of| span_text(of.cpu_time.get())),
            ("utilisation", &|of| number(of.utilisation)),
            ("earned", &|of| number(of.earned.get())),
        ];
        let table = Columns::of(&first.report.sites, &columns);
        let _ = write!(text, "\n{}", table.render());
        let events = counted(first.events, "event");
        let _ = writeln!(text, "\n{events} served; sites and charts of seed {}", first.seed);
        text + &terminal::notes(&self.notes)
    }
}

/// A column of the table of jobs: its name, its kind, and a function from a job to its value.
type JobColumn = (&'static str, Kind, fn(&JobRecord) -> Value);

/// The numeric columns of the table of jobs.
pub(super) const JOB_COLUMNS: [JobColumn; 11] = [
    ("job", Kind::Number, |job| job.id.0.into()),
    ("user", Kind::Number, |job| job.user.0.into()),
    ("cpus", Kind::Number, |job| job.cpus.into()),
    ("submit", Kind::Time, |job| job.submit.get().into()),
    ("requested", Kind::Span, |job| job.requested.get().into()),
    ("start", Kind::Time, |job| job.start.map(Time::get).into()),
    ("end", Kind::Time, |job| job.end().map(Time::get).into()),
    ("wait", Kind::Span, |job| job.wait().map(Span::get).into()),
    ("response", Kind::Span, |job| job.response().map(Span::get).into()),
    ("bounded_slowdown", Kind::Number, |job| job.bounded_slowdown(default_threshold()).into()),
    ("cost", Kind::Number, |job| job.cost().get().into()),
];

/// Writes one row for each job of each seed.
pub(super) fn write_jobs(out: &mut dyn io::Write, runs: &[Run]) -> io::Result<()> {
    let row = |seed: u64, job: &JobRecord| {
        let sites: Vec<String> = job.parts.iter().map(|part| part.site.to_string()).collect();
        let numbers = JOB_COLUMNS.iter().map(|(.., value)| all_digits(&value(job)));
        [seed.to_string()]
            .into_iter()
            .chain(numbers)
            .chain([sites.join(" "), job.ending.to_string()])
            .collect()
    };
    let names = JOB_COLUMNS.iter().map(|(name, ..)| *name);
    let headings: Vec<&str> = ["seed"].into_iter().chain(names).chain(["sites", "ending"]).collect();
    let rows = runs.iter().flat_map(|run| run.records.iter().map(move |job| row(run.seed, &job)));
    files::write_csv(out, &headings, &mut rows.into_iter())
}

/// The only site of a queue.
pub(super) const SITE: SiteId = SiteId(0);

/// The records of the jobs of a run, in the order of the jobs.
pub(super) enum Records {
    /// Full records, as a broker's run returns them.
    List(Vec<JobRecord>),
    /// The jobs of a queue, and what became of them.
    Queue(Vec<LocalJob>, Outcomes),
}

impl Records {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::List(records) => records.len(),
            Self::Queue(jobs, _) => jobs.len(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Cow<'_, JobRecord>> {
        (0..self.len()).map(|at| match self {
            Self::List(records) => Cow::Borrowed(&records[at]),
            Self::Queue(jobs, outcomes) => Cow::Owned(outcomes.record(at, &jobs[at])),
        })
    }

    /// Returns the report of the queue of this site.
    pub(super) fn report(&self, site: &Site) -> Report {
        let mut figures = ReportBuilder::default();
        self.iter().for_each(|record| figures.add(&record));
        figures.build(&[SiteInfo { id: SITE, name: site.name.clone(), cpus: site.cpus() }])
    }
}

/// What became of the jobs of a queue, as far as the jobs themselves do not say.
pub(super) struct Outcomes {
    /// Start, end and cost of each job; NaN where there is none.
    list: Vec<[f64; 3]>,
    /// The endings of jobs that were neither done nor are still waiting, by index.
    endings: BTreeMap<usize, Ending>,
}

impl Outcomes {
    /// Creates outcomes for this number of jobs, of which nothing is known yet.
    pub(super) fn of(jobs: usize) -> Self {
        Self { list: vec![[f64::NAN; 3]; jobs], endings: BTreeMap::new() }
    }

    /// Stores the record of the job with index `at`, which held all its CPUs at the one site, or none.
    pub(super) fn keep(&mut self, at: usize, record: &JobRecord) {
        let part = record.parts.first();
        let times =
            [record.start.map(Time::get), part.map(|part| part.end.get()), part.map(|part| part.cost.get())];
        self.list[at] = times.map(|value| value.unwrap_or(f64::NAN));
        if !matches!(record.ending, Ending::Done | Ending::Waiting) {
            self.endings.insert(at, record.ending.clone());
        }
    }

    /// Restores the record of the job with index `at`.
    fn record(&self, at: usize, job: &LocalJob) -> JobRecord {
        let [start, end, cost] = self.list[at];
        let held = Time::try_from(end).ok().zip(Money::try_from(cost).ok());
        let ending = match self.endings.get(&at) {
            Some(ending) => ending.clone(),
            None if held.is_some() => Ending::Done,
            None => Ending::Waiting,
        };
        let part = held.map(|(end, cost)| Part { site: SITE, cpus: job.cpus, end, cost });
        let (start, parts) = (Time::try_from(start).ok(), part.into_iter().collect());
        JobRecord { start, parts, ending, ..JobRecord::from(job) }
    }
}
