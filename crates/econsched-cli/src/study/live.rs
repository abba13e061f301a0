//! The jobs of the study of the live broker: generated, or those of a log.

use crate::error::CliError;
use crate::flags::{MOST, count};
use crate::simulate::{jobs_from, open_log};
use econsched::grid_sim::LocalJob;
use econsched_studies::LivePolicies;
use std::io::{self, Read};
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

/// A source whose checksum is computed while it is read: 64 bits of FNV-1a over its bytes.
struct Summed<R> {
    source: R,
    sum: u64,
}

impl<R: Read> Summed<R> {
    fn new(source: R) -> Self {
        Self { source, sum: 0xcbf2_9ce4_8422_2325 }
    }

    /// The checksum of all bytes, in hexadecimal digits.
    ///
    /// # Errors
    /// Those of reading what is left.
    fn finish(mut self) -> io::Result<String> {
        io::copy(&mut self, &mut io::sink())?;
        Ok(format!("{:016x}", self.sum))
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buf)?;
        let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        self.sum = buf.iter().take(read).fold(self.sum, step);
        Ok(read)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of the reference implementation of FNV-1a, however much was read before.
    #[test]
    fn checksums_are_those_of_the_reference() {
        for (text, sum) in
            [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")]
        {
            for before in 0..=text.len() {
                let mut source = Summed::new(text.as_bytes());
                source.read_exact(&mut vec![0; before]).unwrap();
                assert_eq!(source.finish().unwrap(), sum, "{text} after {before}");
            }
        }
    }
}
