//! A study's report: text, tables and charts, printed as Markdown and saved as CSV and SVG.

use crate::charts::Chart;
use crate::error::CliError;
use crate::stats::Estimate;
use crate::terminal;
use comfy_table::{CellAlignment, presets};
use std::fmt::Write as _;
use std::path::Path;

/// One value of a table: shown rounded, saved with all digits.
#[derive(Debug, Clone)]
pub(crate) enum Cell {
    Empty,
    Text(String),
    Count(u64),
    /// A number and the decimals to show.
    Number(f64, usize),
    /// A mean with its 95% interval and the decimals to show.
    Estimate(Estimate, usize),
}

impl Cell {
    fn shown(&self) -> String {
        match self {
            Self::Empty => "-".to_owned(),
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Number(number, _) if number.is_nan() => "-".to_owned(),
            Self::Number(number, decimals) => format!("{number:.decimals$}"),
            Self::Estimate(estimate, _) if estimate.mean.is_nan() => "-".to_owned(),
            Self::Estimate(estimate, decimals) => {
                format!("{:.decimals$} ± {:.decimals$}", estimate.mean, estimate.half)
            }
        }
    }

    fn fields(&self, with_interval: bool, row: &mut Vec<String>) {
        let (value, half) = match self {
            Self::Estimate(estimate, _) if estimate.mean.is_finite() => {
                (estimate.mean.to_string(), estimate.half.to_string())
            }
            Self::Number(number, _) if number.is_finite() => (number.to_string(), String::new()),
            Self::Empty | Self::Number(..) | Self::Estimate(..) => Default::default(),
            Self::Text(_) | Self::Count(_) => (self.shown(), String::new()),
        };
        row.push(value);
        if with_interval {
            row.push(half);
        }
    }
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

/// Rows under column names. The name is that of its CSV file.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    name: &'static str,
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
    printed: bool,
}

impl Table {
    pub(crate) fn new(name: &'static str, title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { name, title: title.into(), columns, rows: Vec::new(), printed: true }
    }

    /// Saved but not printed: raw values.
    pub(crate) fn saved_only(mut self) -> Self {
        self.printed = false;
        self
    }

    pub(crate) fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len(), "{}", self.name);
        self.rows.push(row);
    }

    fn markdown(&self) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header(self.columns.clone());
        for row in &self.rows {
            table.add_row(row.iter().map(|cell| {
                let side =
                    if matches!(cell, Cell::Text(_)) { CellAlignment::Left } else { CellAlignment::Right };
                comfy_table::Cell::new(cell.shown()).set_alignment(side)
            }));
        }
        table.to_string()
    }

    /// A column that holds an interval anywhere becomes two fields: the mean, and the half width of the interval.
    fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let intervals: Vec<bool> = (0..self.columns.len())
            .map(|at| self.rows.iter().any(|row| matches!(row[at], Cell::Estimate(..))))
            .collect();
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut header = Vec::new();
        for (column, &interval) in self.columns.iter().zip(&intervals) {
            header.push(column.clone());
            if interval {
                header.push(format!("{column} ci95"));
            }
        }
        writer.write_record(&header)?;
        for row in &self.rows {
            let mut fields = Vec::new();
            for (cell, &interval) in row.iter().zip(&intervals) {
                cell.fields(interval, &mut fields);
            }
            writer.write_record(&fields)?;
        }
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

/// The whole of a study's output.
#[derive(Debug)]
pub(crate) struct Report {
    file: &'static str,
    text: String,
    tables: Vec<Table>,
    charts: Vec<(&'static str, Chart)>,
}

impl Report {
    /// Its text is saved as `file`.
    pub(crate) fn titled(file: &'static str, title: &str) -> Self {
        Self { file, text: format!("# {title}\n"), tables: Vec::new(), charts: Vec::new() }
    }

    pub(crate) fn paragraph(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "\n{}", text.as_ref());
    }

    pub(crate) fn table(&mut self, table: Table) {
        if table.printed {
            let _ = writeln!(self.text, "\n**{}**\n\n{}", table.title, table.markdown());
        }
        self.tables.push(table);
    }

    /// A chart, saved as `name`.svg.
    pub(crate) fn chart(&mut self, name: &'static str, chart: impl Into<Chart>) {
        self.charts.push((name, chart.into()));
    }

    /// Prints the text and, where a directory is given, saves it, the tables as CSV and the charts as SVG.
    pub(crate) fn publish(&self, out: Option<&Path>) -> Result<(), CliError> {
        if let Some(directory) = out {
            std::fs::create_dir_all(directory).map_err(|source| CliError::write(directory, source))?;
            for (file, bytes) in self.files()? {
                let path = directory.join(file);
                std::fs::write(&path, bytes).map_err(|source| CliError::write(&path, source))?;
            }
        }
        terminal::print(&self.text)
    }

    /// Every file of the report, by name.
    pub(crate) fn files(&self) -> Result<Vec<(String, Vec<u8>)>, CliError> {
        let mut files = vec![(self.file.to_owned(), self.text.clone().into_bytes())];
        for table in &self.tables {
            let file = format!("{}.csv", table.name);
            let bytes = table.csv().map_err(|error| CliError::write(&file, std::io::Error::other(error)))?;
            files.push((file, bytes));
        }
        for (name, chart) in &self.charts {
            let file = format!("{name}.svg");
            let svg = chart.svg().map_err(|reason| CliError::write(&file, std::io::Error::other(reason)))?;
            files.push((file, svg.into_bytes()));
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_takes_two_fields_and_all_digits() {
        let mut table = Table::new("t", "T", &["what", "value"]);
        table.push(vec!["a".into(), Cell::Estimate(Estimate { mean: 0.1 + 0.2, half: 0.5, count: 3 }, 1)]);
        table.push(vec!["b, c".into(), Cell::Number(2.0, 0)]);
        table.push(vec!["d".into(), Cell::Number(f64::NAN, 0)]);
        let csv = String::from_utf8(table.csv().unwrap()).unwrap();
        assert_eq!(csv, "what,value,value ci95\na,0.30000000000000004,0.5\n\"b, c\",2,\nd,,\n");
        let markdown = table.markdown();
        assert!(markdown.contains("0.3 ± 0.5") && markdown.contains('-'), "{markdown}");
    }

    #[test]
    fn a_report_saves_all_of_its_parts() {
        let mut report = Report::titled("report.md", "Trial");
        report.paragraph("Words.");
        report.table(Table::new("seen", "Seen", &["x"]));
        report.table(Table::new("raw", "Raw", &["x"]).saved_only());
        let names: Vec<_> = report.files().unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["report.md", "seen.csv", "raw.csv"]);
        assert!(report.text.contains("Seen") && !report.text.contains("Raw"));
    }
}
