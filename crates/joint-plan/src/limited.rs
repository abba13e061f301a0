//! A bound that keeps the limit of the batch as a constraint.
//!
//! The bound by a multiplier allows fractions of windows; if few jobs share a tight limit, it is several percent too
//! low. Here the limit stays a constraint. Each job has points (amount of the limited quantity, value) such that each
//! of its windows has at least the amount and at least the value of one of the points. The bound is the minimum value
//! of a choice of one point per job within the limit. Only collisions are relaxed.

use crate::JointError;
use crate::duals::Duals;
use crate::instance::{Instance, Stopped};
use crate::plan::GOOD_ENOUGH;
use batch_dp::{Alternatives, ChoiceProblem, Chooser, ExpandingCore, Goal};
use sched_model::internal::{Spans, exact_sum, plain_sum_error, sort};
use sched_model::{End, Job, Meter, ResourceRequest, Span, Speed};
use slot_window::priced::{NodeTimePrices, PricedQuery};

/// The maximum number of groups of speeds that are treated separately.
const LEVELS: usize = 8;
/// The number of steps of the cost for which a group of speeds has points.
const STEPS: usize = 16;
/// The multiples of the multiplier under which windows are searched.
const MULTIPLES: [f64; 6] = [0.0, 0.2, 0.5, 1.0, 2.0, 5.0];
/// The maximum work of the choice of points.
const CHOICE_WORK: u64 = 1_000_000;

/// Computes a lower bound of the objective of every plan that places all of `jobs` within the limit; `None` if there is
/// no bound.
///
/// # Errors
/// [`Stopped`] if the limit of the meter ends it.
pub(crate) fn bound(
    instance: &Instance<'_>,
    jobs: &[usize],
    duals: &Duals,
    meter: &mut Meter,
) -> Result<Option<f64>, Stopped> {
    let prices = duals.node_time()?;
    let ends = instance.slots.iter().map(|slot| slot.end.get().abs());
    let last = ends.fold(instance.from.get().abs(), f64::max);
    let mut points = Vec::with_capacity(jobs.len());
    for &job in jobs {
        let points_of_job =
            Points { instance, job: instance.jobs[job], duals, prices: &prices, last }.all(meter)?;
        if points_of_job.is_empty() {
            return Ok(None);
        }
        points.push(points_of_job);
    }
    let Ok(batch) = Alternatives::new(&points) else { return Ok(None) };
    let goal = Goal::MinTime { budget: Some(instance.limit) };
    // The choice has a meter of its own: the observer must not be told values of points, and the requested gap is one
    // of plans.
    let share = meter.limit().clone().with_work(CHOICE_WORK.min(meter.work_left()));
    let share = share.with_absolute_gap(0.0).with_relative_gap(GOOD_ENOUGH);
    let mut own = share.meter();
    let outcome =
        ExpandingCore.solve(&ChoiceProblem::new(&batch, goal), &mut own).map_err(JointError::from)?;
    meter.spend(own.work())?;
    if outcome.end == End::Signal || outcome.end == End::Work && share.work < CHOICE_WORK {
        // A limit equal to the work done so far ends the search here, too.
        meter.end(outcome.end);
        return Err(Stopped::Limit(outcome.end));
    }
    let known = if outcome.end == End::Done { outcome.value } else { outcome.bound };
    Ok(known.map(|value| {
        let prices = exact_sum(duals.prices.values().copied());
        let greatest =
            |of_job: &Vec<(f64, f64)>| of_job.iter().map(|point| point.1.abs()).fold(0.0, f64::max);
        let magnitude = prices + points.iter().map(greatest).sum::<f64>();
        value - prices - plain_sum_error(points.len() + 16, 4.0 * magnitude)
    }))
}

/// The computation of the points of a job.
struct Points<'a> {
    instance: &'a Instance<'a>,
    job: &'a Job,
    duals: &'a Duals,
    prices: &'a NodeTimePrices,
    /// The largest magnitude of an instant.
    last: f64,
}

impl Points<'_> {
    /// Computes all points of the job; empty if there is no bound.
    fn all(&self, meter: &mut Meter) -> Result<Vec<(f64, f64)>, Stopped> {
        let least = self.job.request.min_speed;
        let mut speeds: Vec<Speed> =
            self.instance.slots.iter().map(|slot| slot.speed).filter(|&speed| speed >= least).collect();
        sort(&mut speeds, &|a, b| a.cmp(b));
        speeds.dedup();
        // Spans that the job demands do not follow from speeds, so all nodes form one group.
        let levels = if self.spans().is_some() { 1 } else { LEVELS };
        let mut points = Vec::new();
        for group in speeds.chunks(speeds.len().div_ceil(levels).max(1)) {
            let (Some(&slowest), Some(&fastest)) = (group.first(), group.last()) else { continue };
            // A lower bound of the runtime of windows whose slowest node is in this group. Runtimes are differences of
            // rounded instants.
            let runtime = self.least_span(fastest).get();
            let runtime = runtime - plain_sum_error(4, runtime + self.last);
            let request = self.job.request.clone().with_min_speed(slowest);
            let begun =
                self.instance.terms.start * (self.instance.earliest(self.job) - self.instance.from).get();
            let own = self.instance.terms.runtime * runtime + begun;
            let found = if self.instance.terms.limits_cost {
                self.along_the_cost(&request, meter)?
            } else {
                let value = self.least(&request, 0.0, true, meter)?;
                vec![(runtime, value)]
            };
            // This search includes the windows on faster nodes only, so there are none in the later groups either.
            if found.iter().any(|point| point.1 == f64::INFINITY) {
                break;
            }
            points.extend(found.into_iter().map(|point| (point.0, point.1 + own)));
        }
        // One point without a bound leaves the job without one.
        Ok(if points.iter().all(|point| point.1 > f64::NEG_INFINITY) { points } else { Vec::new() })
    }

    /// The spans of tasks that the job demands on some nodes, if any.
    fn spans(&self) -> Option<&Spans> {
        Some(&self.job.request.demands().spans).filter(|spans| !spans.is_empty())
    }

    /// The minimum span of a task on nodes of at most this speed.
    fn least_span(&self, fastest: Speed) -> Span {
        let own = self.job.request.work() / fastest;
        self.spans().map_or(own, |spans| spans.iter().map(|(_, span)| span).fold(own, Span::min))
    }

    /// Computes a lower bound of the values of the windows of a request, without the runtime and with `tax` per unit of
    /// cost; if not `valued`, a lower bound of their costs.
    fn least(
        &self,
        request: &ResourceRequest,
        tax: f64,
        valued: bool,
        meter: &mut Meter,
    ) -> Result<f64, Stopped> {
        meter.spend(1 + self.instance.slots.len() as u64)?;
        let none = NodeTimePrices::default();
        let (weights, prices) = if valued {
            let terms = &self.instance.terms;
            ([terms.cost + tax, 0.0, terms.start], self.prices)
        } else {
            ([1.0, 0.0, 0.0], &none)
        };
        let query = self.instance.query(self.instance.slots, self.job, request);
        let limit = self.instance.pricing_limit();
        let answer = PricedQuery::new(self.instance.rules, &query)
            .and_then(|query| query.best(weights, prices, f64::INFINITY, &mut limit.meter()))
            .map_err(JointError::from)?;
        meter.spend(answer.work)?;
        Ok(answer.bound)
    }

    /// Computes the points (cost, value without the runtime). Each tax gives a falling line below all windows; the
    /// value of each step of the cost is the maximum of the lines at its end.
    fn along_the_cost(
        &self,
        request: &ResourceRequest,
        meter: &mut Meter,
    ) -> Result<Vec<(f64, f64)>, Stopped> {
        let cheapest = self.least(request, 0.0, false, meter)?;
        if cheapest == f64::INFINITY {
            return Ok(vec![(cheapest, cheapest)]);
        }
        let mut lines: Vec<(f64, f64)> = Vec::new();
        for multiple in MULTIPLES {
            let tax = multiple * self.duals.multiplier;
            if lines.iter().all(|line| line.0 < tax) {
                lines.push((tax, self.least(request, tax, true, meter)?));
            }
        }
        let Some(&(_, least)) = lines.first() else { return Ok(Vec::new()) };
        let crossing = |line: &(f64, f64)| (line.1 - least) / line.0;
        let last = lines.iter().skip(1).map(crossing).fold(cheapest, f64::max);
        // The maximum of the lines, lowered by the rounding error of the products.
        let height = |cost: f64| {
            let on = |line: &(f64, f64)| {
                line.1 - line.0 * cost - plain_sum_error(8, line.1.abs() + line.0 * cost.abs())
            };
            lines.iter().map(on).fold(f64::NEG_INFINITY, f64::max)
        };
        let step = (last - cheapest) / STEPS as f64;
        let mut points: Vec<(f64, f64)> = Vec::with_capacity(STEPS + 1);
        if step > 0.0 && step.is_finite() {
            let at = |number: usize| cheapest + step * number as f64;
            points.extend((0..STEPS).map(|number| (at(number), height(at(number + 1)))));
            points.push((at(STEPS), height(f64::MAX.min(at(STEPS)))));
        } else {
            points.push((cheapest, height(cheapest)));
        }
        // Windows of higher cost than the last point are covered by the bound that ignores the cost.
        if let Some(point) = points.last_mut() {
            point.1 = point.1.min(least - plain_sum_error(8, least.abs()));
        }
        Ok(points)
    }
}
