//! One attempt of the joint planner, step by step.

use crate::ascent::{Ascent, AscentSettings, PATIENCE, is_large};
use crate::choice::choose;
use crate::cycles::{ORDERS, Order, cycles, searches};
use crate::dive::dive;
use crate::duals::Duals;
use crate::early::move_to_earlier_starts;
use crate::instance::{Instance, Stopped};
use crate::neighbourhood::{NeighbourhoodSettings, WindowSource, improve};
use crate::plan::{GOOD_ENOUGH, Plan, Planned};
use crate::pool::{Incumbent, Pool};
use crate::{Goal, JointError, JointPlanner, limited};
use sched_model::check::Checker;
use sched_model::{End, Job, Limit, Meter, Refusal, Schedule, Window};
use slot_window::{WindowError, WindowSearch};
use std::collections::BTreeMap;
use std::ops::Range;

/// The maximum number of steps of the dual ascent.
const STEPS: usize = 150;
/// The maximum number of steps of the ascent of a large instance, which takes steps among known windows between them.
const STEPS_OF_MANY: usize = 30;
/// The maximum number of jobs for which a second bound keeps the limit as a constraint: the bound by the multiplier
/// loses at most a fraction of one job, which matters only if jobs are few.
const MAX_LIMITED_JOBS: usize = 60;
/// Number of steps from one dive to the next.
const DIVE_EVERY: usize = 5;
/// Maximum number of alternatives per job in a cycle.
const ALTERNATIVES: usize = 5;
/// Maximum number of alternatives per job in the first cycle.
const ALTERNATIVES_ALONE: usize = 50;
/// The maximum number of windows for a choice among all of them. If there are more, neighbourhoods of some jobs choose
/// among their windows.
const MAX_CANDIDATES: usize = 4_000;
/// Work of these neighbourhoods per pair of a window and a job.
const WORK_IN_THE_POOL: u64 = 4;
/// Work per window of the choice among all windows: each step of that search reads all of them. It counts from 834
/// windows on; with fewer, the minimum is more.
const CHOICE_WORK_OF_A_WINDOW: u64 = 600;
/// The minimum work of that choice before there are prices, which often solves a small batch.
const MIN_FIRST_CHOICE: u64 = 1_100_000;
/// The minimum work of that choice under prices, which prove more with less work.
const MIN_PRICED_CHOICE: u64 = 500_000;
/// The maximum work of that choice.
const MAX_CHOICE: u64 = 2_000_000;
/// Work of the neighbourhoods per pair of a window and a job, and its minimum. Small batches end within about 2 million
/// units; from about 40 nodes and 16 jobs on, the limit of the planner ends the search.
const WORK_OF_NEIGHBOURHOODS: u64 = 100;
const MIN_NEIGHBOURHOODS: u64 = 300_000;

/// The work after the search, on earlier starts and on reasons: 1 / `AFTERWARDS` of the limit, and at least
/// `MIN_AFTERWARDS` (about a millisecond).
const AFTERWARDS: u64 = 10;
const MIN_AFTERWARDS: u64 = 500_000;

/// The steps that an attempt takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// All steps except the branches on starts, which mostly raise the bound, until the plan is within 0.1% of the
    /// optimum, whatever the requested gap: for a trial whose plan a later attempt improves.
    NoBranches,
    /// All steps.
    Full,
}

/// One attempt of the planner.
pub(crate) struct Run<'a> {
    planner: &'a JointPlanner,
    pub(crate) depth: Depth,
    /// The limit whose gap ends the attempt. The gap has no other effect: with a smaller gap the same steps are taken,
    /// and then further ones.
    gap_limit: Limit,
    /// The searches of the cycles; the one that fits the goal best comes first.
    searches: Vec<Box<dyn WindowSearch>>,
    pub(crate) instance: Instance<'a>,
    pub(crate) pool: Pool,
    pub(crate) incumbent: Incumbent,
    pub(crate) ascent: Ascent,
    /// Number of cycles so far.
    cycles: usize,
    /// The work that the meter had counted at the beginning.
    pub(crate) work_before: u64,
    /// A bound for plans that place all jobs that have windows, from the [limit as a constraint](limited) or from the
    /// tree of starts.
    pub(crate) bound_of_all_placed: Option<f64>,
}

impl JointPlanner {
    /// Plans an instance with at most `work` units, starting from the best of the known plans.
    pub(crate) fn attempt(
        &self,
        instance: Instance<'_>,
        goal: Goal,
        known: &[Schedule],
        depth: Depth,
        work: u64,
        meter: &mut Meter,
    ) -> Result<Planned, JointError> {
        let mut run = Run { depth, ..self.new_run(instance, goal, known, meter) };
        if depth == Depth::NoBranches {
            run.gap_limit = Limit::none().with_relative_gap(GOOD_ENOUGH);
        }
        let end = match meter.within(work, |meter| run.all(meter)) {
            Ok(end) | Err(Stopped::Limit(end)) => end,
            Err(Stopped::Error(error)) => return Err(error),
        };
        run.result(end, work, meter)
    }

    /// Whether this plan keeps the rules and limits.
    pub(crate) fn accepts(
        &self,
        instance: Instance<'_>,
        goal: Goal,
        known: &Schedule,
        meter: &Meter,
    ) -> bool {
        let run = self.new_run(instance, goal, std::slice::from_ref(known), meter);
        run.incumbent.windows.iter().flatten().count() == known.placed().count()
    }

    /// Creates an attempt that starts from the best of the known plans.
    fn new_run<'a>(
        &'a self,
        instance: Instance<'a>,
        goal: Goal,
        known: &[Schedule],
        meter: &Meter,
    ) -> Run<'a> {
        let mut run = Run {
            planner: self,
            depth: Depth::Full,
            gap_limit: meter.limit().clone(),
            searches: searches(instance.rules, goal),
            pool: Pool::new(instance.jobs.len()),
            incumbent: Incumbent::empty(instance.jobs.len()),
            ascent: Ascent::default(),
            cycles: 0,
            work_before: meter.work(),
            bound_of_all_placed: None,
            instance,
        };
        for known in known {
            run.take(known);
        }
        run
    }
}

impl Run<'_> {
    /// Offers a known plan to the incumbent, and adds its windows to the pool, if the checker finds no violation.
    fn take(&mut self, known: &Schedule) {
        let jobs = &self.instance.jobs;
        let checker = Checker::new(self.instance.slots, self.instance.rules);
        let windows: Vec<Option<Window>> = jobs.iter().map(|job| known.place_of(job.id).cloned()).collect();
        let early = |(window, job): (&Option<Window>, &&Job)| {
            window.as_ref().is_some_and(|window| window.start() < self.instance.earliest(job))
        };
        let Ok(batch) = self.instance.batch() else { return };
        if windows.iter().zip(jobs).any(early) || !checker.schedule(known, &batch).is_empty() {
            return;
        }
        for (job, window) in windows.iter().enumerate() {
            if let Some(window) = window {
                self.pool.add(job, window);
            }
        }
        self.incumbent.offer(&self.instance, windows);
    }

    /// Takes all steps. Returns [`End::Gap`] if the plan is close enough to its bound, otherwise [`End::Done`].
    fn all(&mut self, meter: &mut Meter) -> Result<End, Stopped> {
        self.make_first_plan(meter)?;
        self.report(meter);
        if self.is_enough() {
            return Ok(End::Gap);
        }
        let (part, all) = (ORDERS.len() * self.searches.len(), self.orders().count() * self.searches.len());
        while self.cycles < all {
            self.run_cycles(self.cycles..(self.cycles / part + 1) * part, ALTERNATIVES, meter)?;
            self.report(meter);
        }
        // In a large instance, neighbourhoods without prices improve little, so prices come first.
        if !is_large(&self.instance) {
            self.choose_among_all(MIN_FIRST_CHOICE, meter)?;
        }
        if self.is_enough() {
            return Ok(End::Gap);
        }
        self.run_ascent(if is_large(&self.instance) { STEPS_OF_MANY } else { STEPS }, meter)?;
        self.bound_within_limit(meter)?;
        if self.is_enough() {
            return Ok(End::Gap);
        }
        self.choose_among_all(MIN_PRICED_CHOICE, meter)?;
        self.branch(meter)?;
        if self.is_enough() {
            return Ok(End::Gap);
        }
        let share = self.pairs().saturating_mul(WORK_OF_NEIGHBOURHOODS).max(MIN_NEIGHBOURHOODS);
        self.improve_within(share, WindowSource::Search, meter)?;
        Ok(self.end())
    }

    /// Number of pairs of a known window and a job.
    fn pairs(&self) -> u64 {
        (self.pool.len() as u64).saturating_mul(self.instance.jobs.len() as u64)
    }

    /// Improves the plan by large neighbourhoods, with at most `share` units of work.
    fn improve_within(&mut self, share: u64, source: WindowSource, meter: &mut Meter) -> Result<(), Stopped> {
        let (bound, left_out) = (self.bound(), self.left_out());
        let Self { instance, pool, incumbent, ascent, gap_limit, planner, .. } = self;
        let enough = |incumbent: &Incumbent| {
            left_out == 0 && bound.is_some_and(|bound| gap_limit.gap_closed(incumbent.objective, bound))
        };
        let settings = NeighbourhoodSettings { duals: &ascent.duals, source, seed: planner.seed };
        match meter.within(share, |meter| improve(instance, pool, incumbent, settings, meter, enough)) {
            Err(Stopped::Limit(End::Work)) if meter.ended().is_none() => Ok(()),
            ended => ended,
        }
    }

    /// Runs the dual ascent, with a dive every [`DIVE_EVERY`] steps.
    fn run_ascent(&mut self, steps: usize, meter: &mut Meter) -> Result<(), Stopped> {
        let left_out = self.left_out();
        let Self { instance, pool, incumbent, ascent, gap_limit, .. } = self;
        let (mut tax, mut count) = (1.0, 0);
        let settings = AscentSettings { steps, patience: PATIENCE, left_out, incumbent: incumbent.objective };
        ascent.climb(instance, pool, settings, meter, &mut |ascent, pool, bound, meter| {
            count += 1;
            if count % DIVE_EVERY == 0 {
                dive(instance, pool, incumbent, &ascent.duals, &mut tax, meter)?;
            }
            meter.report(Some(incumbent.objective), Some(bound));
            let enough = left_out == 0 && gap_limit.gap_closed(incumbent.objective, bound);
            Ok((!enough).then_some(incumbent.objective))
        })
    }

    /// Computes the bound that keeps the limit of the batch as a constraint, if it may be better.
    fn bound_within_limit(&mut self, meter: &mut Meter) -> Result<(), Stopped> {
        let placeable: Vec<usize> = {
            let without = self.ascent.without_window();
            (0..self.instance.jobs.len()).filter(|job| without.binary_search(job).is_err()).collect()
        };
        if self.left_out() > 0
            || self.is_enough()
            || placeable.len() > MAX_LIMITED_JOBS
            || !(self.instance.limit < f64::INFINITY)
        {
            return Ok(());
        }
        // If jobs collide little, the bound is better at prices of 0.
        let free = Duals { prices: BTreeMap::new(), ..self.ascent.duals.clone() };
        for duals in [&self.ascent.duals, &free] {
            let bound = limited::bound(&self.instance, &placeable, duals, meter)?;
            if let Some(bound) = bound
                && self.bound_of_all_placed.is_none_or(|known| bound > known)
            {
                self.bound_of_all_placed = Some(bound);
            }
        }
        Ok(())
    }

    /// The orders of the jobs in the cycles.
    fn orders(&self) -> impl Iterator<Item = Order> + use<> {
        let JointPlanner { seed, shuffled } = *self.planner;
        ORDERS.into_iter().chain((1..=shuffled as u64).map(move |at| Order::Shuffled(seed.wrapping_add(at))))
    }

    /// Runs the cycles of these numbers, which go through the searches within each order of the jobs, and takes over
    /// their results by number.
    fn run_cycles(
        &mut self,
        numbers: Range<usize>,
        most_alternatives: usize,
        meter: &mut Meter,
    ) -> Result<(), Stopped> {
        let orders = self.orders();
        let Self { instance, pool, incumbent, searches, cycles: begun, .. } = self;
        meter.spend(0)?;
        let pairs = orders.flat_map(|order| searches.iter().map(move |search| (order, &**search)));
        let pairs: Vec<(Order, &dyn WindowSearch)> = pairs.skip(numbers.start).take(numbers.len()).collect();
        *begun = numbers.end;
        for found in cycles(instance, &pairs, most_alternatives, meter.limit()) {
            let found = found?;
            meter.spend(found.work)?;
            found.take(instance, pool, incumbent);
        }
        Ok(())
    }

    /// Runs one cycle by the search that fits the goal best, and computes the bound from each job alone. If the cycle
    /// leaves out jobs that have windows, further cycles by other searches and in other orders follow until one of them
    /// places all.
    fn make_first_plan(&mut self, meter: &mut Meter) -> Result<(), Stopped> {
        self.run_cycles(0..1, ALTERNATIVES_ALONE, meter)?;
        self.ascent.alone(&self.instance, &mut self.pool, meter)?;
        while self.left_out() > 0 && self.cycles < ORDERS.len() * self.searches.len() {
            self.run_cycles(self.cycles..self.cycles + 1, ALTERNATIVES, meter)?;
        }
        Ok(())
    }

    /// Chooses among all windows. If one search covers all of them, its work is at least `least`.
    fn choose_among_all(&mut self, least: u64, meter: &mut Meter) -> Result<(), Stopped> {
        if self.pool.len() > MAX_CANDIDATES {
            // Most of the work is left to the later steps.
            let share = (meter.work_left() / 4).min(self.pairs().saturating_mul(WORK_IN_THE_POOL));
            self.improve_within(share, WindowSource::Pool, meter)?;
        } else {
            let of_windows = CHOICE_WORK_OF_A_WINDOW * self.pool.len() as u64;
            let work = of_windows.clamp(least, MAX_CHOICE);
            let present = &self.incumbent.windows;
            let chosen = choose(&self.instance, &self.pool, present, &self.ascent, work, meter)?;
            self.incumbent.offer(&self.instance, chosen);
        }
        self.report(meter);
        Ok(())
    }

    /// Reports the best plan and the bound to the observer of the meter.
    pub(crate) fn report(&self, meter: &mut Meter) {
        meter.report(Some(self.incumbent.objective), self.bound());
    }

    /// Number of jobs left out, except those that no plan can place.
    pub(crate) fn left_out(&self) -> usize {
        self.incumbent.left_out.saturating_sub(self.ascent.without_window().len())
    }

    /// The best bound for plans that leave out as many jobs as the incumbent.
    pub(crate) fn bound(&self) -> Option<f64> {
        let bound_of_all_placed = self.bound_of_all_placed.filter(|_| self.left_out() == 0);
        let bound = self
            .ascent
            .bound(self.left_out())
            .map(|bound| bound_of_all_placed.map_or(bound, |whole| bound.max(whole)));
        bound.filter(|bound| bound.is_finite())
    }

    /// Whether the incumbent leaves out no job that could be placed, and closes the requested gap.
    pub(crate) fn is_enough(&self) -> bool {
        let close = |bound| self.gap_limit.gap_closed(self.incumbent.objective, bound);
        self.left_out() == 0 && self.bound().is_some_and(close)
    }

    fn end(&self) -> End {
        if self.is_enough() { End::Gap } else { End::Done }
    }

    /// Creates the plan: moves windows to earlier starts, and finds reasons for jobs without windows. This work has a
    /// limit of its own: a tenth of the limit of the search or [`MIN_AFTERWARDS`], whichever is more; only the latter
    /// if a limit or the signal has ended the search.
    fn result(self, end: End, share: u64, meter: &Meter) -> Result<Planned, JointError> {
        let limit = if matches!(end, End::Done | End::Gap) {
            let most = (share / AFTERWARDS).max(MIN_AFTERWARDS);
            Limit::none().with_work(most).with_signal_of(meter.limit())
        } else {
            Limit::none().with_work(MIN_AFTERWARDS)
        };
        let (work, mut meter) = (meter.work() - self.work_before, limit.meter());
        let alone = self.ascent.without_window();
        let unplaceable = alone.len();
        let (left_out, bound) = (self.left_out(), self.bound());
        let mut windows = self.incumbent.windows.to_vec();
        if self.instance.terms.start == 0.0 {
            // On other nodes a window may cost less, which must not happen if the goal is the maximum income.
            let elsewhere = self.instance.terms.cost >= 0.0;
            move_to_earlier_starts(&self.instance, &mut windows, elsewhere, &mut meter)?;
        }
        let (value, _) = self.instance.terms.sums(windows.iter().flatten(), self.instance.from);
        let mut fates = Vec::with_capacity(windows.len());
        for (number, window) in windows.into_iter().enumerate() {
            fates.push(match window {
                Some(window) => Ok(window),
                None if alone.contains(&number) => {
                    let job = self.instance.jobs[number];
                    let query = self.instance.query(self.instance.slots, job, &job.request);
                    Err(match self.searches[0].refusal(&query, &mut meter) {
                        Err(WindowError::Stopped { .. }) => Refusal::Stopped,
                        reason => reason?,
                    })
                }
                None => Err(Refusal::NoCapacity),
            });
        }
        let schedule = Schedule::of_batch(&self.instance.batch()?, fates)?;
        #[cfg(feature = "tracing")]
        let windows = self.pool.len();
        let bound = bound.map(|bound| bound.min(value));
        #[cfg(feature = "tracing")]
        tracing::info!(value, ?bound, left_out, unplaceable, windows, work, %end, "planned");
        let plan = Plan { schedule, rules: self.instance.rules, unplaceable, left_out, makespan_bound: None };
        Ok(Planned { plan, value, bound, end, work })
    }
}
