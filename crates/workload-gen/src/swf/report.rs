//! The report of what a reader dropped, and why.

use super::SwfField;
use sched_model::internal::counted;
use std::fmt;

/// Why a line or value was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum DropReason {
    /// The line has fewer than 18 fields.
    TooFewFields {
        /// The number of fields of the line.
        found: usize,
    },
    /// The line is longer than 2^20 bytes.
    TooLong,
    /// The text is not a number, or not a finite one.
    NotANumber {
        /// The text, cut after 40 characters.
        text: String,
    },
    /// The number is negative and not -1.
    Negative {
        /// The text, cut after 40 characters.
        text: String,
    },
    /// An instant is earlier than the one that it must not precede.
    Before {
        /// The difference in seconds, cut after 40 characters.
        seconds: String,
        /// The instant that it must not precede: `submission` or `start`.
        what: &'static str,
    },
    /// A count has a fractional part.
    NotWhole {
        /// The text, cut after 40 characters.
        text: String,
    },
    /// The text is not a value of the expected kind.
    Unexpected {
        /// The text, cut after 40 characters.
        text: String,
        /// The expected kind, in words.
        expected: &'static str,
    },
    /// The number of cells in a row differs from the number of columns.
    Cells {
        /// The number of cells of the row.
        found: usize,
        /// The number of columns.
        expected: usize,
    },
    /// A value that the record needs is missing.
    Missing,
    /// The number is too large: a count of 2^64 or more, or processors beyond what the reader of a format takes.
    TooLarge {
        /// The text, cut after 40 characters.
        text: String,
    },
}

impl DropReason {
    /// The reason without the offending value.
    fn kind(&self) -> &'static str {
        match self {
            DropReason::TooFewFields { .. } => "too few fields",
            DropReason::TooLong => "too long",
            DropReason::NotANumber { .. } => "not a number",
            DropReason::Negative { .. } => "negative",
            DropReason::Before { .. } => "in the wrong order",
            DropReason::NotWhole { .. } => "not a whole number",
            DropReason::Unexpected { .. } => "not what is expected",
            DropReason::Cells { .. } => "another number of cells than columns",
            DropReason::Missing => "missing",
            DropReason::TooLarge { .. } => "too large",
        }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DropReason::TooFewFields { found } => {
                write!(f, "{} where 18 are needed", counted(*found, "field"))
            }
            DropReason::TooLong => write!(f, "more than {} bytes", super::MAX_LINE),
            DropReason::NotANumber { text } => write!(f, "`{text}` is not a number"),
            DropReason::Negative { text } => write!(f, "`{text}` is negative"),
            DropReason::Before { seconds, what } => write!(f, "{seconds} s before the {what}"),
            DropReason::NotWhole { text } => write!(f, "`{text}` is not a whole number"),
            DropReason::Unexpected { text, expected } => write!(f, "`{text}` is not {expected}"),
            DropReason::Cells { found, expected } => {
                write!(f, "{} where there are {expected} columns", counted(*found, "cell"))
            }
            DropReason::Missing => write!(f, "missing"),
            DropReason::TooLarge { text } => write!(f, "`{text}` is too large"),
        }
    }
}

/// The extent of a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Lost {
    /// The whole line: the log has one record fewer.
    Line,
    /// One value: the field is absent, but the record stays.
    Value,
}

impl Lost {
    /// The loss if this field cannot be read: the line for job number and submit time, which a record needs.
    pub(crate) fn if_unreadable(field: SwfField) -> Self {
        if matches!(field, SwfField::Job | SwfField::Submit) { Lost::Line } else { Lost::Value }
    }
}

/// A column of a table with named columns.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Column {
    /// Its position, from 1.
    pub number: usize,
    /// Its name in the first line.
    pub name: String,
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {} ({})", self.number, self.name)
    }
}

/// A line or value that was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Dropped {
    /// The line, from 1.
    pub line: u64,
    /// The field that is wrong; `None` if the whole line is.
    pub field: Option<SwfField>,
    /// The column that holds the field, if the text is a table with named columns.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub column: Option<Column>,
    /// The extent of the loss.
    pub lost: Lost,
    /// The reason.
    pub reason: DropReason,
}

impl Dropped {
    /// The field or column and the reason, without the offending value, so that losses can be counted by kind: `wait
    /// time: not a number`.
    pub fn kind(&self) -> String {
        let reason = self.reason.kind();
        match (&self.column, self.field) {
            (Some(column), _) => format!("{column}: {reason}"),
            (None, Some(field)) => format!("{}: {reason}", field.name()),
            (None, None) => format!("line: {reason}"),
        }
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        match (&self.column, self.field) {
            (Some(column), _) => write!(f, ", {column}")?,
            (None, Some(field)) => write!(f, ", {field}")?,
            (None, None) => {}
        }
        let lost = match self.lost {
            Lost::Line => "line",
            Lost::Value => "value",
        };
        write!(f, ": {}; {lost} dropped", self.reason)
    }
}

/// The losses of one pass over a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SwfReport {
    /// The first 10,000 losses, in the order in which they were found; the counts below include all losses.
    pub dropped: Vec<Dropped>,
    /// The number of lines lost.
    pub lost_lines: u64,
    /// The number of values lost.
    pub lost_values: u64,
}

impl fmt::Display for SwfReport {
    /// One line: `2 lines lost, 1 value lost`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lost, {} lost", counted(self.lost_lines, "line"), counted(self.lost_values, "value"))
    }
}

/// The maximum number of losses kept in detail, so that a file that is not a log does not fill the memory.
const MAX_DETAILED: usize = 10_000;

impl SwfReport {
    pub(crate) fn add(&mut self, dropped: Dropped) {
        match dropped.lost {
            Lost::Line => self.lost_lines += 1,
            Lost::Value => self.lost_values += 1,
        }
        if self.dropped.len() < MAX_DETAILED {
            self.dropped.push(dropped);
        }
    }
}
