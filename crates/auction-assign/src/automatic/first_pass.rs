//! The first pass over the costs.

use crate::Problem;
use crate::candidates::drive;
use crate::candidates::lists::CandidateLists;
use crate::kernel::prepared::Prepared;
use crate::kernel::stop::Stop;
use crate::kernel::watch::Watch;
use crate::rows::{self, Copied, Narrow};

/// From so many resources per job on few rows are read again, so that no copy of them pays.
const FEW_ROWS: usize = 2;

/// The result of the first pass over the costs.
pub(super) struct FirstPass<'a> {
    pub(super) prepared: Prepared<'a>,
    /// The candidate lists, where the pass made them.
    pub(super) listed: Option<CandidateLists<'a>>,
    /// The cheapest resource of each job, where it looked for them.
    pub(super) cheapest: Option<Vec<u32>>,
    /// The costs at half the width, where they are of few bits.
    pub(super) narrow: Option<Narrow<'a>>,
    /// Whether the costs are known to lie on a grid, or on none.
    pub(super) is_checked: bool,
}

/// Checks the costs. Where places are left over, prices begin at 0, whatever the columns hold, and the same
/// pass finds the cheapest resources.
pub(super) fn open<'a>(
    problem: &Problem<'a>,
    is_product: bool,
    watch: Watch<'a>,
) -> Result<FirstPass<'a>, Stop> {
    let bare =
        |prepared| FirstPass { prepared, listed: None, cheapest: None, narrow: None, is_checked: true };
    let is_roomy = problem.total_capacity() > problem.jobs() as u64;
    let suits = !is_product && rows::suit(problem);
    if suits && problem.resources() < FEW_ROWS * problem.jobs() {
        if let Some(Copied { survey, narrow, cheapest }) = rows::survey_narrow(problem, watch)? {
            let prepared = Prepared::of(problem, survey, watch)?;
            return Ok(FirstPass { narrow: Some(narrow), cheapest, ..bare(prepared) });
        }
        if is_roomy && let Some((survey, cheapest)) = rows::survey_and_choose(problem, watch)? {
            let prepared = Prepared::of(problem, survey, watch)?;
            return Ok(FirstPass { cheapest: Some(cheapest), ..bare(prepared) });
        }
    } else if suits {
        // A search under a limit must know at any time what the prices prove.
        let chosen = if watch.is_limited() {
            rows::survey_and_choose(problem, watch)?
        } else {
            rows::choose(problem, watch)?
        };
        if let Some((survey, cheapest)) = chosen {
            let prepared = Prepared::of(problem, survey, watch)?;
            return Ok(FirstPass { cheapest: Some(cheapest), is_checked: false, ..bare(prepared) });
        }
    }
    if !is_roomy {
        return Ok(bare(Prepared::new(problem, watch)?));
    }
    if is_product || suits {
        return Ok(bare(Prepared::without_columns(problem, watch)?));
    }
    let (prepared, listed) = drive::survey_and_list(problem, watch)?;
    Ok(FirstPass { listed, ..bare(prepared) })
}
