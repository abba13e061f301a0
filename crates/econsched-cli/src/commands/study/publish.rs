//! A study's report as an answer (Markdown, CSV and SVG), and the claims of all papers with their verdicts.

use crate::commands::prelude::*;
use crate::draw::page::Page;
use crate::draw::{charts, page};
use comfy_table::{CellAlignment, presets};
use econsched_studies::claims::Claim;
use econsched_studies::report::{Cell, Item, Table};
use econsched_studies::stats::two_digits;
use econsched_studies::{StudyReport, Verdict};

/// The report as an answer: its text, with its tables and its charts as files.
pub(super) fn answer(report: &StudyReport) -> Result<Report, CliError> {
    // On a terminal tables fit its width; a file or another program gets Markdown.
    let drawn = if terminal::width().is_some() { |table: &_| columns(table).render() } else { markdown };
    // The columns and rows of the CSV files, cells as text.
    let tables = report.tables().map(|table| {
        let (columns, rows) = cells(table);
        object! { name: table.name, title: &table.title, columns: columns, rows: rows }
    });
    let paragraphs: Vec<&String> = paragraphs(report).collect();
    let json = object! { title: &report.title, paragraphs: paragraphs, tables: tables.collect::<Vec<_>>() };
    let answer = Report::new(text(report, drawn), &json)?;
    Ok(files(report)?.into_iter().fold(answer, |answer, (name, text)| answer.with_file(name, text)))
}

fn paragraphs(report: &StudyReport) -> impl Iterator<Item = &String> {
    report.items.iter().filter_map(|item| match item {
        Item::Paragraph(words) => Some(words),
        _ => None,
    })
}

/// The report as text, with tables drawn by `drawn`.
fn text(report: &StudyReport, drawn: fn(&Table) -> String) -> String {
    let item = |item: &Item| match item {
        Item::Paragraph(words) => format!("\n{words}\n"),
        Item::Table(table) if table.printed => format!("\n**{}**\n\n{}\n", table.title, drawn(table)),
        _ => String::new(),
    };
    format!("# {}\n{}", report.title, report.items.iter().map(item).collect::<String>())
}

/// Every file of the report, by name: the text, then the tables and the data of the charts, then the charts.
fn files(report: &StudyReport) -> Result<Vec<(String, String)>, CliError> {
    let mut all = vec![(report.file.to_owned(), text(report, markdown))];
    for table in report.tables().cloned().chain(report.chart_tables()) {
        let (columns, rows) = cells(&table);
        all.push((format!("{}.csv", table.name), files::csv(&columns, rows)?));
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
    let mut page = Page::of_tables(report.title.as_str(), tables.collect(), charts);
    page.notes = paragraphs(report).cloned().collect();
    all.push((format!("{}.html", report.file.trim_end_matches(".md")), page.html()?));
    Ok(all)
}

pub(super) fn markdown(table: &Table) -> String {
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

/// A column that holds an interval anywhere becomes two fields: the mean, and the half width of the interval.
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

/// The value, and half the width of its interval.
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

/// The claims of a paper with their verdicts.
pub(super) struct Judged {
    name: &'static str,
    /// Each claim as a row of [`COLUMNS`].
    rows: Vec<Row>,
    /// The command and the report of a study that was run; `None` if its earlier file is kept.
    run: Option<(String, StudyReport)>,
}

type Row = [String; COLUMNS.len()];

impl Judged {
    /// A study that was run.
    pub(super) fn now(name: &'static str, command: String, report: StudyReport) -> Self {
        let rows = report.claims.iter().map(record).collect();
        Self { name, rows, run: Some((command, report)) }
    }

    /// A study whose earlier file is kept.
    ///
    /// # Errors
    /// [`CliError::Input`] for a file that is not such a file.
    pub(super) fn before(name: &'static str, path: &Path) -> Result<Self, CliError> {
        let text = files::read_text(path)?;
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let columns_are_ours = reader.headers().is_ok_and(|columns| columns == COLUMNS.as_slice());
        let rows: Vec<Row> = reader.into_deserialize().collect::<Result<_, _>>().unwrap_or_default();
        let judged = Self { name, rows, run: None };
        let [claims, held, refuted, open, _, missing] = judged.counts();
        if !columns_are_ours || claims == 0 || claims != held + refuted + open + missing {
            return Err(CliError::input(path, "no file of verdicts: run this study too"));
        }
        Ok(judged)
    }

    /// All claims; those that hold, are refuted, and are open; of the open those of less or more where no difference
    /// counts; and those that are not determined.
    fn counts(&self) -> [usize; 6] {
        let of = |verdict: Verdict| self.rows.iter().filter(move |row| row[VERDICT] == verdict.name());
        let same = of(Verdict::Open).filter(|row| row[SIZE] == SAME).count();
        let [held, refuted, open, missing] = std::array::from_fn(|at| of(Verdict::ALL[at]).count());
        [self.rows.len(), held, refuted, open, same, missing]
    }
}

/// The columns of a file of verdicts. `half` is half the width of the 95% interval of `ours`; `times` says, of
/// an open claim, how many times as many replicates would decide it if mean and spread stayed.
const COLUMNS: [&str; 11] =
    ["place", "claim", "theirs", "allowed", "ours", "half", "ratio", "verdict", "size", "times", "note"];
const VERDICT: usize = 7;
const SIZE: usize = 8;

/// The size of a claim of less or more without a difference that counts.
const SAME: &str = "the same";

/// The name of a study's file of verdicts.
pub(super) fn file(name: &str) -> String {
    format!("verdicts-{name}.csv")
}

/// The counts of verdicts; as files the claims of each paper that was rerun as CSV, below a comment with the
/// command.
pub(super) fn overall(judged: &[Judged]) -> Result<Report, CliError> {
    let mut answer = Report::new(overview(judged) + "\n", &entries(judged))?;
    for Judged { name, rows, run } in judged {
        let Some((command, _)) = run else { continue };
        let rows = files::csv(&COLUMNS, rows)?;
        answer = answer.with_file(file(name), format!("# econsched {command}\n{rows}"));
    }
    Ok(answer)
}

/// A claim as a row of [`COLUMNS`].
fn record(claim: &Claim) -> Row {
    let number = |value: f64| format!("{value:.0$}", claim.decimals);
    let ours = claim.ours.as_ref();
    [
        claim.place.clone(),
        claim.text.clone(),
        claim.theirs.map(number).unwrap_or_default(),
        ours.map(|_| claim.range.to_string()).unwrap_or_default(),
        ours.map(|ours| number(ours.mean)).unwrap_or_default(),
        // All replicates agree: an interval of width 0 would claim too much.
        ours.filter(|ours| ours.half != 0.0).map(|ours| number(ours.half)).unwrap_or_default(),
        claim.ratio().map(|ratio| format!("{ratio:.3}")).unwrap_or_default(),
        claim.verdict().name().to_owned(),
        if claim.shows_the_same() { SAME } else { "" }.to_owned(),
        claim.times_needed().map(two_digits).unwrap_or_default(),
        claim.note.clone(),
    ]
}

/// The claims of the studies that were run as they are printed with `--json`; `same` are claims of less or more
/// without a difference that counts.
fn entries(judged: &[Judged]) -> Vec<impl Serialize> {
    let run = judged.iter().filter_map(|judged| Some((judged.name, &judged.run.as_ref()?.1)));
    let claims = run.flat_map(|(study, report)| report.claims.iter().map(move |claim| (study, claim)));
    let entries = claims.map(|(study, claim)| {
        object! {
            study: study,
            place: &claim.place,
            claim: &claim.text,
            theirs: claim.theirs,
            ours: claim.ours.map(|ours| ours.mean),
            half: claim.ours.map(|ours| ours.half).filter(|half| half.is_finite()),
            verdict: claim.verdict().name(),
            same: claim.shows_the_same(),
            note: &claim.note,
        }
    });
    entries.collect()
}

fn overview(judged: &[Judged]) -> String {
    let columns = ["study", "claims", "held", "refuted", "open", "of these the same", "not determined"];
    let mut table = Table::new("counts", "", &columns);
    let mut sum = [0; 6];
    let mut row = |name: &str, counts: [usize; 6]| {
        let counts = counts.map(|count| Cell::from(count as u64));
        table.push([Cell::from(name)].into_iter().chain(counts).collect());
    };
    for judged in judged {
        let counts = judged.counts();
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        row(judged.name, counts);
    }
    row("all", sum);
    markdown(&table)
}
