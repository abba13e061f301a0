//! The cycle: alternatives of each job, the best combination of them, the verdict of the checker.

use crate::error::CliError;
use crate::scenario::Scenario;
use batch_dp::{Alternatives, Decision, Floor, Problem};
use sched_model::check::{Checker, Violation};
use sched_model::{JobId, Proof, Refusal, Schedule, Window};
use slot_window::{BatchAlternatives, SearchKind, SearchOptions, WindowSearch};
use std::collections::BTreeMap;
use std::fmt;

/// How to plan.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) search: String,
    pub(crate) rho: f64,
    pub(crate) criterion: CriterionName,
    /// In the unit of what the criterion limits; derived from the alternatives where it is not given.
    pub(crate) limit: Option<f64>,
    /// Alternatives for each job at most.
    pub(crate) alternatives: usize,
}

/// What a combination is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CriterionName {
    /// Least sum of run times, the costs together within a budget (derived: the greatest income under the derived
    /// time limit)
    MinTime,
    /// Least sum of costs, the run times together within a limit (derived: the sum of each job's mean, rounded down)
    MinCost,
    /// Greatest income of the owners, the run times together within a limit (derived as for min-cost)
    MaxIncome,
}

/// A batch with the fate of each job.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) search: String,
    pub(crate) choice: Choice,
    pub(crate) proof: Proof,
    pub(crate) schedule: Schedule,
    pub(crate) violations: Vec<(JobId, Violation)>,
    alternatives: BTreeMap<JobId, usize>,
}

/// The criterion with its limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    criterion: CriterionName,
    limit: f64,
    derived: bool,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (goal, limited) = match self.criterion {
            CriterionName::MinTime => ("least run time", "budget"),
            CriterionName::MinCost => ("least cost", "time limit"),
            CriterionName::MaxIncome => ("greatest income", "time limit"),
        };
        let source = if self.derived { "derived" } else { "given" };
        write!(f, "{goal} under a {source} {limited} of {}", crate::terminal::number(self.limit))
    }
}

impl Plan {
    /// Windows found for a job.
    pub(crate) fn alternatives_of(&self, job: JobId) -> usize {
        self.alternatives.get(&job).copied().unwrap_or(0)
    }

    /// Windows found for all jobs.
    pub(crate) fn alternatives_in_all(&self) -> usize {
        self.alternatives.values().sum()
    }

    /// Whether it is a plan.
    ///
    /// # Errors
    /// [`CliError::NoPlan`] if no job of a batch has a place, or if the checker objects.
    pub(crate) fn check(&self, scenario: &Scenario) -> Result<(), CliError> {
        if let Some((job, violation)) = self.violations.first() {
            return Err(CliError::NoPlan(format!("the checker objects: job {job}: {violation}")));
        }
        if scenario.batch.is_empty() || self.schedule.placed().next().is_some() {
            return Ok(());
        }
        let reason =
            self.schedule.refused().next().map_or(String::new(), |(job, why)| format!(": job {job} {why}"));
        Err(CliError::NoPlan(format!("no job has a place{reason}")))
    }
}

/// All names that --search takes.
pub(crate) fn search_names() -> Vec<&'static str> {
    SearchKind::ALL.iter().map(|kind| kind.name()).collect()
}

/// The search of this name.
///
/// # Errors
/// [`CliError::Usage`] for an unknown name, or a rho that is no factor.
pub(crate) fn search(name: &str, rho: f64) -> Result<Box<dyn WindowSearch>, CliError> {
    let kind: SearchKind = name.parse().map_err(CliError::usage)?;
    kind.build(&SearchOptions::new().with_rho(rho)).map_err(CliError::usage)
}

/// Plans the batch of a scenario.
///
/// # Errors
/// [`CliError`] for malformed input that only the search can see.
pub(crate) fn plan(scenario: &Scenario, settings: &Settings) -> Result<Plan, CliError> {
    let search = search(&settings.search, settings.rho)?;
    let rules = search.rules();
    let found = slot_window::Alternatives::new(search)
        .with_max_per_job(settings.alternatives)
        .find(&scenario.slots, &scenario.batch, scenario.from)
        .map_err(CliError::usage)?;
    let alternatives = found.jobs().map(|(job, windows)| (job, windows.len())).collect();
    let (schedule, choice, proof) = choose(&found, settings)?;
    let violations = Checker::new(&scenario.slots, rules).schedule(&schedule, &scenario.batch);
    Ok(Plan { search: settings.search.clone(), choice, proof, schedule, violations, alternatives })
}

/// One window for each job that has any, so that the batch as a whole is best within its limit.
fn choose(found: &BatchAlternatives, settings: &Settings) -> Result<(Schedule, Choice, Proof), CliError> {
    let mut schedule = Schedule::default();
    let (mut jobs, mut windows) = (Vec::new(), Vec::new());
    for (position, (job, alternatives)) in found.jobs().enumerate() {
        if alternatives.is_empty() {
            // Without a reason the job was not even asked: no alternative was allowed.
            let reason = found.refusal(position).cloned().unwrap_or(Refusal::NoCapacity);
            schedule.refuse(job, reason).map_err(CliError::usage)?;
        } else {
            jobs.push(job);
            windows.push(alternatives);
        }
    }
    let batch = Alternatives::from_windows(&windows).map_err(CliError::usage)?;
    let (problem, limit) = problem(&batch, settings)?;
    let choice = Choice { criterion: settings.criterion, limit, derived: settings.limit.is_none() };
    let decision = batch_dp::choose(&batch, problem).map_err(CliError::usage)?;
    let proof = match &decision {
        Decision::Chosen(outcome) => {
            for ((job, windows), pick) in jobs.iter().zip(&windows).zip(&outcome.solution.picks) {
                schedule.place(*job, windows[*pick].clone()).map_err(CliError::usage)?;
            }
            outcome.proof
        }
        Decision::NoAlternative { .. } | Decision::OutOfReach { .. } => {
            for job in jobs {
                let short_by = decision.short_by();
                schedule.refuse(job, Refusal::BatchLimit { short_by }).map_err(CliError::usage)?;
            }
            Proof::Exact
        }
    };
    Ok((schedule, choice, proof))
}

/// The problem with its limit: as given, or derived from the alternatives.
fn problem(batch: &Alternatives, settings: &Settings) -> Result<(Problem, f64), CliError> {
    let time_limit = derived_time_limit(batch);
    Ok(match settings.criterion {
        CriterionName::MinTime => {
            let budget = match settings.limit {
                Some(budget) => budget,
                None => batch_dp::choose(batch, Problem::MaxIncome { time_limit })
                    .map_err(CliError::usage)?
                    .choice()
                    .map_or(f64::INFINITY, |choice| choice.cost),
            };
            (Problem::MinTime { budget }, budget)
        }
        CriterionName::MinCost => {
            let time_limit = settings.limit.unwrap_or(time_limit);
            (Problem::MinCost { time_limit }, time_limit)
        }
        CriterionName::MaxIncome => {
            let time_limit = settings.limit.unwrap_or(time_limit);
            (Problem::MaxIncome { time_limit }, time_limit)
        }
    })
}

/// T*, the sum of each job's mean run time, rounded down; or up, where the unit of time is so coarse that no choice
/// would keep to it.
fn derived_time_limit(batch: &Alternatives) -> f64 {
    let floor = batch_dp::time_limit(batch, Floor::Sum);
    let quickest = |job: usize| batch.of_job(job).map(|(_, time)| time).fold(f64::INFINITY, f64::min);
    let least: f64 = (0..batch.jobs()).map(quickest).sum();
    if least <= floor { floor } else { least.ceil() }
}
