//! `econsched group`: many small jobs to few dispatches.

use super::prelude::*;
use crate::draw::page::Value;
use econsched::grid_heuristics::{
    DispatchOutcome, Dispatching, Group, Grouping, HeuristicError, JobGrouping, JobOrder, ResourceOrder,
    ServiceRule, Totals, dispatch,
};
use econsched::sched_model::{Bandwidth, DataSize, MachineId};

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
    jobs: Vec<Job>,
    resources: Vec<Machine>,
    names: Vec<String>,
}

impl Input {
    fn read(path: &Path) -> Result<Self, CliError> {
        let raw: RawFile = files::parse_json(&files::read(path)?, path)?;
        let job = |(place, job): (u64, RawJob)| {
            let wrong = |error| CliError::field(path, format!("jobs[{}].work", place - 1), error);
            let request = ResourceRequest::new(1, job.work).map_err(wrong)?;
            let request = request.with_input(job.input.unwrap_or(DataSize::ZERO));
            Ok(Job::new(job.id.unwrap_or(JobId(place)), request))
        };
        let jobs = (1..).zip(raw.jobs).map(job).collect::<Result<Vec<Job>, CliError>>()?;
        let mut seen = BTreeSet::new();
        if let Some(twin) = jobs.iter().find(|job| !seen.insert(job.id)) {
            return Err(CliError::field(path, "jobs", format!("two jobs have the id {}", twin.id)));
        }
        let (mut resources, mut names) = (Vec::new(), Vec::new());
        for (place, resource) in (0_u32..).zip(raw.resources) {
            let wrong = |error| CliError::field(path, format!("resources[{place}].cpus"), error);
            let speed = Speed::new(resource.speed.get() * f64::from(resource.cpus.unwrap_or(1)));
            // The price is that of all CPUs, which count as one.
            let machine = speed.and_then(|speed| Machine::new(MachineId(place), 1, speed, resource.price));
            let mut machine = machine.map_err(wrong)?;
            machine.bandwidth = resource.bandwidth;
            resources.push(machine);
            names.push(resource.name.unwrap_or_else(|| format!("R{}", place + 1)));
        }
        Ok(Self { jobs, resources, names })
    }
}

const COLUMNS: [&str; 9] = ["group", "resource", "round", "jobs", "length", "input", "start", "end", "cost"];

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
        let alone = grouping.separately(&grouped, &input.jobs, &input.resources).map_err(wrong)?;
        answer(&input, &grouped, &outcome, &alone)
    }
}

/// The groups, the refused jobs, and the totals beside those of the same jobs each dispatched alone.
fn answer(
    input: &Input,
    grouping: &Grouping,
    outcome: &DispatchOutcome,
    alone: &Totals,
) -> Result<Report, CliError> {
    let id = |&job: &u32| input.jobs[job as usize].id;
    let members = |group| grouping.jobs_of(group).iter().map(id).collect::<Vec<JobId>>();
    let groups = || (1_u64..).zip(&grouping.groups).zip(&outcome.groups);
    let row = |((at, group), (start, end)): ((u64, &Group), &(Time, Time))| {
        let name = Value::Text(input.names[group.resource].clone());
        let [round, jobs] =
            [group.round, grouping.jobs_of(group).len()].map(|count| Value::Count(count as u64));
        let numbers = [group.length.get(), group.input.get(), start.get(), end.get(), group.cost.get()];
        let [length, input, start, end, cost] = numbers.map(Value::Number);
        [Value::Count(at), name, round, jobs, length, input, start, end, cost]
    };
    let rows: Vec<[Value; 9]> = groups().map(row).collect();
    // On the terminal without the input.
    let table = Columns::with(
        &["group", "resource", "round", "jobs", "length", "start", "end", "cost"],
        rows.iter()
            .map(|[head @ .., _, start, end, cost]| head.iter().chain([start, end, cost]).map(Value::short)),
    );
    let totals = grouping.totals();
    let sums = Columns::of(
        [("in groups", &totals), ("alone", alone)],
        &[
            ("dispatched", &|(how, _)| (*how).to_owned()),
            ("dispatches", &|(_, totals)| totals.dispatches.to_string()),
            ("time", &|(_, totals)| number(totals.time.get())),
            ("cost", &|(_, totals)| number(totals.cost.get())),
        ],
    );
    let refused = grouping.refused().map(|(job, reason)| (input.jobs[job].id, reason.to_string()));
    let refused: Vec<(JobId, String)> = refused.collect();
    let told = refused.iter().map(|(job, reason)| format!("job {job} is refused: {reason}\n"));
    let told: String = told.collect();
    let (count, end) = (counted(rows.len(), "group"), number(outcome.makespan.get()));
    let text = format!("{}\n{}\n{count}, the last one done at {end}\n{told}", table.render(), sums.render());
    let written = rows.iter().zip(&grouping.groups).map(|(row, group)| {
        let [_, resource, round, _, length, input, start, end, cost] = row;
        object! {
            resource: resource,
            round: round,
            jobs: members(group),
            length: length,
            input: input,
            start: start,
            end: end,
            cost: cost,
        }
    });
    let json = object! {
        groups: written.collect::<Vec<_>>(),
        refused: refused.iter().map(|(job, reason)| object! { job: job, reason: reason }).collect::<Vec<_>>(),
        grouped: totals,
        alone: alone,
        makespan: outcome.makespan.get(),
    };
    let jobs = groups().flat_map(|((at, group), (_, end))| {
        members(group).into_iter().map(move |job| [job.to_string(), at.to_string(), end.get().to_string()])
    });
    let rows = rows.iter().map(|row| row.each_ref().map(Value::to_string));
    Ok(Report::new(text, &json)?
        .with_json("group.json")
        .with_file("groups.csv", files::csv(&COLUMNS, rows)?)
        .with_file("jobs.csv", files::csv(&["job", "group", "end"], jobs)?))
}
