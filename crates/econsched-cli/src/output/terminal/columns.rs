//! Tables that fit the terminal.

use super::width;
use crate::output::files::Column;
use crate::printable::one_line;
use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};
use std::ops::Range;

const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
/// A cell has a space on each side, and so has the line between two columns.
const PADDING: usize = 2;

/// A table in the style of the program: a line below the header, numbers aligned to the right.
///
/// In a file or a pipe a row is a line. On a terminal that is too narrow for that, cells are broken between
/// words; where that is not enough, the columns stand in several tables, one below the other, each of which
/// begins with the column that names the rows. Words and numbers are broken only where one of them is longer
/// than the terminal is wide.
#[derive(Debug)]
pub(crate) struct Columns {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// An empty table with these headings.
    pub(crate) fn new<S: AsRef<str>>(headings: &[S]) -> Self {
        let headings = headings.iter().map(|heading| one_line(heading.as_ref())).collect();
        Self { headings, rows: Vec::new() }
    }

    /// A table of these columns, each with its heading and the cell of a row.
    pub(crate) fn of<R>(rows: impl IntoIterator<Item = R>, columns: &[Column<'_, R>]) -> Self {
        let headings: Vec<&str> = columns.iter().map(|(heading, _)| *heading).collect();
        Self::with(&headings, rows.into_iter().map(|row| columns.iter().map(move |(_, cell)| cell(&row))))
    }

    /// A table of these rows.
    pub(crate) fn with<S, R>(headings: &[S], rows: impl IntoIterator<Item = R>) -> Self
    where
        S: AsRef<str>,
        R: IntoIterator<Item: AsRef<str>>,
    {
        let mut table = Self::new(headings);
        rows.into_iter().for_each(|row| table.row(row));
        table
    }

    /// One more row. Cells that read as numbers are set to the right.
    pub(crate) fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(cell.as_ref())).collect());
    }

    /// The table as text that ends in a line break.
    pub(crate) fn render(&self) -> String {
        let all: Vec<usize> = (0..self.headings.len()).collect();
        let Some(width) = width() else { return drawn(&self.table(&all)) };
        let whole = drawn(&self.table(&all));
        let columns = usize::from(width);
        if whole.lines().all(|line| line.chars().count() <= columns) {
            return whole;
        }
        let tables: Vec<String> = self
            .groups(columns)
            .iter()
            .map(|group| {
                let mut table = self.table(group);
                table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
                if self.least(group) <= columns {
                    for (place, &column) in group.iter().enumerate() {
                        if let Some(drawn) = table.column_mut(place) {
                            let longest = u16::try_from(self.longest(column) + PADDING).unwrap_or(u16::MAX);
                            drawn.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(longest)));
                        }
                    }
                }
                drawn(&table)
            })
            .collect();
        tables.join("\n")
    }

    /// The columns of each table: those that name the rows, and as many others as fit beside them.
    fn groups(&self, columns: usize) -> Vec<Vec<usize>> {
        let named = self.headings.iter().position(|heading| !heading.is_empty()).unwrap_or(0);
        let names: Range<usize> = 0..(named + 1).min(self.headings.len());
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group: Vec<usize> = names.clone().collect();
        for column in names.end..self.headings.len() {
            group.push(column);
            if self.least(&group) > columns && group.len() > names.len() + 1 {
                group.pop();
                groups.push(std::mem::replace(&mut group, names.clone().chain([column]).collect()));
            }
        }
        groups.push(group);
        groups
    }

    /// The width that these columns need so that no word is broken.
    fn least(&self, group: &[usize]) -> usize {
        let cells: usize = group.iter().map(|&column| self.longest(column) + PADDING).sum();
        cells + group.len().saturating_sub(1)
    }

    /// Characters of the longest word of a column; a number is a word.
    fn longest(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).chain(self.headings.get(column));
        let words = |cell: &String| {
            if is_number(cell) {
                return cell.chars().count();
            }
            cell.split(' ').map(|word| word.chars().count()).max().unwrap_or(0)
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

fn drawn(table: &Table) -> String {
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
