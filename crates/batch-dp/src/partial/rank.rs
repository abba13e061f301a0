//! Service first, then the criterion: two exact sums in order of rank.

use super::balance::Balance;
use super::rows::{Restrictions, Rows};
use super::service::Service;
use super::{Answer, TRIAL, serve_all};
use crate::alternatives::View;
use crate::kernel::reduction::{Dominance, Reduced, reduce};
use crate::kernel::{CoreScratch, PASSES, Proof, grow::Task, relaxation::Hulls, search::search, solve_from};
use crate::list::{NONE, Step, StepScales};
use crate::number::{Amount, Grid, Ranked, RankedScale, with_sums};
use crate::{ChoiceProblem, Coverage};
use sched_model::internal::{affordable, exact_sum};
use sched_model::{End, Meter};

/// Finds the maximum service, and among the choices of that service the best by the objective.
pub(super) fn by_rank(
    problem: &ChoiceProblem<'_>,
    known: Option<&[Option<usize>]>,
    (scratch, rows): (&mut CoreScratch, &mut Rows),
    meter: &mut Meter,
) -> Result<Option<Answer>, End> {
    let batch = problem.alternatives;
    let all = problem.numbers();
    let service = Service::of(problem, (all.weight, all.limit), meter)?;
    let Some(most_jobs) = service.most_jobs() else { return Ok(None) };
    // If all jobs that have an alternative can be served, and each has a positive weight, every one is served.
    if most_jobs.contains(&true)
        && service.serves_all(&most_jobs)
        && let Some(answer) = serve_all(problem, known, scratch, meter)?
    {
        return Ok(Some(answer));
    }
    let done = Proof::without_bound(End::Done);
    let (served, proof) = if let Coverage::MostJobs = problem.coverage {
        (most_jobs, done)
    } else {
        let Some(greatest) = service.greatest(known, scratch, meter)? else { return Ok(None) };
        greatest
    };
    let is_greatest = proof.end == End::Done;
    let restrictions =
        if is_greatest { service.restrictions(&served) } else { vec![Restrictions::NONE; served.len()] };
    rows.fill(problem, |job| restrictions[job]);
    let mut picks = rows.lightest(|job| served[job]);
    let known = known.and_then(|known| rows.entries(batch, known));
    let known = known.filter(|known| rows.is_as_good_a_service(known, &picks, is_greatest));
    let is_known = known.is_some();
    picks = known.unwrap_or(picks);
    let prices: Vec<f64> = [0.0].into_iter().chain(service.price()).collect();
    let proof = match rows.best_of_service(&mut picks, proof, is_known, &prices, scratch, meter) {
        Ok(proof) => proof,
        Err(end) => Proof::without_bound(end),
    };
    Ok(Some(Answer { picks: rows.positions(batch, &picks), proof }))
}

/// The maximum work of improving the alternatives of the jobs of a first choice.
const IMPROVEMENT: u64 = 2_000_000;

impl Rows {
    /// Improves a choice of a given service until it is proven optimal for that service or the meter stops the search.
    fn best_of_service(
        &self,
        picks: &mut Vec<u32>,
        service: Proof,
        is_known: bool,
        prices: &[f64],
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Proof, End> {
        if service.end != End::Done {
            // The maximum service is not known, so there is no bound for its best choice.
            self.improve_served(picks, scratch, meter);
            return Ok(Proof::without_bound(meter.ended().unwrap_or(service.end)));
        }
        let lost: f64 = picks.iter().map(|&pick| self.lost[pick as usize]).sum();
        let balance = Balance::of(self, lost, 0.0, meter)?;
        let proven = balance.bound(self);
        let known = |proof: Result<Proof, End>| match proof {
            Ok(proof) => proof.with_known_bound(proven),
            Err(end) => Proof { end, bound: proven },
        };
        let above_least = balance.fill(self, &mut scratch.hulls);
        // The base at the dual values may give the same service by other jobs.
        let others: Vec<u32> = scratch.hulls.base.iter().map(|step| step.alt).collect();
        if self.is_as_good_a_service(&others, picks, true) {
            *picks = others;
            if balance.is_proven(self) {
                return Ok(Proof::without_bound(End::Done));
            }
        } else if !is_known {
            self.improve_served(picks, scratch, meter);
            balance.fill(self, &mut scratch.hulls);
            if let Some(end) = meter.ended() {
                return Ok(known(Err(end)));
            }
        }
        let parameters = RankParameters {
            balance: &balance,
            above_least,
            prices,
            wanted: None,
            elsewhere: f64::INFINITY,
            trial: u64::MAX,
        };
        if balance.is_count {
            return Ok(known(self.second_rank(picks, &parameters, scratch, meter)));
        }
        let proof =
            known(self.second_rank(picks, &RankParameters { trial: TRIAL, ..parameters }, scratch, meter));
        if proof.end != End::Work || meter.ended().is_some() {
            return Ok(proof);
        }
        Ok(match self.by_count(picks, (proof, prices), scratch, meter) {
            Some(proof) => proof,
            None => known(self.second_rank(picks, &parameters, scratch, meter)).with_known_bound(proof.bound),
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

    /// Improves a choice of the maximum service by a search over a core with both ranks. The base at the dual values is
    /// in the scratch.
    pub(super) fn second_rank(
        &self,
        picks: &mut [u32],
        parameters: &RankParameters<'_>,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Proof, End> {
        meter.spend(PASSES * self.objective.len() as u64)?;
        let CoreScratch { hulls, reduced, .. } = scratch;
        let offset = self.reduce_by_rank(picks, parameters, hulls, reduced);
        let search = RankedSearch { rows: self, parameters, offset, base: &hulls.base, reduced };
        Ok(meter.within(parameters.trial, |meter| search.run(picks, meter)))
    }

    /// Fills `reduced` with the alternatives that a better choice than `picks` can contain. Returns the amount by which
    /// the mixed objective (with the worth of the service lost, and with tolls) exceeds the objective, for every choice
    /// of the same service.
    fn reduce_by_rank(
        &self,
        picks: &[u32],
        parameters: &RankParameters<'_>,
        hulls: &mut Hulls,
        reduced: &mut Reduced,
    ) -> f64 {
        let &RankParameters { balance, above_least, wanted, .. } = parameters;
        let (worth, toll) = (balance.worth, balance.toll);
        let (mut p, mut w, mut lost) = (0.0, 0.0, 0.0);
        for &pick in picks {
            let pick = pick as usize;
            p += self.sign * self.objective[pick];
            w += self.weight[pick];
            lost += self.lost[pick];
        }
        // The mixed objective of each alternative is rounded twice, and once more if there is a toll.
        let sizes = picks.iter().zip(&hulls.base).map(|(&pick, base)| {
            let size = |at: u32| {
                self.objective[at as usize].abs() + worth.abs() * self.lost[at as usize] + toll.abs()
            };
            size(pick) + size(base.alt)
        });
        let margin = 8.0 * f64::EPSILON * (self.offsets.len() as f64 + 8.0) * sizes.sum::<f64>();
        let offset = worth * lost + toll * wanted.map_or(0, |served| picks.len() - served) as f64;
        let known = (p + offset + above_least + margin, w);
        let mut objective = self.objective.clone();
        for (row, is_served) in self.offsets.windows(2).zip(&self.is_served) {
            let last = row[1] - 1;
            let left_out = if *is_served { f64::INFINITY } else { balance.left_out(self, last) };
            objective[last] = self.sign * left_out + 0.0;
        }
        let view = View { objective: &objective, ..self.view() };
        reduce(&view, (balance.multiplier, Dominance::Unknown), hulls, known, reduced);
        offset
    }
}

/// The parameters of a search by two ranks.
#[derive(Clone, Copy)]
pub(super) struct RankParameters<'a> {
    pub(super) balance: &'a Balance,
    /// The amount by which the value of the base exceeds the minimum at the dual values.
    pub(super) above_least: f64,
    /// The prices of the cuts.
    pub(super) prices: &'a [f64],
    /// The minimum number of jobs served if the toll of leaving out is positive; the maximum if it is negative.
    pub(super) wanted: Option<usize>,
    /// A lower bound of the choices that this search leaves out; infinite if it covers all.
    pub(super) elsewhere: f64,
    /// The maximum work.
    pub(super) trial: u64,
}

/// A search over a core by two ranks.
struct RankedSearch<'a> {
    rows: &'a Rows,
    parameters: &'a RankParameters<'a>,
    /// The amount by which the mixed objective exceeds the objective.
    offset: f64,
    base: &'a [Step],
    reduced: &'a Reduced,
}

impl RankedSearch<'_> {
    /// Improves the picks.
    fn run(&self, picks: &mut [u32], meter: &mut Meter) -> Proof {
        let Self { rows, parameters, base, .. } = *self;
        let numbers = |at: usize| [rows.lost[at], rows.objective[at], rows.weight[at]];
        let grids = self.reduced.grids((base, picks), numbers);
        let kind = grids.iter().map(Grid::kind).max().unwrap_or_default();
        let [first, second, weight] = grids.map(|grid| grid.scale());
        let of_base = base.iter().filter(|step| rows.origin[step.alt as usize] == NONE).count();
        let wanted = parameters.wanted.map_or(0, |served| (picks.len() - served) as i32 - of_base as i32);
        let Balance { worth, toll, .. } = *parameters.balance;
        let scales = StepScales { p: RankedScale { first, second, worth, toll, wanted }, w: weight };
        with_sums!(kind, N => self.run_as::<N>(scales, picks, meter))
    }

    /// The search with numbers of one type.
    fn run_as<N: Amount>(
        &self,
        scales: StepScales<RankedScale>,
        picks: &mut [u32],
        meter: &mut Meter,
    ) -> Proof {
        let Self { rows, parameters, .. } = *self;
        let StepScales { p, w } = &scales;
        let number = |at: u32| {
            let at = at as usize;
            let first = N::of(rows.lost[at], &p.first);
            let second = N::of(rows.sign * rows.objective[at], &p.second);
            let left_out = i32::from(parameters.wanted.is_some() && rows.origin[at] == NONE);
            (Ranked { first, second, left_out }, N::of(rows.weight[at], w))
        };
        let task = Task {
            number: &number,
            scales,
            limit: N::most(rows.limit, w),
            multiplier: parameters.balance.multiplier,
            sign: rows.sign,
            base: self.base,
            reduced: self.reduced,
            offset: self.offset,
            elsewhere: parameters.elsewhere,
            dominance: Dominance::Unknown,
            prices: parameters.prices,
            is_subproblem: rows.is_subproblem,
        };
        search(&task, picks, meter)
    }
}
