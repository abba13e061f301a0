//! `econsched group`: many small jobs to few dispatches.

use super::prelude::*;
use crate::draw::page::Value;
use econsched::grid_heuristics::{
    DispatchOutcome, Dispatching, Group, GroupResource, Grouping, HeuristicError, JobGrouping, JobOrder,
    ResourceOrder, ServiceRule, SmallJob, Totals, dispatch,
};
use econsched::sched_model::{Bandwidth, DataSize, Price, Speed, Work};

flags! {
    /// Group small jobs, so that one dispatch sends several of them
    #[command(after_long_help = include_str!("../help/group.txt"), allow_negative_numbers = true)]
    pub(crate) struct GroupArgs {
        /// Jobs and resources (JSON), plain or gzip; `-` is standard input
        operand input: PathBuf as "FILE",
        /// Maximum processing time of a group on its resource
        granularity: Span as "SECONDS" = "10" => span,
        /// Order in which jobs are grouped: as they arrive, or greatest cost first
        job_order: JobOrder as "NAME" = "arrival" => names::<JobOrder>(),
        /// Order in which resources are filled: as given, least price per second first, or least price per unit
        /// of work first
        resource_order: ResourceOrder as "NAME" = "given" => names::<ResourceOrder>(),
        /// Maximum number of jobs in a group
        max_jobs: Option<usize> as "COUNT" => count::<usize>(1, MOST),
        /// Maximum number of rounds; each round fills every resource once. Jobs left after the last round are
        /// refused
        max_rounds: Option<usize> as "COUNT" => count::<usize>(1, MOST),
        /// Time that each dispatch takes in addition to transfer and processing
        overhead: Span as "SECONDS" = "0" => span,
        /// Processing times: exact, or in whole seconds as GridSim counts them
        service: ServiceRule as "NAME" = "exact" => names::<ServiceRule>(),
        /// One dispatch after another, or all resources at once
        dispatching: Dispatching as "NAME" = "sequential" => names::<Dispatching>(),
        [flatten] pub(crate) destination: Destination,
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    jobs: Vec<RawJob>,
    resources: Vec<RawResource>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawJob {
    id: Option<JobId>,
    work: Work,
    input: Option<DataSize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawResource {
    name: Option<String>,
    speed: Speed,
    cpus: Option<u32>,
    price: Price,
    bandwidth: Option<Bandwidth>,
}

/// Jobs, resources and the names of the resources.
struct Input {
    jobs: Vec<SmallJob>,
    resources: Vec<GroupResource>,
    names: Vec<String>,
}

impl Input {
    fn read(path: &Path) -> Result<Self, CliError> {
        let raw: RawFile = files::parse_json(&files::read(path)?, path)?;
        let job = |(place, job): (u64, RawJob)| SmallJob {
            id: job.id.unwrap_or(JobId(place)),
            work: job.work,
            input: job.input.unwrap_or(DataSize::ZERO),
        };
        let jobs: Vec<SmallJob> = (1..).zip(raw.jobs).map(job).collect();
        let mut seen = BTreeSet::new();
        if let Some(twin) = jobs.iter().find(|job| !seen.insert(job.id)) {
            return Err(CliError::field(path, "jobs", format!("two jobs have the id {}", twin.id)));
        }
        let (mut resources, mut names) = (Vec::new(), Vec::new());
        for (place, resource) in raw.resources.into_iter().enumerate() {
            let speed = Speed::new(resource.speed.get() * f64::from(resource.cpus.unwrap_or(1)));
            let speed =
                speed.map_err(|error| CliError::field(path, format!("resources[{place}].cpus"), error))?;
            let (price, bandwidth) = (resource.price, resource.bandwidth);
            resources.push(GroupResource { speed, price, bandwidth });
            names.push(resource.name.unwrap_or_else(|| format!("R{}", place + 1)));
        }
        Ok(Self { jobs, resources, names })
    }
}

/// A group as it is written.
#[derive(Debug, Serialize)]
struct GroupEntry {
    resource: String,
    round: usize,
    jobs: Vec<JobId>,
    length: f64,
    input: f64,
    start: f64,
    end: f64,
    cost: f64,
}

#[derive(Debug, Serialize)]
struct GroupFile {
    groups: Vec<GroupEntry>,
    refused: Vec<RefusedEntry>,
    grouped: Totals,
    /// The same jobs on the same resources, each dispatched alone.
    alone: Totals,
    /// When the last group is back.
    makespan: f64,
}

#[derive(Debug, Serialize)]
struct RefusedEntry {
    job: JobId,
    reason: String,
}

/// A column of the table of groups: its name, and the value of a group of this number.
type GroupColumn = (&'static str, fn(u64, &GroupEntry) -> Value);

const COLUMNS: [GroupColumn; 9] = [
    ("group", |at, _| Value::Count(at)),
    ("resource", |_, group| Value::Text(group.resource.clone())),
    ("round", |_, group| Value::Count(group.round as u64)),
    ("jobs", |_, group| Value::Count(group.jobs.len() as u64)),
    ("length", |_, group| Value::Number(group.length)),
    ("input", |_, group| Value::Number(group.input)),
    ("start", |_, group| Value::Number(group.start)),
    ("end", |_, group| Value::Number(group.end)),
    ("cost", |_, group| Value::Number(group.cost)),
];

impl GroupFile {
    /// The headings and the rows of the groups, without this column.
    fn cells(&self, without: &str, show: fn(&Value) -> String) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let columns = || COLUMNS.iter().filter(|(name, _)| *name != without);
        let row = |(at, group)| columns().map(|(_, value)| show(&value(at, group))).collect();
        (columns().map(|(name, _)| *name).collect(), (1..).zip(&self.groups).map(row).collect())
    }

    fn new(input: &Input, grouping: &Grouping, outcome: &DispatchOutcome, alone: Totals) -> Self {
        let entry = |(group, (start, end)): (&Group, &(Time, Time))| GroupEntry {
            resource: input.names[group.resource].clone(),
            round: group.round,
            jobs: grouping.jobs_of(group).iter().map(|&job| input.jobs[job as usize].id).collect(),
            length: group.length.get(),
            input: group.input.get(),
            start: start.get(),
            end: end.get(),
            cost: group.cost.get(),
        };
        let refused = grouping.refused();
        let refused =
            refused.map(|(job, reason)| RefusedEntry { job: input.jobs[job].id, reason: reason.to_string() });
        Self {
            groups: grouping.groups.iter().zip(&outcome.groups).map(entry).collect(),
            refused: refused.collect(),
            grouped: grouping.totals(),
            alone,
            makespan: outcome.makespan.get(),
        }
    }

    fn text(&self) -> String {
        let (headings, rows) = self.cells("input", Value::short);
        let table = Columns::with(&headings, rows);
        let sums = Columns::of(
            [("in groups", &self.grouped), ("alone", &self.alone)],
            &[
                ("dispatched", &|(how, _)| (*how).to_owned()),
                ("dispatches", &|(_, totals)| totals.dispatches.to_string()),
                ("time", &|(_, totals)| number(totals.time.get())),
                ("cost", &|(_, totals)| number(totals.cost.get())),
            ],
        );
        let refused =
            self.refused.iter().map(|entry| format!("job {} is refused: {}\n", entry.job, entry.reason));
        let refused: String = refused.collect();
        let groups = counted(self.groups.len(), "group");
        let end = number(self.makespan);
        format!("{}\n{}\n{groups}, the last one done at {end}\n{refused}", table.render(), sums.render())
    }
}

impl Command for GroupArgs {
    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        let input = Input::read(&self.input)?;
        let grouping = JobGrouping::new(self.granularity)
            .with_overhead(self.overhead)
            .with_job_order(self.job_order)
            .with_resource_order(self.resource_order)
            .with_service(self.service);
        let grouping = self.max_jobs.into_iter().fold(grouping, JobGrouping::with_max_jobs);
        let grouping = self.max_rounds.into_iter().fold(grouping, JobGrouping::with_max_rounds);
        let wrong = |error: HeuristicError| CliError::input(self.input.as_path(), error);
        let grouped = grouping.group(&input.jobs, &input.resources).map_err(wrong)?;
        let outcome = dispatch(&grouped, input.jobs.len(), input.resources.len(), self.dispatching)
            .map_err(CliError::fault)?;
        let alone = grouping.separately(&grouped, &input.jobs, &input.resources);
        let file = GroupFile::new(&input, &grouped, &outcome, alone);
        let (headings, rows) = file.cells("", Value::to_string);
        let jobs = (1_u64..).zip(&file.groups).flat_map(|(at, group)| {
            group.jobs.iter().map(move |job| [job.to_string(), at.to_string(), group.end.to_string()])
        });
        Ok(Report::new(file.text(), &file)?
            .with_json("group.json")
            .with_file("groups.csv", files::csv(&headings, rows)?)
            .with_file("jobs.csv", files::csv(&["job", "group", "end"], jobs)?))
    }
}
