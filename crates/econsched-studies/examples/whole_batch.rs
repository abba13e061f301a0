//! Compares plans of a whole batch with those of the scheduling cycle of Toporkov et al. 2011, on its slots and jobs:
//! the cycle's combinations of alternatives beside plans of all jobs together under the same limits, in the cycles in
//! which AMP covers every job.
//!
//!     cargo run --release -p econsched-studies --example whole_batch -- CYCLES
//!
//! Without a number, it runs ten cycles.

use econsched::batch_dp::{Alternatives, ChoiceProblem, Chooser, ExpandingCore, Floor, derived_time_limit};
use econsched::joint_plan::{JointPlanner, PlanProblem, Planner as _};
use econsched::sched_model::{Goal, Schedule, Time};
use econsched::slot_window::{AlternativesSearch, Amp};
use econsched::workload_gen::cycle::{JobGenerator, SlotGenerator};
use econsched::workload_gen::sample::stream;
use econsched_studies::stats::{Estimate, Ratio};
use std::error::Error;

/// Ratios over all cycles: of the cycle's sum to the plan's, and of the plan's sum to its lower bound.
#[derive(Default)]
struct Side {
    cycle: Ratio,
    plan: Ratio,
}

/// Adds one cycle: its combinations of minimum run time and of minimum cost.
fn compare(cycle: u64, sides: &mut [Side; 2]) -> Result<(), Box<dyn Error>> {
    let mut rng = stream(1, cycle);
    let slots = SlotGenerator::default().generate(&mut rng)?;
    let batch = JobGenerator::default().generate(&mut rng)?;
    let found = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO)?;
    if found.jobs.iter().any(|of| of.windows.is_empty()) {
        return Ok(());
    }
    let alternatives = Alternatives::from_windows(&found.jobs)?;
    let choose = |goal| ExpandingCore.choose(&ChoiceProblem::new(&alternatives, goal));
    let time_limit = Some(derived_time_limit(&alternatives, Floor::Sum));
    let Some(dearest) = choose(Goal::MaxIncome { time_limit })?.best else { return Ok(()) };
    let budget = Some(dearest.cost);
    let mut planner = JointPlanner::new();
    planner.shuffled = 0;
    for (side, goal) in sides.iter_mut().zip([Goal::MinTime { budget }, Goal::MinCost { time_limit }]) {
        let chosen = choose(goal)?;
        let (Some(choice), Some(value)) = (chosen.best, chosen.value) else { return Ok(()) };
        // The cycle's own combination is a plan, too; the planner starts from it.
        let picks = found.jobs.iter().zip(&choice.picks);
        let fates = picks.filter_map(|(of, pick)| Some(Ok(of.windows[(*pick)?].clone())));
        let known = Schedule::of_batch(&batch, fates.collect())?;
        let problem = PlanProblem::new(&slots, &batch, goal).with_from(Time::ZERO).with_start(known);
        let whole = planner.plan(&problem)?;
        let (plan, bound) = (whole.value.ok_or("no plan")?, whole.bound.ok_or("no bound")?);
        if !(bound <= plan && plan <= value) {
            return Err(format!("cycle {cycle}: {bound}, {plan}, {value} do not ascend").into());
        }
        side.cycle.push(value, plan);
        side.plan.push(plan, bound);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let cycles = std::env::args().nth(1).map_or(Ok(10), |count| count.parse())?;
    let mut sides = [Side::default(), Side::default()];
    for cycle in 0..cycles {
        compare(cycle, &mut sides)?;
    }
    let shown = |Estimate { mean, half, .. }: Estimate| format!("{mean:.2} ± {half:.2}");
    println!("| goal | cycle, ratio of sums | plan above its bound |\n|---|---|---|");
    for (goal, side) in ["run time", "cost"].into_iter().zip(&sides) {
        println!(
            "| {goal} | {} | {} |",
            shown(side.cycle.estimate().excess_percent()),
            shown(side.plan.estimate().excess_percent())
        );
    }
    Ok(())
}
