//! Assignment: every method against every assignment, and the verifier against answers that were changed.

mod tamper;

use self::tamper::judge_tampered;
use crate::exact::Exact;
use crate::number::Family;
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure};
use econsched::auction_assign::{
    Answer, AssignError, AssignerKind, Costs, Coverage, Problem, Sense, verify, verify_shortage,
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
    /// Where it is another than sparse or dense.
    #[serde(default)]
    form: Form,
    pub(crate) maximise: bool,
    pub(crate) coverage: CoverageCase,
    /// How answers are changed.
    tamper: u64,
}

/// How the costs are given.
#[derive(Serialize, Deserialize, Clone, Default)]
enum Form {
    #[default]
    Plain,
    /// With numbers between the rows that nobody may read.
    Strided,
    F32,
    I64,
    I32,
    Function,
    /// Lengths and speeds; the rows are their quotients.
    Product(Vec<f64>, Vec<f64>),
}

impl Form {
    /// What it can hold of a cost.
    fn nearest(&self, cost: f64) -> f64 {
        match self {
            Self::F32 => f64::from(cost.clamp(-1e30, 1e30) as f32),
            Self::I64 => cost.round().clamp(-9e15, 9e15),
            Self::I32 => cost.round().clamp(-1e9, 1e9),
            Self::Plain | Self::Strided | Self::Function | Self::Product(..) => cost,
        }
    }
}

#[derive(Serialize, Deserialize, Clone, Copy)]
pub(crate) enum CoverageCase {
    EveryJob,
    MostJobs,
    Optional(f64),
}

/// The data that the problem borrows.
pub(crate) struct Stored {
    cols: usize,
    dense: Vec<f64>,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    strided: Vec<f64>,
    singles: Vec<f32>,
    longs: Vec<i64>,
    shorts: Vec<i32>,
    function: Box<dyn Fn(usize, usize) -> f64 + Sync>,
}

impl Case {
    /// Whether the rows are what the form holds: a case that was made smaller may have come apart.
    fn is_sound(&self) -> bool {
        let costs = || self.rows.iter().flatten().flatten();
        self.rows.iter().all(|row| row.len() == self.cols())
            && match &self.form {
                Form::Plain | Form::Strided | Form::Function => true,
                Form::F32 => costs().all(|&cost| f64::from(cost as f32) == cost),
                Form::I64 => costs().all(|&cost| (cost as i64) as f64 == cost && cost.abs() < 9e18),
                Form::I32 => {
                    costs().all(|&cost| f64::from(cost as i32) == cost && cost < f64::from(i32::MAX))
                }
                Form::Product(lengths, speeds) => {
                    let is_row = |(row, length): (&Vec<Option<f64>>, &f64)| {
                        row.iter().zip(speeds).all(|(cost, speed)| *cost == Some(length / speed))
                    };
                    (lengths.len(), speeds.len()) == (self.rows.len(), self.cols())
                        && self.rows.iter().zip(lengths).all(is_row)
                }
            }
    }

    pub(crate) fn cols(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    fn cost(&self, job: usize, resource: usize) -> Option<f64> {
        self.rows[job].get(resource).copied().flatten()
    }

    pub(crate) fn store(&self) -> Stored {
        let cols = self.cols();
        let whole: Vec<f64> = (0..self.rows.len())
            .flat_map(|job| (0..cols).map(move |on| self.cost(job, on).unwrap_or(f64::INFINITY)))
            .collect();
        let mut stored = Stored {
            cols,
            dense: Vec::new(),
            offsets: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            strided: whole
                .chunks(cols.max(1))
                .flat_map(|row| row.iter().copied().chain([f64::NAN]))
                .collect(),
            singles: whole.iter().map(|&cost| cost as f32).collect(),
            // What is forbidden costs the greatest number: conversions stop there.
            longs: whole.iter().map(|&cost| cost as i64).collect(),
            shorts: whole.iter().map(|&cost| cost as i32).collect(),
            function: Box::new(move |job, on| whole[job * cols + on]),
        };
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

    /// Gives a pair another cost, as far as the form can hold it; none forbids it.
    pub(crate) fn change(&mut self, job: usize, resource: usize, cost: Option<f64>) {
        if matches!(self.form, Form::Product(..)) {
            self.form = Form::Plain;
        }
        let cols = self.cols();
        self.rows[job].resize(cols, None);
        self.rows[job][resource] = cost.map(|cost| self.form.nearest(cost));
    }

    pub(crate) fn problem<'a>(&'a self, stored: &'a Stored) -> Result<Problem<'a>, Fault> {
        if !self.is_sound() {
            return Err(Fault::Malformed);
        }
        let rows = self.rows.len();
        let cols = stored.cols;
        let costs = match &self.form {
            Form::Plain if self.sparse => {
                Costs::sparse(rows, cols, &stored.offsets, &stored.columns, &stored.values)?
            }
            Form::Plain => Costs::dense(rows, cols, &stored.dense)?,
            Form::Strided => Costs::strided(rows, cols, cols + 1, &stored.strided)?,
            Form::F32 => Costs::matrix(rows, cols, &stored.singles)?,
            Form::I64 => Costs::matrix(rows, cols, &stored.longs)?,
            Form::I32 => Costs::matrix(rows, cols, &stored.shorts)?,
            Form::Function => Costs::function(rows, cols, &*stored.function)?,
            Form::Product(lengths, speeds) => Costs::product(lengths, speeds)?,
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

    /// The number of unplaced jobs and the signed sum of an assignment; `None` if it breaks a rule.
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
    let form = draw_form(rng, &mut out);
    let slack = 1 + rows / cols.max(1);
    Case {
        rows: out,
        form,
        capacities: rng.percent(50).then(|| (0..cols).map(|_| capacity(rng, slack + 2)).collect()),
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

/// Less than `below`; now and then as many as can be counted.
pub(crate) fn capacity(rng: &mut Rng, below: usize) -> u32 {
    if rng.percent(6) { *rng.pick(&[u32::MAX, u32::MAX - 1]) } else { rng.below(below) as u32 }
}

/// A form in which costs are given; they become what it can hold.
fn draw_form(rng: &mut Rng, rows: &mut [Vec<Option<f64>>]) -> Form {
    let form = match rng.below(14) {
        0 => Form::Strided,
        1 => Form::F32,
        2 => Form::I64,
        3 => Form::I32,
        4 => Form::Function,
        5 => {
            let (lengths, speeds) = (Family::any(rng), Family::any(rng));
            let cols = rows.first().map_or(0, Vec::len);
            let of = |family: Family, rng: &mut Rng| family.positive(rng).clamp(1e-25, 1e25);
            let lengths: Vec<f64> = rows.iter().map(|_| of(lengths, rng)).collect();
            let speeds: Vec<f64> = (0..cols).map(|_| of(speeds, rng)).collect();
            for (row, length) in rows.iter_mut().zip(&lengths) {
                *row = speeds.iter().map(|speed| Some(length / speed)).collect();
            }
            Form::Product(lengths, speeds)
        }
        _ => Form::Plain,
    };
    for cost in rows.iter_mut().flatten().flatten() {
        *cost = form.nearest(*cost);
        if matches!(form, Form::I32) && rng.percent(5) {
            *cost = *rng.pick(&[f64::from(i32::MAX - 1), f64::from(i32::MIN)]);
        }
    }
    form
}

impl Target for Assignments {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let (rows, cols) = (rng.size(5), rng.size(5));
        draw(rng, rows, cols)
    }

    fn judge(case: &Case) -> Verdict {
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
