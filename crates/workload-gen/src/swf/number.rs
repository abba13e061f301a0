//! The parser of the numbers of the format.

use super::record::Place;
use super::{DropReason, SwfField, SwfRecord};

/// Parses `token` and stores the value in a field of a record.
pub(crate) fn read(record: &mut SwfRecord, field: SwfField, token: &[u8]) -> Result<(), DropReason> {
    match record.place(field) {
        Place::Count(place) => *place = count(token)?,
        Place::Real(place) => *place = real(token)?,
    }
    Ok(())
}

/// The first 40 characters of a text, without control characters, for a message.
pub(crate) fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().filter(|letter| !letter.is_control()).take(40).collect()
}

/// Parses a token of 1 to `limit` digits; `None` for any other token.
fn digits(token: &[u8], limit: usize) -> Option<u64> {
    if token.is_empty() || token.len() > limit {
        return None;
    }
    let mut value = 0;
    for &b in token {
        if !b.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(b - b'0');
    }
    Some(value)
}

/// Parses a finite number that is not negative; `None` for -1.
pub(crate) fn real(token: &[u8]) -> Result<Option<f64>, DropReason> {
    if token == b"-1" {
        return Ok(None);
    }
    // Up to 15 digits are exact in an f64.
    if let Some(value) = digits(token, 15) {
        return Ok(Some(value as f64));
    }
    let value = std::str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(-1.0) => Ok(None),
        Some(value) if value.is_finite() && value < 0.0 => Err(DropReason::Negative { text: shown(token) }),
        // The addition turns -0 into 0.
        Some(value) if value.is_finite() => Ok(Some(value + 0.0)),
        _ => Err(DropReason::NotANumber { text: shown(token) }),
    }
}

/// Parses a whole number that is not negative; `None` for -1.
fn count(token: &[u8]) -> Result<Option<u64>, DropReason> {
    // Up to 19 digits cannot overflow a u64.
    if let Some(value) = digits(token, 19) {
        return Ok(Some(value));
    }
    if token.iter().all(u8::is_ascii_digit) {
        let value = std::str::from_utf8(token).ok().and_then(|text| text.parse().ok());
        return value.map(Some).ok_or_else(|| DropReason::TooLarge { text: shown(token) });
    }
    match real(token)? {
        None => Ok(None),
        Some(value) if value.fract() != 0.0 => Err(DropReason::NotWhole { text: shown(token) }),
        // 2^64 as an f64 is exact, and every whole f64 below it fits.
        Some(value) if value < 18_446_744_073_709_551_616.0 => Ok(Some(value as u64)),
        Some(_) => Err(DropReason::TooLarge { text: shown(token) }),
    }
}
