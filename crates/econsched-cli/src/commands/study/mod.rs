//! The `study` command: published studies rerun, with our figures beside the paper's.

mod publish;

use super::limits;
use crate::commands::prelude::*;
use crate::commands::settings::{Rare, Settings};
use crate::work::parts;
use crate::work::parts::{Parts, Shard, replicates};
use clap::ValueEnum;
use econsched_studies::{Garg2009, Iccs2011, MultiSGridStudy, Study, StudyError, Window2018, Yadav};
use publish::answer;
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
        /// Compute only part I of N and keep it in the directory of --out, where the command without this flag
        /// puts all parts together
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
}

/// A study, and all that its results depend on.
type Made = (Box<dyn Study>, Vec<String>);

fn made<S: Study + Serialize + DeserializeOwned + 'static>(
    usual: S,
    given: Settings,
) -> Result<Made, CliError> {
    let study: S = given.over(usual)?;
    let work = vec![study.name().to_owned(), serde_json::to_string(&study)?];
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
        }
    }
}

impl Command for StudyArgs {
    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        let Self { seed, threads, shard, .. } = self;
        limits::end_by_ctrl_c(self.out.as_deref());
        let (study, work) = self.study.made(*seed, self.rare.read()?)?;
        let Some(out) = &self.out else { return whole(study.as_ref(), *threads, None) };
        parts::divided(out, &format!("study-{}", study.name()), work, *shard, |parts| {
            whole(study.as_ref(), *threads, Some(parts))
        })
    }
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
    answer(&report, study.timings()?.as_ref())
}
