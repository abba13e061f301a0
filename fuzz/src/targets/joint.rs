//! Plans of whole batches: feasible, with bounds that hold, against all plans of whole starts.

use crate::exact::rounded_sum;
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use crate::targets::demands::{Asked, Having, span_on};
use crate::targets::window::TariffCase;
use econsched::joint_plan::{Effort, JointGoal, JointPlan, JointPlanner};
use econsched::sched_model::check::{Checker, Holding, Rules};
use econsched::sched_model::{
    Batch, Demands, Job, JobId, Limit, Money, Node, NodeId, Price, ResourceRequest, Slot, SlotList, Span,
    Speed, Time, UserId, Window, Work,
};
use serde::{Deserialize, Serialize};

pub(crate) struct JointPlans;

/// All times and spans are whole numbers, so one of the best plans has whole starts.
#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    nodes: Vec<NodeCase>,
    jobs: Vec<JobCase>,
    goal: usize,
    limit: Option<f64>,
    square: bool,
    effort: usize,
    /// Work of a search that is stopped.
    work: u64,
    /// What users spend at most; `None` for no budget.
    #[serde(default)]
    budgets: Vec<Option<f64>>,
    #[serde(default)]
    having: Vec<Having>,
    /// For each job, where there are any.
    #[serde(default)]
    asked: Vec<Asked>,
    #[serde(default)]
    tariff: Option<TariffCase>,
    /// Whether each slot must keep to the price limit, in place of a budget derived from it.
    #[serde(default)]
    slot_price: bool,
    /// Whether the least last finish comes before the goal.
    #[serde(default)]
    makespan: bool,
}

#[derive(Serialize, Deserialize)]
struct NodeCase {
    fast: bool,
    price: f64,
    start: u32,
    length: u32,
    /// Another slot: how long after the first, and its length.
    #[serde(default)]
    second: Option<(u32, u32)>,
}

#[derive(Serialize, Deserialize)]
struct JobCase {
    n: usize,
    /// Half of the work.
    half: u32,
    budget: Option<f64>,
    deadline: Option<u32>,
    submit: u32,
    #[serde(default)]
    user: u32,
    #[serde(default)]
    price_limit: Option<f64>,
    /// The only start allowed, and the earliest start.
    #[serde(default)]
    start: Option<u32>,
    #[serde(default)]
    not_before: Option<u32>,
}

/// Beyond all slots.
const HORIZON: u32 = 12;

impl Case {
    fn goal(&self) -> JointGoal {
        let limit = self.limit.unwrap_or(f64::INFINITY);
        match self.goal % 4 {
            0 => JointGoal::MinTime { budget: limit },
            1 => JointGoal::MinFinish { budget: limit },
            2 => JointGoal::MinCost { time_limit: limit },
            _ => JointGoal::MaxIncome { time_limit: limit },
        }
    }

    /// Objective and use of the limit of a window.
    fn terms(&self, window: &Window) -> (f64, f64) {
        let (cost, runtime) = (window.cost().get(), window.runtime().get());
        match self.goal % 4 {
            0 => (runtime, cost),
            1 => (runtime + window.start().get(), cost),
            2 => (cost, runtime),
            _ => (-cost, runtime),
        }
    }

    fn slots(&self) -> Result<Vec<Slot>, Fault> {
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

    fn batch(&self) -> Result<Batch, Fault> {
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

    fn list(&self, slots: &[Slot]) -> Result<SlotList, Fault> {
        let tariff = self.tariff.as_ref().map(TariffCase::tariff).transpose()?.unwrap_or_default();
        Ok(Having::listed(&self.having, part(SlotList::new(slots.to_vec()))?)?.with_tariff(tariff))
    }

    /// What each job demands; spans and starts are whole.
    fn demands(&self) -> Result<Vec<(JobId, Demands)>, Fault> {
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

    /// All windows of a job that start at whole instants.
    fn windows(
        &self,
        (job, demands): (&Job, &Demands),
        (list, slots): (&SlotList, &[Slot]),
        checker: &Checker,
    ) -> Result<Vec<Window>, Fault> {
        let mut windows = Vec::new();
        for start in 0..HORIZON {
            let start = part(Time::new(f64::from(start)))?;
            for set in 0_u32..1 << slots.len() {
                if set.count_ones() as usize != job.request.nodes() {
                    continue;
                }
                let chosen =
                    || slots.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, slot)| slot);
                let own = |slot: &Slot| span_on(demands, &job.request, slot);
                let longest = chosen().map(own).fold(Span::ZERO, Span::max);
                let placements = chosen()
                    .map(|slot| list.placement(slot, start, if self.square { longest } else { own(slot) }));
                if let Ok(window) = Window::new(start, placements.collect())
                    && checker.job(&window, job).is_empty()
                    && window.cost().get() <= self.budget_of(job.user)
                {
                    windows.push(window);
                }
            }
        }
        Ok(windows)
    }

    fn budget_of(&self, user: UserId) -> f64 {
        self.budgets.get(user.0 as usize).copied().flatten().unwrap_or(f64::INFINITY)
    }

    /// Whether no user spends more than the budget. A user without a window spends nothing, even beside a
    /// budget below 0.
    fn keeps_budgets<'a>(&self, chosen: impl Iterator<Item = (u32, &'a Window)> + Clone) -> bool {
        (0..self.budgets.len() as u32).all(|user| {
            let own = chosen.clone().filter(|(of, _)| *of == user);
            own.clone().next().is_none()
                || rounded_sum(own.map(|(_, window)| window.cost().get())) <= self.budget_of(UserId(user))
        })
    }

    /// For each number of jobs left out, the least objective of a plan.
    fn bests(&self, windows: &[Vec<Window>]) -> Vec<f64> {
        let mut bests = vec![f64::INFINITY; windows.len() + 1];
        self.descend(windows, &mut Vec::new(), &mut bests);
        bests
    }

    // The recursion is as deep as the number of jobs, which is small.
    fn descend<'a>(&self, rest: &'a [Vec<Window>], chosen: &mut Vec<(u32, &'a Window)>, bests: &mut [f64]) {
        let Some((first, later)) = rest.split_first() else {
            let weight = rounded_sum(chosen.iter().map(|(_, window)| self.terms(window).1));
            if weight <= self.limit.unwrap_or(f64::INFINITY) && self.keeps_budgets(chosen.iter().copied()) {
                let objective = rounded_sum(chosen.iter().map(|(_, window)| self.terms(window).0));
                let left_out = bests.len() - 1 - chosen.len();
                bests[left_out] = bests[left_out].min(objective);
            }
            return;
        };
        self.descend(later, chosen, bests);
        let user = self.jobs[self.jobs.len() - rest.len()].user;
        for window in first {
            if chosen.iter().all(|(_, other)| !other.overlaps(window)) {
                chosen.push((user, window));
                self.descend(later, chosen, bests);
                chosen.pop();
            }
        }
    }

    /// Where the makespan comes first: its bound holds, and so does the bound of the objective over plans
    /// that end as early.
    fn judge_makespan(
        &self,
        plan: &JointPlan,
        checker: &Checker,
        batch: &Batch,
        windows: &[Vec<Window>],
    ) -> Verdict {
        let wrong = checker.schedule(&plan.schedule, batch);
        ensure!(wrong.is_empty(), "makespan: job {}: {}", wrong[0].0, wrong[0].1);
        let placed: Vec<&Window> = plan.schedule.placed().map(|(_, window)| window).collect();
        let left_out = batch.len() - placed.len();
        let Some(end) = plan.schedule.makespan() else { return Ok(()) };
        let objective = rounded_sum(placed.iter().map(|window| self.terms(window).0));
        ensure!(plan.objective == objective, "makespan: says {:?}, is {objective:?}", plan.objective);
        // Plans under each possible deadline.
        let mut least = f64::INFINITY;
        for until in (0..=HORIZON).map(f64::from) {
            let early = |all: &Vec<Window>| {
                all.iter().filter(|window| window.finish().get() <= until).cloned().collect()
            };
            let early: Vec<Vec<Window>> = windows.iter().map(early).collect();
            let best = self.bests(&early)[left_out];
            if best < f64::INFINITY {
                least = least.min(until);
            }
            if until == end.get() {
                ensure!(objective >= best, "makespan: better than all plans: {objective:?}, best {best:?}");
                if let Some(bound) = plan.bound {
                    ensure!(bound <= best, "makespan: the bound {bound:?} is above {best:?}");
                }
            }
        }
        ensure!(end.get() >= least, "makespan: {end} is below the least of all {least:?}");
        if let Some(bound) = plan.makespan_bound {
            ensure!(bound.get() <= least, "makespan: its bound {bound} is above {least:?}");
        }
        Ok(())
    }

    fn judge_plan(
        &self,
        plan: &JointPlan,
        checker: &Checker,
        batch: &Batch,
        (bests, alone): (&[f64], usize),
    ) -> Verdict {
        let wrong = checker.schedule(&plan.schedule, batch);
        ensure!(wrong.is_empty(), "job {}: {}", wrong[0].0, wrong[0].1);
        let placed: Vec<&Window> = plan.schedule.placed().map(|(_, window)| window).collect();
        let objective = rounded_sum(placed.iter().map(|window| self.terms(window).0));
        let weight = rounded_sum(placed.iter().map(|window| self.terms(window).1));
        ensure!(
            (plan.objective, plan.weight) == (objective, weight),
            "says {:?}, is {:?}",
            (plan.objective, plan.weight),
            (objective, weight)
        );
        let limit = self.limit.unwrap_or(f64::INFINITY);
        ensure!(weight <= limit || placed.is_empty(), "above the limit: {weight:?} > {limit:?}");
        let of_users = || {
            let placed = plan.schedule.placed();
            placed.filter_map(|(job, window)| Some((self.jobs.get(job.0 as usize)?.user, window)))
        };
        let of_users: Vec<(u32, &Window)> = of_users().collect();
        ensure!(self.keeps_budgets(of_users.iter().copied()), "a user spends more than the budget");
        let left_out = batch.len() - placed.len();
        let best = bests[left_out];
        if weight > limit {
            // Even a plan without jobs exceeds a limit below 0.
            return Ok(());
        }
        ensure!(objective >= best, "better than all plans: {objective:?}, best {best:?}");
        if let Some(bound) = plan.bound {
            ensure!(plan.unplaceable == alone, "{} have no window, {alone} do", plan.unplaceable);
            ensure!(plan.left_out + alone == left_out, "left out {}, is {left_out}", plan.left_out);
            ensure!(bound <= best, "the bound {bound:?} is above {best:?} with {left_out} left out");
        }
        if plan.bound.is_some() && plan.most_jobs() {
            ensure!(bests[..left_out].iter().all(|&fewer| fewer == f64::INFINITY), "more jobs can be placed");
        }
        Ok(())
    }
}

impl Target for JointPlans {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
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
        Case {
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

    fn judge(case: &Case) -> Verdict {
        let slots = case.slots()?;
        let batch = case.batch()?;
        let list = case.list(&slots)?;
        let demands = case.demands()?;
        let holding = if case.square { Holding::SlowestSpan } else { Holding::OwnSpan };
        let rules = if case.slot_price { Rules::per_slot() } else { Rules::per_window(1.0) };
        let rules = rules.with_holding(holding);
        let checker = Checker::new(&list, rules).with_demands(demands.iter().cloned());
        let mut windows = Vec::new();
        for (job, (_, demands)) in batch.iter().zip(&demands) {
            windows.push(case.windows((job, demands), (&list, &slots), &checker)?);
        }
        let alone = windows.iter().filter(|windows| windows.is_empty()).count();
        let bests = case.bests(&windows);
        let effort = [Effort::Quick, Effort::Normal, Effort::Hard][case.effort % 3];
        let budgets =
            (0..).map(UserId).zip(&case.budgets).filter_map(|(user, budget)| Some((user, (*budget)?)));
        let planner = JointPlanner::new(rules).with_effort(effort).with_user_budgets(budgets);
        let planner = planner.with_demands(demands.iter().cloned());
        // The limits of work: small ones stop the planner within a step.
        let whole = Limit::default().with_work(1_000_000);
        if case.makespan {
            let planner = planner.with_makespan_first();
            for limit in [whole, Limit::default().with_work(case.work)] {
                let work = limit.work;
                let plan = planner.clone().with_limit(limit).plan(&list, &batch, Time::ZERO, case.goal())?;
                ensure!(plan.work <= work, "makespan: {} units of work, allowed {work}", plan.work);
                case.judge_makespan(&plan, &checker, &batch, &windows)?;
            }
            return Ok(());
        }
        let plan = planner.clone().with_limit(whole.clone()).plan(&list, &batch, Time::ZERO, case.goal())?;
        case.judge_plan(&plan, &checker, &batch, (&bests, alone))?;
        let short = planner.clone().with_limit(Limit::default().with_work(case.work));
        let stopped = short.plan(&list, &batch, Time::ZERO, case.goal())?;
        case.judge_plan(&stopped, &checker, &batch, (&bests, alone))?;
        ensure!(stopped.work <= case.work, "{} units of work, allowed {}", stopped.work, case.work);
        // Never worse than the plan it starts from.
        let key = |plan: &JointPlan| (batch.len() - plan.schedule.placed().count(), plan.objective);
        let known = short.with_known_plan(plan.schedule.clone());
        let again = known.plan(&list, &batch, Time::ZERO, case.goal())?;
        case.judge_plan(&again, &checker, &batch, (&bests, alone))?;
        ensure!(key(&again) <= key(&plan), "worse than what it started from: {:?}", key(&again));
        Ok(())
    }
}
