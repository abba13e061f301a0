//! Checkpoints of a long simulation of one machine.
//!
//! Two files in the form of a part of divided work. `FILE.left` grows by a frame at each checkpoint: the jobs that have
//! left since the one before. It is written first; `FILE`, with the state between two events and the number of those
//! frames, is written beside its place and renamed. So a kill at any instant leaves a checkpoint and the jobs that it
//! refers to; what follows them is cut off.

use super::Station;
use super::report::{Left, Outcomes, Records};
use crate::commands::prelude::*;
use crate::output::files::{Body, write_all};
use crate::work::parts::{Growing, Header, Shard, checksum, frame, parse};
use econsched::grid_sim::{
    JobRecord, LocalJob, PolicyKind, Replay, ReplayState, SimError, internal::JobPlaces,
};
use flate2::Crc;
use std::{fs, io};

/// The one frame of the checkpoint file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// Frames of the other file.
    frames: u64,
    /// Units of work spent.
    units: u64,
    state: ReplayState,
}

/// Where checkpoints go, and how many events lie between two of them.
pub(super) struct Checkpoints {
    pub(super) place: PathBuf,
    pub(super) every: u64,
}

/// The checkpoints of a run.
struct Keeping<'a> {
    place: &'a Path,
    header: Header,
    left: Growing,
    frames: u64,
}

/// What the results depend on: the scheduler, the machine and the jobs, which depend on the log and on flags.
fn header(station: &Station, policy: PolicyKind, jobs: &[LocalJob]) -> Result<Header, CliError> {
    let mut sum = Crc::new();
    for job in jobs {
        sum.update(&serde_json::to_vec(job)?);
    }
    let machine = serde_json::to_string(&station.machine)?;
    let work = [("scheduler", policy.to_string()), ("machine", machine), ("list of jobs", checksum(&sum))];
    Ok(Header::new(work.map(|(name, value)| format!("{name}: {value}")).into(), Shard::WHOLE))
}

fn damaged(place: &Path) -> CliError {
    CliError::input(place, "not of a simulation, or damaged: remove it, or name another checkpoint")
}

/// The bytes of a file; `None` if there is none.
fn read(place: &Path) -> Result<Option<Vec<u8>>, CliError> {
    match fs::read(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map(Some).map_err(|error| CliError::input(place, error)),
    }
}

impl Checkpoints {
    fn left(&self) -> PathBuf {
        let mut name = self.place.clone().into_os_string();
        name.push(".left");
        name.into()
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

    /// The last checkpoint, if there is one; the jobs that had left by then are kept among the outcomes.
    fn take_up(
        &self,
        header: Header,
        outcomes: &mut Outcomes,
    ) -> Result<(Option<Kept>, Keeping<'_>), CliError> {
        let (place, left) = (self.place.as_path(), self.left());
        let kept = read(place)?.map(|bytes| kept(place, &header, &bytes)).transpose()?;
        let (frames, mut taken) = (kept.as_ref().map_or(0, |kept| kept.frames), 0);
        let file = Growing::open(&left, &header, |(_, index, record)| {
            let wanted = index == taken && taken < frames;
            let jobs = wanted.then(|| serde_json::from_slice::<Vec<Left>>(record).ok()).flatten();
            let all = jobs.and_then(|jobs| jobs.into_iter().try_for_each(|job| outcomes.take_up(job)));
            taken += u64::from(all.is_some());
            all.is_some()
        })?;
        if taken < frames {
            return Err(damaged(&left));
        }
        Ok((kept, Keeping { place, header, left: file, frames }))
    }
}

/// The state in a checkpoint file, which must be of this work.
fn kept(place: &Path, header: &Header, bytes: &[u8]) -> Result<Kept, CliError> {
    let (there, mut frames) = parse(bytes).ok_or_else(|| damaged(place))?;
    if let Some(what) = there.other_than(header) {
        let what = what.split(": ").next().unwrap_or_default();
        let message = format!("a checkpoint of another {what}: remove it, or name another file");
        return Err(CliError::input(place, message));
    }
    let kept = frames.next().and_then(|(.., record)| serde_json::from_slice(record).ok());
    kept.ok_or_else(|| damaged(place))
}

impl Keeping<'_> {
    /// Writes a checkpoint between two events, with the jobs that have left since the one before.
    fn write(&mut self, jobs: &[Left], units: u64, run: &Replay) -> Result<(), CliError> {
        let Some(state) = run.state() else { return Ok(()) };
        self.left.add(&frame(0, self.frames, &serde_json::to_vec(jobs)?))?;
        self.frames += 1;
        let kept = serde_json::to_vec(&Kept { frames: self.frames, units, state })?;
        let bytes = [self.header.bytes()?, frame(0, 0, &kept)].concat();
        write_all(vec![(self.place.to_owned(), Body::by(move |out| out.write_all(&bytes)))])
    }
}

/// Runs the jobs through the machine; with checkpoints, from the last on if there is one. Also the events, and what
/// stopped it before its end, if anything did.
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
) -> Result<(Records, u64, Option<End>), CliError> {
    let places = JobPlaces::of(&jobs).map_err(&wrong)?;
    let mut outcomes = Outcomes::of(jobs.len());
    let mut run = Replay::new(&station.machine, policy.build());
    let (mut keeping, mut taken) = (None, 0);
    if let Some(checkpoints) = checkpoints {
        let (kept, begun) = checkpoints.take_up(header(station, policy, &jobs)?, &mut outcomes)?;
        if let Some(kept) = kept {
            run = Replay::resume(&kept.state, policy.build())
                .map_err(|error| CliError::input(checkpoints.place.as_path(), error))?;
            // The work of earlier runs counts, so that a limit of work ends at the same event. If it is
            // reached already, the first event reports it.
            let _ = meter.spend(kept.units);
            taken = usize::try_from(kept.state.taken()).unwrap_or(usize::MAX);
        }
        keeping = Some(begun);
    }
    let mut stream = JobPlaces::in_turn(&jobs).skip(taken);
    let mut keep = |record: JobRecord| Some(outcomes.keep(places.of_job(&jobs, record.id)?, record));
    let every = checkpoints.map_or(u64::MAX, |checkpoints| checkpoints.every);
    let end = loop {
        let mut left = Vec::new();
        let mut hand = |record: JobRecord, _promise| left.extend(keep(record).filter(|_| keeping.is_some()));
        let end = run.advance(every, &mut stream, meter, &mut hand).map_err(&wrong)?;
        if let Some(keeping) = &mut keeping {
            keeping.write(&left, meter.work(), &run)?;
        }
        if let Some(end) = end {
            break end;
        }
    };
    let events = run.events();
    run.finish(stream, |record, _promise| drop(keep(record)));
    let stopped = (end != End::Done).then_some(end);
    Ok((Records::Queue(jobs, outcomes), events, stopped))
}
