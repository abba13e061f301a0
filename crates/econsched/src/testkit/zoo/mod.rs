//! Assignment problems of many structures, for testing and timing methods.
//!
//! Methods that are quick on costs drawn independently can be slow on costs with a structure: distances, products,
//! sums of a job part and a resource part, many equal costs, resources that every job prefers, or free places.
//! [`zoo`] is a collection of such problems, each for any number of jobs; [`AssignmentGenerator`] generates
//! problems of one structure.
//!
//! ```
//! use econsched::testkit::{Draw, zoo::{AssignmentGenerator, CostStructure, Places}};
//!
//! let generator = AssignmentGenerator::new(6, 3, CostStructure::GridTime).with_places(Places::Tight);
//! let instance = generator.generate(&mut Draw::new(1, 0));
//! assert_eq!(instance.values.len(), 18);
//! assert_eq!(instance.capacities, [2, 2, 2]);
//! ```

mod structure;

use crate::testkit::{Draw, Numbers};
pub use structure::CostStructure;
use structure::Factors;

sched_model::registry! {
    /// How many jobs the resources hold.
    pub enum Places: setting "number of places" {
        /// One each.
        One = "one each",
        /// Eight places for ten jobs.
        Short = "short",
        /// As many places as jobs.
        Tight = "tight",
        /// Two places per job.
        Slack = "slack",
        /// Drawn between none and twice the even share; in total a tenth more places than jobs.
        Mixed = "mixed",
        /// Every twentieth resource holds most of the jobs, the others one each.
        FewHuge = "a few huge",
    }
}

impl Places {
    fn draw(self, n: usize, m: usize, draw: &mut Draw) -> Vec<u32> {
        // `total` places, split evenly; the first resources get one more if the split is not even.
        let even = |total: usize| (0..m).map(move |r| (total / m + usize::from(r < total % m)) as u32);
        match self {
            Self::One => vec![1; m],
            Self::Short => even(n * 4 / 5).collect(),
            Self::Tight => even(n).collect(),
            Self::Slack => even(2 * n).collect(),
            Self::Mixed => {
                let places: Vec<usize> = (0..m).map(|_| draw.below(2 * n / m + 1)).collect();
                let missing = (n + n / 10).saturating_sub(places.iter().sum());
                places.iter().zip(even(missing)).map(|(&places, more)| places as u32 + more).collect()
            }
            Self::FewHuge => {
                let huge = m.div_ceil(20);
                let share = (n.saturating_sub(m - huge)).div_ceil(huge) + 1;
                (0..m).map(|r| if r % 20 == 0 { share as u32 } else { 1 }).collect()
            }
        }
    }
}

/// An assignment problem, to be solved for the minimum sum of costs.
#[derive(Debug, Clone, PartialEq)]
pub struct AssignmentInstance {
    /// Number of jobs (rows).
    pub jobs: usize,
    /// Number of resources (columns).
    pub resources: usize,
    /// Where the entries of each row begin, then the number of all entries; empty if the matrix is full.
    pub offsets: Vec<usize>,
    /// The column of each value, ascending within a row; empty if the matrix is full.
    pub columns: Vec<u32>,
    /// The costs, row by row.
    pub values: Vec<f64>,
    /// The number of jobs that each resource holds.
    pub capacities: Vec<u32>,
}

impl AssignmentInstance {
    /// Whether some pairs have no entry.
    pub fn is_sparse(&self) -> bool {
        !self.offsets.is_empty()
    }

    /// The costs, dense or sparse.
    ///
    /// # Errors
    /// None for a generated instance.
    #[cfg(feature = "auction-assign")]
    pub fn costs(&self) -> Result<auction_assign::Costs<'_>, auction_assign::AssignError> {
        if self.is_sparse() {
            let (offsets, columns) = (&self.offsets, &self.columns);
            auction_assign::Costs::sparse(self.jobs, self.resources, offsets, columns, &self.values)
        } else {
            auction_assign::Costs::dense(self.jobs, self.resources, &self.values)
        }
    }
}

/// Generates assignment problems of one structure.
///
/// O(jobs * resources) time and space, or O(jobs * admissible) if that is less.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct AssignmentGenerator {
    /// Number of jobs.
    pub jobs: usize,
    /// Number of resources, at least 1.
    pub resources: usize,
    /// How costs are drawn.
    pub structure: CostStructure,
    /// The capacities of the resources.
    pub places: Places,
    /// The number of admissible resources of each job, drawn independently (the job's number modulo the number of
    /// resources is always included); all resources if `None`.
    pub admissible: Option<usize>,
    /// Whether costs stay real; otherwise they are rounded down to whole numbers.
    pub real: bool,
}

sched_model::setters!(AssignmentGenerator {
    with_places: places: Places,
    with_admissible: admissible: usize => Some,
});

impl AssignmentGenerator {
    /// A generator of whole costs, with one place per resource and all pairs admissible.
    pub fn new(jobs: usize, resources: usize, structure: CostStructure) -> Self {
        Self { jobs, resources, structure, places: Places::One, admissible: None, real: false }
    }

    /// A name for reports: the structure, the places, and all other settings that differ from the default.
    pub fn name(&self) -> String {
        let real = self.real.then(|| "real".to_owned());
        let admissible = self.admissible.map(|admissible| format!("{admissible} admissible"));
        let places = (self.places != Places::One).then(|| self.places.name().to_owned());
        let parts = [Some(self.structure.name().to_owned()), real, admissible, places];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Draws a problem.
    pub fn generate(&self, draw: &mut Draw) -> AssignmentInstance {
        let (jobs, resources) = (self.jobs, self.resources);
        let capacities = self.places.draw(jobs, resources, draw);
        let factors = Factors::draw(self.structure, jobs, resources, &mut || draw.unit());
        let (mut offsets, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..jobs {
            let mut row: Vec<u32> = (0..resources as u32).collect();
            if let Some(admissible) = self.admissible {
                row = (1..admissible).map(|_| draw.below(resources) as u32).collect();
                row.push((i % resources) as u32);
                row.sort_unstable();
                row.dedup();
                offsets.push(columns.len());
                columns.extend(&row);
            }
            for r in row {
                let value = factors.cost(i, r as usize, &mut || draw.unit());
                values.push(if self.real { value / 3.0 } else { value.floor() });
            }
        }
        offsets.extend(self.admissible.map(|_| columns.len()));
        AssignmentInstance { jobs, resources, offsets, columns, values, capacities }
    }
}

/// Problems of every structure with about this many jobs: one to one, rectangular, sparse, and with capacities.
pub fn zoo(jobs: usize) -> Vec<AssignmentGenerator> {
    use CostStructure as C;
    let n = jobs.max(2);
    let problem = AssignmentGenerator::new;
    let mut zoo: Vec<_> = C::ALL.iter().map(|&structure| problem(n, n, structure)).collect();
    let real = [C::Wide, C::Narrow, C::GridTime, C::LowRank, C::Distance, C::SquaredDistance];
    for structure in real.into_iter().chain([C::SumAndNoise, C::Overlap]) {
        zoo.push(AssignmentGenerator { real: true, ..problem(n, n, structure) });
    }
    // Rectangular: a tenth more resources than jobs, four times as many, a hundred times as many.
    for structure in [C::Wide, C::Narrow, C::GridTime, C::Distance, C::ZeroOne, C::PopularColumns] {
        zoo.push(problem(n, n + n.div_ceil(10), structure));
        zoo.push(problem(n.div_ceil(2), n.div_ceil(2) * 4, structure));
        zoo.push(problem(n.div_ceil(10), n.div_ceil(10) * 100, structure));
    }
    // More jobs than resources: twice as many, twenty times as many.
    for structure in [C::Wide, C::Narrow, C::GridTime, C::Distance] {
        zoo.extend([2, 20].map(|jobs_each| problem(n, n.div_ceil(jobs_each), structure)));
    }
    for (structure, admissible) in
        [(C::Wide, 8), (C::Narrow, 8), (C::GridTime, 20), (C::Distance, 20), (C::Wide, 3)]
    {
        zoo.push(problem(n, n, structure).with_admissible(admissible.min(n)));
    }
    // Many jobs on few resources.
    let places = &Places::ALL[1..];
    for (jobs, resources) in [(10 * n, n.div_ceil(50)), (4 * n, n.div_ceil(10))] {
        for structure in [C::Wide, C::GridTime, C::GridTimeFewKinds, C::ClusteredDistance, C::FewOffsets] {
            zoo.extend(places.iter().map(|&places| problem(jobs, resources, structure).with_places(places)));
        }
    }
    let resources = n.div_ceil(2);
    for structure in [C::Wide, C::GridTime, C::Circulant] {
        let sparse = problem(10 * n, resources, structure).with_admissible(50.min(resources));
        zoo.extend(places.iter().map(|&places| sparse.clone().with_places(places)));
    }
    zoo
}

/// Draws the costs of jobs on resources, row by row, from 0 to 10^60. Half of the draws have a structure of the zoo,
/// and some are sums of a row part and a column part, all made of these numbers and at times of others beside them.
pub fn costs(draw: &mut Draw, numbers: Numbers, rows: usize, cols: usize) -> Vec<f64> {
    let (others, mixed) = (Numbers::any(draw), if draw.chance(20) { 50 } else { 0 });
    let number = |draw: &mut Draw| if draw.chance(mixed) { others.draw(draw) } else { numbers.draw(draw) };
    let structure = if draw.chance(50) { draw.pick(CostStructure::ALL).copied() } else { None };
    let unit = draw.of([1.0, 3.0, 1e7]);
    let factors = structure.map(|of| Factors::draw(of, rows, cols, &mut || number(draw)));
    let parts = draw.chance(20).then(|| (0..rows + cols).map(|_| number(draw)).collect::<Vec<f64>>());
    let mut cost = |k: usize| match (&factors, &parts) {
        (Some(factors), _) => factors.cost(k / cols, k % cols, &mut || number(draw)) / unit,
        (_, Some(parts)) => parts[k / cols] + parts[rows + k % cols],
        _ => number(draw),
    };
    (0..rows * cols).map(|k| cost(k).clamp(0.0, 1e60)).collect()
}
