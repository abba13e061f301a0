//! Matrix files: CSV, headed lists of values, OR-Library, DIMACS.

mod dimacs;

use crate::output::terminal::exact;
use crate::prelude::*;
use crate::printable::one_line;
use csv::StringRecord;
use econsched::auction_assign::{AssignError, MAX_COST};

/// A matrix of jobs (rows) and resources (columns) as it is in a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    /// The names of the rows.
    pub(crate) rows: Vec<String>,
    /// The names of the columns.
    pub(crate) cols: Vec<String>,
    pub(crate) cells: Cells,
}

/// The values of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cells {
    /// All values, row after row; infinity for a forbidden pair.
    Dense(Vec<f64>),
    /// The entries that exist, in compressed rows.
    Sparse { offsets: Vec<usize>, columns: Vec<u32>, values: Vec<f64> },
}

/// Returns names for `count` rows or columns that have none: numbers from 0.
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
    /// "rows columns [x]" on the first line, or one size for both, as in OR-Library; then all values
    #[value(alias = "or-library")]
    Headed,
    /// An assignment problem, `p asn`
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

flags! {
    /// Flags that say how a matrix file is read.
    #[derive(Copy)]
    pub(crate) struct Reading {
        /// How the matrix is written
        pub(crate) format: Format = "auto",
        /// Which cells of a CSV file or a table are names of jobs and resources
        pub(crate) names: Naming = "auto",
    }
}

impl Format {
    /// Recognises the format of a text.
    ///
    /// # Errors
    /// [`CliError::Wrong`] if two formats fit and give different matrices.
    fn guess(text: &str, path: &Path) -> Result<Self, CliError> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or("");
        let words: Vec<&str> = first.split_whitespace().collect();
        let counts: Option<Vec<usize>> = words.iter().map(|word| word.parse().ok()).collect();
        if matches!(words.first(), Some(&("c" | "p"))) {
            return Ok(Self::Dimacs);
        }
        if text.contains(',') || text.contains(';') {
            return Ok(Self::Csv);
        }
        let (mut table, mut values) = (words.len() > 1, 0usize);
        for line in lines {
            let cells = line.split_whitespace().count();
            values += cells;
            table &= cells == words.len();
        }
        match counts.as_deref() {
            Some([_]) if values > 0 => Ok(Self::Headed),
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
    /// Reads a matrix from a file.
    ///
    /// # Errors
    /// [`CliError::Wrong`] with line and field.
    pub(crate) fn read(path: &Path, Reading { format, names }: Reading) -> Result<Self, CliError> {
        let text = &files::read_text(path)?;
        let format = if format == Format::Auto { Format::guess(text, path)? } else { format };
        match format {
            Format::Auto | Format::Csv => rows(&csv(text, path)?, path, names),
            Format::Table => rows(&table(text), path, names),
            _ if !matches!(names, Naming::Auto | Naming::None) => {
                Err(CliError::usage("--names is for CSV and tables: this format has no names"))
            }
            Format::Headed => headed(text, path),
            Format::Dimacs => dimacs::parse(text, path),
        }
    }

    /// Returns the matrix as costs of an assignment problem.
    ///
    /// # Errors
    /// [`AssignError`] if the shape does not fit, which no reader produces.
    pub(crate) fn costs(&self) -> Result<Costs<'_>, AssignError> {
        let (rows, cols) = (self.rows.len(), self.cols.len());
        match &self.cells {
            Cells::Dense(values) => Costs::dense(rows, cols, values),
            Cells::Sparse { offsets, columns, values } => Costs::sparse(rows, cols, offsets, columns, values),
        }
    }

    /// Converts the matrix to expected times to compute.
    ///
    /// # Errors
    /// [`CliError::Wrong`] for a pair whose time is missing or invalid.
    pub(crate) fn into_etc(self, path: &Path) -> Result<EtcMatrix, CliError> {
        let Cells::Dense(values) = self.cells else {
            return Err(CliError::input(path, "a matrix of times needs a value for every pair"));
        };
        EtcMatrix::new(self.rows.len(), self.cols.len(), values).map_err(|error| match error {
            // The numbers shown to people count from 1.
            ModelError::Cell { row, col, expected, value } => CliError::field(
                path,
                format!("row {}, column {}", row + 1, col + 1),
                format!("expected {expected}, got {}", exact(value)),
            ),
            error => CliError::input(path, error),
        })
    }
}

/// Whether a word is infinity, which forbids a pair. A number too large for a double is not infinity.
fn is_infinity(word: &str) -> bool {
    let word = word.strip_prefix('+').unwrap_or(word);
    word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity")
}

/// Parses a number, or infinity for a forbidden pair.
fn value(word: &str, at: impl FnOnce() -> Place) -> Result<f64, CliError> {
    let expected = match word.parse::<f64>() {
        _ if is_infinity(word) => return Ok(f64::INFINITY),
        Ok(value) if value.abs() <= MAX_COST => return Ok(value),
        Ok(_) => format!("a magnitude of at most {MAX_COST:e}"),
        Err(_) => "a number".to_owned(),
    };
    Err(CliError::input(at(), format!("expected {expected}, got `{}`", shorten(word))))
}

/// Returns the beginning of a word, for a message.
fn shorten(word: &str) -> String {
    if word.chars().count() <= 40 { word.to_owned() } else { word.chars().take(40).chain(['…']).collect() }
}

/// Whether a cell of a CSV file or a table forbids the pair.
fn forbids(cell: &str) -> bool {
    cell.is_empty() || cell == "-" || is_infinity(cell)
}

fn is_name(cell: &str) -> bool {
    !forbids(cell) && cell.parse::<f64>().is_err()
}

/// The cells of a line, with its line number.
type Line = (u64, StringRecord);

/// Splits CSV text into rows, one per line, with cells separated by `,` or `;`.
fn csv(text: &str, path: &Path) -> Result<Vec<Line>, CliError> {
    let separator = if text.lines().next().is_some_and(|line| line.contains(';')) { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| CliError::input(path, error))?;
        let line = record.position().map_or(0, csv::Position::line);
        // A blank line is not a row. A line of separators is one: all its cells are forbidden, and leaving it out
        // would lose a job.
        if record.len() > 1 || record.iter().any(|cell| !cell.is_empty()) {
            lines.push((line, record));
        }
    }
    Ok(lines)
}

/// Splits a table into rows, one per line, with cells separated by blanks.
fn table(text: &str) -> Vec<Line> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines.map(|(line, number)| (number, line.split_whitespace().collect())).collect()
}

/// Whether the first line and the first column are names.
///
/// A single cell that is not a number may be a typing error. So the first column counts as names only if all its
/// cells and all cells of the first line (except the corner, where they cross) are names; the first line alone only
/// if all its cells are names and there are several.
fn named(lines: &[Line], naming: Naming) -> (bool, bool) {
    if naming != Naming::Auto {
        let is_any = |of: [Naming; 2]| of.contains(&naming);
        return (is_any([Naming::FirstLine, Naming::Both]), is_any([Naming::FirstColumn, Naming::Both]));
    }
    let Some(((_, header), rows)) = lines.split_first() else { return (false, false) };
    let corner = usize::from(rows.first().is_some_and(|(_, cells)| cells.len() <= header.len()));
    let line = header.len() > corner && header.iter().skip(corner).all(is_name);
    let column = !rows.is_empty() && rows.iter().all(|(_, cells)| cells.get(0).is_some_and(is_name));
    if line && column {
        return (true, true);
    }
    (line && header.len() > 1 && header.get(0).is_some_and(is_name), false)
}

/// Builds the matrix of these lines, which may begin with names.
fn rows(lines: &[Line], path: &Path, naming: Naming) -> Result<Matrix, CliError> {
    let (line_named, column_named) = named(lines, naming);
    let (header, rows) = lines.split_at(lines.len().min(line_named.into()));
    let Some((_, first)) = rows.first() else {
        return Err(CliError::input(path, "no row in this file"));
    };
    let (header, skip) = (header.first().map(|(_, cells)| cells), usize::from(column_named));
    // A header may or may not have a cell above the names.
    let cornerless = |header: &StringRecord| usize::from(column_named && header.len() + 1 == first.len());
    let width = header.map_or(first.len(), |header| header.len() + cornerless(header));
    if width <= skip {
        return Err(CliError::input(path, "no column of values in this file"));
    }
    let mut values = Vec::new();
    for (line, cells) in rows {
        let at = Place::file(path).line(*line);
        if cells.len() != width {
            let message = format!("expected {}, got {}", counted(width, "cell"), cells.len());
            return Err(CliError::input(at, message));
        }
        for (column, cell) in cells.iter().enumerate().skip(skip) {
            let at = || at.clone().field(format!("column {}", column + 1));
            let at_edge = column == 0 || *line == lines[0].0;
            if is_name(cell) && at_edge && naming == Naming::Auto {
                let cell = shorten(cell);
                let message = format!("expected a number, got `{cell}`; for names, see --names");
                return Err(CliError::input(at(), message));
            }
            values.push(if forbids(cell) { f64::INFINITY } else { value(cell, at)? });
        }
    }
    let row_names = || rows.iter().filter_map(|(_, cells)| cells.get(0)).map(one_line).collect();
    Ok(Matrix {
        rows: if column_named { row_names() } else { numbers(rows.len()) },
        cols: header.map_or_else(
            || numbers(width - skip),
            |names| names.iter().skip(skip - cornerless(names)).map(one_line).collect(),
        ),
        cells: Cells::Dense(values),
    })
}

/// Parses "rows columns [anything]" on the first line that is not empty, or one size for both; then all values, row
/// after row, on any number of lines.
fn headed(text: &str, path: &Path) -> Result<Matrix, CliError> {
    let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let (first, number) = lines.next().unwrap_or(("", 1));
    let mut sizes = first.split_whitespace();
    let count = |word: &str, what: &str| {
        let at = || Place::file(path).line(number).field(what);
        let wrong = |_| CliError::input(at(), format!("expected a count, got `{}`", shorten(word)));
        word.parse::<usize>().map_err(wrong)
    };
    let rows = count(sizes.next().unwrap_or(""), "number of rows")?;
    let cols = sizes.next().map_or(Ok(rows), |word| count(word, "number of columns"))?;
    let words = lines.flat_map(|(line, number)| line.split_whitespace().map(move |word| (number, word)));
    let mut values = Vec::new();
    for (line, word) in words {
        let at = || {
            let (row, column) = (values.len() / cols.max(1) + 1, values.len() % cols.max(1) + 1);
            Place::file(path).line(line).field(format!("row {row}, column {column}"))
        };
        let value = value(word, at)?;
        values.push(value);
    }
    if rows == 0 || cols == 0 {
        return Err(CliError::input(path, format!("{rows} x {cols}: a matrix needs a row and a column")));
    }
    if rows.checked_mul(cols) != Some(values.len()) {
        let message = format!("{rows} x {cols} values expected, got {}", values.len());
        return Err(CliError::input(path, message));
    }
    Ok(Matrix { rows: numbers(rows), cols: numbers(cols), cells: Cells::Dense(values) })
}
