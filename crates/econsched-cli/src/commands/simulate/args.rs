//! The flags and the rare settings of `simulate`, and the check that each of them has an effect.

use super::live::LiveSettings;
use crate::commands::limits::LimitFlags;
use crate::commands::plan::{CriterionName, parse_goal};
use crate::commands::prelude::*;
use crate::commands::settings::{Rare, Settings};
use clap::builder::PossibleValuesParser;
use econsched::grid_heuristics::TradeOffKind;
use econsched::grid_sim::{FaultLoad, LocalLoad, Overrun, PolicyKind, SimError};
use econsched::live_broker::Prefer;
use econsched::sched_model::TradeOff;

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
        pub(super) load: f64 as "FACTOR" = "1" => number_in(f64::MIN_POSITIVE..=f64::MAX, "a factor above 0"),
        /// Sites as JSON, or built in: `edg` (five clusters of the European Data Grid), `edg-consistent` (priced
        /// by their speed) [default: one machine for a queue, `edg` for a broker]
        pub(super) testbed: Option<String> as "FILE",
        /// CPUs of the one machine, or of the machine for which jobs of lublin are generated [default: MaxProcs of the
        /// log, else its widest job; 128 for generated jobs]
        pub(super) cpus: Option<u32> as "COUNT",
        /// Memory of the one machine, in units of 1024 KB; each job takes the memory that it requests in the log.
        /// Without this flag, memory is not counted
        pub(super) memory: Option<u32> as "COUNT",
        /// Weight of cost against time for brokers: 0 is time only, 1 is cost only [default: each job's own]
        pub(super) trade_off: Option<TradeOff> as "SHARE" => quantity::<TradeOff>,
        /// Time between two decisions of a broker
        pub(super) interval: Span as "SECONDS" = "50" => quantity::<Span>,
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
        pub(super) horizon: Span as "SECONDS" = "604800" => quantity::<Span>,
        /// File for checkpoints of a long run of one machine. A run with the same jobs and flags continues from
        /// there. It is removed when the results are written
        pub(super) checkpoint: Option<PathBuf> as "FILE",
        /// Events between two checkpoints
        pub(super) checkpoint_every: u64 as "COUNT" [requires = "checkpoint"] = "1000000" => count::<u64>(1, u64::MAX),
        [flatten] rare: Rare,
        [flatten] pub(crate) common: Common,
    }
}

const WORKLOADS: [&str; 5] = ["lublin", "hiuc", "hicc", "louc", "locc"];

/// The broker that keeps promises as time passes; it knows the expected times on each machine.
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
        [flatten] pub(super) limits: LimitFlags,
        [flatten] pub(crate) destination: Destination,
    }
}

/// The rarely used settings of a broker.
#[derive(Clone)]
pub(super) struct RareSettings {
    pub(super) faults: FaultLoad,
    pub(super) overrun: Overrun,
    pub(super) local: Settings,
    /// Whether faults or local jobs are drawn.
    pub(super) draws: bool,
    /// The settings of the live broker, if it is the scheduler.
    pub(super) live: Option<LiveSettings>,
}

impl SimulateArgs {
    /// Returns a function that blames an error of the simulation on the log, or on the flags if there is none.
    pub(super) fn blame(&self) -> impl Fn(SimError) -> CliError {
        |error| match &self.input {
            Some(path) => CliError::input(path.as_path(), error),
            None => error.into(),
        }
    }

    /// Returns the policy, if the scheduler is the queue of one machine.
    pub(super) fn policy(&self) -> Option<PolicyKind> {
        self.scheduler.parse().ok()
    }

    /// Refuses flags that would have no effect together with the others; `draws` says whether a broker draws faults
    /// or local jobs.
    pub(super) fn refuse_idle_flags(&self, context: &Context<'_>, draws: bool) -> Result<(), CliError> {
        let (queue, log, seeds) = (self.policy().is_some(), self.input.is_some(), self.common.seeds > 1);
        let same = "a log gives the same jobs for every seed; only faults and local jobs (--set) are drawn";
        let standard_input = self.input.as_deref() == Some(Path::new("-"));
        let (two_phase, live) = (self.scheduler == TWO_PHASE, self.scheduler == LIVE);
        let rules = [
            (log && seeds && !draws, "seeds", same),
            (standard_input && seeds, "seeds", "standard input can be read only once: name a file"),
            (seeds, "checkpoint", "a checkpoint holds the run of one seed"),
            (context.sweep, "checkpoint", "a sweep keeps what is done"),
            (log, "workload", "the jobs are those of the log"),
            (log && self.testbed.is_some(), "cpus memory", "the testbed says what its machines have"),
            (log && !queue, "cpus", "is for the queue of one machine; brokers serve those of --testbed"),
            (!queue, "memory checkpoint", "is for the queue of one machine"),
            (queue, "trade_off interval search horizon", "is for brokers"),
            (two_phase || live, "trade_off", "is for min-ctt, max-ctt and greedy"),
            (!two_phase && !live, "search horizon criterion", "is for the brokers two-phase and live"),
            (!two_phase, "goal", "is for the broker two-phase"),
        ];
        for (_, flags, because) in rules.iter().filter(|(idle, ..)| *idle) {
            context.given.refuse(flags, because)?;
        }
        Ok(())
    }

    /// Reads the rare settings; a queue has none.
    ///
    /// # Errors
    /// [`CliError`] for settings that do not exist, or would have no effect together with the others.
    pub(super) fn rare(&self) -> Result<RareSettings, CliError> {
        let (mut given, usual) = (self.rare.read()?, FaultLoad::default());
        let queue = self.policy().is_some();
        let mut take = |name| if queue { Settings::default() } else { given.take(name) };
        let (faults, overrun) = (take("faults").over(usual)?, take("overrun").over(Overrun::Kill)?);
        let local = take("local");
        let alone = LocalLoad::default();
        let load = local.clone().over(alone.clone())?;
        let live = (self.scheduler == LIVE).then(|| LiveSettings::of(self, &mut given)).transpose()?;
        given.refuse_rest(&format!("--scheduler {}", self.scheduler))?;
        let idle = [
            ("faults.mean_down", faults.mean_up.is_none() && faults.mean_down != usual.mean_down),
            ("faults.announced", faults.mean_up.is_none() && !faults.announced),
            (
                "faults.cancelled_within",
                faults.cancelled == 0.0 && faults.cancelled_within != usual.cancelled_within,
            ),
            ("overrun", faults.overrun == 0.0 && overrun != Overrun::Kill),
            ("local", load.jobs == 0 && load != alone),
        ];
        match idle.iter().find(|(_, idle)| *idle) {
            Some((name, _)) => Err(CliError::usage(format!("--set {name}: nothing would come of it"))),
            None => {
                Ok(RareSettings { draws: faults != usual || load.jobs > 0, faults, overrun, local, live })
            }
        }
    }
}
