//! Standard output and standard error. A reader that goes away (a broken pipe) is no error.

use crate::error::CliError;
use comfy_table::{Cell, CellAlignment, LineStyle, Table, TableStyle};
use std::io::{self, ErrorKind, Write};

/// Writes `text` to standard output.
///
/// # Errors
/// Any failure but a broken pipe.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::write("standard output", error)),
        _ => Ok(()),
    }
}

/// Writes a line to standard error; nobody is left to tell where that fails.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr().lock(), "econsched: {message}");
}

const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A table in the program's one style: a line below the header, numbers to the right.
#[derive(Debug)]
pub(crate) struct Columns {
    table: Table,
}

impl Columns {
    /// An empty table with these headings.
    pub(crate) fn new<S: AsRef<str>>(headings: &[S]) -> Self {
        let mut table = Table::new();
        table.load_style(STYLE);
        table.set_header(headings.iter().map(|heading| Cell::new(heading.as_ref())));
        Self { table }
    }

    /// One more row. Cells that read as numbers are set to the right.
    pub(crate) fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.table.add_row(cells.into_iter().map(|cell| {
            let text = cell.as_ref();
            let number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+')
                && text.trim_end_matches(['%', 'x']).parse::<f64>().is_ok();
            let cell = Cell::new(text);
            if number { cell.set_alignment(CellAlignment::Right) } else { cell }
        }));
    }

    /// The table as text that ends in a line break.
    pub(crate) fn render(&self) -> String {
        format!("{}\n", self.table.trim_fmt())
    }
}

/// A number for people: as many decimals as are worth reading, no trailing zeros.
pub(crate) fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e12).contains(&magnitude) {
        format!("{value:.3e}")
    } else {
        let decimals = if magnitude >= 1000.0 {
            0
        } else if magnitude >= 10.0 {
            1
        } else {
            3
        };
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> =
            [0.0, 1.0, 1.5, 12.34, 1234.5, 0.25, 1e20, -3.0].map(number).into_iter().collect();
        assert_eq!(shown, ["0", "1", "1.5", "12.3", "1234", "0.25", "1.000e20", "-3"]);
    }

    #[test]
    fn tables_set_numbers_to_the_right() {
        let mut columns = Columns::new(&["job", "cost"]);
        columns.row(["a", "5"]);
        columns.row(["b", "1234"]);
        let text = columns.render();
        assert!(text.contains("    5"), "{text}");
    }
}
