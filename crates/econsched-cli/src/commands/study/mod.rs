//! The `study` command: published studies rerun, with our figures beside the paper's.

mod args;
mod publish;
mod reading;
mod verdicts;

pub(crate) use args::StudyArgs;

use crate::commands::limits;
use crate::error::CliError;
use crate::output::files::{alone, try_writing};
use crate::report::{Command, Context, Report};
use crate::work::parts::{self, Header, Parts, Shard, replicates};
use args::{Common, Which, for_verdicts, words};
use econsched_studies::{Study, StudyError};
use publish::answer;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use verdicts::Judged;

impl Command for StudyArgs {
    fn destination(&self) -> (bool, Option<&Path>) {
        (self.common.json, self.common.out.as_deref())
    }

    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let (which, common) = (&self.study, &self.common);
        limits::end_by_ctrl_c(common.out.as_deref());
        // Shards of one study may be computed side by side.
        let whole_out = common.out.as_deref().filter(|_| common.shard.is_none());
        let held = whole_out.map(alone).transpose()?.flatten();
        let mut report = match (which, common.shard) {
            (Which::Verdicts { only, reports, open_times }, None) => {
                judge(&for_verdicts(common.seed, *open_times), only, reports.as_deref(), common)?
            }
            (Which::Verdicts { .. }, Some(_)) => {
                return Err(CliError::usage("--shard is for one study at a time"));
            }
            (_, None) => {
                let study = which.study(common.seed)?;
                let checkpoint = checkpoint(common, study.as_ref())?;
                whole(study.as_ref(), common, checkpoint, context.files)?
            }
            (_, Some(shard)) => share(which.study(common.seed)?.as_ref(), common, shard)?,
        };
        report.held = held;
        Ok(report)
    }
}

impl StudyArgs {
    /// The report of the parts of a study.
    ///
    /// # Errors
    /// As for a study that is run without parts; [`CliError::Usage`] for parts of another version of the study.
    pub(crate) fn merged(&self, parts: Arc<Parts>, context: &Context<'_>) -> Result<Report, CliError> {
        let study = self.study.study(self.common.seed)?;
        whole(study.as_ref(), &self.common, Some(parts), context.files)
    }
}

/// Computes a share of a study.
fn share(study: &dyn Study, common: &Common, shard: Shard) -> Result<Report, CliError> {
    let Some(out) = &common.out else {
        return Err(CliError::usage("--shard: give the directory of the part by --out"));
    };
    let header = Header::new(words(study), shard);
    parts::share(out, &format!("study-{}", study.name()), &header, |part| {
        match study.run(&replicates(common.threads, Some(part))?) {
            Ok(_) | Err(StudyError::Part { .. }) => Ok(()),
            Err(error) => Err(CliError::usage(error)),
        }
    })
}

/// Runs several studies for their verdicts: only those named, if any are. Until the file of a study is
/// written, its finished replicates are in a checkpoint in the directory of --out.
fn judge(
    studies: &[Box<dyn Study>],
    only: &[String],
    reports: Option<&Path>,
    common: &Common,
) -> Result<Report, CliError> {
    let (mut judged, mut checkpoints, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for study in studies {
        let file = verdicts::file(study.name());
        let stays = !only.is_empty() && !only.iter().any(|name| name == study.name());
        if let (true, Some(out)) = (stays, &common.out) {
            judged.push(Judged::before(study.name(), &out.join(file))?);
            continue;
        }
        let kept = checkpoint(common, study.as_ref())?;
        let report = study.run(&replicates(common.threads, kept.as_ref())?).map_err(CliError::usage)?;
        if let Some(reports) = reports {
            let dir = reports.join(study.name());
            try_writing(&dir)?;
            beside.push((answer(&report, true)?.with_json("report.json"), dir));
        }
        judged.push(Judged::now(study.as_ref(), report));
        checkpoints.extend(kept);
    }
    let report =
        beside.into_iter().fold(verdicts::answer(&judged)?, |all, (one, dir)| all.with_other(one, &dir));
    Ok(report.with_end(move || checkpoints.iter().try_for_each(|checkpoint| checkpoint.discard())))
}

/// Runs a study to its report. What the checkpoint holds is not run again; it gets the other replicates as they are
/// done, and keeps them if the study stops.
fn whole(
    study: &dyn Study,
    common: &Common,
    checkpoint: Option<Arc<Parts>>,
    with_files: bool,
) -> Result<Report, CliError> {
    let report = study.run(&replicates(common.threads, checkpoint.as_ref())?).map_err(CliError::usage)?;
    let mut answered = answer(&report, with_files)?;
    if let Some(timings) = study.timings().map_err(CliError::usage)? {
        answered = answered.and(answer(&timings, with_files)?);
    }
    Ok(answered.with_end(move || checkpoint.map_or(Ok(()), |checkpoint| checkpoint.discard())))
}

/// The checkpoint of a study, in the directory of its results.
fn checkpoint(common: &Common, study: &dyn Study) -> Result<Option<Arc<Parts>>, CliError> {
    let begun = |out: &PathBuf| parts::checkpoint(out, &format!("study-{}", study.name()), words(study));
    common.out.as_ref().map(begun).transpose()
}
