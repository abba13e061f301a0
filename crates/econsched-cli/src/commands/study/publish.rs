//! A study's report as an answer: Markdown, CSV and SVG.

use crate::draw::charts;
use crate::draw::page::{self, Page};
use crate::error::CliError;
use crate::output::terminal::{self, Columns};
use crate::report::Report;
use comfy_table::{CellAlignment, presets};
use econsched_studies::StudyReport;
use econsched_studies::report::{Cell, Item, Table};
use serde::Serialize;
use std::fmt::Write as _;

/// The report as an answer; with its text, its tables and its charts as files, where they are wanted.
pub(super) fn answer(report: &StudyReport, with_files: bool) -> Result<Report, CliError> {
    // On a terminal tables fit its width; a file or another program gets Markdown.
    let drawn = if terminal::width().is_some() { columns } else { markdown };
    let answer = Report::new(text(report, drawn), &ReportFile::new(report))?;
    let files = if with_files { files(report)? } else { Vec::new() };
    Ok(files.into_iter().fold(answer, |answer, (name, text)| answer.with_file(name, text)))
}

/// The report as it is printed with `--json`: the columns and rows of its CSV files, cells as text.
#[derive(Debug, Serialize)]
struct ReportFile<'a> {
    title: &'a str,
    paragraphs: Vec<&'a str>,
    tables: Vec<TableEntry<'a>>,
}

#[derive(Debug, Serialize)]
struct TableEntry<'a> {
    name: &'a str,
    title: &'a str,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl<'a> ReportFile<'a> {
    fn new(report: &'a StudyReport) -> Self {
        let entry = |table: &'a Table| {
            let (columns, rows) = cells(table);
            TableEntry { name: table.name(), title: table.title(), columns, rows }
        };
        Self {
            title: report.title(),
            paragraphs: paragraphs(report).map(String::as_str).collect(),
            tables: report.tables().map(entry).collect(),
        }
    }
}

fn paragraphs(report: &StudyReport) -> impl Iterator<Item = &String> {
    report.items().iter().filter_map(|item| match item {
        Item::Paragraph(words) => Some(words),
        _ => None,
    })
}

/// The report as text, with tables drawn by `drawn`.
fn text(report: &StudyReport, drawn: fn(&Table) -> String) -> String {
    let mut text = format!("# {}\n", report.title());
    for item in report.items() {
        match item {
            Item::Paragraph(words) => {
                let _ = writeln!(text, "\n{words}");
            }
            Item::Table(table) if table.printed() => {
                let _ = writeln!(text, "\n**{}**\n\n{}", table.title(), drawn(table));
            }
            _ => {}
        }
    }
    text
}

/// Every file of the report, by name: the text, then the tables and the data of the charts, then the charts.
fn files(report: &StudyReport) -> Result<Vec<(String, String)>, CliError> {
    let mut files = vec![(report.file().to_owned(), text(report, markdown))];
    for table in report.tables() {
        files.push((format!("{}.csv", table.name()), csv(table)?));
    }
    for table in report.chart_tables() {
        files.push((format!("{}.csv", table.name()), csv(&table)?));
    }
    for item in report.items() {
        if let Item::Chart(name, chart) = item {
            files.push((format!("{name}.svg"), charts::svg(chart).map_err(CliError::fault)?));
        }
    }
    let charts = files.iter().filter(|(name, _)| name.ends_with(".svg")).cloned();
    let tables = report.tables().filter(|table| table.printed()).map(|table| page::Table {
        title: table.title().to_owned(),
        columns: table.columns().to_vec(),
        rows: table.rows().iter().map(|row| row.iter().map(shown).collect()).collect(),
    });
    let paragraphs: Vec<String> = paragraphs(report).cloned().collect();
    let page = Page::of_tables(report.title(), tables.collect(), charts).with_notes(&paragraphs);
    files.push((format!("{}.html", report.file().trim_end_matches(".md")), page.html()?));
    Ok(files)
}

pub(super) fn markdown(table: &Table) -> String {
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(presets::ASCII_MARKDOWN);
    drawn.set_header(table.columns());
    for row in table.rows() {
        drawn.add_row(row.iter().map(|cell| {
            let side = if matches!(cell, Cell::Text(_)) { CellAlignment::Left } else { CellAlignment::Right };
            comfy_table::Cell::new(shown(cell)).set_alignment(side)
        }));
    }
    drawn.to_string()
}

fn columns(table: &Table) -> String {
    Columns::with(table.columns(), table.rows().iter().map(|row| row.iter().map(shown))).render()
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Count(count) => count.to_string(),
        Cell::Number(number, decimals) if !number.is_nan() => format!("{number:.decimals$}"),
        Cell::Estimate(estimate, decimals) if !estimate.mean.is_nan() => {
            format!("{:.decimals$} ± {:.decimals$}", estimate.mean, estimate.half)
        }
        _ => "-".to_owned(),
    }
}

fn csv(table: &Table) -> Result<String, CliError> {
    let (columns, rows) = cells(table);
    crate::output::files::csv(&columns, rows)
}

/// A column that holds an interval anywhere becomes two fields: the mean, and the half width of the interval.
fn cells(table: &Table) -> (Vec<String>, Vec<Vec<String>>) {
    let intervals: Vec<bool> = (0..table.columns().len())
        .map(|at| table.rows().iter().any(|row| matches!(row[at], Cell::Estimate(..))))
        .collect();
    let mut header = Vec::new();
    for (column, &interval) in table.columns().iter().zip(&intervals) {
        header.push(column.clone());
        if interval {
            header.push(format!("{column} ci95"));
        }
    }
    let rows = table.rows().iter().map(|row| {
        let mut record = Vec::new();
        for (cell, &interval) in row.iter().zip(&intervals) {
            fields(cell, interval, &mut record);
        }
        record
    });
    (header, rows.collect())
}

fn fields(cell: &Cell, with_interval: bool, row: &mut Vec<String>) {
    let (value, half) = match cell {
        Cell::Estimate(estimate, _) if estimate.mean.is_finite() => {
            (estimate.mean.to_string(), estimate.half.to_string())
        }
        Cell::Number(number, _) if number.is_finite() => (number.to_string(), String::new()),
        Cell::Text(_) | Cell::Count(_) => (shown(cell), String::new()),
        _ => Default::default(),
    };
    row.push(value);
    if with_interval {
        row.push(half);
    }
}
