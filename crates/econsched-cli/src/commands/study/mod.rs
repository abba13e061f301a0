//! `econsched study`: reruns published studies, and shows our figures beside those of the papers.

mod publish;

use crate::commands::prelude::*;
use crate::commands::settings::{Rare, Settings};
use crate::work::Divided;
use clap::ValueEnum;
use econsched_studies::{Garg2009, Iccs2011, MultiSGridStudy, Study, StudyError, Window2018, Yadav};
use publish::answer;
use serde::de::DeserializeOwned;

flags! {
    /// Rerun a published study
    #[command(after_long_help = include_str!("../../help/study.txt"))]
    pub(crate) struct StudyArgs {
        /// The study to rerun
        operand study: StudyName as "STUDY",
        /// Seed: the same seed gives the same bytes, whatever the number of threads
        seed: u64 = "1",
        [flatten] rare: Rare,
        [flatten] pub(crate) divided: Divided,
    }
}

/// The studies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StudyName {
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

type BuildResult = Result<Box<dyn Study>, CliError>;

fn build<S: Study + Serialize + DeserializeOwned + 'static>(usual: S, given: Settings) -> BuildResult {
    Ok(Box::new(given.over(usual)?))
}

impl StudyName {
    fn build(self, seed: u64, given: Settings) -> BuildResult {
        match self {
            Self::Iccs2011 => build(Iccs2011::default().with_seed(seed), given),
            Self::Window2018 => build(Window2018::default().with_seed(seed), given),
            Self::Garg2009 => build(Garg2009::default().with_seed(seed), given),
            Self::Yadav => build(Yadav::default().with_seed(seed), given),
            Self::MultiSGrid => build(MultiSGridStudy::default().with_seed(seed), given),
        }
    }
}

impl Command for StudyArgs {
    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        let study = self.study.build(self.seed, self.rare.read()?)?;
        self.divided.report(&format!("study-{}", study.name()), &[format!("{study:?}")], |replicates| {
            let report = match study.run(replicates) {
                Err(StudyError::Part { .. }) => return Ok(None),
                report => report?,
            };
            answer(&report, study.timings()?.as_ref()).map(Some)
        })
    }
}
