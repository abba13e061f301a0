//! The first pass over the costs, where places are left over: each is checked, and the cheapest resource of
//! each job found.

use crate::Problem;
use crate::kernel::NONE;
use crate::kernel::lanes::{BLOCK, least};
use crate::kernel::source::{Row, Source};
use crate::kernel::stop::Stop;
use crate::kernel::survey::{Check, Survey};
use crate::kernel::watch::Watch;

/// What an entry costs here, as entries that a plain loop reads.
const WORK_FIRST: u64 = 2;

/// What all sums need to know of the costs, and the first of the cheapest resources of each job at prices of
/// 0; `None`, and nothing said, where these are no full matrix of numbers.
pub(crate) fn survey_and_choose(
    problem: &Problem<'_>,
    watch: Watch<'_>,
) -> Result<Option<(Survey, Vec<u32>)>, Stop> {
    let source = Source::new(problem);
    let mut check = Check::new(&source);
    let mut cheapest = vec![NONE; source.rows()];
    let (mut buffer, mut minima) = (Vec::new(), Vec::new());
    for (i, chosen) in cheapest.iter_mut().enumerate() {
        watch.spend(WORK_FIRST * source.entries(i))?;
        let Row::Full(row) = source.row(i, &mut buffer) else { return Ok(None) };
        if !check.least_per_block(row, &mut minima) {
            return Ok(None);
        }
        let level = least(&minima);
        let block = minima.iter().position(|&minimum| minimum == level).unwrap_or(0) * BLOCK;
        let at = row[block..].iter().position(|&cost| cost == level).unwrap_or(0);
        *chosen = (block + at) as u32;
    }
    Ok(Some((check.survey(), cheapest)))
}
