//! A bound in which the limit of the batch stays a constraint.
//!
//! The bound by a multiplier allows parts of windows; if few jobs share a tight limit, it is several percent too
//! low. Here the limit stays a constraint: each job has points (use of the limit, value) such that each of its
//! windows uses no less, and has no lower value, than one of the points. The bound is the best choice of a point
//! for each job within the limit. Only the collisions are relaxed.

use crate::JointError;
use crate::duals::Duals;
use crate::instance::{Instance, Stopped};
use crate::plan::GOOD_ENOUGH;
use batch_dp::{Alternatives, ChoiceProblem, Chooser, ExpandingCore, Goal};
use sched_model::internal::{Spans, exact_sum, plain_sum_error, sort};
use sched_model::{End, Job, Meter, ResourceRequest, Span, Speed};
use slot_window::priced::{NodeTimePrices, PricedQuery};

/// Groups of speeds that are treated separately.
const LEVELS: usize = 8;
/// Number of points of a level along the use of the limit.
const STEPS: usize = 16;
/// Multiples of the multiplier under which windows are searched for.
const MULTIPLES: [f64; 6] = [0.0, 0.2, 0.5, 1.0, 2.0, 5.0];
/// Work of the choice of points.
const CHOICE_WORK: u64 = 1_000_000;

/// A lower bound of the objective of every plan that places all these jobs within the limit; `None` if there is
/// none.
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
    // The observer of the meter is not told of points, so the choice has a meter of its own; the gap asked for is one
    // of plans.
    let share = meter.limit().clone().with_work(CHOICE_WORK.min(meter.work_left()));
    let share = share.with_absolute_gap(0.0).with_relative_gap(GOOD_ENOUGH);
    let mut own = share.meter();
    let outcome =
        ExpandingCore.solve(&ChoiceProblem::new(&batch, goal), &mut own).map_err(JointError::from)?;
    meter.spend(own.work())?;
    if outcome.end == End::Signal || outcome.end == End::Work && share.work < CHOICE_WORK {
        // A limit equal to the work done ends the search here, too.
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

/// The points of a job.
struct Points<'a> {
    instance: &'a Instance<'a>,
    job: &'a Job,
    duals: &'a Duals,
    prices: &'a NodeTimePrices,
    /// The largest magnitude of an instant.
    last: f64,
}

impl Points<'_> {
    fn all(&self, meter: &mut Meter) -> Result<Vec<(f64, f64)>, Stopped> {
        let least = self.job.request.min_speed;
        let mut speeds: Vec<Speed> =
            self.instance.slots.iter().map(|slot| slot.speed).filter(|&speed| speed >= least).collect();
        sort(&mut speeds, &|a, b| a.cmp(b));
        speeds.dedup();
        // Given spans of tasks do not follow from speeds, so all nodes are one group.
        let levels = if self.spans().is_some() { 1 } else { LEVELS };
        let mut points = Vec::new();
        for group in speeds.chunks(speeds.len().div_ceil(levels).max(1)) {
            let (Some(&slowest), Some(&fastest)) = (group.first(), group.last()) else { continue };
            // Windows whose slowest node is in this group take no less than this. Runtimes are differences of
            // instants, which are rounded.
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
            // Windows that use only faster nodes are included here.
            if found.iter().any(|point| point.1 == f64::INFINITY) {
                break;
            }
            points.extend(found.into_iter().map(|point| (point.0, point.1 + own)));
        }
        points.retain(|point| point.1 > f64::NEG_INFINITY);
        Ok(points)
    }

    fn spans(&self) -> Option<&Spans> {
        Some(&self.job.request.demands().spans).filter(|spans| !spans.is_empty())
    }

    /// The minimum span of a task on nodes of at most this speed.
    fn least_span(&self, fastest: Speed) -> Span {
        let own = self.job.request.work() / fastest;
        self.spans().map_or(own, |spans| spans.iter().map(|(_, span)| span).fold(own, Span::min))
    }

    /// A lower bound of the values of the request's windows, without their runtime and with this tax on their
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

    /// The rest of the value falls as the cost grows. Each tax gives a line below all windows; at the end of each
    /// step of the cost, the maximum of these lines is the bound.
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
        // Slightly below the lines, because these products are rounded.
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
        // Beyond the last step the bound ignores the cost.
        if let Some(point) = points.last_mut() {
            point.1 = point.1.min(least - plain_sum_error(8, least.abs()));
        }
        Ok(points)
    }
}
