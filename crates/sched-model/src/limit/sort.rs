//! Sorts that can be stopped.

use std::cmp::Ordering;

/// Sorts values as [`slice::sort_by`] does, in parts: before each it calls `ask` with the number of values that
/// the part visits, `part` at most (and two at least). An error of `ask` ends the sort; the values are then in
/// no particular order. What is no longer than a part is sorted without a question.
///
/// For lists so long that a sort takes milliseconds: a search can ask its limit, or a signal, in between. With n
/// values: O(n log n) comparisons, n + n log2(n / part) visits, memory for n values.
///
/// ```
/// use sched_model::{End, Limit, sort_in_parts};
/// let mut values = vec![3, 1, 4, 1, 5, 9, 2, 6];
/// let limit = Limit::default().with_work(16);
/// let mut meter = limit.meter();
/// // Four pairs are sorted, 8 visits; merged to two runs, 8 more; then to one.
/// let ended = sort_in_parts(&mut values, 2, i32::cmp, |visits| meter.spend(visits));
/// assert_eq!((ended, meter.work()), (Err(End::Work), 16));
/// sort_in_parts(&mut values, 2, i32::cmp, |_| Ok::<(), End>(()))?;
/// assert_eq!(values, [1, 1, 2, 3, 4, 5, 6, 9]);
/// # Ok::<(), End>(())
/// ```
///
/// # Errors
/// Those of `ask`.
pub fn sort_in_parts<T: Copy, E>(
    values: &mut Vec<T>,
    part: usize,
    mut compare: impl FnMut(&T, &T) -> Ordering,
    mut ask: impl FnMut(u64) -> Result<(), E>,
) -> Result<(), E> {
    let part = part.max(2);
    if values.len() <= part {
        values.sort_by(&mut compare);
        return Ok(());
    }
    for values in values.chunks_mut(part) {
        ask(values.len() as u64)?;
        values.sort_by(&mut compare);
    }
    let mut merged = Vec::with_capacity(values.len());
    let mut run = part;
    while run < values.len() {
        merged.clear();
        // Runs in order, by pairs; the last may be alone.
        for pair in values.chunks(run.saturating_mul(2)) {
            let (first, second) = pair.split_at(run.min(pair.len()));
            merge((first, second), part, &mut merged, &mut compare, &mut ask)?;
        }
        std::mem::swap(values, &mut merged);
        run = run.saturating_mul(2);
    }
    Ok(())
}

/// Appends two runs in order as one; of equal values those of the first run come first.
fn merge<T: Copy, E>(
    (mut first, mut second): (&[T], &[T]),
    part: usize,
    merged: &mut Vec<T>,
    compare: &mut impl FnMut(&T, &T) -> Ordering,
    ask: &mut impl FnMut(u64) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        let visits = part.min(first.len() + second.len());
        if visits == 0 {
            return Ok(());
        }
        ask(visits as u64)?;
        for _ in 0..visits {
            let from = match (first.first(), second.first()) {
                (Some(a), Some(b)) if compare(a, b) == Ordering::Greater => &mut second,
                (Some(_), _) => &mut first,
                (None, _) => &mut second,
            };
            if let Some((value, rest)) = from.split_first() {
                merged.push(*value);
                *from = rest;
            }
        }
    }
}
