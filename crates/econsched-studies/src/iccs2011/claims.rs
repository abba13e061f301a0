//! Computes the figures that the claims name.

use super::reading::{EXAMPLE, change, index_by_name, side_index_by_name};
use super::{coverage, mean_of_counted};
use crate::data::{Data, Figure};
use crate::stats::Estimate;

/// Computes the figure that these words name.
pub(super) fn figure(cycles: &Data, budgets: &Data, words: &[&str]) -> Option<Figure> {
    let all = |name| index_by_name(name).map(|at| cycles.moments(at).estimate());
    let counted = |name| index_by_name(name).map(|at| mean_of_counted(cycles, at));
    let ratio = |x, y| Some(cycles.ratio(index_by_name(x)?, index_by_name(y)?));
    Some(match *words {
        // How much less y is than x, in per cent of x: the paper's "15% more" of 369.69 over 313.56.
        ["saving-of-greater", x, y] => ratio(x, y)?.map(|ratio| {
            // The interval of 1 / r by the delta method.
            let half = ratio.half / (ratio.mean * ratio.mean);
            Estimate { mean: 1.0 - 1.0 / ratio.mean, half, ..ratio }.times(100.0)
        }),
        ["covered"] => coverage(cycles),
        ["counted", name] => counted(name)?,
        // Counted cycles against all cycles, in per cent.
        ["counted-excess", name] => {
            let all = all(name)?;
            counted(name)?.map(|counted| {
                let (mean, half) = (counted.mean / all.mean - 1.0, counted.half / all.mean);
                Estimate { mean, half, ..counted }.times(100.0)
            })
        }
        ["counted-difference", name] => {
            let all = all(name)?;
            counted(name)?.map(|counted| {
                let (mean, half) = (counted.mean - all.mean, counted.half + all.half);
                Estimate { mean, half, ..counted }
            })
        }
        ["many-jobs-uncovered"] => {
            let [jobs, plans] = [index_by_name("jobs")?, index_by_name("ALP-plans")?];
            cycles.share_where(|row| (row[jobs] >= 6.0).then_some(row[plans] == 0.0))
        }
        ["smaller-budget", column] => change(budgets, EXAMPLE, side_index_by_name(column)?).into(),
        _ => return cycles.figure(words, index_by_name),
    })
}
