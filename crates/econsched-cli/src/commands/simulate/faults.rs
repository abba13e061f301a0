//! Faults in a simulation with a broker: CPUs that fail, jobs that end early, take longer, or are cancelled.

use super::Station;
use crate::error::CliError;
use crate::flags::span;
use econsched::grid_sim::{DrawnFaults, FaultLoad, GridJob, Overrun, TimeUp};
use econsched::sched_model::{Machine, Span};
use econsched::workload_gen::sample::stream;

/// Faults, drawn from the seed.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct FaultArgs {
    /// CPUs of a broker fail: mean time that a CPU works between two outages
    #[arg(long, value_name = "SECONDS", value_parser = span)]
    mtbf: Option<Span>,
    /// Mean length of an outage
    #[arg(long, value_name = "SECONDS", default_value = "3600", requires = "mtbf", value_parser = span)]
    mttr: Span,
    /// Brokers do not know when a CPU that has failed will be repaired
    #[arg(long, requires = "mtbf")]
    unannounced: bool,
    /// Share of a broker's jobs that their owners cancel
    #[arg(long, value_name = "SHARE", default_value = "0")]
    cancel: f64,
    /// Jobs are cancelled within this time after their submission
    #[arg(long, value_name = "SECONDS", default_value = "3600", requires = "cancel", value_parser = span)]
    cancel_within: Span,
    /// Share of a broker's jobs that end early, after a random part of their time
    #[arg(long, value_name = "SHARE", default_value = "0")]
    early: f64,
    /// Share of a broker's jobs that need more than their time, up to twice as much; they are killed when
    /// their time is over
    #[arg(long, value_name = "SHARE", default_value = "0")]
    overrun: f64,
    /// Jobs that need more than their time are not killed. With --scheduler live they run until they are
    /// done; with other brokers they get so many seconds more at a time, as long as no reservation is in the
    /// way
    #[arg(long, value_name = "SECONDS", requires = "overrun", value_parser = span)]
    extend: Option<Span>,
}

impl FaultArgs {
    fn load(&self) -> FaultLoad {
        let load = FaultLoad::default()
            .with_cancelled(self.cancel, self.cancel_within)
            .with_early(self.early)
            .with_overrun(self.overrun)
            .with_announced(!self.unannounced);
        self.mtbf.into_iter().fold(load, |load, mtbf| load.with_outages(mtbf, self.mttr))
    }

    /// Draws the faults, and changes the real run times of jobs.
    ///
    /// # Errors
    /// [`CliError::Usage`] for shares and times out of range.
    pub(super) fn draw(
        &self,
        stations: &[Station],
        jobs: &mut [GridJob],
        seed: u64,
    ) -> Result<DrawnFaults, CliError> {
        let machines: Vec<Machine> = stations.iter().map(|station| station.machine).collect();
        // A random stream other than those of jobs and local jobs.
        self.load().draw(&machines, jobs, &mut stream(seed, 2)).map_err(CliError::usage)
    }

    /// What happens to jobs whose time is up, also on machines that a queue serves.
    pub(super) fn overrun(&self) -> Overrun {
        self.extend.map_or(Overrun::Kill, Overrun::Extend)
    }

    /// The same under the live broker.
    pub(super) fn time_up(&self) -> TimeUp {
        if self.extend.is_some() { TimeUp::GoOn } else { TimeUp::Kill }
    }

    /// Whether jobs may run for longer than they asked for: then their cost has another bound.
    pub(super) fn extends(&self) -> bool {
        self.extend.is_some()
    }
}
