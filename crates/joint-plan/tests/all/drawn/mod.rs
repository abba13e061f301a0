//! Random instances, each determined by a seed, and helpers that plan them.

use econsched::testkit::Draw;
use joint_plan::{Goal, JointPlanner, Plan, PlanProblem, Planner as _};
use sched_model::*;
use std::cmp::Reverse;

pub(crate) struct Instance {
    pub(crate) slots: SlotList,
    pub(crate) batch: Batch,
    pub(crate) goal: Goal,
}

impl Instance {
    pub(crate) fn problem(&self) -> PlanProblem<'_> {
        PlanProblem::new(&self.slots, &self.batch, self.goal).with_from(Time::ZERO)
    }
}

/// The default limit, but for the gap.
pub(crate) fn near() -> Limit {
    Limit::default().with_relative_gap(1e-3)
}

/// Without shuffled orders.
pub(crate) fn planner() -> JointPlanner {
    let mut planner = JointPlanner::new();
    planner.shuffled = 0;
    planner
}

pub(crate) fn planned(problem: &PlanProblem<'_>, limit: &Limit) -> Outcome<Plan> {
    planner().solve(problem, &mut limit.meter()).unwrap()
}

/// The plan of an outcome, which a joint planner always has.
pub(crate) fn plan(outcome: &Outcome<Plan>) -> &Plan {
    outcome.best.as_ref().unwrap()
}

/// Few jobs, or jobs that want more node-time than there is: each cycle leaves some of these out, depending on search
/// and order.
pub(crate) fn instance(seed: u64) -> Instance {
    let mut draw = Draw::new(seed, 1);
    let (nodes, jobs) = draw.of([(4, 4), (7, 12)]);
    let mut slots = Vec::new();
    for id in 0..draw.between(2, nodes) as u32 {
        let node = Node::must(id, draw.between(1, 3) as f64, draw.between(1, 30) as f64 / 10.0);
        let mut start = draw.below(5) as f64;
        for _ in 0..draw.between(1, 2) {
            let end = start + draw.between(4, 14) as f64;
            slots.push(Slot::new(node, Time::must(start), Time::must(end)).unwrap());
            start = end + draw.between(1, 5) as f64;
        }
    }
    let count = draw.between(jobs / 2, jobs) as u64;
    let job = |id| {
        let mut request = ResourceRequest::must(draw.between(1, 3), draw.between(3, 18) as f64);
        let price = Price::must(draw.between(5, 40) as f64 / 10.0);
        request.price_limit = draw.chance(70).then_some(price);
        Job::new(JobId(id), request).with_submit(Time::must(draw.below(4) as f64))
    };
    let batch = Batch::new((0..count).map(job).collect()).unwrap();
    let limit = draw.chance(60).then(|| draw.between(10, 160) as f64 / 2.0);
    let goal = draw.of([
        Goal::MinTime { budget: limit },
        Goal::MinFinish { budget: limit },
        Goal::MinCost { time_limit: limit },
        Goal::MaxIncome { time_limit: limit },
    ]);
    Instance { slots: SlotList::new(slots).unwrap(), batch, goal }
}

/// A measure of a plan; less is better.
pub(crate) fn measure(outcome: &Outcome<Plan>) -> (Reverse<usize>, f64) {
    (Reverse(plan(outcome).schedule.placed().count()), outcome.value.unwrap())
}

/// What a window adds to the objective.
pub(crate) fn objective(goal: Goal, window: &Window) -> f64 {
    match goal {
        Goal::MinTime { .. } => window.runtime().get(),
        Goal::MinFinish { .. } => window.finish().get(),
        Goal::MinCost { .. } => window.cost().get(),
        _ => -window.cost().get(),
    }
}
