//! Plans cases from files for a goal, by the cycle and as a whole, and prints one line of JSON per plan.
//! `benches/peers/plan_optimum.py` draws the cases and compares the plans.
//!
//!     cargo run --release -p joint-plan --example cases -- min-time|min-cost CASE...
//!
//! A case is a text file with lines `slot NODE SPEED PRICE START END` and `job ID NODES WORK PRICE_LIMIT`. The
//! limit of a batch is the amount that the cycle with AMP uses, so every method works under the same limit.
#![allow(clippy::disallowed_types)] // it reports how long it takes

use batch_dp::Planner;
use joint_plan::{Goal, JointPlanner, PlanProblem, Planner as _};
use sched_model::*;
use slot_window::{AlternativesSearch, Amp};
use std::error::Error;
use std::time::SystemTime;

struct Case {
    slots: SlotList,
    batch: Batch,
}

fn read(path: &str) -> Result<Case, Box<dyn Error>> {
    let (mut slots, mut jobs) = (Vec::new(), Vec::new());
    let number = |text: &str| text.parse::<f64>();
    for line in std::fs::read_to_string(path)?.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["slot", node, speed, price, start, end] => {
                let (speed, price) = (Speed::try_from(number(speed)?)?, Price::try_from(number(price)?)?);
                let node = Node { id: NodeId(node.parse()?), speed, price };
                slots.push(Slot::new(node, Time::try_from(number(start)?)?, Time::try_from(number(end)?)?)?);
            }
            ["job", id, nodes, work, limit] => {
                let request = ResourceRequest::new(nodes.parse()?, Work::try_from(number(work)?)?)?;
                let request = request.with_price_limit(Price::try_from(number(limit)?)?);
                jobs.push(Job::new(JobId(id.parse()?), request));
            }
            [] => {}
            _ => return Err(format!("{path}: what is {line:?}?").into()),
        }
    }
    slots.sort_by_key(|slot| (slot.start, slot.node));
    Ok(Case { slots: SlotList::new(slots)?, batch: Batch::new(jobs)? })
}

fn sums(schedule: &Schedule) -> (usize, f64, f64) {
    let time: Span = schedule.placed().map(|(_, window)| window.runtime()).sum();
    (schedule.placed().count(), time.get(), schedule.cost().get())
}

/// Seconds of processor time of this thread, if the system measures them (Linux); otherwise of the clock, which
/// includes the time of other processes.
fn now() -> f64 {
    let of_thread = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds =
        of_thread.and_then(|text| text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()));
    nanoseconds.map_or_else(
        || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64()),
        |nanoseconds| nanoseconds * 1e-9,
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((goal, paths)) = words.split_first() else { return Ok(()) };
    for path in paths {
        let case = read(path)?;
        Cycle::plan(path, &case, goal)?.improve(path, &case)?;
    }
    Ok(())
}

/// The plan of the cycle.
struct Cycle {
    schedule: Schedule,
    /// The same goal for a plan of the whole batch, with the amount that the cycle uses as its limit.
    goal: Goal,
    /// The first fields of each line of JSON.
    name: String,
}

impl Cycle {
    fn plan(path: &str, case: &Case, goal: &str) -> Result<Self, Box<dyn Error>> {
        let asked = match goal {
            "min-time" => batch_dp::Goal::MinTime { budget: None },
            "min-cost" => batch_dp::Goal::MinCost { time_limit: None },
            other => return Err(format!("no goal {other}").into()),
        };
        let begin = now();
        let found = AlternativesSearch::new(Amp::new()).with_max_per_job(50);
        let found = found.find(&case.slots, &case.batch, Time::ZERO)?;
        let chosen = Planner::new(asked).with_derived_limit().plan(&found.jobs)?;
        let took = now() - begin;
        let (placed, runtime, cost) = sums(&chosen.schedule);
        let (value, limit) = if goal == "min-time" { (runtime, cost) } else { (cost, runtime) };
        let name = format!("\"case\": {path:?}, \"goal\": {goal:?}, \"limit\": {limit:?}");
        println!(
            "{{{name}, \"method\": \"cycle\", \"placed\": {placed}, \"value\": {value:?}, \"seconds\": {took:.5}}}"
        );
        let goal = match goal {
            "min-time" => Goal::MinTime { budget: Some(limit) },
            _ => Goal::MinCost { time_limit: Some(limit) },
        };
        Ok(Self { schedule: chosen.schedule, goal, name })
    }

    /// The plan of the whole batch.
    fn improve(&self, path: &str, case: &Case) -> Result<(), Box<dyn Error>> {
        let begin = now();
        let problem = PlanProblem::new(&case.slots, &case.batch, self.goal).with_from(Time::ZERO);
        let problem = problem.with_start(self.schedule.clone());
        let mut planner = JointPlanner::new();
        planner.shuffled = 0;
        let found = planner.plan(&problem)?;
        let took = now() - begin;
        let (work, bound, value, end) = (found.work, found.bound, found.value, found.end);
        let plan = found.solution()?;
        if !plan.violations(&problem).is_empty() {
            return Err(format!("{path}: the checker objects").into());
        }
        let placed = sums(&plan.schedule).0;
        let bound = bound.map_or("null".to_owned(), |bound| format!("{bound:?}"));
        println!(
            "{{{}, \"method\": \"joint\", \"placed\": {placed}, \"unplaceable\": {}, \"value\": {:?}, \
             \"bound\": {bound}, \"seconds\": {took:.5}, \"work\": {work}, \"end\": \"{end}\"}}",
            self.name,
            plan.unplaceable,
            value.unwrap_or(0.0)
        );
        Ok(())
    }
}
