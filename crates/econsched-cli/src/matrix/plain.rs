//! Formats that are a list of numbers: CSV, a header and values, OR-Library.

use super::{Cells, Matrix, Names, shorten, value};
use crate::error::{CliError, Place};
use std::path::Path;

/// Marks of a forbidden pair in CSV.
fn forbids(cell: &str) -> bool {
    cell.is_empty() || cell == "-" || cell.eq_ignore_ascii_case("inf")
}

fn reads_as_cell(cell: &str) -> bool {
    forbids(cell) || cell.parse::<f64>().is_ok()
}

/// One row a line, separated by `,` or `;`. The first line holds names if any cell of it is neither a number nor
/// forbids; the first column does if its first cell below is such.
pub(super) fn csv(text: &str, path: &Path) -> Result<Matrix, CliError> {
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
        if record.iter().any(|cell| !cell.is_empty()) {
            lines.push((line, record));
        }
    }
    let header =
        lines.first().filter(|(_, cells)| !cells.iter().all(reads_as_cell)).map(|(_, cells)| cells.clone());
    let rows = &lines[usize::from(header.is_some())..];
    let named = rows.iter().any(|(_, cells)| cells.get(0).is_some_and(|cell| !reads_as_cell(cell)));
    let skip = usize::from(named);
    let cols = match (&header, rows.first()) {
        // A header may or may not have a cell above the names.
        (Some(header), Some((_, first))) if named && header.len() + 1 == first.len() => header.len(),
        (Some(header), _) => header.len() - skip,
        (None, Some((_, first))) => first.len() - skip,
        (None, None) => return Err(CliError::input(path, "no row in this file")),
    };
    let mut values = Vec::with_capacity(rows.len() * cols);
    for (line, cells) in rows {
        let at = Place::file(path).line(*line);
        if cells.len() != cols + skip {
            let message = format!("expected {} cells, got {}", cols + skip, cells.len());
            return Err(CliError::input(at, message));
        }
        for (column, cell) in cells.iter().skip(skip).enumerate() {
            let place = || at.clone().field(format!("column {}", column + 1 + skip));
            values.push(if forbids(cell) { f64::INFINITY } else { value(cell, place)? });
        }
    }
    let names = |cells: Vec<&str>| Names::Given(cells.into_iter().map(str::to_owned).collect());
    Ok(Matrix {
        rows: if named {
            names(rows.iter().filter_map(|(_, cells)| cells.get(0)).collect())
        } else {
            Names::Numbers(rows.len())
        },
        cols: header
            .map_or(Names::Numbers(cols), |cells| names(cells.iter().skip(cells.len() - cols).collect())),
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
            let (row, column) = (values.len() / cols.max(1), values.len() % cols.max(1));
            Place::file(path).line(line).field(format!("row {row}, column {column}"))
        };
        let value = value(word, at)?;
        values.push(value);
    }
    if rows.checked_mul(cols) != Some(values.len()) {
        let message = format!("{rows} x {cols} values expected, got {}", values.len());
        return Err(CliError::input(path, message));
    }
    Ok(Matrix {
        rows: Names::Numbers(rows),
        cols: Names::Numbers(cols),
        cells: Cells::Dense(values),
        capacities: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::*;

    fn parse(text: &str) -> Result<Matrix, CliError> {
        Matrix::parse(text, Path::new("m"), Format::Auto)
    }

    #[test]
    fn csv_with_and_without_names() {
        let bare = parse("1,2\n3,inf\n").unwrap();
        assert_eq!(bare.cells, Cells::Dense(vec![1.0, 2.0, 3.0, f64::INFINITY]));
        let named = parse("job,r1,r2\na,1,2\nb,3,-\n").unwrap();
        assert_eq!(named.cells, bare.cells);
        assert_eq!((named.rows.get(1), named.cols.get(0)), ("b".to_owned(), "r1".to_owned()));
        let without_corner = parse("r1;r2\na;1;2\nb;3;\n").unwrap();
        assert_eq!(without_corner.cols, named.cols);
        assert_eq!(without_corner.cells, bare.cells);
        assert_eq!(parse("7\n8\n").unwrap_err().to_string(), "m: 7 x 7 values expected, got 1");
    }

    #[test]
    fn lists_of_values() {
        assert_eq!(parse("2 3 0\n1\n2\n3\n4\n5\n6\n").unwrap().cols, Names::Numbers(3));
        assert_eq!(parse("2\n 1 2\n 3 4\n").unwrap().cells, Cells::Dense(vec![1.0, 2.0, 3.0, 4.0]));
    }

    #[test]
    fn errors_say_where() {
        for (text, place) in [
            ("1,2\n3\n", "m:2: expected 2 cells, got 1"),
            ("1,2\n3,x\n", "m:2: column 2: expected a number, got `x`"),
            ("2 3 0\n1\n2\n3\n4\n5\n", "m: 2 x 3 values expected, got 5"),
            ("2 2 0\n1\nzwei\n", "m:3: row 0, column 1: expected a number, got `zwei`"),
            ("", "m: no row in this file"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), place, "{text}");
        }
        let huge = "99999999999999999999 2\n1\n";
        assert!(Matrix::parse(huge, Path::new("m"), Format::Headed).is_err());
        assert!(Matrix::parse("18446744073709551615 2 0\n1\n", Path::new("m"), Format::Headed).is_err());
    }
}
