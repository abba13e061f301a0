//! The `study` command: published studies rerun, with our figures beside the paper's.

mod publish;

use super::limits;
use crate::commands::prelude::*;
use crate::commands::settings::{Rare, Settings};
use crate::output::files::{alone, try_writing};
use crate::work::parts;
use crate::work::parts::{Parts, Shard, replicates};
use clap::ValueEnum;
use econsched_studies::{Garg2009, Iccs2011, MultiSGridStudy, Study, StudyError, Window2018, Yadav};
use publish::{Judged, answer};
use serde::de::DeserializeOwned;
use std::sync::Arc;

flags! {
    /// Rerun a published study
    #[command(after_long_help = include_str!("../../help/study.txt"))]
    pub(crate) struct StudyArgs {
        /// The study to rerun
        operand study: Named as "STUDY",
        /// Seed: the same seed gives the same bytes, whatever the number of threads
        seed: u64 = "1",
        [flatten] rare: Rare,
        /// Worker threads [default: one for each core]
        threads: Option<usize> as "COUNT",
        /// Directory for report.md, tables (CSV) and charts (SVG); made if missing
        pub(crate) out: Option<PathBuf> as "DIR",
        /// JSON instead of text
        pub(crate) json: bool,
        /// Compute only part I of N and keep it in the directory of --out, for `econsched merge`
        shard: Option<Shard> as "I/N" [requires = "out"],
    }
}

/// The studies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Named {
    /// ALP against AMP over 25,000 scheduling cycles (Toporkov et al. 2011)
    Iccs2011,
    /// Optimal windows against first fit on 100 and on 40 nodes (Toporkov, Yemelyanov 2018)
    Window2018,
    /// MinCTT, MaxCTT and Greedy on the EDG testbed (Garg et al. 2009)
    Garg2009,
    /// Job grouping on seven resources (Yadav et al.)
    Yadav,
    /// Strategies of a provider on failing grids (Raeisi Gahrouei, Ghatee)
    MultiSGrid,
    /// Every claim of the five papers with its verdict: all studies at full size, that of 2011 with 100,000 cycles, as
    /// CSV
    Verdicts,
}

/// The settings of the verdicts.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdicts {
    /// Only these studies are rerun; for the others, the files in the directory of --out are kept and counted.
    only: Vec<String>,
    /// Where the report of each study that is run is saved, too, in a subdirectory of its name.
    reports: Option<PathBuf>,
    /// Claims that are open are judged once more, from so many times as many replicates.
    open_times: u64,
}

/// A study, and all that its results depend on.
type Made = (Box<dyn Study>, Vec<String>);

fn made<S: Study + Serialize + DeserializeOwned + 'static>(
    usual: S,
    given: Settings,
) -> Result<Made, CliError> {
    let study: S = given.rest().over(usual)?;
    let work = vec!["study".to_owned(), study.name().to_owned(), serde_json::to_string(&study)?];
    Ok((Box::new(study), work))
}

impl Named {
    fn made(self, seed: u64, given: Settings) -> Result<Made, CliError> {
        match self {
            Self::Iccs2011 => made(Iccs2011::default().with_seed(seed), given),
            Self::Window2018 => made(Window2018::default().with_seed(seed), given),
            Self::Garg2009 => made(Garg2009::default().with_seed(seed), given),
            Self::Yadav => made(Yadav::default().with_seed(seed), given),
            Self::MultiSGrid => made(MultiSGridStudy::default().with_seed(seed), given),
            Self::Verdicts => Err(CliError::usage("several studies")),
        }
    }
}

impl Command for StudyArgs {
    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        let Self { seed, threads, shard, .. } = self;
        limits::end_by_ctrl_c(self.out.as_deref());
        let given = self.rare.read()?;
        if self.study == Named::Verdicts {
            return self.judge(given);
        }
        if shard.is_some() && given.has("open_cycles open_seeds") {
            return Err(CliError::usage(
                "--shard: claims that are open are judged once more in one run alone",
            ));
        }
        let (study, work) = self.study.made(*seed, given)?;
        let Some(out) = &self.out else { return whole(study.as_ref(), *threads, None) };
        parts::divided(out, &format!("study-{}", study.name()), work, *shard, |parts| {
            whole(study.as_ref(), *threads, Some(parts))
        })
    }
}

/// The report of the parts of a study.
///
/// # Errors
/// As for a study that is run without parts; [`CliError::Usage`] for parts of another version of the study.
pub(crate) fn merged(work: &[String], parts: &Arc<Parts>) -> Result<Report, CliError> {
    let other = || CliError::usage(format!("no study or sweep of this version: {}", work.join(" ")));
    let [_, name, settings] = work else { return Err(other()) };
    let (named, settings) = (Named::from_str(name, false), Settings::of_json(settings));
    let (study, _) =
        named.ok().zip(settings).ok_or_else(other).and_then(|(named, settings)| named.made(1, settings))?;
    whole(study.as_ref(), None, Some(parts))
}

impl StudyArgs {
    /// Runs several studies for their verdicts: only those named, if any are. Until the file of a study is
    /// written, its finished replicates are in a checkpoint in the directory of --out.
    fn judge(&self, given: Settings) -> Result<Report, CliError> {
        let usual = Verdicts { only: Vec::new(), reports: None, open_times: 1 };
        let Verdicts { only, reports, open_times } = given.rest().over(usual)?;
        if self.shard.is_some() || !(1..=1000).contains(&open_times) {
            return Err(CliError::usage(
                "verdicts: one study at a time has a --shard, and open_times is 1 to 1000",
            ));
        }
        let known = |name: &String| Named::from_str(name, false).is_ok_and(|study| study != Named::Verdicts);
        if let Some(name) = only.iter().find(|name| !known(name) || self.out.is_none()) {
            return Err(CliError::usage(format!(
                "--set only: `{name}`: expected studies, and --out for the others"
            )));
        }
        let out = self.out.as_deref();
        let held = out.map(alone).transpose()?.flatten();
        let (mut judged, mut checkpoints, mut beside) = (Vec::new(), Vec::new(), Vec::new());
        for (named, set) in for_verdicts(open_times) {
            let (study, work) = named.made(self.seed, Rare::of(set.clone()).read()?)?;
            let name = study.name();
            let stays = !only.is_empty() && !only.iter().any(|other| other == name);
            if let (true, Some(out)) = (stays, out) {
                judged.push(Judged::before(name, &out.join(publish::file(name)))?);
                continue;
            }
            let kept = out.map(|out| parts::checkpoint(out, &format!("study-{name}"), work)).transpose()?;
            let report = study.run(&replicates(self.threads, kept.as_ref())?)?;
            if let Some(reports) = &reports {
                let dir = reports.join(name);
                try_writing(&dir)?;
                beside.push((answer(&report)?.with_json("report.json"), dir));
            }
            let seed = if self.seed == 1 { String::new() } else { format!(" --seed {}", self.seed) };
            let set: String = set.iter().map(|set| format!(" --set {set}")).collect();
            judged.push(Judged::now(name, format!("study {name}{set}{seed}"), report));
            checkpoints.extend(kept);
        }
        let mut report =
            beside.into_iter().fold(publish::overall(&judged)?, |all, (one, dir)| all.with_other(one, &dir));
        report.held = held;
        Ok(report.with_end(move || checkpoints.iter().try_for_each(|checkpoint| checkpoint.discard())))
    }
}

/// The number of cycles from which the claims of Toporkov et al. 2011 are judged: four times those of the
/// paper. Its tables and figures use as many as the paper.
const CYCLES_FOR_VERDICTS: u64 = 100_000;

/// The studies at the size at which the papers' claims are judged, with their settings: open ones from so many times
/// as many replicates.
fn for_verdicts(open_times: u64) -> [(Named, Vec<String>); 5] {
    let open = |what: &str, all: u64| (open_times > 1).then(|| format!("open_{what}={}", open_times * all));
    let seeds = |all: u64| open("seeds", all).into_iter().collect();
    let cycles = Some(format!("cycles={CYCLES_FOR_VERDICTS}")).into_iter();
    [
        (Named::Iccs2011, cycles.chain(open("cycles", CYCLES_FOR_VERDICTS)).collect()),
        (Named::Window2018, Vec::new()),
        (Named::Garg2009, seeds(Garg2009::default().seeds)),
        (Named::Yadav, Vec::new()),
        (Named::MultiSGrid, seeds(MultiSGridStudy::default().seeds)),
    ]
}

/// Runs a study to its report. What the parts hold is not run again; they get the other replicates as they are done. A
/// share of them has no report.
fn whole(study: &dyn Study, threads: Option<usize>, parts: Option<&Arc<Parts>>) -> Result<Report, CliError> {
    let report = match study.run(&replicates(threads, parts)?) {
        Err(StudyError::Part { .. }) if parts.is_some_and(|parts| parts.are_a_share()) => {
            return Ok(Report::default());
        }
        report => report?,
    };
    let answered = answer(&report)?;
    Ok(match study.timings()? {
        Some(timings) => answered.and(answer(&timings)?),
        None => answered,
    })
}
