//! Standard output and standard error, tables that fit the terminal, numbers and counts as text for people. A reader
//! that closes the pipe causes no error.

use super::progress;
use crate::error::CliError;
use crate::printable::{one_line, printable};
use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};
use serde::Serialize;
use std::io;
use std::io::{BufWriter, ErrorKind, IsTerminal, Write};
use std::ops::Range;
use textwrap::{Options, WordSplitter};

/// Returns the width of the terminal on standard output in characters, if it is one and is at least 20 wide.
pub(crate) fn width() -> Option<u16> {
    let columns = || terminal_size::terminal_size_of(io::stdout()).map(|(columns, _)| columns.0);
    io::stdout().is_terminal().then(columns).flatten().filter(|&columns| columns >= 20)
}

/// Writes `text` to standard output.
///
/// # Errors
/// Any failure but a broken pipe.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    print_by(|out| out.write_all(printable(text).as_bytes()))
}

/// As [`print`], for text that `fill` writes piece by piece and that has no control characters.
///
/// # Errors
/// As [`print`].
pub(crate) fn print_by(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
    let filled = progress::suspended(|| {
        let mut out = BufWriter::new(io::stdout().lock());
        fill(&mut out).and_then(|()| out.flush())
    });
    match filled {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::write("standard output", error)),
        _ => Ok(()),
    }
}

/// As [`print`], for a person: lines longer than the width of the terminal are broken between words.
///
/// # Errors
/// As [`print`].
pub(crate) fn print_wrapped(text: &str) -> Result<(), CliError> {
    match width() {
        Some(width) => print(&wrapped(text, usize::from(width))),
        None => print(text),
    }
}

/// Breaks text into lines of at most `width` characters, except where a word is longer. Continued lines are indented
/// like the first.
fn wrapped(text: &str, width: usize) -> String {
    let line = |line: &str| {
        let indent = " ".repeat(line.len() - line.trim_start_matches(' ').len());
        let options = Options::new(width).subsequent_indent(&indent).break_words(false);
        textwrap::fill(line, options.word_splitter(WordSplitter::NoHyphenation))
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Writes a message to standard error; a failure to do so is ignored.
pub(crate) fn print_error(message: &str) {
    let _ = progress::suspended(|| writeln!(io::stderr().lock(), "econsched: {}", printable(message)));
}

const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
/// Spaces on both sides of a cell; the line between two columns takes one more.
const PADDING: usize = 2;

/// A table in the style of the program: a line below the header, numbers aligned to the right.
///
/// In a file or a pipe each row is one line. On a terminal that is too narrow for that, cells are broken between
/// words; if that is not enough, the columns are split into several tables, one below the other, each of which begins
/// with the columns that name the rows. Words and numbers are broken only if they are wider than the terminal.
#[derive(Debug, Serialize)]
pub(crate) struct Columns {
    #[serde(rename = "columns")]
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A column of a table of items: its heading, and a function from an item to its cell.
pub(crate) type TextColumn<'a, T> = (&'a str, &'a dyn Fn(&T) -> String);

impl Columns {
    /// Creates a table of these rows. Cells that read as numbers are aligned to the right.
    pub(crate) fn with<R: IntoIterator<Item: AsRef<str>>>(
        headings: &[impl AsRef<str>],
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let headings = headings.iter().map(|heading| one_line(heading.as_ref())).collect();
        let row = |cells: R| cells.into_iter().map(|cell| one_line(cell.as_ref())).collect();
        Self { headings, rows: rows.into_iter().map(row).collect() }
    }

    /// Creates a table with a row for each item.
    pub(crate) fn of<T>(items: &[T], columns: &[TextColumn<'_, T>]) -> Self {
        let headings: Vec<&str> = columns.iter().map(|(heading, _)| *heading).collect();
        Self::with(&headings, items.iter().map(|item| columns.iter().map(move |(_, cell)| cell(item))))
    }

    /// Renders the table as text that ends in a line break.
    pub(crate) fn render(&self) -> String {
        let all: Vec<usize> = (0..self.headings.len()).collect();
        let whole = rendered(&self.table(&all));
        let longest = whole.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let Some(width) = width().filter(|&width| longest > width.into()) else { return whole };
        let groups = self.groups(width.into());
        let tables = groups.iter().map(|group| {
            let mut table = self.table(group);
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
            let unbroken = self.min_width(group) <= width.into();
            for (column, drawn) in group.iter().zip(table.column_iter_mut()).filter(|_| unbroken) {
                let longest = u16::try_from(self.longest_word(*column) + PADDING).unwrap_or(u16::MAX);
                drawn.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(longest)));
            }
            rendered(&table)
        });
        tables.collect::<Vec<String>>().join("\n")
    }

    /// Returns the columns of each table: those that name the rows, and as many others as fit beside them.
    fn groups(&self, columns: usize) -> Vec<Vec<usize>> {
        let named = self.headings.iter().position(|heading| !heading.is_empty()).unwrap_or(0);
        let names: Range<usize> = 0..(named + 1).min(self.headings.len());
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group: Vec<usize> = names.clone().collect();
        for column in names.end..self.headings.len() {
            group.push(column);
            if self.min_width(&group) > columns && group.len() > names.len() + 1 {
                group.pop();
                groups.push(std::mem::replace(&mut group, names.clone().chain([column]).collect()));
            }
        }
        groups.push(group);
        groups
    }

    /// Returns the width that these columns need so that no word is broken.
    fn min_width(&self, group: &[usize]) -> usize {
        let cells: usize = group.iter().map(|&column| self.longest_word(column) + PADDING).sum();
        cells + group.len().saturating_sub(1)
    }

    /// Returns the number of characters of the longest word of a column; a number is one word.
    fn longest_word(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).chain(self.headings.get(column));
        let words = |cell: &String| match is_number(cell) {
            true => cell.chars().count(),
            false => cell.split(' ').map(|word| word.chars().count()).max().unwrap_or(0),
        };
        cells.map(words).max().unwrap_or(0)
    }

    fn table(&self, group: &[usize]) -> Table {
        let mut table = Table::new();
        table.load_style(STYLE);
        table.set_header(group.iter().filter_map(|&column| self.headings.get(column)).map(Cell::new));
        for row in &self.rows {
            table.add_row(group.iter().filter_map(|&column| row.get(column)).map(|text| {
                let cell = Cell::new(text);
                if is_number(text) { cell.set_alignment(CellAlignment::Right) } else { cell }
            }));
        }
        table
    }
}

fn rendered(table: &Table) -> String {
    format!("{}\n", table.trim_fmt())
}

/// Whether a cell reads as a number, with or without units.
fn is_number(text: &str) -> bool {
    let figure = |word: &str| {
        matches!(word, "d" | "h" | "min" | "s" | "±")
            || word.trim_end_matches(['%', 'x']).parse::<f64>().is_ok()
    };
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') && text.split(' ').all(figure)
}

/// Formats notes below an answer.
pub(crate) fn notes(notes: &[String]) -> String {
    notes.iter().map(|note| format!("note: {note}\n")).collect()
}

/// Formats a number for people: whole from 1,000 on, with one decimal from 10 on, else with three; without trailing
/// zeros.
pub(crate) fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e12).contains(&magnitude) {
        format!("{value:.3e}")
    } else {
        let decimals = match magnitude {
            m if m >= 1000.0 => 0,
            m if m >= 10.0 => 1,
            _ => 3,
        };
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

/// Formats a number to the last bit, with an exponent where it would be long.
pub(crate) fn exact(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-9..1e17).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

/// Formats a number with three decimals, or with an exponent where it would be long.
pub(crate) fn thousandths(value: f64) -> String {
    if value.abs() < 1e15 { format!("{value:.3}") } else { format!("{value:.3e}") }
}

/// Formats a span of seconds for people, in the two largest of days, hours, minutes and seconds.
pub(crate) fn span_text(seconds: f64) -> String {
    // Less than half a second, or more than a thousand years, is shown as a number.
    if !(0.5..3.2e10).contains(&seconds.abs()) {
        return number(seconds);
    }
    if seconds.abs() < 60.0 {
        return format!("{} s", number(seconds));
    }
    let sign = if seconds < 0.0 { "-" } else { "" };
    let whole = seconds.abs().round() as u64;
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let greatest = |whole: u64| units.iter().position(|(unit, _)| whole >= *unit).unwrap_or(2).min(2);
    // The smaller unit is rounded, which may carry into the larger unit, and that into the next.
    let lesser = units[greatest(whole) + 1].0;
    let rounded = (whole + lesser / 2) / lesser * lesser;
    let first = greatest(rounded);
    let (great, small) = (units[first], units[first + 1]);
    let (greats, smalls) = (rounded / great.0, rounded % great.0 / small.0);
    let tail = if smalls == 0 { String::new() } else { format!(" {smalls} {}", small.1) };
    format!("{sign}{greats} {}{tail}", great.1)
}
