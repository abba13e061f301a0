//! The parsers of instants and durations that are not plain numbers.

/// Parses `YYYY-MM-DDTHH:MM:SS` to seconds since 1970. Logs name no time zone, and none is applied. A blank may replace
/// the `T`, the seconds may be missing, and a fraction of a second and a `Z` may follow. `None` for anything else.
pub(super) fn instant(text: &str) -> Option<f64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (date, time) = text.split_once(['T', ' '])?;
    let mut parts = date.split('-');
    let (year, month, day) = (whole(parts.next()?, 4)?, whole(parts.next()?, 2)?, whole(parts.next()?, 2)?);
    let days = days_to(year, month, day);
    if parts.next().is_some() || !(1..=12).contains(&month) || day < 1 || days >= days_to(year, month + 1, 1)
    {
        return None;
    }
    let (time, fraction) = with_fraction(time)?;
    let mut parts = time.split(':');
    let (hour, minute) = (whole(parts.next()?, 2)?, whole(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |second| whole(second, 2))?;
    // A leap second is written as 60.
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some((days * 86_400 + hour * 3600 + minute * 60 + second) as f64 + fraction)
}

/// Whether a text is a duration such as `hours:minutes:seconds` or `days-hours`, not a number of seconds.
pub(super) fn is_clock(text: &str) -> bool {
    text.contains(':') || text.contains('-') && !text.starts_with('-') && !text.contains(['e', 'E'])
}

/// Parses `[days-]hours:minutes:seconds`, `minutes:seconds`, `days-hours:minutes` or `days-hours`, with or without a
/// fraction of a second, to seconds. `None` for anything else.
pub(super) fn duration(text: &str) -> Option<f64> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (whole(days, 6)?, rest),
        None => (0, text),
    };
    let with_days = text.len() != rest.len();
    let (rest, fraction) = with_fraction(rest)?;
    let parts: Vec<i64> = rest.split(':').map(|part| whole(part, 9)).collect::<Option<_>>()?;
    let seconds = match (parts.as_slice(), with_days) {
        (&[hours], true) => hours * 3600,
        (&[hours, minutes], true) => hours * 3600 + minutes * 60,
        (&[minutes, seconds], false) => minutes * 60 + seconds,
        (&[hours, minutes, seconds], _) => hours * 3600 + minutes * 60 + seconds,
        _ => return None,
    };
    Some((days * 86_400 + seconds) as f64 + fraction)
}

/// Parses a number of 1 to `most` digits.
fn whole(text: &str, most: usize) -> Option<i64> {
    let fits = !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// Splits a time into its text without the fraction of the last second, and that fraction.
fn with_fraction(text: &str) -> Option<(&str, f64)> {
    match text.split_once('.') {
        Some((time, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            Some((time, format!("0.{digits}").parse().ok()?))
        }
        Some(_) => None,
        None => Some((text, 0.0)),
    }
}

/// The number of days from 1970-01-01 to a date of the Gregorian calendar. Month 13 is the next January.
fn days_to(year: i64, month: i64, day: i64) -> i64 {
    // Years are counted from March, so that a leap day is the last day of its year. The five months from March and
    // those from August have 153 days each.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leaps + (153 * month + 2) / 5 + day - 719_469
}
