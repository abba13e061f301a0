//! Tiny instances from numbers.

use joint_plan::{Effort, GOOD_ENOUGH, Goal, JointPlan, JointPlanner, PlanProblem};
use sched_model::*;

/// A linear congruential generator (Knuth's MMIX constants): instances for tests alone.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn whole(&mut self, least: u64, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + (self.0 >> 33) % (most - least + 1)
    }
}

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
    Limit::default().with_relative_gap(GOOD_ENOUGH)
}

/// Without shuffled orders.
pub(crate) fn planner() -> JointPlanner {
    JointPlanner::new().with_shuffled_orders(0, 0)
}

pub(crate) fn planned(problem: &PlanProblem<'_>, effort: Effort, limit: &Limit) -> JointPlan {
    planner().with_effort(effort).run(problem, limit, &mut |_| ()).unwrap()
}

/// Three or four nodes of speed 1 or 2, slots of whole ends, up to four jobs of even work: all spans are
/// whole, so that some best plan has whole starts.
pub(crate) fn instance(seed: u64) -> Instance {
    let mut draw = Draw(seed.wrapping_mul(7919) ^ 0x5eed);
    draw.whole(0, 1);
    let mut slots = Vec::new();
    for id in 0..draw.whole(2, 4) {
        let node = Node::must(id as u32, draw.whole(1, 2) as f64, draw.whole(1, 9) as f64 / 10.0);
        let start = draw.whole(0, 3) as f64;
        slots.push(Slot::new(node, Time::must(start), Time::must(start + draw.whole(3, 9) as f64)).unwrap());
    }
    let jobs = (0..draw.whole(1, 4)).map(|id| {
        let work = Work::must(2.0 * draw.whole(1, 3) as f64);
        let mut request = ResourceRequest::new(draw.whole(1, 2) as usize, work).unwrap();
        if draw.whole(0, 2) == 0 {
            request = request.with_budget(Money::must(draw.whole(2, 12) as f64 / 2.0));
        }
        Job::new(JobId(id), request).with_submit(Time::must(draw.whole(0, 2) as f64))
    });
    let batch = Batch::new(jobs.collect()).unwrap();
    let limit = if draw.whole(0, 1) == 0 { f64::INFINITY } else { draw.whole(4, 30) as f64 / 2.0 };
    let goal = goal(&mut draw, limit);
    Instance { slots: SlotList::new(slots).unwrap(), batch, goal }
}

/// One of the goals under this limit.
pub(crate) fn goal(draw: &mut Draw, limit: f64) -> Goal {
    let limit = (limit < f64::INFINITY).then_some(limit);
    match draw.whole(0, 3) {
        0 => Goal::MinTime { budget: limit },
        1 => Goal::MinFinish { budget: limit },
        2 => Goal::MinCost { time_limit: limit },
        _ => Goal::MaxIncome { time_limit: limit },
    }
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
