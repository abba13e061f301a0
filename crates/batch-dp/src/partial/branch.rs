//! Two branches by the number of jobs served, where the relaxation serves a part of one.
//!
//! The relaxation may fill the limit, or reach the service asked for, with a part of a job; no choice does.
//! So every choice serves either at most as many whole jobs as the relaxation does, or at least one more: two
//! branches. Each has a relaxation of its own, in which leaving a job out costs a *toll*: positive where more
//! jobs are wanted, negative where fewer are. Its bound is often far better than that of both together, and
//! mostly one of the branches contains no choice as good as the incumbent.
//!
//! States of both branches are compared by their sums alone, so that a state of one branch may dominate a
//! state of the other; of equal sums the lesser number left out decides. So a state that is dropped in one
//! branch because of a state of the other branch is found in that one.

use super::balance::{Balance, Relaxed};
use super::rank::Aim;
use super::rows::Rows;
use crate::kernel::CoreScratch;
use crate::kernel::Found;
use crate::kernel::grow::First;
use crate::kernel::{Prepared, prepare};
use sched_model::{End, Meter, exact_sum};
use std::cell::RefCell;

/// The most rounds of the search for a toll.
const ROUNDS: usize = 12;
/// A toll is good enough where a better one could close no more than this share of the gap.
const CLOSE: f64 = 0.02;
/// Branches are searched if they close at least this share of the gap.
const WORTHWHILE: f64 = 0.1;

/// A choice by the objective.
pub(super) struct Best {
    pub(super) picks: Vec<u32>,
    pub(super) found: Found,
    /// Whether it was searched by branches.
    pub(super) by_count: bool,
}

/// A branch, with the dual values of its relaxation.
struct Branch {
    balance: Balance,
    /// Jobs served at least, or at most.
    wanted: usize,
    /// A bound: no choice of the branch has a lesser objective, less the cost of leaving out all jobs.
    bound: f64,
}

impl Rows {
    /// The best choice by the objective, with leaving out as one more alternative; none where every choice
    /// exceeds the limit.
    pub(super) fn best_by_objective(
        &self,
        (known, first): (Option<&[u32]>, First<'_>),
        trial: u64,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Option<Best>, End> {
        let (view, reserved) = (self.view(), meter.memory());
        let (core, found) = match prepare(&view, (known, first), scratch, meter)? {
            Prepared::OutOfReach => return Ok(None),
            Prepared::Found(found) => (None, found),
            Prepared::Core(core) => {
                let found = meter.within(trial, |meter| core.search(scratch, self.is_apart, meter));
                (Some(core), found)
            }
        };
        meter.release(meter.memory() - reserved);
        let mut picks = scratch.incumbent.picks.clone();
        if found.end != End::Work || meter.ended().is_some() {
            return Ok(Some(Best { picks, found, by_count: false }));
        }
        if let Some(found) = self.by_count(&mut picks, (found, &[], first), scratch, meter) {
            return Ok(Some(Best { picks, found, by_count: true }));
        }
        // Where there are no branches, relaxation and reduction are still in the scratch.
        let Some(core) = core else { return Ok(Some(Best { picks, found, by_count: false })) };
        let (picks, found) = match meter.reserve(core.bytes()) {
            Ok(()) => {
                let again = core.search(scratch, self.is_apart, meter).and_known(found.bound);
                (scratch.incumbent.picks.clone(), again)
            }
            Err(end) => (picks, Found { end, ..found }),
        };
        Ok(Some(Best { picks, found, by_count: false }))
    }

    /// Whether a choice has a lesser objective than another one.
    pub(super) fn is_better(&self, picks: &[u32], than: &[u32]) -> bool {
        let of =
            |picks: &[u32]| exact_sum(picks.iter().map(|&pick| self.sign * self.objective[pick as usize]));
        of(picks) < of(than)
    }

    /// Improves a choice by branches, among the alternatives that a reduction has left in the scratch; all
    /// choices lose the same of the service. `None` where branches would close too little of the gap.
    pub(super) fn by_count(
        &self,
        picks: &mut Vec<u32>,
        (known, prices, first): (Found, &[f64], First<'_>),
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Option<Found> {
        let stopped = |end| Some(Found { end, bound: known.bound });
        let mut left = self.left(&scratch.hulls.base, &scratch.reduced);
        let mut own = left.entries_left(self, picks)?;
        let branches = match left.branches(&own, meter) {
            Ok(branches) => branches?,
            Err(end) => return stopped(end),
        };
        let all = left.left_out_costs();
        let mut found = Found { end: End::Done, bound: known.bound };
        let first_left = RefCell::default();
        for (at, branch) in branches.iter().enumerate() {
            let others =
                branches[at + 1..].iter().map(|other| other.bound + all - other.balance.doubt(&left));
            let elsewhere = others.fold(f64::INFINITY, f64::min);
            let aims = (branch, prices, elsewhere, first.map(|_| &first_left));
            match left.search_branch(&mut own, aims, scratch, meter) {
                Ok(of_branch) => found = of_branch.and_known(found.bound),
                Err(end) => found.end = end,
            }
            if found.end != End::Done {
                break;
            }
        }
        let better = left.entries_whole(self, &own);
        if let Some(first) = first.filter(|_| self.is_better(&better, picks)) {
            first.replace(left.entries_whole(self, &first_left.borrow()));
        }
        *picks = better;
        Some(found)
    }

    /// The two branches, the one of the least bound first.
    fn branches(&self, picks: &[u32], meter: &mut Meter) -> Result<Option<[Branch; 2]>, End> {
        let (mut lost, mut known) = (0.0, 0.0);
        for (&pick, row) in picks.iter().zip(self.offsets.windows(2)) {
            lost += self.lost[pick as usize];
            known += self.sign * (self.objective[pick as usize] - self.objective[row[1] - 1]);
        }
        let whole = Balance::of(self, lost, 0.0, meter)?;
        let relaxed = whole.relaxed(self.limit);
        let fewer = relaxed.count.floor();
        if whole.multiplier.is_none() || !(relaxed.count - fewer > 1e-6 && known > relaxed.value) {
            return Ok(None);
        }
        let gap = known - relaxed.value;
        let goal = (known, relaxed.value + WORTHWHILE * gap);
        let mut of = |wanted: f64| self.branch((lost, relaxed), (wanted, goal), meter);
        // The number nearer to that of the relaxation is the one whose bound is lifted less.
        let more = fewer + 1.0;
        let (nearer, other) = if relaxed.count - fewer < 0.5 { (fewer, more) } else { (more, fewer) };
        let Some(nearer) = of(nearer)? else { return Ok(None) };
        let Some(other) = of(other)? else { return Ok(None) };
        let is_first = (nearer.bound, nearer.wanted) <= (other.bound, other.wanted);
        Ok(Some(if is_first { [nearer, other] } else { [other, nearer] }))
    }

    /// The branch of at most, or at least, so many jobs. It finds the toll at which the bound is greatest, by
    /// chords between a toll that is too small and one that is too large, or a toll at which the bound
    /// exceeds the incumbent. `None` where no toll lifts it above the least that is worthwhile.
    fn branch(
        &self,
        (lost, relaxed): (f64, Relaxed),
        (wanted, (known, worthwhile)): (f64, (f64, f64)),
        meter: &mut Meter,
    ) -> Result<Option<Branch>, End> {
        let more = wanted - relaxed.count;
        // Because of rounding a bound may be slightly too great.
        let enough = known + 1e-9 * known.abs();
        let close = CLOSE * (enough - relaxed.value);
        // The toll at which as many jobs would be served as without a toll.
        let mut toll = (enough - relaxed.value) / more;
        // Objective without toll, and jobs served, on either side.
        let (mut small, mut large) = ((relaxed.value, relaxed.count), None);
        let mut best: Option<Branch> = None;
        for _ in 0..ROUNDS {
            let balance = Balance::of(self, lost, toll, meter)?;
            if balance.multiplier.is_none() {
                break;
            }
            let Relaxed { value, count } = balance.relaxed(self.limit);
            // Leaving out all jobs would cost a toll for each: serving the wanted number saves so many tolls.
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
            // The chords of both sides meet there: no toll gives a greater bound.
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

    fn search_branch(
        &mut self,
        picks: &mut [u32],
        (branch, prices, elsewhere, first): (&Branch, &[f64], f64, First<'_>),
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Found, End> {
        let (base, above_least) = branch.balance.base(self);
        scratch.hulls.base = base;
        branch.balance.fill_least(&mut scratch.hulls.least, self);
        let Branch { balance, wanted, .. } = branch;
        let aim = Aim { balance, above_least, prices, wanted: Some(*wanted), elsewhere, first };
        self.second_rank(picks, (&aim, u64::MAX), scratch, meter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partial::Scratch;
    use crate::partial::select_on_trial;
    use crate::{Alternatives, ChoiceProblem, Chosen, Coverage, Goal};
    use proptest::prelude::*;
    use sched_model::Limit;

    /// One row of the relaxation serves one and a half of two equal jobs: by branches one, or two.
    #[test]
    fn bounds_of_branches_are_those_of_whole_jobs() {
        // Each job costs 2 of the limit of 3 and saves 5 and 4: together 7, with half of the second; at most
        // one job saves 5, and two do not fit.
        let mut rows = Rows::empty(1.0, 3.0);
        for saves in [5.0, 4.0] {
            rows.push(0.0, 2.0, 0.0, 0);
            rows.push(saves, 0.0, 0.0, crate::list::NONE);
            rows.offsets.push(rows.objective.len());
        }
        let limit = Limit::default();
        let relaxed = Balance::of(&rows, 0.0, 0.0, &mut limit.meter()).unwrap().relaxed(3.0);
        assert_eq!((relaxed.value, relaxed.count), (-7.0, 1.5));
        let branch = |wanted, known| {
            rows.branch((0.0, relaxed), (wanted, (known, -7.0)), &mut limit.meter()).unwrap().unwrap()
        };
        // Known is that serving the first job alone saves 5.
        assert!((branch(1.0, -5.0).bound + 5.0).abs() < 1e-6);
        assert!(branch(2.0, -5.0).bound >= -5.0);
        // Before anything good is known, the bound is not lifted beyond what the branch holds.
        assert!((branch(1.0, -1.0).bound + 5.0).abs() < 0.2);
    }

    /// Times and costs of many kinds, and what each job gives.
    fn jobs() -> impl Strategy<Value = Vec<(Vec<(f64, f64)>, u32)>> {
        let pair = |kind: usize| {
            (1..40_u32, 1..40_u32).prop_map(move |(a, b)| {
                let (a, b) = (f64::from(a), f64::from(b));
                match kind {
                    0 => (a, b),
                    1 => (50.0 - a, a),
                    2 => ((500.0 - a) / 10.0, a / 10.0),
                    _ => (40.0 + a / 7.0, 10.0 + b / 3.0),
                }
            })
        };
        (0..4_usize).prop_flat_map(move |kind| {
            prop::collection::vec((prop::collection::vec(pair(kind), 0..5), 0..9_u32), 1..14)
        })
    }

    /// What all jobs take at least of what is limited.
    fn lightest(rows: &[Vec<(f64, f64)>], limited: fn(&(f64, f64)) -> f64) -> f64 {
        let of_job = |row: &Vec<(f64, f64)>| row.iter().map(limited).fold(f64::MAX, f64::min);
        rows.iter().filter(|row| !row.is_empty()).map(of_job).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]

        /// With branches from the first step on, and without them.
        #[test]
        fn branches_hold_what_the_whole_search_finds(
            jobs in jobs(),
            share in 0.1..1.1_f64,
            which in 0..3_usize,
            scale in prop_oneof![Just(1.0), Just(0.1), Just(7.3)],
        ) {
            let (rows, weights): (Vec<_>, Vec<u32>) = jobs.into_iter().unzip();
            let batch = Alternatives::new(&rows).unwrap();
            let goal = match which {
                0 => Goal::MinTime { budget: Some(share * lightest(&rows, |pair| pair.0)) },
                1 => Goal::MaxTime { budget: Some(share * lightest(&rows, |pair| pair.0)) },
                _ => Goal::MaxIncome { time_limit: Some(share * lightest(&rows, |pair| pair.1)) },
            };
            let times = |factor: f64| weights.iter().map(|&weight| factor * f64::from(weight)).collect();
            // Sums of weights that differ by rounding alone may count as equal: whole ones do not.
            for coverage in [Coverage::MostWeight(times(1.0)), Coverage::Penalties(times(10.0 * scale))] {
                let found = |trial| {
                    let limit = Limit::none();
                    let problem = ChoiceProblem::new(&batch, goal).with_coverage(coverage.clone());
                    select_on_trial(&problem, None, trial, &mut Scratch::default(), &mut limit.meter())
                };
                let (branched, whole) = (found(0), found(u64::MAX / 4));
                prop_assert_eq!(branched.end, whole.end);
                let sums = |found: &Chosen| {
                    let choice = found.best.as_ref().unwrap();
                    let penalised = matches!(coverage, Coverage::Penalties(_));
                    let weight = if which < 2 { choice.cost } else { choice.time };
                    (found.value, if penalised { 0.0 } else { choice.left_out }, weight)
                };
                prop_assert_eq!(sums(&branched), sums(&whole));
            }
        }

        /// Where memory lets few states be kept, the bound of a branch rises from pass to pass: but not above
        /// the choices of the other one.
        #[test]
        fn the_bound_of_a_branch_holds_for_the_other(
            jobs in jobs(),
            share in 0.1..0.9_f64,
            kibibytes in 8..64_u64,
            work in 500..20_000_u64,
        ) {
            let (rows, weights): (Vec<_>, Vec<u32>) = jobs.into_iter().unzip();
            let batch = Alternatives::new(&rows).unwrap();
            let goal = Goal::MinTime { budget: Some(share * lightest(&rows, |pair| pair.0)) };
            let weights: Vec<f64> = weights.iter().map(|&weight| 10.0 * f64::from(weight)).collect();
            for coverage in [Coverage::MostWeight(weights.clone()), Coverage::Penalties(weights)] {
                let within = |limit: Limit| {
                    let problem = ChoiceProblem::new(&batch, goal).with_coverage(coverage.clone());
                    select_on_trial(&problem, None, 0, &mut Scratch::default(), &mut limit.meter())
                };
                let best = within(Limit::none());
                let found = within(Limit::default().with_work(work).with_memory(kibibytes << 10));
                if let Some(bound) = found.bound {
                    prop_assert!(bound <= best.value.unwrap(), "{found:?}, {best:?}");
                }
            }
        }

        /// Wherever a search is stopped, with branches from the first step on and without them, more work
        /// makes neither the choice nor the bound worse. Where weight comes first, less weight is worse.
        #[test]
        fn more_work_is_never_worse_with_branches(
            jobs in jobs(),
            share in 0.1..0.9_f64,
            by_weight in any::<bool>(),
            trial in prop_oneof![Just(0), Just(u64::MAX / 4)],
        ) {
            let (rows, weights): (Vec<_>, Vec<u32>) = jobs.into_iter().unzip();
            let batch = Alternatives::new(&rows).unwrap();
            let goal = Goal::MinTime { budget: Some(share * lightest(&rows, |pair| pair.0)) };
            let weights: Vec<f64> = weights.iter().map(|&weight| 10.0 * f64::from(weight)).collect();
            let coverage =
                if by_weight { Coverage::MostWeight(weights) } else { Coverage::Penalties(weights) };
            let problem = ChoiceProblem::new(&batch, goal).with_coverage(coverage);
            let (mut best, mut bound) = ((f64::INFINITY, f64::INFINITY), f64::NEG_INFINITY);
            let mut work = 50;
            loop {
                let limit = Limit::default().with_work(work);
                let (mut scratch, mut meter) = (Scratch::default(), limit.meter());
                let found = select_on_trial(&problem, None, trial, &mut scratch, &mut meter);
                let criterion = found.value.unwrap_or(f64::INFINITY);
                if let Some(choice) = &found.best {
                    let now = (if by_weight { choice.left_out } else { 0.0 }, criterion);
                    prop_assert!(now <= best, "{now:?} after {work}, before {best:?}");
                    best = now;
                } else {
                    prop_assert_eq!(best.1, f64::INFINITY);
                }
                let proven = found.bound.unwrap_or(f64::NEG_INFINITY);
                prop_assert!(proven >= bound, "{proven} after {work}, before {bound}");
                bound = proven;
                prop_assert!(found.end != End::Done || bound <= criterion, "{bound} was proven of {criterion}");
                if found.end == End::Done {
                    break;
                }
                work += work / 8;
            }
        }
    }
}
