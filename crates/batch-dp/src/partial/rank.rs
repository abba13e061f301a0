//! Service first, then the criterion: two exact sums in order of rank.

use super::balance::Balance;
use super::rows::{Restrictions, Rows};
use super::service::Service;
use super::{Answer, Scratch, TRIAL, serve_all};
use crate::alternatives::View;
use crate::kernel::reduction::Dominance;
use crate::kernel::relaxation::Relaxed;
use crate::kernel::{CoreScratch, PASSES, Proof, grow::Task, search::search, solve_from};
use crate::list::{NONE, StepScales};
use crate::number::{Amount, Grid, Ranked, RankedScale, with_sums};
use crate::{ChoiceProblem, Coverage};
use sched_model::internal::{affordable, exact_sum};
use sched_model::{End, Meter};

/// Finds the maximum service, and among the choices of that service the best by the objective.
pub(super) fn by_rank(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    Scratch { core: scratch, rows }: &mut Scratch,
    meter: &mut Meter,
) -> Result<Option<Answer>, End> {
    let batch = problem.alternatives;
    let service = Service::of(problem, meter)?;
    let Some(most_jobs) = service.most_jobs() else { return Ok(None) };
    // If all jobs that have an alternative can be served, and each has a positive weight, every one is served.
    if most_jobs.contains(&true)
        && service.serves_all(&most_jobs)
        && let Some(answer) = serve_all(problem, start, scratch, meter)?
    {
        return Ok(Some(answer));
    }
    let (served, end) = if let Coverage::MostJobs = problem.coverage {
        (most_jobs, End::Done)
    } else {
        let Some(greatest) = service.greatest(start, scratch, meter)? else { return Ok(None) };
        greatest
    };
    let is_greatest = end == End::Done;
    let restrictions =
        if is_greatest { service.restrictions(&served) } else { vec![Restrictions::NONE; served.len()] };
    rows.fill(problem, |job| restrictions[job]);
    let mut picks = rows.lightest(|job| served[job]);
    let start = start.and_then(|start| rows.entries(batch, start));
    let start = start.filter(|start| rows.is_as_good_a_service(start, &picks, is_greatest));
    let has_start = start.is_some();
    picks = start.unwrap_or(picks);
    let proof = if is_greatest {
        let prices: Vec<f64> = [0.0].into_iter().chain(service.price()).collect();
        let proof = rows.best_of_service(&mut picks, has_start, &prices, scratch, meter);
        proof.unwrap_or_else(Proof::without_bound)
    } else {
        // The maximum service is not known, so there is no bound for its best choice.
        rows.improve_served(&mut picks, scratch, meter);
        Proof::without_bound(meter.ended().unwrap_or(end))
    };
    Ok(Some(Answer { picks: rows.positions(batch, &picks), proof }))
}

/// The maximum work of improving the alternatives of the jobs of a first choice.
const IMPROVEMENT: u64 = 2_000_000;

impl Rows {
    /// Improves a choice of the maximum service until it is proven optimal or the meter stops the search.
    fn best_of_service(
        &self,
        picks: &mut Vec<u32>,
        has_start: bool,
        prices: &[f64],
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Proof, End> {
        let lost: f64 = picks.iter().map(|&pick| self.lost[pick as usize]).sum();
        let balance = Balance::of(self, lost, 0.0, meter)?;
        let proven = balance.bound(self);
        let bounded =
            |proof: Result<Proof, End>| proof.unwrap_or_else(Proof::without_bound).with_known_bound(proven);
        // The base at the dual values may give the same service by other jobs.
        balance.fill(self, &mut scratch.relaxed);
        let others: Vec<u32> = scratch.relaxed.base.iter().map(|step| step.alt).collect();
        if self.is_as_good_a_service(&others, picks, true) {
            *picks = others;
            if balance.is_proven(self) {
                return Ok(Proof::without_bound(End::Done));
            }
        } else if !has_start {
            self.improve_served(picks, scratch, meter);
            if let Some(end) = meter.ended() {
                return Ok(bounded(Err(end)));
            }
        }
        let search =
            RankedSearch { rows: self, balance: &balance, prices, wanted: None, elsewhere: f64::INFINITY };
        let trial = if balance.is_count { u64::MAX } else { TRIAL };
        let proof = bounded(search.improve(picks, trial, scratch, meter));
        if balance.is_count || proof.end != End::Work || meter.ended().is_some() {
            return Ok(proof);
        }
        Ok(match self.by_count(picks, proof, prices, scratch, meter) {
            Some(proof) => proof,
            None => bounded(search.improve(picks, u64::MAX, scratch, meter)).with_known_bound(proof.bound),
        })
    }

    /// Whether a choice keeps the limit, loses the same service as `than`, and is not worse by the objective; or loses
    /// less service, if `than` is not known to have the maximum service.
    fn is_as_good_a_service(&self, picks: &[u32], than: &[u32], is_greatest: bool) -> bool {
        let of = |numbers: &[f64], picks: &[u32]| exact_sum(picks.iter().map(|&pick| numbers[pick as usize]));
        let (lost, other) = (of(&self.lost, picks), of(&self.lost, than));
        let is_no_worse =
            lost == other && self.sign * of(&self.objective, picks) <= self.sign * of(&self.objective, than);
        (is_no_worse || !is_greatest && lost < other)
            && affordable(picks.iter().map(|&pick| self.weight[pick as usize]), self.limit)
    }

    /// Finds better alternatives for the jobs that are already served. The share of work does not depend on the limit.
    fn improve_served(&self, picks: &mut [u32], scratch: &mut CoreScratch, meter: &mut Meter) {
        let (mut rows, mut known) = (Self::empty(self.sign, self.limit), Vec::with_capacity(picks.len()));
        for (&pick, row) in picks.iter().zip(self.offsets.windows(2)) {
            let last = row[1] - 1;
            let kept = if pick as usize == last { last..row[1] } else { row[0]..last };
            known.push((rows.objective.len() + pick as usize - kept.start) as u32);
            for at in kept {
                rows.push(self.objective[at], self.weight[at], 0.0, at as u32);
            }
            rows.offsets.push(rows.objective.len());
        }
        let view = rows.view();
        let solve = |meter: &mut Meter| solve_from(&view, Some(&known), scratch, meter);
        if let Ok(Some(_)) = meter.scratch(|meter| meter.within(IMPROVEMENT, solve)) {
            for (pick, &better) in picks.iter_mut().zip(&scratch.incumbent.picks) {
                *pick = rows.origin[better as usize];
            }
        }
    }
}

/// A search over a core by two ranks, for the choices of the maximum service.
#[derive(Clone, Copy)]
pub(super) struct RankedSearch<'a> {
    pub(super) rows: &'a Rows,
    pub(super) balance: &'a Balance,
    /// The prices of the cuts.
    pub(super) prices: &'a [f64],
    /// The minimum number of jobs served if the toll of leaving out is positive; the maximum if it is negative.
    pub(super) wanted: Option<usize>,
    /// A lower bound of the choices that this search leaves out; infinite if it covers all.
    pub(super) elsewhere: f64,
}

impl RankedSearch<'_> {
    /// Improves a choice of the maximum service by a search of at most `trial` units of work. Leaves the base at the
    /// dual values, and what the reduction keeps, in the scratch.
    pub(super) fn improve(
        &self,
        picks: &mut [u32],
        trial: u64,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Proof, End> {
        meter.spend(PASSES * self.rows.objective.len() as u64)?;
        let offset = self.reduce(picks, scratch);
        Ok(meter.within(trial, |meter| self.search(picks, offset, scratch, meter)))
    }

    /// Keeps the alternatives that a better choice than `picks` can contain. Returns the amount by which the mixed
    /// objective (with the worth of the service lost, and with tolls) exceeds the objective, for every choice of the
    /// same service.
    fn reduce(&self, picks: &[u32], scratch: &mut CoreScratch) -> f64 {
        let &Self { rows, balance, wanted, .. } = self;
        let above_least = balance.fill(rows, &mut scratch.relaxed);
        let (worth, toll) = (balance.worth, balance.toll);
        let (mut p, mut w, mut lost) = (0.0, 0.0, 0.0);
        for &pick in picks {
            let pick = pick as usize;
            p += rows.sign * rows.objective[pick];
            w += rows.weight[pick];
            lost += rows.lost[pick];
        }
        // The mixed objective of each alternative is rounded twice, and once more if there is a toll.
        let size =
            |at: u32| rows.objective[at as usize].abs() + worth.abs() * rows.lost[at as usize] + toll.abs();
        let sizes: f64 =
            picks.iter().zip(&scratch.relaxed.base).map(|(&pick, base)| size(pick) + size(base.alt)).sum();
        let margin = 8.0 * f64::EPSILON * (rows.offsets.len() as f64 + 8.0) * sizes;
        let offset = worth * lost + toll * wanted.map_or(0, |served| picks.len() - served) as f64;
        let known = (p + offset + above_least + margin, w);
        let mut objective = rows.objective.clone();
        for (row, is_served) in rows.offsets.windows(2).zip(&rows.is_served) {
            let last = row[1] - 1;
            let left_out = if *is_served { f64::INFINITY } else { balance.left_out(rows, last) };
            objective[last] = rows.sign * left_out + 0.0;
        }
        let view = View { objective: &objective, ..rows.view() };
        scratch.reduce(&view, balance.multiplier, Dominance::Unknown, known);
        offset
    }

    /// Searches the core of the scratch for a better choice.
    fn search(&self, picks: &mut [u32], offset: f64, scratch: &CoreScratch, meter: &mut Meter) -> Proof {
        let &Self { rows, balance, wanted, .. } = self;
        let CoreScratch { relaxed: Relaxed { base, .. }, reduced, .. } = scratch;
        let numbers = |at: usize| [rows.lost[at], rows.objective[at], rows.weight[at]];
        let grids = scratch.grids(picks, numbers);
        let kind = grids.iter().map(Grid::kind).max().unwrap_or_default();
        let [first, second, weight] = grids.map(|grid| grid.scale());
        let of_base = base.iter().filter(|step| rows.origin[step.alt as usize] == NONE).count();
        let wanted = wanted.map_or(0, |served| (picks.len() - served) as i32 - of_base as i32);
        let p = RankedScale { first, second, worth: balance.worth, toll: balance.toll, wanted };
        let scales = StepScales { p, w: weight };
        with_sums!(kind, N => {
            let number = |at: u32| self.number::<N>(at as usize, &scales);
            let task = Task {
                number: &number,
                scales,
                limit: N::most(rows.limit, &weight),
                multiplier: balance.multiplier,
                base,
                reduced,
                sign: rows.sign,
                offset,
                elsewhere: self.elsewhere,
                dominance: Dominance::Unknown,
                prices: self.prices,
                is_subproblem: rows.is_subproblem,
            };
            search(&task, picks, meter)
        })
    }

    /// The exact numbers of an entry.
    fn number<N: Amount>(&self, at: usize, scales: &StepScales<RankedScale>) -> (Ranked<N>, N) {
        let rows = self.rows;
        let first = N::of(rows.lost[at], &scales.p.first);
        let second = N::of(rows.sign * rows.objective[at], &scales.p.second);
        let left_out = i32::from(self.wanted.is_some() && rows.origin[at] == NONE);
        (Ranked { first, second, left_out }, N::of(rows.weight[at], &scales.w))
    }
}
