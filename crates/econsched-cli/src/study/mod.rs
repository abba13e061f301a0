//! The `study` command: published studies rerun, with our figures beside the paper's.

mod args;
mod progress;
mod publish;
mod reading;
mod verdicts;

pub(crate) use args::StudyArgs;

use crate::error::CliError;
use crate::files::{OutDir, alone};
use crate::limits;
use crate::parts::{self, Header, Parts, Shard};
use crate::terminal;
use args::{Common, Which};
use econsched_studies::{Failure, Replicates, Store, Study, StudyError, StudyReport};
use progress::Bar;
use publish::answer;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use verdicts::Judged;

/// The records of a study in a file.
struct Records(Arc<Parts>);

impl Store for Records {
    fn wants(&self, _round: u32, index: u64) -> bool {
        self.0.wants(index)
    }

    fn get(&self, round: u32, index: u64) -> Option<Vec<u8>> {
        self.0.get(round, index)
    }

    fn put(&self, round: u32, index: u64, record: &[u8]) {
        self.0.put(round, index, record);
    }

    fn flush(&self) -> Result<(), Failure> {
        self.0.flush().map_err(Into::into)
    }
}

/// Runs a study, or a share of it.
pub(crate) fn run(args: StudyArgs) -> Result<(), CliError> {
    let arguments = args.study.arguments();
    let (only, reports) = match &args.study {
        Which::Verdicts { only, reports, .. } => (only.clone(), reports.clone()),
        _ => (Vec::new(), None),
    };
    let (studies, common) = args.study.studies()?;
    limits::end_by_ctrl_c(common.out.as_deref());
    // Shards of one study may be computed side by side.
    let whole_out = common.out.as_deref().filter(|_| common.shard.is_none());
    let _alone = whole_out.map(alone).transpose()?;
    let [study] = studies.as_slice() else { return judge(&studies, &only, reports.as_deref(), &common) };
    let Some(shard) = common.shard else {
        let checkpoint = match &common.out {
            Some(out) => checkpoint(out, study.as_ref(), arguments)?,
            None => None,
        };
        return whole(study.as_ref(), &common, checkpoint);
    };
    let Some(out) = &common.out else {
        return Err(CliError::usage("--shard: give the directory of the part by --out"));
    };
    let place = out.join(parts::name(&format!("study-{}", study.name()), shard));
    let Some(part) = Parts::begin(&place, &Header::new(arguments, shard))?.map(Arc::new) else {
        return terminal::print(&parts::told(&place, shard, true, common.json)?);
    };
    match study.run(&replicates(&common)?.with_store(Box::new(Records(Arc::clone(&part))))) {
        Ok(_) | Err(StudyError::Part { .. }) => part.finish()?,
        Err(error) => return Err(failed(error)),
    }
    terminal::print(&parts::told(&place, shard, false, common.json)?)
}

/// Runs several studies for their verdicts: only those named, if any are. Until the file of a study is
/// written, its finished replicates are in a checkpoint in the directory of --out.
fn judge(
    studies: &[Box<dyn Study>],
    only: &[String],
    reports: Option<&Path>,
    common: &Common,
) -> Result<(), CliError> {
    if common.shard.is_some() {
        return Err(CliError::usage("--shard is for one study at a time"));
    }
    let dir = common.out.as_deref().map(OutDir::open).transpose()?;
    let (mut judged, mut checkpoints) = (Vec::new(), Vec::new());
    for study in studies {
        let file = verdicts::file(study.name());
        let stays = !only.is_empty() && !only.iter().any(|name| name == study.name());
        if let (true, Some(out)) = (stays, &common.out) {
            judged.push(Judged::before(study.name(), &out.join(file))?);
            continue;
        }
        let mut kept = None;
        if let Some(out) = &common.out {
            let arguments = study.command().split(' ').map(str::to_owned).collect();
            kept = checkpoint(out, study.as_ref(), arguments)?;
        }
        let report = report(study.as_ref(), common, kept.as_ref())?;
        if let Some(reports) = reports {
            let dir = OutDir::open(&reports.join(study.name()))?;
            answer(&report, true)?.with_json("report.json").save(dir)?;
        }
        judged.push(Judged::now(study.as_ref(), report));
        checkpoints.extend(kept);
    }
    verdicts::answer(&judged)?.publish(common.json, dir)?;
    checkpoints.into_iter().try_for_each(|checkpoint| checkpoint.discard())
}

/// Merges the parts of a study.
///
/// # Errors
/// As for a study that is run without parts; [`CliError::Usage`] for parts of another version of the study.
pub(crate) fn merge(args: StudyArgs, parts: Parts, out: Option<PathBuf>, json: bool) -> Result<(), CliError> {
    let (studies, common) = args.study.studies()?;
    let [study] = studies.as_slice() else { return Err(CliError::usage("parts of several studies")) };
    whole(study.as_ref(), &Common { out, json, ..common }, Some(Arc::new(parts)))
}

/// Runs a study to its report. The checkpoint holds the replicates done before, and gets the new ones.
fn whole(study: &dyn Study, common: &Common, checkpoint: Option<Arc<Parts>>) -> Result<(), CliError> {
    let dir = common.out.as_deref().map(OutDir::open).transpose()?;
    let mut answered = answer(&report(study, common, checkpoint.as_ref())?, dir.is_some())?;
    if let Some(timings) = study.timings().map_err(failed)? {
        answered = answered.and(answer(&timings, dir.is_some())?);
    }
    answered.publish(common.json, dir)?;
    checkpoint.map_or(Ok(()), |checkpoint| checkpoint.discard())
}

/// The checkpoint of a study, which is kept in the directory of its results until the study is done.
fn checkpoint(out: &Path, study: &dyn Study, arguments: Vec<String>) -> Result<Option<Arc<Parts>>, CliError> {
    let place = out.join(format!("study-{}.checkpoint", study.name()));
    Ok(Parts::begin(&place, &Header::new(arguments, Shard::WHOLE))?.map(Arc::new))
}

/// Runs a study. If it stops, the checkpoint keeps the finished replicates.
fn report(
    study: &dyn Study,
    common: &Common,
    checkpoint: Option<&Arc<Parts>>,
) -> Result<StudyReport, CliError> {
    let mut replicates = replicates(common)?;
    if let Some(checkpoint) = checkpoint {
        replicates = replicates.with_store(Box::new(Records(Arc::clone(checkpoint))));
    }
    study.run(&replicates).map_err(failed)
}

fn replicates(common: &Common) -> Result<Replicates, CliError> {
    Ok(Replicates::new(common.threads).map_err(failed)?.with_progress(Box::new(Bar::default())))
}

fn failed(error: StudyError) -> CliError {
    CliError::usage(error)
}
