//! A log in memory, with its header comments and records, and the writer of logs.

use super::record::Value;
use super::{SwfField, SwfReader, SwfRecord, SwfReport};
use crate::WorkloadError;
use std::borrow::Borrow;
use std::fmt::Write as _;
use std::io::{Read, Write};

/// A log: its comments and its records, both in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SwfLog {
    /// The comments.
    pub header: SwfHeader,
    /// The records.
    pub records: Vec<SwfRecord>,
}

impl SwfLog {
    /// Reads a log, plain or gzip, and reports what was dropped. [`SwfReader`] has options.
    ///
    /// # Errors
    /// [`WorkloadError::Io`] if reading or decompressing fails, with the line; [`WorkloadError::TooLarge`] beyond
    /// the limits of [`SwfReader`].
    pub fn read(source: impl Read) -> Result<(SwfLog, SwfReport), WorkloadError> {
        SwfReader::new(source)?.into_log()
    }
}

/// The comments of a log, in the order of the file.
///
/// A line is an entry if it reads `Key: value` or `Key:`, where the key consists of letters, digits, `_` and `-`
/// and starts with a letter. All other lines are free text. Keys may repeat, and lookups ignore case.
///
/// ```
/// use workload_gen::swf::SwfHeader;
/// let mut header = SwfHeader::default();
/// header.push(" MaxProcs: 128 (of 144)");
/// header.push(" Queue: 0 interactive");
/// header.push(" Queue: 1 batch");
/// assert_eq!(header.max_procs(), Some(128));
/// assert_eq!(header.get_all("queue").collect::<Vec<_>>(), ["0 interactive", "1 batch"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SwfHeader {
    lines: Vec<String>,
}

impl SwfHeader {
    /// Adds one comment line; `text` is the text after the `;`. Line ends in it become blanks, and trailing blanks
    /// are removed.
    pub fn push(&mut self, text: &str) {
        let text = text.replace(['\n', '\r'], " ");
        self.lines.push(text.trim_end_matches(blank).to_owned());
    }

    /// All comment lines in order, each without its leading `;`.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The entries, in order.
    fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines.iter().filter_map(|line| entry(line))
    }

    /// The values of all entries with this key, in order.
    pub fn get_all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.entries().filter(move |(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    }

    /// The first word of the first value of a key as a whole number; `None` if the key does not exist or the word is
    /// not a whole number.
    fn number(&self, key: &str) -> Option<i64> {
        self.get_all(key).next()?.split_ascii_whitespace().next()?.parse().ok()
    }

    /// The size of the machine: `MaxProcs`, or `MaxNodes` if `MaxProcs` is missing or not positive; `None` if neither
    /// is positive.
    pub fn max_procs(&self) -> Option<u64> {
        let size = |key| self.number(key).and_then(|n| u64::try_from(n).ok()).filter(|&n| n > 0);
        size("MaxProcs").or_else(|| size("MaxNodes"))
    }

    /// `UnixStartTime`: the instant from which the times of the log count, in seconds since 1970.
    pub fn unix_start_time(&self) -> Option<i64> {
        self.number("UnixStartTime")
    }
}

/// Whether a character is trimmed: ASCII blanks only, so that reading and writing agree for any encoding.
fn blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

/// Splits `Key: value`; `None` if the line is free text. A colon within a word (as in an address) ends no key.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_start_matches(blank).split_once(':')?;
    let mut letters = key.bytes();
    let starts_well = letters.next()?.is_ascii_alphabetic();
    let goes_on = letters.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    let ends_well = value.is_empty() || value.starts_with(blank);
    (starts_well && goes_on && ends_well).then(|| (key, value.trim_start_matches(blank)))
}

/// The column widths of the Parallel Workloads Archive, field by field.
const WIDTHS: [usize; 18] = [5, 8, 6, 6, 4, 6, 5, 4, 6, 5, 2, 3, 3, 3, 2, 2, 2, 2];

/// Writes a log: the comments, then each record as one line. Reading the result gives an equal log without losses.
///
/// Times with a fractional part are written with as many digits as are needed to read them back exactly. `out` should
/// be buffered, because each record is one write.
///
/// ```
/// use workload_gen::swf::{SwfLog, write};
/// let (log, _) = SwfLog::read("; MaxProcs: 4\n1 0 0 9.25 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n".as_bytes())?;
/// let mut text = Vec::new();
/// write(&mut text, &log.header, &log.records)?;
/// assert_eq!(SwfLog::read(&text[..])?.0, log);
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Parameter`] for a value that could not be read back: a time or size that is negative or not
/// finite, or an extra field that is empty or contains a blank. [`WorkloadError::Io`] if writing to `out` fails.
pub fn write<R: Borrow<SwfRecord>>(
    out: &mut dyn Write,
    header: &SwfHeader,
    records: impl IntoIterator<Item = R>,
) -> Result<(), WorkloadError> {
    let failed = |source| WorkloadError::Io { line: 0, source };
    header.lines().iter().try_for_each(|line| writeln!(out, ";{line}")).map_err(failed)?;
    records.into_iter().try_for_each(|record| write_record(out, record.borrow()))?;
    out.flush().map_err(failed)
}

fn write_record(out: &mut dyn Write, record: &SwfRecord) -> Result<(), WorkloadError> {
    let mut line = String::with_capacity(100);
    let mut cell = String::with_capacity(20);
    for (field, width) in SwfField::ALL.into_iter().zip(WIDTHS) {
        cell.clear();
        // Writing to a string cannot fail.
        let _ = match record.value(field) {
            None => write!(cell, "-1"),
            Some(Value::Count(value)) => write!(cell, "{value}"),
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
