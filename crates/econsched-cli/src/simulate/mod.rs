//! `econsched simulate`: a workload on a grid in which time passes.

mod args;
mod bounds;
mod charts;
mod checkpoint;
mod demands;
mod faults;
mod live;
pub(crate) mod multi_s_grid;
mod queue;
mod records;
mod report;
mod workload;

pub(crate) use args::SimulateArgs;

use crate::error::CliError;
use crate::files::{self, OutDir};
use crate::flags::Given;
use crate::limits::{self, Observer};
use crate::plan::{CriterionName, GoalName};
use crate::report::Report;
use crate::terminal::{Times, counted};
use args::{Common, LIVE, TWO_PHASE};
use bounds::Spread;
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{
    self, BatchScheduler, Ending, Grid, PolicyKind, Resource, TradeOffBroker, TwoPhaseBroker,
};
use econsched::sched_model::{End, Limit, Machine, SiteId, Span, TradeOff};
use econsched::slot_window::SearchKind;
use records::Records;
use workload::{Drawn, Jobs};

/// Jobs at most of which all are on one page, and in the table of Evalys with their processors.
const MOST_OF_A_PAGE: usize = 1_000_000;

/// The greatest number of alternatives of each job for the two-phase broker.
const ALTERNATIVES: usize = 10;

/// A machine of the simulation, as charts and tables need it.
#[derive(Debug, Clone)]
struct Station {
    site: SiteId,
    name: String,
    machine: Machine,
}

/// The result of one seed.
#[derive(Debug)]
struct Run {
    seed: u64,
    records: Records,
    report: grid_sim::Report,
    /// Figures beside those of the report, by name.
    more: Vec<(String, f64)>,
    events: u64,
    /// What stopped the run early, if anything did.
    stopped: Option<End>,
}

impl Run {
    /// What stopped the run, in words.
    fn note(&self) -> Option<String> {
        let limit = limits::why(self.stopped?)?;
        let left = self.records.iter().filter(|record| record.ending != Ending::Waiting).count();
        let (events, jobs) = (counted(self.events, "event"), counted(self.records.len(), "job"));
        Some(format!(
            "{limit} ended the simulation after {events}: {left} of {jobs} had ended; the figures are of these"
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
        let done = workload::load(args, seed, &limit).and_then(|workload| {
            let run = simulate(args, seed, (&workload.stations, workload.jobs), &limit)?;
            Ok((run, workload.notes, workload.stations))
        });
        match done {
            Err(error) => {
                ends(error, &runs, args.common.seeds, &mut notes)?;
                break;
            }
            Ok((run, told, machines)) => {
                runs.push(run);
                (notes, stations) = (told, machines);
            }
        }
        if stops(&runs, args.common.seeds, &mut notes) {
            break;
        }
    }
    let whole = runs.iter().all(|run| run.stopped.is_none());
    publish(&args.scheduler, &runs, &stations, &notes, &args.common, out, Vec::new())?;
    match args.checkpoints() {
        Some(checkpoints) if whole => checkpoints.discard(),
        _ => Ok(()),
    }
}

/// Whether the last run was stopped, so that no further run is started; adds a note.
fn stops(runs: &[Run], seeds: u64, notes: &mut Vec<String>) -> bool {
    let Some(note) = runs.last().and_then(Run::note) else { return false };
    notes.push(note);
    let left = seeds - runs.len() as u64;
    // Each seed has the whole limit of work; the clock and Ctrl-C stop all.
    let all = runs.last().is_some_and(|run| run.stopped == Some(End::Signal)) && left > 0;
    if all {
        notes.push(format!("{left} of {} were not started", counted(seeds, "seed")));
    }
    all
}

/// That the input of a run was not made in time ends the command, but keeps the runs before it; adds a note.
///
/// # Errors
/// All others, and this one where there is no run before.
fn ends(error: CliError, runs: &[Run], seeds: u64, notes: &mut Vec<String>) -> Result<(), CliError> {
    match error {
        CliError::NoPlan(why) if !runs.is_empty() => {
            let left = seeds - runs.len() as u64;
            notes.push(format!("{why}: {left} of {} were not started", counted(seeds, "seed")));
            Ok(())
        }
        error => Err(error),
    }
}

/// The figures of a run with the first seed.
///
/// # Errors
/// As [`run`], except for what is written.
pub(crate) fn measure(args: &SimulateArgs, given: &Given) -> Result<Vec<(String, f64)>, CliError> {
    args.refuse_idle_flags(given)?;
    given.refuse(&["checkpoint"], "a sweep keeps what is done")?;
    let limit = args.common.bounds.start_alone()?;
    let workload = workload::load(args, args.common.seed, &limit)?;
    let world = (workload.stations.as_slice(), workload.jobs);
    Ok(report::figures(&simulate(args, args.common.seed, world, &limit)?))
}

/// What is not written of so many jobs, in words.
fn left_out(jobs: usize) -> Option<String> {
    let why = format!("left out: evalys.csv and report.html, which hold at most {MOST_OF_A_PAGE} jobs");
    (jobs > MOST_OF_A_PAGE).then_some(why)
}

/// Prints the figures and, where files are wanted, writes tables, charts and the other files given.
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
    let mut notes = notes.to_vec();
    let left_out = runs.first().and_then(|first| left_out(first.records.len()));
    notes.extend(left_out.clone().filter(|_| out.is_some()));
    let notes = notes.as_slice();
    let text = report::text(scheduler, runs, stations, notes, times);
    let mut answer = Report::new(text, &report::RunsFile::new(scheduler, runs, notes))?;
    if out.is_some() {
        let reports: Vec<report::ReportEntry<'_>> = runs.iter().map(report::ReportEntry::of).collect();
        answer = answer
            .with_filled("jobs.csv", |out| report::write_jobs(out, runs))
            .with_file("users.csv", report::users_csv(runs)?)
            .with_file("report.json", files::json(&reports)?);
        let mut others = "utilisation.svg, jobs.csv, users.csv and report.json".to_owned();
        if let Some(first) = runs.first() {
            let gantt = charts::gantt(scheduler, first, stations, common.gantt_jobs, common.extent);
            answer = answer
                .with_file("utilisation.svg", charts::utilisation(first, stations, common.extent))
                .with_file("gantt.svg", gantt.svg());
            if left_out.is_none() {
                if let Some(text) = report::evalys(first, stations)? {
                    answer = answer.with_file("evalys.csv", text);
                }
                let page = charts::page(scheduler, first, stations, notes, times)?;
                answer = answer.with_file("report.html", page);
                others = format!("report.html, {others}");
            }
        }
        answer = more.into_iter().fold(answer, |answer, (name, text)| answer.with_file(name, text));
        answer = answer.with_first("chart", "gantt.svg", &format!(" (beside it {others})"));
    }
    answer.publish(common.json, out)
}

fn simulate(
    args: &SimulateArgs,
    seed: u64,
    (stations, jobs): (&[Station], Jobs),
    limit: &Limit,
) -> Result<Run, CliError> {
    let mut meter = limit.meter().with_observer(Observer::of_search("simulation"));
    let wrong = |error: econsched::grid_sim::SimError| match &args.input {
        Some(path) => CliError::input(path.as_path(), error),
        None => CliError::usage(error),
    };
    if let Ok(policy) = args.scheduler.parse::<PolicyKind>() {
        let Jobs::Local(jobs) = jobs else {
            return Err(CliError::usage(format!(
                "--workload {} is for brokers: its jobs have expected times on each of five clusters",
                args.workload
            )));
        };
        return queue::simulate(args, policy, seed, (stations, jobs), &mut meter, wrong);
    }
    let interval =
        Span::new(args.interval).map_err(|error| CliError::usage(format!("--interval: {error}")))?;
    let Drawn { jobs, faults, local } = workload::draw(args, seed, (stations, jobs), limit)?;
    if args.scheduler == LIVE {
        let world = (stations, Drawn { jobs, faults, local });
        return live::simulate(args, seed, world, interval, &mut meter, wrong);
    }
    let resources = stations.iter().zip(local).map(|(Station { site, name, machine }, local)| {
        Resource::new(*site, name.clone(), *machine).with_local_jobs(local)
    });
    let mut broker = broker(args)?;
    let grid = Grid::new(resources.collect())
        .with_interval(interval)
        .with_outages(faults.outages)
        .with_cancellations(faults.cancellations)
        .with_overrun(args.faults.overrun()?);
    let done = grid.run_within(&jobs, broker.as_mut(), &mut meter).map_err(wrong)?;
    let spread = if args.scheduler == TWO_PHASE { Spread::Any } else { Spread::OneMachine };
    let mut more = Vec::new();
    if !args.faults.extends() {
        more = bounds::of_broker(stations, &jobs, &done.records, spread);
    }
    let (records, report, events, stopped) = (done.records.into(), done.report, done.events, done.stopped);
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
        let search = search(args)?.build();
        let criterion = args.criterion.unwrap_or(CriterionName::MinCost);
        let mut broker = TwoPhaseBroker::new(search, horizon(args)?).with_goal(criterion.goal());
        if let Some(goal) = &args.goal {
            if *goal == GoalName::MeanFinish && criterion != CriterionName::MinTime {
                let why = "--goal mean-finish keeps to a budget: it goes with --criterion min-time";
                return Err(CliError::usage(why));
            }
            broker = broker.with_preference(goal.preference());
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_written_of_many_jobs_is_said() {
        assert_eq!(left_out(MOST_OF_A_PAGE), None);
        assert!(left_out(MOST_OF_A_PAGE + 1).is_some_and(|text| text.contains("report.html")));
    }
}
