//! Budgets of users where jobs may be left out.

use super::UserBudgets;
use super::join::{Groups, Join, Joined, Paid, Stop};
use crate::expanding_core::PASSES;
use crate::kernel::CoreScratch;
use crate::kernel::found::Found;
use crate::kernel::passes::Passes;
use crate::kernel::relaxation::{Hulls, Relaxation, relax};
use crate::number::{Amount, Grid, Kind, Number, Ranked, RankedScale, Scale, Wide};
use crate::partial::{Answer, Needs, Rows, Selection, Service, check_service, outcome_of, selection};
use crate::{Alternatives, BatchError, Problem, Scratch};
use sched_model::{End, Meter, Outcome, exact_sum};

/// As [`select`](crate::select), such that the jobs of each user that are served also keep the user's budget;
/// jobs that are left out cost nothing.
///
/// Exact when it is done. The jobs of a user whose budget can bind are combined into fronts, as by
/// [`choose_with_user_budgets`](crate::choose_with_user_budgets); where service comes first, they are formed
/// twice: for the greatest service, and for the best choice of that service. Where time is limited, a state
/// of a front is kept unless another dominates it in service and criterion, time and cost. The outcome is
/// infeasible only where a budget or the limit is below 0, or where jobs that must not be left out do not
/// fit. Complexity and ties: as for [`choose_with_user_budgets`](crate::choose_with_user_budgets).
///
/// # Errors
/// As for [`select`](crate::select) and [`choose_with_user_budgets`](crate::choose_with_user_budgets).
///
/// ```
/// use batch_dp::{Alternatives, Problem, Scratch, Service, UserBudgets, select_with_user_budgets};
/// use sched_model::Limit;
/// // (cost, time): fast or cheap. User 0, whose first three jobs are, pays 9 at most: for two of them.
/// let batch = Alternatives::new(&vec![vec![(10.0, 1.0), (4.0, 5.0)]; 4])?;
/// let users = UserBudgets::new(vec![0, 0, 0, 1], vec![9.0, f64::INFINITY]);
/// let (problem, limit) = (Problem::MinTime { budget: 18.0 }, Limit::default());
/// let found = select_with_user_budgets(
///     &batch, problem, &Service::MostJobs, &users, &mut Scratch::default(), &mut limit.meter(),
/// )?;
/// let found = found.incumbent.unwrap();
/// assert_eq!((found.cost, found.time, found.left_out, found.picks[3]), (18.0, 11.0, 1.0, Some(0)));
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn select_with_user_budgets(
    batch: &Alternatives,
    problem: Problem,
    service: &Service,
    users: &UserBudgets,
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<Outcome<Selection>, BatchError> {
    select_known(batch, problem, service, (users, None), scratch, meter)
}

/// As [`select_with_user_budgets`], from a known selection, as for [`select_from`](crate::select_from).
///
/// If the known selection keeps the limit and the budgets, the answer is never worse, wherever the meter ends
/// the search. If it does not, it has no effect. The fronts of users are formed anew.
///
/// # Errors
/// As for [`select_with_user_budgets`]; [`BatchError::Count`] if there is not one entry for each job,
/// [`BatchError::NoSuchAlternative`] for a position that a job does not have.
///
/// ```
/// use batch_dp::{Alternatives, Problem, Scratch, Service, UserBudgets, select_with_user_budgets_from};
/// use sched_model::Limit;
/// let batch = Alternatives::new(&vec![vec![(10.0, 1.0), (4.0, 5.0)]; 2])?;
/// let users = UserBudgets::new(vec![0, 0], vec![4.0]);
/// let (problem, nothing) = (Problem::MinTime { budget: 18.0 }, Limit::default().with_work(0));
/// let found = select_with_user_budgets_from(
///     &batch,
///     problem,
///     &Service::MostJobs,
///     &users,
///     &[None, Some(1)],
///     &mut Scratch::default(),
///     &mut nothing.meter(),
/// )?;
/// assert_eq!(found.incumbent.unwrap().picks, [None, Some(1)]);
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn select_with_user_budgets_from(
    batch: &Alternatives,
    problem: Problem,
    service: &Service,
    users: &UserBudgets,
    known: &[Option<usize>],
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<Outcome<Selection>, BatchError> {
    batch.check_known(known.iter().copied())?;
    select_known(batch, problem, service, (users, Some(known)), scratch, meter)
}

fn select_known(
    batch: &Alternatives,
    problem: Problem,
    service: &Service,
    (users, known): (&UserBudgets, Option<&[Option<usize>]>),
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<Outcome<Selection>, BatchError> {
    check_service(batch, problem, service)?;
    users.check(batch)?;
    // What breaks a limit says nothing about the choices that keep all.
    let known = known.filter(|known| {
        let found = selection(batch, service, known.to_vec());
        found.keeps_limit(problem) && service.allows(known) && users.allow(batch, |job| known[job])
    });
    service.search(batch, problem, |service| {
        select_allowed(batch, problem, service, (users, known), scratch, meter)
    })
}

/// As [`select_known`], from a selection that keeps the limit and the budgets.
fn select_allowed(
    batch: &Alternatives,
    problem: Problem,
    service: &Service,
    (users, known): (&UserBudgets, Option<&[Option<usize>]>),
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<Outcome<Selection>, BatchError> {
    let (work, memory) = (meter.work(), meter.memory());
    let rows = &mut scratch.rows;
    let filled = Passes::begin(meter, 0)
        .and_then(|mut passes| rows.fill(batch, problem, service, |_| Needs::NOTHING, &mut passes));
    if let Err(end) = filled {
        return Ok(outcome_of(batch, problem, (service, known), Err(end), meter.work() - work));
    }
    let entries = known.and_then(|known| rows.entries(batch, known));
    let served = Served::new(batch, problem, users, rows, entries.as_deref());
    let by_objective = matches!(service, Service::Penalties(_));
    let answer = match served.kind {
        Kind::Double => served.answer::<f64>(by_objective, &mut scratch.core, meter),
        Kind::Long => served.answer::<i128>(by_objective, &mut scratch.core, meter),
        Kind::Wide => served.answer::<Wide>(by_objective, &mut scratch.core, meter),
    };
    let answer = answer
        .map(|answer| answer.map(|(picks, found)| Answer { picks: rows.positions(batch, &picks), found }));
    meter.release(meter.memory() - memory);
    Ok(outcome_of(batch, problem, (service, known), answer, meter.work() - work))
}

/// An entry for each job, and the proof; none where a limit is below 0.
type Entries = Option<(Vec<u32>, Found)>;

/// The entries of the choice: the alternatives of each job, and leaving it out.
struct Served<'a> {
    users: &'a UserBudgets,
    rows: &'a Rows,
    known: Option<&'a [u32]>,
    /// The cost of each entry to its user.
    costs: Vec<f64>,
    cost_is_limited: bool,
    kind: Kind,
    lost: Scale,
    objective: Scale,
    weight: Scale,
    cost: Scale,
}

impl<'a> Served<'a> {
    fn new(
        batch: &Alternatives,
        problem: Problem,
        users: &'a UserBudgets,
        rows: &'a Rows,
        known: Option<&'a [u32]>,
    ) -> Self {
        let (_, _, _, time_is_objective) = problem.parts();
        let costs = rows.costs(batch);
        let grid = |values: &[f64]| {
            let mut grid = Grid::default();
            values.iter().for_each(|&value| grid.hold(value));
            grid
        };
        let view = rows.view();
        let grids = [grid(rows.lost()), grid(view.objective), grid(view.weight), grid(&costs)];
        let kind = grids.iter().map(Grid::kind).max().unwrap_or(Kind::Double);
        let [lost, objective, weight, cost] = grids.map(|grid| grid.scale());
        Self {
            users,
            rows,
            known,
            costs,
            cost_is_limited: time_is_objective,
            kind,
            lost,
            objective,
            weight,
            cost,
        }
    }

    fn answer<N: Amount>(
        &self,
        by_objective: bool,
        scratch: &mut CoreScratch,
        meter: &mut Meter<'_>,
    ) -> Result<Entries, End> {
        let view = self.rows.view();
        if by_objective {
            let number = |at: usize| {
                let (p, w) = view.at(at);
                (N::of(p, &self.objective), N::of(w, &self.weight))
            };
            let join = self.join(&number, (self.objective, self.weight), self.known);
            return Ok(found(Join { sign: view.sign, ..join }.choose(scratch, meter)?));
        }
        let lost = |at: usize| N::of(self.rows.lost()[at], &self.lost);
        let number = |at: usize| (lost(at), N::of(view.weight[at], &self.weight));
        let join = self.join(&number, (self.lost, self.weight), self.known);
        let joined = meter.apart(|meter| join.choose(scratch, meter))?;
        let Joined::Found { picks, first, end, .. } = joined else { return Ok(None) };
        // Of the choices of one service, the search prefers the lighter, which may be worse by the criterion:
        // until the service is proven, only a greater one takes the place of the first.
        let rank = |picks: &[u32]| {
            let lost = picks.iter().fold(N::ZERO, |sum, &at| sum.plus(lost(at as usize)));
            (lost, exact_sum(picks.iter().map(|&at| view.at(at as usize).0)))
        };
        let mut start: &[u32] =
            if end == End::Done && rank(&picks) <= rank(&first) { &picks } else { &first };
        if let Some(known) = self.known.filter(|known| rank(known) <= rank(start)) {
            start = known;
        }
        let unknown = |end| Some((start.to_vec(), Found { end, bound: f64::NEG_INFINITY }));
        if end != End::Done {
            // The greatest service is not known, so that there is no bound for its best choice.
            return Ok(unknown(end));
        }
        match self.best_of_service(rank(start).0, start, scratch, meter) {
            Ok(best) => Ok(best),
            Err(end) => Ok(unknown(end)),
        }
    }

    /// The best choice that loses no more of the service, which is the least that any choice loses.
    fn best_of_service<N: Amount>(
        &self,
        least: N,
        known: &[u32],
        scratch: &mut CoreScratch,
        meter: &mut Meter<'_>,
    ) -> Result<Entries, End> {
        let view = self.rows.view();
        let number = |at: usize| {
            let (p, w) = view.at(at);
            let first = N::of(self.rows.lost()[at], &self.lost);
            (Ranked { first, second: N::of(p, &self.objective) }, N::of(w, &self.weight))
        };
        let scale = RankedScale { first: self.lost, second: self.objective, worth: 0.0 };
        let keeps = |p: Ranked<N>| p.first <= least;
        let join = Join { sign: view.sign, ..self.join(&number, (scale, self.weight), Some(known)) };
        let join = Join { keeps: &keeps, ..join };
        let groups = match join.groups(meter) {
            Ok(groups) => groups,
            Err(Stop::Refused(_)) => return Ok(None),
            Err(Stop::Limit(end)) => return Err(end),
        };
        let lost = least.value(&self.lost);
        let worth = worth(&groups, &join.scales, (lost, join.limit), &mut scratch.hulls, meter)?;
        let scales = (RankedScale { worth, ..scale }, self.weight);
        Ok(found(Join { scales, offset: worth * lost, ..join }.among(&groups, scratch, meter)?))
    }

    fn join<'j, P: Number, N: Amount>(
        &'j self,
        number: &'j dyn Fn(usize) -> (P, N),
        scales: (P::Scale, Scale),
        known: Option<&'j [u32]>,
    ) -> Join<'j, P, N> {
        let view = self.rows.view();
        Join {
            users: self.users,
            offsets: view.offsets,
            number,
            cost: &self.costs,
            paid: if self.cost_is_limited { Paid::Weight } else { Paid::Apart(self.cost) },
            scales,
            limit: view.limit,
            sign: 1.0,
            keeps: &|_| true,
            offset: 0.0,
            known,
        }
    }
}

fn found(joined: Joined) -> Entries {
    match joined {
        Joined::Refused(_) => None,
        Joined::Found { picks, bound, end, .. } => Some((picks, Found { end, bound })),
    }
}

/// Doublings of the worth, and halvings afterwards.
const DOUBLINGS: usize = 60;
const HALVINGS: usize = 10;

/// The worth of a unit of the service at which the relaxed choice loses about so much of it. Any worth gives
/// a valid bound for all choices that lose as little; near this one the bound is close.
fn worth<N: Amount>(
    groups: &Groups<Ranked<N>, N>,
    (ranked, weights): &(RankedScale, Scale),
    (lost, limit): (f64, f64),
    hulls: &mut Hulls,
    meter: &mut Meter<'_>,
) -> Result<f64, End> {
    // At a worth of 0 the mixed objective is the second rank; the difference to that at a worth of 1 is the
    // first.
    let second = groups.objective(ranked);
    let first: Vec<f64> = groups.first(ranked);
    let weight = groups.weight(weights);
    let greatest = |values: &[f64]| values.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
    let (most, unit) = (greatest(&second), greatest(&first));
    if !(most > 0.0 && unit > 0.0) {
        return Ok(0.0);
    }
    meter.reserve(64 * second.len() as u64)?;
    let mut objective = second.clone();
    let mut loses_too_much = |worth: f64| -> Result<bool, End> {
        let mut passes = Passes::begin(meter, PASSES * second.len() as u64)?;
        for (mixed, (second, first)) in objective.iter_mut().zip(second.iter().zip(&first)) {
            *mixed = second + worth * first;
        }
        let relaxation = relax(&groups.view((&objective, &weight), limit), hulls, &mut passes)?;
        passes.end()?;
        let loses: f64 = hulls.base.iter().map(|step| first[step.alt as usize]).sum();
        let is_known = matches!(relaxation, Relaxation::Multiplier(_) | Relaxation::Unlimited);
        Ok(is_known && loses > lost * (1.0 + 1e-12))
    };
    let (mut low, mut high) = (0.0, most / unit);
    for _ in 0..DOUBLINGS {
        if !loses_too_much(high)? {
            break;
        }
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..HALVINGS {
        let middle = low.midpoint(high);
        *(if loses_too_much(middle)? { &mut low } else { &mut high }) = middle;
    }
    Ok(high)
}
