//! The live broker of a simulation: how far it may move promises, and which users' jobs may stop running
//! jobs.

use super::bounds::{self, Spread};
use super::workload::Drawn;
use super::{Run, SimulateArgs, Station};
use crate::error::CliError;
use crate::flags::span;
use econsched::grid_sim::{LiveGrid, SimError};
use econsched::live_broker::{Config, MovePolicy, Preemption, Stability};
use econsched::sched_model::{Meter, Priority, Span, UserId};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The flags of the live broker only.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct LiveArgs {
    /// Whether the live broker moves promised windows for a better plan: never, not-later, anywhere, or by
    /// how many seconds a job may start after its first promised start
    #[arg(long, value_name = "POLICY", default_value = "never")]
    moves: String,
    /// A promise is moved only if the job then finishes earlier by more than this
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    move_tax: f64,
    /// Promises that start within this time are not moved
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    frozen: f64,
    /// Maximum number of such moves of one job
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    max_moves: u32,
    /// Maximum number of such moves of all jobs together in any period of so many seconds, such as 100/3600
    #[arg(long, value_name = "COUNT/SECONDS", value_parser = rate)]
    move_rate: Option<(u32, f64)>,
    /// Ids of users whose jobs come first and may stop the jobs of others
    #[arg(long, value_name = "USERS", value_delimiter = ',')]
    urgent_users: Vec<u32>,
    /// Jobs of urgent users that could not start at once stop other jobs that have run for at least this
    /// time; a stopped job is submitted again with its remaining work
    #[arg(long, value_name = "SECONDS", requires = "urgent_users")]
    preempt_after: Option<f64>,
    /// A job that could start within this time stops no other job
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, requires = "preempt_after")]
    preempt_delay: f64,
    /// Labels and amounts of machines and the demands of jobs, as JSON
    #[arg(long, value_name = "FILE")]
    demands: Option<PathBuf>,
}

/// The greatest number of windows of each job among which a criterion chooses.
const ALTERNATIVES: usize = 5;

/// The priority of urgent users; the others have 1.
const URGENT: f64 = 2.0;

fn rate(text: &str) -> Result<(u32, f64), String> {
    let parts =
        text.split_once('/').and_then(|(moves, span)| Some((moves.parse().ok()?, span.parse().ok()?)));
    parts.ok_or_else(|| "expected COUNT/SECONDS, such as 100/3600".to_owned())
}

impl LiveArgs {
    /// Whether promises are moved.
    pub(super) fn moves(&self) -> bool {
        self.moves != "never"
    }

    fn stability(&self) -> Result<Stability, CliError> {
        let policy = match self.moves.as_str() {
            "never" => MovePolicy::Never,
            "not-later" => MovePolicy::NotLater,
            "anywhere" => MovePolicy::Anywhere,
            seconds => match seconds.parse() {
                Ok(seconds) => MovePolicy::Within(span("moves", seconds)?),
                Err(_) => {
                    let expected = "expected never, not-later, anywhere or a number of seconds";
                    return Err(CliError::usage(format!("--moves {seconds}: {expected}")));
                }
            },
        };
        let stability = Stability::new(policy)
            .with_tax(self.move_tax)
            .with_frozen(span("frozen", self.frozen)?)
            .with_max_moves(self.max_moves);
        Ok(match self.move_rate {
            Some((moves, seconds)) => stability.with_rate(moves, span("move-rate", seconds)?),
            None => stability,
        })
    }

    fn preemption(&self) -> Result<Option<Preemption>, CliError> {
        let Some(least_run) = self.preempt_after else { return Ok(None) };
        let rule = Preemption::new(span("preempt-after", least_run)?);
        Ok(Some(rule.with_delay(span("preempt-delay", self.preempt_delay)?)))
    }
}

/// Runs the jobs through the live broker.
///
/// # Errors
/// [`CliError::Usage`] for flags out of range; errors of the simulation as `wrong` converts them.
pub(super) fn simulate(
    args: &SimulateArgs,
    seed: u64,
    (stations, Drawn { mut jobs, faults, local }): (&[Station], Drawn),
    interval: Span,
    meter: &mut Meter,
    wrong: impl Fn(SimError) -> CliError,
) -> Result<Run, CliError> {
    let urgent = Priority::must(URGENT);
    for job in &mut jobs {
        let UserId(user) = job.job.user;
        if args.live.urgent_users.contains(&user) {
            job.job = job.job.with_priority(urgent);
        }
    }
    let mut config = Config::new(span("horizon", args.horizon)?)
        .with_search(args.search)
        .with_interval(interval)
        .with_stability(args.live.stability()?);
    if let Some(criterion) = args.criterion {
        config = config.with_goal(criterion.goal(), ALTERNATIVES);
    }
    if let Some(rule) = args.live.preemption()? {
        config = config.with_preemption(rule);
    }
    let features = match &args.live.demands {
        Some(path) => super::demands::load(path, stations, &mut jobs)?,
        None => BTreeMap::new(),
    };
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
        .with_time_up(args.faults.time_up());
    let done = grid.run_within(&jobs, config, meter).map_err(wrong)?;
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
    if args.live.preempt_after.is_none() && !args.faults.extends() {
        more.extend(bounds::of_broker(stations, &jobs, &done.records, Spread::Any));
    }
    Ok(Run {
        seed,
        records: done.records.into(),
        report: done.report,
        more,
        events: done.inputs,
        stopped: done.stopped,
    })
}
