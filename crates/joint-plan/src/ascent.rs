//! Prices of node-time by dual ascent: the best window of each job under prices, prices along the violations, again.
//!
//! Whatever the prices, the sum over the jobs of the least value of any window, less the prices and the multiplier's share
//! of the limit, is a lower bound for all plans. It is concave in the prices; the windows of least value say in which
//! direction it grows: dearer where two of them hold a node at once, cheaper where none does (M. Held, P. Wolfe, H.
//! Crowder: *Validation of subgradient optimization*, 1974; directions that remember the last ones: P. Camerini, L.
//! Fratta, F. Maffioli: *On improving relaxation methods by modified gradient techniques*, 1975).
//!
//! Rows (node, instant) come up where windows collide, and go when their price falls to 0: nearly all of node-time never
//! has a price.

use crate::JointError;
use crate::pool::Pool;
use crate::terms::Terms;
use sched_model::check::Rules;
use sched_model::{End, Job, Meter, NodeId, SlotList, Time, Window, exact_sum, plain_sum_error};
use slot_window::WindowError;
use slot_window::priced::{NodeTimePrices, PricedSearch};
use std::collections::BTreeMap;

/// Jobs that are planned together in free slots.
#[derive(Debug, Clone)]
pub(crate) struct Cell<'a> {
    pub(crate) slots: &'a SlotList,
    pub(crate) jobs: Vec<&'a Job>,
    pub(crate) from: Time,
    pub(crate) rules: Rules,
    pub(crate) terms: Terms,
    /// What the windows of these jobs may use together of the limited quantity.
    pub(crate) limit: f64,
}

/// At most one window holds this node just before this instant.
type Row = (NodeId, Time);

/// Dual values.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Duals {
    /// Price of the limited quantity.
    pub(crate) multiplier: f64,
    /// Prices of node-time, positive ones only.
    pub(crate) prices: BTreeMap<Row, f64>,
}

impl Duals {
    pub(crate) fn node_time(&self) -> Result<NodeTimePrices, JointError> {
        Ok(NodeTimePrices::new(self.prices.iter().map(|(row, &price)| (row.0, row.1, price)))?)
    }
}

/// Lower bounds of the jobs' values at some prices.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    /// For each job, no window has a lesser value; infinite where it has none.
    values: Vec<f64>,
    /// Prices and the multiplier's share of the limit, to be subtracted.
    constant: f64,
    /// Numbers that were added for it, and the sum of their magnitudes.
    added: (usize, f64),
}

impl Bound {
    /// No window of this job has a lesser value.
    pub(crate) fn of_job(&self, job: usize) -> f64 {
        self.values.get(job).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// A lower bound of the objective of every plan that leaves out exactly so many of the jobs that have windows.
    pub(crate) fn leaving_out(&self, count: usize) -> f64 {
        let mut values: Vec<f64> =
            self.values.iter().copied().filter(|&value| value < f64::INFINITY).collect();
        if values.contains(&f64::NEG_INFINITY) {
            return f64::NEG_INFINITY;
        }
        values.sort_unstable_by(|a, b| b.total_cmp(a));
        // What is left out is not added, and has no part in the error: the bound of no job at all is 0.
        let kept = values.get(count..).unwrap_or_default();
        let magnitude = kept.iter().map(|value| value.abs()).sum::<f64>() + self.added.1;
        let error = plain_sum_error(kept.len() + self.added.0 + 8, magnitude);
        kept.iter().fold(0.0, |sum, value| sum + value) - self.constant - error
    }
}

/// The best windows at some prices, their bound, and where they collide.
#[derive(Debug, Clone)]
struct Point {
    duals: Duals,
    bound: f64,
    violations: BTreeMap<Row, f64>,
    /// How much the windows use beyond the limit.
    excess: f64,
}

/// How far prices are sought.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim {
    pub(crate) steps: usize,
    /// Jobs that plans leave out of those that have windows.
    pub(crate) left_out: usize,
    /// The objective of the best plan known, infinite where none is.
    pub(crate) incumbent: f64,
    /// A bound this high is enough.
    pub(crate) enough: f64,
}

/// Steps without a better bound after which steps are made shorter.
const PATIENCE: usize = 10;
/// How much shorter they are made.
const SHORTENING: f64 = 0.6;
/// Weight of the limit beside that of a row.
const LIMIT_WEIGHT: f64 = 3.0;
/// Share of the last direction in the next one.
const MEMORY: f64 = 0.35;
/// Prices beyond this are none that the searches take.
const MOST: f64 = 1e90;
/// Steps shorter than this share of the first are no more than rounding.
const SHORTEST: f64 = 1e-3;

/// What the ascent has found.
#[derive(Debug, Default)]
pub(crate) struct Ascent {
    /// One for each point that was the best for its number of jobs left out; the first at prices of 0.
    bounds: Vec<Bound>,
    /// The best dual values.
    pub(crate) duals: Duals,
    /// The best windows at the last prices.
    pub(crate) picks: Vec<Option<Window>>,
}

impl Ascent {
    /// Prices of 0, and this multiplier.
    pub(crate) fn starting_at(multiplier: f64) -> Self {
        Self { duals: Duals { multiplier, prices: BTreeMap::new() }, ..Self::default() }
    }

    /// The values of the windows of a pool at the best dual values.
    pub(crate) fn reduced(&self, cell: &Cell<'_>, pool: &Pool) -> Result<Vec<Vec<f64>>, JointError> {
        let (prices, weights) = (self.duals.node_time()?, cell.terms.weights(self.duals.multiplier));
        let of_job = |job| pool.values(job, weights, cell.from, &prices).collect();
        Ok((0..pool.jobs()).map(of_job).collect())
    }

    /// The best lower bound for plans that leave out so many of the jobs that have windows.
    pub(crate) fn bound(&self, left_out: usize) -> Option<f64> {
        self.bounds.iter().map(|bound| bound.leaving_out(left_out)).max_by(f64::total_cmp)
    }

    /// The bound of each job at its best prices: values, and what is subtracted.
    pub(crate) fn best_point(&self, left_out: usize) -> Option<&Bound> {
        let value = |bound: &&Bound| bound.leaving_out(left_out);
        self.bounds.iter().max_by(|a, b| value(a).total_cmp(&value(b)))
    }

    /// Jobs that have no window even if they are alone.
    pub(crate) fn without_window(&self) -> Vec<usize> {
        let Some(bound) = self.bounds.first() else { return Vec::new() };
        (0..bound.values.len()).filter(|&job| bound.values[job] == f64::INFINITY).collect()
    }

    /// The best window of every job under these prices; what is new joins the pool.
    ///
    /// # Errors
    /// [`Stopped`] where the limit ends it.
    fn price(
        &mut self,
        cell: &Cell<'_>,
        pool: &mut Pool,
        duals: &Duals,
        meter: &mut Meter<'_>,
    ) -> Result<Bound, Stopped> {
        let prices = duals.node_time()?;
        let search = search(cell, duals.multiplier)?;
        let start = cell.terms.start_weight();
        let nowhere = self.without_window();
        let mut values = Vec::with_capacity(cell.jobs.len());
        let mut picks = Vec::with_capacity(cell.jobs.len());
        for number in 0..cell.jobs.len() {
            let work = 1 + cell.slots.len() as u64 + pool.of(number).len() as u64;
            meter.spend(work).map_err(Stopped::Limit)?;
        }
        let weights = cell.terms.weights(duals.multiplier);
        let in_the_pool: &Pool = pool;
        let price = |number: usize| {
            if nowhere.binary_search(&number).is_ok() {
                return Ok(None);
            }
            let job = cell.jobs[number];
            let from = cell.from.max(job.submit);
            let known = in_the_pool.least(number, weights, from, &prices);
            let below = known.map_or(f64::INFINITY, |known| known.1);
            let answer = search.bounded(cell.slots, &job.request, from, &prices, below)?;
            Ok(Some((answer, known.map(|known| known.0))))
        };
        let answers: Vec<Result<_, WindowError>> = for_each_job(cell.jobs.len(), price);
        for (number, answer) in answers.into_iter().enumerate() {
            let Some((answer, known)) = answer.map_err(JointError::from)? else {
                values.push(f64::INFINITY);
                picks.push(None);
                continue;
            };
            // The search weighs a start by its distance from the job's own beginning.
            let waited = start * (cell.from.max(cell.jobs[number].submit) - cell.from).get();
            values.push(answer.bound + waited);
            picks.push(match answer.best {
                Some(best) => {
                    pool.add(number, &best.window);
                    Some(best.window)
                }
                None => known.and_then(|known| pool.of(number).get(known)).cloned(),
            });
        }
        self.picks = picks;
        let prices = exact_sum(duals.prices.values().copied());
        let limit = if duals.multiplier > 0.0 { duals.multiplier * cell.limit } else { 0.0 };
        let waited: f64 =
            cell.jobs.iter().map(|job| start * (cell.from.max(job.submit) - cell.from).get()).sum();
        let added = (4 + 2 * cell.jobs.len(), prices + 2.0 * limit.abs() + 2.0 * waited);
        Ok(Bound { values, constant: prices + limit, added })
    }

    /// The bound of each job alone: prices of 0.
    ///
    /// # Errors
    /// [`Stopped`] where the limit ends it.
    pub(crate) fn alone(
        &mut self,
        cell: &Cell<'_>,
        pool: &mut Pool,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stopped> {
        let bound = self.price(cell, pool, &Duals::default(), meter)?;
        self.bounds.push(bound);
        Ok(())
    }

    /// Steps from the present dual values.
    ///
    /// # Errors
    /// [`Stopped`] where the limit ends it.
    pub(crate) fn climb(
        &mut self,
        cell: &Cell<'_>,
        pool: &mut Pool,
        aim: Aim,
        meter: &mut Meter<'_>,
        mut after: impl FnMut(&Self, &mut Pool, f64, &mut Meter<'_>) -> Result<f64, Stopped>,
    ) -> Result<(), Stopped> {
        let mut best: Option<Point> = None;
        let mut at = self.duals.clone();
        let mut direction = Direction::default();
        let (mut length, mut waited) = (1.0, 0);
        let mut incumbent = aim.incumbent;
        for _ in 0..aim.steps {
            let bound = self.price(cell, pool, &at, meter)?;
            let value = bound.leaving_out(aim.left_out);
            let point = self.point(cell, at, value, aim.left_out, &bound);
            direction.add(&point, MEMORY);
            let top = match best.take() {
                Some(top) if value <= top.bound => {
                    waited += 1;
                    if waited > PATIENCE {
                        (length, waited) = (length * SHORTENING, 0);
                    }
                    top
                }
                _ => {
                    waited = 0;
                    self.duals = point.duals.clone();
                    self.keep(bound, value, aim.left_out);
                    point.clone()
                }
            };
            incumbent = incumbent.min(after(self, pool, top.bound, meter)?);
            let aimed_at = goal(top.bound, incumbent);
            let next = direction.step(&point.duals, cell, length, aimed_at - point.bound);
            let enough = top.bound >= aim.enough || length < SHORTEST;
            best = Some(top);
            match next {
                Some(next) if !enough => at = next,
                _ => break,
            }
        }
        Ok(())
    }

    /// Keeps a bound beside the one of prices of 0 if it is better than what is known.
    fn keep(&mut self, bound: Bound, value: f64, left_out: usize) {
        if self.bounds.iter().all(|known| known.leaving_out(left_out) < value) {
            self.bounds.truncate(1);
            self.bounds.push(bound);
        }
    }

    /// Where the last windows collide.
    fn point(&self, cell: &Cell<'_>, duals: Duals, bound: f64, left_out: usize, values: &Bound) -> Point {
        // The jobs of the greatest values are those that are left out.
        let mut order: Vec<usize> =
            (0..values.values.len()).filter(|&job| self.picks[job].is_some()).collect();
        order.sort_by(|&a, &b| values.values[b].total_cmp(&values.values[a]).then(a.cmp(&b)));
        let kept: Vec<&Window> =
            order.iter().skip(left_out).filter_map(|&job| self.picks[job].as_ref()).collect();
        let weight: f64 = kept.iter().map(|window| cell.terms.weight(window)).sum();
        let excess = if cell.limit < f64::INFINITY { weight - cell.limit } else { 0.0 };
        let violations = violations(&kept, &duals);
        Point { duals, bound, violations, excess }
    }
}

/// A result for each job in their order; found side by side with the feature `rayon`.
fn for_each_job<R: Send>(jobs: usize, of_job: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if jobs >= WORTH_THREADS {
        use rayon::prelude::*;
        return (0..jobs).into_par_iter().with_min_len(WORTH_THREADS / 4).map(of_job).collect();
    }
    (0..jobs).map(of_job).collect()
}

/// A search takes some microseconds: threads are worth it for many.
#[cfg(feature = "rayon")]
const WORTH_THREADS: usize = 32;

/// The search for the window of least value under a multiplier of the limit.
pub(crate) fn search(cell: &Cell<'_>, multiplier: f64) -> Result<PricedSearch, JointError> {
    let [cost, runtime, start] = cell.terms.weights(multiplier);
    let search = PricedSearch::new(cell.rules).with_cost_weight(cost)?;
    Ok(search.with_runtime_weight(runtime)?.with_start_weight(start)?)
}

/// What a step aims at: the best plan, but not too far away, so that steps do not overshoot.
fn goal(bound: f64, incumbent: f64) -> f64 {
    incumbent.min(bound + 0.05 * bound.abs().max(1e-9))
}

/// For each row with a price or with a collision the number of windows that hold it, less 1.
fn violations(windows: &[&Window], duals: &Duals) -> BTreeMap<Row, f64> {
    let mut by_node: BTreeMap<NodeId, Vec<(Time, Time)>> = BTreeMap::new();
    for window in windows {
        for placement in window.placements() {
            by_node.entry(placement.node).or_default().push((window.start(), placement.end));
        }
    }
    let mut rows: BTreeMap<Row, f64> = duals.prices.keys().map(|&row| (row, -1.0)).collect();
    for (node, held) in &mut by_node {
        held.sort_unstable();
        // Where an interval ends after another one has begun, those that are open form a clique.
        let mut ends: Vec<Time> = held.iter().map(|held| held.1).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut last_begun = None;
        for &end in &ends {
            let open = || held.iter().filter(|held| held.0 < end && end <= held.1);
            let latest_start = open().map(|held| held.0).max();
            if open().count() < 2 || latest_start == last_begun {
                continue;
            }
            last_begun = latest_start;
            let Some(latest_start) = latest_start else { continue };
            // Any instant after the latest start keeps them apart: one that has a price already, or else the first end.
            let between = rows.range((*node, latest_start)..=(*node, end));
            if !between.into_iter().any(|(row, _)| row.1 > latest_start) {
                rows.insert((*node, end), -1.0);
            }
        }
        let (Some(first), Some(last)) = (held.first(), ends.last()) else { continue };
        for (row, count) in rows.range_mut((*node, first.0)..=(*node, *last)) {
            *count += held.iter().filter(|held| held.0 < row.1 && row.1 <= held.1).count() as f64;
        }
    }
    rows
}

/// A direction: the violations of the last points, the last ones counting most.
#[derive(Debug, Default)]
struct Direction {
    rows: BTreeMap<Row, f64>,
    excess: f64,
}

impl Direction {
    fn add(&mut self, point: &Point, memory: f64) {
        for value in self.rows.values_mut() {
            *value *= memory;
        }
        self.excess = self.excess * memory + point.excess;
        for (&row, &violation) in &point.violations {
            *self.rows.entry(row).or_default() += violation;
        }
        self.rows.retain(|_, value| value.abs() > 1e-3);
    }

    /// A step from these dual values that would lift the bound by `rise` if it were linear; `None` where there is no way.
    fn step(&self, from: &Duals, cell: &Cell<'_>, length: f64, rise: f64) -> Option<Duals> {
        // Rows differ in unit: the limit's row is scaled to a violation of about 1 for the share of one job.
        let limited = self.excess > 0.0 || from.multiplier > 0.0 && self.excess < 0.0;
        let scale = if limited {
            LIMIT_WEIGHT * cell.jobs.len() as f64 / cell.limit.abs().max(self.excess.abs()).max(1e-300)
        } else {
            0.0
        };
        // Rows with room left and a price of 0 do not move.
        let moves = |row: &Row, value: f64| value > 0.0 || from.prices.contains_key(row);
        let square: f64 =
            self.rows.iter().filter(|(row, value)| moves(row, **value)).map(|(_, value)| value * value).sum();
        let square = square + (self.excess * scale).powi(2);
        if !(square > 0.0 && rise > 0.0) {
            return None;
        }
        let step = length * rise / square;
        let mut prices = from.prices.clone();
        for (&row, &value) in &self.rows {
            if moves(&row, value) {
                *prices.entry(row).or_default() += step * value;
            }
        }
        prices.retain(|_, price| *price > 0.0);
        let sound = |price: f64| price <= MOST;
        let multiplier = if limited {
            (from.multiplier + step * self.excess * scale * scale).max(0.0)
        } else {
            from.multiplier
        };
        (sound(multiplier) && prices.values().all(|&price| sound(price)))
            .then_some(Duals { multiplier, prices })
    }
}

/// Why planning stopped before its end.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// A limit.
    Limit(End),
    /// Malformed input.
    Error(JointError),
}

impl From<JointError> for Stopped {
    fn from(error: JointError) -> Self {
        Self::Error(error)
    }
}
