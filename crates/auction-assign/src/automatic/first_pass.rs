//! The first pass over the costs.

use crate::AssignmentProblem;
use crate::kernel::prepared::Prepared;
use crate::kernel::stop::Stop;
use crate::kernel::watch::Watch;
use crate::rows::{self, Copied, Narrow};

/// From so many resources per job on few rows are read again, so that no copy of them pays.
const FEW_ROWS: usize = 2;

/// The result of the first pass over the costs.
pub(super) struct FirstPass<'a> {
    pub(super) prepared: Prepared<'a>,
    /// The cheapest resource of each job, where it looked for them.
    pub(super) cheapest: Option<Vec<u32>>,
    /// The costs at half the width, where they are of few bits.
    pub(super) narrow: Option<Narrow<'a>>,
}

/// Checks the costs. Where places are left over, prices begin at 0, whatever the columns hold, and the same
/// pass finds the cheapest resources.
pub(super) fn open<'a>(problem: &AssignmentProblem<'a>, watch: Watch<'a>) -> Result<FirstPass<'a>, Stop> {
    let bare = |prepared| FirstPass { prepared, cheapest: None, narrow: None };
    let is_roomy = problem.total_capacity() > problem.jobs() as u64;
    let suits = rows::suit(problem);
    if suits
        && problem.resources() < FEW_ROWS * problem.jobs()
        && let Some(Copied { survey, narrow, cheapest }) = rows::survey_narrow(problem, watch)?
    {
        let prepared = Prepared::of(problem, survey, watch)?;
        return Ok(FirstPass { narrow: Some(narrow), cheapest, ..bare(prepared) });
    }
    if !is_roomy {
        return Ok(bare(Prepared::new(problem, watch)?));
    }
    Ok(bare(Prepared::without_columns(problem, watch)?))
}
