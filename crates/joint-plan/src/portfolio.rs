//! The best of many cycles: several searches, each in several orders of the jobs, for all settings of the second
//! phase.

use crate::cycles::{ORDERS, Order, alternatives, searches};
use crate::{JointError, PlanProblem};
use batch_dp::{BatchError, Goal, Planner};
use sched_model::check::Rules;
use sched_model::{End, Job, JobId, Limit, Meter, Schedule};
use slot_window::{AlternativesSearch, WindowSearch};

/// Runs cycles of the paper by several searches, each in several orders of the jobs, and keeps the best plan by
/// the settings of a [`Planner`].
///
/// If a [`JointPlanner`](crate::JointPlanner) supports the settings, it finds better plans, with a bound on their
/// distance from the best. A portfolio supports all settings of a cycle: coverage, preferences among <C, D, T, I>,
/// the minimum makespan, budgets of users, demands of jobs.
///
/// The searches are those of minimum runtime, finish, start and cost and First Fit if a window as a whole has a
/// budget, and ALP if each slot has a price limit. The orders are the given one, by size ascending and descending,
/// by number of nodes, and the reverse of the given one. All cycles have the same limit: if the goal has none, it
/// is derived from the first cycle.
///
/// * **Guarantee**: no plan of these cycles is better; nothing is proven about other plans.
/// * **Complexity**: 25 cycles, counted as work. With the feature `rayon` the cycles of one order run in parallel,
///   with the same result. A cycle that needs more than an equal share of the remaining work then runs twice, so
///   all threads together may do up to twice the work that is counted.
/// * **Ties**: the known plan, then the cycle that comes first.
/// * **Errors**: [`JointError`] for malformed input; [`BatchError::Stopped`] if the limit is reached before there
///   is any plan.
///
/// ```
/// use batch_dp::{Coverage, Goal, Planner};
/// use joint_plan::PlanProblem;
/// use joint_plan::internal::Portfolio;
/// use sched_model::*;
/// let slots = SlotList::from_nodes(&[Node::must(1, 1.0, 1.0)], &[], Time::ZERO, Time::must(40.0))?;
/// // In the given order job 1 takes the node until the deadline of job 2; the other way round, both fit.
/// let request = ResourceRequest::must(1, 10.0);
/// let hurried = Job::new(JobId(2), request.clone().with_deadline(Time::must(10.0)));
/// let batch = Batch::new(vec![Job::new(JobId(1), request), hurried])?;
/// let planner = Planner::new(Goal::MinTime { budget: Some(50.0) }).with_coverage(Coverage::MostJobs);
/// let problem = PlanProblem::new(&slots, &batch, joint_plan::Goal::MinTime { budget: Some(50.0) });
/// let portfolio = Portfolio::new(check::Rules::per_window(1.0), planner);
/// let best = portfolio.run(&problem, &mut Limit::default().meter())?;
/// assert_eq!(best.schedule.placed().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Portfolio {
    rules: Rules,
    planner: Planner,
    searches: Vec<Box<dyn WindowSearch>>,
    /// The greatest number of alternatives per job.
    pub(crate) alternatives: usize,
}

/// The best plan of many cycles.
#[derive(Debug, Clone, PartialEq)]
pub struct BestOfCycles {
    /// A window for each job that is placed, and a reason for each other job.
    pub schedule: Schedule,
    /// The number of completed cycles.
    pub cycles: usize,
    /// Why no more cycles were run: [`End::Done`], or the limit that was reached.
    pub end: End,
    /// Units of work done.
    pub work: u64,
}

impl Portfolio {
    /// A portfolio of cycles whose windows keep these rules, with the choices of this planner and at most 50
    /// alternatives per job.
    pub fn new(rules: Rules, planner: Planner) -> Self {
        let searches = searches(rules, planner.goal());
        Self { rules, planner, searches, alternatives: 50 }
    }

    /// The best plan of all cycles, which is never worse than the start of the problem if that keeps rules and
    /// limits. The goal of the planner is used, not that of the problem. The observer of the meter is called only
    /// between cycles.
    ///
    /// # Errors
    /// [`JointError`] for malformed input; [`BatchError::Stopped`] if the limit is reached before there is
    /// any plan.
    pub fn run(&self, problem: &PlanProblem<'_>, meter: &mut Meter) -> Result<BestOfCycles, JointError> {
        let batch = problem.batch;
        let ids: Vec<JobId> = batch.iter().map(|job| job.id).collect();
        let checker = PlanProblem { rules: self.rules, ..problem.clone() }.checker();
        let sound = |schedule: &Schedule| checker.schedule(schedule, batch).is_empty();
        let (before, mut cycles) = (meter.work(), 0);
        let mut best = problem.start.clone().filter(|known| self.planner.allows(known) && sound(known));
        let mut input = Input { portfolio: self, planner: self.planner.clone(), problem };
        let mut end = meter.spend(0).err();
        'parts: for part in self.parts() {
            let mut ahead = input.ahead(&part, meter).into_iter();
            for &(order, search) in &part {
                // A cycle itself counts one unit.
                end = end.or(meter.spend(1).err());
                if end.is_some() {
                    break 'parts;
                }
                let left = meter.work_left();
                let cycle = match ahead.next() {
                    Some(cycle) => Some(cycle?).filter(|cycle| cycle.work <= left && cycle.end.is_none()),
                    None => None,
                };
                let cycle = match cycle {
                    Some(cycle) => cycle,
                    None => input.cycle(order, search, &meter.limit().clone().with_work(left))?,
                };
                end = meter.spend(cycle.work).err().or(cycle.end);
                if let Some((schedule, goal)) = cycle.plan {
                    input.planner = input.planner.with_goal(goal);
                    let better =
                        best.as_ref().is_none_or(|best| input.planner.prefers(&ids, &schedule, best));
                    if better && sound(&schedule) {
                        best = Some(schedule);
                    }
                }
                cycles += usize::from(end.is_none());
            }
        }
        let (work, end) = (meter.work() - before, end.unwrap_or(End::Done));
        let Some(schedule) = best else { return Err(BatchError::Stopped(end).into()) };
        Ok(BestOfCycles { schedule, cycles, end, work })
    }

    /// The cycles in parts whose cycles may run in parallel. The first cycle is a part of its own, because it
    /// gives the limit of all others.
    fn parts(&self) -> Vec<Vec<(Order, &dyn WindowSearch)>> {
        let of = |order: Order| self.searches.iter().map(move |search| (order, &**search)).collect();
        let mut parts: Vec<Vec<_>> = ORDERS.into_iter().map(of).collect();
        let rest = parts.first_mut().filter(|part| !part.is_empty()).map(|part| part.split_off(1));
        parts.splice(1..1, rest);
        parts
    }
}

/// The input that all cycles share.
struct Input<'a> {
    portfolio: &'a Portfolio,
    planner: Planner,
    problem: &'a PlanProblem<'a>,
}

/// The result of a cycle.
struct Cycle {
    /// `None` if the cycle was stopped before it had a plan.
    plan: Option<(Schedule, Goal)>,
    work: u64,
    /// The limit that ended it, if any.
    end: Option<End>,
}

impl Input<'_> {
    /// The cycles of a part side by side, with the feature `rayon`; otherwise none. Each gets an equal share of
    /// the remaining work; one that needs more runs again in its turn, so the result does not depend on threads.
    fn ahead(&self, part: &[(Order, &dyn WindowSearch)], meter: &Meter) -> Vec<Result<Cycle, JointError>> {
        #[cfg(feature = "rayon")]
        if part.len() > 1 {
            use rayon::prelude::*;
            let share = meter.limit().clone().with_work(meter.work_left() / part.len() as u64);
            return part.par_iter().map(|&(order, search)| self.cycle(order, search, &share)).collect();
        }
        #[cfg(not(feature = "rayon"))]
        let _ = (part, meter);
        Vec::new()
    }

    /// One cycle by this search in this order.
    fn cycle(&self, order: Order, search: &dyn WindowSearch, limit: &Limit) -> Result<Cycle, JointError> {
        let &Self { portfolio, problem, .. } = self;
        let jobs: Vec<&Job> = problem.batch.iter().collect();
        let search = AlternativesSearch::new(search)
            .with_max_per_job(portfolio.alternatives)
            .with_limit(limit.clone());
        let found = alternatives(&search, order, (problem.slots, &jobs, problem.from))?;
        let limited = |end: End| (!matches!(end, End::Done | End::Gap)).then_some(end);
        if let Some(end) = limited(found.end).filter(|_| found.total() == 0) {
            return Ok(Cycle { plan: None, work: found.work, end: Some(end) });
        }
        let left = limit.clone().with_work(limit.work.saturating_sub(found.work));
        let mut meter = left.meter();
        let (plan, end) = match self.planner.plan_within(&found.jobs, &mut meter) {
            Ok(plan) => (Some((plan.schedule, plan.goal)), limited(found.end).or(meter.ended())),
            Err(BatchError::Stopped(end)) => (None, Some(end)),
            Err(error) => return Err(error.into()),
        };
        Ok(Cycle { plan, work: found.work + meter.work(), end })
    }
}
