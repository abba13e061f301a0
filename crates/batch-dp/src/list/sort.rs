//! Sorts that ask limit and signal in between, where what is sorted is long.

use super::state::{Step, rising};
use crate::number::Number;
use sched_model::sort_in_parts;
use std::cmp::Ordering;

/// So many values are sorted without a question.
pub(crate) const SORTED: usize = 1 << 12;

/// So many values are merged or copied in the time in which one is sorted within its part.
const QUICKER: usize = 4;

/// Sorts values; equal ones keep their order. Where they are many, it asks before each part: for each value that it
/// sorts, and for a quarter of those that it merges. An error of `ask` leaves them in no particular order.
pub(crate) fn sort<T: Copy, E>(
    values: &mut Vec<T>,
    order: impl Fn(&T, &T) -> Ordering,
    mut ask: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    // First all parts are sorted, then they are merged.
    let mut unsorted = values.len();
    sort_in_parts(values, SORTED, order, |visits| {
        // A part has few values.
        let visits = visits as usize;
        let is_sorted = unsorted == 0;
        unsorted = unsorted.saturating_sub(visits);
        ask(if is_sorted { visits.div_ceil(QUICKER) } else { visits })
    })
}

/// By rising `w`, then `p`; equal ones by the index of the alternative.
fn by_weight<P: Number, W: Number>(a: &Step<P, W>, b: &Step<P, W>) -> Ordering {
    rising((a.w, a.p), (b.w, b.p)).then(a.alt.cmp(&b.alt))
}

/// Keeps of the steps from `from` on those that no other dominates, by rising `w`; of equal ones the first.
/// Where they are many, it asks as [`sort`] does; after an error of `ask` the steps from `from` on are any of
/// them.
pub(crate) fn undominated<P: Number, W: Number, E>(
    steps: &mut Vec<Step<P, W>>,
    from: usize,
    mut ask: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    let (mut end, mut least) = (from, P::TOP);
    let mut is_kept = |step: &Step<P, W>| {
        let is_better = step.p < least;
        if is_better {
            least = step.p;
        }
        is_better
    };
    if steps.len() - from <= SORTED {
        steps[from..].sort_by(&mut by_weight);
        for at in from..steps.len() {
            if is_kept(&steps[at]) {
                steps[end] = steps[at];
                end += 1;
            }
        }
        steps.truncate(end);
        return Ok(());
    }
    let mut own = Vec::with_capacity(steps.len() - from);
    for part in steps[from..].chunks(SORTED) {
        ask(part.len().div_ceil(QUICKER))?;
        own.extend_from_slice(part);
    }
    sort(&mut own, by_weight, &mut ask)?;
    steps.truncate(from);
    for part in own.chunks(SORTED) {
        ask(part.len().div_ceil(QUICKER))?;
        steps.extend(part.iter().filter(|step| is_kept(step)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(p: f64, w: f64, alt: u32) -> Step {
        Step { p, w, alt }
    }

    #[test]
    fn undominated_steps_rise_in_w_and_fall_in_p() {
        let mut steps = vec![
            step(0.0, 0.0, 9),
            step(5.0, 2.0, 0),
            step(3.0, 4.0, 1),
            step(5.0, 2.0, 2),
            step(3.0, 5.0, 3),
        ];
        undominated(&mut steps, 1, |_| Err(())).unwrap();
        assert_eq!(steps.iter().map(|s| s.alt).collect::<Vec<_>>(), [9, 0, 1]);
    }

    /// Of many steps, each with a dominated one beside it, in any order.
    #[test]
    fn many_steps_are_sorted_with_questions() {
        let count = 20_000_u32;
        // 7,919 is prime, so that every place occurs once.
        let places = (0..count).map(|at| f64::from(at * 7_919 % count));
        let mut steps = vec![step(-1.0, 9e9, u32::MAX)];
        for (place, alt) in places.zip(0..) {
            steps.push(step(-place, place, 2 * alt + 1));
            steps.push(step(0.5 - place, place, 2 * alt));
        }
        let (mut asked, mut greatest) = (0, 0);
        let ask = |visits: usize| {
            (asked, greatest) = (asked + visits, greatest.max(visits));
            Ok::<(), ()>(())
        };
        undominated(&mut steps, 1, ask).unwrap();
        assert_eq!(steps.len(), 1 + count as usize);
        assert!(
            steps[1..].iter().zip(0..).all(|(step, place)| step.w == f64::from(place) && step.alt % 2 == 1)
        );
        // Each sorted once, copied twice, and merged once for each doubling of the parts, of which there are ten.
        let all = 2 * count as usize;
        assert!((all + 6 * all / QUICKER..all + 6 * all / QUICKER + 100).contains(&asked), "{asked}");
        assert_eq!(greatest, SORTED);
    }

    #[test]
    fn a_sort_of_many_ends_where_it_is_told_to() {
        let values: Vec<u32> = (0..20_000).rev().collect();
        for most in 0..12 {
            let mut asked = 0;
            let ended = sort(&mut values.clone(), Ord::cmp, |_| {
                asked += 1;
                if asked > most { Err(()) } else { Ok(()) }
            });
            assert_eq!((ended, asked), (Err(()), most + 1));
        }
    }
}
