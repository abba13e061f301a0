//! V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, "Resource Selection Algorithms for Economic
//! Scheduling in Distributed Systems", 2011, section 5: ALP against AMP on the same slots, over 25,000
//! scheduling cycles.

mod claims;
mod example;
mod figures;
mod reading;

use crate::again::judge_again;
use crate::data::{self, Data};
use crate::report::StudyReport;
use crate::stats::Estimate;
use crate::{Replicates, Study, StudyError};
use figures::{compare, describe};
use reading::{ALTERNATIVES, JOBS, LENGTH, RHOS, Reading, SIDE, describe_budgets, index_of};

const SIDES: [&str; 2] = ["ALP", "AMP"];

/// Number of cycles that figure 5 shows.
const SHOWN: usize = 300;

/// A figure of the paper: its name, and its values under ALP and AMP.
struct Figure {
    name: &'static str,
    paper: [f64; 2],
    decimals: usize,
}

/// The figures of one job.
const FIGURES: [Figure; 5] = [
    Figure { name: "min time: time", paper: [59.85, 39.01], decimals: 2 },
    Figure { name: "min time: cost", paper: [313.56, 369.69], decimals: 1 },
    Figure { name: "min cost: cost", paper: [313.09, 343.3], decimals: 1 },
    Figure { name: "min cost: time", paper: [61.04, 51.62], decimals: 2 },
    Figure { name: "alternatives", paper: [7.39, 34.28], decimals: 2 },
];
/// The share of counted cycles in the paper: 8,571 of 25,000 (in the minimisation of cost).
const COVERAGE: f64 = 100.0 * 8_571.0 / 25_000.0;
const JOBS_COUNTED: f64 = 4.18;
const SLOTS_COUNTED: f64 = 135.11;

econsched::sched_model::settings! {
    /// ALP against AMP over 25,000 scheduling cycles.
    #[derive(Eq)]
    pub struct Iccs2011 {
        /// Seed of everything that is drawn; 1 by default.
        with_seed: seed: u64 = 1,
        /// Number of scheduling cycles; 25,000 in the paper and by default.
        with_cycles: cycles: u64 = 25_000,
        /// Whether every reading of the points that the paper leaves open is run; by default only the standard one
        /// is.
        with_explore: explore: bool = false,
        /// Number of cycles from which the claims that are open after `cycles` are judged again; the cycles beyond
        /// `cycles` are run with the full budget only. 0 by default, for no second judgement.
        with_open_cycles: open_cycles: u64 = 0,
    }
}

/// Whether a cycle, given by its row, counts: both searches cover every job, and their limits can be kept.
fn is_counted(row: &[f64]) -> bool {
    row[index_of(0, 0)].is_finite()
}

/// Returns the number of counted cycles.
fn counted(cycles: &Data) -> u64 {
    cycles.moments(index_of(0, 0)).count()
}

/// Returns the share of counted cycles, in per cent.
fn coverage(cycles: &Data) -> data::Figure {
    cycles.share_where(|row| Some(row[index_of(0, 0)].is_finite()))
}

/// Returns the mean of slots or jobs over the counted cycles.
fn mean_of_counted(cycles: &Data, at: usize) -> data::Figure {
    cycles.mean_of(|row| if row[index_of(0, 0)].is_finite() { row[at] } else { f64::NAN })
}

/// Computes one of [`FIGURES`].
fn per_job_estimate(cycles: &Data, side: usize, figure: usize) -> Estimate {
    match figure {
        ALTERNATIVES => cycles.ratio(index_of(side, ALTERNATIVES), JOBS).estimate,
        mean => cycles.mean(index_of(side, mean)).estimate,
    }
}

impl Study for Iccs2011 {
    fn name(&self) -> &'static str {
        "iccs2011"
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        if self.cycles == 0 {
            return Err(StudyError::Config("cycles must be at least 1".to_owned()));
        }
        let readings = if self.explore { Reading::all() } else { vec![Reading::standard()] };
        let mut cycles = Vec::new();
        for reading in &readings {
            let run = |cycle| reading.run(self.seed, cycle);
            cycles.push(replicates.run(&reading.name, self.cycles, LENGTH, run)?);
        }
        let run = |cycle| Reading::standard().run_budgets(&RHOS, self.seed, cycle);
        let budgets = replicates.run("budgets", self.cycles, RHOS.len() * SIDE, run)?;
        replicates.complete()?;
        let mut report =
            StudyReport::titled("report.md", "ALP and AMP over scheduling cycles (Toporkov et al. 2011)");
        let (Self { seed, cycles: all, .. }, counted) = (self, counted(&cycles[0]));
        report.paragraph(format!(
            "{all} cycles, seed {seed}; {counted} of them count, as both searches cover every job of the batch. Price limit C = \
             1.7^P_min, budget S = C t N. Times and costs are means over the jobs of a batch, then over batches; ± is \
             the 95% confidence interval. Ratio is ours over the paper's.",
        ));
        describe(&cycles[0], &mut report);
        describe_budgets(&budgets, &mut report);
        let compared = self.explore.then(|| compare(&readings, &cycles));
        let figure = |data: &Data, words: &[&str]| claims::figure(data, &budgets, words);
        let claims = (include_str!("claims.txt"), figure);
        // The further cycles have no budgets.
        let part = |_: &[usize], cycle| Reading::standard().run(self.seed, cycle);
        let standard = cycles.swap_remove(0);
        report.judge(
            "verdicts",
            judge_again(replicates, standard, ("cycles", self.open_cycles), claims, part)?,
        );
        compared.into_iter().flatten().for_each(|table| report.table(table));
        example::charts(&mut report)
            .map_err(|failure| StudyError::Config(format!("the worked example: {failure}")))?;
        report.index(include_str!("index.txt"));
        Ok(report)
    }
}
