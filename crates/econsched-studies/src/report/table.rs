//! Tables of a report.

use crate::stats::Estimate;

/// One value of a table: shown rounded, saved with all digits.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Words.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number and the decimals to show.
    Number(f64, usize),
    /// A mean with its 95% interval and the decimals to show.
    Estimate(Estimate, usize),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

/// Rows under column names.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct Table {
    name: &'static str,
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
    printed: bool,
}

impl Table {
    /// A table without rows. The name is that of its file, the title is printed above it.
    pub fn new(name: &'static str, title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { name, title: title.into(), columns, rows: Vec::new(), printed: true }
    }

    /// A table of these rows, each cell under its heading; all rows have the headings of the first.
    pub(crate) fn of<'h>(
        name: &'static str,
        title: impl Into<String>,
        rows: impl IntoIterator<Item = Vec<(&'h str, Cell)>>,
    ) -> Self {
        let mut rows = rows.into_iter().peekable();
        let headings: Vec<&str> = rows.peek().into_iter().flatten().map(|(heading, _)| *heading).collect();
        let mut table = Self::new(name, title, &headings);
        rows.for_each(|row| table.push(row.into_iter().map(|(_, cell)| cell).collect()));
        table
    }

    /// The same table, saved but not printed, for raw values.
    pub fn with_saved_only(mut self) -> Self {
        self.printed = false;
        self
    }

    /// One more row, a cell for each column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len(), "{}", self.name);
        self.rows.push(row);
    }

    /// The name of its file, without an ending.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// Whether it is printed, and not only saved.
    #[must_use]
    pub fn printed(&self) -> bool {
        self.printed
    }
}
