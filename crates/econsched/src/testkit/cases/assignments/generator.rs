//! One assignment problem: its size, its structure, and the capacities of its resources.

use super::structure::{CostStructure, Factors};
use rand_chacha::rand_core::Rng;
use workload_gen::internal::unit;

sched_model::registry! {
    /// How many jobs the resources hold.
    pub enum Places: "number of places" {
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

/// An assignment problem, to be solved for the least sum of costs.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
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

    /// Whether there are places for all jobs.
    pub fn has_places_for_all(&self) -> bool {
        self.capacities.iter().map(|&places| u64::from(places)).sum::<u64>() >= self.jobs as u64
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
    /// Number of resources.
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

impl AssignmentGenerator {
    /// A generator of whole costs, with one place per resource and all pairs admissible.
    pub fn new(jobs: usize, resources: usize, structure: CostStructure) -> Self {
        Self { jobs, resources, structure, places: Places::One, admissible: None, real: false }
    }

    /// The same with these capacities of the resources.
    pub fn with_places(self, places: Places) -> Self {
        Self { places, ..self }
    }

    /// The same with this number of admissible resources for each job.
    pub fn with_admissible(self, admissible: usize) -> Self {
        Self { admissible: Some(admissible), ..self }
    }

    /// The same with costs that are not rounded to whole numbers.
    pub fn with_real_costs(self) -> Self {
        Self { real: true, ..self }
    }

    /// A name for reports: the structure, the places, and all other settings that differ from the default.
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
    pub fn generate(&self, rng: &mut dyn Rng) -> AssignmentInstance {
        let (n, m) = (self.jobs, self.resources);
        let capacities = self.capacities(rng);
        let (factors, formula) = (Factors::draw(n, m, rng), self.structure.build());
        let mut cost = |i: usize, r: usize| {
            let value = formula(&mut factors.pair(i, r, rng));
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
        // A random stream of their own, so that picks and costs do not change each other.
        let mut picks = workload_gen::sample::stream(n as u64, m as u64);
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

    fn capacities(&self, rng: &mut dyn Rng) -> Vec<u32> {
        let (n, m) = (self.jobs, self.resources);
        // `total` places, split evenly; the first resources get one more if the split is not even.
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

fn below(rng: &mut dyn Rng, bound: usize) -> usize {
    ((unit(rng) * bound as f64) as usize).min(bound.saturating_sub(1))
}
