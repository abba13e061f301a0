//! `econsched group`: groups many small jobs into few dispatches.

use super::prelude::*;
use econsched::grid_heuristics::{
    Dispatching, HeuristicError, JobGrouping, JobOrder, ResourceOrder, ServiceRule,
};
use econsched::sched_model::{Bandwidth, DataSize, MachineId};

flags! {
    /// Group small jobs, so that one dispatch sends several of them
    #[command(after_long_help = include_str!("../help/group.txt"), allow_negative_numbers = true)]
    pub(crate) struct GroupArgs {
        /// Jobs and resources (JSON), plain or gzip; `-` is standard input
        operand input: PathBuf as "FILE",
        /// Maximum processing time of a group on its resource
        granularity: Span as "SECONDS" = "10" => quantity::<Span>,
        /// Order in which jobs are grouped: as they arrive, or largest cost first
        job_order: JobOrder as "NAME" = "arrival" => names::<JobOrder>(),
        /// Order in which resources are filled: as given, smallest price per second first, or smallest price per unit
        /// of work first
        resource_order: ResourceOrder as "NAME" = "given" => names::<ResourceOrder>(),
        /// Maximum number of jobs in a group
        max_jobs: Option<usize> as "COUNT" => count::<usize>(1, MOST),
        /// Maximum number of rounds; each round fills every resource once. Jobs left after the last round are
        /// refused
        max_rounds: Option<usize> as "COUNT" => count::<usize>(1, MOST),
        /// Time that each dispatch takes in addition to transfer and processing
        overhead: Span as "SECONDS" = "0" => quantity::<Span>,
        /// Processing times: exact, or in whole seconds as GridSim counts them
        service: ServiceRule as "NAME" = "exact" => names::<ServiceRule>(),
        /// One dispatch after another, or all resources at once
        dispatching: Dispatching as "NAME" = "sequential" => names::<Dispatching>(),
        /// JSON instead of tables
        pub(crate) json: bool,
    }
}

/// The input file: jobs and resources.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Small {
    jobs: Vec<SmallJob>,
    resources: Vec<Resource>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SmallJob {
    id: Option<JobId>,
    work: Work,
    input: Option<DataSize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Resource {
    name: Option<String>,
    speed: Speed,
    cpus: Option<u32>,
    price: Price,
    bandwidth: Option<Bandwidth>,
}

impl Small {
    fn jobs(&self, path: &Path) -> Result<Batch, CliError> {
        let job = |(at, job): (usize, &SmallJob)| {
            let wrong = |error| CliError::field(path, format!("jobs[{at}].work"), error);
            let request = ResourceRequest::new(1, job.work).map_err(wrong)?;
            let request = request.with_input(job.input.unwrap_or(DataSize::must(0.0)));
            Ok(Job::new(job.id.unwrap_or(JobId(at as u64 + 1)), request))
        };
        let jobs = self.jobs.iter().enumerate().map(job).collect::<Result<_, CliError>>()?;
        Batch::new(jobs).map_err(|error| CliError::field(path, "jobs", error))
    }

    fn machines(&self, path: &Path) -> Result<Vec<Machine>, CliError> {
        let machine = |(at, resource): (u32, &Resource)| {
            let speed = Speed::try_from(resource.speed.get() * f64::from(resource.cpus.unwrap_or(1)));
            // The price is that of all CPUs, which count as one.
            let machine = speed.and_then(|speed| Machine::new(MachineId(at), 1, speed, resource.price));
            let machine =
                machine.map_err(|error| CliError::field(path, format!("resources[{at}].cpus"), error))?;
            Ok(resource.bandwidth.into_iter().fold(machine, Machine::with_bandwidth))
        };
        (0..).zip(&self.resources).map(machine).collect()
    }

    fn name(&self, resource: usize) -> String {
        self.resources[resource].name.clone().unwrap_or_else(|| format!("R{}", resource + 1))
    }
}

impl Command for GroupArgs {
    /// Reports the groups, the refused jobs, and the totals beside those of dispatching each job alone.
    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        let path = self.input.as_path();
        let small: Small = files::parse_json(&files::read(path)?, path)?;
        let (jobs, machines) = (small.jobs(path)?, small.machines(path)?);
        let mut grouping = JobGrouping::new(self.granularity)
            .with_overhead(self.overhead)
            .with_job_order(self.job_order)
            .with_resource_order(self.resource_order)
            .with_service(self.service);
        (grouping.max_jobs, grouping.max_rounds) = (self.max_jobs, self.max_rounds);
        let wrong = |error: HeuristicError| CliError::input(path, error);
        let grouped = grouping.group(&jobs, &machines).map_err(wrong)?;
        let times = grouped.dispatch(self.dispatching);
        let done = times.iter().map(|(_, end)| end.get()).fold(0.0, f64::max);
        let alone = grouping.separately(&grouped, &jobs, &machines).map_err(wrong)?;

        let groups = || grouped.groups.iter().zip(&times);
        let rows = (1_u64..).zip(groups()).map(|(at, (group, (start, end)))| {
            [
                at.to_string(),
                small.name(group.resource),
                group.round.to_string(),
                grouped.jobs_of(group).len().to_string(),
                number(group.length.get()),
                number(start.get()),
                number(end.get()),
                number(group.cost.get()),
            ]
        });
        let headings = ["group", "resource", "round", "jobs", "length", "start", "end", "cost"];
        let table = Columns::with(&headings, rows);
        let totals = grouped.totals();
        let rows = [("in groups", &totals), ("alone", &alone)].map(|(how, sum)| {
            [how.to_owned(), sum.dispatches.to_string(), number(sum.time.get()), number(sum.cost.get())]
        });
        let sums = Columns::with(&["dispatched", "dispatches", "time", "cost"], rows);
        let told = |(job, reason): &(u32, Refusal)| (jobs[*job as usize].id, reason.to_string());
        let refused: Vec<(JobId, String)> = grouped.refused.iter().map(told).collect();
        let told = refused.iter().map(|(job, reason)| format!("job {job} is refused: {reason}\n"));
        let text = format!(
            "{}\n{}\n{}, the last one done at {}\n{}",
            table.render(),
            sums.render(),
            counted(grouped.groups.len(), "group"),
            number(done),
            told.collect::<String>()
        );
        let written = groups().map(|(group, (start, end))| {
            object! {
                resource: small.name(group.resource),
                round: group.round,
                jobs: grouped.jobs_of(group).iter().map(|&job| jobs[job as usize].id).collect::<Vec<_>>(),
                length: group.length,
                input: group.input,
                start: start,
                end: end,
                cost: group.cost,
            }
        });
        let json = object! {
            groups: written.collect::<Vec<_>>(),
            refused: refused.iter().map(|(job, reason)| object! { job: job, reason: reason }).collect::<Vec<_>>(),
            grouped: totals,
            alone: alone,
            makespan: done,
        };
        Report::new(text, &json)
    }
}
