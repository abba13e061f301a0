//! The report of a study as values: paragraphs, tables and charts in order.

use crate::chart::Chart;
use crate::claims::{Claim, Verdict};
use crate::stats::Estimate;

/// A part of a report.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Item {
    /// Text.
    Paragraph(String),
    /// A table.
    Table(Table),
    /// A chart, and the name of its file without extension.
    Chart(&'static str, Chart),
}

/// The complete output of a study.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StudyReport {
    /// The name of the file for the text.
    pub file: &'static str,
    /// Its title.
    pub title: String,
    /// Its parts, in order.
    pub items: Vec<Item>,
    /// The claims of the paper.
    pub claims: Vec<Claim>,
}

impl StudyReport {
    /// Creates an empty report whose text is saved as `file`.
    pub fn titled(file: &'static str, title: impl Into<String>) -> Self {
        Self { file, title: title.into(), items: Vec::new(), claims: Vec::new() }
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: impl Into<String>) {
        self.items.push(Item::Paragraph(text.into()));
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.items.push(Item::Table(table));
    }

    /// Adds a chart.
    pub fn chart(&mut self, name: &'static str, chart: Chart) {
        self.items.push(Item::Chart(name, chart));
    }

    /// Adds, after the introduction, an index of the figures and tables of the paper. Each entry is a line of four
    /// cells with bars between them: the number in the paper, what it shows, the name of our table or chart, and what
    /// the paper prints of its values. The axes of our chart are added.
    pub(crate) fn index(&mut self, entries: &str) {
        let columns = ["in the paper", "shows", "file", "to the right", "upwards", "theirs"];
        let mut table = Table::new("index", "The paper's figures and tables, in its order", &columns);
        for entry in entries.lines() {
            let mut cells = entry.split(" | ");
            let [place, shows, name, theirs] = std::array::from_fn(|_| cells.next().unwrap_or_default());
            let chart = self.items.iter().find_map(|item| match item {
                Item::Chart(own, chart) if *own == name => Some(chart),
                _ => None,
            });
            let file = match chart {
                Some(_) => format!("{name}.svg"),
                None if self.tables().any(|table| table.name == name) => format!("{name}.csv"),
                None => name.to_owned(),
            };
            let axes = |Chart { groups, x, y, .. }: &Chart| {
                [groups.as_ref().map_or_else(|| x.clone(), |groups| groups.join(", ")), y.clone()]
            };
            let [right, up] = chart.map(axes).unwrap_or_default();
            let cells = [place.to_owned(), shows.to_owned(), file, right, up, theirs.to_owned()];
            table.push(
                cells.map(|text| if text.is_empty() { Cell::Empty } else { Cell::Text(text) }).to_vec(),
            );
        }
        let after = self.items.iter().take_while(|item| matches!(item, Item::Paragraph(_))).count();
        self.items.insert(after, Item::Table(table));
    }

    /// Adds claims of the paper, and a table `table` of them with their verdicts.
    pub fn judge(&mut self, table: &'static str, claims: Vec<Claim>) {
        self.table(verdicts(table, &claims));
        self.claims.extend(claims);
    }

    /// Returns the data of each chart as a table of the same name. If the report already has a table of that name, it
    /// has the data, and the chart is skipped.
    pub fn chart_tables(&self) -> impl Iterator<Item = Table> {
        self.items.iter().filter_map(|item| match item {
            Item::Chart(name, chart) if self.tables().all(|table| table.name != *name) => {
                Some(chart_table(name, chart))
            }
            _ => None,
        })
    }

    /// Returns the tables, in order.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.items.iter().filter_map(|item| if let Item::Table(table) = item { Some(table) } else { None })
    }
}

impl PartialEq for StudyReport {
    /// Compares to the bit; NaN equals NaN.
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

/// Returns the data of a chart: a row for each group of bars or each x, a column for each series.
fn chart_table(name: &'static str, chart: &Chart) -> Table {
    let cell = |bar: Option<&Estimate>| match bar {
        Some(bar) if bar.half > 0.0 => Cell::Estimate(*bar, 4),
        Some(bar) => Cell::Number(bar.mean, 4),
        None => Cell::Empty,
    };
    let first = if chart.groups.is_some() { &chart.y } else { &chart.x };
    let names = chart.series.iter().map(|(name, _)| name.as_str());
    let columns: Vec<&str> = [first.as_str()].into_iter().chain(names).collect();
    let mut table = Table::new(name, chart.title.as_str(), &columns);
    let mut places: Vec<f64> = chart.series.iter().flat_map(|(_, points)| points).map(|(x, _)| *x).collect();
    places.sort_unstable_by(f64::total_cmp);
    places.dedup();
    let rows: Vec<(Cell, f64)> = match &chart.groups {
        Some(groups) => groups.iter().map(|group| group.as_str().into()).zip((0..).map(f64::from)).collect(),
        None => places.into_iter().map(|x| (Cell::Number(x, 4), x)).collect(),
    };
    for (first, x) in rows {
        // Of several points at one x, the first is shown.
        let here = |points: &[(f64, Estimate)]| cell(points.iter().find(|point| point.0 == x).map(|p| &p.1));
        table.row([first], chart.series.iter().map(|(_, points)| here(points)));
    }
    table
}

/// Returns a table of the claims, with the range that each allows and its verdict.
fn verdicts(name: &'static str, claims: &[Claim]) -> Table {
    let of = |verdict: Verdict| claims.iter().filter(move |claim| claim.verdict() == verdict);
    let [held, refuted, open, missing] = std::array::from_fn(|at| of(Verdict::ALL[at]).count());
    let same = of(Verdict::Open).filter(|claim| claim.shows_the_same()).count();
    let title = format!(
        "The paper's claims: {held} held, {refuted} refuted, {open} open, {missing} not determined by the text; {same} \
         of the open ones show the same"
    );
    let mut table = Table::new(name, title, &COLUMNS.map(|(column, _)| column));
    claims.iter().for_each(|claim| table.push(COLUMNS.map(|(_, cell)| cell(claim)).to_vec()));
    table
}

/// A column of the table of claims: its name, and a function from a claim to its cell.
type ClaimColumn = (&'static str, fn(&Claim) -> Cell);

/// The columns of the table of claims.
const COLUMNS: [ClaimColumn; 9] = [
    ("place", |claim| claim.place.as_str().into()),
    ("claim", |claim| claim.text.as_str().into()),
    ("theirs", |claim| claim.theirs.map_or(Cell::Empty, |theirs| Cell::Number(theirs, claim.decimals))),
    ("allowed", |claim| claim.ours.map_or(Cell::Empty, |_| claim.range.to_string().into())),
    ("ours", |claim| match claim.ours {
        // If all replicates agree, an interval of width 0 would claim too much.
        Some(ours) if ours.half == 0.0 => Cell::Number(ours.mean, claim.decimals),
        Some(ours) => Cell::Estimate(ours, claim.decimals),
        None => Cell::Empty,
    }),
    ("ratio", |claim| claim.ratio().map_or(Cell::Empty, |ratio| Cell::Number(ratio, 3))),
    ("verdict", |claim| claim.verdict().name().into()),
    ("size", |claim| if claim.shows_the_same() { "the same" } else { "" }.into()),
    ("note", |claim| note(claim).into()),
];

/// Returns the note of a claim; it also says whether all replicates agree.
fn note(claim: &Claim) -> String {
    match claim.ours {
        Some(Estimate { half: 0.0, count: count @ 2.., .. }) => {
            let agree = format!("the same in all {count} replicates");
            if claim.note.is_empty() { agree } else { format!("{}; {agree}", claim.note) }
        }
        _ => claim.note.clone(),
    }
}

/// One value of a table: rounded when shown, with all digits when saved.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cell {
    /// No value.
    Empty,
    /// Text.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number, and the decimals to show.
    Number(f64, usize),
    /// A mean with its 95% interval, and the decimals to show.
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

/// Rows of cells under column names.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
#[must_use]
pub struct Table {
    /// The name of its file, without extension.
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Whether it is printed, not only saved.
    pub printed: bool,
}

impl Table {
    /// Creates a table without rows. `name` is that of its file; the title is printed above it.
    pub fn new(name: &'static str, title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { name, title: title.into(), columns, rows: Vec::new(), printed: true }
    }

    /// Creates a table of these rows, each cell with its heading; all rows must have the headings of the first.
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

    /// Marks the table, of raw values, as saved but not printed.
    pub fn with_saved_only(mut self) -> Self {
        self.printed = false;
        self
    }

    /// Adds a row, a cell for each column.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len(), "{}", self.name);
        self.rows.push(row);
    }

    /// Adds a row: what it is about, then its other cells.
    pub fn row<N: Into<Cell>>(
        &mut self,
        of: impl IntoIterator<Item = N>,
        cells: impl IntoIterator<Item = Cell>,
    ) {
        self.push(of.into_iter().map(Into::into).chain(cells).collect());
    }
}
