//! A case: nodes, jobs and the settings of a planner. Times and spans are whole numbers.

use crate::exact::rounded_sum;
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Fault, part};
use crate::targets::demands::{Asked, Having};
use crate::targets::window::TariffCase;
use econsched::sched_model::{
    Batch, Demands, Job, JobId, Money, Node, NodeId, Price, ResourceRequest, Slot, SlotList, Speed, Time,
    UserId, Work,
};
use serde::{Deserialize, Serialize};

/// All times and spans are whole numbers, so one of the best plans has whole starts.
#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    pub(super) nodes: Vec<NodeCase>,
    pub(super) jobs: Vec<JobCase>,
    pub(super) goal: usize,
    pub(super) limit: Option<f64>,
    pub(super) square: bool,
    pub(super) effort: usize,
    /// Work of a search that is stopped.
    pub(super) work: u64,
    /// What users spend at most; `None` for no budget.
    #[serde(default)]
    pub(super) budgets: Vec<Option<f64>>,
    #[serde(default)]
    pub(super) having: Vec<Having>,
    /// For each job, where there are any.
    #[serde(default)]
    pub(super) asked: Vec<Asked>,
    #[serde(default)]
    pub(super) tariff: Option<TariffCase>,
    /// Whether each slot must keep to the price limit, in place of a budget derived from it.
    #[serde(default)]
    pub(super) slot_price: bool,
    /// Whether the least last finish comes before the goal.
    #[serde(default)]
    pub(super) makespan: bool,
}

#[derive(Serialize, Deserialize)]
pub(super) struct NodeCase {
    pub(super) fast: bool,
    pub(super) price: f64,
    pub(super) start: u32,
    pub(super) length: u32,
    /// Another slot: how long after the first, and its length.
    #[serde(default)]
    pub(super) second: Option<(u32, u32)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct JobCase {
    pub(super) n: usize,
    /// Half of the work.
    pub(super) half: u32,
    pub(super) budget: Option<f64>,
    pub(super) deadline: Option<u32>,
    pub(super) submit: u32,
    #[serde(default)]
    pub(super) user: u32,
    #[serde(default)]
    pub(super) price_limit: Option<f64>,
    /// The only start allowed, and the earliest start.
    #[serde(default)]
    pub(super) start: Option<u32>,
    #[serde(default)]
    pub(super) not_before: Option<u32>,
}

/// Beyond all slots.
pub(super) const HORIZON: u32 = 12;

impl Case {
    pub(super) fn slots(&self) -> Result<Vec<Slot>, Fault> {
        let mut slots = Vec::new();
        for (id, node) in (0..).zip(&self.nodes) {
            let speed = part(Speed::new(if node.fast { 2.0 } else { 1.0 }))?;
            let of = Node::new(NodeId(id), speed, part(Price::new(node.price))?);
            let first = (node.start, node.start.saturating_add(node.length));
            let second = node.second.map(|(after, length)| {
                let start = first.1.saturating_add(after);
                (start, start.saturating_add(length))
            });
            for (start, end) in [first].into_iter().chain(second) {
                let end = end.min(HORIZON);
                if start < end {
                    let (start, end) = (Time::new(f64::from(start)), Time::new(f64::from(end)));
                    slots.push(part(Slot::new(of, part(start)?, part(end)?))?);
                }
            }
        }
        Ok(slots)
    }

    pub(super) fn batch(&self) -> Result<Batch, Fault> {
        let mut jobs = Vec::new();
        for (id, job) in (0..).zip(&self.jobs) {
            let work = part(Work::new(2.0 * f64::from(job.half)))?;
            let mut request = part(ResourceRequest::new(job.n, work))?;
            if let Some(budget) = job.budget {
                request = request.with_budget(part(Money::new(budget))?);
            }
            if let Some(deadline) = job.deadline {
                request = request.with_deadline(part(Time::new(f64::from(deadline)))?);
            }
            if let Some(limit) = job.price_limit {
                request = request.with_price_limit(part(Price::new(limit))?);
            }
            let submit = part(Time::new(f64::from(job.submit)))?;
            jobs.push(Job::new(JobId(id), request).with_submit(submit).with_user(UserId(job.user)));
        }
        part(Batch::new(jobs))
    }

    pub(super) fn list(&self, slots: &[Slot]) -> Result<SlotList, Fault> {
        let tariff = self.tariff.as_ref().map(TariffCase::tariff).transpose()?.unwrap_or_default();
        Ok(Having::listed(&self.having, part(SlotList::new(slots.to_vec()))?)?.with_tariff(tariff))
    }

    /// What each job demands; spans and starts are whole.
    pub(super) fn demands(&self) -> Result<Vec<(JobId, Demands)>, Fault> {
        let mut all = Vec::new();
        for (at, job) in self.jobs.iter().enumerate() {
            let mut demands = self.asked.get(at).map_or(Ok(Demands::new()), |asked| asked.demands(1.0))?;
            if let Some(instant) = job.start {
                demands = demands.with_start(part(Time::new(f64::from(instant)))?);
            }
            if let Some(instant) = job.not_before {
                demands = demands.with_not_before(part(Time::new(f64::from(instant)))?);
            }
            all.push((JobId(at as u64), demands));
        }
        Ok(all)
    }

    /// A random case.
    pub(super) fn draw(rng: &mut Rng) -> Self {
        let price = Family::any(rng);
        let alike = rng.percent(25);
        let nodes: Vec<NodeCase> = (0..rng.range(1, 3))
            .map(|_| NodeCase {
                fast: rng.percent(40),
                price: price.draw(rng).min(1e30),
                start: if alike { 0 } else { rng.below(4) as u32 },
                length: rng.range(3, 9) as u32,
                second: rng.percent(20).then(|| (rng.below(3) as u32, rng.range(1, 4) as u32)),
            })
            .collect();
        let jobs: Vec<JobCase> = (0..rng.range(1, 3))
            .map(|_| {
                let half = rng.range(1, 3) as u32;
                let n = rng.range(1, nodes.len().min(2));
                let cost: f64 = rounded_sum((0..n).map(|_| rng.pick(&nodes).price * f64::from(2 * half)));
                JobCase {
                    n,
                    half,
                    budget: rng.percent(40).then(|| limit_near(rng, cost)),
                    deadline: rng.percent(25).then(|| rng.range(2, 12) as u32),
                    submit: if rng.percent(30) { rng.below(4) as u32 } else { 0 },
                    user: rng.below(2) as u32,
                    price_limit: rng.percent(20).then(|| rng.pick(&nodes).price),
                    start: rng.percent(6).then(|| rng.below(8) as u32),
                    not_before: rng.percent(8).then(|| rng.below(8) as u32),
                }
            })
            .collect();
        let goal = rng.below(4);
        let total = if goal < 2 {
            rounded_sum(
                jobs.iter().map(|job| rng.pick(&nodes).price * f64::from(2 * job.half) * job.n as f64),
            )
        } else {
            jobs.iter().map(|job| f64::from(2 * job.half)).sum()
        };
        let demanding = rng.percent(40);
        let having = if demanding { Having::draw(rng, nodes.len()) } else { Vec::new() };
        let asked = 0..if demanding { jobs.len() } else { 0 };
        let asked = asked.map(|_| Asked::draw(rng, nodes.len(), 30)).collect();
        let square = rng.percent(30);
        Self {
            having,
            asked,
            goal,
            limit: rng.percent(60).then(|| limit_near(rng, total)),
            square,
            effort: rng.below(3),
            work: rng.below(30_000) as u64,
            tariff: rng.percent(30).then(|| TariffCase::draw(rng)),
            slot_price: rng.percent(20),
            makespan: rng.percent(20),
            budgets: if rng.percent(70) {
                Vec::new()
            } else {
                let cost =
                    rounded_sum(jobs.iter().map(|job| rng.pick(&nodes).price * f64::from(2 * job.half)));
                (0..2).map(|_| rng.percent(70).then(|| limit_near(rng, cost))).collect()
            },
            nodes,
            jobs,
        }
    }
}
