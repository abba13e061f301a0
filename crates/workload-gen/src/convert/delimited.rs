//! Tables with named columns: plain CSV, and the output of Slurm's commands.

use super::Conversion;
use super::draft::Meaning::{
    End, Ending, Field, LimitMinutes, MinMemory, Nodes, SlurmMemory, Start, State, Tres,
};
use super::draft::{Drafts, Meaning, is_waiting, shown};
use crate::WorkloadError;
use crate::swf::{Column, DropReason, Lost, SwfField, SwfHeader};
use std::borrow::Cow;

pub(super) fn read_csv(text: &str, renamed: &[(&str, &str)]) -> Result<Conversion, WorkloadError> {
    for (from, to) in renamed {
        if csv_meaning(to).is_none() {
            let why = format!("no column can be called {to:?}; known: {}", csv_columns().join(", "));
            return Err(WorkloadError::Table { line: 0, why: format!("column {from:?}: {why}") });
        }
    }
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let count = |separator: char| first.matches(separator).count();
    // The most frequent separator, the first of equally frequent ones: `max_by_key` returns the last.
    let separator =
        [',', ';', '\t', '|'].into_iter().rev().max_by_key(|&separator| count(separator)).unwrap_or(',');
    let head = Rows::new(text, separator).next().transpose()?;
    let heads = head.map(|head| head.cells).unwrap_or_default();
    // In a simulation's table of jobs `requested` is a time; elsewhere it may be a number of processors.
    let simulated = heads.iter().any(|head| csv_meaning(head) == Some(Ending));
    let meaning = |name: &str| match renamed.iter().find(|(from, _)| from.trim().eq_ignore_ascii_case(name)) {
        Some((_, to)) => csv_meaning(to),
        None if simulated && name == "requested" => Some(Field(SwfField::RequestedTime)),
        None => csv_meaning(name),
    };
    for (from, _) in renamed {
        if !heads.iter().any(|head| head.eq_ignore_ascii_case(from.trim())) {
            return Err(WorkloadError::Table { line: 1, why: format!("there is no column {from:?}") });
        }
    }
    read_table(text, separator, &meaning, |_| false)
}

/// The usual names of the columns that [`Format::Csv`](super::Format::Csv) knows.
pub fn csv_columns() -> Vec<&'static str> {
    CSV.iter().map(|(names, _)| names[0]).collect()
}

/// The columns of plain CSV: their names, the usual one first, and their meaning.
const CSV: [(&[&str], Meaning); 21] = [
    (&["job", "job id", "job number", "id"], Field(SwfField::Job)),
    (&["submit", "submit time", "submission time", "subtime"], Field(SwfField::Submit)),
    (&["wait", "wait time", "waiting time"], Field(SwfField::Wait)),
    (&["start", "start time", "starting time"], Start),
    (&["end", "end time", "finish time"], End),
    (&["runtime", "execution time"], Field(SwfField::Runtime)),
    (&["allocated", "allocated processors"], Field(SwfField::Allocated)),
    (&["cpu time"], Field(SwfField::CpuTime)),
    (&["memory"], Field(SwfField::Memory)),
    (
        &["processors", "cpus", "requested processors", "requested number of resources"],
        Field(SwfField::RequestedProcessors),
    ),
    (&["requested time", "walltime"], Field(SwfField::RequestedTime)),
    (&["requested memory"], Field(SwfField::RequestedMemory)),
    (&["status"], Field(SwfField::Status)),
    (&["ending"], Ending),
    (&["user"], Field(SwfField::User)),
    (&["group"], Field(SwfField::Group)),
    (&["executable"], Field(SwfField::Executable)),
    (&["queue"], Field(SwfField::Queue)),
    (&["partition"], Field(SwfField::Partition)),
    (&["preceding"], Field(SwfField::Preceding)),
    (&["think time"], Field(SwfField::ThinkTime)),
];

fn csv_meaning(name: &str) -> Option<Meaning> {
    let word = |name: &str| name.replace(['_', '-', ' '], "").to_ascii_lowercase();
    let name = word(name.trim());
    CSV.iter().find(|(names, _)| names.iter().any(|known| word(known) == name)).map(|(_, meaning)| *meaning)
}

pub(super) const SACCT_COMMAND: &str = "sacct --allusers --parsable2 \
    --format=JobIDRaw,Submit,Start,End,ElapsedRaw,TimelimitRaw,AllocCPUS,ReqCPUS,ReqMem,State,User,Group,Partition";

pub(super) const SACCT: [(&str, Meaning); 15] = [
    ("JobIDRaw", Field(SwfField::Job)),
    ("Submit", Field(SwfField::Submit)),
    ("Start", Start),
    ("End", End),
    ("ElapsedRaw", Field(SwfField::Runtime)),
    ("Elapsed", Field(SwfField::Runtime)),
    ("TimelimitRaw", LimitMinutes),
    ("Timelimit", Field(SwfField::RequestedTime)),
    ("AllocCPUS", Field(SwfField::Allocated)),
    ("ReqCPUS", Field(SwfField::RequestedProcessors)),
    ("ReqMem", SlurmMemory),
    ("State", State),
    ("User", Field(SwfField::User)),
    ("Group", Field(SwfField::Group)),
    ("Partition", Field(SwfField::Partition)),
];

pub(super) const SQUEUE_COMMAND: &str = "squeue --all --Format=JobID:|,SubmitTime:|,StartTime:|,TimeUsed:|,TimeLimit:|,NumCPUs:|,State:|,UserName:|,GroupName:|,Partition:|,tres-alloc:|,MinMemory:|,NodeList:|";

pub(super) const SQUEUE: [(&str, Meaning); 13] = [
    ("JOBID", Field(SwfField::Job)),
    ("SUBMIT_TIME", Field(SwfField::Submit)),
    ("START_TIME", Start),
    ("TIME", Field(SwfField::Runtime)),
    ("TIME_LIMIT", Field(SwfField::RequestedTime)),
    ("CPUS", Field(SwfField::RequestedProcessors)),
    ("STATE", State),
    ("USER", Field(SwfField::User)),
    ("GROUP", Field(SwfField::Group)),
    ("PARTITION", Field(SwfField::Partition)),
    ("TRES_ALLOC", Tres),
    ("MIN_MEMORY", MinMemory),
    ("NODELIST", Nodes),
];

/// Reads a table of Slurm. Lines of job steps, whose job numbers contain a point, are skipped.
pub(super) fn read_slurm(text: &str, columns: &[(&str, Meaning)]) -> Result<Conversion, WorkloadError> {
    let meaning = |name: &str| columns.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning);
    read_table(text, '|', &meaning, |job| job.contains('.'))
}

/// Reads a table whose first row names the columns. `meaning` is the meaning of a name, `None` for columns to be
/// ignored; rows whose job number `is_step` are skipped and counted.
fn read_table(
    text: &str,
    separator: char,
    meaning: &dyn Fn(&str) -> Option<Meaning>,
    is_step: impl Fn(&str) -> bool,
) -> Result<Conversion, WorkloadError> {
    let mut rows = Rows::new(text, separator);
    let wrong = |line, why: String| WorkloadError::Table { line, why };
    let Some(head) = rows.next().transpose()? else {
        return Err(wrong(1, "no line with the names of columns".into()));
    };
    let meanings: Vec<Option<Meaning>> = head.cells.iter().map(|name| meaning(name)).collect();
    for (at, one) in meanings.iter().enumerate().filter(|(_, one)| one.is_some()) {
        if let Some(before) = meanings[..at].iter().position(|other| other == one) {
            let why = format!("columns {:?} and {:?} mean the same", head.cells[before], head.cells[at]);
            return Err(wrong(head.line, why));
        }
    }
    for (field, name) in [(SwfField::Job, "job numbers"), (SwfField::Submit, "submit times")] {
        if !meanings.contains(&Some(Field(field))) {
            return Err(wrong(head.line, format!("no column of {name} among {}", head.cells.join(", "))));
        }
    }
    let columns = (1..).zip(&head.cells).zip(&meanings);
    let column = |((number, name), meaning): ((usize, &String), &Option<Meaning>)| {
        Some(((*meaning)?, Column { number, name: shown(name) }))
    };
    let mut drafts = Drafts::default();
    drafts.columns = columns.filter_map(column).collect();
    for row in rows {
        let row = row?;
        if row.cells.len() != head.cells.len() {
            let reason = DropReason::Cells { found: row.cells.len(), expected: head.cells.len() };
            drafts.lose(row.line, None, Lost::Line, reason);
            continue;
        }
        let cells = || {
            meanings.iter().zip(&row.cells).filter_map(|(meaning, cell)| Some(((*meaning)?, cell.as_str())))
        };
        let cell = |wanted: Meaning| cells().find(|(meaning, _)| *meaning == wanted).map(|(_, cell)| cell);
        if cell(Field(SwfField::Job)).is_some_and(&is_step) {
            drafts.skipped += 1;
            continue;
        }
        let texts = cells().map(|(meaning, cell)| (meaning, Ok(Cow::Borrowed(cell))));
        if let Some(draft) = drafts.fill(row.line, cell(State).is_some_and(is_waiting), texts) {
            drafts.push(row.line, draft);
        }
    }
    Ok(drafts.finish(SwfHeader::default()))
}

/// The maximum length of a row, in bytes.
const MAX_ROW: usize = 1 << 20;

/// The cells of a row, with the line on which it begins.
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) cells: Vec<String>,
}

/// An iterator over the rows of a text. A cell in double quotes may contain separators, line ends and doubled quotes.
/// Blank lines are skipped; blanks around cells and a byte order mark at the start are removed. It yields one error
/// and ends if a row is too long or a quoted cell has no end.
pub(super) struct Rows<'a> {
    rest: &'a str,
    separator: char,
    line: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn new(text: &'a str, separator: char) -> Self {
        Self { rest: text.strip_prefix('\u{feff}').unwrap_or(text), separator, line: 1 }
    }

    fn next_row(&mut self) -> Result<Option<Row>, WorkloadError> {
        loop {
            if self.rest.is_empty() {
                return Ok(None);
            }
            let line = self.line;
            let (mut cells, mut cell, mut quoted) = (vec![], String::new(), false);
            let mut letters = self.rest.char_indices().peekable();
            let mut end = self.rest.len();
            while let Some((at, letter)) = letters.next() {
                if at > MAX_ROW {
                    let why = format!("a row of more than {MAX_ROW} bytes");
                    return Err(WorkloadError::Table { line, why });
                }
                self.line += u64::from(letter == '\n');
                match letter {
                    '"' if quoted && letters.peek().is_some_and(|&(_, next)| next == '"') => {
                        letters.next();
                        cell.push('"');
                    }
                    '"' if quoted => quoted = false,
                    // Only a quote at the beginning of a cell opens a quoted cell.
                    '"' if cell.trim().is_empty() => {
                        cell.clear();
                        quoted = true;
                    }
                    '\n' if !quoted => {
                        end = at + 1;
                        break;
                    }
                    _ if letter == self.separator && !quoted => {
                        cells.push(cell.trim().to_owned());
                        cell.clear();
                    }
                    _ => cell.push(letter),
                }
            }
            if quoted {
                return Err(WorkloadError::Table { line, why: "a quoted cell without an end".to_owned() });
            }
            self.rest = &self.rest[end..];
            cells.push(cell.trim().to_owned());
            if cells.len() > 1 || cells.iter().any(|cell| !cell.is_empty()) {
                return Ok(Some(Row { line, cells }));
            }
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, WorkloadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.next_row().transpose();
        if matches!(row, Some(Err(_))) {
            self.rest = "";
        }
        row
    }
}
