//! How much better plans can be than those of the cycle of Toporkov et al. 2011: the plans of the cycle are
//! compared with plans of the whole batch, on the slots and jobs of the paper.

use crate::record::record;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Moments, Ratio, share};
use crate::{Failure, Replicates, Study, StudyError};
use econsched::batch_dp::{
    Alternatives, Choice, ChoiceProblem, Chooser, ExpandingCore, Floor, Goal, derived_time_limit,
};
use econsched::joint_plan::{self, JointPlanner, Plan, PlanProblem, Planner as _};
use econsched::sched_model::{Batch, Fate, Outcome, Schedule, SlotList, Time};
use econsched::slot_window::{AlternativesSearch, Amp};
use econsched::workload_gen::cycle::{JobGenerator, SlotGenerator};
use econsched::workload_gen::sample::stream;

/// The cycle by AMP, compared with plans of the whole batch under the same limits.
///
/// Slots and jobs are drawn as for [`Iccs2011`](crate::Iccs2011) in its standard reading. In the cycles in
/// which AMP covers every job, the combination of least time within the derived budget and the one of least
/// cost within the derived time are compared with the plans of [`JointPlanner`] under the same limits; in the
/// others, the study counts the jobs that AMP does not cover, and those of them that a plan of the whole
/// batch places.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct Left2011 {
    /// Seed of all that is drawn; 1 by default.
    pub seed: u64,
    /// Scheduling cycles; 1,000 by default.
    pub cycles: u64,
}

impl Default for Left2011 {
    fn default() -> Self {
        Self { seed: 1, cycles: 1_000 }
    }
}

econsched::sched_model::setters!(Left2011 {
    /// The same with this seed.
    with_seed: seed: u64,
    /// The same with this number of cycles.
    with_cycles: cycles: u64,
});

/// For the least time and for the least cost: the sum of the cycle, the sum of the plan, the lower bound of
/// all plans.
#[derive(Debug, Clone, Copy, Default)]
struct Cycle {
    /// Jobs that AMP does not cover.
    uncovered: u64,
    /// Those of them that a plan of the whole batch places.
    won_back: u64,
    time: f64,
    planned_time: f64,
    least_time: f64,
    cost: f64,
    planned_cost: f64,
    least_cost: f64,
}

record!(Cycle { uncovered, won_back, time, planned_time, least_time, cost, planned_cost, least_cost });

impl Left2011 {
    fn draw(&self, cycle: u64) -> Result<(SlotList, Batch), Failure> {
        let mut rng = stream(self.seed, cycle);
        let slots = SlotGenerator::default().generate(&mut rng)?;
        let batch = JobGenerator::default().with_price_limit_factor(Some(1.0)).generate(&mut rng)?;
        Ok((slots, batch))
    }

    fn cycle(&self, cycle: u64) -> Result<Cycle, Failure> {
        let (slots, batch) = self.draw(cycle)?;
        let found = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO)?;
        let planner = JointPlanner::new().with_shuffled_orders(0, 0);
        let problem = |goal| PlanProblem::new(&slots, &batch, goal).with_from(Time::ZERO);
        let uncovered = found.jobs().filter(|(_, windows)| windows.is_empty()).count() as u64;
        if uncovered > 0 {
            let whole = planner.plan(&problem(joint_plan::Goal::MinTime { budget: None }))?;
            let left = whole.best.map_or(0, |plan| (plan.unplaceable + plan.left_out) as u64);
            return Ok(Cycle { uncovered, won_back: uncovered.saturating_sub(left), ..Cycle::default() });
        }
        let windows = found.into_windows();
        let alternatives = Alternatives::from_windows(&windows)?;
        let time_limit = derived_time_limit(&alternatives, Floor::Sum);
        let choose = |goal| -> Result<Option<Choice>, Failure> {
            Ok(ExpandingCore.choose(&ChoiceProblem::new(&alternatives, goal))?.best)
        };
        let Some(dearest) = choose(Goal::MaxIncome { time_limit: Some(time_limit) })? else {
            return Ok(Cycle::default());
        };
        let budget = dearest.cost;
        let least = (
            choose(Goal::MinTime { budget: Some(budget) })?,
            choose(Goal::MinCost { time_limit: Some(time_limit) })?,
        );
        let (Some(fastest), Some(cheapest)) = least else { return Ok(Cycle::default()) };
        // The cycle's own combination is a plan, too; the planner starts from it.
        let better = |choice: &Choice, goal| -> Result<Outcome<Plan>, Failure> {
            let picks = windows.iter().zip(&choice.picks);
            let fates = picks.filter_map(|(of_job, pick)| Some(Fate::Placed(of_job[(*pick)?].clone())));
            let known = Schedule::of_batch(&batch, fates.collect())?;
            Ok(planner.plan(&problem(goal).with_start(known))?)
        };
        let fast = better(&fastest, joint_plan::Goal::MinTime { budget: Some(budget) })?;
        let cheap = better(&cheapest, joint_plan::Goal::MinCost { time_limit: Some(time_limit) })?;
        Ok(Cycle {
            uncovered,
            won_back: 0,
            time: fastest.time,
            planned_time: fast.value.unwrap_or(f64::NAN),
            least_time: fast.bound.unwrap_or(f64::NAN),
            cost: cheapest.cost,
            planned_cost: cheap.value.unwrap_or(f64::NAN),
            least_cost: cheap.bound.unwrap_or(f64::NAN),
        })
    }
}

/// For one goal: the ratios of the cycle and of the plan to the lower bound, and to each other.
#[derive(Debug, Default)]
struct Side {
    left: Ratio,
    proven: Ratio,
    each: Moments,
}

impl Side {
    fn push(&mut self, cycle: f64, plan: f64, bound: f64) {
        self.left.push(cycle, plan);
        self.proven.push(plan, bound);
        self.each.push(100.0 * (cycle / plan - 1.0));
    }
}

impl Study for Left2011 {
    fn name(&self) -> &'static str {
        "left-2011"
    }

    fn command(&self) -> String {
        format!("econsched study left-2011 --cycles {} --seed {}", self.cycles, self.seed)
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        if self.cycles == 0 {
            return Err(StudyError::config("--cycles must be at least 1"));
        }
        let (mut time, mut cost) = (Side::default(), Side::default());
        let (mut counted, mut uncovered, mut won_back) = (0_u64, 0, 0);
        replicates.run(
            "cycles",
            self.cycles,
            |cycle| self.cycle(cycle),
            |cycle| {
                uncovered += cycle.uncovered;
                won_back += cycle.won_back;
                if cycle.planned_time > 0.0 {
                    counted += 1;
                    time.push(cycle.time, cycle.planned_time, cycle.least_time);
                    cost.push(cycle.cost, cycle.planned_cost, cycle.least_cost);
                }
            },
        )?;
        replicates.complete()?;
        let mut report =
            StudyReport::titled("report.md", "Plans of the cycle of 2011 and plans of the whole batch");
        report.paragraph(format!(
            "{} cycles, seed {}; in {counted} of them AMP covers every job. There, the cycle's combinations stand beside \
             plans of all jobs together under the same limits; ± is the 95% confidence interval.",
            self.cycles, self.seed,
        ));
        let mut table = Table::new(
            "left",
            "Cycle above the plan of the whole batch, and that plan above the lower bound, in per cent",
            &["goal", "cycle, ratio of sums", "cycle, mean of cycles", "plan over bound"],
        );
        for (goal, side) in [("least time", &time), ("least cost", &cost)] {
            table.push(vec![
                Cell::from(goal),
                Cell::Estimate(side.left.excess_percent(), 2),
                Cell::Estimate(side.each.estimate(), 2),
                Cell::Estimate(side.proven.excess_percent(), 2),
            ]);
        }
        report.table(table);
        report.paragraph(format!(
            "In the other cycles AMP leaves {uncovered} jobs without a window; planned as a whole, {won_back} of them \
             ({:.1}%) have one.",
            100.0 * share(won_back, uncovered.max(1)).mean,
        ));
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_of_the_whole_is_never_worse_than_the_cycle() {
        let study = Left2011::default();
        for number in 0..12 {
            let cycle = study.cycle(number).unwrap();
            assert!(cycle.planned_time <= cycle.time && cycle.least_time <= cycle.planned_time, "{number}");
            assert!(cycle.planned_cost <= cycle.cost && cycle.least_cost <= cycle.planned_cost, "{number}");
            assert!(cycle.won_back <= cycle.uncovered, "{number}");
        }
    }
}
