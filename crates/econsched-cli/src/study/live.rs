//! The jobs of the study of the live broker: generated, or those of a log.

use crate::checksum::Summed;
use crate::error::CliError;
use crate::flags::{MOST, count};
use crate::simulate::{jobs_from, open_log};
use econsched::grid_sim::LocalJob;
use econsched_studies::LivePolicies;
use std::path::PathBuf;

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
    /// The checksum of the log, as parts of a study state it: another log is refused
    #[arg(long, value_name = "SUM", hide = true, requires = "log")]
    log_sum: Option<String>,
    /// The jobs of the log, once it is read
    #[arg(skip)]
    read: Option<OfLog>,
}

/// The jobs of a log, and the CPUs of the machine for them.
#[derive(Debug, Clone)]
struct OfLog {
    jobs: Vec<LocalJob>,
    cpus: u32,
}

impl LiveArgs {
    /// Reads the log, if there is one and it is not yet read: from now on, its checksum is one of the
    /// [flags](Self::flags).
    ///
    /// # Errors
    /// [`CliError::Input`] for a log that cannot be read, has no usable job, or has another checksum than the
    /// flags say.
    pub(super) fn read_log(&mut self) -> Result<(), CliError> {
        let (Some(path), None) = (&self.log, &self.read) else { return Ok(()) };
        let mut source = Summed::new(open_log(path)?);
        let (header, made) = jobs_from(&mut source, path, self.jobs, &mut Vec::new())?;
        let sum = source.finish().map_err(|error| CliError::input(path.as_path(), error))?;
        if self.log_sum.as_ref().is_some_and(|known| *known != sum) {
            let message = "this is not the log of the other parts: its checksum differs";
            return Err(CliError::input(path.as_path(), message));
        }
        let jobs = made.jobs;
        if jobs.is_empty() {
            return Err(CliError::input(path.as_path(), "no job of the log can be simulated"));
        }
        let widest = jobs.iter().map(LocalJob::cpus).max().unwrap_or(1);
        let of_log = header.max_procs().and_then(|cpus| u32::try_from(cpus).ok());
        self.read = Some(OfLog { jobs, cpus: of_log.unwrap_or(widest) });
        self.log_sum = Some(sum);
        Ok(())
    }

    /// Everything that the results depend on: with a log, after it is [read](Self::read_log).
    pub(super) fn flags(&self) -> Vec<(&'static str, String)> {
        let mut flags = vec![("--jobs", self.jobs.to_string())];
        match &self.log {
            Some(log) => flags.push(("--log", log.display().to_string())),
            None => flags.push(("--seeds", self.seeds.to_string())),
        }
        flags.extend(self.log_sum.iter().map(|sum| ("--log-sum", sum.clone())));
        flags.extend(self.cpus.map(|cpus| ("--cpus", cpus.to_string())));
        flags
    }

    /// The study as the flags say.
    ///
    /// # Errors
    /// As for [`read_log`](Self::read_log).
    pub(super) fn study(mut self) -> Result<LivePolicies, CliError> {
        self.read_log()?;
        let study = LivePolicies::default().with_seeds(self.seeds).with_jobs(self.jobs);
        Ok(match self.read {
            Some(OfLog { jobs, cpus }) => study.with_cpus(self.cpus.unwrap_or(cpus)).with_log(Some(jobs)),
            None => match self.cpus {
                Some(cpus) => study.with_cpus(cpus),
                None => study,
            },
        })
    }
}
