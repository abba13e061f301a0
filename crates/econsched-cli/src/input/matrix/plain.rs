//! Formats that are a list of numbers: CSV, tables, a header and values, OR-Library.

use super::{Cells, Matrix, Naming, is_infinity, numbers, shorten, value};
use crate::error::{CliError, Place};
use crate::output::terminal::counted;
use crate::printable::one_line;
use csv::StringRecord;
use std::path::Path;

/// Marks of a forbidden pair in CSV and tables.
fn forbids(cell: &str) -> bool {
    cell.is_empty() || cell == "-" || is_infinity(cell)
}

fn is_name(cell: &str) -> bool {
    !forbids(cell) && cell.parse::<f64>().is_err()
}

/// The cells of a line, with its number.
type Line = (u64, StringRecord);

/// One row a line, separated by `,` or `;`.
pub(super) fn csv(text: &str, path: &Path, naming: Naming) -> Result<Matrix, CliError> {
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
        // A line of blanks is not a row. A line of separators is: all its cells are forbidden, and leaving it
        // out would lose a job.
        if record.len() > 1 || record.iter().any(|cell| !cell.is_empty()) {
            lines.push((line, record));
        }
    }
    rows(&lines, path, naming)
}

/// One row a line, separated by blanks.
pub(super) fn table(text: &str, path: &Path, naming: Naming) -> Result<Matrix, CliError> {
    let cells = |line: &str| line.split_whitespace().collect::<StringRecord>();
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let lines: Vec<Line> = lines.map(|(line, number)| (number, cells(line))).collect();
    rows(&lines, path, naming)
}

/// Whether the first line and the first column are names.
///
/// A single cell that is not a number may be a typing error. So the first column is taken for names only if
/// the whole of it and of the first line (except for the corner, where they cross) are names; the first line
/// alone only if the whole of it is, and it has more than one cell.
fn named(lines: &[Line], naming: Naming) -> (bool, bool) {
    match naming {
        Naming::Auto => {}
        Naming::None => return (false, false),
        Naming::FirstLine => return (true, false),
        Naming::FirstColumn => return (false, true),
        Naming::Both => return (true, true),
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

fn rows(lines: &[Line], path: &Path, naming: Naming) -> Result<Matrix, CliError> {
    let (line_named, column_named) = named(lines, naming);
    let header = if line_named { lines.first().map(|(_, cells)| cells) } else { None };
    let rows = &lines[usize::from(header.is_some())..];
    let skip = usize::from(column_named);
    let Some((_, first)) = rows.first() else {
        return Err(CliError::input(path, "no row in this file"));
    };
    let cols = match header {
        // A header may or may not have a cell above the names.
        Some(header) if column_named && header.len() + 1 == first.len() => header.len(),
        Some(header) => header.len().saturating_sub(skip),
        None => first.len().saturating_sub(skip),
    };
    if cols == 0 {
        return Err(CliError::input(path, "no column of values in this file"));
    }
    let mut values = Vec::new();
    for (line, cells) in rows {
        let at = Place::file(path).line(*line);
        if cells.len() != cols + skip {
            let message = format!("expected {}, got {}", counted(cols + skip, "cell"), cells.len());
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
    Ok(Matrix {
        rows: if column_named {
            rows.iter().filter_map(|(_, cells)| cells.get(0)).map(one_line).collect()
        } else {
            numbers(rows.len())
        },
        cols: header.map_or_else(
            || numbers(cols),
            |cells| cells.iter().skip(cells.len() - cols).map(one_line).collect(),
        ),
        cells: Cells::Dense(values),
        capacities: None,
    })
}

/// Words with the line they stand on.
fn words(text: &str) -> impl Iterator<Item = (u64, &str)> {
    text.lines().zip(1..).flat_map(|(words, line)| words.split_whitespace().map(move |word| (line, word)))
}

fn count(word: Option<(u64, &str)>, what: &str, path: &Path) -> Result<usize, CliError> {
    let Some((line, word)) = word else {
        return Err(CliError::input(Place::file(path).field(what), "missing"));
    };
    word.parse().map_err(|_| {
        let at = Place::file(path).line(line).field(what);
        CliError::input(at, format!("expected a count, got `{}`", shorten(word)))
    })
}

/// "rows columns [anything]" on the first line that is not empty, then all values, row after row.
pub(super) fn headed(text: &str, path: &Path) -> Result<Matrix, CliError> {
    let header = text.lines().zip(1u64..).find(|(line, _)| !line.trim().is_empty());
    let (header, line) = header.unwrap_or(("", 1));
    let mut counts = header.split_whitespace().map(|word| (line, word));
    let rows = count(counts.next(), "number of rows", path)?;
    let cols = count(counts.next(), "number of columns", path)?;
    matrix(words(text).skip_while(|(at, _)| *at <= line), rows, cols, path)
}

/// The size n, then n x n costs in any number of lines.
pub(super) fn or_library(text: &str, path: &Path) -> Result<Matrix, CliError> {
    let mut words = words(text);
    let size = count(words.next(), "size", path)?;
    matrix(words, size, size, path)
}

fn matrix<'a>(
    words: impl Iterator<Item = (u64, &'a str)>,
    rows: usize,
    cols: usize,
    path: &Path,
) -> Result<Matrix, CliError> {
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
    Ok(Matrix { rows: numbers(rows), cols: numbers(cols), cells: Cells::Dense(values), capacities: None })
}
