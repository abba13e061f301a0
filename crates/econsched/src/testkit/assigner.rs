//! Assigners, compared with every assignment and checked by the verifier.

use super::check::part;
use super::zoo::{AssignmentInstance, costs};
use super::{Check, Draw, Family, Fault, Numbers, Seen, Stops, ensure, oracle};
use auction_assign::{AssignError, Assigner, AssignmentProblem, Costs, Coverage, Flaw, Sense, verify};
use sched_model::Proof;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An assigner, with its promises: see [`assigner`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Assigners<'a> {
    assigner: &'a dyn Assigner,
    duals: bool,
}

/// Checks an [`Assigner`]. Forms that it does not support ([`AssignError::Unsupported`]) are skipped and counted.
/// Kinds of faults: `no name`; `error`; `rules` (the assignment breaks one), `sum` (the value or the total is not the
/// exact sum, rounded once); `shortage` (there is an assignment, or the verifier refuses the shortage); `verifier` (it
/// refuses the answer); `no duals`, if they are promised; `not best` and `bound` (the assigner claims more than is
/// true); `unsteady`. A heuristic passes if its proof is [`Proof::Heuristic`].
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
        let weight = oracle::weigh(case, &assignment.resources)
            .ok_or_else(|| Fault::new("rules", format!("{:?} breaks one", assignment.resources)))?;
        let sign = if case.maximise { -1.0 } else { 1.0 };
        let (stated, sum) = ((answer.value, assignment.total), weight.1.rounded());
        let right = stated == (Some(sign * sum), sign * sum);
        ensure(right, "sum", || format!("states {stated:?}, the costs sum to {}", sign * sum))?;
        let proof = answer.proof();
        if let Some(best) = &best {
            let least = best.as_ref().map(|best| best.1.rounded());
            let right = match proof {
                Proof::Exact => Some(&weight) == best.as_ref(),
                Proof::WithinEpsilon(epsilon) => least.is_some_and(|least| sum - least <= epsilon),
                Proof::Heuristic | Proof::LimitReached => true,
            };
            ensure(right, "not best", || format!("claims {proof} for {sum}, and {least:?} is possible"))?;
            let bound = answer.bound.map(|bound| sign * bound);
            let holds = bound.zip(least).is_none_or(|(bound, least)| bound <= least);
            ensure(holds, "bound", || format!("claims the bound {bound:?}, and {least:?} is possible"))?;
        }
        let exact = proof == Proof::Exact;
        match verify(&problem, assignment).map(|certificate| certificate.gap) {
            Err(Flaw::NoDuals) => {
                ensure(!self.duals || !exact, "no duals", || "an exact answer without duals")
            }
            Err(flaw) => Err(Fault::new("verifier", flaw)),
            Ok(gap) => ensure(!exact || gap == 0.0, "verifier", || format!("proves a gap of {gap}")),
        }?;
        Ok(Seen::solved())
    }
}

/// A case for an assigner: jobs are assigned to resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssignCase {
    /// The cost of each job on each resource; `None` if the pair is forbidden.
    pub rows: Vec<Vec<Option<f64>>>,
    /// The capacity of each resource; 1 each if `None`.
    pub capacities: Option<Vec<u32>>,
    /// Whether the costs are given as a sparse matrix.
    pub sparse: bool,
    /// Whether the sum is maximised.
    pub maximise: bool,
    /// Which jobs must be placed.
    pub coverage: Coverage,
    /// The form of the costs, if it is not doubles, dense or sparse.
    #[serde(default)]
    pub form: FormCase,
    /// Where the assigner is stopped.
    #[serde(default)]
    pub stops: Stops,
}

/// The form in which costs are given; every cost is a number that the form can hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FormCase {
    /// Doubles, dense or sparse.
    #[default]
    Plain,
    /// Full rows, with a number between the rows that must not be read.
    Strided,
    /// 32-bit floats.
    F32,
    /// 64-bit whole numbers.
    I64,
    /// 32-bit whole numbers.
    I32,
    /// A function of job and resource.
    Function,
    /// Lengths and speeds, whose quotients are the costs.
    Product(Vec<f64>, Vec<f64>),
}

impl FormCase {
    /// The number nearest to a cost that the form can hold.
    #[must_use]
    pub fn nearest(&self, cost: f64) -> f64 {
        match self {
            Self::F32 => f64::from(cost.clamp(-1e30, 1e30) as f32),
            Self::I64 => cost.round().clamp(-9e15, 9e15),
            Self::I32 => cost.round().clamp(-1e9, 1e9),
            _ => cost,
        }
    }

    /// Draws a form, mostly plain, and rounds the costs to numbers that it can hold.
    fn draw(draw: &mut Draw, rows: &mut [Vec<Option<f64>>]) -> Self {
        let form = match draw.below(14) {
            9 => Self::Strided,
            10 => Self::F32,
            11 => Self::I64,
            12 => Self::I32,
            13 if draw.chance(50) => Self::Function,
            13 => {
                let mut factors = |count: usize| {
                    let numbers = Numbers::any(draw);
                    (0..count).map(|_| numbers.positive(draw).clamp(1e-25, 1e25)).collect::<Vec<f64>>()
                };
                let (lengths, speeds) = (factors(rows.len()), factors(rows.first().map_or(0, Vec::len)));
                for (row, length) in rows.iter_mut().zip(&lengths) {
                    *row = speeds.iter().map(|speed| Some(length / speed)).collect();
                }
                Self::Product(lengths, speeds)
            }
            _ => Self::Plain,
        };
        for cost in rows.iter_mut().flatten().flatten() {
            *cost = form.nearest(*cost);
            if form == Self::I32 && draw.chance(5) {
                *cost = draw.of([f64::from(i32::MAX - 1), f64::from(i32::MIN)]);
            }
        }
        form
    }
}

impl AssignCase {
    /// Draws a case: mostly up to five jobs and resources, so that every assignment can be tried, at times more, up
    /// to 120. Cases include costs of the structures of the [zoo](crate::testkit::zoo), sums of a row part and a
    /// column part, repeated rows, forbidden pairs, negative costs, and capacities of zero or beyond the number of
    /// jobs.
    pub fn draw(draw: &mut Draw) -> Self {
        let (rows, cols) = match draw.below(60) {
            0..56 => (draw.between(1, 5), draw.between(1, 5)),
            56 | 57 => (draw.between(1, 12), draw.between(1, 12)),
            58 => (draw.between(1, 40), draw.between(1, 40)),
            _ => draw.of([(40, 40), (60, 5), (5, 60), (120, 30), (30, 120), (80, 2)]),
        };
        let family = Numbers::any(draw);
        let costs = costs(draw, family, rows, cols);
        let forbidden = if draw.chance(40) { draw.below(80) } else { 0 };
        let (signed, copied) = (draw.chance(15), draw.chance(20));
        let mut cell = |&cost: &f64| {
            let cost = if signed && draw.chance(40) { -cost } else { cost };
            (!draw.chance(forbidden)).then_some(cost)
        };
        let mut costs: Vec<Vec<Option<f64>>> =
            costs.chunks(cols).map(|row| row.iter().map(&mut cell).collect()).collect();
        let first = costs[0].clone();
        for row in costs.iter_mut().skip(1).filter(|_| copied) {
            if draw.chance(60) {
                row.clone_from(&first);
            }
        }
        let form = FormCase::draw(draw, &mut costs);
        let room = |draw: &mut Draw| {
            if draw.chance(6) { u32::MAX } else { draw.below(3 + rows / cols) as u32 }
        };
        Self {
            form,
            stops: Stops::draw(draw),
            rows: costs,
            capacities: draw.chance(50).then(|| (0..cols).map(|_| room(draw)).collect()),
            sparse: draw.chance(40),
            maximise: draw.chance(40),
            coverage: match draw.below(3) {
                0 => Coverage::EveryJob,
                1 => Coverage::MostJobs,
                _ => {
                    let unplaced = family.draw(draw);
                    Coverage::Penalty(if draw.chance(20) { -unplaced } else { unplaced })
                }
            },
        }
    }

    /// Whether every assignment can be tried.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.rows.len() <= 5 && self.rows.iter().all(|row| row.len() <= 7)
    }

    /// The number of jobs that each resource holds.
    #[must_use]
    pub fn room(&self) -> Vec<u32> {
        let cols = self.rows.first().map_or(0, Vec::len);
        self.capacities.clone().unwrap_or_else(|| vec![1; cols])
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
    /// Of kind `malformed` for numbers that the problem or the form refuses.
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
