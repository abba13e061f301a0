//! Computes the figures that the claims name.

use super::reading::{EXAMPLE, change, place, place_of_side};
use super::{coverage, of_counted};
use crate::data::{Data, Figure};
use crate::stats::Estimate;

/// Computes the figure that these words name.
pub(super) fn figure(cycles: &Data, budgets: &Data, words: &[&str]) -> Option<Figure> {
    let all = |name| place(name).map(|at| cycles.moments(at).estimate());
    let counted = |name| place(name).map(|at| of_counted(cycles, at));
    let ratio = |x, y| Some(cycles.ratio(place(x)?, place(y)?));
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
            let [jobs, plans] = [place("jobs")?, place("ALP-plans")?];
            cycles.often(|row| (row[jobs] >= 6.0).then_some(row[plans] == 0.0))
        }
        ["smaller-budget", column] => change(budgets, EXAMPLE, place_of_side(column)?).into(),
        _ => return cycles.figure(words, place),
    })
}
