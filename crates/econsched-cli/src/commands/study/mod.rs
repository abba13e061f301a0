//! The `study` command: its flags, and published studies rerun, with our figures beside the paper's.

mod publish;

use super::limits;
use crate::commands::prelude::*;
use crate::output::files::{alone, try_writing};
use crate::work::parts;
use crate::work::parts::{Parts, Shard, replicates};
use clap::{Args, FromArgMatches};
use econsched_studies::{Garg2009, Iccs2011, MultiSGridStudy, Study, StudyError, Window2018};
use publish::{Judged, Reading, answer};
use std::sync::Arc;

impl Command for StudyArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let Common { seed, threads, out, shard, .. } = &self.common;
        let out = out.as_deref();
        limits::end_by_ctrl_c(out);
        if let Which::Verdicts { only, reports, open_times } = &self.study {
            if shard.is_some() {
                return Err(CliError::usage("--shard is for one study at a time"));
            }
            return judge(for_verdicts(*seed, *open_times), only, reports.as_deref(), &self.common);
        }
        let study = self.study.study(*seed)?;
        let Some(out) = out else { return whole(study.as_ref(), *threads, None) };
        let words = context.given.words(&Self::augment_args(clap::Command::new("study")), &IDLE);
        parts::divided(out, &format!("study-{}", study.name()), words, *shard, |parts| {
            whole(study.as_ref(), *threads, Some(parts))
        })
    }
}

impl StudyArgs {
    /// The study of these words.
    ///
    /// # Errors
    /// [`CliError::Usage`] for words of another version.
    pub(crate) fn of(words: &[String]) -> Result<Self, CliError> {
        let matches = Self::augment_args(clap::Command::new("study")).try_get_matches_from(words);
        let study = matches.and_then(|matches| Self::from_arg_matches(&matches));
        let other = |_| CliError::usage(format!("no study or sweep of this version: {}", words.join(" ")));
        study.map_err(other)
    }

    /// The report of the parts of a study.
    ///
    /// # Errors
    /// As for a study that is run without parts; [`CliError::Usage`] for parts of another version of the study.
    pub(crate) fn merged(&self, parts: Arc<Parts>) -> Result<Report, CliError> {
        whole(self.study.study(self.common.seed)?.as_ref(), self.common.threads, Some(&parts))
    }
}

/// Flags on which no result depends.
const IDLE: [&str; 5] = ["out", "json", "threads", "shard", "timings"];

/// Runs several studies for their verdicts: only those named, if any are. Until the file of a study is
/// written, its finished replicates are in a checkpoint in the directory of --out.
fn judge(
    studies: [String; 5],
    only: &[String],
    reports: Option<&Path>,
    common: &Common,
) -> Result<Report, CliError> {
    let held = common.out.as_deref().map(alone).transpose()?.flatten();
    let (mut judged, mut checkpoints, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for command in studies {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let StudyArgs { study, common: Common { seed, .. } } = StudyArgs::of(&words)?;
        let study = study.study(seed)?;
        let file = publish::file(study.name());
        let stays = !only.is_empty() && !only.iter().any(|name| name == study.name());
        if let (true, Some(out)) = (stays, &common.out) {
            judged.push(Judged::before(study.name(), &out.join(file))?);
            continue;
        }
        let kept = |out: &PathBuf| parts::checkpoint(out, &format!("study-{}", study.name()), words);
        let kept = common.out.as_ref().map(kept).transpose()?;
        let report = study.run(&replicates(common.threads, kept.as_ref())?)?;
        if let Some(reports) = reports {
            let dir = reports.join(study.name());
            try_writing(&dir)?;
            beside.push((answer(&report)?.with_json("report.json"), dir));
        }
        judged.push(Judged::now(study.name(), command, report));
        checkpoints.extend(kept);
    }
    let mut report =
        beside.into_iter().fold(publish::overall(&judged)?, |all, (one, dir)| all.with_other(one, &dir));
    report.held = held;
    Ok(report.with_end(move || checkpoints.iter().try_for_each(|checkpoint| checkpoint.discard())))
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

flags! {
    /// The study to rerun.
    pub(crate) struct StudyArgs {
        [subcommand] pub(super) study: Which,
        [flatten] pub(crate) common: Common,
    }
}

flags! {
    pub(super) enum Which {
        /// ALP against AMP over 25,000 scheduling cycles (Toporkov et al. 2011)
        Iccs2011 {
            /// Number of scheduling cycles
            cycles: u64 = Iccs2011::default().cycles.to_string(),
            /// Run every reading of what the paper leaves open, and name the one that is nearest to all its
            /// figures
            explore: bool,
            /// Cycles from which the claims that are open after --cycles are judged once more; those beyond
            /// --cycles are run with the full budgets alone
            open_cycles: u64 as "N" [conflicts_with = "shard"] = "0",
        },
        /// Optimal windows against first fit on 100 and on 40 nodes (Toporkov, Yemelyanov 2018)
        Window2018 {
            /// Number of environments for each number of nodes
            seeds: u64 = Window2018::default().seeds.to_string(),
            /// Also measure running times: on one thread, after the report, in separate files, which differ from
            /// run to run
            timings: bool,
        },
        /// MinCTT, MaxCTT and Greedy on the EDG testbed (Garg et al. 2009)
        Garg2009 {
            /// Number of workloads; each is run with all heuristics, trade-off factors and configurations
            seeds: u64 = Garg2009::default().seeds.to_string(),
            /// Number of applications in a workload
            jobs: usize = Garg2009::default().jobs.to_string(),
            /// Schedule interval of the meta-broker, seconds
            interval: f64 = Garg2009::default().interval.to_string(),
            /// Number of local jobs of each resource, run by EASY backfilling; the paper states none
            local_jobs: usize = "0",
            /// Workloads from which the claims that are open after --seeds are judged once more; of those beyond
            /// --seeds only the runs are made that these claims need
            open_seeds: u64 as "N" [conflicts_with = "shard"] = "0",
        },
        /// Job grouping on seven resources (Yadav et al.)
        Yadav { [flatten] reading: Reading, },
        /// Every claim of the five papers with its verdict: all studies at full size, that of 2011 with 100,000
        /// cycles, as CSV
        Verdicts {
            /// Rerun only these studies; for the others, the files in the directory of --out are kept and counted
            only: Vec<String> as "NAME" [value_delimiter = ',', requires = "out"] => ["iccs2011", "window2018", "garg2009", "yadav", "multi-s-grid"],
            /// Also save the report of each study that is run, in a subdirectory of its name
            reports: Option<PathBuf> as "DIR",
            /// Judge claims that are open once more, from so many times as many replicates
            open_times: u64 as "N" = "1" => count::<u64>(1, 1_000),
        },
        /// Strategies of a provider on failing grids (Raeisi Gahrouei, Ghatee)
        MultiSGrid {
            /// Number of random draws of grid, users and jobs: the ten grids of Table 1 in turn, each with both
            /// groups of Table 2
            seeds: u64 = MultiSGridStudy::default().seeds.to_string(),
            /// Number of time slices of a run, one second each; jobs arrive in the first two thirds
            slices: u32 = MultiSGridStudy::default().slices.to_string(),
            /// Work offered at peak, over what works of the grid on average; the paper names no load
            at_peak: f64 as "SHARE" = MultiSGridStudy::default().at_peak.to_string(),
            /// Draws from which the claims that are open after --seeds are judged once more; of those beyond
            /// --seeds only the runs are made that these claims need
            open_seeds: u64 as "N" [conflicts_with = "shard"] = "0",
        },
    }
}

/// The number of cycles from which the claims of Toporkov et al. 2011 are judged: four times those of the
/// paper. Its tables and figures use as many as the paper.
const CYCLES_FOR_VERDICTS: u64 = 100_000;

flags! {
    /// The flags of all studies.
    pub(crate) struct Common {
        /// Seed: the same seed gives the same bytes, whatever the number of threads
        pub(super) seed: u64 [global = true] = "1",
        /// Worker threads [default: one for each core]
        pub(super) threads: Option<usize> [global = true],
        /// Directory for report.md, tables (CSV) and charts (SVG); made if missing
        pub(crate) out: Option<PathBuf> as "DIR" [global = true],
        /// JSON instead of text
        pub(crate) json: bool [global = true],
        /// Compute only part I of N and keep it in the directory of --out, for `econsched merge`
        pub(super) shard: Option<Shard> as "I/N" [global = true, requires = "out"],
    }
}

/// The studies at the size at which the papers' claims are judged, open ones from so many times as many
/// replicates, with their flags.
fn for_verdicts(seed: u64, open_times: u64) -> [String; 5] {
    let open = |what: &str, all: u64| match open_times {
        1 => String::new(),
        times => format!(" --open-{what} {}", times * all),
    };
    let iccs2011 = format!("iccs2011 --cycles {CYCLES_FOR_VERDICTS}{}", open("cycles", CYCLES_FOR_VERDICTS));
    let garg2009 = format!("garg2009{}", open("seeds", Garg2009::default().seeds));
    let multi_s_grid = format!("multi-s-grid{}", open("seeds", MultiSGridStudy::default().seeds));
    let seed = if seed == 1 { String::new() } else { format!(" --seed {seed}") };
    [iccs2011, "window2018".to_owned(), garg2009, "yadav".to_owned(), multi_s_grid]
        .map(|study| format!("study {study}{seed}"))
}

impl Which {
    /// The one study as the flags say.
    ///
    /// # Errors
    /// [`CliError::Usage`] for flags out of range, and for several studies.
    pub(super) fn study(&self, seed: u64) -> Result<Box<dyn Study>, CliError> {
        Ok(match self {
            Self::Iccs2011 { cycles, explore, open_cycles } => {
                let study = Iccs2011::default().with_cycles(*cycles).with_explore(*explore);
                Box::new(study.with_open_cycles(*open_cycles).with_seed(seed))
            }
            Self::Window2018 { seeds, timings } => {
                Box::new(Window2018::default().with_seeds(*seeds).with_timings(*timings).with_seed(seed))
            }
            Self::Garg2009 { seeds, jobs, interval, local_jobs, open_seeds } => {
                let study = Garg2009::default().with_seeds(*seeds).with_jobs(*jobs).with_interval(*interval);
                let study = study.with_local_jobs(*local_jobs).with_open_seeds(*open_seeds);
                Box::new(study.with_seed(seed))
            }
            Self::Yadav { reading } => Box::new(reading.study().with_seed(seed)),
            Self::MultiSGrid { seeds, slices, at_peak, open_seeds } => {
                let study = MultiSGridStudy::default().with_seeds(*seeds).with_slices(*slices);
                let study = study.with_at_peak(*at_peak).with_open_seeds(*open_seeds);
                Box::new(study.with_seed(seed))
            }
            Self::Verdicts { .. } => return Err(CliError::usage("several studies")),
        })
    }
}
