//! Cases for assigners: costs of jobs on resources.

use super::assignments::costs;
use crate::testkit::{Draw, Numbers, Stops};
use auction_assign::Coverage;
use serde::{Deserialize, Serialize};

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
