//! The trait of algorithms that choose one alternative per job.

use crate::kernel::CoreScratch;
use crate::partial::Rows;
use crate::{Alternatives, BatchDecision, BatchError, Problem};
use sched_model::Meter;
use std::fmt;

/// An algorithm that chooses one alternative per job. Implement it to add one of your own.
pub trait Chooser: fmt::Debug + Send + Sync {
    /// Its name, for reports.
    fn name(&self) -> &'static str;

    /// Solves `problem` on `batch`, with buffers that the caller keeps between calls, within the limit of the
    /// meter. When it returns, it has released the memory that it reserved at the meter.
    ///
    /// # Errors
    /// [`BatchError::Limit`] for a limit of the problem that is NaN. That no choice exists is a
    /// [`BatchDecision`], not an error.
    fn choose(
        &self,
        batch: &Alternatives,
        problem: Problem,
        scratch: &mut Scratch,
        meter: &mut Meter<'_>,
    ) -> Result<BatchDecision, BatchError>;

    /// As [`choose`](Self::choose), starting from a known choice: for each job the position of one of its
    /// alternatives. An algorithm that cannot use it gives the same answer as [`choose`](Self::choose).
    ///
    /// # Errors
    /// As for [`choose`](Self::choose); where the known choice is used, an error for a position that does not
    /// exist.
    fn choose_from(
        &self,
        batch: &Alternatives,
        problem: Problem,
        known: &[usize],
        scratch: &mut Scratch,
        meter: &mut Meter<'_>,
    ) -> Result<BatchDecision, BatchError> {
        let _ = known;
        self.choose(batch, problem, scratch, meter)
    }
}

/// Buffers that are kept between calls, so that solving many batches allocates almost nothing. They never
/// pass information from one call to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) core: CoreScratch,
    pub(crate) rows: Rows,
}
