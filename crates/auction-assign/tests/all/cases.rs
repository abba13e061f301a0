//! Problems of every shape and structure, with too many jobs for trying all assignments.

use auction_assign::{AssignmentProblem, Costs, Coverage, Sense};

/// A SplitMix64 generator.
#[derive(Debug)]
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The number of structures of [`families`].
pub const FAMILIES: usize = 12;

/// Whole costs of one of the hard structures.
pub fn families(rng: &mut Rng, which: usize, rows: usize, cols: usize) -> Vec<f64> {
    let points: Vec<(f64, f64)> = (0..rows + cols).map(|_| (rng.unit() * 1e4, rng.unit() * 1e4)).collect();
    let factors: Vec<f64> = (0..rows + cols).map(|_| (1 + rng.below(9)) as f64).collect();
    let offsets: Vec<f64> = (0..rows + cols).map(|_| rng.below(10_000) as f64).collect();
    (0..rows * cols)
        .map(|k| {
            let (i, r) = (k / cols, k % cols);
            match which % FAMILIES {
                0 => rng.below(1_000_000) as f64,
                1 => rng.below(4) as f64,
                2 => rng.below(100) as f64 - 50.0,
                3 => ((i + 1) * (r + 1)) as f64,
                4 => {
                    let (a, b) = (points[i], points[rows + r]);
                    (a.0 - b.0).hypot(a.1 - b.1).floor()
                }
                5 => (factors[i] * 2520.0) / factors[rows + r],
                6 => factors[i] * factors[rows + r],
                7 => 7.0,
                8 => 1e12 - rng.below(1_000_000) as f64 * 1e6,
                9 => offsets[i] + offsets[rows + r] + rng.below(10) as f64,
                10 => (rng.unit() * 14.0).exp().floor(),
                _ => f64::from(u8::from(rng.below(5) == 0)),
            }
        })
        .collect()
}

/// The number of kinds of [`capacities`].
const PLACES: usize = 8;

/// The capacity of each resource.
pub fn capacities(rng: &mut Rng, which: usize, n: usize, m: usize) -> Vec<u32> {
    let even = n.div_ceil(m) as u32;
    (0..m)
        .map(|r| match which % PLACES {
            // Exactly enough places, twice as many, too few.
            0 => (n / m + usize::from(r < n % m)) as u32,
            1 => 2 * even,
            2 => (even * 4 / 5).max(1),
            // Random capacities; every other resource closed.
            3 => rng.below(u64::from(2 * even) + 1) as u32 + 1,
            4 => even * 2 * (r as u32 % 2),
            // Heavy tails; one resource for all jobs and one place on each other; capacities without end.
            5 => ((rng.unit() * 7.0).exp() as u32).max(1) + even / 4,
            6 if r == m / 2 => n as u32,
            6 => 1,
            _ => u32::MAX,
        })
        .collect()
}

/// The shape of a problem.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Up to 210 jobs, and as many resources or a few more.
    Square,
    /// Few kinds of rows, of columns, or of both; one of them is changed a little.
    Kinds,
    /// Two to 42 times as many resources as jobs.
    Wide,
    /// More jobs than resources, each with one place.
    Tall,
    /// Many jobs on few resources with places.
    Places,
    /// Like `Places`, but each job may use only a few resources, some jobs a single one.
    Sparse,
    /// Most resources closed, a few pairs forbidden.
    Closed,
}

/// A problem together with the data that it borrows.
#[derive(Debug, Clone)]
pub struct Case {
    pub rows: usize,
    pub cols: usize,
    /// The costs; infinite for forbidden pairs.
    pub values: Vec<f64>,
    pub sparse: bool,
    pub capacities: Option<Vec<u32>>,
    pub sense: Sense,
    pub coverage: Coverage,
}

impl Case {
    /// A problem of all pairs with the given costs.
    pub fn dense(rows: usize, cols: usize, values: Vec<f64>) -> Self {
        let (sense, coverage) = (Sense::Minimise, Coverage::EveryJob);
        Self { rows, cols, values, sparse: false, capacities: None, sense, coverage }
    }

    pub fn draw(shape: Shape, round: usize) -> Self {
        let rng = &mut Rng(1000 * shape as u64 + round as u64);
        let of = |rng: &mut Rng, low: u64, high: u64| (low + rng.below(high - low)) as usize;
        let (rows, cols) = match shape {
            Shape::Square => {
                let n = of(rng, 70, 210);
                (n, n + [0, 0, of(rng, 1, 40)][round % 3])
            }
            Shape::Kinds => {
                let n = of(rng, 70, 100);
                (n, n + [0, 0, 9][round % 3])
            }
            Shape::Wide => {
                let n = of(rng, 1, 25);
                (n, n * of(rng, 2, 42) + of(rng, 0, 9))
            }
            Shape::Tall => {
                let m = of(rng, 30, 70);
                (m + 1 + of(rng, 0, 60) * (1 + round % 3) + 4096 / m, m)
            }
            Shape::Places | Shape::Sparse => {
                let m = of(rng, 1, if round.is_multiple_of(5) { 90 } else { 12 });
                (m * of(rng, 8, 60) + of(rng, 0, 5), m)
            }
            Shape::Closed => (of(rng, 200, 310), of(rng, 97, 127)),
        };
        let mut case = Self::dense(rows, cols, families(rng, round, rows, cols));
        case.sense = [Sense::Minimise, Sense::Maximise][round / 2 % 2];
        case.coverage = [Coverage::EveryJob, Coverage::MostJobs, Coverage::Penalty(1000.5)][round % 3];
        case.shape(shape, round, rng);
        match round / FAMILIES % 4 {
            // Costs that are no binary fractions; an offset beside which small differences are rounded away; all
            // jobs equal but one.
            1 => case.values.iter_mut().for_each(|value| *value /= 3.0),
            2 => case.values.iter_mut().for_each(|value| *value += 1e9 + 2f64.powi(-20)),
            3 if matches!(shape, Shape::Places) => {
                (1..rows).filter(|&i| i != rows / 2).for_each(|i| case.values.copy_within(0..cols, i * cols));
            }
            _ => {}
        }
        case
    }

    fn shape(&mut self, shape: Shape, round: usize, rng: &mut Rng) {
        let (rows, cols) = (self.rows, self.cols);
        match shape {
            Shape::Kinds => {
                let (of_rows, of_cols) = [(1000, 7), (7, 1000), (9, 5), (1, 1), (1000, 1)][round % 5];
                let kind = |rng: &mut Rng, kinds: u64| rng.below(kinds) as usize;
                let from: Vec<usize> = (0..rows).map(|_| kind(rng, of_rows) % rows).collect();
                let to: Vec<usize> = (0..cols).map(|_| kind(rng, of_cols) % cols).collect();
                let table = self.values.clone();
                self.values = (0..rows * cols).map(|k| table[from[k / cols] * cols + to[k % cols]]).collect();
                if round.is_multiple_of(4) {
                    self.values[rows * cols / 2 + 3] += 1.0;
                }
                if round.is_multiple_of(3) {
                    self.capacities = Some((0..cols).map(|_| rng.below(3) as u32).collect());
                }
            }
            Shape::Places => self.capacities = Some(capacities(rng, round / 3, rows, cols)),
            Shape::Sparse => {
                self.sparse = true;
                self.capacities = Some(capacities(rng, round / 3, rows, cols));
                let admitted: Vec<bool> = (0..rows)
                    .flat_map(|i| {
                        let few = if i % 3 == 0 { 1 } else { 1 + rng.below(4) as usize };
                        let mut row = vec![false; cols];
                        (0..few).for_each(|_| row[rng.below(cols as u64) as usize] = true);
                        row
                    })
                    .collect();
                let pairs = self.values.iter_mut().zip(admitted);
                pairs.filter(|(_, admitted)| !admitted).for_each(|(value, _)| *value = f64::INFINITY);
            }
            Shape::Closed => {
                if round % 2 == 1 {
                    self.values.iter_mut().for_each(|value| *value = 2f64.powi(rng.below(60) as i32 - 30));
                }
                self.values.iter_mut().filter(|_| rng.below(50) == 0).for_each(|value| {
                    *value = f64::INFINITY;
                });
                let (mut capacities, mut left) = (vec![0; cols], rows as u32);
                while left > 0 {
                    let places = (left * (1 + rng.below(4) as u32)).div_ceil(8);
                    capacities[rng.below(cols as u64) as usize] += places;
                    left -= places;
                }
                self.capacities = Some(capacities);
            }
            // One resource that no job may use, and one that a single job may use.
            Shape::Tall if round % 8 == 3 => {
                (0..rows * cols).filter(|k| k % cols == 1 || (k % cols == 2 && k / cols > 0)).for_each(|k| {
                    self.values[k] = f64::INFINITY;
                });
            }
            Shape::Square | Shape::Wide | Shape::Tall => {}
        }
    }

    /// The problem; its data live until the program ends.
    pub fn problem(&self) -> AssignmentProblem<'static> {
        let values: &'static [f64] = self.values.clone().leak();
        let costs = if self.sparse {
            let mut offsets = vec![0];
            let (mut columns, mut listed) = (Vec::new(), Vec::new());
            for row in values.chunks(self.cols) {
                let pairs = (0..).zip(row).filter(|(_, value)| **value != f64::INFINITY);
                pairs.for_each(|(r, &value)| {
                    columns.push(r);
                    listed.push(value);
                });
                offsets.push(columns.len());
            }
            Costs::sparse(self.rows, self.cols, offsets.leak(), columns.leak(), listed.leak())
        } else {
            Costs::dense(self.rows, self.cols, values)
        };
        let problem =
            AssignmentProblem::new(costs.unwrap()).with_sense(self.sense).with_coverage(self.coverage);
        match &self.capacities {
            Some(capacities) => problem.with_capacities(capacities.clone().leak()),
            None => problem,
        }
    }
}
