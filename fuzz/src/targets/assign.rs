//! Assignment: every method against every assignment, and the verifier against answers that were tampered
//! with.

use crate::exact::Exact;
use crate::number::Family;
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure};
use econsched::auction_assign::{
    Answer, AssignError, AssignerKind, Assignment, Costs, Coverage, Problem, Sense, verify, verify_shortage,
};
use econsched::sched_model::Proof;
use serde::{Deserialize, Serialize};

pub(crate) struct Assignments;

#[derive(Serialize, Deserialize, Clone)]
pub(crate) struct Case {
    /// Cost of each job on each resource; none where forbidden.
    pub(crate) rows: Vec<Vec<Option<f64>>>,
    pub(crate) capacities: Option<Vec<u32>>,
    pub(crate) sparse: bool,
    pub(crate) maximise: bool,
    pub(crate) coverage: CoverageCase,
    /// How answers are tampered with.
    tamper: u64,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
pub(crate) enum CoverageCase {
    EveryJob,
    MostJobs,
    Optional(f64),
}

/// What the borrowing problem borrows.
pub(crate) struct Stored {
    cols: usize,
    dense: Vec<f64>,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Case {
    pub(crate) fn cols(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    fn cost(&self, job: usize, resource: usize) -> Option<f64> {
        self.rows[job].get(resource).copied().flatten()
    }

    pub(crate) fn store(&self) -> Stored {
        let cols = self.cols();
        let mut stored =
            Stored { cols, dense: Vec::new(), offsets: vec![0], columns: Vec::new(), values: Vec::new() };
        for job in 0..self.rows.len() {
            for resource in 0..cols {
                let cost = self.cost(job, resource);
                stored.dense.push(cost.unwrap_or(f64::INFINITY));
                if let Some(cost) = cost {
                    stored.columns.push(resource as u32);
                    stored.values.push(cost);
                }
            }
            stored.offsets.push(stored.values.len());
        }
        stored
    }

    pub(crate) fn problem<'a>(&'a self, stored: &'a Stored) -> Result<Problem<'a>, Fault> {
        let rows = self.rows.len();
        let costs = if self.sparse {
            Costs::sparse(rows, stored.cols, &stored.offsets, &stored.columns, &stored.values)?
        } else {
            Costs::dense(rows, stored.cols, &stored.dense)?
        };
        let mut problem = Problem::new(costs).with_coverage(match self.coverage {
            CoverageCase::EveryJob => Coverage::EveryJob,
            CoverageCase::MostJobs => Coverage::MostJobs,
            CoverageCase::Optional(unplaced) => Coverage::Optional { unplaced },
        });
        if self.maximise {
            problem = problem.with_sense(Sense::Maximise);
        }
        if let Some(capacities) = &self.capacities {
            problem = problem.with_capacities(capacities)?;
        }
        Ok(problem)
    }

    fn room(&self) -> Vec<u32> {
        (0..self.cols())
            .map(|resource| match &self.capacities {
                None => 1,
                Some(capacities) => capacities.get(resource).copied().unwrap_or(0),
            })
            .collect()
    }

    /// The best sum by trying every assignment: jobs left out, sum with the sense's sign.
    pub(crate) fn best(&self) -> Option<(usize, Exact)> {
        let mut best = None;
        self.descend(0, &mut self.room(), 0, &Exact::ZERO, &mut best);
        best
    }

    fn signed(&self, cost: f64) -> f64 {
        if self.maximise { -cost } else { cost }
    }

    fn descend(
        &self,
        job: usize,
        room: &mut [u32],
        out: usize,
        sum: &Exact,
        best: &mut Option<(usize, Exact)>,
    ) {
        if job == self.rows.len() {
            let out = if matches!(self.coverage, CoverageCase::MostJobs) { out } else { 0 };
            if best.as_ref().is_none_or(|(least, least_sum)| (out, sum) < (*least, least_sum)) {
                *best = Some((out, sum.clone()));
            }
            return;
        }
        for resource in 0..room.len() {
            if let Some(cost) = self.cost(job, resource)
                && room[resource] > 0
            {
                room[resource] -= 1;
                self.descend(job + 1, room, out, &sum.plus(self.signed(cost)), best);
                room[resource] += 1;
            }
        }
        match self.coverage {
            CoverageCase::EveryJob => {}
            CoverageCase::MostJobs => self.descend(job + 1, room, out + 1, sum, best),
            CoverageCase::Optional(unplaced) => {
                self.descend(job + 1, room, out + 1, &sum.plus(self.signed(unplaced)), best);
            }
        }
    }

    /// Jobs left out and signed sum of an assignment; none if it breaks a rule.
    pub(crate) fn weigh(&self, resources: &[Option<u32>]) -> Option<(usize, Exact)> {
        let mut room = self.room();
        let (mut out, mut costs) = (0, Vec::new());
        if resources.len() != self.rows.len() {
            return None;
        }
        for (job, resource) in resources.iter().enumerate() {
            match (resource, self.coverage) {
                (Some(resource), _) => {
                    let place = room.get_mut(*resource as usize)?;
                    *place = place.checked_sub(1)?;
                    costs.push(self.signed(self.cost(job, *resource as usize)?));
                }
                (None, CoverageCase::EveryJob) => return None,
                (None, CoverageCase::MostJobs) => out += 1,
                (None, CoverageCase::Optional(unplaced)) => costs.push(self.signed(unplaced)),
            }
        }
        Some((out, Exact::of(costs)))
    }
}

pub(crate) fn draw(rng: &mut Rng, rows: usize, cols: usize) -> Case {
    let family = Family::any(rng);
    let second = Family::any(rng);
    let shape = rng.below(10);
    let row_part: Vec<f64> = (0..rows).map(|_| family.draw(rng)).collect();
    let col_part: Vec<f64> = (0..cols).map(|_| second.draw(rng)).collect();
    let forbidden = if rng.percent(40) { rng.below(80) } else { 0 };
    let hot = rng.below(cols);
    let signed = rng.percent(15);
    let mut out: Vec<Vec<Option<f64>>> = Vec::new();
    for &own in &row_part {
        let row: Vec<Option<f64>> = (0..cols)
            .map(|col| {
                let drawn = family.draw(rng);
                let cost = match shape {
                    0 => own + col_part[col],
                    1 => own * col_part[col].min(1e3),
                    2 => own,
                    3 if col == hot => 0.0,
                    4 => {
                        if rng.percent(50) {
                            drawn
                        } else {
                            second.draw(rng)
                        }
                    }
                    _ => drawn,
                };
                let cost = if signed && rng.percent(40) { -cost } else { cost };
                (!rng.percent(forbidden)).then_some(cost.clamp(-1e60, 1e60))
            })
            .collect();
        out.push(row);
    }
    if rng.percent(20) {
        let copied = out[0].clone();
        for row in out.iter_mut().skip(1) {
            if rng.percent(60) {
                row.clone_from(&copied);
            }
        }
    }
    let slack = 1 + rows / cols.max(1);
    Case {
        rows: out,
        capacities: rng.percent(50).then(|| (0..cols).map(|_| rng.below(slack + 2) as u32).collect()),
        sparse: rng.percent(40),
        maximise: rng.percent(40),
        coverage: match rng.below(3) {
            0 => CoverageCase::EveryJob,
            1 => CoverageCase::MostJobs,
            _ => CoverageCase::Optional(if rng.percent(20) { -family.draw(rng) } else { family.draw(rng) }),
        },
        tamper: rng.next() >> 1,
    }
}

impl Target for Assignments {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let (rows, cols) = (rng.size(5), rng.size(5));
        draw(rng, rows, cols)
    }

    fn judge(case: &Case) -> Verdict {
        if case.rows.iter().any(|row| row.len() != case.cols()) {
            return Ok(());
        }
        let stored = case.store();
        let Ok(problem) = case.problem(&stored) else { return Ok(()) };
        let best = case.best();
        for &kind in AssignerKind::ALL {
            match kind.build().assign(&problem) {
                Err(AssignError::Unsupported { .. }) => {}
                Err(error) => ensure!(false, "{kind}: {error}"),
                Ok(Answer::Infeasible(shortage)) => {
                    ensure!(best.is_none(), "{kind}: infeasible, though there is an assignment");
                    if let Err(flaw) = verify_shortage(&problem, &shortage) {
                        ensure!(false, "{kind}: the shortage: {flaw}");
                    }
                }
                Ok(Answer::Assigned(outcome)) => {
                    let assignment = &outcome.solution;
                    let Some(weight) = case.weigh(&assignment.resources) else {
                        ensure!(false, "{kind}: {:?} breaks the rules", assignment.resources);
                        continue;
                    };
                    let (signed, sum) = (case.signed(assignment.total), weight.1.rounded());
                    ensure!(signed == sum, "{kind}: total {signed:?}, is {sum:?}");
                    if outcome.proof == Proof::Exact {
                        ensure!(
                            best.as_ref() == Some(&weight),
                            "{kind}: {sum:?}, best {:?}",
                            best.map(|b| b.1.rounded())
                        );
                        match verify(&problem, assignment, 0.0) {
                            Ok(certificate) => {
                                ensure!(certificate.gap == 0.0, "{kind}: gap {:?}", certificate.gap)
                            }
                            Err(flaw) => ensure!(false, "{kind}: the verifier says {flaw}"),
                        }
                        judge_tampered(case, &problem, assignment, best.as_ref())?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

pub(crate) fn magnitude(case: &Case) -> f64 {
    let unplaced = if let CoverageCase::Optional(unplaced) = case.coverage { unplaced.abs() } else { 0.0 };
    let costs = case.rows.iter().flatten().flatten().map(|cost| cost.abs()).fold(unplaced, f64::max);
    costs * (case.rows.len() + 1) as f64
}

/// A certificate of an answer that was changed somewhere must still be true: what it calls optimal is, what
/// it bounds lies within the bound.
fn judge_tampered(
    case: &Case,
    problem: &Problem<'_>,
    sound: &Assignment,
    best: Option<&(usize, Exact)>,
) -> Verdict {
    let Some((best_out, best_sum)) = best else { return Ok(()) };
    let mut rng = Rng::new(case.tamper);
    for _ in 0..6 {
        let mut changed = sound.clone();
        for _ in 0..rng.range(1, 3) {
            tamper(&mut rng, &mut changed, problem.resources());
        }
        // The sum of what now stands there, so that not the sum alone gives it away.
        let weight = case.weigh(&changed.resources);
        if let Some((_, sum)) = &weight
            && rng.percent(80)
        {
            let sum = sum.rounded();
            changed.total = if case.maximise { 0.0 - sum } else { sum };
        }
        let Ok(certificate) = verify(problem, &changed, 0.0) else { continue };
        let Some((out, sum)) = weight else {
            ensure!(false, "the verifier passes {:?}, which breaks the rules", changed.resources);
            continue;
        };
        ensure!(out == *best_out, "the verifier passes {out} jobs left out where {best_out} need be");
        let short = sum.minus(best_sum);
        ensure!(
            certificate.gap != 0.0 || short == Exact::ZERO,
            "the verifier proves {:?} with {:?} optimal, which lacks {:?}",
            changed.resources,
            changed.duals,
            short.rounded()
        );
        ensure!(
            certificate.gap >= short.rounded() * (1.0 - 1e-9),
            "the verifier bounds the gap by {:?}, which is {:?}",
            certificate.gap,
            short.rounded()
        );
        // The bound: on the other side of the best, except for rounding.
        let bound = case.signed(certificate.bound);
        let slack = magnitude(case) * 1e-12;
        ensure!(
            bound <= best_sum.rounded() + slack,
            "the verifier bounds the best by {bound:?}, which is {:?}",
            best_sum.rounded()
        );
    }
    Ok(())
}

fn tamper(rng: &mut Rng, answer: &mut Assignment, resources: usize) {
    let jobs = answer.resources.len();
    if jobs == 0 || resources == 0 {
        return;
    }
    let (job, other) = (rng.below(jobs), rng.below(jobs));
    let resource = rng.below(resources);
    match rng.below(9) {
        0 => answer.resources[job] = Some(resource as u32),
        1 => answer.resources[job] = None,
        2 => answer.resources.swap(job, other),
        what => {
            let Some(duals) = &mut answer.duals else { return };
            let change = |rng: &mut Rng, value: f64| match rng.below(9) {
                0 => value.next_up(),
                1 => value.next_down(),
                2 => 0.0,
                3 => -value,
                4 => value + 1.0,
                5 => value - 1.0,
                // Finite, so that no comparison alone gives it away.
                6 => f64::MAX.copysign(value),
                7 => value * 1e300,
                _ => *rng.pick(&[1e308, -1e308, f64::MAX, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY]),
            };
            match what {
                3 | 4 => duals.prices[resource] = change(rng, duals.prices[resource]),
                5 | 6 => duals.profits[job] = change(rng, duals.profits[job]),
                7 => {
                    duals.waiting = match duals.waiting {
                        Some(_) if rng.percent(50) => None,
                        Some(value) => Some(change(rng, value)),
                        None => Some(change(rng, 0.0)),
                    }
                }
                _ => duals.remainders = None,
            }
        }
    }
}
