//! Plans cases from files at each effort, and prints one line of JSON per plan. `benches/peers/plan_optimum.py`
//! draws the cases and compares the plans.
//!
//!     cargo run --release -p joint-plan --example cases -- [--goals min-time,min-cost]
//!         [--efforts quick,normal,hard] [--work UNITS] [--seconds S] [--gap SHARE] CASE...
//!
//! In a line, `within` holds the seconds after which the plan was proven to be within 5, 2 and 1% of the optimum.
//!
//! A case is a text file with lines `slot NODE SPEED PRICE START END` and `job ID NODES WORK PRICE_LIMIT`. The
//! limit of a batch is the amount that the cycle with AMP uses, so every method works under the same limit.
#![allow(clippy::disallowed_types)] // it reports how long it takes

use batch_dp::Planner;
use joint_plan::{Effort, Goal, JointPlanner, JointProgress, PlanProblem};
use sched_model::check::{Checker, Rules};
use sched_model::*;
use slot_window::{AlternativesSearch, Amp};
use std::collections::BTreeMap;
use std::error::Error;
use std::str::FromStr;
use std::time::SystemTime;

struct Case {
    slots: SlotList,
    batch: Batch,
}

fn read(path: &str) -> Result<Case, Box<dyn Error>> {
    let (mut slots, mut jobs) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(path)?.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["slot", node, speed, price, start, end] => {
                let (speed, price) = (Speed::new(speed.parse()?)?, Price::new(price.parse()?)?);
                let node = Node::new(NodeId(node.parse()?), speed, price);
                slots.push(Slot::new(node, Time::new(start.parse()?)?, Time::new(end.parse()?)?)?);
            }
            ["job", id, nodes, work, limit] => {
                let request = ResourceRequest::new(nodes.parse()?, Work::new(work.parse()?)?)?;
                let request = request.with_price_limit(Price::new(limit.parse()?)?);
                jobs.push(Job::new(JobId(id.parse()?), request));
            }
            [] => {}
            _ => return Err(format!("{path}: what is {line:?}?").into()),
        }
    }
    slots.sort_by_key(|slot| (slot.start(), slot.node()));
    Ok(Case { slots: SlotList::new(slots)?, batch: Batch::new(jobs)? })
}

fn sums(schedule: &Schedule) -> (usize, f64, f64) {
    (schedule.placed().count(), schedule.total_runtime().get(), schedule.cost().get())
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

/// Fractions of the bound, and the time at which a plan was first within each.
#[derive(Default)]
struct Within {
    seconds: [Option<f64>; SHARES.len()],
}

const SHARES: [f64; 3] = [0.05, 0.02, 0.01];

impl Within {
    fn see(&mut self, objective: f64, bound: Option<f64>, seconds: f64) {
        for (first, share) in self.seconds.iter_mut().zip(SHARES) {
            if bound.is_some_and(|bound| objective - bound <= share * bound.abs()) {
                first.get_or_insert(seconds);
            }
        }
    }

    fn json(&self) -> String {
        let written = |seconds: &Option<f64>| seconds.map_or("null".to_owned(), |at| format!("{at:.5}"));
        format!("[{}]", self.seconds.iter().map(written).collect::<Vec<_>>().join(", "))
    }
}

/// The flags with their values, and the paths.
struct Flags(BTreeMap<String, String>, Vec<String>);

impl Flags {
    fn read() -> Result<Self, Box<dyn Error>> {
        let (mut flags, mut paths) = (BTreeMap::new(), Vec::new());
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.strip_prefix("--") {
                Some(name) => {
                    let value = arguments.next().ok_or("a flag without its value")?;
                    flags.insert(name.to_owned(), value);
                }
                None => paths.push(argument),
            }
        }
        Ok(Self(flags, paths))
    }

    fn list(&self, name: &str, usual: &'static str) -> impl Iterator<Item = &str> {
        self.0.get(name).map_or(usual, String::as_str).split(',')
    }

    fn number<T: FromStr<Err: Error + 'static>>(&self, name: &str) -> Result<Option<T>, Box<dyn Error>> {
        Ok(self.0.get(name).map(|value| value.parse()).transpose()?)
    }

    /// The limit of a plan that starts now.
    fn limit(&self, begin: f64) -> Result<Limit, Box<dyn Error>> {
        let mut limit = Limit::default().with_relative_gap(self.number("gap")?.unwrap_or(1e-3));
        if let Some(work) = self.number("work")? {
            limit = limit.with_work(work);
        }
        if let Some(seconds) = self.number::<f64>("seconds")? {
            let end = begin + seconds;
            let signal = StopSignal::when(move || now() >= end);
            limit = limit.with_work(u64::MAX).with_memory(u64::MAX).with_signal(signal);
        }
        Ok(limit)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let flags = Flags::read()?;
    for path in &flags.1 {
        let case = read(path)?;
        for goal in flags.list("goals", "min-time,min-cost") {
            let cycle = Cycle::plan(path, &case, goal)?;
            for effort in flags.list("efforts", "quick,normal,hard") {
                cycle.improve(&flags, path, &case, effort)?;
            }
        }
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

    /// The plan of the whole batch at an effort.
    fn improve(&self, flags: &Flags, path: &str, case: &Case, effort: &str) -> Result<(), Box<dyn Error>> {
        let level = match effort {
            "quick" => Effort::Quick,
            "normal" => Effort::Normal,
            "hard" => Effort::Hard,
            other => return Err(format!("no effort {other}").into()),
        };
        let begin = now();
        let rules = Rules::per_window(1.0);
        let problem = PlanProblem::new(&case.slots, &case.batch, self.goal).with_from(Time::ZERO);
        let problem = problem.with_start(self.schedule.clone());
        let planner = JointPlanner::new().with_shuffled_orders(0, 0).with_effort(level);
        let mut near = Within::default();
        let mut observer = |progress: JointProgress| {
            near.see(progress.objective, progress.bound, now() - begin);
        };
        let plan = planner.run(&problem, &flags.limit(begin)?, &mut observer)?;
        let took = now() - begin;
        if !Checker::new(&case.slots, rules).schedule(&plan.schedule, &case.batch).is_empty() {
            return Err(format!("{path}: the checker objects").into());
        }
        near.see(plan.objective, plan.bound, took);
        let (name, placed) = (&self.name, sums(&plan.schedule).0);
        let bound = plan.bound.map_or("null".to_owned(), |bound| format!("{bound:?}"));
        println!(
            "{{{name}, \"method\": {effort:?}, \"placed\": {placed}, \"unplaceable\": {}, \"value\": {:?}, \
             \"bound\": {bound}, \"seconds\": {took:.5}, \"work\": {}, \"end\": \"{}\", \"windows\": {}, \
             \"within\": {}}}",
            plan.unplaceable,
            plan.objective,
            plan.work,
            plan.end,
            plan.windows,
            near.json()
        );
        Ok(())
    }
}
