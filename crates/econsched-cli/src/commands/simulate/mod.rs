//! `econsched simulate`: runs a workload on a grid as time passes, or in the queue of one machine, and says how far a
//! run is above lower bounds that hold for every scheduler.

mod args;
mod checkpoint;
mod live;
pub(crate) mod multi_s_grid;
mod page;
mod report;
mod workload;

use super::limits;
use super::plan::CriterionName;
use crate::commands::prelude::*;
use crate::output::files::Body;
pub(crate) use args::SimulateArgs;
use args::{Common, RareSettings, TWO_PHASE};
use checkpoint::replay;
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim;
use econsched::grid_sim::{
    BatchScheduler, Ending, Grid, GridJob, LocalJob, Overrun, PolicyKind, Resource, TwoPhaseBroker,
    lower_bounds,
};
use econsched::live_broker::Config;
use econsched::sched_model::internal::ExactSum;
use econsched::slot_window::Objective;
use econsched_studies::multi_s_grid::Site;
use report::{Figure, Kind, Records};
use std::borrow::Borrow;
use workload::{Jobs, Workload, grid_job};

/// Maximum number of jobs on a page.
const MAX_PAGE_JOBS: usize = 1_000_000;

/// Maximum number of alternatives of each job for the two-phase broker.
const ALTERNATIVES: usize = 10;

/// Returns the machines of these sites.
fn machines(sites: &[Site]) -> Vec<Machine> {
    sites.iter().flat_map(|site| site.machines.iter().copied()).collect()
}

/// Creates resources from the machines of these sites, each with its local jobs.
fn resources(sites: &[Site], local: Vec<Vec<LocalJob>>) -> impl Iterator<Item = Resource> {
    let machines = sites.iter().flat_map(|site| site.machines.iter().map(move |machine| (site, machine)));
    machines.zip(local).map(|((site, machine), local)| {
        Resource::new(site.id, site.name.clone(), *machine).with_local_jobs(local)
    })
}

/// The result of one seed.
struct Run {
    seed: u64,
    /// Number of machines.
    machines: usize,
    records: Records,
    report: grid_sim::Report,
    /// Figures beyond those of the report.
    more: Vec<Figure>,
    events: u64,
    /// Why the run was stopped early, if it was.
    stopped: Option<End>,
}

impl Run {
    fn cpus(&self) -> u64 {
        self.report.sites.iter().map(|site| site.site.cpus).sum()
    }

    /// Describes why the run was stopped, if it was.
    fn note(&self) -> Option<String> {
        let limit = limits::limit_name(self.stopped?)?;
        let left = self.records.iter().filter(|record| record.ending != Ending::Waiting).count();
        let (events, jobs) = (counted(self.events, "event"), counted(self.records.len(), "job"));
        Some(format!(
            "{limit} ended the simulation after {events}: {left} of {jobs} had ended; the figures are of these"
        ))
    }
}

/// The runs of all seeds.
#[derive(Default)]
struct Runs {
    scheduler: String,
    runs: Vec<Run>,
    notes: Vec<String>,
}

impl Runs {
    /// Runs one seed after another. If the clock or Ctrl-C stops a run before it begins, those before it are kept.
    ///
    /// # Errors
    /// Those of a run; also if the first run was stopped before it began.
    fn of_seeds(
        scheduler: &str,
        common: &Common,
        mut one: impl FnMut(u64) -> Result<(Run, Vec<String>), CliError>,
    ) -> Result<Self, CliError> {
        let mut all = Self { scheduler: scheduler.to_owned(), ..Self::default() };
        for step in 0..common.seeds {
            match one(common.seed.wrapping_add(step)) {
                // Each seed has the whole limit of work; the clock and Ctrl-C stop all seeds.
                Err(CliError::NoPlan(why)) if step > 0 => {
                    let (left, seeds) = (common.seeds - step, counted(common.seeds, "seed"));
                    all.notes.push(format!("{why}: {left} of {seeds} were not started"));
                    break;
                }
                Err(error) => return Err(error),
                Ok((run, notes)) => {
                    all.notes.extend(notes.into_iter().filter(|_| step == 0));
                    all.notes.extend(run.note());
                    all.runs.push(run);
                }
            }
        }
        Ok(all)
    }

    /// Returns the figures as an answer, with tables and the page if files are written.
    ///
    /// # Errors
    /// [`CliError::Fault`] for values that cannot be written.
    fn report(mut self, with_files: bool) -> Result<Report, CliError> {
        let long = self.runs.first().is_some_and(|first| first.records.len() > MAX_PAGE_JOBS);
        let left_out = || format!("left out: report.html, which holds at most {MAX_PAGE_JOBS} jobs");
        self.notes.extend((long && with_files).then(left_out));
        let mut answer = Report::new(self.text(), &self.json())?;
        let Some(first) = self.runs.first() else { return Ok(answer) };
        answer = answer.with_figures(report::by_name(first));
        if !with_files {
            return Ok(answer);
        }
        answer = answer.with_json("report.json");
        if !long {
            answer = answer.with_file("report.html", self.page(first)?);
        }
        let first = if long { "jobs.csv" } else { "report.html" };
        let jobs = Body::Stream(Box::new(move |out| report::write_jobs(out, &self.runs)));
        Ok(answer.with_file("jobs.csv", jobs).with_first("results", first))
    }
}

impl Command for SimulateArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let rare = self.rare()?;
        self.refuse_idle_flags(context, rare.draws)?;
        let limit = self.common.limits.start(!context.sweep);
        let all = Runs::of_seeds(&self.scheduler, &self.common, |seed| {
            let Workload { jobs, sites, notes } = workload::load(self, &rare, seed, &limit)?;
            Ok((simulate(self, &rare, seed, (&sites, jobs), &limit)?, notes))
        })?;
        let whole = all.runs.iter().all(|run| run.stopped.is_none());
        let report = all.report(context.files)?;
        Ok(match self.checkpoint.clone().filter(|_| whole) {
            Some(place) => report.with_end(move || files::remove(&place)),
            None => report,
        })
    }
}

/// Runs one seed.
fn simulate(
    args: &SimulateArgs,
    rare: &RareSettings,
    seed: u64,
    (sites, jobs): (&[Site], Jobs),
    limit: &Limit,
) -> Result<Run, CliError> {
    let mut meter = limit.meter().with_observer(limits::progress_observer("simulation"));
    let (mut jobs, faults, local) = match jobs {
        Jobs::Queue(policy, jobs) => return of_queue(args, policy, seed, (sites, jobs), &mut meter),
        Jobs::Broker { jobs, faults, local } => (jobs, faults, local),
    };
    let resources = resources(sites, local);
    let resources = match &rare.live {
        Some(live) => live.with_demands(sites, resources, &mut jobs)?,
        None => resources.collect(),
    };
    let grid =
        Grid::new(resources).with_interval(args.interval).with_faults(faults).with_overrun(rare.overrun);
    let (records, report, mut more, events, stopped) = match &rare.live {
        Some(live) => {
            let done = grid.run_live(&jobs, live.config.clone(), &mut meter).map_err(args.blame())?;
            let more = live::figures(&done);
            (Records::List(done.records), done.report, more, done.inputs, done.stopped)
        }
        None => {
            let done = grid.run(&jobs, broker(args)?.as_mut(), &mut meter).map_err(args.blame())?;
            (Records::List(done.records), done.report, Vec::new(), done.events, done.stopped)
        }
    };
    let machines = machines(sites);
    // Work before a preemption and work beyond the requested time are not paid, so the bound on the cost does not
    // hold.
    let preempts = rare.live.as_ref().is_some_and(|live| live.config.preemption.is_some());
    if rare.overrun == Overrun::Kill && !preempts {
        let split = rare.live.is_some() || args.scheduler == TWO_PHASE;
        more.extend(above_bounds(&machines, &records, |at| jobs.get(at), split));
    }
    Ok(Run { seed, machines: machines.len(), records, report, more, events, stopped })
}

/// Creates the broker that the flags name.
fn broker(args: &SimulateArgs) -> Result<Box<dyn BatchScheduler>, CliError> {
    if args.scheduler == TWO_PHASE {
        let criterion = args.criterion.unwrap_or(CriterionName::MinCost);
        let mut config = Config::new(args.horizon)
            .with_search(args.search)
            .with_goal(criterion.goal(), ALTERNATIVES)
            .with_time(Objective::Runtime);
        config.prefer.clone_from(&args.goal);
        return Ok(Box::new(TwoPhaseBroker::new(config)));
    }
    let kind: TradeOffKind = args.scheduler.parse()?;
    let metric = args.trade_off.into_iter().fold(TradeOffMetric::default(), TradeOffMetric::with_factor);
    Ok(Box::new(kind.build(metric)))
}

/// Runs the jobs through the queue of the only machine.
///
/// # Errors
/// [`CliError::Wrong`] if there are several machines, and errors of the simulation.
fn of_queue(
    args: &SimulateArgs,
    policy: PolicyKind,
    seed: u64,
    (sites, jobs): (&[Site], Vec<LocalJob>),
    meter: &mut Meter,
) -> Result<Run, CliError> {
    let machines = machines(sites);
    let (&[machine], [site]) = (&machines[..], sites) else {
        let machines = counted(machines.len(), "machine");
        let message = format!("--scheduler {policy} serves one machine, the testbed has {machines}");
        return Err(CliError::usage(message));
    };
    let (records, events, stopped) = replay(args, &machine, policy, jobs, meter)?;
    let report = records.report(site);
    let mut more = Vec::new();
    if let Records::Queue(jobs, _) = &records {
        let job = |at: usize| grid_job(&jobs[at], machine.speed);
        (0..jobs.len()).try_for_each(|at| job(at).map(drop))?;
        more = above_bounds(&machines, &records, |at| job(at).ok(), false);
    }
    Ok(Run { seed, machines: 1, records, report, more, events, stopped })
}

/// Returns lower bounds on the cost and the makespan of the jobs that ran to their end, and how far above them the
/// run is; nothing if no job did. `split` says whether jobs may be split over machines.
fn above_bounds<J: Borrow<GridJob>>(
    machines: &[Machine],
    records: &Records,
    job: impl Fn(usize) -> Option<J>,
    split: bool,
) -> Vec<Figure> {
    let (mut first, mut last, mut paid) = (None, None, ExactSum::new());
    let done = records.iter().enumerate().filter(|(_, record)| record.ending == Ending::Done);
    let done = done.filter_map(|(at, record)| {
        first = Some(first.map_or(record.submit, |first| record.submit.min(first)));
        last = last.max(record.end());
        paid.add(record.cost().get());
        job(at)
    });
    let bounds = lower_bounds(machines, done, split);
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    let mut figures = Vec::new();
    for (what, kind, bound, reached) in [
        ("cost", Kind::Number, bounds.cost.get(), paid.value()),
        ("makespan", Kind::Span, bounds.makespan.get(), (last - first).get()),
    ] {
        figures.push((format!("lower bound of the {what}"), kind, bound));
        if bound > 0.0 {
            let above = 100.0 * (reached / bound - 1.0);
            // The bound is a sum of rounded terms, so a difference in the last bits means nothing.
            let above = if above.abs() < 1e-9 { 0.0 } else { above };
            figures.push((format!("{what} above its bound, %"), Kind::Number, above));
        }
    }
    figures
}
