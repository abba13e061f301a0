//! The `study` command: published studies rerun, with ours beside the paper's.

mod garg2009;
mod iccs2011;
mod multi_s_grid;
mod replicates;
mod report;
mod window2018;
mod yadav;

use crate::error::CliError;
use replicates::Replicates;
use report::Report;
use std::path::PathBuf;

/// What to rerun.
#[derive(Debug, clap::Args)]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    study: Study,
}

#[derive(Debug, clap::Subcommand)]
enum Study {
    /// ALP against AMP over 25,000 scheduling cycles (Toporkov et al. 2011)
    Iccs2011(iccs2011::Options),
    /// Optimal windows against first fit on 100 and on 40 nodes (Toporkov, Yemelyanov 2018)
    Window2018(window2018::Options),
    /// MinCTT, MaxCTT and Greedy on the EDG testbed (Garg et al. 2009)
    Garg2009(garg2009::Options),
    /// Job grouping on seven resources (Yadav et al.)
    Yadav(yadav::Options),
    /// Strategies of a provider on failing grids (Raeisi Gahrouei, Ghatee)
    MultiSGrid(multi_s_grid::Options),
}

/// What all studies take.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Common {
    /// Seed: the same seed gives the same bytes, whatever the number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads [default: one for each core]
    #[arg(long)]
    threads: Option<usize>,
    /// Directory for report.md, tables (CSV) and charts (SVG); made if missing
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Common {
    #[cfg(test)]
    fn test(threads: usize) -> Self {
        Self { seed: 1, threads: Some(threads), out: None }
    }
}

/// A study as the program runs it.
trait Rerun {
    fn common(&self) -> &Common;
    /// Runs all replicates. The report holds nothing that depends on the clock or on the number of threads.
    fn report(&self, replicates: &Replicates) -> Result<Report, CliError>;
    /// Running times, where the study has them and they were asked for: printed after the report and saved in files of
    /// their own, as no two runs measure the same.
    fn timings(&self) -> Result<Option<Report>, CliError> {
        Ok(None)
    }
}

/// Runs a study.
pub(crate) fn run(args: StudyArgs) -> Result<(), CliError> {
    let study: &dyn Rerun = match &args.study {
        Study::Iccs2011(options) => options,
        Study::Window2018(options) => options,
        Study::Garg2009(options) => options,
        Study::Yadav(options) => options,
        Study::MultiSGrid(options) => options,
    };
    let common = study.common();
    study.report(&Replicates::new(common.threads)?)?.publish(common.out.as_deref())?;
    if let Some(timings) = study.timings()? {
        timings.publish(common.out.as_deref())?;
    }
    Ok(())
}

/// Every file of a study run with 1, 2 and 3 threads: the same bytes.
#[cfg(test)]
fn assert_same_for_any_threads<S: Rerun>(study: impl Fn(usize) -> S) {
    let files = |threads| {
        let study = study(threads);
        study.report(&Replicates::new(study.common().threads).unwrap()).unwrap().files().unwrap()
    };
    let one = files(1);
    assert!(one.len() > 1 && one.iter().all(|(_, bytes)| !bytes.is_empty()));
    for threads in [2, 3] {
        for ((name, ours), (_, theirs)) in one.iter().zip(files(threads)) {
            assert!(*ours == theirs, "{name} differs between 1 and {threads} threads");
        }
    }
}
