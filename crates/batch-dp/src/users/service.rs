//! Accounts where jobs may be left out.

use super::Accounts;
use super::join::{Groups, Join, Joined, Paid, Stop};
use crate::kernel::CoreScratch;
use crate::kernel::Found;
use crate::kernel::PASSES;
use crate::kernel::relaxation::{Hulls, Relaxation, relax};
use crate::number::{Amount, Grid, Kind, Number, Ranked, RankedScale, Scale, Wide};
use crate::partial::Scratch;
use crate::partial::{Answer, Needs, Rows, outcome_of, with_finite_penalties};
use crate::{ChoiceProblem, Chosen, Coverage};
use sched_model::{End, Meter, exact_sum};

/// The best choice where jobs may be left out, from a choice that keeps all limits.
pub(crate) fn select(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    accounts: &Accounts,
    scratch: &mut Scratch,
    meter: &mut Meter,
) -> Chosen {
    with_finite_penalties(problem, |problem| {
        let answer = answer(problem, start, accounts, scratch, meter);
        outcome_of(problem, start, answer)
    })
}

fn answer(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    accounts: &Accounts,
    scratch: &mut Scratch,
    meter: &mut Meter,
) -> Result<Option<Answer>, End> {
    let (batch, rows) = (problem.alternatives, &mut scratch.rows);
    rows.fill(problem, |_| Needs::NOTHING);
    let entries = start.and_then(|start| rows.entries(batch, start));
    let served = Served::new(problem, accounts, rows, entries.as_deref());
    let by_objective = matches!(problem.coverage, Coverage::Penalties(_));
    let answer = match served.kind {
        Kind::Double => served.answer::<f64>(by_objective, &mut scratch.core, meter),
        Kind::Long => served.answer::<i128>(by_objective, &mut scratch.core, meter),
        Kind::Wide => served.answer::<Wide>(by_objective, &mut scratch.core, meter),
    };
    Ok(answer?.map(|(picks, found)| Answer { picks: rows.positions(batch, &picks), found }))
}

/// An entry for each job, and the proof; none where a limit is below 0.
type Entries = Option<(Vec<u32>, Found)>;

/// The entries of the choice: the alternatives of each job, and leaving it out.
struct Served<'a> {
    accounts: &'a Accounts,
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
        problem: &ChoiceProblem<'_>,
        accounts: &'a Accounts,
        rows: &'a Rows,
        known: Option<&'a [u32]>,
    ) -> Self {
        let costs = rows.costs(problem.alternatives);
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
            accounts,
            rows,
            known,
            costs,
            cost_is_limited: problem.goal.limits_cost(),
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
        meter: &mut Meter,
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
        let joined = Join { is_apart: true, ..join }.choose(scratch, meter)?;
        let Joined::Found { picks, first, found: Found { end, .. } } = joined else { return Ok(None) };
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
        meter: &mut Meter,
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
            accounts: self.accounts,
            offsets: view.offsets,
            number,
            cost: &self.costs,
            paid: if self.cost_is_limited { Paid::Weight } else { Paid::Apart(self.cost) },
            scales,
            limit: view.limit,
            sign: 1.0,
            keeps: &|_| true,
            offset: 0.0,
            is_apart: false,
            known,
        }
    }
}

fn found(joined: Joined) -> Entries {
    match joined {
        Joined::Refused(_) => None,
        Joined::Found { picks, found, .. } => Some((picks, found)),
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
    meter: &mut Meter,
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
        meter.spend(PASSES * second.len() as u64)?;
        for (mixed, (second, first)) in objective.iter_mut().zip(second.iter().zip(&first)) {
            *mixed = second + worth * first;
        }
        let relaxation = relax(&groups.view((&objective, &weight), limit), hulls);
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
