//! Results as text: JSON and CSV.

use crate::error::CliError;
use crate::printable::is_unprintable;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

/// `value` as indented JSON that ends in a line break. Control characters of terminals are escaped.
///
/// # Errors
/// [`CliError::Fault`] for a value that JSON cannot hold.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<String, CliError> {
    Ok(escaped(serde_json::to_string_pretty(value).map_err(CliError::fault)?))
}

fn escaped(mut text: String) -> String {
    text.push('\n');
    // Outside of strings, the line break is the only such character in JSON.
    if !text.chars().any(is_unprintable) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unprintable(c) {
            // All of them lie below U+10000.
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Rows as CSV text, headings first. A cell that a spreadsheet would take for a formula begins with an
/// apostrophe; a number of more than [`WIDEST`] characters is written with an exponent.
///
/// # Errors
/// [`CliError::Fault`] if a row does not have as many cells as the headings.
pub(crate) fn csv<H, R>(headings: &[H], rows: impl IntoIterator<Item = R>) -> Result<String, CliError>
where
    H: AsRef<str>,
    R: IntoIterator,
    R::Item: Into<String>,
{
    let headings: Vec<&str> = headings.iter().map(AsRef::as_ref).collect();
    let mut rows = rows.into_iter().map(|row| row.into_iter().map(Into::into).collect());
    let mut bytes = Vec::new();
    write_csv(&mut bytes, &headings, &mut rows).map_err(CliError::fault)?;
    String::from_utf8(bytes).map_err(CliError::fault)
}

/// A column of a table: its heading, and the cell of a row.
pub(crate) type Column<'a, R> = (&'a str, &'a dyn Fn(&R) -> String);

/// As [`csv()`], of columns.
///
/// # Errors
/// None in practice: each row has a cell for each heading.
pub(crate) fn table<R>(
    rows: impl IntoIterator<Item = R>,
    columns: &[Column<'_, R>],
) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    write_table(&mut bytes, rows, columns).map_err(CliError::fault)?;
    String::from_utf8(bytes).map_err(CliError::fault)
}

/// As [`table`], row by row.
///
/// # Errors
/// What `out` says.
pub(crate) fn write_table<R>(
    out: &mut dyn io::Write,
    rows: impl IntoIterator<Item = R>,
    columns: &[Column<'_, R>],
) -> io::Result<()> {
    let headings: Vec<&str> = columns.iter().map(|(heading, _)| *heading).collect();
    let cells = |row: R| columns.iter().map(|(_, cell)| cell(&row)).collect();
    write_csv(out, &headings, &mut rows.into_iter().map(cells))
}

fn write_csv(
    out: &mut dyn io::Write,
    headings: &[&str],
    rows: &mut dyn Iterator<Item = Vec<String>>,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(headings.iter().map(|cell| guarded(cell).into_owned()))?;
    for row in rows {
        for cell in &row {
            writer.write_field(shortened(guarded(cell)).as_bytes())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// The greatest number of characters of a number: a sign, a point, 17 digits, and some zeros.
const WIDEST: usize = 24;

/// A cell in which a double of very many digits has an exponent instead. It reads as the same double.
fn shortened(cell: Cow<'_, str>) -> Cow<'_, str> {
    let digits = |cell: &str| cell.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
    if cell.len() <= WIDEST || !digits(&cell) {
        return cell;
    }
    match cell.parse::<f64>() {
        Ok(value) if value.to_string() == *cell => Cow::Owned(format!("{value:e}")),
        _ => cell,
    }
}

/// A cell that no spreadsheet takes for a formula: numbers are unchanged, other text that begins like a
/// formula gets an apostrophe before it.
fn guarded(cell: &str) -> Cow<'_, str> {
    let numbers = || cell.split(' ').all(|word| word == "-" || word.parse::<f64>().is_ok());
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && !numbers() {
        Cow::Owned(format!("'{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}
