//! Assigners, compared with every assignment and checked by the verifier.

use super::oracle::{self, Weight};
use super::{AssignCase, Check, CoverageCase, Draw, Family, Fault, Seen, ensure};
use auction_assign::{
    Answer, AssignError, Assigner, Costs, Coverage, Flaw, Problem, Sense, verify, verify_answer,
    verify_shortage,
};
use sched_model::Proof;

/// An assigner, and what it promises: see [`assigner`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Assigners<'a> {
    assigner: &'a dyn Assigner,
    duals: bool,
}

/// Checks an [`Assigner`]. Forms that it does not take ([`AssignError::Unsupported`]) are skipped and counted.
/// Kinds of faults: `no name`; `error`; `rules` (the assignment breaks one), `sum` (the total is not the exact
/// sum, rounded once); `shortage` (there is an assignment, or the verifier refuses the shortage); `verifier` (it
/// refuses the answer); `no duals`, if they are promised; `not best` (it claims more than is true); `unsteady`.
/// A heuristic passes if its proof is [`Proof::Heuristic`].
///
/// ```
/// use econsched::auction_assign::{Auction, Greedy};
/// use econsched::testkit;
/// testkit::assigner(&Auction::default()).with_duals().run(50)?;
/// testkit::assigner(&Greedy).run(50)?;
/// # Ok::<(), testkit::Fault>(())
/// ```
pub fn assigner(assigner: &dyn Assigner) -> Check<Assigners<'_>> {
    Check::new(Assigners { assigner, duals: false })
}

impl Check<Assigners<'_>> {
    /// Every exact answer is proven by duals.
    pub fn with_duals(mut self) -> Self {
        self.family.duals = true;
        self
    }
}

impl Family for Assigners<'_> {
    type Case = AssignCase;

    fn draw(draw: &mut Draw) -> AssignCase {
        AssignCase::draw(draw)
    }

    fn judge(&self, case: &AssignCase) -> Result<Seen, Fault> {
        ensure(!self.assigner.name().is_empty(), "no name", || "the name is empty")?;
        let stored = Stored::of(case);
        let problem = stored.problem(case).map_err(Fault::malformed)?;
        let answer = match self.assigner.assign(&problem) {
            Err(AssignError::Unsupported { .. }) => return Ok(Seen::skipped()),
            answer => answer.map_err(Fault::error)?,
        };
        let again = self.assigner.assign(&problem).map_err(Fault::error)?;
        ensure(again == answer, "unsteady", || format!("{answer:?}, then {again:?}"))?;
        let best = oracle::best_assignment(case);
        match &answer {
            Answer::Infeasible(shortage) => {
                ensure(best.is_none(), "shortage", || format!("{shortage:?}, and there is an assignment"))?;
                verify_shortage(&problem, shortage).map_err(|flaw| Fault::new("shortage", flaw))?;
                Ok(Seen::unsolved(false))
            }
            Answer::Assigned(outcome) => {
                self.judge_assigned(case, &problem, &answer, outcome.proof, best.as_ref())?;
                Ok(Seen::solved())
            }
        }
    }
}

impl Assigners<'_> {
    fn judge_assigned(
        &self,
        case: &AssignCase,
        problem: &Problem<'_>,
        answer: &Answer,
        proof: Proof,
        best: Option<&Weight>,
    ) -> Result<(), Fault> {
        let Some(assignment) = answer.assignment() else { return Ok(()) };
        let weight = oracle::weigh(case, &assignment.resources)
            .ok_or_else(|| Fault::new("rules", format!("{:?} breaks one", assignment.resources)))?;
        let sign = if case.maximise { -1.0 } else { 1.0 };
        let (total, sum) = (sign * assignment.total, weight.1.rounded());
        ensure(total == sum, "sum", || format!("states {total}, the costs sum to {sum}"))?;
        let least = best.map(|best| best.1.rounded());
        let right = match proof {
            Proof::Exact => Some(&weight) == best,
            Proof::WithinEpsilon(epsilon) => least.is_some_and(|least| sum - least <= epsilon),
            Proof::Heuristic | Proof::LimitReached => true,
        };
        ensure(right, "not best", || format!("claims {proof} for {sum}, and {least:?} is possible"))?;
        // An auction without closing is optimal within its epsilon, which the verifier is given.
        let tolerance = if let Proof::WithinEpsilon(epsilon) = proof { epsilon } else { 0.0 };
        let flaw = |flaw: Flaw| Fault::new("verifier", flaw);
        match verify(problem, assignment, tolerance) {
            Err(Flaw::NoDuals) => {
                ensure(!(self.duals && proof == Proof::Exact), "no duals", || "an exact answer without duals")
            }
            Err(other) => Err(flaw(other)),
            Ok(_) if tolerance > 0.0 => Ok(()),
            Ok(_) => verify_answer(problem, answer, 0.0).map(drop).map_err(flaw),
        }
    }
}

/// The numbers that a problem borrows.
struct Stored {
    cols: usize,
    dense: Vec<f64>,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Stored {
    fn of(case: &AssignCase) -> Self {
        let cols = case.rows.first().map_or(0, Vec::len);
        let dense = case.rows.iter().flatten().map(|cost| cost.unwrap_or(f64::INFINITY)).collect();
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &case.rows {
            for (col, cost) in (0..).zip(row) {
                columns.extend(cost.map(|_| col));
                values.extend(*cost);
            }
            offsets.push(columns.len());
        }
        Self { cols, dense, offsets, columns, values }
    }

    fn problem<'a>(&'a self, case: &'a AssignCase) -> Result<Problem<'a>, AssignError> {
        let jobs = case.rows.len();
        let costs = if case.sparse {
            Costs::sparse(jobs, self.cols, &self.offsets, &self.columns, &self.values)?
        } else {
            Costs::dense(jobs, self.cols, &self.dense)?
        };
        let coverage = match case.coverage {
            CoverageCase::EveryJob => Coverage::EveryJob,
            CoverageCase::MostJobs => Coverage::MostJobs,
            CoverageCase::Optional(unplaced) => Coverage::Optional { unplaced },
        };
        let sense = if case.maximise { Sense::Maximise } else { Sense::Minimise };
        let problem = Problem::new(costs).with_sense(sense).with_coverage(coverage);
        match &case.capacities {
            Some(capacities) => problem.with_capacities(capacities),
            None => Ok(problem),
        }
    }
}
