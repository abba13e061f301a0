//! How far a plan is from the best of all plans.

use crate::commands::{limits, prelude::*};
use econsched::joint_plan::Plan;

/// How close a plan is to the best of all plans under the same rules and limit.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Distance {
    /// Number of jobs that have a window in this plan.
    placed: usize,
    /// The value that the goal minimises: the sum of run times, of finishes (counted from the beginning of the plan),
    /// or of costs; the negative income if income is maximised.
    objective: f64,
    /// Lower bound on the objective of any plan that leaves out as many jobs.
    bound: f64,
    /// (objective - bound) / |bound|.
    gap: f64,
    /// Number of jobs that have no window even if they are alone.
    unplaceable: usize,
    /// Number of jobs that have windows and are left out.
    left_out: usize,
    /// If the makespan comes first, a lower bound on the makespan of any plan that leaves out as many jobs. `bound`
    /// then holds for plans that end no later.
    #[serde(skip_serializing_if = "Option::is_none")]
    makespan_bound: Option<f64>,
    /// Whether the plan ends at that bound, or there is none.
    #[serde(skip)]
    ends_earliest: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<End>,
}

impl Distance {
    /// Returns the distance of a plan with a bound; `end` is the end of its search, `None` for a cycle.
    pub(super) fn of(
        scenario: &Scenario,
        outcome: &Outcome<Plan>,
        goal: Goal,
        end: Option<End>,
    ) -> Option<Self> {
        let (plan, value, bound) = (outcome.best.as_ref()?, outcome.value?, outcome.bound?);
        let above = (value - bound).max(0.0);
        Some(Self {
            placed: plan.schedule.placed().count(),
            objective: scenario.value(goal, value),
            bound: scenario.value(goal, bound),
            gap: if above == 0.0 { 0.0 } else { above / bound.abs() },
            unplaceable: plan.unplaceable,
            left_out: plan.left_out,
            makespan_bound: plan.makespan_bound.map(Time::get),
            ends_earliest: plan.makespan_bound.is_none_or(|bound| plan.schedule.makespan() <= Some(bound)),
            end,
        })
    }

    /// Returns what is proven of the plan: that no other plan places more jobs, or as many at a better value.
    pub(super) fn proof(&self) -> Proof {
        let above = self.objective - self.bound;
        match self.end {
            _ if self.left_out == 0 && above <= 0.0 && self.ends_earliest => Proof::Exact,
            _ if self.left_out == 0 && above.is_finite() && self.ends_earliest => Proof::WithinEpsilon(above),
            Some(End::Work | End::Memory | End::Signal) => Proof::LimitReached,
            _ => Proof::Heuristic,
        }
    }

    /// Describes the distance for a person.
    pub(super) fn line(&self, scenario: &Scenario) -> String {
        let early = if self.makespan_bound.is_some() { " that ends as early" } else { "" };
        let away = self.away().unwrap_or_else(|| "this one is ".to_owned());
        let makespan = match self.makespan_bound {
            Some(_) if self.ends_earliest => "; none ends earlier".to_owned(),
            Some(makespan) => format!("; none ends before {}", number(makespan - scenario.axis.origin)),
            None => String::new(),
        };
        let end = self.end.and_then(limits::limit_name);
        format!(
            "bound of any plan{early} {}: {away}the best{}{makespan}{}{}",
            number(self.bound),
            self.others(" of those that leave out"),
            self.unplaced(),
            end.map_or(String::new(), |limit| format!("; stopped at {limit}"))
        )
    }

    /// As [`line`](Self::line), with the bound as a mean finish, for plans whose value is the sum of finishes.
    pub(super) fn line_of_mean_finish(&self, scenario: &Scenario) -> String {
        let from = scenario.from.get() - scenario.axis.origin;
        let mean = scenario.time(self.bound / self.placed.max(1) as f64 + from);
        let others = self.others(" that leaves out");
        let proven = match self.away() {
            None => format!("no plan{others} has a lower mean finish"),
            Some(_) => format!(
                "no plan{others} can have a mean finish below {mean}; this one is within {:.2}%",
                100.0 * self.gap
            ),
        };
        proven + &self.unplaced()
    }

    /// Describes how far the plan may be from the best; `None` if it is the best, except for rounding.
    fn away(&self) -> Option<String> {
        (self.gap >= 5e-7).then(|| format!("at most {:.2}% from ", 100.0 * self.gap))
    }

    /// Returns `which` with the number of jobs left out, or nothing if none is.
    fn others(&self, which: &str) -> String {
        if self.left_out == 0 { String::new() } else { format!("{which} {}", counted(self.left_out, "job")) }
    }

    fn unplaced(&self) -> String {
        match self.unplaceable {
            0 => String::new(),
            jobs => format!("; {} cannot be placed by any plan", counted(jobs, "job")),
        }
    }
}
