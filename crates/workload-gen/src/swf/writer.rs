//! The writer: the archive's column widths, `-1` for what is absent.

use super::record::Value;
use super::{SwfField, SwfHeader, SwfRecord, SwfStatus};
use crate::WorkloadError;
use std::fmt::Write as _;
use std::io::Write;

/// Column widths of the Parallel Workloads Archive, field by field.
const WIDTHS: [usize; 18] = [5, 8, 6, 6, 4, 6, 5, 4, 6, 5, 2, 3, 3, 3, 2, 2, 2, 2];

/// Writes the comment lines.
///
/// # Errors
/// [`WorkloadError::Io`] with what `out` says.
pub fn write_header(out: &mut dyn Write, header: &SwfHeader) -> Result<(), WorkloadError> {
    for line in header.lines() {
        writeln!(out, ";{line}").map_err(|source| WorkloadError::Io { line: 0, source })?;
    }
    Ok(())
}

/// Writes one record as one line. Times with a fractional part are written with as many digits as are needed
/// to read them back exactly.
///
/// # Errors
/// [`WorkloadError::Parameter`] when a value could not be read back: negative or not finite, or an extra
/// field that is empty or holds a blank. [`WorkloadError::Io`] with what `out` says.
pub fn write_record(out: &mut dyn Write, record: &SwfRecord) -> Result<(), WorkloadError> {
    let mut line = String::with_capacity(100);
    let mut cell = String::with_capacity(20);
    for (field, width) in SwfField::ALL.into_iter().zip(WIDTHS) {
        cell.clear();
        // Writing to a string cannot fail.
        let _ = match record.value(field) {
            None => write!(cell, "-1"),
            Some(Value::Count(value) | Value::Status(SwfStatus(value))) => write!(cell, "{value}"),
            Some(Value::Real(value)) if value.is_finite() && value >= 0.0 => write!(cell, "{value}"),
            Some(Value::Real(value)) => {
                return Err(WorkloadError::parameter(field.name(), value, "a finite number, not negative"));
            }
        };
        let gap = if line.is_empty() { "" } else { " " };
        let _ = write!(line, "{gap}{cell:>width$}");
    }
    for extra in &record.extra {
        if extra.is_empty() || extra.contains(|c: char| c.is_ascii_whitespace()) {
            return Err(WorkloadError::parameter("extra field", format!("{extra:?}"), "text without blanks"));
        }
        line.push(' ');
        line.push_str(extra);
    }
    line.push('\n');
    out.write_all(line.as_bytes()).map_err(|source| WorkloadError::Io { line: 0, source })
}
