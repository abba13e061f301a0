//! The choice where jobs may be left out.

mod balance;
mod branch;
mod crowd;
mod greatest;
mod rank;
mod rows;
mod service;
mod split;
mod trial;

use crate::kernel::CoreScratch;
use crate::kernel::found::Found;
use crate::kernel::passes::Passes;
use crate::{Alternatives, BatchError, Problem, Scratch};
use rank::by_rank;
use sched_model::{End, Meter, Outcome, exact_sum};
use service::left_out;
use trial::TRIAL;

pub(crate) use rows::{Needs, Rows};
pub use service::Service;

/// An alternative for each job that is served.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Selection {
    /// Position of the alternative chosen for each job, from 0, in the order of the jobs; `None` if it is
    /// left out.
    pub picks: Vec<Option<usize>>,
    /// The cost of all chosen alternatives: the exact sum, rounded once.
    pub cost: f64,
    /// The time of all chosen alternatives: the exact sum, rounded once.
    pub time: f64,
    /// The sum over the jobs left out: of their penalties, their number, or of their weights.
    pub left_out: f64,
}

impl Selection {
    pub(crate) fn keeps_limit(&self, problem: Problem) -> bool {
        match problem {
            Problem::MinTime { budget } | Problem::MaxTime { budget } => self.cost <= budget,
            Problem::MinCost { time_limit } | Problem::MaxIncome { time_limit } => self.time <= time_limit,
        }
    }

    /// For a job that is left out: by how much the limit of the problem would have to be raised to add its
    /// lightest alternative to the choice. Not above 0 if it would fit and was not worth it. `None` for a job
    /// that is served, or has no alternative.
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

/// Chooses one alternative for each job that is served; other jobs are left out.
///
/// Exact when the search is done, with exact sums rounded once; where the limit of the meter stops it, the
/// best selection found. With [`Service::Penalties`], value and bound of the outcome are the criterion plus
/// all penalties; with the other services they are the criterion alone, and the bound holds among the choices
/// of the greatest service. The outcome is infeasible where every choice exceeds the limit, also the one that
/// leaves all jobs out: on costs and times of at least 0, this is where the limit is below 0, or where jobs
/// that must not be left out do not fit.
///
/// A penalty is one more alternative of its job. Where service comes first, the greatest service is found,
/// then the best choice of that service: two exact sums, compared in order, with a second multiplier for the
/// first of them instead of a large factor. A long search treats two cases separately: choices that serve at
/// most as many jobs as its relaxation does, and choices that serve more. Complexity: as for
/// [`ExpandingCore`](crate::ExpandingCore), for each search. Ties: as for
/// [`ExpandingCore`](crate::ExpandingCore).
///
/// # Errors
/// [`BatchError::Limit`] if the limit of the problem is NaN; [`BatchError::Service`] for a penalty or
/// weight that is NaN or exceeds 10^120 in magnitude (except for a penalty of infinity), and for a weight
/// below 0; [`BatchError::Count`] if there is not one for each job.
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
    select_known(batch, problem, service, None, scratch, meter)
}

/// As [`select`], from a known selection: that of an earlier call, after costs, times, the limit or some jobs
/// have changed. `known` has for each job the position of one of its alternatives, or `None`.
///
/// If the known selection keeps the limit, the answer is never worse, wherever the meter ends the search; the
/// better it is, the fewer alternatives are left to be searched. If it does not keep the limit, it has no
/// effect. The answer is as good as that of [`select`], but of different selections equal in all sums it may
/// be another one.
///
/// # Errors
/// As for [`select`]; [`BatchError::Count`] if there is not one entry for each job,
/// [`BatchError::NoSuchAlternative`] for a position that a job does not have.
///
/// ```
/// use batch_dp::{Alternatives, Problem, Scratch, Service, select, select_from};
/// use sched_model::Limit;
/// // (cost, time): a budget of 12 serves two of the three jobs.
/// let batch = Alternatives::new(&[vec![(9.0, 1.0)], vec![(6.0, 2.0), (5.0, 4.0)], vec![(6.0, 3.0)]])?;
/// let (mut scratch, limit, nothing) = (Scratch::default(), Limit::default(), Limit::default().with_work(0));
/// let (service, problem) = (Service::MostJobs, Problem::MinTime { budget: 12.0 });
/// let known = select(&batch, problem, &service, &mut scratch, &mut limit.meter())?.incumbent.unwrap().picks;
/// // The budget has grown. A search that may not take one step still has the earlier selection.
/// let problem = Problem::MinTime { budget: 15.0 };
/// let stopped = select_from(&batch, problem, &service, &known, &mut scratch, &mut nothing.meter())?;
/// assert_eq!(stopped.incumbent.unwrap().time, 5.0);
/// let next = select_from(&batch, problem, &service, &known, &mut scratch, &mut limit.meter())?;
/// assert_eq!(next.incumbent.unwrap().time, 3.0);
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn select_from(
    batch: &Alternatives,
    problem: Problem,
    service: &Service,
    known: &[Option<usize>],
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<Outcome<Selection>, BatchError> {
    batch.check_known(known.iter().copied())?;
    select_known(batch, problem, service, Some(known), scratch, meter)
}

fn select_known(
    batch: &Alternatives,
    problem: Problem,
    service: &Service,
    known: Option<&[Option<usize>]>,
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<Outcome<Selection>, BatchError> {
    check_service(batch, problem, service)?;
    let known = known.filter(|known| service.allows(known));
    service.search(batch, problem, |service| {
        select_on_trial(batch, problem, (service, known), TRIAL, scratch, meter)
    })
}

/// Branches are tried after so much work.
fn select_on_trial(
    batch: &Alternatives,
    problem: Problem,
    (service, known): (&Service, Option<&[Option<usize>]>),
    trial: u64,
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<Outcome<Selection>, BatchError> {
    let (work, memory) = (meter.work(), meter.memory());
    let buffers = (&mut scratch.core, &mut scratch.rows);
    let answer = if let Service::Penalties(_) = service {
        by_objective(batch, problem, (service, known), trial, buffers, meter)
    } else {
        by_rank(batch, problem, (service, known), trial, buffers, meter)
    };
    meter.release(meter.memory() - memory);
    Ok(outcome_of(batch, problem, (service, known), answer, meter.work() - work))
}

/// The outcome of a search that has ended with this answer after so much work; `None` stands for a batch in
/// which every choice exceeds a limit.
pub(crate) fn outcome_of(
    batch: &Alternatives,
    problem: Problem,
    (service, known): (&Service, Option<&[Option<usize>]>),
    answer: Result<Option<Answer>, End>,
    work: u64,
) -> Outcome<Selection> {
    let Answer { picks, found } = match answer {
        Err(end) => {
            // Stopped before it had another choice than the known one.
            let known = known.map(|picks| selection(batch, service, picks.to_vec()));
            let known = known.filter(|known| known.keeps_limit(problem));
            let known = known.map(|known| {
                let value = value(batch, problem, service, &known);
                (known, value)
            });
            return Outcome::stopped(known, None, work, end);
        }
        Ok(None) => return Outcome::infeasible(work),
        Ok(Some(answer)) => answer,
    };
    let selection = selection(batch, service, picks);
    let (_, _, sign, _) = problem.parts();
    let value = value(batch, problem, service, &selection);
    match found.end {
        End::Done => Outcome::solved(selection, value, work),
        end => {
            let bound = sign * found.bound.min(sign * value);
            Outcome::stopped(Some((selection, value)), bound.is_finite().then_some(bound), work, end)
        }
    }
}

pub(crate) fn check_service(
    batch: &Alternatives,
    problem: Problem,
    service: &Service,
) -> Result<(), BatchError> {
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
    let fits = |job: usize, value: &f64| (least..=1e120).contains(value) || service.forbids(job);
    match (0..values.len()).find(|&job| !fits(job, &values[job])) {
        Some(job) => Err(BatchError::Service { job, value: values[job] }),
        None => Ok(()),
    }
}

/// The alternative of each job, by position, and the proof.
pub(crate) struct Answer {
    pub(crate) picks: Vec<Option<usize>>,
    pub(crate) found: Found,
}

pub(crate) fn selection(batch: &Alternatives, service: &Service, picks: Vec<Option<usize>>) -> Selection {
    let chosen = || picks.iter().zip(&batch.offsets).filter_map(|(pick, first)| Some(first + (*pick)?));
    let (cost, time) =
        (exact_sum(chosen().map(|at| batch.cost[at])), exact_sum(chosen().map(|at| batch.time[at])));
    let left = picks.iter().enumerate().filter(|(_, pick)| pick.is_none());
    let left_out = exact_sum(left.map(|(job, _)| left_out(service, job)));
    Selection { picks, cost, time, left_out }
}

/// The criterion, with penalties where there are any.
fn value(batch: &Alternatives, problem: Problem, service: &Service, selection: &Selection) -> f64 {
    let (_, _, sign, time_is_objective) = problem.parts();
    let Service::Penalties(_) = service else {
        return if time_is_objective { selection.time } else { selection.cost };
    };
    let of = |(job, pick): (usize, &Option<usize>)| {
        let numbers = if time_is_objective { &batch.time } else { &batch.cost };
        pick.map_or_else(|| sign * left_out(service, job), |pick| numbers[batch.offsets[job] + pick])
    };
    exact_sum(selection.picks.iter().enumerate().map(of))
}

/// The best choice by the objective, with leaving out as one more alternative.
fn by_objective(
    batch: &Alternatives,
    problem: Problem,
    (service, known): (&Service, Option<&[Option<usize>]>),
    trial: u64,
    (scratch, rows): (&mut CoreScratch, &mut Rows),
    meter: &mut Meter<'_>,
) -> Result<Option<Answer>, End> {
    rows.fill(batch, problem, service, |_| Needs::NOTHING, &mut Passes::begin(meter, 0)?)?;
    let known = known.and_then(|known| rows.entries(batch, known));
    let best = rows.best_by_objective((known.as_deref(), None), trial, scratch, meter)?;
    Ok(best.map(|best| Answer { picks: rows.positions(batch, &best.picks), found: best.found }))
}
