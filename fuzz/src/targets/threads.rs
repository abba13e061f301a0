//! Joint plans on one thread and on several: the same to the last bit.

use crate::number::Family;
use crate::pool;
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use econsched::joint_plan::{Effort, JointGoal, JointPlan, JointPlanner};
use econsched::sched_model::check::Rules;
use econsched::sched_model::{
    Batch, Job, JobId, Limit, Node, NodeId, Price, ResourceRequest, SlotList, Speed, Time, Work,
};
use serde::{Deserialize, Serialize};

pub(crate) struct Threads;

/// More jobs than are searched one after the other.
#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    /// Speed and price.
    nodes: Vec<(f64, f64)>,
    /// Nodes and work.
    jobs: Vec<(usize, f64)>,
    horizon: f64,
    goal: usize,
    hard: bool,
    threads: usize,
    work: u64,
}

impl Case {
    fn plan(&self, threads: usize) -> Result<JointPlan, Fault> {
        let mut nodes = Vec::new();
        for (id, &(speed, price)) in (0..).zip(&self.nodes) {
            nodes.push(Node::new(NodeId(id), part(Speed::new(speed))?, part(Price::new(price))?));
        }
        let slots = part(SlotList::from_nodes(&nodes, &[], Time::ZERO, part(Time::new(self.horizon))?))?;
        let mut jobs = Vec::new();
        for (id, &(count, work)) in (0..).zip(&self.jobs) {
            jobs.push(Job::new(JobId(id), part(ResourceRequest::new(count, part(Work::new(work))?))?));
        }
        let batch = part(Batch::new(jobs))?;
        let limit = f64::INFINITY;
        let goal = match self.goal % 3 {
            0 => JointGoal::MinTime { budget: limit },
            1 => JointGoal::MinFinish { budget: limit },
            _ => JointGoal::MinCost { time_limit: limit },
        };
        let planner = JointPlanner::new(Rules::per_window(1.0))
            .with_effort(if self.hard { Effort::Hard } else { Effort::Normal })
            .with_shuffled_orders(2, 1)
            .with_limit(Limit::default().with_work(self.work));
        let pool = pool::of(threads)?;
        part(pool.install(|| planner.plan(&slots, &batch, Time::ZERO, goal)))
    }
}

impl Target for Threads {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let price = Family::any(rng);
        let nodes = (0..rng.range(2, 8))
            .map(|_| (*rng.pick(&[1.0, 1.0, 1.3, 2.0, 2.7]), price.draw(rng).min(1e30)))
            .collect::<Vec<_>>();
        let jobs = (0..rng.range(30, 44))
            .map(|_| (rng.range(1, nodes.len().min(3)), 1.0 + rng.below(30) as f64 / 10.0));
        Case {
            jobs: jobs.collect(),
            horizon: rng.range(5, 60) as f64,
            goal: rng.below(3),
            hard: rng.percent(60),
            threads: rng.range(2, 4),
            work: rng.below(300_000) as u64,
            nodes,
        }
    }

    fn judge(case: &Case) -> Verdict {
        let (one, several) = (case.plan(1)?, case.plan(case.threads)?);
        ensure!(one == several, "{} threads: {several} where one gives {one}", case.threads);
        Ok(())
    }
}
