//! The live broker of a simulation: how far it may move promises, which users' jobs may stop running jobs, and the
//! features of machines and demands of jobs.

use super::report::Records;
use super::workload::Drawn;
use super::{Run, SimulateArgs, Station, above};
use crate::commands::prelude::*;
use econsched::grid_sim::{GridJob, LiveGrid, TimeUp};
use econsched::live_broker::{Config, MovePolicy, MoveRate, Preemption, Stability};
use econsched::sched_model::{MachineId, Priority};

flags! {
    /// The flags of the live broker only.
    pub(super) struct LiveArgs {
        /// Whether the live broker moves promised windows for a better plan: never, not-later, anywhere, or by
        /// how many seconds a job may start after its first promised start
        moves: MovePolicy as "POLICY" = "never" => policy,
        /// A promise is moved only if the job then finishes earlier by more than this
        move_tax: f64 as "SECONDS" = "0",
        /// Promises that start within this time are not moved
        frozen: Span as "SECONDS" = "0" => span,
        /// Maximum number of such moves of one job
        max_moves: u32 as "COUNT" = "3",
        /// Maximum number of such moves of all jobs together in any period of so many seconds, such as 100/3600
        move_rate: Option<MoveRate> as "COUNT/SECONDS" => rate,
        /// Ids of users whose jobs come first and may stop the jobs of others
        urgent_users: Vec<u32> as "USERS" [value_delimiter = ','],
        /// Jobs of urgent users that could not start at once stop other jobs that have run for at least this
        /// time; a stopped job is submitted again with its remaining work
        preempt_after: Option<Span> as "SECONDS" [requires = "urgent_users"] => span,
        /// A job that could start within this time stops no other job
        preempt_delay: Span as "SECONDS" [requires = "preempt_after"] = "0" => span,
        /// Labels and amounts of machines and the demands of jobs, as JSON
        demands: Option<PathBuf> as "FILE",
    }
}

/// The greatest number of windows of each job among which a criterion chooses.
const ALTERNATIVES: usize = 5;

/// The priority of urgent users; the others have 1.
const URGENT: f64 = 2.0;

fn rate(text: &str) -> Result<MoveRate, String> {
    let parts = text.split_once('/');
    let rate =
        parts.and_then(|(moves, time)| Some(MoveRate { moves: moves.parse().ok()?, span: span(time).ok()? }));
    rate.ok_or_else(|| "expected COUNT/SECONDS, such as 100/3600".to_owned())
}

fn policy(text: &str) -> Result<MovePolicy, String> {
    match text {
        "never" => Ok(MovePolicy::Never),
        "not-later" => Ok(MovePolicy::NotLater),
        "anywhere" => Ok(MovePolicy::Anywhere),
        seconds => span(seconds)
            .map(MovePolicy::Within)
            .map_err(|error| format!("expected never, not-later, anywhere or a number of seconds: {error}")),
    }
}

impl LiveArgs {
    /// Whether promises are moved.
    pub(super) fn moves(&self) -> bool {
        self.moves != MovePolicy::Never
    }

    fn stability(&self) -> Stability {
        let mut stability = Stability::new(self.moves)
            .with_tax(self.move_tax)
            .with_frozen(self.frozen)
            .with_max_moves(self.max_moves);
        stability.rate = self.move_rate;
        stability
    }
}

/// Runs the jobs through the live broker.
///
/// # Errors
/// [`CliError::Usage`] for flags out of range, and errors of the simulation.
pub(super) fn simulate(
    args: &SimulateArgs,
    seed: u64,
    (stations, Drawn { mut jobs, faults, local }): (&[Station], Drawn),
    meter: &mut Meter,
) -> Result<Run, CliError> {
    let urgent = Priority::must(URGENT);
    for job in &mut jobs {
        let UserId(user) = job.job.user;
        if args.live.urgent_users.contains(&user) {
            job.job.priority = urgent;
        }
    }
    let mut config = Config::new(args.horizon)
        .with_search(args.search)
        .with_interval(args.interval)
        .with_stability(args.live.stability());
    if let Some(criterion) = args.criterion {
        config = config.with_goal(criterion.goal(), ALTERNATIVES);
    }
    if let Some(least_run) = args.live.preempt_after {
        config = config.with_preemption(Preemption::new(least_run).with_delay(args.live.preempt_delay));
    }
    let mut features = BTreeMap::new();
    if let Some(path) = &args.live.demands {
        features = load_demands(path, stations, &mut jobs)?;
    }
    let machines = stations.iter().map(|station| (station.site, station.name.clone(), station.machine));
    let mut grid = LiveGrid::new(machines.collect());
    for (at, features) in features {
        grid = grid.with_features(at, features);
    }
    for (at, local) in local.into_iter().enumerate().filter(|(_, local)| !local.is_empty()) {
        grid = grid.with_local_jobs(at, local);
    }
    let grid = grid
        .with_outages(faults.outages)
        .with_cancellations(faults.cancellations)
        .with_time_up(if args.faults.extend.is_some() { TimeUp::GoOn } else { TimeUp::Kill });
    let done = grid.run(&jobs, config, meter).map_err(args.blame())?;
    let [later, earlier] = done.moved;
    let more = [
        ("promises moved later", later),
        ("promises moved earlier", earlier),
        ("promises withdrawn", done.withdrawn),
        ("jobs preempted", done.preempted),
        ("cycles", done.cycles),
    ];
    let mut more = more.map(|(name, count)| (name.to_owned(), count as f64)).to_vec();
    // Work before a job was stopped is not paid, nor work beyond its time, so the bound on the cost does not
    // hold.
    if args.live.preempt_after.is_none() && args.faults.extend.is_none() {
        more.extend(above(stations, done.records.iter().zip(&jobs), true));
    }
    let (records, report) = (Records::List(done.records), done.report);
    Ok(Run { seed, records, report, more, events: done.inputs, stopped: done.stopped })
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawDemands {
    machines: Vec<OfMachine>,
    jobs: Vec<OfJob>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfMachine {
    /// The site; all sites if none is given.
    site: Option<SiteId>,
    machine: MachineId,
    features: Features,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfJob {
    job: JobId,
    demands: Demands,
}

/// Reads a file of features and demands: gives the jobs named their demands, and returns the features by the
/// places of the machines.
///
/// # Errors
/// [`CliError::Input`] for a file that cannot be read, and for machines and jobs that do not exist or are
/// given twice.
fn load_demands(
    path: &Path,
    stations: &[Station],
    jobs: &mut [GridJob],
) -> Result<BTreeMap<usize, Features>, CliError> {
    let RawDemands { machines, jobs: demanding } = files::parse_json(&files::read(path)?, path)?;
    let wrong = |list: &str, at: usize, why: String| Err(CliError::field(path, format!("{list}[{at}]"), why));
    let mut features = BTreeMap::new();
    for (at, OfMachine { site, machine, features: of }) in machines.into_iter().enumerate() {
        let is_meant =
            |station: &Station| station.machine.id == machine && site.is_none_or(|site| station.site == site);
        let places: Vec<usize> = (0..stations.len()).filter(|&place| is_meant(&stations[place])).collect();
        if places.is_empty() {
            return wrong("machines", at, format!("no machine {machine}"));
        }
        if places.iter().any(|&place| features.insert(place, of.clone()).is_some()) {
            return wrong("machines", at, format!("machine {machine} is given twice"));
        }
    }
    let places: BTreeMap<JobId, usize> = (0..jobs.len()).map(|at| (jobs[at].job.id, at)).collect();
    let mut given = BTreeSet::new();
    for (at, OfJob { job, demands }) in demanding.into_iter().enumerate() {
        if !given.insert(job) {
            return wrong("jobs", at, format!("job {job} is given twice"));
        }
        let Some(&place) = places.get(&job) else { return wrong("jobs", at, format!("no job {job}")) };
        let request = &mut jobs[place].job.request;
        *request = request.clone().with_demands(demands);
    }
    Ok(features)
}
