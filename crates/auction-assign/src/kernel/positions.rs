//! The positions of numbers in a row: blocks are compared at once, and only a block that holds the number is
//! searched.

/// Entries compared at once.
const LANES: usize = 8;

/// Whether a number is among these, all of them compared at once.
#[inline(always)]
fn holds(numbers: &[f64; LANES], wanted: f64) -> bool {
    let mut any = false;
    for number in numbers {
        any |= *number == wanted;
    }
    any
}

/// The first position of a number, 0 if it is absent.
#[inline(always)]
pub(crate) fn first_equal(numbers: &[f64], wanted: f64) -> usize {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for (chunk, numbers) in chunks.iter().enumerate() {
        if holds(numbers, wanted) {
            return chunk * LANES + numbers.iter().position(|&number| number == wanted).unwrap_or(0);
        }
    }
    let at = rest.iter().position(|&number| number == wanted);
    at.map_or(0, |at| numbers.len() - rest.len() + at)
}

/// Adds the positions of a number to `found`, in order.
#[inline(always)]
pub(crate) fn positions_of(numbers: &[f64], wanted: f64, found: &mut Vec<u32>) {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for (chunk, numbers) in chunks.iter().enumerate() {
        if holds(numbers, wanted) {
            let at = numbers.iter().enumerate().filter(|&(_, &number)| number == wanted);
            found.extend(at.map(|(l, _)| (chunk * LANES + l) as u32));
        }
    }
    let last = numbers.len() - rest.len();
    found.extend(rest.iter().zip(last..).filter(|&(&number, _)| number == wanted).map(|(_, at)| at as u32));
}
