//! A batch that need not be served whole.

use crate::expanding_core::{PASSES, Solved, solve};
use crate::kernel::CoreScratch;
use crate::kernel::incumbent::Incumbent;
use crate::kernel::reduction::{Dominance, Reduced, keep_all, reduce};
use crate::kernel::relaxation::{Hulls, Relaxation, relax};
use crate::kernel::search::{Found, Lists, Task, search};
use crate::list::{NONE, Step, undominated};
use crate::number::{Amount, Grid, Kind, Ranked, RankedScale, Scale, Wide};
use crate::view::View;
use crate::{Alternatives, BatchError, Problem, Scratch};
use sched_model::{End, Meter, Outcome, affordable, exact_sum};

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
    check(batch, problem, service)?;
    let (work, memory) = (meter.work(), meter.memory());
    let answer = if let Service::Penalties(_) = service {
        by_objective(batch, problem, service, &mut scratch.core, meter)
    } else {
        by_rank(batch, problem, service, &mut scratch.core, meter)
    };
    meter.release(meter.memory() - memory);
    let work = meter.work() - work;
    let Answer { picks, found } = match answer {
        Err(end) => return Ok(Outcome::stopped(None, None, work, end)),
        Ok(None) => return Ok(Outcome::infeasible(work)),
        Ok(Some(answer)) => answer,
    };
    let selection = selection(batch, service, picks);
    let (_, _, sign, _) = problem.parts();
    let value = value(batch, problem, service, &selection);
    Ok(match found.end {
        End::Done => Outcome::solved(selection, value, work),
        end => {
            let bound = sign * found.bound.min(sign * value);
            Outcome::stopped(Some((selection, value)), bound.is_finite().then_some(bound), work, end)
        }
    })
}

fn check(batch: &Alternatives, problem: Problem, service: &Service) -> Result<(), BatchError> {
    let (what, limit, ..) = problem.parts();
    if limit.is_nan() {
        return Err(BatchError::Limit { what });
    }
    let values = match service {
        Service::Penalties(values) | Service::GreatestWeight(values) => values.as_slice(),
        Service::MostJobs => return Ok(()),
    };
    if values.len() != batch.jobs() {
        return Err(BatchError::Count { jobs: batch.jobs(), given: values.len() });
    }
    let least = if matches!(service, Service::Penalties(_)) { -1e120 } else { 0.0 };
    match values.iter().position(|value| !(least..=1e120).contains(value)) {
        Some(job) => Err(BatchError::Service { job, value: values[job] }),
        None => Ok(()),
    }
}

/// The alternative of each job, by position, and what is proven of them.
struct Answer {
    picks: Vec<Option<usize>>,
    found: Found,
}

/// What leaving a job out adds: its penalty, itself, or its weight.
fn left_out(service: &Service, job: usize) -> f64 {
    match service {
        Service::Penalties(values) | Service::GreatestWeight(values) => values[job] + 0.0,
        Service::MostJobs => 1.0,
    }
}

fn selection(batch: &Alternatives, service: &Service, picks: Vec<Option<usize>>) -> Selection {
    let chosen = || picks.iter().enumerate().filter_map(|(job, pick)| batch.of_job(job).nth((*pick)?));
    let (cost, time) = (exact_sum(chosen().map(|pair| pair.0)), exact_sum(chosen().map(|pair| pair.1)));
    let left = picks.iter().enumerate().filter(|(_, pick)| pick.is_none());
    let left_out = exact_sum(left.map(|(job, _)| left_out(service, job)));
    Selection { picks, cost, time, left_out }
}

/// The criterion; with its penalties, where there are any.
fn value(batch: &Alternatives, problem: Problem, service: &Service, selection: &Selection) -> f64 {
    let (_, _, sign, time_is_objective) = problem.parts();
    let Service::Penalties(_) = service else {
        return if time_is_objective { selection.time } else { selection.cost };
    };
    let of = |(job, pick): (usize, &Option<usize>)| {
        let pair = pick.and_then(|pick| batch.of_job(job).nth(pick));
        pair.map_or_else(
            || sign * left_out(service, job),
            |(cost, time)| if time_is_objective { time } else { cost },
        )
    };
    exact_sum(selection.picks.iter().enumerate().map(of))
}

/// The best by the objective, leaving out being one more alternative.
fn by_objective(
    batch: &Alternatives,
    problem: Problem,
    service: &Service,
    scratch: &mut CoreScratch,
    meter: &mut Meter<'_>,
) -> Result<Option<Answer>, End> {
    let rows = Rows::new(batch, problem, service, |_, _| true);
    Ok(match solve(&rows.view(), scratch, meter)? {
        Solved::OutOfReach => None,
        Solved::Found(found) => {
            Some(Answer { picks: rows.positions(batch, &scratch.incumbent.picks), found })
        }
    })
}

/// The greatest service, and among choices of that service the best by the objective.
fn by_rank(
    batch: &Alternatives,
    problem: Problem,
    service: &Service,
    scratch: &mut CoreScratch,
    meter: &mut Meter<'_>,
) -> Result<Option<Answer>, End> {
    let (_, limit, sign, time_is_objective) = problem.parts();
    let (objective, weight) =
        if time_is_objective { (&batch.time, &batch.cost) } else { (&batch.cost, &batch.time) };
    // Where all jobs that have an alternative can be served, and each counts, it is a plain choice among them.
    let jobs: Vec<usize> = (0..batch.jobs()).filter(|&job| batch.of_job(job).len() > 0).collect();
    if jobs.iter().all(|&job| left_out(service, job) > 0.0) && !jobs.is_empty() {
        let mut offsets: Vec<usize> = jobs.iter().map(|&job| batch.offsets[job]).collect();
        offsets.push(batch.len());
        let view = View { offsets: &offsets, objective, sign, weight, limit };
        if let Solved::Found(found) = solve(&view, scratch, meter)? {
            let mut picks = vec![None; batch.jobs()];
            for (&job, &pick) in jobs.iter().zip(&scratch.incumbent.picks) {
                picks[job] = Some(pick as usize - batch.offsets[job]);
            }
            return Ok(Some(Answer { picks, found }));
        }
    }
    let ranked = if let Service::MostJobs = service {
        let Some(crowd) = Crowd::of(batch, weight, limit, meter)? else { return Ok(None) };
        let rows = Rows::new(batch, problem, service, |job, weight| crowd.may_hold(job, weight));
        let picks = rows.lightest(|job| crowd.served[job]);
        let found = Found { end: End::Done, bound: f64::NEG_INFINITY };
        Some((rows, picks, found))
    } else {
        let rows = Rows::new(batch, problem, service, |_, _| true);
        rows.greatest_service(scratch, meter)?.map(|(picks, found)| (rows, picks, found))
    };
    let Some((rows, mut picks, found)) = ranked else { return Ok(None) };
    let found = match rows.best_of_service(&mut picks, found, scratch, meter) {
        Ok(found) => found,
        Err(end) => Found { end, bound: f64::NEG_INFINITY },
    };
    Ok(Some(Answer { picks: rows.positions(batch, &picks), found }))
}

/// The most jobs that a limit lets in: those of the lightest alternatives.
struct Crowd {
    served: Vec<bool>,
    /// For each job, the weight that another of its alternatives takes the place of in the lightest choice of so many jobs.
    instead_of: Vec<f64>,
    /// What that choice leaves of the limit, and the greatest magnitude in it.
    slack: f64,
    size: f64,
}

impl Crowd {
    /// `None` where not even no job keeps to the limit.
    fn of(
        batch: &Alternatives,
        weight: &[f64],
        limit: f64,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Self>, End> {
        meter.spend(batch.len() as u64)?;
        let mut lightest: Vec<(f64, usize)> = (0..batch.jobs())
            .filter(|&job| batch.of_job(job).len() > 0)
            .map(|job| {
                let row = &weight[batch.offsets[job]..batch.offsets[job + 1]];
                (row.iter().copied().fold(f64::INFINITY, f64::min), job)
            })
            .collect();
        lightest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let fits = |count: usize| affordable(lightest[..count].iter().map(|job| job.0), limit);
        // From the jobs that add less than nothing on, each more makes the sum greater.
        let (mut least, mut most) = (lightest.partition_point(|job| job.0 < 0.0), lightest.len());
        if !fits(least) {
            return Ok(None);
        }
        while least < most {
            let middle = least + (most - least).div_ceil(2);
            if fits(middle) {
                least = middle;
            } else {
                most = middle - 1;
            }
        }
        let (chosen, others) = lightest.split_at(least);
        let mut crowd = Self {
            served: vec![false; batch.jobs()],
            instead_of: vec![f64::NEG_INFINITY; batch.jobs()],
            slack: limit - exact_sum(chosen.iter().map(|job| job.0)),
            size: limit.abs() + chosen.iter().map(|job| job.0.abs()).sum::<f64>(),
        };
        for &(weight, job) in chosen {
            (crowd.served[job], crowd.instead_of[job]) = (true, weight);
        }
        // Another job takes the place of the heaviest.
        if let Some(&(heaviest, _)) = chosen.last() {
            for &(_, job) in others {
                crowd.instead_of[job] = heaviest;
            }
        }
        Ok(Some(crowd))
    }

    /// Whether so many jobs can keep to the limit with an alternative of this weight among them.
    fn may_hold(&self, job: usize, weight: f64) -> bool {
        let more = weight - self.instead_of[job];
        let doubt = 8.0 * f64::EPSILON * (self.size + weight.abs()) + f64::MIN_POSITIVE;
        more <= self.slack + doubt
    }
}

/// The alternatives of each job, and behind them the one of leaving it out.
struct Rows {
    offsets: Vec<usize>,
    /// The criterion; of leaving out, its penalty.
    objective: Vec<f64>,
    weight: Vec<f64>,
    /// What leaving out loses of the service; 0 for alternatives.
    lost: Vec<f64>,
    /// What each entry is an entry of: an alternative by its index among those of all jobs, or an entry of other rows.
    origin: Vec<u32>,
    sign: f64,
    limit: f64,
}

impl Rows {
    fn empty(sign: f64, limit: f64) -> Self {
        let (objective, weight, lost, origin) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { offsets: vec![0], objective, weight, lost, origin, sign, limit }
    }

    /// The alternatives for which `keep` holds, by job and weight.
    fn new(
        batch: &Alternatives,
        problem: Problem,
        service: &Service,
        keep: impl Fn(usize, f64) -> bool,
    ) -> Self {
        let (_, limit, sign, time_is_objective) = problem.parts();
        let (objective, weight) =
            if time_is_objective { (&batch.time, &batch.cost) } else { (&batch.cost, &batch.time) };
        let mut rows = Self::empty(sign, limit);
        for job in 0..batch.jobs() {
            for at in batch.offsets[job]..batch.offsets[job + 1] {
                if keep(job, weight[at]) {
                    rows.push(objective[at], weight[at], 0.0, at as u32);
                }
            }
            let left = left_out(service, job);
            match service {
                Service::Penalties(_) => rows.push(sign * left + 0.0, 0.0, 0.0, NONE),
                Service::MostJobs | Service::GreatestWeight(_) => rows.push(0.0, 0.0, left, NONE),
            }
            rows.offsets.push(rows.objective.len());
        }
        rows
    }

    fn push(&mut self, objective: f64, weight: f64, lost: f64, origin: u32) {
        self.objective.push(objective);
        self.weight.push(weight);
        self.lost.push(lost);
        self.origin.push(origin);
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

    /// Entries as alternatives, by their positions in their jobs.
    fn positions(&self, batch: &Alternatives, picks: &[u32]) -> Vec<Option<usize>> {
        let of = |(&pick, &first): (&u32, &usize)| {
            let origin = self.origin[pick as usize];
            (origin != NONE).then(|| origin as usize - first)
        };
        picks.iter().zip(&batch.offsets).map(of).collect()
    }

    /// The lightest alternative of each job that is served.
    fn lightest(&self, is_served: impl Fn(usize) -> bool) -> Vec<u32> {
        let rows = self.offsets.windows(2).enumerate();
        rows.map(|(job, row)| {
            let last = row[1] - 1;
            let alternatives = if is_served(job) { row[0]..last } else { last..last };
            alternatives.min_by(|&a, &b| self.weight[a].total_cmp(&self.weight[b])).unwrap_or(last) as u32
        })
        .collect()
    }

    /// A choice of the greatest service, of the lightest alternative of each job; `None` if nothing is within the limit.
    fn greatest_service(
        &self,
        scratch: &mut CoreScratch,
        meter: &mut Meter<'_>,
    ) -> Result<Option<(Vec<u32>, Found)>, End> {
        meter.spend(self.objective.len() as u64)?;
        let lightest = self.lightest(|_| true);
        let mut rows = Self::empty(1.0, self.limit);
        for (&alternative, row) in lightest.iter().zip(self.offsets.windows(2)) {
            let last = row[1] - 1;
            if (alternative as usize) < last {
                rows.push(0.0, self.weight[alternative as usize], 0.0, alternative);
            }
            rows.push(self.lost[last], 0.0, 0.0, last as u32);
            rows.offsets.push(rows.objective.len());
        }
        let found = match solve(&rows.view(), scratch, meter)? {
            Solved::OutOfReach => return Ok(None),
            Solved::Found(found) => found,
        };
        let picks = scratch.incumbent.picks.iter().map(|&pick| rows.origin[pick as usize]).collect();
        Ok(Some((picks, found)))
    }

    /// Improves a choice whose service has been found, until it is proven the best of that service or the meter stops it.
    fn best_of_service(
        &self,
        picks: &mut Vec<u32>,
        service: Found,
        scratch: &mut CoreScratch,
        meter: &mut Meter<'_>,
    ) -> Result<Found, End> {
        if service.end != End::Done {
            // What the greatest service is, is not known: nothing is known of the best choice of it.
            self.improve_served(picks, meter.work_left(), scratch, meter);
            return Ok(Found { end: meter.ended().unwrap_or(service.end), bound: f64::NEG_INFINITY });
        }
        let lost: f64 = picks.iter().map(|&pick| self.lost[pick as usize]).sum();
        meter.spend(PASSES * self.objective.len() as u64)?;
        let hull = self.lower_hulls();
        let mut mixed = Mixed::new(&hull, lost);
        let worth = mixed.best_worth(&mut scratch.hulls, meter)?;
        mixed.bound(worth, &mut scratch.hulls, meter)?;
        // Under these prices the same service may be had by other jobs.
        let others = mixed.cheapest_jobs();
        let others = self.lightest(|job| others[job]);
        let of = |numbers: &[f64], picks: &[u32]| exact_sum(picks.iter().map(|&pick| numbers[pick as usize]));
        if of(&self.lost, &others) == of(&self.lost, picks)
            && affordable(others.iter().map(|&pick| self.weight[pick as usize]), self.limit)
        {
            *picks = others;
        }
        let share = meter.work_left() / 2;
        self.improve_served(picks, share, scratch, meter);
        if let Some(end) = meter.ended() {
            return Err(end);
        }
        self.second_rank(picks, (&hull, worth), scratch, meter)
    }

    /// The best alternatives for the jobs that are served already, within a share of the work.
    fn improve_served(
        &self,
        picks: &mut [u32],
        share: u64,
        scratch: &mut CoreScratch,
        meter: &mut Meter<'_>,
    ) {
        let mut rows = Self::empty(self.sign, self.limit);
        for (&pick, row) in picks.iter().zip(self.offsets.windows(2)) {
            let last = row[1] - 1;
            let kept = if pick as usize == last { last..row[1] } else { row[0]..last };
            for at in kept {
                rows.push(self.objective[at], self.weight[at], 0.0, at as u32);
            }
            rows.offsets.push(rows.objective.len());
        }
        if let Ok(Solved::Found(_)) = meter.within(share, |meter| solve(&rows.view(), scratch, meter)) {
            for (pick, &better) in picks.iter_mut().zip(&scratch.incumbent.picks) {
                *pick = rows.origin[better as usize];
            }
        }
    }

    /// Improves a choice of the greatest service by a core of both ranks, with a worth of the service by the hulls.
    fn second_rank(
        &self,
        picks: &mut [u32],
        (hull, worth): (&Self, f64),
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
        // What the relaxation takes at any multiplier stands on the hulls.
        let mut on_hull = Mixed::new(hull, lost);
        on_hull.mix(worth);
        let multiplier = match relax(&on_hull.view(), hulls) {
            Relaxation::Multiplier(multiplier) => Some(multiplier),
            Relaxation::Unlimited => Some(0.0),
            Relaxation::Unusable | Relaxation::OutOfReach => None,
        };
        for step in &mut hulls.base {
            step.alt = hull.origin[step.alt as usize];
        }
        let mut mixed = Mixed::new(self, lost);
        mixed.mix(worth);
        let view = mixed.view();
        match multiplier {
            None => keep_all(&view, Dominance::Unknown, &mut hulls.base, reduced),
            Some(multiplier) => {
                // Rounding may have lost a vertex of a hull: the base is the least of all.
                for (base, row) in hulls.base.iter_mut().zip(view.offsets.windows(2)) {
                    for at in row[0]..row[1] {
                        let (p, w) = view.at(at);
                        if p + multiplier * w < base.p + multiplier * base.w {
                            *base = Step { p, w, alt: at as u32 };
                        }
                    }
                }
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
        let mut rows = Self::empty(1.0, self.limit);
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
                rows.push(step.p, step.w, 0.0, step.alt);
            }
            rows.push(self.sign * self.objective[last], self.weight[last], self.lost[last], last as u32);
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
    /// Of the relaxation asked last.
    multiplier: f64,
}

/// Bounds asked for within a range of the worth.
const CUTS: u32 = 12;

/// The bound at a worth, and by how much more is lost in the relaxed choice there than allowed: its slope.
#[derive(Clone, Copy)]
struct Cut {
    worth: f64,
    bound: f64,
    slope: f64,
}

impl<'a> Mixed<'a> {
    fn new(rows: &'a Rows, lost: f64) -> Self {
        Self { rows, lost, objective: vec![0.0; rows.objective.len()], multiplier: 0.0 }
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

    /// The bound at a worth, by the relaxation, which stays in `hulls`.
    fn bound(&mut self, worth: f64, hulls: &mut Hulls, meter: &mut Meter<'_>) -> Result<Cut, End> {
        meter.spend(PASSES * self.objective.len() as u64)?;
        self.mix(worth);
        let multiplier = match relax(&self.view(), hulls) {
            Relaxation::Multiplier(multiplier) => multiplier,
            _ => 0.0,
        };
        self.multiplier = multiplier;
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
        let bound = p - multiplier * slack - worth * self.lost;
        Ok(Cut { worth, bound, slope: lost - share * regained - self.lost })
    }

    /// The worth of the best bound, nearly: the bound is concave in it, and rises as long as too much is lost. Where the
    /// tangents of two worths meet, one on each side, is the next worth to ask for.
    fn best_worth(&mut self, hulls: &mut Hulls, meter: &mut Meter<'_>) -> Result<f64, End> {
        let largest = self.rows.objective.iter().fold(0.0_f64, |most, value| value.abs().max(most));
        let unit = self.rows.lost.iter().fold(0.0_f64, |most, value| value.max(most));
        let mut low = self.bound(0.0, hulls, meter)?;
        if low.slope <= 0.0 || unit == 0.0 {
            return Ok(0.0);
        }
        let mut best = low;
        let mut high = Cut { worth: largest / unit, ..low };
        for _ in 0..40 {
            high = self.bound(high.worth, hulls, meter)?;
            if high.bound > best.bound {
                best = high;
            }
            if high.slope <= 0.0 || !(high.worth < 1e100) {
                break;
            }
            low = high;
            high.worth *= 4.0;
        }
        for _ in 0..CUTS {
            let rise = low.bound + low.slope * (high.worth - low.worth);
            let across = (rise - high.bound) / (low.slope - high.slope);
            let met = high.worth - across;
            // Tangents that rounding has bent meet elsewhere.
            let inside = low.worth < met && met < high.worth;
            let worth = if inside { met } else { 0.5 * (low.worth + high.worth) };
            let promised = low.bound + low.slope * (worth - low.worth);
            if inside && promised - best.bound <= 1e-12 * best.bound.abs() {
                break;
            }
            let cut = self.bound(worth, hulls, meter)?;
            if cut.bound > best.bound {
                best = cut;
            }
            if cut.slope > 0.0 {
                low = cut;
            } else {
                high = cut;
            }
        }
        Ok(best.worth)
    }

    /// As many jobs as the service asks for, where each counts as 1: those that cost least at the multiplier asked last.
    fn cheapest_jobs(&self) -> Vec<bool> {
        let rows = self.rows;
        let mut costs: Vec<(f64, usize)> = Vec::new();
        for (job, row) in rows.offsets.windows(2).enumerate() {
            let cost = |at: usize| rows.sign * rows.objective[at] + self.multiplier * rows.weight[at];
            let least = (row[0]..row[1] - 1).map(cost).min_by(f64::total_cmp);
            costs.extend(least.map(|least| (least - cost(row[1] - 1), job)));
        }
        costs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut chosen = vec![false; rows.offsets.len() - 1];
        let count = (chosen.len() as f64 - self.lost).max(0.0) as usize;
        for &(_, job) in costs.iter().take(count) {
            chosen[job] = true;
        }
        chosen
    }
}
