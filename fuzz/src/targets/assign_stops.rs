//! Assignments of every form under limits: stopped at any unit of work, by memory or by a gap, on several
//! threads, the answer keeps the rules, its bound holds, and more work makes neither worse.

use crate::exact::Exact;
use crate::pool;
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure};
use crate::targets::assign;
use econsched::auction_assign::{
    Auction, Bounded, Problem, ShortestPaths, solve_within, verify, verify_shortage,
};
use econsched::sched_model::{End, Limit};
use serde::{Deserialize, Serialize};

pub(crate) struct Stopped;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    assignment: assign::Case,
    /// 0: automatic, 1: the auction, 2: shortest paths.
    method: usize,
    /// Limits of work, as parts of a million of the whole; few enough units are all tried.
    parts: Vec<u32>,
    /// Bytes.
    memory: u64,
    relative_gap: f64,
    threads: usize,
}

/// Jobs left out, then the signed sum.
type Weight = (usize, Exact);

/// The rank by which answers are compared: unplaced jobs, and the signed total in doubles.
type Rank = (usize, f64);

/// The result of a search, and its rank.
type Known = (Bounded, Option<Rank>);

const METHODS: [&str; 3] = ["automatic", "auction", "shortest paths"];

/// A search of at most this work is stopped at every unit.
const EVERY: u64 = 150;

/// Cases of at most this many jobs and resources are solved by trying every assignment.
const SMALL: usize = 5;

impl Case {
    fn what(&self) -> &'static str {
        METHODS[self.method % METHODS.len()]
    }

    fn solve(&self, problem: &Problem<'_>, limit: &Limit) -> Result<Bounded, Fault> {
        let meter = &mut limit.meter();
        Ok(match self.method % METHODS.len() {
            0 => solve_within(problem, meter)?,
            1 => Auction::default().assign_within(problem, meter)?,
            _ => ShortestPaths.assign_within(problem, meter)?,
        })
    }

    fn signed(&self, value: f64) -> f64 {
        if self.assignment.maximise { -value } else { value }
    }

    /// The greatest error of bounds that are summed in doubles.
    fn slack(&self) -> f64 {
        assign::magnitude(&self.assignment) * 8.0 * f64::EPSILON
    }

    /// The units of work to stop at, in ascending order.
    fn stops(&self, whole: u64) -> Vec<u64> {
        let mut all: Vec<u64> = if whole <= EVERY {
            (0..=whole).collect()
        } else {
            let of = |share: &u32| (u128::from(whole) * u128::from(*share) / 1_000_000) as u64;
            self.parts.iter().map(of).chain([whole - 1, whole, whole + 1]).collect()
        };
        all.sort_unstable();
        all
    }

    /// Checks every statement of an answer. Returns its rank, if it has an assignment.
    fn judge_answer(
        &self,
        problem: &Problem<'_>,
        found: &Bounded,
        best: Option<&Weight>,
        how: &str,
    ) -> Result<Option<Rank>, Fault> {
        let (what, outcome) = (self.what(), &found.outcome);
        if let Some(shortage) = &found.shortage {
            ensure!(best.is_none(), "{what} {how}: a shortage where there is an assignment");
            ensure!(outcome.is_infeasible(), "{what} {how}: a shortage, and {outcome}");
            if let Err(flaw) = verify_shortage(problem, shortage) {
                ensure!(false, "{what} {how}: the shortage: {flaw}");
            }
        }
        ensure!(!outcome.is_infeasible() || best.is_none(), "{what} {how}: called infeasible");
        if let (Some(bound), Some((_, sum))) = (outcome.bound, best) {
            let (bound, sum) = (self.signed(bound), sum.rounded());
            ensure!(bound <= sum + self.slack(), "{what} {how}: the bound {bound:?} passes {sum:?}");
        }
        let Some(assignment) = &outcome.incumbent else { return Ok(None) };
        let Some(weight) = self.assignment.weigh(&assignment.resources) else {
            ensure!(false, "{what} {how}: {:?} breaks the rules", assignment.resources);
            return Ok(None);
        };
        let total = self.signed(assignment.total);
        ensure!(total == weight.1.rounded(), "{what} {how}: total {total:?}, is {:?}", weight.1.rounded());
        ensure!(
            outcome.value == Some(assignment.total),
            "{what} {how}: the value {:?} of {:?}",
            outcome.value,
            assignment.total
        );
        match verify(problem, assignment, f64::INFINITY) {
            Ok(certificate) => {
                let bound = self.signed(certificate.bound);
                if let Some((_, sum)) = best {
                    let sum = sum.rounded();
                    ensure!(
                        bound <= sum + self.slack(),
                        "{what} {how}: the duals prove {bound:?} of {sum:?}"
                    );
                }
            }
            Err(flaw) => ensure!(false, "{what} {how}: the verifier says {flaw}"),
        }
        if outcome.end == End::Done {
            ensure!(best == Some(&weight), "{what} {how}: not the best: {:?}", weight.1.rounded());
        }
        Ok(Some((weight.0, total)))
    }

    fn no_worse(&self, last: &Known, now: &Known, how: &str) -> Verdict {
        let what = self.what();
        if let Some(before) = last.1 {
            ensure!(
                now.1.is_some_and(|now| now <= before),
                "{what} {how}: worse after more work: {:?}, before {before:?}",
                now.1
            );
        }
        let bound = |of: &Known| of.0.outcome.bound.map(|bound| self.signed(bound));
        if let (Some(before), false) = (bound(last), now.0.outcome.is_infeasible()) {
            // At the end the proven bound is the total itself.
            ensure!(
                bound(now).is_some_and(|now| now >= before - self.slack()),
                "{what} {how}: a looser bound after more work: {:?}, before {before:?}",
                bound(now)
            );
        }
        Ok(())
    }

    /// Checks the results under limits of memory and a gap.
    fn judge_others(&self, problem: &Problem<'_>, whole: &Bounded, best: Option<&Weight>) -> Verdict {
        let tight = Limit::default().with_memory(self.memory);
        let found = self.solve(problem, &tight)?;
        self.judge_answer(problem, &found, best, "within little memory")?;
        let near = self.solve(problem, &Limit::default().with_relative_gap(self.relative_gap))?;
        let rank = self.judge_answer(problem, &near, best, "within a gap")?;
        ensure!(
            near.outcome.work <= whole.outcome.work,
            "{}: {} units of work for a gap, {} for all",
            self.what(),
            near.outcome.work,
            whole.outcome.work
        );
        if let (End::Gap, Some((_, value)), Some((_, best))) = (near.outcome.end, rank, best) {
            let short = value - best.rounded();
            let allowed = self.relative_gap * value.abs() + self.slack();
            ensure!(short <= allowed, "{}: {short:?} from the best, allowed {allowed:?}", self.what());
        }
        Ok(())
    }
}

impl Target for Stopped {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let most = *rng.pick(&[SMALL, SMALL, 12, 40]);
        let (rows, cols) = (rng.size(most), rng.size(most));
        let assignment = assign::draw(rng, rows, cols);
        let share = |rng: &mut Rng| {
            let share = rng.unit();
            // Small ones are as likely as great ones.
            (1e6 * if rng.percent(50) { share * share * share } else { share }) as u32
        };
        let memory = *rng.pick(&[300, 20_000]);
        let memory = rng.below(memory) as u64;
        Case {
            method: rng.below(METHODS.len()),
            parts: (0..12).map(|_| share(rng)).collect(),
            memory,
            relative_gap: *rng.pick(&[0.5, 0.1, 0.01, 1e-9, 1.0]),
            threads: *rng.pick(&[2, 7]),
            assignment,
        }
    }

    fn judge(case: &Case) -> Verdict {
        let assignment = &case.assignment;
        let (rows, cols) = (assignment.rows.len(), assignment.cols());
        let stored = assignment.store();
        let Ok(problem) = assignment.problem(&stored) else { return Ok(()) };
        let whole = case.solve(&problem, &Limit::without_limit())?;
        ensure!(whole.outcome.end == End::Done, "{}: {}", case.what(), whole.outcome.end);
        let proven = || {
            let resources = &whole.outcome.incumbent.as_ref()?.resources;
            assignment.weigh(resources)
        };
        // For larger cases the best value is what the duals prove.
        let best = if rows.max(cols) <= SMALL { assignment.best() } else { proven() };
        case.judge_answer(&problem, &whole, best.as_ref(), "whole")?;
        if let Some(answer) = &whole.outcome.incumbent {
            let gap = verify(&problem, answer, 0.0).map(|certificate| certificate.gap);
            ensure!(gap.is_ok_and(|gap| gap == 0.0), "{}: the whole is not proven", case.what());
        }
        let mut last: Option<Known> = None;
        for work in case.stops(whole.outcome.work) {
            let limit = Limit::without_limit().with_work(work);
            let found = case.solve(&problem, &limit)?;
            let how = format!("at {work}");
            ensure!(found.outcome.work <= work, "{} {how}: takes {}", case.what(), found.outcome.work);
            let rank = case.judge_answer(&problem, &found, best.as_ref(), &how)?;
            ensure!(
                work < whole.outcome.work || found == whole,
                "{} {how}: not what is found without a limit",
                case.what()
            );
            let now = (found, rank);
            if let Some(last) = &last {
                case.no_worse(last, &now, &how)?;
            }
            last = Some(now);
        }
        // The search before the last, on several threads.
        let limit = Limit::without_limit().with_work(whole.outcome.work.saturating_sub(1));
        let one = case.solve(&problem, &limit)?;
        let pool = pool::of(case.threads.clamp(1, 16))?;
        let several = pool.install(|| case.solve(&problem, &limit))?;
        ensure!(one == several, "{}: {} threads differ", case.what(), case.threads);
        case.judge_others(&problem, &whole, best.as_ref())
    }
}
