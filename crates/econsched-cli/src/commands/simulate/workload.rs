//! Jobs and machines of a simulation, from files, models and built-in tables.

use super::{SimulateArgs, Station};
use crate::commands::limits;
use crate::commands::plan::log::losses as losses_of;
use crate::commands::prelude::*;
use crate::commands::settings::Setting;
use crate::output::files::Content;
use crate::printable::one_line;
use econsched::grid_sim::{
    FaultLoad, Faults, GridJob, LocalArrivals, LocalJob, LocalLoad, LogJobs, MOST_JOBS, PolicyKind, SimError,
};
use econsched::sched_model::{MachineId, Site};
use econsched::workload_gen::meta_broker::{MetaBrokerConfiguration, MetaBrokerWorkload, edg_sites};
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf::{SwfHeader, SwfReader};
use econsched::workload_gen::synthetic::LogGenerator;

/// The input of a simulation.
pub(super) struct Workload {
    pub(super) jobs: Jobs,
    pub(super) stations: Vec<Station>,
    pub(super) notes: Vec<String>,
}

/// Jobs for a queue, or for a broker.
pub(super) enum Jobs {
    /// Jobs of a log: time requested and time used.
    Local(Vec<LocalJob>),
    /// Jobs that know their time on each resource.
    Grid(Vec<GridJob>),
}

/// The mean speed of the CPUs of these machines.
///
/// # Errors
/// [`CliError::Usage`] where there is none.
pub(super) fn mean_speed(stations: &[Station]) -> Result<Speed, CliError> {
    let cpus = |station: &Station| f64::from(station.machine.cpus());
    let all: f64 = stations.iter().map(cpus).sum();
    let speeds = stations.iter().map(|station| station.machine.speed.get() * cpus(station));
    Speed::new(speeds.sum::<f64>() / all.max(1.0)).map_err(CliError::usage)
}

/// A job of a log for a broker, on CPUs of this mean speed.
///
/// # Errors
/// [`CliError::Usage`] for a value that the model does not take.
pub(super) fn grid_job(job: &LocalJob, mean_speed: Speed) -> Result<GridJob, CliError> {
    let wrong = |error| CliError::usage(format!("job {}: {error}", job.id));
    GridJob::of_local(job, mean_speed).map_err(wrong)
}

/// What a broker meets.
pub(super) struct Drawn {
    pub(super) jobs: Vec<GridJob>,
    pub(super) faults: Faults,
    /// The local jobs of each machine.
    pub(super) local: Vec<Vec<LocalJob>>,
}

/// Draws the faults and the local jobs of a broker.
///
/// # Errors
/// [`CliError::Usage`] for shares and times out of range; [`CliError::NoPlan`] where the clock or Ctrl-C ends it.
pub(super) fn draw(
    (load, local): (FaultLoad, Setting),
    seed: u64,
    (stations, jobs): (&[Station], Jobs),
    limit: &Limit,
) -> Result<Drawn, CliError> {
    let stations = stations.to_vec();
    limits::within(limit, "before faults and local jobs were drawn", move || {
        // The requested time of a job of a log is its work on a CPU of mean speed.
        let mut jobs = match jobs {
            Jobs::Grid(jobs) => jobs,
            Jobs::Local(jobs) => {
                let speed = mean_speed(&stations)?;
                jobs.iter().map(|job| grid_job(job, speed)).collect::<Result<Vec<_>, _>>()?
            }
        };
        let machines: Vec<Machine> = stations.iter().map(|station| station.machine).collect();
        // Each kind of random input has a stream of its own, so none changes with another.
        let faults = load.draw(&machines, &mut jobs, &mut stream(seed, 2))?;
        // The local jobs come over the time in which the broker's own arrive.
        let submits = || jobs.iter().map(|job| job.job.submit);
        let from = submits().min().unwrap_or(Time::ZERO);
        let over = LocalArrivals::Over { from, to: submits().max().unwrap_or(from) };
        let load = local.over(LocalLoad::new(0, over))?;
        let mut rng = stream(seed, 1);
        let local = stations.iter().map(|station| load.draw(station.machine.cpus(), &mut rng));
        let local = local.collect::<Result<_, _>>()?;
        Ok(Drawn { jobs, faults, local })
    })
}

/// Reads or generates the input that the command line asks for.
///
/// # Errors
/// [`CliError`] for files, names and numbers that are not what they must be; [`CliError::NoPlan`] where the clock or
/// Ctrl-C ends it.
pub(super) fn load(args: &SimulateArgs, seed: u64, limit: &Limit) -> Result<Workload, CliError> {
    let read = args.input.is_some();
    let doing = if read { "before the log was read" } else { "before the jobs were generated" };
    let args = args.clone();
    limits::within(limit, doing, move || make(&args, seed))
}

fn make(args: &SimulateArgs, seed: u64) -> Result<Workload, CliError> {
    if args.input.is_none() && args.workload != "lublin" {
        return meta_broker(args, seed);
    }
    let mut notes = Vec::new();
    let path = args.input.as_deref();
    let (header, made) = match path {
        Some(path) => jobs_of_log(path, args.jobs.unwrap_or(usize::MAX), &mut notes)?,
        None => {
            let mut model = LogGenerator::default().with_jobs(args.jobs.unwrap_or(1000));
            model.model.system_size = args.cpus.unwrap_or(model.model.system_size);
            notes.push(format!("{} generated by the Lublin-Feitelson model", counted(model.jobs, "job")));
            let mut made = LogJobs::default();
            for record in model.records(stream(seed, 0))? {
                made.add(&record);
            }
            (model.header(), made)
        }
    };
    for (count, what) in [
        (made.incomplete, "records without number, submit time, run time or size are left out"),
        (made.out_of_range, "records whose numbers are out of range are left out"),
        (made.without_request, "jobs request no time: their run time is used instead"),
    ] {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    }
    if made.jobs.is_empty() {
        return Err(CliError::blame(path)("no usable job"));
    }
    let mut jobs = made.jobs;
    if args.load != 1.0 {
        at_load(&mut jobs, args.load)?;
    }
    let widest = jobs.iter().map(|job| job.cpus).max().unwrap_or(1);
    let cpus = args.cpus.or(header.max_procs().and_then(|cpus| u32::try_from(cpus).ok()));
    let stations = stations(args, cpus.unwrap_or(widest))?;
    Ok(Workload { jobs: Jobs::Local(jobs), stations, notes })
}

/// Has the jobs come so many times as fast one after another since the first.
fn at_load(jobs: &mut [LocalJob], load: f64) -> Result<(), CliError> {
    let first = jobs.iter().map(|job| job.submit).min().unwrap_or(Time::ZERO);
    let wrong = |error: ModelError| CliError::usage(format!("--load {load}: {error}"));
    for job in jobs {
        let submit = Time::new(sooner(job.submit, first, load)).map_err(wrong)?;
        *job = job.with_submit(submit);
    }
    Ok(())
}

fn sooner(submit: Time, first: Time, load: f64) -> f64 {
    first.get() + (submit - first).get() / load
}

/// The comments of a log, and the jobs of its first records, of which none is held;
/// what of the log was dropped is a note.
///
/// # Errors
/// [`CliError::Input`] for a file that cannot be read, or is JSON or no log; also for more records than a simulation
/// takes.
fn jobs_of_log(path: &Path, most: usize, notes: &mut Vec<String>) -> Result<(SwfHeader, LogJobs), CliError> {
    let opened = files::open(path)?;
    if Content::of(opened.head()).is_json() {
        return Err(CliError::input(path, "this is JSON; a log in the Standard Workload Format is expected"));
    }
    let mut reader = SwfReader::new(opened).map_err(CliError::of_file(path))?;
    let (mut made, mut count) = (LogJobs::default(), 0_usize);
    for record in reader.by_ref() {
        let record = record.map_err(CliError::of_file(path))?;
        if count < most.min(MOST_JOBS) {
            made.add(&record);
        }
        count += 1;
    }
    let (given, what) = (count.min(most), "records of a log");
    if given > MOST_JOBS {
        return Err(CliError::input(path, SimError::TooMany { what, most: MOST_JOBS, given }));
    }
    let (header, losses) = reader.into_parts();
    notes.extend(losses_of(&losses, 1));
    Ok((header, made))
}

fn meta_broker(args: &SimulateArgs, seed: u64) -> Result<Workload, CliError> {
    if args.testbed.is_some() || args.cpus.is_some() {
        return Err(CliError::usage(format!("--workload {} has its own testbed", args.workload)));
    }
    let configuration: MetaBrokerConfiguration = args.workload.parse()?;
    let model = MetaBrokerWorkload::default().with_jobs(args.jobs.unwrap_or(1000));
    let case = model.generate(configuration, &mut stream(seed, 0))?;
    let times = |row: &[f64]| row.iter().map(|time| Span::new(*time)).collect::<Result<Vec<_>, _>>();
    let first = case.jobs.iter().map(|job| job.submit).min().unwrap_or(Time::ZERO);
    let jobs = case.jobs.iter().enumerate().map(|(at, job)| {
        let times = times(case.etc.row(at))?;
        let mut job = job.clone();
        if args.load != 1.0 {
            job.submit = Time::new(sooner(job.submit, first, args.load))?;
        }
        Ok::<_, CliError>(GridJob::new(job).with_times(times))
    });
    Ok(Workload {
        jobs: Jobs::Grid(jobs.collect::<Result<_, _>>()?),
        stations: of_sites(&case.sites),
        notes: vec![format!("{} of configuration {configuration}", counted(case.jobs.len(), "job"))],
    })
}

/// The machines: named or read from a file; else one machine for a queue, the European Data Grid for a
/// broker.
fn stations(args: &SimulateArgs, cpus: u32) -> Result<Vec<Station>, CliError> {
    let queue = args.scheduler.parse::<PolicyKind>().is_ok();
    match args.testbed.as_deref() {
        None if queue => {
            let machine = Machine::new(MachineId(0), cpus, Speed::ETALON, Price::must(1.0));
            let machine = machine.map_err(|error| CliError::usage(format!("--cpus: {error}")))?;
            let machine = args.memory.map_or(machine, |memory| machine.with_memory(memory));
            Ok(vec![Station { site: SiteId(0), name: "machine".to_owned(), machine }])
        }
        None | Some("edg") => Ok(of_sites(&edg_sites(false)?)),
        Some("edg-consistent") => Ok(of_sites(&edg_sites(true)?)),
        Some(path) => {
            let path = Path::new(path);
            let sites: Vec<Site> = files::parse_json(&files::read(path)?, path)?;
            match of_sites(&sites) {
                none if none.is_empty() => Err(CliError::input(path, "no machine in this testbed")),
                stations => Ok(stations),
            }
        }
    }
}

pub(super) fn of_sites(sites: &[Site]) -> Vec<Station> {
    let of_site = |site: &Site| {
        let machines = site.machines().to_vec().into_iter();
        let (id, name) = (site.id, one_line(&site.name));
        machines.map(move |machine| Station { site: id, name: name.clone(), machine })
    };
    sites.iter().flat_map(of_site).collect()
}
