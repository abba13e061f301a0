//! How far a plan is from the best of all plans.

use crate::commands::{limits, prelude::*};
use econsched::joint_plan::{Goal, JointPlan};
use std::fmt;

/// How near a plan is to the best of all plans under the same rules and limit.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Distance {
    /// Jobs that have a window in this plan.
    placed: usize,
    /// The value that the goal minimises: runtimes, finishes after the beginning of the plan, or costs;
    /// negative for an income.
    objective: f64,
    /// No plan that leaves out as many jobs has a lesser objective.
    bound: f64,
    /// (objective - bound) / bound.
    gap: f64,
    /// Jobs that have no window even if they are alone.
    unplaceable: usize,
    /// Jobs that have windows and are left out.
    left_out: usize,
    /// If the makespan comes first: no plan that leaves out as many jobs ends earlier. `bound` is then a
    /// bound on plans that end no later.
    #[serde(skip_serializing_if = "Option::is_none")]
    makespan_bound: Option<f64>,
    /// Whether the plan ends as early as that.
    #[serde(skip)]
    ends_earliest: bool,
    /// The origin of instants.
    #[serde(skip)]
    origin: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<End>,
}

impl Distance {
    /// In few words, for a chart.
    pub(crate) fn short(&self) -> String {
        let early = if self.makespan_bound.is_some() { " that end as early" } else { "" };
        let others = match self.left_out {
            0 => String::new(),
            left_out => format!(" that leave out {}", jobs(left_out)),
        };
        format!("{}the best of all plans{early}{others}", self.away())
    }

    /// How far it may be from the best; nothing where it is the best, but for rounding.
    fn away(&self) -> String {
        if self.gap < 5e-7 { String::new() } else { format!("at most {:.2}% from ", 100.0 * self.gap) }
    }

    /// What is proven of the plan: that no other places more jobs, or as many at a better value.
    pub(crate) fn proof(&self) -> Proof {
        let above = self.objective - self.bound;
        match self.end {
            _ if self.left_out == 0 && above <= 0.0 && self.ends_earliest => Proof::Exact,
            _ if self.left_out == 0 && above.is_finite() && self.ends_earliest => Proof::WithinEpsilon(above),
            Some(End::Work | End::Memory | End::Signal) => Proof::LimitReached,
            _ => Proof::Heuristic,
        }
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bound, unplaceable, left_out, .. } = self;
        let early = if self.makespan_bound.is_some() { " that ends as early" } else { "" };
        write!(f, "bound of any plan{early} {}: ", number(*bound))?;
        match self.away().as_str() {
            "" => write!(f, "this one is the best")?,
            away => write!(f, "{away}the best")?,
        }
        if *left_out > 0 {
            write!(f, " of those that leave out {}", jobs(*left_out))?;
        }
        match self.makespan_bound {
            Some(_) if self.ends_earliest => write!(f, "; none ends earlier")?,
            Some(makespan) => write!(f, "; none ends before {}", number(makespan - self.origin))?,
            None => {}
        }
        if *unplaceable > 0 {
            write!(f, "; {} cannot be placed by any plan", jobs(*unplaceable))?;
        }
        match self.end {
            Some(End::Signal) => write!(f, "; stopped at the time limit or by Ctrl-C"),
            end => end.and_then(limits::why).map_or(Ok(()), |limit| write!(f, "; stopped at {limit}")),
        }
    }
}

fn jobs(count: usize) -> String {
    counted(count, "job")
}

/// Costs and incomes as decimals; times unchanged.
fn in_decimals(scenario: &Scenario, goal: Goal, value: f64) -> f64 {
    let times = matches!(goal, Goal::MinTime { .. } | Goal::MinFinish { .. });
    if times { value } else { scenario.money(value) }
}

impl Distance {
    /// That of a plan with a bound; with the end of its search, where there was one beyond a cycle.
    pub(crate) fn of(scenario: &Scenario, plan: &JointPlan, goal: Goal, end: Option<End>) -> Option<Self> {
        plan.bound.map(|bound| Self {
            placed: plan.schedule.placed().count(),
            objective: in_decimals(scenario, goal, plan.objective),
            bound: in_decimals(scenario, goal, bound),
            gap: plan.gap().unwrap_or(f64::INFINITY),
            unplaceable: plan.unplaceable,
            left_out: plan.left_out,
            makespan_bound: plan.makespan_bound.map(Time::get),
            ends_earliest: plan.makespan_bound.is_none_or(|bound| plan.schedule.makespan() <= Some(bound)),
            origin: scenario.axis.origin,
            end,
        })
    }

    /// The mean finish as a bound, for plans whose value is the sum of finishes.
    pub(crate) fn of_mean_finish(&self, scenario: &Scenario) -> String {
        let Self { bound, gap, placed, left_out, unplaceable, .. } = self;
        let from = scenario.from.get() - self.origin;
        let mean = scenario.times.show(bound / (*placed).max(1) as f64 + from);
        let others = match left_out {
            0 => String::new(),
            left_out => format!(" that leaves out {}", jobs(*left_out)),
        };
        let mut text = if *gap < 5e-7 {
            format!("no plan{others} has a lower mean finish")
        } else {
            let share = 100.0 * gap;
            format!("no plan{others} can have a mean finish below {mean}; this one is within {share:.2}%")
        };
        if *unplaceable > 0 {
            text.push_str(&format!("; {} cannot be placed by any plan", jobs(*unplaceable)));
        }
        text
    }
}
