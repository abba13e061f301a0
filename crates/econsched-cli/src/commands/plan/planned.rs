//! A plan of a scenario, and what is known of it.

use super::goal::{Serve, words};
use super::whole::Distance;
use crate::commands::limits;
use crate::error::CliError;
use crate::input::scenario::Scenario;
use crate::output::terminal::{counted, number};
use econsched::batch_dp::{Goal, Point};
use econsched::joint_plan::{CyclePlan, Effort};
use econsched::live_broker::Prefer;
use econsched::sched_model::check::Violation;
use econsched::sched_model::{End, JobId, Proof, Schedule, Tariff};
use std::fmt;

/// A batch with the fate of each job.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) search: String,
    pub(crate) choice: Choice,
    pub(crate) proof: Proof,
    /// The effort beyond the cycle, if there was one.
    pub(crate) beyond: Option<Effort>,
    /// How far from the best of all plans.
    pub(crate) distance: Option<Distance>,
    pub(crate) schedule: Schedule,
    pub(crate) violations: Vec<(JobId, Violation)>,
    /// The cycle that it began with, if there was one.
    pub(super) cycle: Option<CyclePlan>,
    /// Why the search for alternatives, or the plan without a cycle, ended.
    pub(super) search_end: End,
}

/// The criterion of the combination, and its limit.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub(super) goal: Option<Prefer>,
    pub(super) serve: Serve,
    pub(super) under: Goal,
    pub(super) derived: bool,
    pub(super) tariff: Tariff,
    /// Whether there is no criterion beside the goal.
    pub(super) joint: bool,
}

impl Choice {
    /// Whether the goal minimises finishes.
    pub(crate) fn counts_finishes(&self) -> bool {
        self.goal == Some(Prefer::MeanFinish)
    }

    /// Whether the limited quantity is money.
    pub(crate) fn limits_money(&self) -> bool {
        self.under.limits_cost()
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = self.under.limit().unwrap_or(f64::INFINITY);
        let (goal, limited, limit) = match self.under {
            Goal::MinTime { .. } => ("least run time", "budget", self.tariff.to_decimal(limit)),
            Goal::MinCost { .. } => ("least cost", "time limit", limit),
            Goal::MaxIncome { .. } => ("greatest income", "time limit", limit),
            other => return write!(f, "{other:?}"),
        };
        if self.joint {
            write!(f, "least mean finish")?;
            return if limit < f64::INFINITY {
                write!(f, " within a budget of {}", number(limit))
            } else {
                Ok(())
            };
        }
        write!(f, "{}", self.serve.words())?;
        if let Some(goal) = &self.goal {
            write!(f, "{} ", words(goal))?;
        }
        let source = if self.derived { "derived" } else { "given" };
        write!(f, "{goal} under a {source} {limited} of {}", number(limit))
    }
}

impl Plan {
    /// Whether the batch was planned as a whole from the beginning.
    pub(crate) fn is_joint(&self) -> bool {
        self.cycle.is_none()
    }

    /// Every undominated (cost, time) of the jobs that have windows, if it was asked for.
    pub(super) fn front(&self) -> Option<&[Point]> {
        self.cycle.as_ref()?.front.as_deref()
    }

    /// The number of cycles of which this plan is the best, where several were tried.
    pub(super) fn cycles(&self) -> Option<usize> {
        Some(self.cycle.as_ref()?.best_of?.0)
    }

    /// Windows found for a job by the cycle, if there was one.
    pub(crate) fn alternatives_of(&self, job: JobId) -> Option<usize> {
        Some(self.cycle.as_ref()?.alternatives.get(&job).copied().unwrap_or(0))
    }

    /// Total cost and total run time of the chosen windows: exact sums, as in the front.
    pub(crate) fn chosen(&self) -> Point {
        Point { cost: self.schedule.cost().get(), time: self.schedule.total_runtime().get() }
    }

    /// Messages about searches that a limit stopped, with what is still proven.
    pub(crate) fn stopped(&self, scenario: &Scenario) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(CyclePlan { choice, best_of, .. }) = &self.cycle else {
            let limit = limits::why(self.search_end);
            lines.extend(limit.map(|limit| format!("{limit} ended the search: the best so far")));
            return lines;
        };
        let of_the_cycle = if self.beyond.is_some() { " in the cycle that the plan began with" } else { "" };
        if let Some((cycles, end)) = best_of
            && let Some(limit) = limits::why(*end)
        {
            let cycles = counted(*cycles, "cycle");
            lines.push(format!("{limit} ended the trial of searches and orders after {cycles}"));
        }
        if let Some(limit) = limits::why(self.search_end) {
            lines.push(format!("{limit} ended the search for alternatives{of_the_cycle}: there may be more"));
        }
        let outcome = &choice.outcome;
        if outcome.refusal.is_none()
            && let Some(limit) = limits::why(outcome.end)
        {
            // The least time is a time; least cost and greatest income are money.
            let is_time = self.choice.limits_money();
            let show = |value: f64| number(if is_time { value } else { scenario.money(value) });
            let known = match (outcome.bound, outcome.gap()) {
                (Some(bound), Some(gap)) => {
                    format!("no choice is better than {}: at most {} is left", show(bound), show(gap))
                }
                _ => "nothing is proven".to_owned(),
            };
            let work = counted(choice.work as usize, "unit");
            lines.push(format!(
                "{limit} ended the choice{of_the_cycle} after {work} of work: the best so far; {known}"
            ));
        }
        lines
    }

    /// Whether a limit ended the search for alternatives.
    pub(crate) fn was_cut_short(&self) -> bool {
        limits::why(self.search_end).is_some()
    }

    /// Whether no other choice among the windows that were found is better.
    pub(crate) fn chose_the_best(&self) -> bool {
        self.cycle.as_ref().is_none_or(|cycle| cycle.choice.proof() == Proof::Exact)
    }

    /// Windows found for all jobs.
    pub(crate) fn alternatives_in_all(&self) -> usize {
        self.cycle.iter().flat_map(|cycle| cycle.alternatives.values()).sum()
    }

    /// Whether it is a plan.
    ///
    /// # Errors
    /// [`CliError::NoPlan`] if no job of a batch has a place, or if the checker objects.
    pub(crate) fn check(&self, scenario: &Scenario) -> Result<(), CliError> {
        if let Some((job, violation)) = self.violations.first() {
            return Err(CliError::fault(format!("the checker objects: job {job}: {violation}")));
        }
        if scenario.batch.is_empty() || self.schedule.placed().next().is_some() {
            return Ok(());
        }
        if let Some(limit) = limits::why(self.search_end) {
            return Err(CliError::NoPlan(format!(
                "{limit} ended the search before any job had a place; --work-limit or --time-limit may allow more"
            )));
        }
        let first = self.schedule.refused().next();
        let reason = first.map_or(String::new(), |(job, why)| {
            format!(": job {job} {}", scenario.in_decimals(why, self.choice.limits_money()))
        });
        Err(CliError::NoPlan(format!("no job has a place{reason}")))
    }
}
