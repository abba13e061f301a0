//! The jobs of the study of the live broker: generated, or those of a log.

use crate::error::CliError;
use crate::flags::{MOST, count};
use econsched::grid_sim::{LocalJob, jobs_of_log};
use econsched_studies::LivePolicies;
use std::path::{Path, PathBuf};

/// The input of the study of the live broker.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct LiveArgs {
    /// Number of synthetic logs
    #[arg(long, default_value_t = 5, value_parser = count::<u64>(1, 1_000_000))]
    seeds: u64,
    /// Number of jobs of each synthetic log; with --log, only its first jobs
    #[arg(long, default_value_t = 200, value_parser = count::<usize>(1, MOST))]
    jobs: usize,
    /// CPUs of the machine [default: 64, or MaxProcs of --log]
    #[arg(long)]
    cpus: Option<u32>,
    /// A workload log (SWF) in place of synthetic ones
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    log: Option<PathBuf>,
}

impl LiveArgs {
    /// The flags that the results depend on.
    pub(super) fn flags(&self) -> Vec<(&'static str, String)> {
        let mut flags = vec![("--jobs", self.jobs.to_string())];
        match &self.log {
            Some(log) => flags.push(("--log", log.display().to_string())),
            None => flags.push(("--seeds", self.seeds.to_string())),
        }
        flags.extend(self.cpus.map(|cpus| ("--cpus", cpus.to_string())));
        flags
    }

    /// Whether the results depend on more than the flags.
    pub(super) fn reads_a_file(&self) -> bool {
        self.log.is_some()
    }

    /// The study as the flags say.
    ///
    /// # Errors
    /// [`CliError::Input`] for a log that cannot be read, or has no usable job.
    pub(super) fn study(&self) -> Result<LivePolicies, CliError> {
        let study = LivePolicies::default().with_seeds(self.seeds).with_jobs(self.jobs);
        let cpus = self.cpus.unwrap_or(study.cpus);
        match &self.log {
            Some(path) => self.on_log(study, path),
            None => Ok(study.with_cpus(cpus)),
        }
    }

    /// The study on the first jobs of a log.
    fn on_log(&self, study: LivePolicies, path: &Path) -> Result<LivePolicies, CliError> {
        let log = crate::simulate::read_log(path, &mut Vec::new())?;
        let made = jobs_of_log(&log.records[..log.records.len().min(self.jobs)]);
        let jobs = made.map_err(|error| CliError::input(path, error))?.jobs;
        if jobs.is_empty() {
            return Err(CliError::input(path, "no job of the log can be simulated"));
        }
        let widest = jobs.iter().map(LocalJob::cpus).max().unwrap_or(1);
        let of_log = log.header.max_procs().and_then(|cpus| u32::try_from(cpus).ok());
        Ok(study.with_cpus(self.cpus.or(of_log).unwrap_or(widest)).with_log(Some(jobs)))
    }
}
