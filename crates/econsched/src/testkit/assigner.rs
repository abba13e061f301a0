//! Assigners, compared with every assignment and checked by the verifier.

use super::former::Draw;
use super::{Broken, Cases, Passed, guarded, run_cases};
use auction_assign::{
    Answer, AssignError, Assigner, Costs, Coverage, Flaw, Problem, Sense, verify, verify_answer,
    verify_shortage,
};
use sched_model::{Proof, exact_sum};

/// An assignment problem that owns its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct AssignCase {
    /// Number of jobs.
    pub jobs: usize,
    /// Number of resources.
    pub resources: usize,
    /// The cost of each job on each resource, row by row; infinite where forbidden.
    pub costs: Vec<f64>,
    /// Whether the costs are given in sparse form.
    pub sparse: bool,
    /// How many jobs each resource holds; `None` for one each.
    pub capacities: Option<Vec<u32>>,
    /// Whether the sum is minimised or maximised.
    pub sense: Sense,
    /// Which jobs must be placed.
    pub coverage: Coverage,
}

impl AssignCase {
    /// A random case of up to five jobs and resources: any form, sense and coverage, forbidden pairs,
    /// capacities of zero, negative costs, equal rows, costs that are sums of a row part and a column part.
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let (numbers, structure) = (draw.numbers(), draw.below(6));
        let jobs = draw.between(1, 5) as usize;
        let resources = if draw.chance(25) { jobs } else { draw.between(1, 5) as usize };
        let parts: Vec<f64> = (0..jobs + resources).map(|_| draw.amount(numbers, 9)).collect();
        let forbidden = if draw.chance(40) { draw.below(80) } else { 0 };
        let cells = (0..jobs * resources).map(|at| {
            let (row, col) = (parts[at / resources], parts[jobs + at % resources]);
            let cost = match structure {
                0 => row + col,
                1 => row * col,
                2 => row,
                3 => draw.amount(numbers, 20) - 10.0,
                _ => draw.amount(numbers, 20),
            };
            if draw.chance(forbidden) { f64::INFINITY } else { cost }
        });
        let costs = cells.collect();
        let capacities = draw.chance(50).then(|| (0..resources).map(|_| draw.below(4) as u32).collect());
        let coverage = match draw.below(3) {
            0 => Coverage::EveryJob,
            1 => Coverage::MostJobs,
            _ => Coverage::Optional { unplaced: draw.amount(numbers, 20) - 3.0 },
        };
        let sense = if draw.chance(50) { Sense::Minimise } else { Sense::Maximise };
        Self { jobs, resources, costs, sparse: draw.chance(50), capacities, sense, coverage }
    }

    /// Offsets, columns and values of the sparse form.
    fn listed(&self) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in self.costs.chunks(self.resources.max(1)) {
            for (col, &value) in row.iter().enumerate().filter(|(_, value)| **value != f64::INFINITY) {
                columns.push(col as u32);
                values.push(value);
            }
            offsets.push(columns.len());
        }
        (offsets, columns, values)
    }

    /// The best sum of all assignments that the coverage allows, exact and rounded once; `None` where there
    /// is none.
    fn best(&self) -> Option<f64> {
        let mut best: Option<(usize, f64)> = None;
        let mut choice = vec![0; self.jobs];
        let room = |col: usize| self.capacities.as_ref().map_or(1, |capacities| capacities[col]);
        loop {
            if let Some((out, sum)) = self.sum(&choice, &room) {
                // The fewest unplaced jobs first, where the coverage asks for it.
                let key = if self.coverage == Coverage::MostJobs { out } else { 0 };
                let better = |&(other, than): &(usize, f64)| {
                    key < other || (key == other && self.sense.is_better(sum, than))
                };
                if best.as_ref().is_none_or(better) {
                    best = Some((key, sum));
                }
            }
            // The next assignment, counted like an odometer; the digit `resources` means unplaced.
            let Some(turn) = (0..self.jobs).find(|&job| choice[job] < self.resources) else { break };
            choice[turn] += 1;
            choice[..turn].fill(0);
        }
        best.map(|(_, sum)| sum)
    }

    /// The number of unplaced jobs, and the sum; `None` for an assignment that is not allowed.
    fn sum(&self, choice: &[usize], room: &impl Fn(usize) -> u32) -> Option<(usize, f64)> {
        let holds = |col: usize| choice.iter().filter(|&&chosen| chosen == col).count();
        let out = holds(self.resources);
        if (out > 0 && self.coverage == Coverage::EveryJob)
            || (0..self.resources).any(|col| holds(col) > room(col) as usize)
        {
            return None;
        }
        let unplaced = match self.coverage {
            Coverage::Optional { unplaced } => unplaced,
            _ => 0.0,
        };
        let cost = |(job, &col): (usize, &usize)| {
            if col == self.resources { unplaced } else { self.costs[job * self.resources + col] }
        };
        let costs: Vec<f64> = choice.iter().enumerate().map(cost).collect();
        costs.iter().all(|cost| cost.is_finite()).then(|| (out, exact_sum(costs.iter().copied())))
    }
}

/// What is wrong with an assigner.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AssignFault {
    /// It panicked, with this message.
    #[error("panics: {0}")]
    Panic(String),
    /// It has no name.
    #[error("has no name")]
    NoName,
    /// It gave an error on well-formed input.
    #[error("gives an error on well-formed input: {0}")]
    Error(AssignError),
    /// Its answer breaks a rule of the problem, or its duals do not prove what it claims.
    #[error("the verifier says: {0}")]
    Flaw(Flaw),
    /// It claims to be exact without duals that prove it, and the check requires duals.
    #[error("claims to be exact without duals")]
    NoDuals,
    /// Its proof claims more than is true.
    #[error("claims {proof} for the sum {sum}, and {best} is possible")]
    NotBest {
        /// What it claims.
        proof: Proof,
        /// The exact sum of its assignment.
        sum: f64,
        /// The best sum.
        best: f64,
    },
    /// A second call gave another answer.
    #[error("the same problem gives two answers")]
    Unsteady,
    /// It supports none of the cases.
    #[error("takes none of the problems")]
    TakesNothing,
}

/// Checks an [`Assigner`]: that its assignments keep every rule and state their sum, that a shortage is true,
/// that the same problem gives the same answer, and that it claims no more than the enumeration of all
/// assignments shows. Forms that it does not take ([`AssignError::Unsupported`]) are skipped and counted.
///
/// A heuristic passes if its proof is [`Proof::Heuristic`].
///
/// ```
/// use econsched::auction_assign::{Auction, Greedy};
/// use econsched::testkit::{AssignerCheck, Cases};
/// AssignerCheck::new(&Auction::default()).with_duals().run(&Cases::new(50))?;
/// AssignerCheck::new(&Greedy).run(&Cases::new(50))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct AssignerCheck<'a> {
    assigner: &'a dyn Assigner,
    duals: bool,
}

impl<'a> AssignerCheck<'a> {
    /// The check that every assigner must pass.
    pub fn new(assigner: &'a dyn Assigner) -> Self {
        Self { assigner, duals: false }
    }

    /// Checks also that every exact answer is proven by duals.
    pub fn with_duals(self) -> Self {
        Self { duals: true, ..self }
    }

    /// Runs all cases, up to the first fault.
    ///
    /// # Errors
    /// The first fault, with its case.
    pub fn run(&self, cases: &Cases) -> Result<Passed, Box<Broken<AssignCase, AssignFault>>> {
        let passed = run_cases(cases, AssignCase::draw, |case| self.check(case))?;
        if passed.cases > 0 && passed.skipped == passed.cases {
            let case = AssignCase::draw(&mut Draw::of_case(cases.seed, 0));
            return Err(Box::new(Broken { number: 0, case, fault: AssignFault::TakesNothing }));
        }
        Ok(passed)
    }

    /// Checks one case, of few jobs and resources: every assignment is tried. Returns whether the assigner
    /// supports the case.
    ///
    /// # Errors
    /// The first fault; [`AssignFault::Error`] also for a case that is malformed.
    pub fn check(&self, case: &AssignCase) -> Result<bool, AssignFault> {
        guarded(|| self.answers(case)).map_err(AssignFault::Panic)?
    }

    fn answers(&self, case: &AssignCase) -> Result<bool, AssignFault> {
        if self.assigner.name().is_empty() {
            return Err(AssignFault::NoName);
        }
        let (offsets, columns, values) = case.listed();
        let costs = if case.sparse {
            Costs::sparse(case.jobs, case.resources, &offsets, &columns, &values)
        } else {
            Costs::dense(case.jobs, case.resources, &case.costs)
        };
        let problem = Problem::new(costs.map_err(AssignFault::Error)?);
        let mut problem = problem.with_sense(case.sense).with_coverage(case.coverage);
        if let Some(capacities) = &case.capacities {
            problem = problem.with_capacities(capacities).map_err(AssignFault::Error)?;
        }
        let answer = match self.assigner.assign(&problem) {
            Err(AssignError::Unsupported { .. }) => return Ok(false),
            Err(error) => return Err(AssignFault::Error(error)),
            Ok(answer) => answer,
        };
        if self.assigner.assign(&problem).as_ref() != Ok(&answer) {
            return Err(AssignFault::Unsteady);
        }
        match &answer {
            // If the shortage is true, there is no assignment.
            Answer::Infeasible(shortage) => verify_shortage(&problem, shortage).map_err(AssignFault::Flaw)?,
            Answer::Assigned(outcome) => self.judge(case, &problem, &answer, outcome.proof)?,
        }
        Ok(true)
    }

    fn judge(
        &self,
        case: &AssignCase,
        problem: &Problem<'_>,
        answer: &Answer,
        proof: Proof,
    ) -> Result<(), AssignFault> {
        let Some(assignment) = answer.assignment() else { return Ok(()) };
        // A plain auction is optimal within its epsilon, which the verifier is given.
        let tolerance = match proof {
            Proof::WithinEpsilon(epsilon) => epsilon,
            _ => 0.0,
        };
        match verify(problem, assignment, tolerance) {
            Err(Flaw::NoDuals) if self.duals && proof == Proof::Exact => return Err(AssignFault::NoDuals),
            Err(Flaw::NoDuals) => {}
            Err(flaw) => return Err(AssignFault::Flaw(flaw)),
            Ok(_) if tolerance > 0.0 => {}
            Ok(_) => {
                verify_answer(problem, answer, 0.0).map_err(AssignFault::Flaw)?;
            }
        }
        let nowhere = case.resources;
        let choice: Vec<usize> =
            assignment.resources.iter().map(|resource| resource.map_or(nowhere, |at| at as usize)).collect();
        let room = |col: usize| problem.capacity(col);
        // The verifier has checked the rules. This is the sum, computed again without rounding.
        let Some((_, sum)) = case.sum(&choice, &room) else { return Ok(()) };
        let Some(best) = case.best() else { return Ok(()) };
        let true_claim = match proof {
            Proof::Exact => sum == best,
            Proof::WithinEpsilon(epsilon) => (sum - best).abs() <= epsilon,
            Proof::Heuristic | Proof::LimitReached => true,
        };
        if true_claim { Ok(()) } else { Err(AssignFault::NotBest { proof, sum, best }) }
    }
}
