//! Texts of separated values.

use crate::WorkloadError;

/// Longest row that is kept, in bytes.
const MAX_ROW: usize = 1 << 20;

/// A row with the line on which it begins.
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) cells: Vec<String>,
}

/// Reads rows of cells: a cell in double quotes may hold separators, line ends and doubled quotes. Blank
/// lines are skipped, blanks around cells and a byte order mark at the start are removed.
pub(super) struct Rows<'a> {
    rest: &'a str,
    separator: char,
    line: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(text: &'a str, separator: char) -> Self {
        Self { rest: text.strip_prefix('\u{feff}').unwrap_or(text), separator, line: 1 }
    }

    fn next_row(&mut self) -> Result<Option<Row>, WorkloadError> {
        loop {
            if self.rest.is_empty() {
                return Ok(None);
            }
            let line = self.line;
            let (mut cells, mut cell, mut quoted) = (vec![], String::new(), false);
            let mut letters = self.rest.char_indices().peekable();
            let mut end = self.rest.len();
            while let Some((at, letter)) = letters.next() {
                if at > MAX_ROW {
                    return Err(WorkloadError::Table {
                        line,
                        why: format!("a row of more than {MAX_ROW} bytes"),
                    });
                }
                self.line += u64::from(letter == '\n');
                match letter {
                    '"' if quoted && letters.peek().is_some_and(|&(_, next)| next == '"') => {
                        letters.next();
                        cell.push('"');
                    }
                    '"' if quoted => quoted = false,
                    // A quote in a cell that did not begin with one is a plain character.
                    '"' if cell.trim().is_empty() => {
                        cell.clear();
                        quoted = true;
                    }
                    '\n' if !quoted => {
                        end = at + 1;
                        break;
                    }
                    _ if letter == self.separator && !quoted => {
                        cells.push(cell.trim().to_owned());
                        cell.clear();
                    }
                    _ => cell.push(letter),
                }
            }
            if quoted {
                return Err(WorkloadError::Table { line, why: "a quoted cell without an end".to_owned() });
            }
            self.rest = &self.rest[end..];
            cells.push(cell.trim().to_owned());
            if cells.len() > 1 || cells.iter().any(|cell| !cell.is_empty()) {
                return Ok(Some(Row { line, cells }));
            }
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, WorkloadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.next_row().transpose();
        if matches!(row, Some(Err(_))) {
            self.rest = "";
        }
        row
    }
}
