//! Published experiments of economic scheduling, rerun: their tables, chart data, and claims with verdicts, as
//! values.
//!
//! Each study is a configuration that implements [`Study`]: [`run`](Study::run) returns a [`StudyReport`] of
//! paragraphs, [`Table`](report::Table)s and [`Chart`]s, with the paper's figures beside ours. Writing files and
//! drawing charts is left to the caller (the program `econsched study` prints Markdown and saves CSV and SVG).
//!
//! | study | paper | what it compares |
//! |---|---|---|
//! | [`Iccs2011`] | Toporkov et al. 2011 | ALP and AMP over scheduling cycles |
//! | [`Window2018`] | Toporkov, Yemelyanov 2018 | windows by criterion on 100 and 40 nodes |
//! | [`Garg2009`] | Garg, Buyya, Siegel 2009 | MinCTT, MaxCTT and Greedy on five clusters |
//! | [`Yadav`] | Yadav, Agarwal, Rastogi | job grouping on seven resources |
//! | [`MultiSGridStudy`] | Raeisi Gahrouei, Ghatee | a provider's strategies on failing grids |
//!
//! In the folder of a study, `mod.rs` runs it, `figures.rs` makes its tables and charts, `claims.txt` is a table of
//! the paper's claims, and `claims.rs` looks up the figures that the claims name. All claims are judged by one rule,
//! with margins stated beforehand: see [`claims`].
//!
//! [`garg2009::broker`] and [`yadav::experiment`] run a single replicate of the experiments of their papers.
//!
//! [`multi_s_grid`] has the simulator of its paper, and generators of grids, users and jobs, for schedulers of your
//! own.
//!
//! # Stopping, resuming, dividing
//! With [`Replicates::with_store`], the results of replicates are kept in a [`Store`], and results that it already
//! has are not computed again. With a store that wants only a share of the replicates, a run computes a part; with a
//! store that has all parts, it returns the report, the same to the byte.
//!
//! # Determinism
//! Replicates are independent: what one draws depends only on the seed and on its index. [`Replicates`] runs them on
//! any number of threads and reduces them in order, so that a report is the same to the byte. Running times are not
//! part of a report.
//!
//! ```
//! use econsched_studies::{Iccs2011, Replicates, Study};
//! let study = Iccs2011::default().with_cycles(40);
//! let one = study.run(&Replicates::new(Some(1))?)?;
//! let two = study.run(&Replicates::new(Some(2))?)?;
//! assert_eq!(one, two);
//! # Ok::<(), econsched_studies::StudyError>(())
//! ```

#![forbid(unsafe_code)]
// Shows in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

/// The README's example, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod again;
pub mod chart;
pub mod claims;
mod data;
mod error;
pub mod garg2009;
mod iccs2011;
pub mod multi_s_grid;
mod replicates;
pub mod report;
pub mod stats;
mod window2018;
pub mod yadav;

pub use chart::Chart;
pub use claims::{Claim, Verdict};
pub use data::Figure;
pub use error::StudyError;
pub use garg2009::Garg2009;
pub use iccs2011::Iccs2011;
pub use multi_s_grid::MultiSGridStudy;
pub use replicates::{Failure, ReplicateProgress, Replicates, Store};
pub use report::StudyReport;
pub use window2018::Window2018;
pub use yadav::Yadav;

/// A published study that can be rerun.
pub trait Study: std::fmt::Debug + Send + Sync {
    /// Its name, for users and for files.
    fn name(&self) -> &'static str;

    /// Runs all replicates, and returns the report, which does not depend on the clock or the number of threads.
    ///
    /// # Errors
    /// [`StudyError::Config`] for a number of replicates or another setting out of range;
    /// [`StudyError::Replicate`] for the first replicate that failed.
    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError>;

    /// Returns running times, if the study has any and they were asked for. They differ from run to run.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    fn timings(&self) -> Result<Option<StudyReport>, StudyError> {
        Ok(None)
    }
}
