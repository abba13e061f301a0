//! The planner: portfolio, prices, choice, neighbourhoods.

use crate::JointError;
use crate::ascent::{Aim, Ascent, Cell, Duals, Stopped};
use crate::dive::Dives;
use crate::incumbent::{Incumbent, shift_to_earlier_starts};
use crate::limited;
use crate::neighbourhood::{choose, improve};
use crate::pool::Pool;
use crate::portfolio::{ORDERS, Order, cycles, searches};
use crate::terms::{JointGoal, Terms};
use sched_model::check::{Checker, Rules};
use sched_model::{
    Batch, End, Fate, Job, Limit, Meter, Refusal, Schedule, SlotList, Time, Window, exact_sum,
};
use slot_window::WindowSearch;

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Effort {
    /// One cycle of the paper by the search that fits the goal, and the bound of each job alone.
    Quick,
    /// Several searches in several orders of the jobs, all their windows chosen among with their conflicts, and the
    /// bound of each job alone.
    Normal,
    /// The same, then prices of node-time by dual ascent and large neighbourhoods, and the bound of the prices.
    #[default]
    Hard,
}

/// Plans a batch as a whole: which window for which job, so that no two overlap and a limit of the batch is kept; the
/// most jobs first, then the goal.
///
/// Sources: the cycle of V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection Algorithms for
/// Economic Scheduling in Distributed Systems*, 2011, cuts every window it finds out of the free time, job after job,
/// and so decides what may be chosen. Here the windows of many cycles, and of searches under prices of node-time (the
/// Lagrangian relaxation: L. Wolsey, *Integer Programming*, 1998, chapter 10), stand side by side, and the choice knows which of
/// them overlap. Large neighbourhoods: P. Shaw, *Using constraint programming and local search methods to solve vehicle
/// routing problems*, 1998.
///
/// * **Guarantee**: the plan keeps to rules and limit. [`JointPlan::bound`] holds for all plans that place as many jobs,
///   whether their windows were met or not. That no plan places more jobs is claimed only where
///   [`JointPlan::most_jobs`] says so.
/// * **Complexity**: counted work; the limit ends it, with the best plan so far.
/// * **Ties**: the plan found first; the order of the search depends on the input alone.
/// * **Errors**: [`JointError`] for malformed input only.
///
/// ```
/// use joint_plan::{Effort, JointGoal, JointPlanner};
/// use sched_model::*;
/// let node = |id, speed, price| Node::new(NodeId(id), Speed::must(speed), Price::must(price));
/// let nodes = [node(1, 1.0, 1.0), node(2, 2.0, 4.0)];
/// let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(40.0))?;
/// let job = |id, work| Ok::<_, ModelError>(Job::new(JobId(id), ResourceRequest::new(1, Work::must(work))?));
/// let batch = Batch::new(vec![job(1, 40.0)?, job(2, 60.0)?])?;
/// // Both want the cheap node 1, which is free for 40 only: job 1 fits there, job 2 must take node 2 for 30.
/// let planner = JointPlanner::new(check::Rules::per_window(1.0)).with_effort(Effort::Hard);
/// let plan = planner.plan(&slots, &batch, Time::ZERO, JointGoal::MinCost { time_limit: f64::INFINITY })?;
/// assert_eq!(plan.objective, 40.0 + 30.0 * 4.0);
/// assert!(plan.gap().unwrap() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JointPlanner {
    rules: Rules,
    effort: Effort,
    limit: Limit,
    known: Option<Schedule>,
    /// Number of shuffled orders in the portfolio, and their seed.
    shuffled: (usize, u64),
}

/// A plan and how far from the best it can be.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JointPlan {
    /// A window for each job that is placed, a reason for each other.
    pub schedule: Schedule,
    /// The sum of runtimes, finishes or costs that the goal counts; negative for an income.
    pub objective: f64,
    /// What the plan uses of the limit.
    pub weight: f64,
    /// No plan that leaves out as many jobs has a lesser objective. `None` where nothing was bounded before the limit.
    pub bound: Option<f64>,
    /// Jobs that have no window even if they are alone: no plan places them.
    pub unplaceable: usize,
    /// Jobs that have windows and are left out all the same.
    pub left_out: usize,
    /// Windows that were chosen among.
    pub windows: usize,
    /// Why the search ended: [`End::Gap`] where the plan is near enough to its bound, [`End::Done`] where nothing more
    /// was to be tried (which proves nothing: see [`gap`](Self::gap)), or the limit that was reached.
    pub end: End,
    /// The work it took.
    pub work: u64,
}

impl JointPlan {
    /// Whether no plan places more jobs: proven.
    pub fn most_jobs(&self) -> bool {
        self.left_out == 0
    }

    /// How far the objective lies above its bound, as a share of the bound; `None` without a bound, infinite for a bound
    /// of 0 that is not met.
    pub fn gap(&self) -> Option<f64> {
        let bound = self.bound?;
        let above = (self.objective - bound).max(0.0);
        Some(if above == 0.0 { 0.0 } else { above / bound.abs() })
    }
}

/// The bound of each job alone.
#[derive(Debug)]
pub struct AloneBound {
    ascent: Ascent,
}

impl AloneBound {
    /// Jobs that have no window even if they are alone.
    pub fn unplaceable(&self) -> usize {
        self.ascent.without_window().len()
    }

    /// A lower bound of the objective of every plan that leaves out exactly so many of the other jobs.
    pub fn leaving_out(&self, count: usize) -> f64 {
        self.ascent.bound(count).unwrap_or(f64::NEG_INFINITY)
    }
}

/// Steps of the dual ascent at most.
const STEPS: usize = 150;
/// Jobs at most for which the limit is kept whole in the bound: what it loses by halves is a part of one job.
const MOST_WHOLE: usize = 60;
/// Steps from one dive to the next.
const DIVE_EVERY: usize = 5;
/// Alternatives of a job in a cycle of the portfolio.
const ALTERNATIVES: usize = 5;
/// Alternatives of a job in the cycle of [`Effort::Quick`].
const ALTERNATIVES_ALONE: usize = 50;
/// Beyond this many windows a choice among all is left to the neighbourhoods.
const MOST_CANDIDATES: usize = 4_000;
/// Work of the choice among all windows.
const CHOICE_WORK: u64 = 2_000_000;

impl JointPlanner {
    /// Plans whose windows keep to these rules, with [`Effort::Hard`] and the default limit, but for its gap: a plan
    /// within 0.1% of its bound is near enough.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            effort: Effort::default(),
            limit: Limit::default().with_relative_gap(1e-3),
            known: None,
            shuffled: (0, 0),
        }
    }

    /// With this effort.
    #[must_use]
    pub fn with_effort(self, effort: Effort) -> Self {
        Self { effort, ..self }
    }

    /// With this limit. A gap counts as the share of the bound by which the objective may lie above it.
    #[must_use]
    pub fn with_limit(self, limit: Limit) -> Self {
        Self { limit, ..self }
    }

    /// With a plan to start from, which the result is never worse than: an earlier one, or one from elsewhere. A plan that
    /// breaks the rules or the limit is not taken.
    #[must_use]
    pub fn with_known_plan(self, schedule: Schedule) -> Self {
        Self { known: Some(schedule), ..self }
    }

    /// With so many shuffled orders of the jobs in the portfolio, beside those by size and as given. The same seed gives
    /// the same orders.
    #[must_use]
    pub fn with_shuffled_orders(self, count: usize, seed: u64) -> Self {
        Self { shuffled: (count, seed), ..self }
    }

    /// A lower bound of the objective of every plan that leaves out so many of the jobs that have windows, from each job
    /// alone: the sum of what is best for each, the limit of the batch not counted. One search for each job.
    ///
    /// # Errors
    /// [`JointError`] for malformed input.
    pub fn bound_of_jobs_alone(
        &self,
        slots: &SlotList,
        batch: &Batch,
        from: Time,
        goal: JointGoal,
    ) -> Result<AloneBound, JointError> {
        let cell = self.cell(slots, batch, from, goal)?;
        let (mut pool, mut ascent) = (Pool::new(cell.jobs.len()), Ascent::default());
        let limit = Limit::without_limit();
        match ascent.alone(&cell, &mut pool, &mut limit.meter()) {
            Ok(()) | Err(Stopped::Limit(_)) => Ok(AloneBound { ascent }),
            Err(Stopped::Error(error)) => Err(error),
        }
    }

    fn cell<'a>(
        &self,
        slots: &'a SlotList,
        batch: &'a Batch,
        from: Time,
        goal: JointGoal,
    ) -> Result<Cell<'a>, JointError> {
        if goal.limit().is_nan() {
            return Err(JointError::Limit);
        }
        let terms = Terms::of(goal);
        Ok(Cell { slots, jobs: batch.iter().collect(), from, rules: self.rules, terms, limit: terms.limit })
    }

    /// The best plan found for this batch in these slots, no window starting before `from`.
    ///
    /// # Errors
    /// [`JointError`] for malformed input.
    pub fn plan(
        &self,
        slots: &SlotList,
        batch: &Batch,
        from: Time,
        goal: JointGoal,
    ) -> Result<JointPlan, JointError> {
        let cell = self.cell(slots, batch, from, goal)?;
        let mut run = Run {
            planner: self,
            searches: searches(self.rules, goal)?,
            pool: Pool::new(cell.jobs.len()),
            incumbent: Incumbent::empty(cell.jobs.len()),
            ascent: Ascent::default(),
            whole: None,
            cell,
        };
        if let Some(known) = &self.known {
            run.take(known, batch);
        }
        let mut meter = self.limit.meter();
        let end = match run.all(&mut meter) {
            Ok(end) | Err(Stopped::Limit(end)) => end,
            Err(Stopped::Error(error)) => return Err(error),
        };
        run.result(end, meter.work())
    }
}

/// One call of the planner.
struct Run<'a> {
    planner: &'a JointPlanner,
    /// The searches of the portfolio; the one that fits the goal first.
    searches: Vec<Box<dyn WindowSearch>>,
    cell: Cell<'a>,
    pool: Pool,
    incumbent: Incumbent,
    ascent: Ascent,
    /// The bound that keeps the limit whole, of plans that place all jobs that have windows.
    whole: Option<f64>,
}

impl Run<'_> {
    /// Takes a plan from elsewhere if the checker has nothing against it.
    fn take(&mut self, known: &Schedule, batch: &Batch) {
        let checker = Checker::new(self.cell.slots, self.cell.rules);
        let windows: Vec<Option<Window>> = batch.iter().map(|job| known.place_of(job.id).cloned()).collect();
        let early = |(window, job): (&Option<Window>, &Job)| {
            window.as_ref().is_some_and(|window| window.start() < self.cell.from.max(job.submit))
        };
        if windows.iter().zip(batch).any(early) || !checker.schedule(known, batch).is_empty() {
            return;
        }
        for (job, window) in windows.iter().enumerate() {
            if let Some(window) = window {
                self.pool.add(job, window);
            }
        }
        self.incumbent.offer(&self.cell, windows);
    }

    fn all(&mut self, meter: &mut Meter<'_>) -> Result<End, Stopped> {
        let quick = self.planner.effort == Effort::Quick;
        self.run_cycles(0..1, &[Order::Given], if quick { ALTERNATIVES_ALONE } else { ALTERNATIVES }, meter)?;
        self.ascent.alone(&self.cell, &mut self.pool, meter)?;
        if quick {
            self.win_back(meter)?;
        }
        if quick || self.is_enough() {
            return Ok(self.end());
        }
        let shuffled = self.planner.shuffled;
        let shuffled = (0..shuffled.0 as u64).map(|number| Order::Shuffled(shuffled.1.wrapping_add(number)));
        let orders: Vec<Order> = ORDERS.into_iter().chain(shuffled).collect();
        for orders in orders.chunks(ORDERS.len()) {
            self.run_cycles(0..self.searches.len(), orders, ALTERNATIVES, meter)?;
        }
        self.choose_among_all(meter)?;
        if self.planner.effort == Effort::Normal || self.is_enough() {
            return Ok(self.end());
        }
        self.climb(STEPS, meter)?;
        self.keep_the_limit(meter)?;
        if self.is_enough() {
            return Ok(End::Gap);
        }
        self.choose_among_all(meter)?;
        let (bound, left_out) = (self.bound(), self.left_out());
        let gap = self.relative_gap();
        let enough = |incumbent: &Incumbent| {
            left_out == 0 && bound.is_some_and(|bound| within(incumbent.objective(), bound, gap))
        };
        improve(&self.cell, &mut self.pool, &mut self.incumbent, &self.ascent.duals, meter, enough)?;
        Ok(self.end())
    }

    fn climb(&mut self, steps: usize, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        let target = self.target();
        let left_out = self.left_out();
        let Self { cell, pool, incumbent, ascent, planner, .. } = self;
        let (gap, mut dives, mut count) = (planner.limit.relative_gap, Dives::default(), 0);
        let objective = incumbent.objective();
        let aim = Aim { steps, left_out, incumbent: objective, enough: target };
        ascent.climb(cell, pool, aim, meter, |ascent, pool, bound, meter| {
            count += 1;
            if count % DIVE_EVERY == 0 && !within(incumbent.objective(), bound, gap) {
                dives.dive(cell, pool, incumbent, &ascent.duals, meter)?;
            }
            Ok(incumbent.objective())
        })
    }

    /// The bound that keeps the limit of the batch whole, where that is worth its while.
    fn keep_the_limit(&mut self, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        let placeable: Vec<usize> = {
            let without = self.ascent.without_window();
            (0..self.cell.jobs.len()).filter(|job| without.binary_search(job).is_err()).collect()
        };
        if self.left_out() > 0
            || self.is_enough()
            || placeable.len() > MOST_WHOLE
            || !(self.cell.limit < f64::INFINITY)
        {
            return Ok(());
        }
        // At prices of 0 the points are at their best where jobs hardly collide.
        let free = Duals { multiplier: self.ascent.duals.multiplier, ..Duals::default() };
        for duals in [&self.ascent.duals, &free] {
            let bound = limited::bound(&self.cell, &placeable, duals, meter)?;
            if let Some(bound) = bound
                && self.whole.is_none_or(|known| bound > known)
            {
                self.whole = Some(bound);
            }
        }
        Ok(())
    }

    /// Runs cycles of some of the searches in these orders, takes them one after the other.
    fn run_cycles(
        &mut self,
        searches: std::ops::Range<usize>,
        orders: &[Order],
        most_alternatives: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stopped> {
        let Self { cell, pool, incumbent, searches: all, .. } = self;
        meter.spend(0).map_err(Stopped::Limit)?;
        for found in cycles(cell, &all[searches], orders, most_alternatives) {
            let found = found?;
            meter.spend(found.work).map_err(Stopped::Limit)?;
            found.take(cell, pool, incumbent);
        }
        Ok(())
    }

    /// Where the cycle has left out jobs that have windows: cycles in other orders and by other searches, until one of
    /// them places all.
    fn win_back(&mut self, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        for order in ORDERS {
            for search in 0..self.searches.len() {
                if self.left_out() == 0 {
                    return Ok(());
                }
                self.run_cycles(search..search + 1, &[order], ALTERNATIVES, meter)?;
            }
        }
        Ok(())
    }

    fn choose_among_all(&mut self, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        if self.pool.len() <= MOST_CANDIDATES {
            let present = self.incumbent.windows();
            let chosen = choose(&self.cell, &self.pool, present, &self.ascent, CHOICE_WORK, meter)?;
            self.incumbent.offer(&self.cell, chosen);
        }
        Ok(())
    }

    /// Jobs left out beyond those that no plan can place.
    fn left_out(&self) -> usize {
        self.incumbent.left_out().saturating_sub(self.ascent.without_window().len())
    }

    fn bound(&self) -> Option<f64> {
        let whole = self.whole.filter(|_| self.left_out() == 0);
        self.ascent.bound(self.left_out()).map(|bound| whole.map_or(bound, |whole| bound.max(whole)))
    }

    fn relative_gap(&self) -> f64 {
        self.planner.limit.relative_gap
    }

    /// A bound at which the incumbent is good enough.
    fn target(&self) -> f64 {
        let objective = self.incumbent.objective();
        if self.left_out() > 0 { f64::INFINITY } else { objective - self.relative_gap() * objective.abs() }
    }

    fn is_enough(&self) -> bool {
        let close =
            self.bound().is_some_and(|bound| within(self.incumbent.objective(), bound, self.relative_gap()));
        self.left_out() == 0 && close
    }

    fn end(&self) -> End {
        if self.is_enough() { End::Gap } else { End::Done }
    }

    fn result(self, end: End, work: u64) -> Result<JointPlan, JointError> {
        let alone = self.ascent.without_window();
        let unplaceable = alone.len();
        let (left_out, bound) = (self.left_out(), self.bound());
        let mut windows = self.incumbent.windows().to_vec();
        if !self.cell.terms.counts_starts() {
            shift_to_earlier_starts(&self.cell, &mut windows);
        }
        let placed = || windows.iter().flatten();
        let objective = exact_sum(placed().map(|window| self.cell.terms.objective(window, self.cell.from)));
        let weight = exact_sum(placed().map(|window| self.cell.terms.weight(window)));
        let mut fates = Vec::with_capacity(windows.len());
        for (number, window) in windows.into_iter().enumerate() {
            fates.push(match window {
                Some(window) => Fate::Placed(window),
                None if alone.contains(&number) => {
                    let job = self.cell.jobs[number];
                    let from = self.cell.from.max(job.submit);
                    let mut scratch = slot_window::SearchScratch::new();
                    Fate::Refused(self.searches[0].refusal(
                        self.cell.slots,
                        &job.request,
                        from,
                        &mut scratch,
                    )?)
                }
                None => Fate::Refused(Refusal::NoCapacity),
            });
        }
        let batch = Batch::new(self.cell.jobs.iter().map(|job| **job).collect())?;
        let schedule = Schedule::of_batch(&batch, fates)?;
        let windows = self.pool.len();
        let bound = bound.map(|bound| bound.min(objective));
        #[cfg(feature = "tracing")]
        tracing::info!(objective, ?bound, left_out, unplaceable, windows, work, %end, "planned");
        Ok(JointPlan { schedule, objective, weight, bound, unplaceable, left_out, windows, end, work })
    }
}

fn within(objective: f64, bound: f64, gap: f64) -> bool {
    objective - bound <= gap * bound.abs()
}
