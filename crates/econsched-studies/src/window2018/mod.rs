//! V. Toporkov, D. Yemelyanov, "Optimal Slot Subset Allocation" (slides, Russian Supercomputing Days 2018):
//! windows by criterion on 100 and on 40 nodes with local load.

mod algorithms;
mod claims;
mod figures;
mod timings;
mod work;

use crate::report::StudyReport;
use crate::{Replicates, Study, StudyError};
use algorithms::one;
use figures::describe;

/// A number of nodes, with the names of its table and its charts.
type Size = (u32, &'static str, [&'static str; 3]);

const SIZES: [Size; 2] =
    [(100, "nodes100", ["time100", "cost100", "q100"]), (40, "nodes40", ["time40", "cost40", "q40"])];

/// The algorithms in the order of the slides. Multiple Best is the best of all alternatives, for each measure
/// separately.
const ALGORITHMS: [&str; 6] =
    ["First Fit", "Min Finish", "Min Runtime", "Min Cost", "Max Q", "Multiple Best"];
const FIRST_FIT: usize = 0;
const MIN_FINISH: usize = 1;
const MAX_Q: usize = 4;
const MULTIPLE_BEST: usize = 5;

const MEASURES: [&str; 5] = ["start", "runtime", "finish", "cost", "Q"];
const FINISH: usize = 2;
const COST: usize = 3;
const Q: usize = 4;

/// The results of the simulator published with the slides on 100 nodes, and its Q on 40 nodes.
const SIMULATOR: [[f64; 5]; 6] = [
    [21.6, 114.0, 136.0, 597.0, 34.8],
    [27.0, 98.0, 126.0, 600.0, 35.1],
    [220.0, 84.0, 304.0, 617.0, 35.3],
    [564.0, 124.0, 687.0, 508.0, 34.9],
    [533.0, 119.0, 653.0, 629.0, 58.2],
    [21.6, 86.0, 128.0, 560.0, 48.0],
];
const SIMULATOR_Q_40: [f64; 6] = [35.5, f64::NAN, f64::NAN, f64::NAN, 43.6, 39.5];

const WORK: f64 = 800.0;
const PRICE_PER_WORK: f64 = 0.115;

econsched::sched_model::settings! {
    /// Windows by criterion against first fit, on 100 and on 40 nodes.
    #[derive(Eq)]
    pub struct Window2018 {
        /// Seed of everything that is drawn; 1 by default.
        with_seed: seed: u64 = 1,
        /// Number of environments for each number of nodes; 1,000 by default.
        with_seeds: seeds: u64 = 1_000,
        /// Whether running times are measured, too; by default they are not.
        with_timings: timings: bool = false,
    }
}

/// Returns the index of a measure of an algorithm in the row of an environment.
const fn index_of(algorithm: usize, measure: usize) -> usize {
    algorithm * 5 + measure
}

// After the measures: the number of alternatives that Multiple Best chose from, and the number of slots.
const ALTERNATIVES: usize = index_of(ALGORITHMS.len(), 0);
const SLOTS: usize = ALTERNATIVES + 1;
const LENGTH: usize = SLOTS + 1;

impl Study for Window2018 {
    fn name(&self) -> &'static str {
        "window2018"
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        if self.seeds < 2 {
            return Err(StudyError::Config("seeds must be at least 2".to_owned()));
        }
        let mut report = StudyReport::titled("report.md", "Windows by criterion (Toporkov, Yemelyanov 2018)");
        report.paragraph(format!(
            "7 nodes, volume {WORK}, budget 644, horizon 1200, square windows: all nodes are held and paid for the span \
             of the slowest. {} environments for each number of nodes, seed {}; ± is the 95% confidence interval. \
             Multiple Best is, for each measure apart, the best of all windows that first fit finds when each is cut \
             out before the next is searched for. The simulator is the one published with the slides.",
            self.seeds, self.seed,
        ));
        let mut sizes = Vec::new();
        for (nodes, ..) in SIZES {
            let run = |replicate| one(nodes, self.seed, replicate);
            sizes.push(replicates.run(&format!("{nodes} nodes"), self.seeds, LENGTH, run)?);
        }
        let steps = work::run(self.seed, self.seeds, replicates)?;
        replicates.complete()?;
        for (data, size) in sizes.iter().zip(SIZES) {
            describe(data, size, &mut report);
        }
        work::describe(&steps, &mut report);
        figures::other_inputs(&steps, &mut report);
        report.judge("verdicts", claims::claims(&sizes, &steps)?);
        report.index(include_str!("index.txt"));
        Ok(report)
    }

    fn timings(&self) -> Result<Option<StudyReport>, StudyError> {
        if !self.timings {
            return Ok(None);
        }
        timings::timings(self.seed).map(Some).map_err(StudyError::Timing)
    }
}
