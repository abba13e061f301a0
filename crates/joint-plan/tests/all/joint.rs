//! Plans of whole batches, complete and stopped, must be feasible and have valid bounds. They are compared with all
//! plans whose starts are whole numbers. A plan within 0.1% of the optimum counts as solved.

use crate::judge::{Verdict, ensure, family, part};
use econsched::joint_plan::internal::AloneBound;
use econsched::joint_plan::{Goal, JointPlanner, Plan, PlanProblem, Planner as _};
use econsched::sched_model::check::{Checker, Holding, Rules, overlaps};
use econsched::sched_model::{
    Batch, Demands, Features, Job, JobId, Limit, Money, Node, Outcome, ResourceRequest, Schedule, SlotList,
    Tariff, Time, UserId, Window,
};
use econsched::testkit::{
    Draw, NodeCase, Numbers, Seen, demands, features, limit_near, oracle, request, rounded_sum, tariff,
};
use serde::{Deserialize, Serialize};

family!(JointPlans: Case, Case::draw, judge);

/// All times and spans are whole numbers, so an optimal plan with whole starts exists.
#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    nodes: Vec<NodeCase>,
    tariff: Tariff,
    jobs: Vec<Job>,
    goal: Goal,
    square: bool,
    /// The limit of work of a stopped search.
    work: u64,
    /// The maximum total cost of each user; `None` for no budget.
    budgets: Vec<Option<f64>>,
    /// Whether the price limit applies to each slot; otherwise a budget is derived from it.
    slot_price: bool,
    /// Whether the budget that is derived from a price limit is three quarters of it.
    #[serde(default)]
    derived: bool,
    /// Whether the makespan is minimised first.
    makespan: bool,
}

/// After all slots.
const HORIZON: u32 = 12;

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        let (price, alike, goal) = (Numbers::any(draw), draw.chance(25), draw.below(4));
        let count = draw.between(1, 3) as u32;
        let node = |id| {
            let start = if alike { 0 } else { draw.below(4) };
            let end = (start + draw.between(3, 9)).min(HORIZON as usize);
            let again = end + draw.below(3);
            let until = (again + draw.between(1, 4)).min(HORIZON as usize);
            let mut free = vec![(start, end)];
            free.extend((draw.chance(20) && again < until).then_some((again, until)));
            let free = free.iter().map(|&(start, end)| (whole(start), whole(end))).collect();
            let node = Node::must(id, draw.of([1.0, 1.0, 1.0, 2.0, 2.0]), price.draw(draw).min(1e30));
            NodeCase { node, features: Features::default(), value: 0.0, free }
        };
        let mut nodes: Vec<NodeCase> = (0..count).map(node).collect();
        let demanding = draw.chance(40);
        let count = draw.between(1, 3) as u64;
        let price = |draw: &mut Draw| nodes[draw.below(nodes.len())].node.price.get();
        let job = |id| {
            let n = draw.between(1, nodes.len().min(2));
            let limits = request(draw, &nodes, n, false);
            let work = 2.0 * draw.between(1, 3) as f64;
            let mut request = ResourceRequest::must(n, work).with_min_speed(limits.min_speed);
            request.price_limit = limits.price_limit;
            let cost = rounded_sum((0..n).map(|_| price(draw) * work));
            request.budget = draw.chance(40).then(|| Money::must(limit_near(draw, cost)));
            request.deadline = draw.chance(25).then(|| whole(draw.between(2, 12)));
            let mut start = |chance: usize| draw.chance(chance).then(|| draw.below(8));
            let (fixed, not_before, submit) = (start(6), start(8), start(30).map_or(0, |start| start % 4));
            let mut own = if demanding { demands(draw, nodes.len(), 30, 1.0) } else { Demands::default() };
            (own.start, own.not_before) = (fixed.map(whole), not_before.map(whole));
            let user = UserId(draw.below(2) as u32);
            Job::new(JobId(id), request.with_demands(own)).with_submit(whole(submit)).with_user(user)
        };
        let jobs: Vec<Job> = (0..count).map(job).collect();
        let work = |job: &Job| job.request.work().get();
        let mut cost = |own: usize| {
            let of = |job: &Job| price(draw) * work(job) * job.request.nodes() as f64;
            rounded_sum(jobs.iter().skip(own).map(of))
        };
        let (total, own) = (cost(0), cost(1));
        let total = if goal < 2 { total } else { jobs.iter().map(work).sum() };
        let users = if draw.chance(30) { 2 } else { 0 };
        if demanding {
            nodes.iter_mut().for_each(|node| node.features = features(draw));
        }
        let limit = draw.chance(60).then(|| limit_near(draw, total));
        Self {
            goal: [
                Goal::MinTime { budget: limit },
                Goal::MinFinish { budget: limit },
                Goal::MinCost { time_limit: limit },
                Goal::MaxIncome { time_limit: limit },
            ][goal],
            square: draw.chance(30),
            work: draw.below(30_000) as u64,
            tariff: if draw.chance(30) { tariff(draw) } else { Tariff::default() },
            slot_price: draw.chance(20),
            makespan: draw.chance(20),
            budgets: (0..users).map(|_| draw.chance(70).then(|| limit_near(draw, own))).collect(),
            derived: draw.chance(20),
            nodes,
            jobs,
        }
    }
}

fn whole(at: usize) -> Time {
    Time::must(at as f64)
}

fn judge(case: &Case) -> Verdict<Seen> {
    Posed::new(case)?.judge()
}

/// A case with all windows of its jobs that start at whole instants, and the end, the number of jobs left out and the
/// objective of every plan made of them.
struct Posed<'a> {
    case: &'a Case,
    list: SlotList,
    batch: Batch,
    rules: Rules,
    windows: Vec<Vec<Window>>,
    plans: Vec<(f64, usize, f64)>,
}

impl<'a> Posed<'a> {
    fn new(case: &'a Case) -> Verdict<Self> {
        let list = NodeCase::slots(&case.nodes)?.with_tariff(case.tariff);
        let batch = part(Batch::new(case.jobs.clone()))?;
        let holding = if case.square { Holding::SlowestSpan } else { Holding::OwnSpan };
        let rules = if case.slot_price { Rules::per_slot() } else { Rules::per_window(1.0) };
        let mut rules = rules.with_holding(holding);
        rules.budget_factor = if case.derived { Some(0.75) } else { rules.budget_factor };
        let mut posed = Self { case, list, batch, rules, windows: Vec::new(), plans: Vec::new() };
        posed.windows = posed.batch.iter().map(|job| posed.windows_of(job)).collect();
        posed.plans = posed.all_plans();
        Ok(posed)
    }

    /// The objective of a window, and its use of the limit.
    fn terms(&self, window: &Window) -> (f64, f64) {
        let (cost, runtime) = (window.cost().get(), window.runtime().get());
        match self.case.goal {
            Goal::MinTime { .. } => (runtime, cost),
            Goal::MinFinish { .. } => (runtime + window.start().get(), cost),
            Goal::MinCost { .. } => (cost, runtime),
            _ => (-cost, runtime),
        }
    }

    /// Those that a job can pay for, within the budget of its user too.
    fn windows_of(&self, job: &Job) -> Vec<Window> {
        let starts = (0..HORIZON as usize).map(whole).filter(|&start| start >= job.submit);
        let from = |start| oracle::windows(&self.list, &job.request, start, self.rules);
        let own =
            starts.flat_map(|start| from(start).into_iter().filter(move |window| window.start() == start));
        own.filter(|window| window.cost().get() <= self.budget(job.user.0)).collect()
    }

    fn budget(&self, user: u32) -> f64 {
        self.case.budgets.get(user as usize).copied().flatten().unwrap_or(f64::INFINITY)
    }

    /// Whether no user exceeds the budget. A user without a window spends nothing, and so keeps even a negative
    /// budget.
    fn keeps_budgets<'w>(&self, chosen: impl Iterator<Item = (u32, &'w Window)> + Clone) -> bool {
        (0..self.case.budgets.len() as u32).all(|user| {
            let mut own = chosen
                .clone()
                .filter(|(of, _)| *of == user)
                .map(|(_, window)| window.cost().get())
                .peekable();
            own.peek().is_none() || rounded_sum(own) <= self.budget(user)
        })
    }

    fn all_plans(&self) -> Vec<(f64, usize, f64)> {
        let plan = |windows: &Vec<Option<&Window>>| {
            let users = self.case.jobs.iter().map(|job| job.user.0).zip(windows);
            let placed: Vec<(u32, &Window)> = users.filter_map(|(user, own)| Some((user, (*own)?))).collect();
            let placed = || placed.iter().copied();
            let sum = |of: &dyn Fn(&Window) -> f64| rounded_sum(placed().map(|(_, window)| of(window)));
            let limit = self.case.goal.limit().unwrap_or(f64::INFINITY);
            let keeps = sum(&|window| self.terms(window).1) <= limit && self.keeps_budgets(placed());
            let end = placed().map(|(_, window)| window.finish().get()).fold(0.0, f64::max);
            let plan = (end, windows.len() - placed().count(), sum(&|window| self.terms(window).0));
            (keeps && overlaps(placed()).is_empty()).then_some(plan)
        };
        let windows = self.windows.iter().map(|own| own.iter().map(Some).chain([None]).collect());
        oracle::product(windows).iter().filter_map(plan).collect()
    }

    /// The minimum objective of a plan that ends by an instant, for each number of jobs left out.
    fn bests(&self, until: f64) -> Vec<f64> {
        let mut bests = vec![f64::INFINITY; self.windows.len() + 1];
        for &(_, left_out, objective) in self.plans.iter().filter(|plan| plan.0 <= until) {
            bests[left_out] = bests[left_out].min(objective);
        }
        bests
    }

    fn judge(&self) -> Verdict<Seen> {
        let case = self.case;
        let budgets =
            (0..).map(UserId).zip(&case.budgets).filter_map(|(user, budget)| Some((user, (*budget)?)));
        let mut planner = JointPlanner::new();
        planner.shuffled = 0;
        let problem = PlanProblem::new(&self.list, &self.batch, case.goal).with_from(Time::ZERO);
        let problem = problem.with_rules(self.rules).with_user_budgets(budgets);
        let problem = if case.makespan { problem.with_makespan_first() } else { problem };
        let (bests, mut known, mut seen) = (self.bests(f64::INFINITY), None, None);
        self.judge_jobs_alone(&problem, &bests)?;
        // Small limits of work stop the planner within a step.
        for work in [1_000_000, case.work, case.work / 100] {
            let limit = Limit::default().with_work(work);
            let found = planner.solve(&problem, &mut limit.meter())?;
            ensure!(found.work <= work, "{} units of work, allowed {work}", found.work);
            let is_best = self.judge_plan(&found, &bests)?;
            seen.get_or_insert(if is_best { Seen::solved() } else { Seen::unsolved(true) });
            // A plan is never worse than the plan that it starts from.
            let known: &Outcome<Plan> = known.get_or_insert(found);
            let start = known.best.as_ref().map(|plan| plan.schedule.clone()).unwrap_or_default();
            let again = planner.solve(&problem.clone().with_start(start), &mut limit.meter())?;
            self.judge_plan(&again, &bests)?;
            let key = |found: &Outcome<Plan>| {
                let schedule = found.best.as_ref().map(|plan| &plan.schedule);
                let end = schedule.filter(|_| case.makespan).map(Schedule::makespan);
                (schedule.map(|schedule| schedule.refused().count()), end, found.value)
            };
            ensure!(key(&again) <= key(known), "worse than what it started from: {:?}", key(&again));
        }
        Ok(seen.unwrap_or_default())
    }

    /// The bounds of jobs alone hold for any number of jobs left out.
    fn judge_jobs_alone(&self, problem: &PlanProblem<'_>, bests: &[f64]) -> Verdict {
        let alone = AloneBound::of(problem)?;
        for (left_out, &best) in bests.iter().enumerate() {
            let Some(more) = left_out.checked_sub(alone.unplaceable()) else {
                ensure!(
                    best == f64::INFINITY,
                    "a job alone has no window, and {left_out} are left out at {best:?}"
                );
                continue;
            };
            let bound = alone.leaving_out(more);
            ensure!(bound <= best, "of jobs alone {bound:?}, and {best:?} with {left_out} left out");
        }
        // For more jobs than there are, there is no plan and no bound; the call must not panic.
        let none = alone.leaving_out(self.batch.len() + 1).max(alone.leaving_out(usize::MAX));
        ensure!(none <= 0.0, "{none:?} of no job");
        Ok(())
    }

    /// Whether the plan is optimal.
    fn judge_plan(&self, found: &Outcome<Plan>, bests: &[f64]) -> Verdict<bool> {
        ensure!(found.best.is_some(), "no plan");
        let Some(plan) = &found.best else { return Ok(false) };
        ensure!(plan.rules == self.rules, "a plan of other rules");
        let wrong = Checker::new(&self.list, self.rules).schedule(&plan.schedule, &self.batch);
        ensure!(wrong.is_empty(), "a plan: {wrong:?}");
        let user = |job: JobId| self.case.jobs.get(job.0 as usize).map_or(0, |job| job.user.0);
        let placed: Vec<(u32, &Window)> =
            plan.schedule.placed().map(|(job, window)| (user(job), window)).collect();
        let sum = |of: &dyn Fn(&Window) -> f64| rounded_sum(placed.iter().map(|(_, window)| of(window)));
        let sums = (sum(&|window| self.terms(window).0), sum(&|window| self.terms(window).1));
        ensure!(found.value == Some(sums.0), "says {:?}, is {sums:?}", found.value);
        let (cost, paid) = (plan.schedule.cost().get(), sum(&|window| window.cost().get()));
        ensure!(cost == paid, "the schedule says {cost:?}, its windows cost {paid:?}");
        let limit = self.case.goal.limit().unwrap_or(f64::INFINITY);
        ensure!(sums.1 <= limit || placed.is_empty(), "above the limit: {:?} > {limit:?}", sums.1);
        ensure!(self.keeps_budgets(placed.iter().copied()), "a user spends more than the budget");
        let left_out = self.batch.len() - placed.len();
        let stated = plan.left_out + plan.unplaceable;
        ensure!(stated == left_out, "{stated} are left out or have no window, are {left_out}");
        if sums.1 > limit {
            // Even a plan without jobs exceeds a limit below 0.
            return Ok(true);
        }
        let mut best = bests[left_out];
        if self.case.makespan {
            // Among the plans that end no later: checks the bound of the makespan, and that of the objective.
            let Some(end) = plan.schedule.makespan().map(Time::get) else { return Ok(true) };
            let of = |until: u32| self.bests(f64::from(until))[left_out];
            let least =
                (0..=HORIZON).find(|&until| of(until) < f64::INFINITY).map_or(f64::INFINITY, f64::from);
            ensure!(end >= least, "ends at {end}, and {least} is the least of all");
            let bound = plan.makespan_bound.map_or(0.0, Time::get);
            ensure!(bound <= least, "the bound {bound} of the last finish is above {least}");
            best = self.bests(end)[left_out];
        }
        ensure!(sums.0 >= best, "better than all plans: {:?}, best {best:?}", sums.0);
        let most = bests[..left_out].iter().all(|&fewer| fewer == f64::INFINITY);
        let is_best = most && sums.0 - best <= 1e-3 * best.abs();
        let Some(bound) = found.bound else { return Ok(is_best) };
        ensure!(bound <= best, "the bound {bound:?} is above {best:?} with {left_out} left out");
        if !self.case.makespan {
            let alone = self.windows.iter().filter(|windows| windows.is_empty()).count();
            ensure!(plan.unplaceable == alone, "{} have no window, are {alone}", plan.unplaceable);
            ensure!(plan.left_out > 0 || most, "more jobs can be placed");
        }
        Ok(is_best)
    }
}
