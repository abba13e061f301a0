//! S. Yadav, A. Agarwal, R. Rastogi, "Cost-based Job Grouping and Scheduling Algorithm for Grid Computing
//! Environments": the three experiments on seven resources.

mod claims;
pub mod experiment;
mod figures;
pub mod published;
mod readings;

use crate::data::Data;
use crate::report::StudyReport;
use crate::{Failure, Replicates, Study, StudyError};
use experiment::Experiment::{self, *};
use experiment::{Config, run};
use figures::{charts, describe, orders};
use readings::READINGS;

const GRIDLETS: [u32; 6] = [25, 50, 75, 100, 125, 150];

/// Experiment, name of its table here, and its number in the paper.
const TABLES: [(Experiment, &str, &str); 4] = [
    (Ungrouped, "table2", "Table 2, no grouping"),
    (Grouped, "table3", "Table 3, grouping, first come first served"),
    (Prioritised, "table4", "Table 4, grouping by priority, resources by cost per second"),
    (PrioritisedByWork, "by_work", "Not in the paper: resources by cost per unit of work"),
];

econsched::sched_model::settings! {
    /// Job grouping on seven resources.
    pub struct Yadav {
        /// Seed of everything that is drawn; 1 by default.
        with_seed: seed: u64 = 1,
        /// Number of draws for each number of gridlets; 2,000 by default.
        with_seeds: seeds: u64 = 2_000,
        /// The reading under which the tables are made; by default the one fitted to table 3. The number of gridlets
        /// and the order of the resources are set by the study.
        with_config: config: Config = Config::default(),
    }
}

// The columns of a run.
const GROUPS: usize = 0;
const COST: usize = 1;
const TIME: usize = 2;
const WIDTH: usize = 3;

/// Decimals of groups, cost and time.
const DECIMALS: [usize; WIDTH] = [2, 0, 1];

/// Returns the index of a column of an experiment in the row of a draw, where the resources are in the order of table
/// 1, or in random order if `shuffled`.
const fn index_of(experiment: Experiment, shuffled: bool, column: usize) -> usize {
    let first = if shuffled { TABLES.len() } else { 0 };
    (first + experiment as usize) * WIDTH + column
}

/// Returns the index of a column of a reading of table 3.
const fn reading_index(reading: usize, column: usize) -> usize {
    (2 * TABLES.len() + reading) * WIDTH + column
}

const LENGTH: usize = reading_index(READINGS.len(), 0);

/// The draws of the study.
struct Draws {
    /// The draws by number of gridlets.
    rows: Vec<Data>,
    /// All draws, one number of gridlets after the other.
    all: Data,
}

impl Draws {
    fn new(rows: Vec<Data>) -> Self {
        let mut all = Data::new(LENGTH);
        rows.iter().flat_map(Data::rows).for_each(|row| all.push(row));
        Self { rows, all }
    }
}

/// The comparisons of two experiments: the left one, the right one, and whether the resources are in random order.
const ORDERS: [(Experiment, Experiment, bool); 7] = [
    (Grouped, Ungrouped, false),
    (Prioritised, Ungrouped, false),
    (Prioritised, Grouped, false),
    (PrioritisedByWork, Grouped, false),
    (Grouped, Ungrouped, true),
    (Prioritised, Grouped, true),
    (PrioritisedByWork, Grouped, true),
];

impl Yadav {
    /// Computes the row of a draw: the experiments, then the readings.
    fn row(&self, gridlets: u32, replicate: u64) -> Result<Vec<f64>, Failure> {
        let mut row = Vec::new();
        let mut add = |experiment: Experiment, config: Config| -> Result<(), Failure> {
            let report = run(experiment, &config.with_gridlets(gridlets), self.seed, replicate)?;
            row.extend([report.dispatches as f64, report.cost, report.time]);
            Ok(())
        };
        for shuffled in [false, true] {
            for (experiment, ..) in TABLES {
                add(experiment, self.config.clone().with_shuffled(shuffled))?;
            }
        }
        for (_, reading) in READINGS {
            add(Grouped, reading(Config::default()))?;
        }
        Ok(row)
    }
}

impl Study for Yadav {
    fn name(&self) -> &'static str {
        "yadav"
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        if self.seeds < 2 {
            return Err(StudyError::Config("seeds must be at least 2".to_owned()));
        }
        let mut rows = Vec::new();
        for gridlets in GRIDLETS {
            let one = |replicate| self.row(gridlets, replicate);
            rows.push(replicates.run(&format!("{gridlets} gridlets"), self.seeds, LENGTH, one)?);
        }
        replicates.complete()?;
        let draws = Draws::new(rows);
        let mut report = StudyReport::titled("report.md", "Job grouping on seven resources (Yadav et al.)");
        let Self { seed, seeds, config } = self;
        let Config { lengths: (least, greatest), service, dispatching, cpus, granularity, overhead, .. } =
            config;
        report.paragraph(format!(
            "{seeds} draws for each number of gridlets, seed {seed}. Lengths U[{least}, {greatest}] MI, service {service}, \
             dispatches {dispatching}. In the tables of grouping a resource has {cpus} CPUs, a group takes up to \
             {granularity} s of its work, and a dispatch takes {overhead} s besides. The reading fitted to table 3 is ten CPUs and 7 s, of which the text names neither. ± is the 95% \
             confidence interval.",
        ));
        for table in TABLES {
            describe(&draws, table, &mut report);
        }
        orders(&draws, &mut report);
        charts(&draws, &mut report);
        readings::describe(&draws, &mut report);
        report.judge("verdicts", claims::claims(&draws)?);
        report.index(include_str!("index.txt"));
        Ok(report)
    }
}
