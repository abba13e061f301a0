//! The first pass over the costs: each is checked. Where places are left over, the cheapest resource of each
//! job is found; where not, the least of each column, and costs of few bits are copied at half the width.

use crate::AssignmentProblem;
use crate::kernel::source::{Row, Source};
use crate::kernel::stop::Stop;
use crate::kernel::survey::{Grid, Survey};
use crate::kernel::watch::Watch;
use crate::rows::costs::Narrow;
use crate::rows::narrowing::{copy_and_choose, copy_and_lower};

/// The work of an entry here, in entries of a plain loop.
const WORK_FIRST: u64 = 2;

/// The most costs that are copied: 256 MiB.
const MOST_COPIED: usize = 1 << 26;

/// The result of a pass that copies the costs.
pub(crate) struct Copied<'w> {
    /// The survey of the costs.
    pub(crate) survey: Survey,
    /// The costs in 32 bits.
    pub(crate) narrow: Narrow<'w>,
    /// The first of the cheapest resources of each job, where places are left over.
    pub(crate) cheapest: Option<Vec<u32>>,
}

/// A copy of the costs in 32 bits, with their survey; `None` where these are not a full matrix of numbers of
/// few bits, which the caller must then check, or where the limit leaves no memory for the copy.
pub(crate) fn survey_narrow<'w>(
    problem: &AssignmentProblem<'_>,
    watch: Watch<'w>,
) -> Result<Option<Copied<'w>>, Stop> {
    let source = Source::new(problem);
    let (n, m) = (source.rows(), source.cols());
    let grid = Grid::of(&source, &mut Vec::new());
    let most = Narrow::greatest_cost(grid.step());
    if !grid.is_coarse() || n.saturating_mul(m) > MOST_COPIED {
        return Ok(None);
    }
    let Some(counted) = watch.room::<f32>(n * m, n) else { return Ok(None) };
    let mut values = Vec::with_capacity(n * m);
    let mut copy = vec![0.0f32; m];
    let mut columns = vec![f32::INFINITY; m];
    let mut cheapest = (n < m).then(|| Vec::with_capacity(n));
    let mut greatest = 0.0f32;
    let mut buffer = Vec::new();
    for i in 0..n {
        watch.spend(WORK_FIRST * source.entries(i))?;
        let Row::Full(row) = source.row(i, &mut buffer) else { return Ok(None) };
        let copied = match &mut cheapest {
            Some(cheapest) => {
                let (copied, at) = copy_and_choose(row, grid.magic, &mut copy);
                cheapest.push(at as u32);
                copied
            }
            None => copy_and_lower(row, grid.magic, &mut copy, &mut columns),
        };
        greatest = if copied.greatest > greatest { copied.greatest } else { greatest };
        if copied.off != 0 || f64::from(greatest) > most {
            return Ok(None);
        }
        values.extend_from_slice(&copy);
    }
    let greatest = f64::from(greatest);
    let column_least = columns.into_iter().map(f64::from).collect();
    let survey = Survey { column_least, forbidden: false, step: grid.step_up_to(greatest), greatest };
    let narrow = Narrow::new(values, counted, m, (grid.step(), greatest));
    Ok(Some(Copied { survey, narrow, cheapest }))
}
