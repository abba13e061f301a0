//! Assignment problems of many structures: what methods are tested and timed on.
//!
//! Methods that are quick on costs drawn independently can be slow on costs with a structure: distances, products, sums of a
//! part of the job and a part of the resource, many equal costs, capacity that is wanted by all or left over. [`zoo`] is a
//! collection of such problems, each for any number of jobs; [`AssignmentGenerator`] makes one of them, or others.
//!
//! ```
//! use workload_gen::assignment::{AssignmentGenerator, CostStructure, Places};
//! use workload_gen::sample::stream;
//!
//! let generator = AssignmentGenerator::new(6, 3, CostStructure::GridTime).with_places(Places::Tight);
//! let instance = generator.generate(&mut stream(1, 0));
//! assert_eq!(instance.values.len(), 18);
//! assert_eq!(instance.capacities, [2, 2, 2]);
//! ```

use crate::sample::unit;
use rand::Rng;
use sched_model::elementary::exp;

macro_rules! structures {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// How the cost of a job on a resource comes about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum CostStructure {
            $($(#[$doc])* $kind,)*
        }

        impl CostStructure {
            /// Every structure.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The name by which it is reported.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }
        }
    };
}

structures! {
    /// Independent, from 1 to a million.
    Wide = "uniform 1..10^6",
    /// Independent, from 1 to 100.
    Narrow = "uniform 1..100",
    /// 0 and 1, some three zeros a row.
    ZeroOne = "zeros and ones",
    /// All the same.
    Equal = "all equal",
    /// e to a power uniform from 0 to 14.
    Geometric = "geometric",
    /// A few costs of a row a million times the others.
    HeavyTail = "heavy tail",
    /// Rows that repeat: 50 jobs of each kind.
    RepeatedRows = "repeated rows",
    /// Columns that repeat: 50 resources of each kind.
    RepeatedColumns = "repeated columns",
    /// Kinds of 20 equal jobs on kinds of 20 equal resources.
    Blocks = "blocks",
    /// Length by speed plus size by bandwidth, all different: the time of a job on a grid's resource (equation 11 of
    /// D. Gahrouei, M. Ghatee, "Auction-based approximation algorithm for grid system scheduling under resource provider
    /// strategies").
    GridTime = "grid time",
    /// The same with four speeds and four bandwidths.
    GridTimeFewKinds = "grid time, few kinds",
    /// The same in some hundred distinct values.
    GridTimeRounded = "grid time, rounded",
    /// Length by speed alone.
    Quotient = "length / speed",
    /// Product of the numbers of job and resource.
    Product = "i * j",
    /// Sum of three products of a factor of the job and one of the resource.
    LowRank = "rank 3",
    /// The sum of a part of the job, a part of the resource, and little else.
    SumAndNoise = "row + column + noise",
    /// The greater of the numbers of job and resource, shuffled.
    GreaterIndex = "greater index",
    /// The sum of the numbers of job and resource modulo a prime.
    IndexSum = "index sum modulo a prime",
    /// Distances of points in a square.
    Distance = "distance",
    /// Their squares.
    SquaredDistance = "squared distance",
    /// Distances of points in a few clusters.
    ClusteredDistance = "clustered distance",
    /// Distances of points on a line.
    LineDistance = "distance on a line",
    /// Independent, but one resource in a hundred is cheap for every job.
    HotResources = "hot resources",
    /// Cheap near the diagonal, dear elsewhere.
    Banded = "banded",
    /// Each job a little cheaper on the next resource than on its own: long chains of moves.
    Chain = "chain",
}

/// How many jobs resources hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Places {
    /// One each.
    One,
    /// Eight places for ten jobs.
    Short,
    /// As many places as jobs.
    Tight,
    /// Two places a job.
    Slack,
    /// From none to twice the even share, a tenth more in all than jobs.
    Mixed,
    /// Every twentieth resource holds most of the jobs, the others one each.
    FewHuge,
}

impl Places {
    /// The name by which it is reported.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "one each",
            Self::Short => "short",
            Self::Tight => "tight",
            Self::Slack => "slack",
            Self::Mixed => "mixed",
            Self::FewHuge => "a few huge",
        }
    }
}

/// An assignment problem: least sum of costs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AssignmentInstance {
    /// Number of jobs (rows).
    pub jobs: usize,
    /// Number of resources (columns).
    pub resources: usize,
    /// The entries of each row begin here, and one more; empty for a full matrix.
    pub offsets: Vec<usize>,
    /// The column of each value, ascending within a row; empty for a full matrix.
    pub columns: Vec<u32>,
    /// The costs, row by row.
    pub values: Vec<f64>,
    /// The jobs that each resource holds.
    pub capacities: Vec<u32>,
}

impl AssignmentInstance {
    /// Whether some pairs have no entry.
    pub fn is_sparse(&self) -> bool {
        !self.offsets.is_empty()
    }

    /// Whether there are places for all jobs.
    pub fn has_places_for_all(&self) -> bool {
        self.capacities.iter().map(|&places| u64::from(places)).sum::<u64>() >= self.jobs as u64
    }
}

/// Makes assignment problems of one structure.
///
/// Time and space O(jobs * resources), or O(jobs * admissible) where that is less.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AssignmentGenerator {
    /// Number of jobs.
    pub jobs: usize,
    /// Number of resources.
    pub resources: usize,
    /// How costs come about.
    pub structure: CostStructure,
    /// What resources hold.
    pub places: Places,
    /// Admissible resources of a job, drawn independently (and its own number modulo the resources); all if `None`.
    pub admissible: Option<usize>,
    /// Whether costs are left as they are, and not rounded down to whole numbers.
    pub real: bool,
}

impl AssignmentGenerator {
    /// Whole costs, one place each, all pairs admissible.
    pub fn new(jobs: usize, resources: usize, structure: CostStructure) -> Self {
        Self { jobs, resources, structure, places: Places::One, admissible: None, real: false }
    }

    /// What resources hold.
    #[must_use]
    pub fn with_places(self, places: Places) -> Self {
        Self { places, ..self }
    }

    /// How many resources are admissible to a job.
    #[must_use]
    pub fn with_admissible(self, admissible: usize) -> Self {
        Self { admissible: Some(admissible), ..self }
    }

    /// Costs that are no whole numbers.
    #[must_use]
    pub fn with_real_costs(self) -> Self {
        Self { real: true, ..self }
    }

    /// Structure, places and what else is not the default, for reports.
    pub fn name(&self) -> String {
        let mut name = self.structure.name().to_owned();
        if self.real {
            name += ", real";
        }
        if let Some(admissible) = self.admissible {
            name += &format!(", {admissible} admissible");
        }
        if self.places != Places::One {
            name += &format!(", {}", self.places.name());
        }
        name
    }

    /// Draws a problem.
    pub fn generate<R: Rng + ?Sized>(&self, rng: &mut R) -> AssignmentInstance {
        let (n, m) = (self.jobs, self.resources);
        let capacities = self.capacities(rng);
        let factors = Factors::draw(n, m, rng);
        let mut cost = |i: usize, r: usize| {
            let value = factors.cost(self.structure, i, r, rng);
            if self.real { value / 3.0 } else { value.floor() }
        };
        let mut instance = AssignmentInstance {
            jobs: n,
            resources: m,
            offsets: Vec::new(),
            columns: Vec::new(),
            values: Vec::new(),
            capacities,
        };
        let Some(admissible) = self.admissible else {
            instance.values = (0..n * m).map(|k| cost(k / m, k % m)).collect();
            return instance;
        };
        // A generator of their own, so that neither changes the other.
        let mut picks = crate::sample::stream(n as u64, m as u64);
        instance.offsets.push(0);
        for i in 0..n {
            let mut row: Vec<u32> = (1..admissible).map(|_| below(&mut picks, m) as u32).collect();
            row.push((i % m.max(1)) as u32);
            row.sort_unstable();
            row.dedup();
            instance.values.extend(row.iter().map(|&r| cost(i, r as usize)));
            instance.columns.extend(row);
            instance.offsets.push(instance.columns.len());
        }
        instance
    }

    fn capacities<R: Rng + ?Sized>(&self, rng: &mut R) -> Vec<u32> {
        let (n, m) = (self.jobs, self.resources);
        // `total` places, the first resources one more where they do not divide.
        let even = |total: usize| (0..m).map(|r| (total / m + usize::from(r < total % m)) as u32).collect();
        match self.places {
            Places::One => vec![1; m],
            Places::Short => even(n * 4 / 5),
            Places::Tight => even(n),
            Places::Slack => even(2 * n),
            Places::Mixed => {
                let mut places: Vec<u32> = (0..m).map(|_| below(rng, 2 * n / m.max(1) + 1) as u32).collect();
                let total: usize = places.iter().map(|&p| p as usize).sum();
                let missing = (n + n / 10).saturating_sub(total);
                places.iter_mut().enumerate().for_each(|(r, p)| {
                    *p += (missing / m + usize::from(r < missing % m)) as u32;
                });
                places
            }
            Places::FewHuge => {
                let huge = m.div_ceil(20);
                let share = (n.saturating_sub(m - huge)).div_ceil(huge) + 1;
                (0..m).map(|r| if r % 20 == 0 { share as u32 } else { 1 }).collect()
            }
        }
    }
}

fn below<R: Rng + ?Sized>(rng: &mut R, bound: usize) -> usize {
    ((unit(rng) * bound as f64) as usize).min(bound.saturating_sub(1))
}

/// What jobs and resources bring to their costs.
struct Factors {
    resources: usize,
    /// Six numbers in [0, 1) for each job, then for each resource.
    numbers: Vec<[f64; 6]>,
    /// Costs of kinds of jobs on kinds of resources.
    kinds: Vec<f64>,
    jobs: usize,
}

/// Jobs or resources of one kind where rows or columns repeat, and where both do.
const REPEATS: usize = 50;
const BLOCK: usize = 20;

impl Factors {
    fn draw<R: Rng + ?Sized>(jobs: usize, resources: usize, rng: &mut R) -> Self {
        let numbers = (0..jobs + resources).map(|_| std::array::from_fn(|_| unit(rng))).collect();
        let kinds = (jobs / BLOCK + 1) * (resources / BLOCK + 1) + jobs.max(resources) * 2;
        Self { resources, numbers, kinds: (0..kinds).map(|_| 1.0 + 1e6 * unit(rng)).collect(), jobs }
    }

    fn cost<R: Rng + ?Sized>(&self, structure: CostStructure, i: usize, r: usize, rng: &mut R) -> f64 {
        let (a, b) = (&self.numbers[i], &self.numbers[self.jobs + r]);
        // Where the number of a job says something, it is that of another, so that order tells nothing.
        let shuffled = |at: usize| (at * 7919 + 3) % 100_003;
        let far = |k: usize| a[k] - b[k];
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
            CostStructure::Distance => 1e6 * (far(0) * far(0) + far(1) * far(1)).sqrt(),
            CostStructure::SquaredDistance => 1e6 * (far(0) * far(0) + far(1) * far(1)),
            CostStructure::ClusteredDistance => {
                // Nine centres; points within a thirtieth of one.
                let place = |p: &[f64; 6], k: usize| (p[2 + k] * 3.0).floor() + p[k] / 30.0;
                let apart = |k: usize| place(a, k) - place(b, k);
                1e6 * (apart(0) * apart(0) + apart(1) * apart(1)).sqrt()
            }
            CostStructure::LineDistance => 1e6 * far(0).abs(),
            CostStructure::HotResources => {
                (1.0 + 1e6 * unit(rng)) / if r.is_multiple_of(100) { 1000.0 } else { 1.0 }
            }
            CostStructure::Banded => {
                let off = (i * self.resources / self.jobs.max(1)).abs_diff(r);
                1.0 + 1000.0 * unit(rng) + if off > 20 { 1e6 } else { 0.0 }
            }
            CostStructure::Chain => {
                let step = (r + self.resources - i % self.resources.max(1)) % self.resources.max(1);
                if step < 2 { 1000.0 - step as f64 } else { 2000.0 + step as f64 }
            }
        }
    }

    /// The cost of a kind with everything, by numbers alone.
    fn kind(&self, kind: usize, other: usize) -> f64 {
        let (a, b) = (self.kinds[kind], self.kinds[self.kinds.len() - 1 - other]);
        let mixed = (a.to_bits() ^ b.to_bits().rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        1.0 + (mixed >> 44) as f64
    }
}

/// Problems of every structure, one to one, rectangular, sparse and with capacities, of about this many jobs.
pub fn zoo(jobs: usize) -> Vec<AssignmentGenerator> {
    use CostStructure as C;
    let n = jobs.max(2);
    let mut zoo: Vec<_> = C::ALL.iter().map(|&structure| AssignmentGenerator::new(n, n, structure)).collect();
    for structure in
        [C::Wide, C::Narrow, C::GridTime, C::LowRank, C::Distance, C::SquaredDistance, C::SumAndNoise]
    {
        zoo.push(AssignmentGenerator::new(n, n, structure).with_real_costs());
    }
    // Rectangular: a tenth more resources, four times as many, a hundred times as many.
    for structure in [C::Wide, C::Narrow, C::GridTime, C::Distance, C::ZeroOne] {
        zoo.push(AssignmentGenerator::new(n, n + n.div_ceil(10), structure));
        zoo.push(AssignmentGenerator::new(n.div_ceil(2), n.div_ceil(2) * 4, structure));
        zoo.push(AssignmentGenerator::new(n.div_ceil(10), n.div_ceil(10) * 100, structure));
    }
    for (structure, admissible) in
        [(C::Wide, 8), (C::Narrow, 8), (C::GridTime, 20), (C::Distance, 20), (C::Wide, 3)]
    {
        zoo.push(AssignmentGenerator::new(n, n, structure).with_admissible(admissible.min(n)));
    }
    // Many jobs on a few, on a hundred times fewer, on ten times fewer resources.
    let places = [Places::Short, Places::Tight, Places::Slack, Places::Mixed, Places::FewHuge];
    for (jobs, resources) in [(10 * n, n.div_ceil(50)), (4 * n, n.div_ceil(10))] {
        for structure in [C::Wide, C::GridTime, C::GridTimeFewKinds, C::ClusteredDistance] {
            for places in places {
                zoo.push(AssignmentGenerator::new(jobs, resources, structure).with_places(places));
            }
        }
    }
    for structure in [C::Wide, C::GridTime] {
        for places in places {
            let generator = AssignmentGenerator::new(10 * n, n.div_ceil(2), structure);
            zoo.push(generator.with_places(places).with_admissible(50.min(n.div_ceil(2))));
        }
    }
    zoo
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::stream;

    #[test]
    fn the_zoo_has_the_shapes_it_says_and_one_seed_one_instance() {
        let zoo = zoo(40);
        assert!(zoo.len() >= 90, "{}", zoo.len());
        for generator in &zoo {
            let instance = generator.generate(&mut stream(3, 0));
            assert_eq!(instance, generator.generate(&mut stream(3, 0)));
            assert_eq!(instance.capacities.len(), instance.resources);
            assert!(instance.values.iter().all(|value| (0.0..1e13).contains(value)), "{}", generator.name());
            assert_eq!(generator.real, instance.values.iter().any(|value| value.fract() != 0.0));
            if instance.is_sparse() {
                assert_eq!(instance.offsets.len(), instance.jobs + 1);
                assert_eq!(instance.offsets[instance.jobs], instance.values.len());
            } else {
                assert_eq!(instance.values.len(), instance.jobs * instance.resources);
            }
            assert_eq!(
                instance.has_places_for_all(),
                generator.places != Places::Short,
                "{}",
                generator.name()
            );
        }
    }

    #[test]
    fn structures_are_what_they_are_called() {
        let draw =
            |structure| AssignmentGenerator::new(100, 100, structure).generate(&mut stream(1, 0)).values;
        let repeated = draw(CostStructure::RepeatedRows);
        assert_eq!(repeated[..100], repeated[4900..5000]);
        assert_ne!(repeated[..100], repeated[5000..5100]);
        let columns = draw(CostStructure::RepeatedColumns);
        assert!(columns.chunks(100).all(|row| row[0] == row[49] && row[0] != row[50]));
        let zeros = draw(CostStructure::ZeroOne).iter().filter(|&&value| value == 0.0).count();
        assert!((200..400).contains(&zeros), "{zeros}");
        let chain = draw(CostStructure::Chain);
        assert!((0..99).all(|i| chain[i * 100 + i] == 1000.0 && chain[i * 100 + i + 1] == 999.0));
    }
}
