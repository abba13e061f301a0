//! The nearest value that passes a test, next to one that does not: found by binary search, and tested on
//! both sides.

/// The double at this [position](crate::sweep::position).
pub(super) fn at_place(place: i64) -> f64 {
    let size = f64::from_bits(place.unsigned_abs());
    if place < 0 { -size } else { size }
}

/// A whole number that passes the test `does`, and whose neighbour towards `asked` does not pass, between
/// `asked`, which must not pass, and the first of `others` that passes; `None` if none of these passes. Where
/// the test is monotone, it is the nearest to `asked` of all numbers that pass.
///
/// At most 64 calls of `does` beside those for `others`.
///
/// # Errors
/// The first one of `does`.
fn nearest<E>(
    asked: i64,
    others: impl IntoIterator<Item = i64>,
    mut does: impl FnMut(i64) -> Result<bool, E>,
) -> Result<Option<i64>, E> {
    let mut far = None;
    for other in others {
        if other != asked && does(other)? {
            far = Some(other);
            break;
        }
    }
    let Some(mut with) = far else { return Ok(None) };
    let step = if with > asked { 1 } else { -1 };
    // In most cases the first neighbour already passes.
    if with != asked + step && !does(with - step)? {
        return Ok(Some(with));
    }
    let mut without = asked;
    // Invariant: `without` does not pass, `with` does.
    while without + step != with {
        let middle = i64::midpoint(without, with);
        if does(middle)? {
            with = middle;
        } else {
            without = middle;
        }
    }
    Ok(Some(with))
}

/// Changes by position: the position of what is asked for, positions that may help, and the change at each.
pub(super) type Kind<'a, C> = (i64, Vec<i64>, Box<dyn Fn(i64) -> Option<C> + 'a>);

/// Of each kind the nearest change that helps.
pub(super) fn nearest_of_each<C, E>(
    kinds: Vec<Kind<'_, C>>,
    mut helps: impl FnMut(C) -> Result<bool, E>,
) -> Result<Vec<C>, E> {
    let mut found = Vec::new();
    for (asked, others, change) in kinds {
        let nearest = nearest(asked, others, |at| change(at).map_or(Ok(false), &mut helps))?;
        found.extend(nearest.and_then(change));
    }
    Ok(found)
}
