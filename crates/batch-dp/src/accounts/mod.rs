//! Accounts: budgets that several jobs share, in addition to the limit of the goal. One entry is chosen for each job,
//! and the jobs of an account pay from its budget.

pub(crate) mod join;

use crate::alternatives::View;
use crate::kernel::relaxation::{Relaxation, Relaxed, relax};
use crate::kernel::{CoreScratch, PASSES, Proof};
use crate::list::{STATE, StepScales};
use crate::number::{Amount, Grid, Number, Ranked, RankedScale, Scale, with_sums};
use crate::partial::{Answer, Restrictions, Scratch};
use crate::problem::{Accounts, Stop};
use crate::{ChoiceProblem, Coverage};
use join::{Best, Groups, Join};
use sched_model::internal::exact_sum;
use sched_model::{End, Meter};

/// Finds the best choice; `None` if some job has no entry. `start`, if given, keeps all limits.
pub(crate) fn choose(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    accounts: &Accounts,
    Scratch { core, rows }: &mut Scratch,
    meter: &mut Meter,
) -> Result<Option<Answer>, Stop> {
    let (batch, cost_is_limited) = (problem.alternatives, problem.goal.limits_cost());
    rows.fill(problem, |_| Restrictions::NONE);
    if !rows.can_be_chosen() {
        return Ok(None);
    }
    let start = start.and_then(|start| rows.entries(batch, start));
    let (view, costs) = (rows.view(), &rows.costs(batch));
    let lost = if problem.coverage == Coverage::EveryJob { &[] } else { &rows.lost[..] };
    let entries = Entries { accounts, view, lost, costs, cost_is_limited, start: start.as_deref() };
    let by_objective = matches!(problem.coverage, Coverage::EveryJob | Coverage::Penalties(_));
    let (picks, proof) = entries.choose(by_objective, core, meter)?;
    Ok(Some(Answer { picks: rows.positions(batch, &picks), proof }))
}

/// Entries of jobs: the alternatives of each job, and leaving it out if that is allowed.
pub(crate) struct Entries<'a> {
    pub(crate) accounts: &'a Accounts,
    pub(crate) view: View<'a>,
    /// The service that each entry loses; empty if all jobs are served.
    pub(crate) lost: &'a [f64],
    /// The cost of each entry to its account.
    pub(crate) costs: &'a [f64],
    pub(crate) cost_is_limited: bool,
    /// An entry of each job to start from.
    pub(crate) start: Option<&'a [u32]>,
}

/// The scales of all numbers of the entries.
#[derive(Clone, Copy)]
struct Scales {
    lost: Scale,
    objective: Scale,
    weight: Scale,
    cost: Scale,
}

impl Entries<'_> {
    /// Finds the best choice by the objective or, if not `by_objective`, by the service first and then by the
    /// objective.
    fn choose(&self, by_objective: bool, scratch: &mut CoreScratch, meter: &mut Meter) -> Result<Best, Stop> {
        let grids = [self.lost, self.view.objective, self.view.weight, self.costs].map(Grid::of);
        let kind = grids.iter().map(Grid::kind).max().unwrap_or_default();
        let [lost, objective, weight, cost] = grids.map(|grid| grid.scale());
        let scales = Scales { lost, objective, weight, cost };
        if by_objective {
            with_sums!(kind, N => self.by_objective::<N>(&scales, scratch, meter))
        } else {
            with_sums!(kind, N => self.by_service::<N>(&scales, scratch, meter))
        }
    }

    /// [`choose`](Self::choose) by the objective, with numbers of type `N`.
    fn by_objective<N: Amount>(
        &self,
        scales: &Scales,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Best, Stop> {
        let number = |at: usize| {
            let (p, w) = self.view.at(at);
            (N::of(p, &scales.objective), N::of(w, &scales.weight))
        };
        let join = self.join(&number, StepScales { p: scales.objective, w: scales.weight }, scales.cost);
        // If all jobs are served, the minimised objective may be the cost itself. If the cost is maximised, a state of
        // higher cost must not dominate one of lower cost, which leaves more of the budget to the remaining jobs.
        let pays_objective = self.lost.is_empty() && !self.cost_is_limited && self.view.sign > 0.0;
        let cost_of = if pays_objective { Some((|p, _| p) as fn(N, N) -> N) } else { join.cost_of };
        Join { cost_of, ..join }.choose(scratch, meter)
    }

    /// [`choose`](Self::choose) by the service first, with numbers of type `N`.
    fn by_service<N: Amount>(
        &self,
        scales: &Scales,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Best, Stop> {
        let lost = |at: usize| N::of(self.lost[at], &scales.lost);
        let number = |at: usize| (lost(at), N::of(self.view.weight[at], &scales.weight));
        let join = self.join(&number, StepScales { p: scales.lost, w: scales.weight }, scales.cost);
        // Only a choice of greater service replaces the one that is found first.
        let (picks, Proof { end, .. }) = Join { is_subproblem: true, ..join }.choose(scratch, meter)?;
        let rank = |picks: &[u32]| {
            let lost = picks.iter().fold(N::ZERO, |sum, &at| sum.plus(lost(at as usize)));
            (lost, exact_sum(picks.iter().map(|&at| self.view.at(at as usize).0)))
        };
        let start = self.start.filter(|start| rank(start) <= rank(&picks)).unwrap_or(&picks);
        let unknown = |end| Ok((start.to_vec(), Proof::without_bound(end)));
        if end != End::Done {
            // The maximum service is not known, so there is no bound for its best choice.
            return unknown(end);
        }
        match self.best_of_service(rank(start).0, start, scales, scratch, meter) {
            Err(Stop::Limit(end)) => unknown(end),
            best => best,
        }
    }

    /// Finds the best choice among those that lose at most `least`, the minimum loss of service, starting from `start`.
    fn best_of_service<N: Amount>(
        &self,
        least: N,
        start: &[u32],
        scales: &Scales,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Best, Stop> {
        let number = |at: usize| {
            let (p, w) = self.view.at(at);
            let first = N::of(self.lost[at], &scales.lost);
            (Ranked { first, second: N::of(p, &scales.objective), left_out: 0 }, N::of(w, &scales.weight))
        };
        let scale =
            RankedScale { first: scales.lost, second: scales.objective, worth: 0.0, toll: 0.0, wanted: 0 };
        let keeps = |Ranked { first, .. }: Ranked<N>| first <= least;
        let join = self.join(&number, StepScales { p: scale, w: scales.weight }, scales.cost);
        let join = Join { keeps: &keeps, start: Some(start), ..join };
        let groups = join.groups(meter)?;
        let lost = least.value(&scales.lost);
        let worth = join.worth(&groups, lost, &mut scratch.relaxed, meter)?;
        let scales = StepScales { p: RankedScale { worth, ..scale }, w: scales.weight };
        Join { scales, offset: worth * lost, ..join }.among(&groups, scratch, meter)
    }

    /// Creates the choice among all entries by these numbers; `cost` is the scale of the costs.
    pub(crate) fn join<'j, P: Number, N: Amount>(
        &'j self,
        number: &'j dyn Fn(usize) -> (P, N),
        scales: StepScales<P::Scale>,
        cost: Scale,
    ) -> Join<'j, P, N> {
        Join {
            entries: self,
            number,
            scales,
            cost_scale: cost,
            cost_of: self.cost_is_limited.then_some(|_, w| w),
            keeps: &|_| true,
            offset: 0.0,
            is_subproblem: self.view.is_subproblem,
            start: self.start,
            units: STATE,
        }
    }
}

/// The maximum number of doublings of the worth, and the number of halvings afterwards.
const DOUBLINGS: usize = 60;
const HALVINGS: usize = 10;

impl<N: Amount> Join<'_, Ranked<N>, N> {
    /// Finds a worth of a unit of the service at which the relaxed choice loses about as much service as `lost`. Any
    /// worth gives a valid bound for the choices that lose at most `lost`; near this one the bound is tight.
    fn worth(
        &self,
        groups: &Groups<Ranked<N>, N>,
        lost: f64,
        relaxed: &mut Relaxed,
        meter: &mut Meter,
    ) -> Result<f64, End> {
        let StepScales { p: ranked, w: weights } = &self.scales;
        // The mixed objective is the second rank plus the worth times the first.
        let second = groups.objective(ranked);
        let first: Vec<f64> = groups.points.iter().map(|point| point.p.first.near(&ranked.first)).collect();
        let weight = groups.weight(weights);
        let greatest =
            |values: &[f64]| values.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
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
            let relaxation = relax(&groups.view(&objective, &weight, self.entries.view.limit), relaxed);
            let loses: f64 = relaxed.base.iter().map(|step| first[step.alt as usize]).sum();
            let is_known = matches!(relaxation, Relaxation::Multiplier(_));
            // `loses` is a plain sum: the tolerance is for its rounding.
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
}
