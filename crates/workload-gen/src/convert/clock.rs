//! Instants and durations as people and Slurm write them.

/// Seconds since 1970 of `YYYY-MM-DDTHH:MM:SS`, without conversion, since logs name no time zone. A blank may
/// stand for the `T`; a `Z` and a fraction of a second may follow. `None` for anything else.
pub(super) fn instant(text: &str) -> Option<f64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (date, time) = text.split_once(['T', ' '])?;
    let mut parts = date.split('-');
    let (year, month, day) = (whole(parts.next()?, 4)?, whole(parts.next()?, 2)?, whole(parts.next()?, 2)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    let (time, fraction) = match time.split_once('.') {
        Some((time, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) && !digits.is_empty() => {
            (time, format!("0.{digits}").parse().ok()?)
        }
        Some(_) => return None,
        None => (time, 0.0),
    };
    let mut parts = time.split(':');
    let (hour, minute) = (whole(parts.next()?, 2)?, whole(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |second| whole(second, 2))?;
    // A leap second is written as 60.
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let days = days_to(year, month, day);
    Some((days * 86_400 + hour * 3600 + minute * 60 + second) as f64 + fraction)
}

/// Seconds of `[days-]hours:minutes:seconds`, `minutes:seconds`, or `days-hours`, with a fraction of a second
/// or not. `None` for anything else.
pub(super) fn duration(text: &str) -> Option<f64> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (whole(days, 6)?, rest),
        None => (0, text),
    };
    let with_days = text.len() != rest.len();
    let (rest, fraction) = match rest.split_once('.') {
        Some((rest, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            (rest, format!("0.{digits}").parse().ok()?)
        }
        Some(_) => return None,
        None => (rest, 0.0),
    };
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

/// A number of at most so many digits.
fn whole(text: &str, most: usize) -> Option<i64> {
    let fits = !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap(year)),
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn days_to(year: i64, month: i64, day: i64) -> i64 {
    let leaps =
        |year: i64| (year - 1).div_euclid(4) - (year - 1).div_euclid(100) + (year - 1).div_euclid(400);
    let before = (year - 1970) * 365 + leaps(year) - leaps(1970);
    before + (1..month).map(|month| days_of(year, month)).sum::<i64>() + day - 1
}
