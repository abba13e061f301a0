//! Formats that are a list of numbers: CSV, tables, a header and values, OR-Library.

use super::{Cells, Matrix, Names, Naming, is_infinity, shorten, value};
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
    let names = |cells: Vec<&str>| Names::Given(cells.into_iter().map(one_line).collect());
    Ok(Matrix {
        rows: if column_named {
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
    Ok(Matrix {
        rows: Names::Numbers(rows),
        cols: Names::Numbers(cols),
        cells: Cells::Dense(values),
        capacities: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Reading};
    use super::*;

    fn parse_as(text: &str, format: Format, names: Naming) -> Result<Matrix, CliError> {
        Matrix::parse(text, Path::new("m"), Reading { format, names })
    }

    fn parse(text: &str) -> Result<Matrix, CliError> {
        parse_as(text, Format::Auto, Naming::Auto)
    }

    #[test]
    fn one_letter_for_a_digit_is_an_error_and_no_name() {
        for (text, place) in [
            ("9,1,3\nO,0,5\n3,2,2\n", "m:2: column 1: expected a number, got `O`"),
            ("9,l,3\n0,0,5\n3,2,2\n", "m:1: column 2: expected a number, got `l`"),
            ("O,1,3\n0,0,5\n3,2,2\n", "m:1: column 1: expected a number, got `O`"),
            ("O 1 3\n0 0 5\n3 2 2\n", "m:1: column 1: expected a number, got `O`"),
            // The whole first column is no number, but the first line is.
            ("a,1\nb,2\n", "m:1: column 1: expected a number, got `a`"),
            ("x,r,s\na,1,2\n3,4,5\n", "m:2: column 1: expected a number, got `a`"),
            ("O\n1\n2\n", "m:1: column 1: expected a number, got `O`"),
        ] {
            let error = parse(text).map(|matrix| format!("{matrix:?}")).unwrap_err().to_string();
            assert!(error.starts_with(place), "{text}: {error}");
        }
    }

    #[test]
    fn flags_say_what_is_a_name() {
        let both = parse_as("x,1,2\n7,3,4\n8,5,6\n", Format::Csv, Naming::Both).unwrap();
        assert_eq!((both.rows.get(0), both.cols.get(1)), ("7".to_owned(), "2".to_owned()));
        assert_eq!(both.cells, Cells::Dense(vec![3.0, 4.0, 5.0, 6.0]));
        let rows = parse_as("a,1\nb,2\n", Format::Auto, Naming::FirstColumn).unwrap();
        assert_eq!((rows.rows.get(1), rows.cols), ("b".to_owned(), Names::Numbers(1)));
        let line = parse_as("cost\n1\n2\n", Format::Csv, Naming::FirstLine).unwrap();
        assert_eq!((line.rows, line.cols.get(0)), (Names::Numbers(2), "cost".to_owned()));
        assert!(parse_as("a,1\n", Format::Csv, Naming::None).is_err());
        assert!(parse_as("a\nb\n", Format::Csv, Naming::FirstColumn).is_err());
        assert!(parse_as("2 2\n1 2 3 4\n", Format::Headed, Naming::Both).is_err());
    }

    #[test]
    fn what_fits_two_formats_is_refused() {
        for text in ["1 2\n3 4", "2 2\n1 2\n3 4\n", "2 3 0\n1 2 3\n4 5 6\n"] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains("--format"), "{text}: {error}");
        }
        let table = parse_as("1 2\n3 4", Format::Table, Naming::Auto).unwrap();
        assert_eq!((table.rows.len(), table.cols.len()), (2, 2));
        assert_eq!(parse("1 2\n3 4\n5 6\n").unwrap().cells, Cells::Dense(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert_eq!(parse("t m1 m2\na 1 2\nb 3 -\n").unwrap().cols.get(1), "m2");
        assert_eq!(parse("2 3\n1 2 3\n4 5 6\n").unwrap().rows.len(), 2);
    }

    #[test]
    fn only_infinity_forbids_a_pair() {
        let matrix = parse("1,+inf\n-,Infinity\n").unwrap();
        assert_eq!(matrix.cells, Cells::Dense(vec![1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY]));
        for (text, place) in [
            ("1,-inf\n2,3\n", "m:1: column 2: expected a finite number, got `-inf`"),
            ("1,1e999\n2,3\n", "m:1: column 2: expected a finite number"),
            ("1,nan\n2,3\n", "m:1: column 2: expected a finite number"),
            ("2\n1 2\n-inf 4\n", "m:3: row 2, column 1: expected a finite number"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(place), "{text}: {error}");
        }
    }

    #[test]
    fn sizes_without_values_are_refused() {
        for text in ["0 4294967295\n", "4294967295 0\n", "0 0 0\n"] {
            assert!(parse(text).is_err(), "{text}");
            assert!(parse_as(text, Format::Headed, Naming::Auto).is_err(), "{text}");
        }
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
            ("2 2 0\n1\nzwei\n", "m:3: row 1, column 2: expected a number, got `zwei`"),
            ("", "m: no row in this file"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), place, "{text}");
        }
        let huge = "99999999999999999999 2\n1\n";
        assert!(parse_as(huge, Format::Headed, Naming::Auto).is_err());
        assert!(parse_as("18446744073709551615 2 0\n1\n", Format::Headed, Naming::Auto).is_err());
    }
}
