//! `econsched simulate`: a workload on a grid in which time passes.

mod bounds;
mod charts;
mod live;
pub(crate) mod multi_s_grid;
mod report;
mod workload;

pub(crate) use workload::read_log;

use crate::error::CliError;
use crate::files::{self, OutDir, Output};
use crate::flags::{Given, MOST, count};
use crate::gantt::Extent;
use crate::limits::{self, Bounds, Observer};
use crate::plan::CriterionName;
use crate::terminal::{self, Times, counted};
use bounds::Spread;
use econsched::batch_dp::Goal;
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{
    BatchScheduler, Ending, Grid, JobRecord, PolicyKind, ReplayOptions, Report, Resource, TradeOffBroker,
    TwoPhaseBroker, replay_within,
};
use econsched::sched_model::{End, Limit, Machine, Progress, SiteId, Span, TradeOff};
use econsched::slot_window::{SearchKind, SearchOptions};
use econsched::workload_gen::sample::stream;
use live::LiveArgs;
use std::path::PathBuf;
use workload::{Jobs, Workload};

/// Simulate a log or a generated workload on one machine or on a grid
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct SimulateArgs {
    /// Workload log (SWF), plain or gzip; `-` is standard input. Without it, jobs are generated
    #[arg(value_name = "LOG")]
    input: Option<PathBuf>,
    /// Who schedules: the queue of one machine (fcfs, easy, conservative), or a broker over a grid
    #[arg(long, value_name = "NAME", default_value = "easy",
          value_parser = clap::builder::PossibleValuesParser::new(scheduler_names()))]
    scheduler: String,
    /// Jobs to generate: the Lublin-Feitelson model, or one of the meta-broker study's configurations, which bring
    /// their own testbed
    #[arg(long, value_name = "NAME", default_value = "lublin", ignore_case = true,
          value_parser = ["lublin", "hiuc", "hicc", "louc", "locc"])]
    workload: String,
    /// Jobs to generate, or jobs of the log at most
    #[arg(long, value_name = "COUNT", value_parser = count::<usize>(1, MOST))]
    jobs: Option<usize>,
    /// Load: jobs come so many times as fast as in the log or model; what they ask for stays
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    load: f64,
    /// Sites as JSON, or built in: `edg` (five clusters of the European Data Grid), `edg-consistent` (priced by their
    /// speed). Default: one machine for a queue, `edg` for a broker
    #[arg(long, value_name = "FILE")]
    testbed: Option<String>,
    /// CPUs of the one machine (default: MaxProcs of the log)
    #[arg(long, value_name = "COUNT")]
    cpus: Option<u32>,
    /// Memory of the one machine, in units of 1024 KB; jobs take what they request in the log. Without it, memory is
    /// not counted
    #[arg(long, value_name = "COUNT")]
    memory: Option<u32>,
    /// Weight of cost against time for brokers: 0 is all time, 1 all cost (default: each job's own)
    #[arg(long, value_name = "SHARE")]
    trade_off: Option<f64>,
    /// Time between two decisions of a broker
    #[arg(long, value_name = "SECONDS", default_value_t = 50.0)]
    interval: f64,
    /// Jobs of its own for each machine of a broker's testbed, under EASY backfilling and at no charge: the
    /// Lublin-Feitelson model, arriving over the time in which the broker's jobs do
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = count::<usize>(0, MOST))]
    local_jobs: usize,
    /// A local job asks for up to so many times the time it takes
    #[arg(long, value_name = "FACTOR", default_value_t = 3.0)]
    local_overestimate: f64,
    /// Window search of the brokers two-phase and live
    #[arg(long, value_name = "NAME", default_value = "amp",
          value_parser = clap::builder::PossibleValuesParser::new(crate::search::names()))]
    search: String,
    /// What the broker two-phase chooses its windows for, cycle after cycle, within limits derived from the alternatives
    #[arg(long, value_enum, default_value_t = CriterionName::MinCost)]
    criterion: CriterionName,
    /// How far ahead the brokers two-phase and live plan
    #[arg(long, value_name = "SECONDS", default_value_t = 604_800.0)]
    horizon: f64,
    #[command(flatten)]
    live: LiveArgs,
    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  econsched simulate KTH-SP2-1996-2.1-cln.swf.gz --scheduler easy
      a log under EASY backfilling on its own machine
  econsched simulate --workload hiuc --scheduler min-ctt --trade-off 0.8 --seeds 10
      a meta-broker over five clusters, means over ten seeds
  econsched simulate --workload hiuc --scheduler min-ctt --local-jobs 200
      the same on clusters that serve jobs of their own, too
  econsched simulate made.swf --scheduler live --testbed sites.json --moves not-later
      promises that move earlier as jobs end early
  econsched simulate made.swf --load 1.5
      the same jobs, half again as fast one after another
  econsched simulate made.swf --scheduler greedy --testbed sites.json

A testbed is JSON: [{\"id\": 0, \"name\": \"north\", \"machines\": [{\"id\": 0, \"cpus\": 64, \"speed\": 1, \"price\": 2}]}].
A log's requested time is the work on a CPU of the testbed's mean speed; it runs for the share of it that it ran in
the log. Jobs end when their requested time is up.

Exit code 0, or 2 for bad input or usage.";

/// Alternatives that the two-phase broker looks for, for each job at most.
const ALTERNATIVES: usize = 10;

/// The broker that keeps promises as time passes; it knows expected times by machine.
const LIVE: &str = "live";

/// The broker that runs the cycle of `plan` at the end of each interval.
const TWO_PHASE: &str = "two-phase";

fn scheduler_names() -> Vec<&'static str> {
    let brokers = TradeOffKind::ALL.iter().map(|kind| kind.name());
    PolicyKind::ALL.iter().map(|kind| kind.name()).chain(brokers).chain([TWO_PHASE, LIVE]).collect()
}

/// A machine of the simulation, as charts and tables need it.
#[derive(Debug, Clone)]
struct Station {
    site: SiteId,
    name: String,
    machine: Machine,
}

/// What every simulation takes.
#[derive(Debug, Clone, clap::Args)]
struct Common {
    /// First seed of all that is drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds; figures then are means with 95% confidence intervals
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = count::<u64>(1, 1_000_000))]
    seeds: u64,
    #[command(flatten)]
    bounds: Bounds,
    /// Placements in the Gantt chart, from the first start on, or from --from
    #[arg(long, value_name = "COUNT", default_value_t = 300)]
    gantt_jobs: usize,
    #[command(flatten)]
    extent: Extent,
    /// JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Times as seconds
    #[arg(long)]
    seconds: bool,
    #[command(flatten)]
    output: Output,
}

impl Common {
    /// The seeds, one for each run.
    fn each_seed(&self) -> impl Iterator<Item = u64> {
        let first = self.seed;
        (0..self.seeds).map(move |step| first.wrapping_add(step))
    }
}

impl SimulateArgs {
    /// Refuses flags that would do nothing beside the others.
    fn refuse_idle_flags(&self, given: &Given) -> Result<(), CliError> {
        if !(self.load.is_finite() && self.load > 0.0) {
            return Err(CliError::usage(format!("--load {}: expected a factor above 0", self.load)));
        }
        if self.input.is_some() {
            given.refuse(&["workload"], "the jobs are those of the log")?;
            if self.testbed.is_some() {
                given.refuse(&["cpus", "memory"], "the testbed says what its machines have")?;
            }
        }
        if self.scheduler.parse::<PolicyKind>().is_ok() {
            let because = format!("is for brokers; {} is the queue of one machine", self.scheduler);
            given.refuse(&["trade_off", "interval", "local_overestimate", "search", "horizon"], &because)?;
        }
        if self.scheduler.parse::<PolicyKind>().is_err() {
            given.refuse(&["memory"], "is for the queue of one machine; brokers do not count memory")?;
        }
        if self.scheduler == TWO_PHASE || self.scheduler == LIVE {
            given.refuse(&["trade_off"], "is for min-ctt, max-ctt and greedy")?;
        } else {
            given.refuse(&["search", "horizon"], "is for the brokers two-phase and live")?;
        }
        self.live.refuse_idle_flags(given, self.scheduler == LIVE)?;
        if self.scheduler != TWO_PHASE {
            given.refuse(&["criterion"], "is for the broker two-phase")?;
        }
        if self.local_jobs == 0 {
            given.refuse(&["local_overestimate"], "there are no local jobs; ask for them by --local-jobs")?;
        }
        if !self.common.output.is_wanted() {
            given.refuse(&["gantt_jobs", "from", "until"], "no chart is written with --no-files")?;
        }
        Ok(())
    }
}

/// The result of one seed.
#[derive(Debug)]
struct Run {
    seed: u64,
    records: Vec<JobRecord>,
    report: Report,
    /// Figures beside those of the report, by name.
    more: Vec<(String, f64)>,
    events: u64,
    /// What stopped it before its end, if anything did.
    stopped: Option<End>,
}

impl Run {
    /// What stopped it, in words.
    fn note(&self) -> Option<String> {
        let limit = limits::why(self.stopped?)?;
        let left = self.records.iter().filter(|record| record.ending != Ending::Waiting).count();
        let (events, jobs) = (counted(self.events, "event"), counted(self.records.len(), "job"));
        Some(format!(
            "{limit} ended the simulation after {events}: {left} of {jobs} had left; the figures are of these"
        ))
    }
}

/// Runs the command.
pub(crate) fn run(args: &SimulateArgs, given: &Given) -> Result<(), CliError> {
    if args.input.is_some() && args.common.seeds > 1 {
        return Err(CliError::usage("--seeds: a log gives the same jobs for every seed"));
    }
    args.refuse_idle_flags(given)?;
    args.common.extent.check()?;
    let out = args.common.output.open()?;
    let mut runs = Vec::new();
    let mut notes = Vec::new();
    let mut stations = Vec::new();
    let limit = args.common.bounds.start()?;
    for seed in args.common.each_seed() {
        let workload = workload::load(args, seed)?;
        let run = simulate(args, seed, &workload, &limit)?;
        (notes, stations) = (workload.notes, workload.stations);
        runs.push(run);
        if stops(&runs, args.common.seeds, &mut notes) {
            break;
        }
    }
    publish(&args.scheduler, &runs, &stations, &notes, &args.common, out, Vec::new())
}

/// Whether the last run was stopped, and so is what would follow; says so.
fn stops(runs: &[Run], seeds: u64, notes: &mut Vec<String>) -> bool {
    let Some(note) = runs.last().and_then(Run::note) else { return false };
    notes.push(note);
    let left = seeds - runs.len() as u64;
    // Each seed has the whole limit of work; the clock and Ctrl-C stop all.
    let all = runs.last().is_some_and(|run| run.stopped == Some(End::Signal)) && left > 0;
    if all {
        notes.push(format!("{left} of {} were not begun", counted(seeds, "seed")));
    }
    all
}

/// The figures of a run with the first seed.
///
/// # Errors
/// As [`run`], but for what is written.
pub(crate) fn measure(args: &SimulateArgs, given: &Given) -> Result<Vec<(String, f64)>, CliError> {
    args.refuse_idle_flags(given)?;
    let workload = workload::load(args, args.common.seed)?;
    let limit = args.common.bounds.start_alone()?;
    Ok(report::figures(&simulate(args, args.common.seed, &workload, &limit)?))
}

/// Prints the figures and, where files are wanted, writes tables and charts, and these files besides.
fn publish(
    scheduler: &str,
    runs: &[Run],
    stations: &[Station],
    notes: &[String],
    common: &Common,
    out: Option<OutDir>,
    more: Vec<(&str, String)>,
) -> Result<(), CliError> {
    let times = if common.seconds { Times::Plain } else { Times::Read };
    if common.json {
        terminal::print(&files::json(&report::RunsFile::new(scheduler, runs, notes))?)?;
    } else {
        terminal::print(&report::text(scheduler, runs, stations, notes, times))?;
    }
    let Some(mut dir) = out else { return Ok(()) };
    dir.write("jobs.csv", &report::jobs_csv(runs)?)?;
    dir.write("users.csv", &report::users_csv(runs)?)?;
    let reports: Vec<&Report> = runs.iter().map(|run| &run.report).collect();
    dir.write("report.json", &files::json(&reports)?)?;
    if let Some(first) = runs.first() {
        if let Some(text) = report::evalys(first, stations)? {
            dir.write("evalys.csv", &text)?;
        }
        dir.write("utilisation.svg", &charts::utilisation(first, stations, common.extent))?;
        dir.write(
            "gantt.svg",
            &charts::gantt(scheduler, first, stations, common.gantt_jobs, common.extent).svg(),
        )?;
        dir.write("report.html", &charts::page(scheduler, first, stations, notes)?)?;
    }
    for (name, text) in more {
        dir.write(name, &text)?;
    }
    let chart = dir.place("gantt.svg");
    dir.publish()?;
    if !common.json {
        let others = "report.html, utilisation.svg, jobs.csv, users.csv and report.json";
        terminal::print(&format!("chart: {} (beside it {others})\n", chart.display()))?;
    }
    Ok(())
}

fn simulate(args: &SimulateArgs, seed: u64, workload: &Workload, limit: &Limit) -> Result<Run, CliError> {
    let observer = Observer::new("simulation");
    let mut observe = |progress: Progress| observer.see(&progress);
    let mut meter = limit.meter().with_observer(&mut observe);
    let wrong = |error: econsched::grid_sim::SimError| match &args.input {
        Some(path) => CliError::input(path.as_path(), error),
        None => CliError::usage(error),
    };
    if let Ok(policy) = args.scheduler.parse::<PolicyKind>() {
        let Jobs::Local(jobs) = &workload.jobs else {
            return Err(CliError::usage(format!(
                "--workload {} is for brokers: its jobs know their time on each of five clusters",
                args.workload
            )));
        };
        let [station] = workload.stations.as_slice() else {
            let count = workload.stations.len();
            return Err(CliError::usage(format!(
                "--scheduler {policy} serves one machine, the testbed has {count}"
            )));
        };
        if args.local_jobs > 0 {
            return Err(CliError::usage(format!(
                "--local-jobs is for brokers; {policy} serves local jobs only"
            )));
        }
        let options = ReplayOptions::default();
        let done = replay_within(&station.machine, policy.build(), jobs, &options, &mut meter);
        let done = done.map_err(wrong)?;
        let more = bounds::of_queue(station, jobs, &done.records)?;
        let (records, report, events, stopped) = (done.records, done.report, done.events, done.stopped);
        return Ok(Run { seed, records, report, more, events, stopped });
    }
    let interval =
        Span::new(args.interval).map_err(|error| CliError::usage(format!("--interval: {error}")))?;
    let jobs = workload.jobs.for_broker(&workload.stations)?;
    if args.scheduler == LIVE {
        return live::simulate(args, seed, (&workload.stations, jobs), interval, &mut meter, wrong);
    }
    let local = workload::local_load(args, &jobs);
    // Another stream than that of the broker's jobs, which are the same with and without local ones.
    let mut rng = stream(seed, 1);
    let mut resources = Vec::with_capacity(workload.stations.len());
    for Station { site, name, machine } in &workload.stations {
        let local = local.draw(machine.cpus(), &mut rng).map_err(CliError::usage)?;
        resources.push(Resource::new(*site, name.clone(), *machine).with_local_jobs(local));
    }
    let mut broker = broker(args)?;
    let grid = Grid::new(resources).with_interval(interval);
    let done = grid.run_within(&jobs, broker.as_mut(), &mut meter).map_err(wrong)?;
    let spread = if args.scheduler == TWO_PHASE { Spread::Any } else { Spread::OneMachine };
    let more = bounds::of_broker(&workload.stations, &jobs, &done.records, spread);
    let (records, report, events, stopped) = (done.records, done.report, done.events, done.stopped);
    Ok(Run { seed, records, report, more, events, stopped })
}

fn search(args: &SimulateArgs) -> Result<SearchKind, CliError> {
    args.search.parse().map_err(CliError::usage)
}

fn horizon(args: &SimulateArgs) -> Result<Span, CliError> {
    Span::new(args.horizon).map_err(|error| CliError::usage(format!("--horizon: {error}")))
}

/// The broker by name.
fn broker(args: &SimulateArgs) -> Result<Box<dyn BatchScheduler>, CliError> {
    if args.scheduler == TWO_PHASE {
        let search = search(args)?.build(&SearchOptions::new()).map_err(CliError::usage)?;
        let goal = match args.criterion {
            CriterionName::MinTime => Goal::MinTime { budget: None },
            CriterionName::MinCost => Goal::MinCost { time_limit: None },
            CriterionName::MaxIncome => Goal::MaxIncome { time_limit: None },
        };
        let broker = TwoPhaseBroker::new(search, horizon(args)?).with_goal(goal);
        return Ok(Box::new(broker.with_max_alternatives(ALTERNATIVES)));
    }
    let kind: TradeOffKind = args.scheduler.parse().map_err(CliError::usage)?;
    let mut metric = TradeOffMetric::default();
    if let Some(share) = args.trade_off {
        let share = TradeOff::new(share).map_err(|error| CliError::usage(format!("--trade-off: {error}")))?;
        metric = metric.with_factor(share);
    }
    Ok(Box::new(TradeOffBroker::of_kind(kind, metric)))
}
