//! Plans of whole batches: feasible, with bounds that hold, against all plans of whole starts.

mod case;

use crate::exact::rounded_sum;
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use crate::targets::demands::span_on;
use case::{Case, HORIZON};
use econsched::joint_plan::{Effort, JointGoal, JointPlan, JointPlanner};
use econsched::sched_model::check::{Checker, Holding, Rules};
use econsched::sched_model::{Batch, Demands, Job, Limit, Slot, SlotList, Span, Time, UserId, Window};

pub(crate) struct JointPlans;

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
        Case::draw(rng)
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
