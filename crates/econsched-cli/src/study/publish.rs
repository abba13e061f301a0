//! A study's report as files and on the terminal: Markdown, CSV and SVG.

use crate::charts;
use crate::error::CliError;
use crate::terminal;
use comfy_table::{CellAlignment, presets};
use econsched_studies::Report;
use econsched_studies::report::{Cell, Item, Table};
use std::fmt::Write as _;
use std::path::Path;

/// Prints the text and, where a directory is given, saves it, the tables as CSV and the charts as SVG.
pub(super) fn publish(report: &Report, out: Option<&Path>) -> Result<(), CliError> {
    if let Some(directory) = out {
        std::fs::create_dir_all(directory).map_err(|source| CliError::write(directory, source))?;
        for (file, bytes) in files(report)? {
            let path = directory.join(file);
            std::fs::write(&path, bytes).map_err(|source| CliError::write(&path, source))?;
        }
    }
    terminal::print(&text(report))
}

/// The report as Markdown.
fn text(report: &Report) -> String {
    let mut text = format!("# {}\n", report.title());
    for item in report.items() {
        match item {
            Item::Paragraph(words) => {
                let _ = writeln!(text, "\n{words}");
            }
            Item::Table(table) if table.printed() => {
                let _ = writeln!(text, "\n**{}**\n\n{}", table.title(), markdown(table));
            }
            _ => {}
        }
    }
    text
}

/// Every file of the report, by name: the text, then the tables, then the charts.
fn files(report: &Report) -> Result<Vec<(String, Vec<u8>)>, CliError> {
    let failed = |file: &str, error| CliError::write(file, std::io::Error::other(error));
    let mut files = vec![(report.file().to_owned(), text(report).into_bytes())];
    for table in report.tables() {
        let file = format!("{}.csv", table.name());
        let bytes = csv(table).map_err(|error| failed(&file, error.to_string()))?;
        files.push((file, bytes));
    }
    for item in report.items() {
        if let Item::Chart(name, chart) = item {
            let file = format!("{name}.svg");
            let svg = charts::svg(chart).map_err(|reason| failed(&file, reason))?;
            files.push((file, svg.into_bytes()));
        }
    }
    Ok(files)
}

fn markdown(table: &Table) -> String {
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

/// A column that holds an interval anywhere becomes two fields: the mean, and the half width of the interval.
fn csv(table: &Table) -> Result<Vec<u8>, csv::Error> {
    let intervals: Vec<bool> = (0..table.columns().len())
        .map(|at| table.rows().iter().any(|row| matches!(row[at], Cell::Estimate(..))))
        .collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header = Vec::new();
    for (column, &interval) in table.columns().iter().zip(&intervals) {
        header.push(column.clone());
        if interval {
            header.push(format!("{column} ci95"));
        }
    }
    writer.write_record(&header)?;
    for row in table.rows() {
        let mut record = Vec::new();
        for (cell, &interval) in row.iter().zip(&intervals) {
            fields(cell, interval, &mut record);
        }
        writer.write_record(&record)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
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

#[cfg(test)]
mod tests {
    use super::*;
    use econsched_studies::stats::Estimate;

    #[test]
    fn an_interval_takes_two_fields_and_all_digits() {
        let mut table = Table::new("t", "T", &["what", "value"]);
        table.push(vec!["a".into(), Cell::Estimate(Estimate { mean: 0.1 + 0.2, half: 0.5, count: 3 }, 1)]);
        table.push(vec!["b, c".into(), Cell::Number(2.0, 0)]);
        table.push(vec!["d".into(), Cell::Number(f64::NAN, 0)]);
        let text = String::from_utf8(csv(&table).unwrap()).unwrap();
        assert_eq!(text, "what,value,value ci95\na,0.30000000000000004,0.5\n\"b, c\",2,\nd,,\n");
        let markdown = markdown(&table);
        assert!(markdown.contains("0.3 ± 0.5") && markdown.contains('-'), "{markdown}");
    }

    #[test]
    fn a_report_saves_all_of_its_parts() {
        let mut report = Report::titled("report.md", "Trial");
        report.paragraph("Words.");
        report.table(Table::new("seen", "Seen", &["x"]));
        report.table(Table::new("raw", "Raw", &["x"]).saved_only());
        let names: Vec<_> = files(&report).unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["report.md", "seen.csv", "raw.csv"]);
        let text = text(&report);
        assert!(text.contains("Seen") && !text.contains("Raw"));
    }
}
