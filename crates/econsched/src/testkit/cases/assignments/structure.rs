//! How costs are drawn.

use rand_chacha::rand_core::Rng;
use sched_model::internal::exp;
use workload_gen::internal::unit;

sched_model::registry! {
    /// How the cost of a job on a resource is drawn.
    pub enum CostStructure: "structure of costs" {
        /// Independent, from 1 to a million.
        Wide = "uniform 1..10^6",
        /// Independent, from 1 to 100.
        Narrow = "uniform 1..100",
        /// 0 and 1, with about three zeros per row.
        ZeroOne = "zeros and ones",
        /// All costs are the same.
        Equal = "all equal",
        /// e to a power uniform from 0 to 14.
        Geometric = "geometric",
        /// A few costs of each row are a million times the others.
        HeavyTail = "heavy tail",
        /// Rows that repeat: 50 jobs of each kind.
        RepeatedRows = "repeated rows",
        /// Columns that repeat: 50 resources of each kind.
        RepeatedColumns = "repeated columns",
        /// Kinds of 20 equal jobs on kinds of 20 equal resources.
        Blocks = "blocks",
        /// length / speed + size / bandwidth, all different: the time of a job on a resource of a grid (equation
        /// 11 of A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling
        /// under resource provider strategies").
        GridTime = "grid time",
        /// The same with four speeds and four bandwidths.
        GridTimeFewKinds = "grid time, few kinds",
        /// The same with about a hundred distinct values.
        GridTimeRounded = "grid time, rounded",
        /// length / speed alone.
        Quotient = "length / speed",
        /// The product of the numbers of job and resource.
        Product = "i * j",
        /// The sum of three products of a job factor and a resource factor.
        LowRank = "rank 3",
        /// The sum of a job part, a resource part, and a little noise.
        SumAndNoise = "row + column + noise",
        /// The greater of the (shuffled) numbers of job and resource.
        GreaterIndex = "greater index",
        /// The sum of the numbers of job and resource modulo a prime.
        IndexSum = "index sum modulo a prime",
        /// Distances of points in a square.
        Distance = "distance",
        /// Squared distances of points in a square.
        SquaredDistance = "squared distance",
        /// Distances of points in a few clusters.
        ClusteredDistance = "clustered distance",
        /// Distances of points on a line.
        LineDistance = "distance on a line",
        /// Independent, but one resource in a hundred is cheap for every job.
        HotResources = "hot resources",
        /// Cheap near the diagonal, expensive elsewhere.
        Banded = "banded",
        /// Each job is a little cheaper on the next resource than on its own, which gives long chains of moves.
        Chain = "chain",
        /// The distance from the job's number to the resource's, counted forwards around a circle in steps far
        /// greater than the noise.
        Circulant = "circulant",
        /// One resource in ten is free of charge for every job, the others are expensive; plus a little noise.
        PopularColumns = "popular columns",
        /// The sum of a job part and a resource part, each one of a hundred values, and a little noise.
        FewOffsets = "row + column in few values",
        /// The edits that turn one graph into another (K. Riesen, H. Bunke, "Approximate graph edit distance
        /// computation by means of bipartite graph matching"). Half of the jobs and half of the resources are
        /// vertices that may replace each other; each may also be left out or put in at a price of its own. Other
        /// pairs of a vertex are impossible (at a price beyond all others), and pairs without a vertex are free.
        EditDistance = "edit distance of graphs",
        /// The greatest common divisor of the numbers of job and resource.
        CommonDivisor = "greatest common divisor",
        /// The squared difference of the numbers of job and resource, plus noise up to the number of resources.
        NearDiagonal = "near the diagonal",
        /// 1 - the overlap of two boxes (the fraction of their union that both cover): detections matched with the
        /// objects of the previous picture, which have moved a little.
        Overlap = "1 - overlap of boxes",
        /// Distances of such objects up to a limit; all beyond the limit have one high price.
        Gated = "distance within a limit",
        /// Distances along the axes between points on a 30 x 30 grid.
        Lattice = "distance on a lattice",
        /// The number of bits of 24 in which job and resource differ.
        DifferingBits = "differing bits",
        /// Powers of two up to 2^39.
        PowersOfTwo = "powers of two",
        /// Distances of points of which each occurs ten times.
        RepeatedPoints = "distance of repeated points",
        /// One machine with a position for each resource: how late the job ends there, times a weight.
        Tardiness = "weighted tardiness",
        /// An order of the resources that nearly all jobs share, in 20 steps.
        SharedOrder = "shared order",
        /// 1 - the cosine of the angle between vectors of six numbers.
        Angle = "angle between vectors",
    }
}

/// The random factors of jobs and resources, from which costs are computed.
pub(super) struct Factors {
    resources: usize,
    /// Six numbers in [0, 1) for each job, then for each resource.
    numbers: Vec<[f64; 6]>,
    /// Costs of kinds of jobs on kinds of resources.
    kinds: Vec<f64>,
    jobs: usize,
}

/// Number of jobs or resources of one kind if rows or columns repeat, and if both do.
const REPEATS: usize = 50;
const BLOCK: usize = 20;

impl Factors {
    pub(super) fn draw(jobs: usize, resources: usize, rng: &mut dyn Rng) -> Self {
        let numbers = (0..jobs + resources).map(|_| std::array::from_fn(|_| unit(rng))).collect();
        let kinds = (jobs / BLOCK + 1) * (resources / BLOCK + 1) + jobs.max(resources) * 2;
        Self { resources, numbers, kinds: (0..kinds).map(|_| 1.0 + 1e6 * unit(rng)).collect(), jobs }
    }

    pub(super) fn cost(&self, structure: CostStructure, i: usize, r: usize, rng: &mut dyn Rng) -> f64 {
        let (a, b) = (&self.numbers[i], &self.numbers[self.jobs + r]);
        // If a structure depends on the number of a job, the numbers are permuted, so that the order of rows
        // carries no information.
        let shuffled = |at: usize| (at * 7919 + 3) % 100_003;
        let far = |k: usize| a[k] - b[k];
        let ahead = (r + self.resources - i % self.resources.max(1)) % self.resources.max(1);
        let grid_time = |speed: f64, bandwidth: f64| {
            let (length, size) = (1.0 + 99.0 * a[0], 16.0 + 1584.0 * a[1]);
            1e4 * (length / (1.0 + 9.0 * speed) + size / (16.0 + 496.0 * bandwidth))
        };
        match structure {
            CostStructure::Wide => 1.0 + 1e6 * unit(rng),
            CostStructure::Narrow => 1.0 + 100.0 * unit(rng),
            CostStructure::ZeroOne => f64::from(u8::from(unit(rng) * self.resources as f64 >= 3.0)),
            CostStructure::Equal => 7.0,
            CostStructure::Geometric => exp(14.0 * unit(rng)),
            CostStructure::HeavyTail => {
                let least = 1.0 + 99.0 * unit(rng);
                if unit(rng) < 0.05 { least * 1e6 } else { least / (unit(rng) + 1e-3) }
            }
            CostStructure::RepeatedRows => self.kind(i / REPEATS, r),
            CostStructure::RepeatedColumns => self.kind(r / REPEATS, i),
            CostStructure::Blocks => self.kinds[i / BLOCK * (self.resources / BLOCK + 1) + r / BLOCK],
            CostStructure::GridTime => grid_time(b[0], b[1]),
            CostStructure::GridTimeFewKinds => {
                grid_time((b[0] * 4.0).floor() / 4.0, (b[1] * 4.0).floor() / 4.0)
            }
            CostStructure::GridTimeRounded => (grid_time(b[0], b[1]) / 1e4).floor(),
            CostStructure::Quotient => 1e6 * (1.0 + 99.0 * a[0]) / (1.0 + 9.0 * b[0]),
            CostStructure::Product => ((shuffled(i) + 1) * (shuffled(r) + 1)) as f64,
            CostStructure::LowRank => 1e6 * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]),
            CostStructure::SumAndNoise => (1e6 * (a[0] + b[0])).floor() + 1e3 * unit(rng),
            CostStructure::GreaterIndex => shuffled(i).max(shuffled(r + 11)) as f64,
            CostStructure::IndexSum => ((shuffled(i) + shuffled(r + 11)) % 1009) as f64,
            CostStructure::Distance => 1e6 * distance(a, b),
            CostStructure::SquaredDistance => 1e6 * (far(0) * far(0) + far(1) * far(1)),
            CostStructure::ClusteredDistance => 1e6 * distance(&clustered(a), &clustered(b)),
            CostStructure::LineDistance => 1e6 * far(0).abs(),
            CostStructure::HotResources => {
                (1.0 + 1e6 * unit(rng)) / if r.is_multiple_of(100) { 1000.0 } else { 1.0 }
            }
            CostStructure::Banded => {
                let off = (i * self.resources / self.jobs.max(1)).abs_diff(r);
                1.0 + 1000.0 * unit(rng) + if off > 20 { 1e6 } else { 0.0 }
            }
            CostStructure::Circulant => 1e3 * (ahead as f64 + unit(rng)),
            CostStructure::PopularColumns => {
                let dear = if b[0] < 0.1 { 0.0 } else { 1e3 + (1e5 * b[1]).floor() };
                dear + 1e3 * unit(rng)
            }
            CostStructure::FewOffsets => {
                100.0 * ((100.0 * a[0]).floor() + (100.0 * b[0]).floor()) + 10.0 * unit(rng)
            }
            CostStructure::EditDistance => self.edit(i, r, rng),
            CostStructure::CommonDivisor => divisor(i + 1, r + 1) as f64,
            CostStructure::NearDiagonal => (i.abs_diff(r) as f64).powi(2) + self.resources as f64 * unit(rng),
            CostStructure::Overlap => 1e6 * (1.0 - overlap(&self.moved(i), b)),
            CostStructure::Gated => distance_within(&self.moved(i), b),
            CostStructure::Lattice => on_lattice(a, b),
            CostStructure::DifferingBits => f64::from((bits(a) ^ bits(b)).count_ones()),
            CostStructure::PowersOfTwo => f64::from(2u8).powi((40.0 * unit(rng)) as i32),
            CostStructure::RepeatedPoints => {
                1e6 * distance(&self.numbers[i / 10], &self.numbers[self.jobs + r / 10])
            }
            CostStructure::Tardiness => self.tardiness(a, r),
            CostStructure::SharedOrder => (20.0 * (b[0] + unit(rng) / 10.0)).floor(),
            CostStructure::Angle => 1e6 * (1.0 - cosine(a, b)),
            CostStructure::Chain => {
                if ahead < 2 {
                    1000.0 - ahead as f64
                } else {
                    2000.0 + ahead as f64
                }
            }
        }
    }

    /// Where the object of a job is: that of another number before it moved a little.
    fn moved(&self, i: usize) -> [f64; 6] {
        let (jobs, resources) = (self.jobs, self.resources);
        let (moves, from) = (&self.numbers[i], self.numbers[jobs + (i * 7919 + 3) % resources.max(1)]);
        std::array::from_fn(|k| from[k] + (moves[k] - 0.5) / 100.0)
    }

    /// The least price of replacing, leaving out or putting in a vertex.
    fn edit(&self, i: usize, r: usize, rng: &mut dyn Rng) -> f64 {
        // Vertices of the two graphs; the numbers after them are not vertices.
        let (from, to) = (self.jobs / 2, self.resources / 2);
        match (i < from, r < to) {
            (true, true) => 1.0 + 99.0 * unit(rng),
            (true, false) if i == r - to => 50.0,
            (false, true) if r == i - from => 50.0,
            (true, false) | (false, true) => 1e9,
            (false, false) => 0.0,
        }
    }

    fn tardiness(&self, job: &[f64; 6], position: usize) -> f64 {
        let (weight, due) = (1.0 + 99.0 * job[0], 0.6 * job[1] * self.resources as f64);
        weight * (100.0 * ((position + 1) as f64 - due)).max(0.0)
    }

    /// The cost between two kinds.
    fn kind(&self, kind: usize, other: usize) -> f64 {
        let (a, b) = (self.kinds[kind], self.kinds[self.kinds.len() - 1 - other]);
        let mixed = (a.to_bits() ^ b.to_bits().rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        1.0 + (mixed >> 44) as f64
    }
}

fn divisor(a: usize, b: usize) -> usize {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The distance of two points in a square.
fn distance(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let far = |k: usize| a[k] - b[k];
    (far(0) * far(0) + far(1) * far(1)).sqrt()
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
