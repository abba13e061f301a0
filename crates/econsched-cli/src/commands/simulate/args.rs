//! The flags of `simulate`, and the check that none of them is without effect; faults by flags.

use super::Station;
use super::checkpoint::Checkpoints;
use super::live::LiveArgs;
use crate::commands::limits::{Bounds, Shown};
use crate::commands::plan::{CriterionName, parse_goal};
use crate::commands::prelude::*;
use crate::flags::{number, quantity};
use clap::builder::PossibleValuesParser;
use econsched::grid_heuristics::TradeOffKind;
use econsched::grid_sim::{DrawnFaults, FaultLoad, GridJob, PolicyKind, SimError};
use econsched::live_broker::Prefer;
use econsched::sched_model::TradeOff;
use econsched::workload_gen::sample::stream;

flags! {
    /// Simulate a log or a generated workload on one machine or on a grid
    #[command(after_long_help = include_str!("../../help/simulate.txt"), allow_negative_numbers = true)]
    pub(crate) struct SimulateArgs {
        /// Workload log (SWF), plain or gzip; `-` is standard input. Without it, jobs are generated
        operand pub(super) input: Option<PathBuf> as "LOG",
        /// Scheduler: the queue of one machine (fcfs, easy, conservative), or a broker over a grid
        pub(super) scheduler: String as "NAME" = "easy" => PossibleValuesParser::new(schedulers()),
        /// Model of the generated jobs: Lublin-Feitelson, or one of the configurations of the meta-broker study,
        /// each with a testbed of its own
        pub(super) workload: String as "NAME" [ignore_case = true] = "lublin" => WORKLOADS,
        /// Number of jobs to generate; with a log, its first jobs only
        pub(super) jobs: Option<usize> as "COUNT" => count::<usize>(1, MOST),
        /// Load: divides all times between submissions by this factor; the requests stay the same
        pub(super) load: f64 as "FACTOR" = "1" => number(f64::MIN_POSITIVE..=f64::MAX, "a factor above 0"),
        /// Sites as JSON, or built in: `edg` (five clusters of the European Data Grid), `edg-consistent` (priced
        /// by their speed) [default: one machine for a queue, `edg` for a broker]
        pub(super) testbed: Option<String> as "FILE",
        /// CPUs of the one machine [default: MaxProcs of the log]
        pub(super) cpus: Option<u32> as "COUNT",
        /// Memory of the one machine, in units of 1024 KB; each job takes the memory that it requests in the log.
        /// Without this flag, memory is not counted
        pub(super) memory: Option<u32> as "COUNT",
        /// Weight of cost against time for brokers: 0 is time only, 1 is cost only [default: each job's own]
        pub(super) trade_off: Option<TradeOff> as "SHARE" => quantity(TradeOff::new),
        /// Time between two decisions of a broker
        pub(super) interval: Span as "SECONDS" = "50" => span,
        /// Number of local jobs of each machine of a broker's testbed, drawn from the Lublin-Feitelson model over
        /// the time in which the broker's jobs arrive. They cost nothing, and run under EASY backfilling; with
        /// --scheduler live, the live broker runs them too
        pub(super) local_jobs: usize as "COUNT" = "0" => count::<usize>(0, MOST),
        /// Requested time of a local job: at most this many times its run time
        pub(super) local_overestimate: f64 as "FACTOR" = "3",
        /// Window search of the schedulers two-phase and live
        pub(super) search: SearchKind as "NAME" = "amp" => names::<SearchKind>(),
        /// Criterion by which the schedulers two-phase and live choose among windows of each job in each cycle;
        /// two-phase keeps to limits derived from the alternatives [default: min-cost for two-phase; live gives
        /// each job the first window that its search finds]
        pub(super) criterion: Option<CriterionName>,
        /// What the scheduler two-phase optimises in each cycle: `makespan` (least last finish) decides before
        /// the criterion. `mean-finish` (within the budget of min-time) decides instead of it; so do weights
        /// (C=1,T=2) or an order (T,C), among all undominated combinations within its limit; C is cost, D budget
        /// left, T time, I time left
        pub(super) goal: Option<Prefer> as "GOAL" => parse_goal,
        /// Planning horizon of the schedulers two-phase and live
        pub(super) horizon: Span as "SECONDS" = "604800" => span,
        /// File for checkpoints of a long run of one machine; the jobs that have ended are written to FILE.left.
        /// A run with the same jobs and flags continues from there. Both files are removed when the results are
        /// written
        checkpoint: Option<PathBuf> as "FILE",
        /// Events between two checkpoints
        checkpoint_every: u64 as "COUNT" = "1000000" => count::<u64>(1, u64::MAX),
        [flatten] pub(super) live: LiveArgs,
        [flatten] pub(super) faults: FaultArgs,
        [flatten] pub(crate) common: Common,
    }
}

const WORKLOADS: [&str; 5] = ["lublin", "hiuc", "hicc", "louc", "locc"];

/// The broker that keeps promises as time passes; it knows expected times by machine.
pub(super) const LIVE: &str = "live";

/// The broker that runs the cycle of `plan` at the end of each interval.
pub(super) const TWO_PHASE: &str = "two-phase";

fn schedulers() -> Vec<&'static str> {
    let brokers = TradeOffKind::ALL.iter().map(|kind| kind.name());
    PolicyKind::ALL.iter().map(|kind| kind.name()).chain(brokers).chain([TWO_PHASE, LIVE]).collect()
}

flags! {
    /// The flags of every simulation.
    pub(crate) struct Common {
        /// First seed of the random numbers
        pub(super) seed: u64 = "1",
        /// Number of seeds; with more than one, figures are means with 95% confidence intervals
        pub(super) seeds: u64 as "COUNT" = "1" => count::<u64>(1, 1_000_000),
        [flatten] pub(super) bounds: Bounds,
        /// Maximum number of placements in the Gantt chart, from the first start or from --from on
        pub(super) gantt_jobs: usize as "COUNT" = "300",
        [flatten] pub(crate) shown: Shown,
    }
}

impl SimulateArgs {
    /// Blames the log for an error of the simulation, or the flags where there is none.
    pub(super) fn blame(&self) -> impl Fn(SimError) -> CliError {
        CliError::blame(self.input.as_deref())
    }

    pub(super) fn checkpoints(&self) -> Option<Checkpoints> {
        Some(Checkpoints { place: self.checkpoint.clone()?, every: self.checkpoint_every })
    }

    /// Refuses flags that would have no effect beside the others.
    pub(super) fn refuse_idle_flags(&self, given: Given<'_>) -> Result<(), CliError> {
        if self.checkpoint.is_some() && self.common.seeds > 1 {
            return Err(CliError::usage("--checkpoint: a checkpoint holds the run of one seed"));
        }
        let (queue, log) = (self.scheduler.parse::<PolicyKind>().is_ok(), self.input.is_some());
        let (two_phase, live) = (self.scheduler == TWO_PHASE, self.scheduler == LIVE);
        let rules: [(bool, &str, &str); 13] = [
            (log, "workload", "the jobs are those of the log"),
            (log && self.testbed.is_some(), "cpus memory", "the testbed says what its machines have"),
            (log && !queue, "cpus", "is for the queue of one machine; brokers serve those of --testbed"),
            (!queue, "memory checkpoint", "is for the queue of one machine"),
            (queue, "trade_off interval local_overestimate search horizon", "is for brokers"),
            (queue, FAULT_FLAGS, "is for brokers"),
            (two_phase || live, "trade_off", "is for min-ctt, max-ctt and greedy"),
            (!two_phase && !live, "search horizon criterion", "is for the brokers two-phase and live"),
            (!live, LIVE_FLAGS, "is for the broker live"),
            (!self.live.moves(), MOVE_FLAGS, "without --moves no promise is moved"),
            (!two_phase, "goal", "is for the broker two-phase"),
            (
                self.local_jobs == 0,
                "local_overestimate",
                "there are no local jobs; ask for them by --local-jobs",
            ),
            (
                self.checkpoint.is_none(),
                "checkpoint_every",
                "no checkpoint is kept; ask for it by --checkpoint",
            ),
        ];
        for (_, flags, because) in rules.iter().filter(|(idle, ..)| *idle) {
            given.refuse(flags, because)?;
        }
        self.common.shown.check(given)
    }
}

/// The flags of promises that move, by the names of their fields.
const MOVE_FLAGS: &str = "move_tax frozen max_moves move_rate";

/// The flags of the live broker; those above do nothing without the first of them.
const LIVE_FLAGS: &str = "moves urgent_users preempt_after preempt_delay demands";

/// The flags of faults.
const FAULT_FLAGS: &str = "mtbf mttr unannounced cancel cancel_within early overrun extend";

flags! {
    /// Faults, drawn from the seed.
    pub(super) struct FaultArgs {
        /// CPUs of a broker fail: mean time that a CPU works between two outages
        mtbf: Option<Span> as "SECONDS" => span,
        /// Mean length of an outage
        mttr: Span as "SECONDS" [requires = "mtbf"] = "3600" => span,
        /// Brokers do not know when a CPU that has failed will be repaired
        unannounced: bool [requires = "mtbf"],
        /// Share of a broker's jobs that their owners cancel
        cancel: f64 as "SHARE" = "0",
        /// Jobs are cancelled within this time after their submission
        cancel_within: Span as "SECONDS" [requires = "cancel"] = "3600" => span,
        /// Share of a broker's jobs that end early, after a random part of their time
        early: f64 as "SHARE" = "0",
        /// Share of a broker's jobs that need more than their time, up to twice as much; they are killed when
        /// their time is over
        overrun: f64 as "SHARE" = "0",
        /// Jobs that need more than their time are not killed. With --scheduler live they run until they are
        /// done; with other brokers they get so many seconds more at a time, as long as no reservation is in the
        /// way
        pub(super) extend: Option<Span> as "SECONDS" [requires = "overrun"] => span,
    }
}

impl FaultArgs {
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
        let load = FaultLoad::default()
            .with_cancelled(self.cancel, self.cancel_within)
            .with_early(self.early)
            .with_overrun(self.overrun)
            .with_announced(!self.unannounced);
        let load = self.mtbf.into_iter().fold(load, |load, mtbf| load.with_outages(mtbf, self.mttr));
        // A random stream other than those of jobs and local jobs.
        Ok(load.draw(&machines, jobs, &mut stream(seed, 2))?)
    }
}
