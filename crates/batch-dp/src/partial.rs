//! A batch that need not be served whole.

use crate::expanding_core::{PASSES, Solved, solve};
use crate::kernel::CoreScratch;
use crate::kernel::incumbent::Incumbent;
use crate::kernel::reduction::{Dominance, Reduced, keep_all, reduce};
use crate::kernel::relaxation::{Hulls, Relaxation, relax};
use crate::kernel::search::{Found, Lists, Task, search};
use crate::list::{Step, undominated};
use crate::number::{Amount, Grid, Kind, Ranked, RankedScale, Scale, Wide};
use crate::view::View;
use crate::{Alternatives, BatchError, Problem, Scratch};
use sched_model::{End, Meter, Outcome, exact_sum};

/// Which jobs may be left out, and what that is worth.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Service {
    /// Leaving a job out costs so much in the unit of the criterion that is optimised: time for
    /// [`Problem::MinTime`] and [`Problem::MaxTime`], else cost. One number for each job.
    Penalties(Vec<f64>),
    /// The most jobs; among all choices that serve so many, the best by the criterion.
    MostJobs,
    /// The greatest weight of the jobs served; among all choices of that weight, the best by the criterion. One number
    /// for each job, at least 0. Whole numbers, or multiples of one power of two, are told apart to the last bit; sums of
    /// other weights that differ by rounding alone may count as equal.
    GreatestWeight(Vec<f64>),
}

impl Service {
    /// The same for some of the jobs, by position.
    pub(crate) fn of_jobs(&self, positions: &[usize]) -> Result<Self, BatchError> {
        let of = |values: &[f64]| -> Result<Vec<f64>, BatchError> {
            let given = values.len();
            let count = BatchError::Count { jobs: positions.last().map_or(0, |&last| last + 1), given };
            positions.iter().map(|&at| values.get(at).copied().ok_or_else(|| count.clone())).collect()
        };
        Ok(match self {
            Self::Penalties(penalties) => Self::Penalties(of(penalties)?),
            Self::MostJobs => Self::MostJobs,
            Self::GreatestWeight(weights) => Self::GreatestWeight(of(weights)?),
        })
    }
}

/// An alternative for each job that is served.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Selection {
    /// Position of the alternative chosen for each job, from 0, in the order of the jobs; `None` if it is left out.
    pub picks: Vec<Option<usize>>,
    /// The cost of all chosen: the exact sum, rounded once.
    pub cost: f64,
    /// The time of all chosen: the exact sum, rounded once.
    pub time: f64,
    /// What the jobs left out add up to: their penalties, their number, or their weights.
    pub left_out: f64,
}

impl Selection {
    /// For a job that is left out: by how much the limit of the problem falls short of placing its lightest alternative
    /// beside the choice. Not above 0 if it would fit and was not worth it. `None` for a job that is served, or has no
    /// alternative.
    #[must_use]
    pub fn short_by(&self, batch: &Alternatives, problem: Problem, job: usize) -> Option<f64> {
        if self.picks.get(job)?.is_some() {
            return None;
        }
        let (used, limit, time_is_limited) = match problem {
            Problem::MinTime { budget } | Problem::MaxTime { budget } => (self.cost, budget, false),
            Problem::MinCost { time_limit } | Problem::MaxIncome { time_limit } => {
                (self.time, time_limit, true)
            }
        };
        let lightest = batch
            .of_job(job)
            .map(|(cost, time)| if time_is_limited { time } else { cost })
            .min_by(f64::total_cmp)?;
        Some(exact_sum([used, lightest, -limit]))
    }
}

/// One alternative for each job that is worth serving, or can be.
///
/// Exact when it is done, with sums as everywhere here; within the limit of the meter, the best found. With
/// [`Service::Penalties`], value and bound of the outcome are the criterion with all penalties; with the others they are
/// the criterion alone, and a bound holds among the choices of the greatest service. The outcome is infeasible where even
/// leaving all jobs out passes the limit, which is then below 0.
///
/// Penalties make one more alternative of each job. Where service comes first, the greatest service is found, then the
/// best choice of that service: two exact sums in order of rank, with a second multiplier for the first of them in place
/// of a large number. Ties: as for [`ExpandingCore`](crate::ExpandingCore).
///
/// # Errors
/// [`BatchError::Limit`] if the limit of the problem is NaN; [`BatchError::Service`] if a penalty or weight is not
/// finite, exceeds 10^120 in magnitude, or is a negative weight; [`BatchError::Count`] if there is not one for each job.
///
/// ```
/// use batch_dp::{Alternatives, Problem, Scratch, Service, select};
/// use sched_model::Limit;
/// // (cost, time): a budget of 12 serves two of the three jobs.
/// let batch = Alternatives::new(&[vec![(9.0, 1.0)], vec![(6.0, 2.0), (5.0, 4.0)], vec![(6.0, 3.0)]])?;
/// let (problem, limit) = (Problem::MinTime { budget: 12.0 }, Limit::default());
/// let most = select(&batch, problem, &Service::MostJobs, &mut Scratch::default(), &mut limit.meter())?;
/// let most = most.incumbent.unwrap();
/// assert_eq!((most.picks.as_slice(), most.time), ([None, Some(0), Some(0)].as_slice(), 5.0));
/// assert_eq!(most.short_by(&batch, problem, 0), Some(9.0)); // 12 + 9 is 9 above the budget
/// // Where the first job must not wait:
/// let first = Service::Penalties(vec![100.0, 10.0, 10.0]);
/// let first = select(&batch, problem, &first, &mut Scratch::default(), &mut limit.meter())?;
/// assert_eq!(first.incumbent.unwrap().picks, [Some(0), None, None]);
/// assert_eq!(first.value, Some(21.0)); // a time of 1 and two penalties
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn select(
    batch: &Alternatives,
    problem: Problem,
    service: &Service,
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<Outcome<Selection>, BatchError> {
    let rows = Rows::new(batch, problem, service)?;
    let (work, memory) = (meter.work(), meter.memory());
    let solved = match service {
        Service::Penalties(_) => rows.by_objective(&mut scratch.core, meter),
        Service::MostJobs | Service::GreatestWeight(_) => rows.by_rank(&mut scratch.core, meter),
    };
    meter.release(meter.memory() - memory);
    let work = meter.work() - work;
    let (picks, found) = match solved {
        Err(end) => return Ok(Outcome::stopped(None, None, work, end)),
        Ok(None) => return Ok(Outcome::infeasible(work)),
        Ok(Some(solved)) => solved,
    };
    let selection = rows.selection(batch, &picks);
    let value = rows.value(problem, service, &selection);
    Ok(match found.end {
        End::Done => Outcome::solved(selection, value, work),
        end => {
            let bound = rows.sign * found.bound.min(rows.sign * value);
            Outcome::stopped(Some((selection, value)), bound.is_finite().then_some(bound), work, end)
        }
    })
}

/// The alternatives of each job, and behind them the one of leaving it out.
struct Rows {
    offsets: Vec<usize>,
    /// The criterion; of leaving out, its penalty.
    objective: Vec<f64>,
    weight: Vec<f64>,
    /// What leaving out loses of the service; 0 for alternatives.
    lost: Vec<f64>,
    sign: f64,
    limit: f64,
}

/// The best picks, by index in the rows, and what is proven of them; `None` if none is within the limit.
type Picked = Option<(Vec<u32>, Found)>;

impl Rows {
    fn new(batch: &Alternatives, problem: Problem, service: &Service) -> Result<Self, BatchError> {
        let (what, limit, sign, time_is_objective) = problem.parts();
        if limit.is_nan() {
            return Err(BatchError::Limit { what });
        }
        let values = match service {
            Service::Penalties(values) | Service::GreatestWeight(values) => Some(values.as_slice()),
            Service::MostJobs => None,
        };
        if let Some(values) = values {
            if values.len() != batch.jobs() {
                return Err(BatchError::Count { jobs: batch.jobs(), given: values.len() });
            }
            let least = if matches!(service, Service::Penalties(_)) { -1e120 } else { 0.0 };
            if let Some(job) = values.iter().position(|value| !(least..=1e120).contains(value)) {
                return Err(BatchError::Service { job, value: values[job] });
            }
        }
        let count = batch.len() + batch.jobs();
        let mut rows = Self {
            offsets: vec![0],
            objective: Vec::with_capacity(count),
            weight: Vec::with_capacity(count),
            lost: Vec::with_capacity(count),
            sign,
            limit,
        };
        for job in 0..batch.jobs() {
            for (cost, time) in batch.of_job(job) {
                let (objective, weight) = if time_is_objective { (time, cost) } else { (cost, time) };
                rows.push(objective, weight, 0.0);
            }
            match service {
                Service::Penalties(penalties) => rows.push(sign * penalties[job] + 0.0, 0.0, 0.0),
                Service::MostJobs => rows.push(0.0, 0.0, 1.0),
                Service::GreatestWeight(weights) => rows.push(0.0, 0.0, weights[job] + 0.0),
            }
            rows.offsets.push(rows.objective.len());
        }
        Ok(rows)
    }

    fn push(&mut self, objective: f64, weight: f64, lost: f64) {
        self.objective.push(objective);
        self.weight.push(weight);
        self.lost.push(lost);
    }

    fn view(&self) -> View<'_> {
        View {
            offsets: &self.offsets,
            objective: &self.objective,
            sign: self.sign,
            weight: &self.weight,
            limit: self.limit,
        }
    }

    fn selection(&self, batch: &Alternatives, picks: &[u32]) -> Selection {
        let picks: Vec<Option<usize>> = picks
            .iter()
            .zip(self.offsets.windows(2))
            .map(|(&pick, row)| (pick as usize + 1 < row[1]).then(|| pick as usize - row[0]))
            .collect();
        let chosen = || picks.iter().enumerate().filter_map(|(job, pick)| batch.of_job(job).nth((*pick)?));
        let (cost, time) = (exact_sum(chosen().map(|pair| pair.0)), exact_sum(chosen().map(|pair| pair.1)));
        let left = picks.iter().zip(self.offsets.windows(2)).filter(|(pick, _)| pick.is_none());
        let left_out =
            exact_sum(left.map(|(_, row)| self.sign * self.objective[row[1] - 1] + self.lost[row[1] - 1]));
        Selection { picks, cost, time, left_out }
    }

    /// The criterion; with its penalties, where there are any.
    fn value(&self, problem: Problem, service: &Service, selection: &Selection) -> f64 {
        match service {
            Service::Penalties(_) => {
                let picked = selection.picks.iter().zip(self.offsets.windows(2));
                exact_sum(
                    picked.map(|(pick, row)| self.objective[pick.map_or(row[1] - 1, |pick| row[0] + pick)]),
                )
            }
            Service::MostJobs | Service::GreatestWeight(_) => match problem {
                Problem::MinTime { .. } | Problem::MaxTime { .. } => selection.time,
                Problem::MinCost { .. } | Problem::MaxIncome { .. } => selection.cost,
            },
        }
    }

    /// The best by the objective, leaving out being one more alternative.
    fn by_objective(&self, scratch: &mut CoreScratch, meter: &mut Meter<'_>) -> Result<Picked, End> {
        Ok(match solve(&self.view(), scratch, meter)? {
            Solved::OutOfReach => None,
            Solved::Found(found) => Some((scratch.incumbent.picks.clone(), found)),
        })
    }

    /// The greatest service, and among choices of that service the best by the objective.
    fn by_rank(&self, scratch: &mut CoreScratch, meter: &mut Meter<'_>) -> Result<Picked, End> {
        let of_service = View { objective: &self.lost, sign: 1.0, ..self.view() };
        let found = match solve(&of_service, scratch, meter)? {
            Solved::OutOfReach => return Ok(None),
            Solved::Found(found) => found,
        };
        let mut picks = scratch.incumbent.picks.clone();
        let whole = found.end == End::Done && self.serves_all(&picks);
        // Where all jobs are served, this is all there is to choose. Else half of what is left, for an incumbent.
        let share = if whole { meter.work_left() } else { meter.work_left() / 2 };
        let served = self.improve_served(&mut picks, share, scratch, meter);
        if let Some(served) = served
            && whole
        {
            return Ok(Some((picks, served)));
        }
        if let Some(end) = meter.ended() {
            return Ok(Some((picks, Found { end, bound: f64::NEG_INFINITY })));
        }
        if found.end != End::Done {
            // What the greatest service is, is not known: nothing is known of the best choice of it.
            return Ok(Some((picks, Found { end: found.end, bound: f64::NEG_INFINITY })));
        }
        Ok(Some(match self.second_rank(&mut picks, scratch, meter) {
            Ok(found) => (picks, found),
            Err(end) => (picks, Found { end, bound: f64::NEG_INFINITY }),
        }))
    }

    /// Whether each job that has an alternative is served, and must be.
    fn serves_all(&self, picks: &[u32]) -> bool {
        picks.iter().zip(self.offsets.windows(2)).all(|(&pick, row)| {
            let last = row[1] - 1;
            row[0] == last || pick as usize != last && self.lost[last] > 0.0
        })
    }

    /// The best alternatives for the jobs that are served already, within a share of the work.
    fn improve_served(
        &self,
        picks: &mut [u32],
        share: u64,
        scratch: &mut CoreScratch,
        meter: &mut Meter<'_>,
    ) -> Option<Found> {
        let (mut offsets, mut alternatives) = (vec![0], Vec::new());
        for (&pick, row) in picks.iter().zip(self.offsets.windows(2)) {
            let last = row[1] - 1;
            if pick as usize == last {
                alternatives.push(last);
            } else {
                alternatives.extend(row[0]..last);
            }
            offsets.push(alternatives.len());
        }
        let objective: Vec<f64> = alternatives.iter().map(|&at| self.objective[at]).collect();
        let weight: Vec<f64> = alternatives.iter().map(|&at| self.weight[at]).collect();
        let view = View { offsets: &offsets, objective: &objective, weight: &weight, ..self.view() };
        let Ok(Solved::Found(found)) = meter.within(share, |meter| solve(&view, scratch, meter)) else {
            return None;
        };
        for (pick, &better) in picks.iter_mut().zip(&scratch.incumbent.picks) {
            *pick = alternatives[better as usize] as u32;
        }
        Some(found)
    }

    /// Improves a choice of the greatest service, until it is proven or the meter stops it.
    fn second_rank(
        &self,
        picks: &mut [u32],
        scratch: &mut CoreScratch,
        meter: &mut Meter<'_>,
    ) -> Result<Found, End> {
        let CoreScratch { hulls, reduced, .. } = scratch;
        let (mut p, mut w, mut lost) = (0.0, 0.0, 0.0);
        for &pick in &*picks {
            let pick = pick as usize;
            p += self.sign * self.objective[pick];
            w += self.weight[pick];
            lost += self.lost[pick];
        }
        meter.spend(PASSES * self.objective.len() as u64)?;
        let hull = self.lower_hulls();
        let worth = Mixed::new(&hull, lost).best_worth(hulls, meter)?;
        let mut mixed = Mixed::new(self, lost);
        mixed.mix(worth);
        let view = mixed.view();
        meter.spend(PASSES * self.objective.len() as u64)?;
        let multiplier = match relax(&view, hulls) {
            Relaxation::Multiplier(multiplier) => Some(multiplier),
            Relaxation::Unlimited => Some(0.0),
            Relaxation::Unusable | Relaxation::OutOfReach => None,
        };
        match multiplier {
            None => keep_all(&view, Dominance::Unknown, &mut hulls.base, reduced),
            Some(multiplier) => {
                // The mixed objective of each alternative has been rounded twice.
                let sizes = picks.iter().zip(&hulls.base).map(|(&pick, base)| {
                    [pick, base.alt]
                        .map(|at| self.objective[at as usize].abs() + worth * self.lost[at as usize])
                        .iter()
                        .sum::<f64>()
                });
                let doubt = 8.0 * f64::EPSILON * (self.offsets.len() as f64 + 8.0) * sizes.sum::<f64>();
                let incumbent = Incumbent::of_sums(p + worth * lost + doubt, w);
                reduce(&view, (multiplier, Dominance::Unknown), hulls, &incumbent, reduced);
            }
        }
        let grids = self.grids(picks, hulls, reduced);
        let scales =
            (RankedScale { first: grids[0].scale(), second: grids[1].scale(), worth }, grids[2].scale());
        let core = RankedCore { rows: self, multiplier, scales, offset: worth * lost };
        let kind = grids.iter().map(Grid::kind).max().unwrap_or(Kind::Double);
        Ok(match kind {
            Kind::Double => core.search::<f64>(hulls, reduced, picks, meter),
            Kind::Short | Kind::Long => core.search::<i128>(hulls, reduced, picks, meter),
            Kind::Wide => core.search::<Wide>(hulls, reduced, picks, meter),
        })
    }

    /// The same rows with nothing but what a relaxed choice may take at any worth: leaving out, and the alternatives on
    /// the lower convex hull of each job. Rounding may lose a vertex that lies on an edge but for a last bit; the worth
    /// sought by these rows is good, and any worth gives a bound.
    fn lower_hulls(&self) -> Self {
        let mut rows = Self {
            offsets: vec![0],
            objective: Vec::new(),
            weight: Vec::new(),
            lost: Vec::new(),
            sign: 1.0,
            limit: self.limit,
        };
        let mut steps: Vec<Step> = Vec::new();
        for row in self.offsets.windows(2) {
            let last = row[1] - 1;
            steps.clear();
            steps.extend((row[0]..last).map(|at| Step {
                p: self.sign * self.objective[at],
                w: self.weight[at],
                alt: at as u32,
            }));
            undominated(&mut steps, 0);
            let mut end = 0;
            for at in 0..steps.len() {
                let next = steps[at];
                while end >= 2 {
                    let (a, b) = (steps[end - 2], steps[end - 1]);
                    if (a.p - b.p) * (next.w - b.w) > (b.p - next.p) * (b.w - a.w) {
                        break;
                    }
                    end -= 1;
                }
                steps[end] = next;
                end += 1;
            }
            steps.truncate(end);
            for step in &steps {
                rows.push(step.p, step.w, 0.0);
            }
            rows.push(self.sign * self.objective[last], self.weight[last], self.lost[last]);
            rows.offsets.push(rows.objective.len());
        }
        rows
    }

    /// The grids of what is lost, of the objective and of the weight.
    fn grids(&self, picks: &[u32], hulls: &Hulls, reduced: &Reduced) -> [Grid; 3] {
        let of = |at: u32| {
            let at = at as usize;
            [self.lost[at], self.objective[at], self.weight[at]]
        };
        let mut grids = [Grid::default(); 3];
        for (step, &pick) in hulls.base.iter().zip(picks) {
            for (grid, value) in grids.iter_mut().zip(of(step.alt)) {
                grid.hold(value);
            }
            for (grid, value) in grids.iter_mut().zip(of(pick)) {
                grid.hold(value);
            }
        }
        for &(_, start, end) in &reduced.jobs {
            let mut largest = [0.0_f64; 3];
            for step in &reduced.steps[start as usize..end as usize] {
                for ((grid, value), largest) in grids.iter_mut().zip(of(step.alt)).zip(&mut largest) {
                    grid.see(value);
                    *largest = largest.max(value.abs());
                }
            }
            grids.iter_mut().zip(largest).for_each(|(grid, largest)| grid.reach(largest));
        }
        grids
    }
}

/// The search in order of rank.
struct RankedCore<'a> {
    rows: &'a Rows,
    multiplier: Option<f64>,
    scales: (RankedScale, Scale),
    offset: f64,
}

impl RankedCore<'_> {
    fn search<N: Amount>(
        &self,
        hulls: &Hulls,
        reduced: &Reduced,
        picks: &mut [u32],
        meter: &mut Meter<'_>,
    ) -> Found {
        let (rows, (p, w)) = (self.rows, &self.scales);
        let number = |at: u32| {
            let at = at as usize;
            let first = N::of(rows.lost[at], &p.first);
            let second = N::of(rows.sign * rows.objective[at], &p.second);
            (Ranked { first, second }, N::of(rows.weight[at], w))
        };
        let task = Task {
            number: &number,
            scales: self.scales,
            limit: N::most(rows.limit, w),
            multiplier: self.multiplier,
            sign: rows.sign,
            offset: self.offset,
            dominance: Dominance::Unknown,
        };
        let mut lists = Lists::<Ranked<N>, N>::default();
        search(&task, &hulls.base, reduced, picks, &mut lists, meter)
    }
}

/// The objective with a worth for each unit of service lost: a Lagrangian of "no more than `lost`". Whatever the worth,
/// it bounds the choices of that service from below.
struct Mixed<'a> {
    rows: &'a Rows,
    lost: f64,
    objective: Vec<f64>,
}

/// Halvings of the range of the worth.
const HALVINGS: u32 = 14;

impl<'a> Mixed<'a> {
    fn new(rows: &'a Rows, lost: f64) -> Self {
        Self { rows, lost, objective: vec![0.0; rows.objective.len()] }
    }

    fn mix(&mut self, worth: f64) {
        let rows = self.rows;
        for ((mixed, &objective), &lost) in self.objective.iter_mut().zip(&rows.objective).zip(&rows.lost) {
            *mixed = rows.sign * objective + worth * lost;
        }
    }

    fn view(&self) -> View<'_> {
        View { objective: &self.objective, sign: 1.0, ..self.rows.view() }
    }

    /// The bound at a worth, and what the relaxed choice loses.
    fn bound(&mut self, worth: f64, hulls: &mut Hulls, meter: &mut Meter<'_>) -> Result<(f64, f64), End> {
        meter.spend(PASSES * self.objective.len() as u64)?;
        self.mix(worth);
        let multiplier = match relax(&self.view(), hulls) {
            Relaxation::Multiplier(multiplier) => multiplier,
            _ => 0.0,
        };
        let (mut p, mut w, mut lost) = (0.0, 0.0, 0.0);
        for step in &hulls.base {
            p += step.p;
            w += step.w;
            lost += self.rows.lost[step.alt as usize];
        }
        // The relaxed choice fills the limit with a share of the upgrades that are left.
        let (mut more, mut regained) = (0.0, 0.0);
        for bracket in &hulls.brackets {
            more += bracket.heavy.w - bracket.light.w;
            regained +=
                self.rows.lost[bracket.light.alt as usize] - self.rows.lost[bracket.heavy.alt as usize];
        }
        let slack = if multiplier > 0.0 { self.rows.limit - w } else { 0.0 };
        let share = if more > 0.0 { (slack / more).clamp(0.0, 1.0) } else { 0.0 };
        Ok((p - multiplier * slack - worth * self.lost, lost - share * regained))
    }

    /// The worth of the best bound, nearly: the bound is concave in it, and rises as long as too much is lost.
    fn best_worth(&mut self, hulls: &mut Hulls, meter: &mut Meter<'_>) -> Result<f64, End> {
        let largest = self.rows.objective.iter().fold(0.0_f64, |most, value| value.abs().max(most));
        let unit = self.rows.lost.iter().fold(0.0_f64, |most, value| value.max(most));
        let (mut best, lost) = self.bound(0.0, hulls, meter)?;
        let (mut low, mut worth) = (0.0, 0.0);
        if lost <= self.lost || unit == 0.0 {
            return Ok(0.0);
        }
        let mut high = largest / unit;
        for _ in 0..40 {
            let (bound, lost) = self.bound(high, hulls, meter)?;
            if bound > best {
                (best, worth) = (bound, high);
            }
            if lost <= self.lost || !(high < 1e100) {
                break;
            }
            low = high;
            high *= 4.0;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let (bound, lost) = self.bound(middle, hulls, meter)?;
            if bound > best {
                (best, worth) = (bound, middle);
            }
            if lost > self.lost {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(worth)
    }
}
