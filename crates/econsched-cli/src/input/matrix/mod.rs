//! Matrix files: CSV, headed lists of values, OR-Library, DIMACS.

mod dimacs;
mod plain;

use crate::error::{CliError, Place};
use crate::output::terminal::exact;
use econsched::auction_assign::{AssignError, Costs};
use econsched::sched_model::{EtcMatrix, ModelError};
use std::path::Path;

/// A file's matrix of jobs (rows) against resources (columns), before anything is made of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    /// The names of the rows.
    pub(crate) rows: Vec<String>,
    /// The names of the columns.
    pub(crate) cols: Vec<String>,
    pub(crate) cells: Cells,
    /// Jobs that a resource may hold; `None` where the format does not say: one each.
    pub(crate) capacities: Option<Vec<u32>>,
}

/// The values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cells {
    /// All of them, row after row; infinity for a forbidden pair.
    Dense(Vec<f64>),
    /// The entries that exist, as compressed rows.
    Sparse { offsets: Vec<usize>, columns: Vec<u32>, values: Vec<f64> },
}

/// The names of so many rows or columns that have none: numbers from 0.
fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|number| number.to_string()).collect()
}

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Recognised from the text
    Auto,
    /// One row on each line, cells separated by `,` or `;`; an empty cell, `-` or `inf` forbids the pair
    Csv,
    /// One row on each line, cells separated by blanks; `-` or `inf` forbids the pair
    Table,
    /// "rows columns [x]" on the first line, then all values
    Headed,
    /// The size n, then n x n costs
    OrLibrary,
    /// `p asn`, or `p min` with unit supplies and direct arcs
    Dimacs,
}

/// Which cells of a CSV file or a table are names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Naming {
    /// The first line if all of its cells are names; also the first column if all of its cells are names
    Auto,
    /// No cell
    None,
    /// The first line
    FirstLine,
    /// The first column
    FirstColumn,
    /// The first line and the first column
    Both,
}

/// How a matrix file is read, as flags.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Reading {
    /// How the matrix is written
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) format: Format,
    /// Which cells of a CSV file or a table are names of jobs and resources
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) names: Naming,
}

impl Format {
    /// The format that a text looks like.
    ///
    /// # Errors
    /// [`CliError::Input`] where two formats fit and give different matrices.
    fn guess(text: &str, path: &Path) -> Result<Self, CliError> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or("");
        let words: Vec<&str> = first.split_whitespace().collect();
        let counts: Option<Vec<usize>> = words.iter().map(|word| word.parse().ok()).collect();
        if matches!(words.first(), Some(&("c" | "p"))) {
            return Ok(Self::Dimacs);
        }
        if text.contains([',', ';']) {
            return Ok(Self::Csv);
        }
        let (mut table, mut values) = (words.len() > 1, 0usize);
        for line in lines {
            let cells = line.split_whitespace().count();
            values += cells;
            table &= cells == words.len();
        }
        match counts.as_deref() {
            Some([_]) if values > 0 => Ok(Self::OrLibrary),
            Some(&[rows, cols] | &[rows, cols, _]) => {
                let headed = rows.checked_mul(cols) == Some(values);
                if headed && table && values > 0 {
                    let message = format!(
                        "`{first}` may be the size of the matrix or its first row: choose by --format headed or \
                         --format table"
                    );
                    return Err(CliError::input(Place::file(path).line(1), message));
                }
                Ok(if table && !headed { Self::Table } else { Self::Headed })
            }
            _ if words.len() > 1 => Ok(Self::Table),
            _ => Ok(Self::Csv),
        }
    }
}

impl Matrix {
    /// Reads a matrix.
    ///
    /// # Errors
    /// [`CliError::Input`] with line and field.
    pub(crate) fn parse(text: &str, path: &Path, reading: Reading) -> Result<Self, CliError> {
        let format = if reading.format == Format::Auto { Format::guess(text, path)? } else { reading.format };
        let named = matches!(format, Format::Auto | Format::Csv | Format::Table);
        if !named && !matches!(reading.names, Naming::Auto | Naming::None) {
            return Err(CliError::usage("--names is for CSV and tables: this format has no names"));
        }
        match format {
            Format::Auto | Format::Csv => plain::csv(text, path, reading.names),
            Format::Table => plain::table(text, path, reading.names),
            Format::Headed => plain::headed(text, path),
            Format::OrLibrary => plain::or_library(text, path),
            Format::Dimacs => dimacs::parse(text, path),
        }
    }

    /// The matrix as costs of an assignment problem.
    ///
    /// # Errors
    /// [`AssignError`] where the shape does not fit, which a reader does not produce.
    pub(crate) fn costs(&self) -> Result<Costs<'_>, AssignError> {
        let (rows, cols) = (self.rows.len(), self.cols.len());
        match &self.cells {
            Cells::Dense(values) => Costs::dense(rows, cols, values),
            Cells::Sparse { offsets, columns, values } => Costs::sparse(rows, cols, offsets, columns, values),
        }
    }

    /// The matrix as expected times to compute.
    ///
    /// # Errors
    /// [`CliError::Input`] for a pair without a time, or one that is no time.
    pub(crate) fn into_etc(self, path: &Path) -> Result<EtcMatrix, CliError> {
        match self.cells {
            Cells::Dense(values) => {
                EtcMatrix::new(self.rows.len(), self.cols.len(), values).map_err(|error| {
                    match error {
                        // People count from 1.
                        ModelError::Cell { row, col, expected, value } => CliError::input(
                            Place::file(path).field(format!("row {}, column {}", row + 1, col + 1)),
                            format!("expected {expected}, got {}", exact(value)),
                        ),
                        error => CliError::input(path, error),
                    }
                })
            }
            Cells::Sparse { .. } => {
                Err(CliError::input(path, "a matrix of times needs a value for every pair"))
            }
        }
    }
}

/// Whether a word is infinity, which forbids a pair. A number too great for a double does not count as
/// infinity.
fn is_infinity(word: &str) -> bool {
    let word = word.strip_prefix('+').unwrap_or(word);
    word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity")
}

/// A finite number in a file, or infinity for a forbidden pair.
fn value(word: &str, at: impl FnOnce() -> Place) -> Result<f64, CliError> {
    match word.parse::<f64>() {
        _ if is_infinity(word) => Ok(f64::INFINITY),
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(CliError::input(at(), format!("expected a finite number, got `{}`", shorten(word)))),
        Err(_) => Err(CliError::input(at(), format!("expected a number, got `{}`", shorten(word)))),
    }
}

/// The head of a word, for a message.
fn shorten(word: &str) -> String {
    if word.chars().count() <= 40 { word.to_owned() } else { word.chars().take(40).chain(['…']).collect() }
}
