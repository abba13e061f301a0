//! The least of many numbers: several of them are compared side by side, without a branch for each.

/// Numbers that are compared at once.
pub(crate) const LANES: usize = 4;

/// Fewer numbers are compared one by one.
const FEW: usize = 12;

/// The least of `sign` times each value; infinite where there is none.
pub(crate) fn least(values: &[f64], sign: f64) -> f64 {
    let lesser = |least: f64, value: f64| if value < least { value } else { least };
    let (groups, rest) = values.as_chunks::<LANES>();
    let mut of_lane = [f64::INFINITY; LANES];
    for group in groups {
        of_lane.iter_mut().zip(group).for_each(|(least, &value)| *least = lesser(*least, sign * value));
    }
    let of_rest = rest.iter().map(|&value| sign * value);
    of_lane.into_iter().chain(of_rest).fold(f64::INFINITY, lesser)
}

/// The position of the least value by its sign; ties to the lesser second value by its sign, then to the
/// lower position. `None` where there is no value.
pub(crate) fn lowest((values, sign): (&[f64], f64), (seconds, second_sign): (&[f64], f64)) -> Option<usize> {
    let mut best: Option<usize> = None;
    let is_better = |at: usize, best: usize| second_sign * seconds[at] < second_sign * seconds[best];
    if values.len() < FEW {
        for (at, &value) in values.iter().enumerate() {
            let is_first = best.is_none_or(|best| {
                let (own, other) = (sign * value, sign * values[best]);
                own < other || own == other && is_better(at, best)
            });
            best = if is_first { Some(at) } else { best };
        }
        return best;
    }
    // A product with a sign is exact.
    let least = sign * least(values, sign);
    for (group, own) in values.chunks(LANES).enumerate() {
        if own.iter().fold(false, |any, &value| any | (value == least)) {
            for (lane, _) in own.iter().enumerate().filter(|(_, value)| **value == least) {
                let at = group * LANES + lane;
                if best.is_none_or(|best| is_better(at, best)) {
                    best = Some(at);
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_is_found_at_every_place() {
        for count in 0..30 {
            let mut values = vec![7.0; count];
            assert_eq!(lowest((&values, 1.0), (&values, 1.0)), (count > 0).then_some(0));
            for at in 0..count {
                values[at] = 3.0;
                let greatest: Vec<f64> = values.iter().map(|value| -value).collect();
                assert_eq!((least(&values, 1.0), least(&greatest, -1.0)), (3.0, 3.0));
                assert_eq!(lowest((&values, 1.0), (&values, 1.0)), Some(at), "{count}");
                assert_eq!(lowest((&greatest, -1.0), (&values, 1.0)), Some(at), "{count}");
                values[at] = 7.0;
            }
        }
        assert_eq!(least(&[], 1.0), f64::INFINITY);
    }

    #[test]
    fn ties_go_to_the_lesser_second_value_and_then_to_the_lower_position() {
        let (values, seconds) = ([4.0, 2.0, 2.0, 9.0, 2.0, 2.0], [0.0, 6.0, 5.0, 0.0, 7.0, 5.0]);
        assert_eq!(lowest((&values, 1.0), (&seconds, 1.0)), Some(2));
        assert_eq!(lowest((&values, 1.0), (&seconds, -1.0)), Some(4));
        // A zero is as great as a negative one.
        assert_eq!(lowest((&[0.0, -0.0], 1.0), (&[2.0, 1.0], 1.0)), Some(1));
        // The same among many.
        let among = |values: &[f64]| [values, &[9.0; 20]].concat();
        let (values, seconds) = (among(&values), among(&seconds));
        assert_eq!(lowest((&values, 1.0), (&seconds, 1.0)), Some(2));
        assert_eq!(lowest((&values, 1.0), (&seconds, -1.0)), Some(4));
        assert_eq!(lowest((&among(&[0.0, -0.0]), 1.0), (&among(&[2.0, 1.0]), 1.0)), Some(1));
    }
}
