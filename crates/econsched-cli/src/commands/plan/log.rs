//! A scenario from one instant of a workload log.
//!
//! Jobs that run at that instant are local load. Jobs that wait then, and the jobs submitted next, are the
//! batch. A log knows neither prices nor differing speeds: both are drawn by a model, from a seed.

use crate::commands::prelude::*;
use crate::draw::gantt::TimeAxis;
use crate::printable::one_line;
use econsched::workload_gen::cycle::SlotGenerator;
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf::{SwfLog, SwfRecord, SwfReport};

/// Most nodes of a machine; a greater number in a header or a flag is taken for a typing error.
pub(super) const MOST_NODES: u64 = 200_000;

flags! {
    /// How a scenario is made from a log.
    pub(crate) struct LogArgs {
        /// Instant of the log for which to plan, in seconds [default: halfway between the first and the last
        /// submission]
        pub(crate) at: Option<f64> as "SECONDS",
        /// Number of jobs in the batch: first those that wait at the instant, then those submitted next
        pub(crate) jobs: usize as "COUNT" = "10" => count::<usize>(1, MOST),
        /// CPUs of the machine [default: MaxProcs of the log, else the widest job]
        pub(crate) nodes: Option<u64> as "COUNT",
        /// How far to plan [default: until the load is over and the batch has had twice the time it needs]
        pub(crate) horizon: Option<f64> as "SECONDS",
        /// Price limit of each job, as a multiple of the mean price of the nodes
        pub(crate) price_limit: f64 as "FACTOR" = "1",
        /// Seed of the random speeds (uniform in 1..3) and prices (1.7^speed, plus or minus 25%)
        pub(crate) seed: u64 = "1",
    }
}

/// Where speeds and prices come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nodes {
    /// They are drawn by the seed.
    Drawn,
    /// All are 1.
    Alike,
}

/// A record whose times are all usable.
struct Known<'a> {
    record: &'a SwfRecord,
    /// Its place in the log, from 1.
    number: u64,
    submit: f64,
    start: f64,
    end: f64,
    /// The run time that a scheduler may assume, in seconds; at least 1.
    estimate: f64,
    cpus: u64,
}

impl<'a> Known<'a> {
    fn new(record: &'a SwfRecord, index: usize) -> Option<Self> {
        let submit = record.submit?;
        let start = record.start().unwrap_or(submit);
        let estimate = record.estimate()?.max(1.0);
        let end = start + record.runtime.unwrap_or(estimate);
        let cpus = record.processors()?;
        let known = Self { record, number: index as u64 + 1, submit, start, end, estimate, cpus };
        let times = [submit, start, end, start + estimate];
        times.iter().all(|&time| Time::new(time).is_ok()).then_some(known)
    }
}

/// The scenario at an instant of a log.
///
/// # Errors
/// [`CliError`] for flags out of range, and for a log without a usable job.
pub(crate) fn scenario(
    log: &SwfLog,
    report: &SwfReport,
    path: &Path,
    args: &LogArgs,
    kind: Nodes,
) -> Result<Scenario, CliError> {
    let mut notes = Vec::from_iter(losses(report, 3));
    let known = known_jobs(log, &mut notes);
    let (Some(first), Some(last)) = (known.first(), known.last()) else {
        let loss = report.dropped.first().map_or(String::new(), |dropped| format!("; first loss: {dropped}"));
        return Err(CliError::input(path, format!("no usable job in this log{loss}")));
    };
    let halfway = || (first.submit / 2.0 + last.submit / 2.0).round();
    let at = flag("--at", args.at.unwrap_or_else(halfway))?;
    let now = at.get();
    let nodes = make_nodes(kind, node_count(log, &known, path, args)?, args.seed)?;
    let occupied = local_load(&known, now, &nodes, &mut notes)?;
    let coming: Vec<&Known<'_>> = known.iter().filter(|job| job.start > now).take(args.jobs).collect();
    if coming.is_empty() {
        let last = last.submit;
        let message =
            format!("no job waits at {now} s or is submitted later: the last is submitted at {last} s");
        return Err(CliError::NoPlan(message));
    }
    let batch = requests(&coming, &nodes, args.price_limit, &mut notes)?;

    let load_end = occupied.iter().map(Occupied::end).max().unwrap_or(at);
    let span = args.horizon.unwrap_or_else(|| enough_time(&batch, nodes.len(), at, load_end));
    let horizon = flag("--horizon", now + span)?;
    let slots = SlotList::from_nodes(&nodes, &occupied, at, horizon)
        .map_err(|error| CliError::usage(format!("--horizon {span}: {error}")))?;
    let file = path.file_name().unwrap_or(path.as_os_str());
    notes.extend([running_jobs(&known, now), origin_of_nodes(kind, args)]);
    Ok(Scenario {
        title: format!("{} at {now} s", one_line(&file.to_string_lossy())),
        nodes,
        slots,
        occupied: Some(occupied),
        batch,
        request: None,
        values: Vec::new(),
        budgets: BTreeMap::new(),
        service: BTreeMap::new(),
        from: at,
        horizon,
        times: Times::Read,
        axis: TimeAxis::seconds_since(now, span, &format!("{now} s")),
        notes,
    })
}

/// A note of what was dropped in reading, with the first losses.
pub(crate) fn losses(report: &SwfReport, shown: usize) -> Option<String> {
    if report.is_clean() {
        return None;
    }
    let first: Vec<String> = report.dropped.iter().take(shown).map(ToString::to_string).collect();
    let (lines, values) = (counted(report.lost_lines, "line"), counted(report.lost_values, "value"));
    Some(format!("{lines} and {values} of the log dropped; first {}", first.join("; ")))
}

/// The usable jobs by submit time, and a note of the others.
fn known_jobs<'a>(log: &'a SwfLog, notes: &mut Vec<String>) -> Vec<Known<'a>> {
    let mut known: Vec<Known<'_>> =
        log.records.iter().enumerate().filter_map(|(index, record)| Known::new(record, index)).collect();
    if known.len() < log.records.len() {
        let lost = counted(log.records.len() - known.len(), "job");
        notes.push(format!("left out: {lost} without a usable submit time, run time or size"));
    }
    known.sort_by(|a, b| a.submit.total_cmp(&b.submit).then(a.number.cmp(&b.number)));
    known
}

/// The number of nodes: as the flag says, else as the log says, else as many as its widest job takes.
fn node_count(log: &SwfLog, known: &[Known<'_>], path: &Path, args: &LogArgs) -> Result<u32, CliError> {
    let widest = known.iter().map(|job| job.cpus).max().unwrap_or(1);
    let count = args.nodes.or(log.header.max_procs()).unwrap_or(widest);
    if count == 0 || count > MOST_NODES {
        let at =
            args.nodes.map_or(Place::file(path).field("MaxProcs"), |_| Place::default().field("--nodes"));
        let count = counted(count, "node");
        return Err(CliError::input(at, format!("{count}; --nodes takes 1 to {MOST_NODES}")));
    }
    Ok(count as u32)
}

/// A note of the jobs that run at an instant.
fn running_jobs(known: &[Known<'_>], now: f64) -> String {
    let running = known.iter().filter(|job| job.start <= now && now < job.end).count();
    let [run, hold, their] = if running == 1 { ["runs", "holds", "its"] } else { ["run", "hold", "their"] };
    let jobs = counted(running, "job");
    format!(
        "{jobs} of the log {run} at {now} s and {hold} {their} CPUs for what remains of {their} requested time"
    )
}

/// A note of where speeds and prices come from.
fn origin_of_nodes(kind: Nodes, args: &LogArgs) -> String {
    let (seed, limit) = (args.seed, number(args.price_limit));
    match kind {
        Nodes::Drawn => {
            format!(
                "speeds and prices are drawn, not logged: seed {seed}, price limit {limit} x the mean price"
            )
        }
        Nodes::Alike => format!("all CPUs have speed 1 and price 1; price limit {limit}"),
    }
}

/// Speeds and prices as V. Toporkov et al. draw those of their slots (Resource Selection Algorithms for
/// Economic Scheduling in Distributed Systems, 2011, section 5).
fn make_nodes(kind: Nodes, count: u32, seed: u64) -> Result<Vec<Node>, CliError> {
    if kind == Nodes::Alike {
        let node = |id| Node { id: NodeId(id), speed: Speed::ETALON, price: Price::must(1.0) };
        return Ok((1..=count).map(node).collect());
    }
    let one_each = SlotGenerator::default().with_count(count..=count).with_same_start(1.0);
    let slots = one_each.generate(&mut stream(seed, 0))?;
    Ok(slots.iter().map(Slot::as_node).collect())
}

fn flag(name: &str, value: f64) -> Result<Time, CliError> {
    Time::new(value).map_err(|error| CliError::usage(format!("{name}: {error}")))
}

/// A node that is busy from now on, if it is.
pub(super) fn busy(node: NodeId, now: f64, end: f64) -> Option<Occupied> {
    Occupied::new(node, Time::new(now).ok()?, Time::new(end).ok()?).ok()
}

/// The running jobs as local load: in order of their start, each on the lowest free nodes.
fn local_load(
    known: &[Known<'_>],
    now: f64,
    nodes: &[Node],
    notes: &mut Vec<String>,
) -> Result<Vec<Occupied>, CliError> {
    let mut running: Vec<&Known<'_>> = known.iter().filter(|job| job.start <= now && now < job.end).collect();
    running.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.number.cmp(&b.number)));
    let mut free = nodes.iter();
    let mut occupied = Vec::new();
    let mut homeless = 0u64;
    for job in running {
        // For a job that runs longer than its estimate, the end in the log is used.
        let told = job.start + job.estimate;
        let end = if told > now { told } else { job.end };
        let cpus = job.record.allocated.filter(|cpus| *cpus > 0).unwrap_or(job.cpus);
        for done in 0..cpus {
            let Some(node) = free.next() else {
                homeless = homeless.saturating_add(cpus - done);
                break;
            };
            occupied.extend(busy(node.id, now, end));
        }
    }
    if homeless > 0 {
        let more = counted(homeless, "more CPU");
        notes.push(format!("the log has {more} in use at this instant than the machine has"));
    }
    Ok(occupied)
}

/// The jobs as requests: their estimate is the work on a node of speed 1.
fn requests(
    jobs: &[&Known<'_>],
    nodes: &[Node],
    price_limit: f64,
    notes: &mut Vec<String>,
) -> Result<Batch, CliError> {
    let mean_price = nodes.iter().map(|node| node.price.get()).sum::<f64>() / nodes.len().max(1) as f64;
    let limit = Price::new(price_limit * mean_price)
        .map_err(|error| CliError::usage(format!("--price-limit {price_limit}: {error}")))?;
    let mut ids: Vec<u64> = jobs.iter().filter_map(|job| job.record.job).collect();
    ids.sort_unstable();
    ids.dedup();
    let own_ids = ids.len() == jobs.len();
    if !own_ids {
        notes.push(
            "job numbers are missing or repeated: jobs are numbered by their place in the log".to_owned(),
        );
    }
    let request = |job: &Known<'_>| -> Result<Job, ModelError> {
        let wanted = usize::try_from(job.cpus).unwrap_or(usize::MAX);
        let request = ResourceRequest::new(wanted, Work::new(job.estimate)?)?.with_price_limit(limit);
        let id = job.record.job.filter(|_| own_ids).unwrap_or(job.number);
        let user = job.record.user.and_then(|user| u32::try_from(user).ok()).unwrap_or(0);
        Ok(Job::new(JobId(id), request).with_user(UserId(user)).with_submit(Time::new(job.submit)?))
    };
    let jobs = jobs.iter().map(|job| request(job)).collect::<Result<Vec<_>, _>>();
    jobs.and_then(Batch::new).map_err(CliError::usage)
}

/// A span in which the whole batch finds room: until the load is over and the last job submitted, then twice
/// the time that the volume takes on all nodes, then the longest job once more.
pub(super) fn enough_time(batch: &Batch, nodes: usize, at: Time, load_end: Time) -> f64 {
    let latest = batch.iter().map(|job| job.submit).max().unwrap_or(at).max(load_end);
    let work = |job: &Job| job.request.work().get();
    let volume: f64 = batch.iter().map(|job| work(job) * job.request.nodes().min(nodes) as f64).sum();
    let longest = batch.iter().map(work).fold(60.0, f64::max);
    ((latest - at).get() + 2.0 * volume / nodes.max(1) as f64 + longest).ceil()
}
