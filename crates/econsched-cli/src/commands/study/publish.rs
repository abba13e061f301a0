//! The report of a study as an answer: Markdown, CSV and SVG; the claims of the paper with their verdicts as CSV.

use crate::commands::prelude::*;
use crate::draw::page::Page;
use crate::draw::{charts, page};
use comfy_table::{CellAlignment, presets};
use econsched_studies::StudyReport;
use econsched_studies::claims::Claim;
use econsched_studies::report::{Cell, Item, Table};
use econsched_studies::stats::two_digits;

/// Returns a report as an answer: its text, and its tables and charts as files; then the same for the report of its
/// running times.
pub(super) fn answer(report: &StudyReport, timings: Option<&StudyReport>) -> Result<Report, CliError> {
    // On a terminal tables fit its width; a file or another program gets Markdown.
    let drawn = if terminal::width().is_some() { |table: &_| columns(table).render() } else { markdown };
    // The columns and rows of the tables, with cells as text, as in the CSV files.
    let tables = |report: &StudyReport| {
        let table = |table| {
            let (columns, rows) = cells(table);
            object! { name: table.name, title: table.title.clone(), columns: columns, rows: rows }
        };
        report.tables().map(table).collect::<Vec<_>>()
    };
    let words = |report| paragraphs(report).cloned().collect::<Vec<String>>();
    let timed = timings.map(|timings| {
        object! { title: &timings.title, paragraphs: words(timings), tables: tables(timings) }
    });
    let json = object! {
        title: &report.title, paragraphs: words(report), tables: tables(report), timings Option<>: timed,
    };
    let reports = || std::iter::once(report).chain(timings);
    let answer = Report::new(reports().map(|report| text(report, drawn)).collect(), &json)?;
    reports().try_fold(answer, |answer, report| {
        Ok(files(report)?.into_iter().fold(answer, |answer, (name, text)| answer.with_file(name, text)))
    })
}

fn paragraphs(report: &StudyReport) -> impl Iterator<Item = &String> {
    report.items.iter().filter_map(|item| match item {
        Item::Paragraph(words) => Some(words),
        _ => None,
    })
}

/// Renders a report as text, with tables rendered by `drawn`.
fn text(report: &StudyReport, drawn: fn(&Table) -> String) -> String {
    let item = |item: &Item| match item {
        Item::Paragraph(words) => format!("\n{words}\n"),
        Item::Table(table) if table.printed => format!("\n**{}**\n\n{}\n", table.title, drawn(table)),
        _ => String::new(),
    };
    format!("# {}\n{}", report.title, report.items.iter().map(item).collect::<String>())
}

/// Returns all files of a report with their names: the text, the tables and the data of the charts, the charts, and
/// the page.
fn files(report: &StudyReport) -> Result<Vec<(String, String)>, CliError> {
    let mut all = vec![(report.file.to_owned(), text(report, markdown))];
    for table in report.tables().cloned().chain(report.chart_tables()) {
        let text = if table.name == "verdicts" {
            let record = |claim| COLUMNS.map(|(_, cell)| cell(claim).unwrap_or_default());
            files::csv(&COLUMNS.map(|(name, _)| name), report.claims.iter().map(record))?
        } else {
            let (columns, rows) = cells(&table);
            files::csv(&columns, rows)?
        };
        all.push((format!("{}.csv", table.name), text));
    }
    for item in &report.items {
        if let Item::Chart(name, chart) = item {
            all.push((format!("{name}.svg"), charts::svg(chart)?));
        }
    }
    let charts = all.iter().filter(|(name, _)| name.ends_with(".svg")).cloned();
    let tables = report
        .tables()
        .filter(|table| table.printed)
        .map(|table| page::Table { title: table.title.clone(), cells: columns(table) });
    let mut page = Page::of_tables(report.title.clone(), tables.collect(), charts.collect());
    page.notes = paragraphs(report).cloned().collect();
    all.push((format!("{}.html", report.file.trim_end_matches(".md")), page.html()?));
    Ok(all)
}

fn markdown(table: &Table) -> String {
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(presets::ASCII_MARKDOWN);
    drawn.set_header(&table.columns);
    for row in &table.rows {
        drawn.add_row(row.iter().map(|cell| {
            let side = if matches!(cell, Cell::Text(_)) { CellAlignment::Left } else { CellAlignment::Right };
            comfy_table::Cell::new(shown(cell)).set_alignment(side)
        }));
    }
    drawn.to_string()
}

fn columns(table: &Table) -> Columns {
    Columns::with(&table.columns, table.rows.iter().map(|row| row.iter().map(shown)))
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

/// Returns the columns and rows of a table as text. A column that holds an interval anywhere becomes two: the mean,
/// and half the width of the interval.
fn cells(table: &Table) -> (Vec<String>, Vec<Vec<String>>) {
    let intervals: Vec<bool> = (0..table.columns.len())
        .map(|at| table.rows.iter().any(|row| matches!(row[at], Cell::Estimate(..))))
        .collect();
    let header = table.columns.iter().zip(&intervals).flat_map(|(column, &interval)| {
        [Some(column.clone()), interval.then(|| format!("{column} ci95"))].into_iter().flatten()
    });
    let fields = |(cell, &interval): (&Cell, &bool)| fields(cell).into_iter().take(1 + usize::from(interval));
    let rows = table.rows.iter().map(|row| row.iter().zip(&intervals).flat_map(fields).collect());
    (header.collect(), rows.collect())
}

/// Returns the value of a cell, and half the width of its interval.
fn fields(cell: &Cell) -> [String; 2] {
    match cell {
        Cell::Estimate(estimate, _) if estimate.mean.is_finite() => {
            [estimate.mean, estimate.half].map(|value| value.to_string())
        }
        Cell::Number(number, _) if number.is_finite() => [number.to_string(), String::new()],
        Cell::Text(_) | Cell::Count(_) => [shown(cell), String::new()],
        _ => Default::default(),
    }
}

/// A column of the file of verdicts: its name, and a function from a claim to its cell, if that is not empty.
type ClaimColumn = (&'static str, fn(&Claim) -> Option<String>);

/// The columns of the file of verdicts. `half` is half the width of the 95% interval of `ours`; `times` says by what
/// factor the number of replicates of an open claim has to grow to decide it, if mean and spread stay the same.
const COLUMNS: [ClaimColumn; 11] = [
    ("place", |claim| Some(claim.place.clone())),
    ("claim", |claim| Some(claim.text.clone())),
    ("theirs", |claim| Some(rounded(claim, claim.theirs?))),
    ("allowed", |claim| claim.ours.map(|_| claim.range.to_string())),
    ("ours", |claim| Some(rounded(claim, claim.ours?.mean))),
    // If all replicates agree, an interval of width 0 would claim too much.
    ("half", |claim| claim.ours.filter(|ours| ours.half != 0.0).map(|ours| rounded(claim, ours.half))),
    ("ratio", |claim| claim.ratio().map(|ratio| format!("{ratio:.3}"))),
    ("verdict", |claim| Some(claim.verdict().name().to_owned())),
    ("size", |claim| claim.shows_the_same().then(|| "the same".to_owned())),
    ("times", |claim| claim.times_needed().map(two_digits)),
    ("note", |claim| Some(claim.note.clone())),
];

/// Formats a number with the decimals of a claim.
fn rounded(claim: &Claim, value: f64) -> String {
    format!("{value:.0$}", claim.decimals)
}
