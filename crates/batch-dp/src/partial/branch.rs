//! Two branches by the number of jobs served, if the relaxation serves a job in part.
//!
//! The relaxation may fill the limit, or reach the wanted service, with a part of a job, which a choice cannot. So
//! every choice either serves at most as many whole jobs as the relaxation, or at least one more: these are the two
//! branches. Each branch has a relaxation of its own, in which leaving a job out costs a *toll*: positive if more jobs
//! are wanted, negative if fewer are. The bound of a branch is often much better than that of both together, and
//! usually one of the branches contains no choice as good as the incumbent.
//!
//! States of both branches are compared by their sums alone, so a state of one branch may dominate a state of the
//! other; among equal sums the lower number of jobs left out decides. A state that is dropped in one branch
//! because of a state of the other branch is found when that other branch is searched.

use super::TRIAL;
use super::balance::{Balance, Optimum};
use super::rank::RankedSearch;
use super::rows::Rows;
use crate::kernel::{CoreScratch, Proof, prepare};
use sched_model::{End, Meter};

/// The maximum number of rounds of the search for a toll.
const ROUNDS: usize = 12;
/// A toll is good enough if no other toll could close more than this additional share of the gap.
const CLOSE: f64 = 0.02;
/// Branches are searched if they close at least this share of the gap.
const WORTHWHILE: f64 = 0.1;

/// A branch, with the dual values of its relaxation.
struct Branch {
    balance: Balance,
    /// The minimum or maximum number of jobs served, depending on the branch.
    wanted: usize,
    /// A lower bound of the objective of every choice of the branch, minus the cost of leaving out all jobs.
    bound: f64,
}

impl Rows {
    /// Finds the best choice of entries by the objective; `None` if every choice exceeds the limit.
    pub(super) fn best_by_objective(
        &self,
        start: Option<&[u32]>,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Option<(Vec<u32>, Proof)>, End> {
        let (view, reserved) = (self.view(), meter.memory());
        let Some(core) = prepare(&view, start, scratch, meter)? else { return Ok(None) };
        let proof = meter.within(TRIAL, |meter| core.search(scratch, meter));
        meter.release(meter.memory() - reserved);
        let mut picks = scratch.incumbent.picks.clone();
        if proof.end != End::Work || meter.ended().is_some() {
            return Ok(Some((picks, proof)));
        }
        if let Some(proof) = self.by_count(&mut picks, proof, &[], scratch, meter) {
            return Ok(Some((picks, proof)));
        }
        // If there are no branches, relaxation and reduction are still in the scratch.
        if let Err(end) = meter.reserve(core.bytes()) {
            return Ok(Some((picks, Proof { end, ..proof })));
        }
        let proof = core.search(scratch, meter).with_known_bound(proof.bound);
        Ok(Some((scratch.incumbent.picks.clone(), proof)))
    }

    /// Improves a choice by branches, among the choices of equal service from the alternatives that a reduction has
    /// left in the scratch. `None` if branches would close too little of the gap.
    pub(super) fn by_count(
        &self,
        picks: &mut Vec<u32>,
        known: Proof,
        prices: &[f64],
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Option<Proof> {
        let stopped = |end| Some(Proof { end, bound: known.bound });
        let left = self.left(&scratch.relaxed.base, &scratch.reduced);
        let mut own = left.entries_of(self, picks)?;
        let branches = match left.branches(&own, meter) {
            Ok(branches) => branches?,
            Err(end) => return stopped(end),
        };
        let all = left.left_out_costs();
        let mut proof = Proof { end: End::Done, bound: known.bound };
        for (at, branch) in branches.iter().enumerate() {
            let others =
                branches[at + 1..].iter().map(|other| other.bound + all - other.balance.margin(&left));
            let elsewhere = others.fold(f64::INFINITY, f64::min);
            let Branch { balance, wanted, .. } = branch;
            let search = RankedSearch { rows: &left, balance, prices, wanted: Some(*wanted), elsewhere };
            match search.improve(&mut own, u64::MAX, scratch, meter) {
                Ok(of_branch) => proof = of_branch.with_known_bound(proof.bound),
                Err(end) => proof.end = end,
            }
            if proof.end != End::Done {
                break;
            }
        }
        // Every entry that is left is an entry of these rows, too.
        *picks = self.entries_of(&left, &own)?;
        Some(proof)
    }

    /// The two branches, the one of the lower bound first; `None` if they are not worthwhile.
    fn branches(&self, picks: &[u32], meter: &mut Meter) -> Result<Option<[Branch; 2]>, End> {
        let (mut lost, mut known) = (0.0, 0.0);
        for (&pick, row) in picks.iter().zip(self.offsets.windows(2)) {
            lost += self.lost[pick as usize];
            known += self.sign * (self.objective[pick as usize] - self.objective[row[1] - 1]);
        }
        let whole = Balance::of(self, lost, 0.0, meter)?;
        let relaxed = whole.optimum(self.limit);
        let fewer = relaxed.count.floor();
        // A count of jobs that is whole, but for rounding, leaves nothing to branch on.
        if whole.multiplier.is_none() || !(relaxed.count - fewer > 1e-6 && known > relaxed.value) {
            return Ok(None);
        }
        let mut of = |wanted: f64| self.branch(lost, relaxed, wanted, known, meter);
        // The branch whose number of jobs is nearer to that of the relaxation raises its bound less, so it is tried
        // first.
        let more = fewer + 1.0;
        let (nearer, other) = if relaxed.count - fewer < 0.5 { (fewer, more) } else { (more, fewer) };
        let Some(nearer) = of(nearer)? else { return Ok(None) };
        let Some(other) = of(other)? else { return Ok(None) };
        let is_first = (nearer.bound, nearer.wanted) <= (other.bound, other.wanted);
        Ok(Some(if is_first { [nearer, other] } else { [other, nearer] }))
    }

    /// Computes the branch of at most, or at least, `wanted` jobs. Finds the toll that maximises the bound, by chords
    /// between a toll that is too low and one that is too high, or a toll at which the bound exceeds the incumbent.
    /// `None` if no toll closes enough of the gap.
    fn branch(
        &self,
        lost: f64,
        relaxed: Optimum,
        wanted: f64,
        known: f64,
        meter: &mut Meter,
    ) -> Result<Option<Branch>, End> {
        let worthwhile = relaxed.value + WORTHWHILE * (known - relaxed.value);
        let more = wanted - relaxed.count;
        // A bound this far above the incumbent excludes the branch in spite of its rounding; no higher one is needed.
        let enough = known + 1e-9 * known.abs();
        let close = CLOSE * (enough - relaxed.value);
        // The toll at which the bound would reach `enough` if the toll did not change the number of jobs served.
        let mut toll = (enough - relaxed.value) / more;
        // The objective without toll and the number of jobs served, on either side.
        let (mut small, mut large) = ((relaxed.value, relaxed.count), None);
        let mut best: Option<Branch> = None;
        for _ in 0..ROUNDS {
            let balance = Balance::of(self, lost, toll, meter)?;
            if balance.multiplier.is_none() {
                break;
            }
            let Optimum { value, count } = balance.optimum(self.limit);
            // Leaving out all jobs would cost a toll for each, so serving the wanted number saves that many tolls.
            let bound = value + toll * wanted;
            if best.as_ref().is_none_or(|best| bound > best.bound) {
                best = Some(Branch { balance, wanted: wanted as usize, bound });
            }
            let sums = (value + toll * count, count);
            if bound >= enough {
                break;
            }
            if (wanted - count) * more > 0.0 {
                small = sums;
            } else {
                large = Some(sums);
            }
            toll = match large {
                None => 4.0 * toll,
                Some(large) => (large.0 - small.0) / (large.1 - small.1),
            };
            // The chords of both sides meet here: no toll gives a higher bound.
            let most = small.0 + toll * (wanted - small.1);
            if large.is_some() && most <= worthwhile {
                return Ok(None);
            }
            if !toll.is_finite()
                || large.is_some() && best.as_ref().is_some_and(|best| most <= best.bound + close)
            {
                break;
            }
        }
        Ok(best.filter(|best| best.bound > worthwhile))
    }
}
