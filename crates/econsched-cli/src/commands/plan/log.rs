//! A scenario from one instant of a workload log.
//!
//! Jobs that run at that instant are local load. Jobs that wait then, and the jobs submitted next, are the batch. A
//! log has neither prices nor different speeds: both are drawn from a model by a seed.

use crate::commands::prelude::*;
use crate::draw::gantt::TimeAxis;
use crate::printable::one_line;
use econsched::workload_gen::cycle::SlotGenerator;
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf::{SwfLog, SwfRecord, SwfReport};
use std::fmt::Display;

/// Maximum number of nodes of a machine; a larger number in a header or a flag is probably a typing error.
pub(super) const MOST_NODES: u64 = 200_000;

flags! {
    /// Flags that say how a scenario is made from a log.
    pub(crate) struct LogArgs {
        /// Instant of the log for which to plan, in seconds [default: halfway between the first and the last
        /// submission]
        at: Option<Time> as "SECONDS" => quantity::<Time>,
        /// Number of jobs in the batch: first those that wait at the instant, then those submitted next
        pub(super) jobs: usize as "COUNT" = "10" => count::<usize>(1, MOST),
        /// CPUs of the machine [default: MaxProcs of the log, else the widest job]
        nodes: Option<u64> as "COUNT" => count::<u64>(1, MOST_NODES),
        /// How far to plan [default: until the load is over and the batch has had twice the time it needs]
        horizon: Option<Span> as "SECONDS" => quantity::<Span>,
        /// Price limit of each job, as a multiple of the mean price of the nodes
        pub(super) price_limit: f64 as "FACTOR" = "1" => number_in(0.0..=1e60, "a factor of at least 0"),
        /// Seed of the random speeds (uniform in 1..3) and prices (1.7^speed, plus or minus 25%)
        seed: u64 = "1",
    }
}

/// A job of a log whose times are all usable.
#[derive(Debug, Clone)]
pub(super) struct UsableJob {
    /// The job as a scheduler knows it. Its work is the run time to be expected, at least 1.
    pub(super) job: Job,
    /// Its place in the log, from 1.
    place: u64,
    start: Time,
    end: Time,
    /// The number of CPUs that it holds while it runs.
    held: u64,
}

impl UsableJob {
    pub(super) fn new(record: &SwfRecord, place: u64) -> Option<Self> {
        let (submit, cpus, estimate) = (record.submit?, record.processors()?, record.estimate()?.max(1.0));
        let start = record.start().unwrap_or(submit);
        let time = |instant: f64| Time::try_from(instant).ok();
        let request = ResourceRequest::new(cpus.try_into().ok()?, Work::try_from(estimate).ok()?).ok()?;
        let user = record.user.and_then(|user| user.try_into().ok()).unwrap_or(0);
        let job = Job::new(JobId(record.job.unwrap_or(place)), request);
        Some(Self {
            job: job.with_user(UserId(user)).with_submit(time(submit)?),
            place,
            start: time(start)?,
            end: time(start + record.runtime.unwrap_or(estimate))?,
            held: held(record).unwrap_or(cpus),
        })
    }

    /// Returns the sort key of waiting jobs: by submission, then by place in the log.
    fn order(&self) -> (Time, u64) {
        (self.job.submit, self.place)
    }
}

/// Returns the number of CPUs that a running job holds.
pub(super) fn held(record: &SwfRecord) -> Option<u64> {
    record.allocated.filter(|cpus| *cpus > 0).or_else(|| record.processors())
}

/// Builds the scenario at an instant of a log.
///
/// # Errors
/// [`CliError`] for flags out of range, and for a log without a usable job.
pub(crate) fn scenario(
    log: &SwfLog,
    report: &SwfReport,
    path: &Path,
    args: &LogArgs,
) -> Result<Scenario, CliError> {
    let mut notes = Vec::from_iter(losses(report, 3));
    let records = log.records.iter().zip(1..);
    let mut known: Vec<UsableJob> =
        records.filter_map(|(record, place)| UsableJob::new(record, place)).collect();
    notes.extend(unusable(log.records.len() - known.len()));
    let submits = || known.iter().map(|known| known.job.submit);
    let (Some(first), Some(last)) = (submits().min(), submits().max()) else {
        return Err(no_job(path, report));
    };
    let halfway = || Time::try_from((first.get() / 2.0 + last.get() / 2.0).round());
    let now = args.at.map_or_else(halfway, Ok)?;
    let nodes = draw_nodes(node_count(log, &known, path, args)?, args.seed)?;
    known.retain(|job| now < job.end || now < job.start);
    let (mut running, waiting): (Vec<UsableJob>, Vec<UsableJob>) =
        known.into_iter().partition(|job| job.start <= now);
    running.sort_by_key(|job| (job.start, job.place));
    let occupied = local_load(&running, now, &nodes, &mut notes);
    if waiting.is_empty() {
        return Err(CliError::NoPlan(format!(
            "no job waits at {now} s or is submitted later: the last is submitted at {last} s"
        )));
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let features = BTreeMap::new();
    let mut scenario = MachineState { name, now, nodes, features, occupied, notes }.plan(waiting, args)?;
    let [run, hold, their] =
        if running.len() == 1 { ["runs", "holds", "its"] } else { ["run", "hold", "their"] };
    scenario.notes.push(format!(
        "{} of the log {run} at {now} s and {hold} {their} CPUs for what remains of {their} requested time",
        counted(running.len(), "job")
    ));
    scenario.notes.push(format!(
        "speeds and prices are drawn, not logged: seed {}, price limit {} x the mean price",
        args.seed,
        number(args.price_limit)
    ));
    Ok(scenario)
}

/// Returns the error for a log without a usable job, which may be no log.
pub(crate) fn no_job(path: &Path, report: &SwfReport) -> CliError {
    let loss = report.dropped.first().map_or(String::new(), |dropped| format!("; first loss: {dropped}"));
    CliError::input(
        path,
        format!(
            "no usable job: expected a log in the Standard Workload Format (SWF: lines of numbers, comments after `;`), \
             which `econsched convert` makes of other formats; `plan` also reads a scenario, which is a JSON object{loss}"
        ),
    )
}

/// Returns a note of what was dropped while reading, with the first `shown` losses.
pub(crate) fn losses(report: &SwfReport, shown: usize) -> Option<String> {
    if report.dropped.is_empty() {
        return None;
    }
    let first: Vec<String> = report.dropped.iter().take(shown).map(ToString::to_string).collect();
    Some(format!("of the log {report}; first {}", first.join("; ")))
}

/// Returns a note of the records that are no [`UsableJob`]s.
pub(super) fn unusable(lost: usize) -> Option<String> {
    let jobs = counted(lost, "job");
    (lost > 0).then(|| format!("left out: {jobs} without a usable submit time, run time or size"))
}

/// Returns the number of nodes: that of the flag, else that of the log, else that of its widest job.
fn node_count(log: &SwfLog, known: &[UsableJob], path: &Path, args: &LogArgs) -> Result<u32, CliError> {
    let widest = known.iter().map(|known| known.job.request.nodes() as u64).max().unwrap_or(1);
    let count = args.nodes.or(log.header.max_procs()).unwrap_or(widest);
    if !(1..=MOST_NODES).contains(&count) {
        let count = counted(count, "node");
        let source = if log.header.max_procs().is_some() { "MaxProcs" } else { "the widest job" };
        return Err(CliError::field(path, source, format!("{count}; --nodes takes 1 to {MOST_NODES}")));
    }
    Ok(count as u32)
}

/// Draws nodes with speeds and prices as V. Toporkov et al. draw those of their slots (Resource Selection Algorithms
/// for Economic Scheduling in Distributed Systems, 2011, section 5).
fn draw_nodes(count: u32, seed: u64) -> Result<Vec<Node>, CliError> {
    let mut one_each = SlotGenerator::default().with_count(count..=count);
    one_each.same_start = 1.0;
    let slots = one_each.generate(&mut stream(seed, 0))?;
    Ok(slots.iter().map(|slot| (*slot).into()).collect())
}

/// Blames an error on a flag.
fn blame_flag<T>(flag: impl Display, given: Result<T, ModelError>) -> Result<T, CliError> {
    given.map_err(|error| CliError::usage(format!("{flag}: {error}")))
}

/// Returns the running jobs as local load: in order of their start, each on the lowest free nodes.
fn local_load(running: &[UsableJob], now: Time, nodes: &[Node], notes: &mut Vec<String>) -> Vec<Occupied> {
    let ends = running.iter().flat_map(|known| {
        // For a job that runs longer than estimated, the end in the log is used.
        let expected = known.start + known.job.request.work() / Speed::ETALON;
        let end = if expected > now { expected } else { known.end };
        (0..known.held).map(move |_| end)
    });
    let held = running.iter().fold(0, |held: u64, job| held.saturating_add(job.held));
    let unplaced_cpus = held.saturating_sub(nodes.len() as u64);
    if unplaced_cpus > 0 {
        let more = counted(unplaced_cpus, "more CPU");
        notes.push(format!("the log has {more} in use at this instant than the machine has"));
    }
    let held = nodes.iter().zip(ends).map(|(node, end)| Occupied { node: node.id, start: now, end });
    held.filter(|held| held.start < held.end).collect()
}

/// A machine at an instant.
pub(super) struct MachineState {
    pub(super) name: String,
    pub(super) now: Time,
    pub(super) nodes: Vec<Node>,
    /// The features of all nodes, if jobs have demands; else empty.
    pub(super) features: BTreeMap<NodeId, Features>,
    pub(super) occupied: Vec<Occupied>,
    pub(super) notes: Vec<String>,
}

impl MachineState {
    /// Builds the scenario of the first of these jobs.
    ///
    /// # Errors
    /// [`CliError::Wrong`] for flags out of range.
    pub(super) fn plan(self, mut jobs: Vec<UsableJob>, args: &LogArgs) -> Result<Scenario, CliError> {
        jobs.sort_by_key(UsableJob::order);
        jobs.truncate(args.jobs);
        let Self { name, now, nodes, features, occupied, mut notes } = self;
        let batch = batch(jobs, &nodes, args.price_limit, &mut notes)?;
        let load_end = occupied.iter().map(|busy| busy.end).max().unwrap_or(now);
        let suit = |job: &Job| features.values().filter(|node| job.request.demands().are_met(node)).count();
        let narrowest = match features.is_empty() {
            true => nodes.len(),
            false => batch.iter().map(suit).min().unwrap_or(1),
        };
        let usual = || enough_time(&batch, narrowest, now, load_end);
        let span = args.horizon.map_or_else(usual, Span::get);
        let horizon = blame_flag("--horizon", Time::try_from(now.get() + span))?;
        let slots = SlotList::from_nodes(&nodes, &occupied, now, horizon);
        let slots = blame_flag(format_args!("--horizon {span}"), slots)?;
        let slots = if features.is_empty() { slots } else { slots.with_features(features)? };
        Ok(Scenario {
            title: format!("{} at {now} s", one_line(&name)),
            nodes,
            slots,
            occupied: Some(occupied),
            batch,
            request: None,
            values: BTreeMap::new(),
            budgets: BTreeMap::new(),
            service: BTreeMap::new(),
            from: now,
            horizon,
            seconds: true,
            axis: TimeAxis::seconds_since(now.get(), span, &format!("{now} s")),
            notes,
        })
    }
}

/// Creates a batch in which each job has the price limit and a unique id.
fn batch(
    jobs: Vec<UsableJob>,
    nodes: &[Node],
    price_limit: f64,
    notes: &mut Vec<String>,
) -> Result<Batch, CliError> {
    let mean_price = nodes.iter().map(|node| node.price.get()).sum::<f64>() / nodes.len().max(1) as f64;
    let limit =
        blame_flag(format_args!("--price-limit {price_limit}"), Price::try_from(price_limit * mean_price))?;
    let ids: BTreeSet<JobId> = jobs.iter().map(|known| known.job.id).collect();
    let own_ids = ids.len() == jobs.len();
    if !own_ids {
        notes.push("job numbers are repeated: jobs are numbered by their place in the log".to_owned());
    }
    let jobs = jobs.into_iter().map(|UsableJob { mut job, place, .. }| {
        job.request = job.request.with_price_limit(limit);
        if !own_ids {
            job.id = JobId(place);
        }
        job
    });
    Ok(Batch::new(jobs.collect())?)
}

/// Returns a span in which the whole batch fits: until the load is over and the last job is submitted, then twice the
/// time that the total work takes on all nodes, then the longest job once more.
fn enough_time(batch: &Batch, nodes: usize, at: Time, load_end: Time) -> f64 {
    let latest = batch.iter().map(|job| job.submit).max().unwrap_or(at).max(load_end);
    let work = |job: &Job| job.request.work().get();
    let volume: f64 = batch.iter().map(|job| work(job) * job.request.nodes().min(nodes) as f64).sum();
    let longest = batch.iter().map(work).fold(60.0, f64::max);
    ((latest - at).get() + 2.0 * volume / nodes.max(1) as f64 + longest).ceil()
}
