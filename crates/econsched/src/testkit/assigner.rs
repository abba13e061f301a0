//! Assigners, compared with every assignment and checked by the verifier.

use super::check::part;
use super::zoo::AssignmentInstance;
use super::{AssignCase, Check, Draw, Family, Fault, FormCase, Seen, ensure, oracle};
use auction_assign::{AssignError, Assigner, AssignmentProblem, Costs, Flaw, Sense, verify};
use sched_model::Proof;
use std::fmt;

/// An assigner, with its promises: see [`assigner`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Assigners<'a> {
    assigner: &'a dyn Assigner,
    duals: bool,
}

/// Checks an [`Assigner`]. Forms that it does not support ([`AssignError::Unsupported`]) are skipped and counted.
/// Kinds of faults: `no name`; `error`; `rules` (the assignment breaks one), `sum` (the total is not the exact
/// sum, rounded once); `shortage` (there is an assignment, or the verifier refuses the shortage); `verifier` (it
/// refuses the answer); `no duals`, if they are promised; `not best` (the assigner claims more than is true);
/// `unsteady`. A heuristic passes if its proof is [`Proof::Heuristic`].
///
/// ```
/// use econsched::auction_assign::{AssignerKind, Auction};
/// use econsched::testkit;
/// testkit::assigner(&Auction::default()).with_duals().run(50)?;
/// testkit::assigner(&AssignerKind::Greedy).run(50)?;
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
        let stored = StoredCosts::of(case);
        let problem = stored.problem(case)?;
        let answer = match self.assigner.assign(&problem) {
            Err(AssignError::Unsupported { .. }) => return Ok(Seen::skipped()),
            answer => answer?,
        };
        let again = self.assigner.assign(&problem)?;
        ensure(again == answer, "unsteady", || format!("{answer:?}, then {again:?}"))?;
        let best = case.is_small().then(|| oracle::best_assignment(case));
        if let Some(shortage) = &answer.refusal {
            let is_none = answer.is_infeasible() && best.as_ref().is_none_or(Option::is_none);
            ensure(is_none, "shortage", || format!("{shortage:?}, and there is an assignment"))?;
            shortage.verify(&problem).map_err(|flaw| Fault::new("shortage", flaw))?;
            return Ok(Seen::unsolved(false));
        }
        let assignment = answer.best.as_ref();
        let assignment = assignment.ok_or_else(|| Fault::new("error", format!("no assignment: {answer}")))?;
        let stated = answer.value == Some(assignment.total);
        ensure(stated, "sum", || format!("the value {:?} of {}", answer.value, assignment.total))?;
        let weight = oracle::weigh(case, &assignment.resources)
            .ok_or_else(|| Fault::new("rules", format!("{:?} breaks one", assignment.resources)))?;
        let sign = if case.maximise { -1.0 } else { 1.0 };
        let (total, sum) = (sign * assignment.total, weight.1.rounded());
        ensure(total == sum, "sum", || format!("states {total}, the costs sum to {sum}"))?;
        let proof = answer.proof();
        if let Some(best) = &best {
            let least = best.as_ref().map(|best| best.1.rounded());
            let right = match proof {
                Proof::Exact => Some(&weight) == best.as_ref(),
                Proof::WithinEpsilon(epsilon) => least.is_some_and(|least| sum - least <= epsilon),
                Proof::Heuristic | Proof::LimitReached => true,
            };
            ensure(right, "not best", || format!("claims {proof} for {sum}, and {least:?} is possible"))?;
        }
        match verify(&problem, assignment) {
            Err(Flaw::NoDuals) => {
                let proven = self.duals && proof == Proof::Exact;
                ensure(!proven, "no duals", || "an exact answer without duals")?;
            }
            Err(flaw) => return Err(Fault::new("verifier", flaw)),
            Ok(certificate) => {
                let gap = certificate.gap;
                ensure(proof != Proof::Exact || gap == 0.0, "verifier", || format!("proves a gap of {gap}"))?;
            }
        }
        Ok(Seen::solved())
    }
}

/// The costs of a case in its form, for a problem to borrow.
#[must_use]
pub struct StoredCosts {
    plain: AssignmentInstance,
    strided: Vec<f64>,
    singles: Vec<f32>,
    longs: Vec<i64>,
    shorts: Vec<i32>,
    function: Box<dyn Fn(usize, usize) -> f64 + Sync>,
}

impl fmt::Debug for StoredCosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredCosts").field("plain", &self.plain).finish_non_exhaustive()
    }
}

impl StoredCosts {
    /// Stores the costs of a case.
    pub fn of(case: &AssignCase) -> Self {
        let (jobs, resources) = (case.rows.len(), case.rows.first().map_or(0, Vec::len));
        let dense: Vec<f64> = case.rows.iter().flatten().map(|cost| cost.unwrap_or(f64::INFINITY)).collect();
        let (mut offsets, mut columns, mut values) = (Vec::new(), Vec::new(), dense.clone());
        if case.sparse {
            values.clear();
            for row in &case.rows {
                offsets.push(columns.len());
                columns.extend((0..).zip(row).filter_map(|(col, cost)| cost.map(|_| col)));
                values.extend(row.iter().flatten());
            }
            offsets.push(columns.len());
        }
        let between = |row: &[f64]| [row, &[f64::NAN]].concat();
        Self {
            plain: AssignmentInstance { jobs, resources, offsets, columns, values, capacities: case.room() },
            strided: dense.chunks(resources.max(1)).flat_map(between).collect(),
            singles: dense.iter().map(|&cost| cost as f32).collect(),
            // Forbidden pairs have the maximum number; conversions saturate there.
            longs: dense.iter().map(|&cost| cost as i64).collect(),
            shorts: dense.iter().map(|&cost| cost as i32).collect(),
            function: Box::new(move |job, resource| dense[job * resources + resource]),
        }
    }

    /// The problem of the case.
    ///
    /// # Errors
    /// [`Fault::malformed`] for numbers that the problem or the form refuses.
    pub fn problem<'a>(&'a self, case: &'a AssignCase) -> Result<AssignmentProblem<'a>, Fault> {
        let (jobs, cols) = (self.plain.jobs, self.plain.resources);
        let costs = match &case.form {
            FormCase::Plain => self.plain.costs(),
            FormCase::Strided => Costs::strided(jobs, cols, cols + 1, &self.strided),
            FormCase::F32 => Costs::dense(jobs, cols, &self.singles),
            FormCase::I64 => Costs::dense(jobs, cols, &self.longs),
            FormCase::I32 => Costs::dense(jobs, cols, &self.shorts),
            FormCase::Function => Costs::function(jobs, cols, &*self.function),
            FormCase::Product(lengths, speeds) => Costs::product(lengths, speeds),
        };
        let sense = if case.maximise { Sense::Maximise } else { Sense::Minimise };
        let problem = AssignmentProblem::new(part(costs)?).with_sense(sense).with_coverage(case.coverage);
        Ok(match &case.capacities {
            Some(_) => problem.with_capacities(&self.plain.capacities),
            None => problem,
        })
    }
}
