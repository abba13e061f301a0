//! How costs are drawn.

use sched_model::internal::exp;

sched_model::registry! {
    /// How the cost of a job on a resource is drawn.
    pub enum CostStructure: "structure of costs" => dyn Fn(&mut Pair<'_>) -> f64 {
        /// Independent, from 1 to a million.
        Wide = "uniform 1..10^6" => |p| 1.0 + 1e6 * p.unit(),
        /// Independent, from 1 to 100.
        Narrow = "uniform 1..100" => |p| 1.0 + 100.0 * p.unit(),
        /// 0 and 1, with about three zeros per row.
        ZeroOne = "zeros and ones" => |p| f64::from(u8::from(p.unit() * p.of.resources as f64 >= 3.0)),
        /// All costs are the same.
        Equal = "all equal" => |_| 7.0,
        /// e to a power uniform from 0 to 14.
        Geometric = "geometric" => |p| exp(14.0 * p.unit()),
        /// A few costs of each row are a million times the others.
        HeavyTail = "heavy tail" => |p| {
            let least = 1.0 + 99.0 * p.unit();
            if p.unit() < 0.05 { least * 1e6 } else { least / (p.unit() + 1e-3) }
        },
        /// Rows that repeat: 50 jobs of each kind.
        RepeatedRows = "repeated rows" => |p| p.of.kind(p.i / REPEATS, p.r),
        /// Columns that repeat: 50 resources of each kind.
        RepeatedColumns = "repeated columns" => |p| p.of.kind(p.r / REPEATS, p.i),
        /// Kinds of 20 equal jobs on kinds of 20 equal resources.
        Blocks = "blocks" => |p| p.of.kinds[p.i / BLOCK * (p.of.resources / BLOCK + 1) + p.r / BLOCK],
        /// length / speed + size / bandwidth, all different: the time of a job on a resource of a grid (equation
        /// 11 of A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling
        /// under resource provider strategies").
        GridTime = "grid time" => |p| p.grid_time(p.b[0], p.b[1]),
        /// The same with four speeds and four bandwidths.
        GridTimeFewKinds = "grid time, few kinds" => |p| {
            p.grid_time((p.b[0] * 4.0).floor() / 4.0, (p.b[1] * 4.0).floor() / 4.0)
        },
        /// The same with about a hundred distinct values.
        GridTimeRounded = "grid time, rounded" => |p| (p.grid_time(p.b[0], p.b[1]) / 1e4).floor(),
        /// length / speed alone.
        Quotient = "length / speed" => |p| 1e6 * (1.0 + 99.0 * p.a[0]) / (1.0 + 9.0 * p.b[0]),
        /// The product of the numbers of job and resource.
        Product = "i * j" => |p| ((shuffled(p.i) + 1) * (shuffled(p.r) + 1)) as f64,
        /// The sum of three products of a job factor and a resource factor.
        LowRank = "rank 3" => |p| 1e6 * (p.a[0] * p.b[0] + p.a[1] * p.b[1] + p.a[2] * p.b[2]),
        /// The sum of a job part, a resource part, and a little noise.
        SumAndNoise = "row + column + noise" => |p| (1e6 * (p.a[0] + p.b[0])).floor() + 1e3 * p.unit(),
        /// The greater of the (shuffled) numbers of job and resource.
        GreaterIndex = "greater index" => |p| shuffled(p.i).max(shuffled(p.r + 11)) as f64,
        /// The sum of the numbers of job and resource modulo a prime.
        IndexSum = "index sum modulo a prime" => |p| ((shuffled(p.i) + shuffled(p.r + 11)) % 1009) as f64,
        /// Distances of points in a square.
        Distance = "distance" => |p| 1e6 * distance(p.a, p.b),
        /// Squared distances of points in a square.
        SquaredDistance = "squared distance" => |p| 1e6 * squared_distance(p.a, p.b),
        /// Distances of points in a few clusters.
        ClusteredDistance = "clustered distance" => |p| 1e6 * distance(&clustered(p.a), &clustered(p.b)),
        /// Distances of points on a line.
        LineDistance = "distance on a line" => |p| 1e6 * (p.a[0] - p.b[0]).abs(),
        /// Independent, but one resource in a hundred is cheap for every job.
        HotResources = "hot resources" => |p| {
            (1.0 + 1e6 * p.unit()) / if p.r.is_multiple_of(100) { 1000.0 } else { 1.0 }
        },
        /// Cheap near the diagonal, expensive elsewhere.
        Banded = "banded" => |p| {
            let off = (p.i * p.of.resources / p.of.jobs.max(1)).abs_diff(p.r);
            1.0 + 1000.0 * p.unit() + if off > 20 { 1e6 } else { 0.0 }
        },
        /// Each job is a little cheaper on the next resource than on its own, which gives long chains of moves.
        Chain = "chain" => |p| if p.ahead() < 2 { 1000.0 - p.ahead() as f64 } else { 2000.0 + p.ahead() as f64 },
        /// The distance from the job's number to the resource's, counted forwards around a circle in steps far
        /// greater than the noise.
        Circulant = "circulant" => |p| 1e3 * (p.ahead() as f64 + p.unit()),
        /// One resource in ten is free of charge for every job, the others are expensive; plus a little noise.
        PopularColumns = "popular columns" => |p| {
            let dear = if p.b[0] < 0.1 { 0.0 } else { 1e3 + (1e5 * p.b[1]).floor() };
            dear + 1e3 * p.unit()
        },
        /// The sum of a job part and a resource part, each one of a hundred values, and a little noise.
        FewOffsets = "row + column in few values" => |p| {
            100.0 * ((100.0 * p.a[0]).floor() + (100.0 * p.b[0]).floor()) + 10.0 * p.unit()
        },
        /// The edits that turn one graph into another (K. Riesen, H. Bunke, "Approximate graph edit distance
        /// computation by means of bipartite graph matching"). Half of the jobs and half of the resources are
        /// vertices that may replace each other; each may also be left out or put in at a price of its own. Other
        /// pairs of a vertex are impossible (at a price beyond all others), and pairs without a vertex are free.
        EditDistance = "edit distance of graphs" => |p| p.edit(),
        /// The greatest common divisor of the numbers of job and resource.
        CommonDivisor = "greatest common divisor" => |p| divisor(p.i + 1, p.r + 1) as f64,
        /// The squared difference of the numbers of job and resource, plus noise up to the number of resources.
        NearDiagonal = "near the diagonal" => |p| {
            (p.i.abs_diff(p.r) as f64).powi(2) + p.of.resources as f64 * p.unit()
        },
        /// 1 - the overlap of two boxes (the fraction of their union that both cover): detections matched with the
        /// objects of the previous picture, which have moved a little.
        Overlap = "1 - overlap of boxes" => |p| 1e6 * (1.0 - overlap(&p.moved(), p.b)),
        /// Distances of such objects up to a limit; all beyond the limit have one high price.
        Gated = "distance within a limit" => |p| distance_within(&p.moved(), p.b),
        /// Distances along the axes between points on a 30 x 30 grid.
        Lattice = "distance on a lattice" => |p| on_lattice(p.a, p.b),
        /// The number of bits of 24 in which job and resource differ.
        DifferingBits = "differing bits" => |p| f64::from((bits(p.a) ^ bits(p.b)).count_ones()),
        /// Powers of two up to 2^39.
        PowersOfTwo = "powers of two" => |p| f64::from(2u8).powi((40.0 * p.unit()) as i32),
        /// Distances of points of which each occurs ten times.
        RepeatedPoints = "distance of repeated points" => |p| {
            1e6 * distance(&p.of.numbers[p.i / 10], &p.of.numbers[p.of.jobs + p.r / 10])
        },
        /// One machine with a position for each resource: how late the job ends there, times a weight.
        Tardiness = "weighted tardiness" => |p| p.tardiness(),
        /// An order of the resources that nearly all jobs share, in 20 steps.
        SharedOrder = "shared order" => |p| (20.0 * (p.b[0] + p.unit() / 10.0)).floor(),
        /// 1 - the cosine of the angle between vectors of six numbers.
        Angle = "angle between vectors" => |p| 1e6 * (1.0 - cosine(p.a, p.b)),
    }
}

/// The next random number.
pub(super) type Number<'a> = &'a mut dyn FnMut() -> f64;

/// Jobs and resources with the random factors of which their costs are made. Costs have the structure if the numbers
/// are from `[0, 1)`; other numbers give other costs, which may be infinite.
pub(super) struct Factors {
    formula: Box<dyn Fn(&mut Pair<'_>) -> f64>,
    jobs: usize,
    resources: usize,
    /// Six numbers for each job, then for each resource.
    numbers: Vec<[f64; 6]>,
    /// Costs of kinds of jobs on kinds of resources.
    kinds: Vec<f64>,
}

/// A job and a resource.
pub struct Pair<'a> {
    of: &'a Factors,
    i: usize,
    r: usize,
    /// The numbers of the job and of the resource.
    a: &'a [f64; 6],
    b: &'a [f64; 6],
    number: Number<'a>,
}

/// Number of jobs or resources of one kind if rows or columns repeat, and if both do.
const REPEATS: usize = 50;
const BLOCK: usize = 20;

impl Factors {
    pub(super) fn draw(structure: CostStructure, jobs: usize, resources: usize, number: Number<'_>) -> Self {
        let numbers = (0..jobs + resources).map(|_| std::array::from_fn(|_| number())).collect();
        let kinds = (jobs / BLOCK + 1) * (resources / BLOCK + 1) + jobs.max(resources) * 2;
        let kinds = (0..kinds).map(|_| 1.0 + 1e6 * number()).collect();
        Self { formula: structure.build(), jobs, resources, numbers, kinds }
    }

    pub(super) fn cost(&self, i: usize, r: usize, number: Number<'_>) -> f64 {
        let (a, b) = (&self.numbers[i], &self.numbers[self.jobs + r]);
        (self.formula)(&mut Pair { of: self, i, r, a, b, number })
    }

    /// The cost between two kinds.
    fn kind(&self, kind: usize, other: usize) -> f64 {
        let (a, b) = (self.kinds[kind], self.kinds[self.kinds.len() - 1 - other]);
        let mixed = (a.to_bits() ^ b.to_bits().rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        1.0 + (mixed >> 44) as f64
    }
}

impl Pair<'_> {
    fn unit(&mut self) -> f64 {
        (self.number)()
    }

    fn ahead(&self) -> usize {
        let count = self.of.resources.max(1);
        (self.r + self.of.resources - self.i % count) % count
    }

    fn grid_time(&self, speed: f64, bandwidth: f64) -> f64 {
        let (length, size) = (1.0 + 99.0 * self.a[0], 16.0 + 1584.0 * self.a[1]);
        1e4 * (length / (1.0 + 9.0 * speed) + size / (16.0 + 496.0 * bandwidth))
    }

    /// Where the object of a job is: that of another number before it moved a little.
    fn moved(&self) -> [f64; 6] {
        let Factors { jobs, resources, ref numbers, .. } = *self.of;
        let from = numbers[jobs + (self.i * 7919 + 3) % resources.max(1)];
        std::array::from_fn(|k| from[k] + (self.a[k] - 0.5) / 100.0)
    }

    /// The minimum price of replacing, leaving out or putting in a vertex.
    fn edit(&mut self) -> f64 {
        // Vertices of the two graphs; the numbers after them are not vertices.
        let (i, r, from, to) = (self.i, self.r, self.of.jobs / 2, self.of.resources / 2);
        match (i < from, r < to) {
            (true, true) => 1.0 + 99.0 * self.unit(),
            (true, false) if i == r - to => 50.0,
            (false, true) if r == i - from => 50.0,
            (true, false) | (false, true) => 1e9,
            (false, false) => 0.0,
        }
    }

    fn tardiness(&self) -> f64 {
        let (weight, due) = (1.0 + 99.0 * self.a[0], 0.6 * self.a[1] * self.of.resources as f64);
        weight * (100.0 * ((self.r + 1) as f64 - due)).max(0.0)
    }
}

/// If a structure depends on the number of a job, the numbers are permuted, so that the order of rows carries no
/// information.
fn shuffled(at: usize) -> usize {
    (at * 7919 + 3) % 100_003
}

fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// The squared distance of two points in a square.
fn squared_distance(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (0..2).map(|k| (a[k] - b[k]).powi(2)).sum()
}

fn distance(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    squared_distance(a, b).sqrt()
}

/// The distance up to a tenth of the side; one price for all distances beyond it.
fn distance_within(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let apart = 1e6 * distance(a, b);
    if apart < 1e5 { apart } else { 1e8 }
}

/// A point within a thirtieth of one of nine centres.
fn clustered(p: &[f64; 6]) -> [f64; 6] {
    std::array::from_fn(|k| if k < 2 { (p[2 + k] * 3.0).floor() + p[k] / 30.0 } else { 0.0 })
}

fn on_lattice(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (0..2).map(|k| ((30.0 * a[k]).floor() - (30.0 * b[k]).floor()).abs()).sum()
}

/// The first 24 bits of a number in [0, 1).
fn bits(p: &[f64; 6]) -> u32 {
    (p[0] * f64::from(1 << 24)) as u32
}

/// The fraction of the union of two boxes that both cover. A box has its corner at the first two numbers; the next
/// two give its sides, from a fiftieth to four times that.
fn overlap(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let side = |p: &[f64; 6], k: usize| 0.02 + 0.06 * p[2 + k].clamp(0.0, 1.0);
    let shared = |k: usize| ((a[k] + side(a, k)).min(b[k] + side(b, k)) - a[k].max(b[k])).max(0.0);
    let both = shared(0) * shared(1);
    both / (side(a, 0) * side(a, 1) + side(b, 0) * side(b, 1) - both)
}

/// The cosine of the angle between two vectors, after subtracting one half from each number.
fn cosine(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let product =
        |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(a, b)| (a - 0.5) * (b - 0.5)).sum::<f64>();
    let lengths = (product(a, a) * product(b, b)).sqrt();
    if lengths > 0.0 { product(a, b) / lengths } else { 0.0 }
}
