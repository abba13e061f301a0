//! Problems of every shape and structure, with too many jobs for trying all assignments.

use auction_assign::{AssignmentProblem, Costs, Coverage, Sense};
use econsched::testkit::zoo::{AssignmentGenerator, CostStructure, zoo};
use econsched::workload_gen::sample::stream;

/// Whole costs of one of the structures of the zoo.
pub fn structured(which: usize, rows: usize, cols: usize) -> Vec<f64> {
    let structure = CostStructure::ALL[which % CostStructure::ALL.len()];
    AssignmentGenerator::new(rows, cols, structure).generate(&mut stream(which as u64, 0)).values
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

    /// The zoo of about this many jobs, with every sense and coverage.
    pub fn all(jobs: usize) -> impl Iterator<Item = Self> {
        zoo(jobs).into_iter().enumerate().map(move |(number, generator)| {
            let of = generator.generate(&mut stream(number as u64, jobs as u64));
            let mut case = Self::dense(of.jobs, of.resources, of.values.clone());
            if of.is_sparse() {
                case.sparse = true;
                case.values = vec![f64::INFINITY; of.jobs * of.resources];
                for (row, ends) in of.offsets.windows(2).enumerate() {
                    (ends[0]..ends[1]).for_each(|at| {
                        case.values[row * of.resources + of.columns[at] as usize] = of.values[at];
                    });
                }
            }
            case.capacities = of.capacities.iter().any(|&places| places != 1).then_some(of.capacities);
            case.sense = [Sense::Minimise, Sense::Maximise][number / 2 % 2];
            case.coverage = [Coverage::EveryJob, Coverage::MostJobs, Coverage::Penalty(1000.5)][number % 3];
            case.change((number + jobs) % 7);
            case
        })
    }

    fn change(&mut self, how: usize) {
        let (cols, count) = (self.cols, self.values.len());
        match how {
            // Costs that are no binary fractions; an offset beside which small differences are rounded away.
            0 => self.values.iter_mut().for_each(|value| *value /= 3.0),
            1 => self.values.iter_mut().for_each(|value| *value += 1e9 + 2f64.powi(-20)),
            // Repeated rows or columns of which one is changed a little.
            2 => self.values[count / 2] += 1.0,
            // Every other resource closed, or capacities without end.
            3 => self.capacities = Some((0..cols).map(|r| if r % 2 == 0 { 0 } else { 3 }).collect()),
            4 => self.capacities = Some(vec![u32::MAX; cols]),
            // One resource that no job may use, one that a single job may use, and some forbidden pairs.
            5 => (0..count)
                .filter(|k| k % cols == 1 || k % cols == 2 && k / cols > 0 || k * 7919 % 1009 < 20)
                .for_each(|k| self.values[k] = f64::INFINITY),
            _ => {}
        }
    }

    /// The problem; its data live until the program ends.
    pub fn problem(&self) -> AssignmentProblem<'static> {
        let values: &'static [f64] = self.values.clone().leak();
        let costs = if self.sparse {
            let mut offsets = vec![0];
            let (mut columns, mut listed) = (Vec::new(), Vec::new());
            for row in values.chunks(self.cols) {
                for (r, &value) in (0..).zip(row).filter(|(_, value)| **value != f64::INFINITY) {
                    columns.push(r);
                    listed.push(value);
                }
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
