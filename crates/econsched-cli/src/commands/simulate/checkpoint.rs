//! Checkpoints of a long simulation of one machine.
//!
//! Two files. The checkpoint is a line with the checksum of what follows, then JSON: what the work is, the state
//! between two events, and how many bytes of the second file belong to it, with their CRC-32. The second file,
//! `FILE.left`, grows: a line for each job that has left. It is written first; the checkpoint is written
//! beside its place and renamed. So a kill at any instant leaves a checkpoint and the jobs that it refers to;
//! lines after them are cut off.

use super::Station;
use super::records::{Outcomes, Places, Records, record_of};
use crate::error::CliError;
use crate::output::files::write_all;
use crate::work::checksum::Sum;
use econsched::grid_sim::{
    Ending, JobRecord, LocalJob, Overrun, Part, PolicyKind, ReplayRun, ReplayState, SimError,
};
use econsched::sched_model::{End, JobId, Meter, Time};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const MAGIC: &str = "econsched checkpoint 1";

/// Everything that the results depend on, by name.
type Work = Vec<(String, String)>;

/// The content of the checkpoint file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    work: Work,
    /// Bytes of the other file, and their CRC-32.
    left: (u64, u32),
    /// Units of work spent.
    units: u64,
    state: ReplayState,
}

/// A job that has left: its identifier, start, parts and ending.
type LeftJob = (JobId, Option<Time>, Vec<Part>, Ending);

/// The queue after its jobs.
pub(super) struct Ran {
    pub(super) records: Records,
    pub(super) events: u64,
    /// What stopped it before its end, if anything did.
    pub(super) stopped: Option<End>,
}

/// Where checkpoints go, and how many events lie between two of them.
#[derive(Debug)]
pub(super) struct Checkpoints {
    place: PathBuf,
    every: u64,
}

/// The jobs that have left: those in the file, and those not written yet.
struct Leaving {
    file: File,
    sum: Sum,
    unwritten: Vec<u8>,
}

/// The scheduler, the machine and the jobs, which depend on the log and on flags.
fn work_of(station: &Station, policy: PolicyKind, jobs: &[LocalJob]) -> Result<Work, CliError> {
    let mut sum = Sum::default();
    for job in jobs {
        serde_json::to_writer(&mut sum, job).map_err(CliError::fault)?;
    }
    let machine = serde_json::to_string(&station.machine).map_err(CliError::fault)?;
    let work = [
        ("version of econsched", env!("CARGO_PKG_VERSION").to_owned()),
        ("scheduler", policy.to_string()),
        ("machine", machine),
        ("list of jobs", sum.to_string()),
    ];
    Ok(work.map(|(name, value)| (name.to_owned(), value)).into())
}

impl Checkpoints {
    pub(super) fn new(place: PathBuf, every: u64) -> Self {
        Self { place, every }
    }

    fn left(&self) -> PathBuf {
        let name =
            self.place.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        self.place.with_file_name(format!("{name}.left"))
    }

    /// Removes both files, after the results were written.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub(super) fn discard(&self) -> Result<(), CliError> {
        for place in [self.place.clone(), self.left()] {
            fs::remove_file(&place).map_err(|error| CliError::write(&place, error))?;
        }
        Ok(())
    }

    /// Keeps the jobs that have left, as they stand in their file.
    fn take_up(
        &self,
        bytes: &[u8],
        jobs: &[LocalJob],
        places: &Places,
        outcomes: &mut Outcomes,
    ) -> Result<(), CliError> {
        let damaged = || CliError::input(self.left().as_path(), "damaged: remove it and the checkpoint");
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let (id, start, parts, ending): LeftJob = serde_json::from_slice(line).map_err(|_| damaged())?;
            let at = places.of_job(jobs, id).ok_or_else(damaged)?;
            outcomes.keep(at, record_of(&jobs[at], start, parts, ending));
        }
        Ok(())
    }

    /// The checkpoint and the jobs that it refers to; `None` if there is none.
    fn read(&self, work: &Work) -> Result<Option<(Kept, Vec<u8>)>, CliError> {
        let (place, left) = (self.place.as_path(), self.left());
        let text = match fs::read_to_string(place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return if left.exists() {
                    Err(CliError::input(
                        left.as_path(),
                        "this file is not of a simulation: remove it, or name another checkpoint",
                    ))
                } else {
                    Ok(None)
                };
            }
            text => text.map_err(|error| CliError::input(place, error))?,
        };
        let damaged =
            |what: &Path| CliError::input(what, "no checkpoint of a simulation, or a damaged one: remove it");
        let body = text
            .split_once('\n')
            .filter(|(head, body)| *head == format!("{MAGIC} {}", Sum::of(body.as_bytes())));
        let (_, body) = body.ok_or_else(|| damaged(place))?;
        let kept: Kept = serde_json::from_str(body).map_err(|_| damaged(place))?;
        if let Some((name, _)) =
            kept.work.iter().zip(work).find(|(there, here)| there != here).map(|(there, _)| there)
        {
            return Err(CliError::input(
                place,
                format!("a checkpoint of another {name}: remove it, or name another file"),
            ));
        }
        let mut bytes = match fs::read(&left) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            bytes => bytes.map_err(|error| CliError::input(left.as_path(), error))?,
        };
        let length = usize::try_from(kept.left.0).unwrap_or(usize::MAX);
        if bytes.len() < length || Sum::of(&bytes[..length]).crc() != kept.left.1 {
            return Err(CliError::input(left.as_path(), "not the jobs of the checkpoint: remove both"));
        }
        bytes.truncate(length);
        Ok(Some((kept, bytes)))
    }

    fn write(&self, work: &Work, left: (u64, u32), units: u64, run: &ReplayRun) -> Result<(), CliError> {
        let Some(state) = run.state() else { return Ok(()) };
        let kept = Kept { work: work.clone(), left, units, state };
        let body = serde_json::to_string(&kept).map_err(CliError::fault)?;
        let text = format!("{MAGIC} {}\n{body}", Sum::of(body.as_bytes()));
        write_all(vec![(self.place.clone(), text.into())])
    }

    /// The file of jobs that have left, cut after these bytes.
    fn leaving(&self, bytes: &[u8]) -> Result<Leaving, CliError> {
        let failed = |error| CliError::write(self.left(), error);
        let file = File::options().create(true).append(true).open(self.left()).map_err(failed)?;
        file.set_len(bytes.len() as u64).map_err(failed)?;
        Ok(Leaving { file, sum: Sum::of(bytes), unwritten: Vec::new() })
    }
}

/// Runs the jobs through the machine; with checkpoints, from the last on if there is one.
///
/// # Errors
/// [`CliError::Input`] for a checkpoint of other work or a damaged one, and for jobs that cannot be
/// served; [`CliError::Write`] where a checkpoint cannot be written.
pub(super) fn replay(
    checkpoints: Option<&Checkpoints>,
    station: &Station,
    policy: PolicyKind,
    jobs: Vec<LocalJob>,
    meter: &mut Meter,
    wrong: impl Fn(SimError) -> CliError,
) -> Result<Ran, CliError> {
    let places = Places::of(&jobs, &wrong)?;
    let mut outcomes = Outcomes::of(jobs.len());
    let start = places.in_turn(&jobs).next().map_or(Time::ZERO, |job| job.submit());
    let mut run = ReplayRun::new(&station.machine, policy.build(), Overrun::default(), start);
    let (mut keeping, mut taken) = (None, 0);
    if let Some(checkpoints) = checkpoints {
        let work = work_of(station, policy, &jobs)?;
        let mut before = Vec::new();
        if let Some((kept, bytes)) = checkpoints.read(&work)? {
            checkpoints.take_up(&bytes, &jobs, &places, &mut outcomes)?;
            run = ReplayRun::resume(&kept.state, policy.build())
                .map_err(|error| CliError::input(checkpoints.place.as_path(), error))?;
            // The work of earlier runs counts, so that a limit of work ends at the same event. If it is
            // reached already, the first event reports it.
            let _ = meter.spend(kept.units);
            (before, taken) = (bytes, usize::try_from(kept.state.taken()).unwrap_or(usize::MAX));
        } else {
            // The checkpoint is removed first: a file of jobs without a checkpoint is not taken for ours.
            checkpoints.write(&work, (0, Sum::default().crc()), meter.work(), &run)?;
        }
        keeping = Some((checkpoints, work, checkpoints.leaving(&before)?));
    }
    let mut stream = places.in_turn(&jobs).skip(taken);
    let mut keep = |record: JobRecord| {
        if let Some(at) = places.of_job(&jobs, record.id) {
            outcomes.keep(at, record);
        }
    };
    let every = checkpoints.map_or(u64::MAX, |checkpoints| checkpoints.every);
    let end = loop {
        let mut failed = None;
        let mut hand = |record: JobRecord, _promise| {
            if let Some((.., leaving)) = &mut keeping {
                failed = leaving.add(&record).err().or(failed.take());
            }
            keep(record);
        };
        let end = run.advance(every, &mut stream, meter, &mut hand).map_err(&wrong)?;
        if let Some(error) = failed {
            return Err(CliError::fault(error));
        }
        if let Some((checkpoints, work, leaving)) = &mut keeping {
            let left = leaving.write().map_err(|error| CliError::write(checkpoints.left(), error))?;
            checkpoints.write(work, left, meter.work(), &run)?;
        }
        if let Some(end) = end {
            break end;
        }
    };
    let events = run.events();
    run.finish(stream, |record, _promise| keep(record));
    let stopped = (end != End::Done).then_some(end);
    Ok(Ran { records: Records::Queue(jobs, outcomes), events, stopped })
}

impl Leaving {
    fn add(&mut self, record: &JobRecord) -> Result<(), serde_json::Error> {
        let left = (record.id, record.start, &record.parts, &record.ending);
        serde_json::to_writer(&mut self.unwritten, &left)?;
        self.unwritten.push(b'\n');
        Ok(())
    }

    /// Writes the jobs that have left since. Returns the length of the file and its CRC-32.
    fn write(&mut self) -> io::Result<(u64, u32)> {
        self.file.write_all(&self.unwritten)?;
        self.file.sync_data()?;
        self.sum.add(&self.unwritten);
        self.unwritten.clear();
        Ok((self.sum.bytes(), self.sum.crc()))
    }
}
