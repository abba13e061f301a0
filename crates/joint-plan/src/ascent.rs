//! Prices of node-time by dual ascent: in each step the best window of each job under the prices is found, and the
//! prices move along the violations.
//!
//! For any prices, the sum over the jobs of the minimum value of a window, minus the sum of the prices and minus the
//! multiplier times the limit, is a lower bound for all plans. It is concave in the prices, and the windows of minimum
//! value give the direction in which it grows: a price rises if two of them hold the node at that time, and falls if
//! none does (M. Held, P. Wolfe, H. Crowder: *Validation of subgradient optimization*, 1974; directions that include a
//! part of the last one: P. Camerini, L. Fratta, F. Maffioli: *On improving relaxation methods by modified gradient
//! techniques*, 1975).
//!
//! | word | meaning |
//! |---|---|
//! | dual values | prices of rows, and the multipliers of the batch's limit and of the accounts |
//! | row | a node just before an instant; at most one window holds it |
//! | point | the windows of minimum value at some dual values, with their bound |
//! | violation | of a row: the number of windows that hold it, minus 1 |
//! | account | a budget that several jobs share: that of their user |
//! | excess | the amount by which the windows exceed the limit or an account |
//! | direction | the violations of the last points, weighted towards the latest |
//!
//! Rows are added where windows collide, and removed when their price falls to 0, because most rows would never have a
//! price.

use crate::JointError;
use crate::duals::{Bound, Direction, Duals, Point, excess, violations};
use crate::instance::{Instance, Stopped};
use crate::pace::Pace;
use crate::pool::Pool;
use crate::pricing::{Answers, Pricing, for_each_job};
use sched_model::internal::{exact_sum, sort};
use sched_model::{Meter, Window};
use std::collections::BTreeMap;

/// The parameters of an ascent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AscentSettings {
    pub(crate) steps: usize,
    /// Number of steps without a better bound after which steps are shortened.
    pub(crate) patience: usize,
    /// The number of jobs with windows that the bounded plans leave out.
    pub(crate) left_out: usize,
    /// The objective of the best known plan; infinite if there is none.
    pub(crate) incumbent: f64,
}

/// The [patience](AscentSettings::patience) of a long ascent.
pub(crate) const PATIENCE: usize = 10;
/// The weight of the last direction in the next one.
const MOMENTUM: f64 = 0.35;
/// The product of the numbers of jobs and slots from which steps among known windows come between the searches.
const LARGE: usize = 100_000;
/// Number of such steps between two searches for every job.
const STEPS_IN_THE_POOL: usize = 12;
/// The patience of such steps.
const PATIENCE_IN_THE_POOL: usize = 3;
/// The minimum step length, relative to the first; shorter steps change nothing but rounding.
const MIN_LENGTH: f64 = 1e-3;

/// The result of an ascent.
#[derive(Debug, Default)]
pub(crate) struct Ascent {
    /// The bound of the first point, which is at prices of 0 if the ascent began [there](Self::alone); then that of the
    /// best point, if it is higher.
    bounds: Vec<Bound>,
    /// The best dual values.
    pub(crate) duals: Duals,
    /// The best windows at the last prices.
    pub(crate) picks: Vec<Option<Window>>,
}

/// What is done after a step of the ascent, given the best bound: returns the objective of the best known plan, or
/// `None` to end the ascent because the bound is good enough.
type AfterStep<'a> = dyn FnMut(&Ascent, &mut Pool, f64, &mut Meter) -> Result<Option<f64>, Stopped> + 'a;

impl Ascent {
    /// Creates an ascent that starts at prices of 0, with the multipliers of `duals`.
    pub(crate) fn starting_at(duals: &Duals) -> Self {
        Self { duals: Duals { prices: BTreeMap::new(), ..duals.clone() }, ..Self::default() }
    }

    /// Creates an ascent that starts at `duals`.
    pub(crate) fn from_duals(duals: Duals) -> Self {
        Self { duals, ..Self::default() }
    }

    /// The value of each window of a pool at the best dual values.
    pub(crate) fn reduced(&self, instance: &Instance<'_>, pool: &Pool) -> Result<Vec<Vec<f64>>, JointError> {
        let prices = self.duals.node_time()?;
        let of_job =
            |job| pool.values(job, self.duals.weights(instance, job), instance.from, &prices).collect();
        Ok((0..pool.jobs()).map(of_job).collect())
    }

    /// The highest lower bound for plans that leave out exactly `left_out` of the jobs that have windows.
    pub(crate) fn bound(&self, left_out: usize) -> Option<f64> {
        self.bounds.iter().map(|bound| bound.leaving_out(left_out)).max_by(f64::total_cmp)
    }

    /// The bounds of the jobs' values that give the highest [bound](Self::bound).
    pub(crate) fn best_point(&self, left_out: usize) -> Option<&Bound> {
        let value = |bound: &&Bound| bound.leaving_out(left_out);
        self.bounds.iter().max_by(|a, b| value(a).total_cmp(&value(b)))
    }

    /// Jobs that have no window even without other jobs.
    pub(crate) fn without_window(&self) -> Vec<usize> {
        let Some(bound) = self.bounds.first() else { return Vec::new() };
        (0..bound.values.len()).filter(|&job| bound.values[job] == f64::INFINITY).collect()
    }

    /// Computes the bound from each job alone, which is that at prices of 0.
    ///
    /// # Errors
    /// [`Stopped`] if the limit ends it.
    pub(crate) fn alone(
        &mut self,
        instance: &Instance<'_>,
        pool: &mut Pool,
        meter: &mut Meter,
    ) -> Result<(), Stopped> {
        let pricing = Pricing::for_one_search(instance);
        let answers = pricing.price(&self.without_window(), pool, &Duals::default(), meter)?;
        self.picks = answers.picks;
        self.bounds.push(answers.bound);
        Ok(())
    }

    /// Takes steps from the current dual values, with a call of `after` after each.
    ///
    /// # Errors
    /// [`Stopped`] if the limit ends it.
    pub(crate) fn climb(
        &mut self,
        instance: &Instance<'_>,
        pool: &mut Pool,
        settings: AscentSettings,
        meter: &mut Meter,
        after: &mut AfterStep<'_>,
    ) -> Result<(), Stopped> {
        meter.scratch(|meter| {
            let pricing = Pricing::for_many_searches(instance, meter)?;
            let mut best: Option<Point> = None;
            let mut at = self.duals.clone();
            let mut direction = Direction::default();
            let mut pace = Pace::new(settings.patience);
            let mut incumbent = settings.incumbent;
            let without_window = self.without_window();
            for _ in 0..settings.steps {
                let Answers { bound, picks } = pricing.price(&without_window, pool, &at, meter)?;
                self.picks = picks;
                let value = bound.leaving_out(settings.left_out);
                let point = point(instance, at, value, settings.left_out, &bound.values, &self.picks);
                direction.add(&point, MOMENTUM);
                let known = best.take().filter(|top| value <= top.bound);
                pace.after(known.is_none());
                let top = known.unwrap_or_else(|| {
                    self.duals = point.duals.clone();
                    self.keep(bound, value, settings.left_out);
                    point.clone()
                });
                let Some(known) = after(self, pool, top.bound, meter)? else { break };
                incumbent = incumbent.min(known);
                let aimed_at = target(top.bound, incumbent);
                let next = direction.step(&point.duals, instance, pace.length, aimed_at - point.bound);
                at = match next {
                    Some(next) if pace.length >= MIN_LENGTH => {
                        if is_large(instance) {
                            let left_out = settings.left_out;
                            step_in_pool(instance, pool, &top.duals, next, left_out, aimed_at, meter)?
                        } else {
                            next
                        }
                    }
                    _ => break,
                };
                best = Some(top);
            }
            Ok(())
        })
    }

    /// Keeps a bound, in addition to the first one, if its value is higher than that of the known ones.
    fn keep(&mut self, bound: Bound, value: f64, left_out: usize) {
        if self.bounds.iter().all(|known| known.leaving_out(left_out) < value) {
            self.bounds.truncate(1);
            self.bounds.push(bound);
        }
    }
}

/// Creates the point at these prices: its violations are those of the picks of all jobs, except the `left_out` jobs of
/// the largest values.
fn point(
    instance: &Instance<'_>,
    duals: Duals,
    bound: f64,
    left_out: usize,
    values: &[f64],
    picks: &[Option<Window>],
) -> Point {
    let mut order: Vec<usize> = (0..values.len()).filter(|&job| picks[job].is_some()).collect();
    sort(&mut order, &|&a, &b| values[b].total_cmp(&values[a]));
    let kept = order.iter().skip(left_out).filter_map(|&job| Some((job, picks[job].as_ref()?)));
    let kept: Vec<(usize, &Window)> = kept.collect();
    let excess = excess(instance, &kept);
    let windows: Vec<&Window> = kept.iter().map(|kept| kept.1).collect();
    let violations = violations(&windows, &duals);
    Point { duals, bound, violations, excess }
}

/// Whether the searches for all jobs take so long that steps among known windows pay off.
pub(crate) fn is_large(instance: &Instance<'_>) -> bool {
    instance.jobs.len() * instance.slots.len() >= LARGE
}

/// Takes steps among the windows found so far, without searches, towards prices at which these windows collide little.
/// Returns the dual values halfway between the best of these steps and `centre`, so that the next search, which gives a
/// bound for all windows, stays near the best known prices.
///
/// # Errors
/// [`Stopped`] if the limit ends it.
fn step_in_pool(
    instance: &Instance<'_>,
    pool: &Pool,
    centre: &Duals,
    from: Duals,
    left_out: usize,
    aimed_at: f64,
    meter: &mut Meter,
) -> Result<Duals, Stopped> {
    let mut direction = Direction::default();
    let mut pace = Pace::new(PATIENCE_IN_THE_POOL);
    let mut at = from.clone();
    let mut best: Option<(f64, Duals)> = None;
    for _ in 0..STEPS_IN_THE_POOL {
        meter.spend(1 + pool.len() as u64)?;
        let prices = at.node_time()?;
        let least = |job: usize| {
            let found = pool.least(job, at.weights(instance, job), instance.from, &prices);
            found.map(|(number, value)| (value, &pool.of(job)[number]))
        };
        let found: Vec<Option<(f64, &Window)>> = for_each_job(pool.jobs(), least);
        let values: Vec<f64> =
            found.iter().map(|found| found.map_or(f64::INFINITY, |found| found.0)).collect();
        let picks: Vec<Option<Window>> =
            found.iter().map(|found| found.map(|found| found.1.clone())).collect();
        let constant = exact_sum(at.prices.values().copied()) + at.of_limits(instance).0;
        let bound = Bound { values, constant, added: (0, 0.0) };
        let value = bound.leaving_out(left_out);
        let point = point(instance, at, value, left_out, &bound.values, &picks);
        direction.add(&point, MOMENTUM);
        let has_risen = best.as_ref().is_none_or(|best| value > best.0);
        pace.after(has_risen);
        if has_risen {
            best = Some((value, point.duals.clone()));
        }
        match direction.step(&point.duals, instance, pace.length, aimed_at - value) {
            Some(next) => at = next,
            None => break,
        }
    }
    Ok(best.map_or(from, |(_, settled)| settled.half_way_from(centre)))
}

/// The value that a step aims at: the objective of the best plan, but at most a twentieth above the bound, so that
/// steps do not become too long.
fn target(bound: f64, incumbent: f64) -> f64 {
    incumbent.min(bound + 0.05 * bound.abs().max(1e-9))
}
