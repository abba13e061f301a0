//! `econsched study`: reruns published studies, and shows our figures beside those of the papers.

mod publish;

use crate::commands::prelude::*;
use crate::commands::settings::{Rare, Settings};
use crate::work::Divided;
use clap::ValueEnum;
use econsched_studies::{Garg2009, Iccs2011, MultiSGridStudy, Study, StudyError, Window2018, Yadav};
use publish::answer;

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

impl StudyName {
    fn build(self, seed: u64, given: Settings) -> Result<Box<dyn Study>, CliError> {
        Ok(match self {
            Self::Iccs2011 => Box::new(given.over(Iccs2011::default().with_seed(seed))?),
            Self::Window2018 => Box::new(given.over(Window2018::default().with_seed(seed))?),
            Self::Garg2009 => Box::new(given.over(Garg2009::default().with_seed(seed))?),
            Self::Yadav => Box::new(given.over(Yadav::default().with_seed(seed))?),
            Self::MultiSGrid => Box::new(given.over(MultiSGridStudy::default().with_seed(seed))?),
        })
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
