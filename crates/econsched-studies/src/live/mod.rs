//! Cycle after cycle: the live broker under each goal and each policy of moves, beside the queues EASY and
//! conservative, on synthetic logs or on a real one.

mod figures;

use crate::record::record;
use crate::report::{StudyReport, Table};
use crate::stats::{Moments, Ratio};
use crate::{Failure, Replicates, Study, StudyError};
use econsched::batch_dp::Goal;
use econsched::grid_sim::{
    Ending, GridJob, LiveGrid, LocalJob, PolicyKind, ReplayOptions, Report as Ran, jobs_of_log, replay,
};
use econsched::live_broker::{Config, MovePolicy, Stability};
use econsched::sched_model::{Machine, MachineId, Price, SiteId, Span, Speed};
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::synthetic::LogGenerator;

/// The live broker beside the queues of a machine, on the same jobs.
///
/// The machine has two halves, one expensive and one cheap; the queues do not look at prices, and pay the
/// mean. Jobs request the time that the log says and run as long as they ran. Jobs wait, cost, and move; no
/// job has a deadline or a budget, so only a job that is wider than the machine is refused.
///
/// The broker has a cycle whenever a job comes or ends. Each cycle chooses by the goal among up to 5 windows
/// of each job, whose time is its finish. With "first window" no alternatives are compared: each job gets the
/// window that ends first.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct LivePolicies {
    /// Seed of all that is drawn; 1 by default.
    pub seed: u64,
    /// Synthetic logs; 5 by default.
    pub seeds: u64,
    /// Jobs of each; 200 by default.
    pub jobs: usize,
    /// CPUs of the machine, at least 2; 64 by default.
    pub cpus: u32,
    /// These jobs in place of synthetic logs: one run of each policy, nothing drawn.
    pub log: Option<Vec<LocalJob>>,
}

impl Default for LivePolicies {
    fn default() -> Self {
        Self { seed: 1, seeds: 5, jobs: 200, cpus: 64, log: None }
    }
}

econsched::sched_model::setters!(LivePolicies {
    /// The same with this seed.
    with_seed: seed: u64,
    /// The same on this number of synthetic logs.
    with_seeds: seeds: u64,
    /// The same with this number of jobs in each log.
    with_jobs: jobs: usize,
    /// The same on a machine of this number of CPUs.
    with_cpus: cpus: u32,
    /// The same on these jobs.
    with_log: log: Option<Vec<LocalJob>>,
});

/// Windows of each job among which the goals choose.
const ALTERNATIVES: usize = 5;

/// Prices of the two halves of the machine.
const PRICES: [f64; 2] = [1.0, 3.0];

/// A week: how far ahead the broker plans.
const HORIZON: f64 = 604_800.0;

/// An hour: how much later than promised first a job may move under the third policy.
const LATER: f64 = 3_600.0;

const QUEUES: [PolicyKind; 2] = [PolicyKind::Easy, PolicyKind::Conservative];

const GOALS: [(&str, Option<Goal>); 5] = [
    ("first window", None),
    ("min-time", Some(Goal::MinTime { budget: None })),
    ("min-cost", Some(Goal::MinCost { time_limit: None })),
    ("max-time", Some(Goal::MaxTime { budget: None })),
    ("max-income", Some(Goal::MaxIncome { time_limit: None })),
];

const MOVES: [&str; 4] = ["never", "not later", "an hour later", "anywhere"];

fn policy(moves: usize) -> Result<MovePolicy, Failure> {
    Ok(match moves {
        0 => MovePolicy::Never,
        1 => MovePolicy::NotLater,
        2 => MovePolicy::Within(Span::new(LATER)?),
        _ => MovePolicy::Anywhere,
    })
}

/// The number of runs: the queues come first, then each goal with each policy of moves.
const RUNS: usize = QUEUES.len() + GOALS.len() * MOVES.len();

/// The results of a log.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Run {
    wait: f64,
    slowdown: f64,
    /// For each hour of a CPU.
    cost: f64,
    /// Promises that were moved to a later start, and the others that were moved.
    later: u64,
    earlier: u64,
    withdrawn: u64,
    /// Jobs that did not run to their end.
    refused: u64,
    cycles: u64,
}

record!(Run { wait, slowdown, cost, later, earlier, withdrawn, refused, cycles });

impl Run {
    fn of(report: &Ran) -> Self {
        let ended = |ending: Ending| report.endings.get(&ending.to_string()).copied().unwrap_or(0);
        Self {
            wait: report.wait.mean,
            slowdown: report.bounded_slowdown.mean,
            cost: 3600.0 * report.cost.get() / report.cpu_time.get(),
            refused: (report.jobs - ended(Ending::Done) - ended(Ending::Killed)) as u64,
            ..Self::default()
        }
    }
}

impl LivePolicies {
    fn jobs(&self, log: u64) -> Result<Vec<LocalJob>, Failure> {
        if let Some(jobs) = &self.log {
            return Ok(jobs.clone());
        }
        let mut model = LogGenerator::default().with_jobs(self.jobs);
        model.model.system_size = self.cpus;
        let log = model.generate(&mut stream(self.seed, log))?;
        Ok(jobs_of_log(&log.records)?.jobs)
    }

    /// One log under one scheduler.
    fn one(&self, number: u64) -> Result<Run, Failure> {
        let (log, who) = (number / RUNS as u64, (number % RUNS as u64) as usize);
        let jobs = self.jobs(log)?;
        let machine = |cpus, price: f64| Machine::new(MachineId(0), cpus, Speed::ETALON, Price::new(price)?);
        if let Some(queue) = QUEUES.get(who) {
            let mean = PRICES.iter().sum::<f64>() / PRICES.len() as f64;
            let done = replay(&machine(self.cpus, mean)?, queue.build(), &jobs, &ReplayOptions::default())?;
            return Ok(Run::of(&done.report));
        }
        let (goal, moves) = ((who - QUEUES.len()) / MOVES.len(), (who - QUEUES.len()) % MOVES.len());
        let stability = Stability::new(policy(moves)?);
        let mut config = Config::new(Span::new(HORIZON)?).with_stability(stability);
        if let Some(goal) = GOALS[goal].1 {
            config = config.with_goal(goal, ALTERNATIVES);
        }
        let halves = [self.cpus / 2, self.cpus - self.cpus / 2].into_iter().zip(PRICES);
        let mut machines = Vec::new();
        for ((cpus, price), (id, name)) in halves.zip([(SiteId(0), "cheap"), (SiteId(1), "dear")]) {
            machines.push((id, name.to_owned(), machine(cpus, price)?));
        }
        let jobs =
            jobs.iter().map(|job| GridJob::of_local(job, Speed::ETALON)).collect::<Result<Vec<_>, _>>()?;
        let done = LiveGrid::new(machines).run(&jobs, config)?;
        let [later, earlier] = done.moved;
        let run = Run::of(&done.report);
        Ok(Run { later, earlier, withdrawn: done.withdrawn, cycles: done.cycles, ..run })
    }
}

/// The results of one scheduler over all logs.
#[derive(Debug, Clone, Default)]
struct Tally {
    wait: Moments,
    slowdown: Moments,
    cost: Moments,
    later: Moments,
    earlier: Moments,
    withdrawn: Moments,
    refused: Moments,
    cycles: Moments,
    /// The wait over that of EASY, paired.
    wait_ratio: Ratio,
}

impl Tally {
    fn push(&mut self, run: &Run, easy: &Run) {
        self.wait.push(run.wait);
        self.slowdown.push(run.slowdown);
        self.cost.push(run.cost);
        self.later.push(run.later as f64);
        self.earlier.push(run.earlier as f64);
        self.withdrawn.push(run.withdrawn as f64);
        self.refused.push(run.refused as f64);
        self.cycles.push(run.cycles as f64);
        self.wait_ratio.push(run.wait, easy.wait);
    }
}

/// Goal and policy of moves of a run of the live broker.
fn place(goal: usize, moves: usize) -> usize {
    QUEUES.len() + goal * MOVES.len() + moves
}

impl Study for LivePolicies {
    fn name(&self) -> &'static str {
        "live-broker"
    }

    fn command(&self) -> String {
        let Self { seed, seeds, jobs, cpus, log } = self;
        match log {
            Some(_) => format!("econsched study live-broker --cpus {cpus} --log LOG"),
            None => {
                format!(
                    "econsched study live-broker --seeds {seeds} --jobs {jobs} --cpus {cpus} --seed {seed}"
                )
            }
        }
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        let logs = if self.log.is_some() { 1 } else { self.seeds };
        if self.log.as_ref().is_some_and(Vec::is_empty) {
            return Err(StudyError::config("the log has no jobs"));
        }
        if self.log.is_none() && (logs == 0 || self.jobs == 0) {
            return Err(StudyError::config("--seeds and --jobs must be at least 1"));
        }
        if self.cpus < 2 {
            return Err(StudyError::config("--cpus must be at least 2: the machine has two halves"));
        }
        let mut runs = Vec::new();
        let one = |number| self.one(number);
        replicates.run("simulations", logs * RUNS as u64, one, |run: Run| runs.push(run))?;
        replicates.complete()?;
        let mut tallies = vec![Tally::default(); RUNS];
        let mut waits: [Ratio; 2] = Default::default();
        let mut costs = Ratio::default();
        for log in runs.chunks_exact(RUNS) {
            for (tally, run) in tallies.iter_mut().zip(log) {
                tally.push(run, &log[0]);
            }
            let [never, not_later, cheap] = [place(0, 0), place(0, 1), place(2, 0)].map(|at| log[at]);
            waits[0].push(not_later.wait, never.wait);
            waits[1].push(cheap.wait, never.wait);
            costs.push(cheap.cost, never.cost);
        }
        let mut report = StudyReport::titled("report.md", "The live broker, cycle after cycle");
        let what = match &self.log {
            Some(jobs) => format!("{} jobs of a log", jobs.len()),
            None => format!(
                "{logs} logs of {} jobs, seed {}; ± is the 95% confidence interval",
                self.jobs, self.seed
            ),
        };
        let [cheap, dear] = PRICES;
        report.paragraph(format!(
            "{what}. {} CPUs, one half at a price of {cheap}, the other at {dear}; the queues pay the mean. Times in \
             seconds, cost for each hour of a CPU. Moves, withdrawals, refusals and cycles are counted for a log.",
            self.cpus,
        ));
        figures::describe(&tallies, &mut report);
        let mut table = Table::new(
            "differences",
            "Paired differences on the same logs, per cent",
            &["what", "difference"],
        );
        for (what, ratio) in [
            ("waiting, moved if not later, over promises that never move", &waits[0]),
            ("waiting by least cost over the first window, promises never move", &waits[1]),
            ("cost by least cost over the first window, promises never move", &costs),
        ] {
            table.push(vec![what.into(), figures::of(ratio.excess_percent(), 1)]);
        }
        report.table(table);
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_run_as_it_is() {
        let study = LivePolicies::default().with_jobs(30).with_cpus(16);
        let log = study.jobs(0).unwrap();
        let same = study.clone().with_log(Some(log));
        for run in [0, 1, place(0, 0), place(4, 3)] {
            assert_eq!(study.one(run as u64).unwrap(), same.one(run as u64).unwrap());
        }
        assert!(study.with_cpus(1).run(&Replicates::new(Some(1)).unwrap()).is_err());
    }

    #[test]
    fn promises_that_never_move_do_not() {
        let study = LivePolicies::default().with_jobs(60).with_cpus(16);
        for (goal, (name, _)) in GOALS.iter().enumerate() {
            let run = study.one(place(goal, 0) as u64).unwrap();
            assert_eq!((run.earlier, run.refused), (0, 0), "{name}");
        }
    }
}
