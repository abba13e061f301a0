//! Records under construction: instants are still absolute, and names of users, queues and the like are not yet
//! replaced by numbers.

use super::times::{duration, instant, is_clock};
use super::{Conversion, hosts};
use crate::swf::record::Place;
use crate::swf::{
    Column, DropReason, Dropped, Lost, SwfField, SwfHeader, SwfLog, SwfRecord, SwfReport, number,
};
use sched_model::internal::counted;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The meaning of a column or JSON member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A field of a record, in its own unit.
    Field(SwfField),
    /// The instant at which the job started.
    Start,
    /// The instant at which the job ended.
    End,
    /// The time limit of the job, in minutes.
    LimitMinutes,
    /// The state of the job, in Slurm's words.
    State,
    /// How the job ended, in the words of a simulation's table of jobs.
    Ending,
    /// The requested memory, in Slurm's units: of each CPU if it ends in `c`, otherwise of the job.
    SlurmMemory,
    /// The requested memory of the job, in gigabytes.
    Gigabytes,
    /// The resources of the job, as in `cpu=2,mem=4G,node=1`.
    Tres,
    /// The memory that each node or CPU must have. 0 means that no memory is requested, whatever other columns state.
    MinMemory,
    /// The nodes that the job holds.
    Nodes,
}

impl Meaning {
    /// The field that a loss names if the text of a column cannot be read.
    pub(super) fn field(self) -> SwfField {
        match self {
            Self::Field(field) => field,
            Self::Start => SwfField::Wait,
            Self::End => SwfField::Runtime,
            Self::LimitMinutes => SwfField::RequestedTime,
            Self::State | Self::Ending => SwfField::Status,
            Self::SlurmMemory | Self::Gigabytes | Self::Tres | Self::MinMemory => SwfField::RequestedMemory,
            Self::Nodes => SwfField::Allocated,
        }
    }

    /// Whether only a job that has started has this value.
    fn needs_start(self) -> bool {
        let field = matches!(self, Self::Field(SwfField::Runtime | SwfField::Allocated));
        field || matches!(self, Self::Start | Self::End | Self::Nodes)
    }
}

/// Larger numbers of seconds are taken to count from 1970, not from the start of the log.
const SINCE_1970: f64 = 1e8;

/// Whether the text of a cell stands for an absent value.
fn is_absent(text: &str) -> bool {
    const ABSENT: [&str; 10] =
        ["", "-", "-1", "Unknown", "None", "N/A", "NONE", "UNLIMITED", "Partition_Limit", "INVALID"];
    ABSENT.contains(&text)
}

/// A record under construction.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) record: SwfRecord,
    pub(super) start: Option<f64>,
    pub(super) end: Option<f64>,
    /// The memory requested by the whole job, in kilobytes.
    pub(super) memory_of_job: Option<f64>,
    /// Whether no memory is requested; a stated amount of memory is then that of the whole node.
    no_memory: bool,
    /// The nodes that the job holds.
    pub(super) nodes: Vec<String>,
}

/// A [`Conversion`] under construction.
#[derive(Default)]
pub(super) struct Drafts {
    /// The records, each with its line.
    drafts: Vec<(u64, Draft)>,
    /// The names of each field of [`NAMED`].
    names: [Names; NAMED.len()],
    pub(super) report: SwfReport,
    pub(super) skipped: u64,
    /// The columns of a table with their meanings; empty for other texts.
    pub(super) columns: Vec<(Meaning, Column)>,
    /// Whether an instant was given as a date.
    dated: bool,
}

pub(super) fn shown(text: &str) -> String {
    number::shown(text.as_bytes())
}

pub(super) fn unexpected(text: &str, expected: &'static str) -> DropReason {
    DropReason::Unexpected { text: shown(text), expected }
}

/// Parses a number and multiplies it by `factor`; an error if the result is infinite.
fn scaled(text: &str, factor: f64) -> Result<Option<f64>, DropReason> {
    match number::real(text.as_bytes())?.map(|value| value * factor) {
        Some(value) if value.is_infinite() => Err(DropReason::NotANumber { text: shown(text) }),
        value => Ok(value),
    }
}

/// Parses an amount of memory of Slurm, such as `4000M` or `4Gc`. Returns it in kilobytes, and whether it is per CPU
/// (`c`). Amounts per node (`n`) are an error.
fn memory(text: &str) -> Result<(f64, bool), DropReason> {
    let wrong = || unexpected(text, "memory as Slurm writes it, for the job or with `c` for each CPU");
    if text.ends_with('n') {
        return Err(wrong());
    }
    let (text, by_cpu) = text.strip_suffix('c').map_or((text, false), |text| (text, true));
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "K" => 1.0,
        "" | "M" => 1024.0,
        "G" => 1024.0 * 1024.0,
        "T" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    Ok((scaled(digits, factor).ok().flatten().ok_or_else(wrong)?, by_cpu))
}

/// Whether a job in this state, in Slurm's words, has not started.
pub(super) fn is_waiting(state: &str) -> bool {
    ["PENDING", "PD", "CONFIGURING", "CF"].contains(&state)
}

/// The status codes of a record.
pub(super) mod code {
    pub(crate) const FAILED: u64 = 0;
    pub(crate) const COMPLETED: u64 = 1;
    pub(crate) const CANCELLED: u64 = 5;
}

/// Returns the status code for a state of Slurm; `None` if the job has not ended.
pub(super) fn status(text: &str) -> Result<Option<u64>, DropReason> {
    // The state may be followed by a user (`CANCELLED by 1000`), or by flags after a comma or a plus sign.
    let word = text.split([' ', ',', '+']).next().unwrap_or("");
    match word.to_ascii_uppercase().as_str() {
        "COMPLETED" | "CD" => Ok(Some(code::COMPLETED)),
        "CANCELLED" | "CA" | "REVOKED" => Ok(Some(code::CANCELLED)),
        "FAILED" | "F" | "TIMEOUT" | "TO" | "NODE_FAIL" | "NF" | "OUT_OF_MEMORY" | "OOM" | "BOOT_FAIL"
        | "BF" | "DEADLINE" | "DL" | "PREEMPTED" | "PR" => Ok(Some(code::FAILED)),
        "RUNNING" | "R" | "SUSPENDED" | "S" | "COMPLETING" | "CG" | "REQUEUED" | "RESIZING" => Ok(None),
        word if is_waiting(word) => Ok(None),
        _ => Err(unexpected(text, "a state of Slurm")),
    }
}

/// Returns the status code for how a simulated job ended; `None` if it has not run, or still does.
fn status_of_ending(text: &str) -> Result<Option<u64>, DropReason> {
    match text {
        "done" => Ok(Some(code::COMPLETED)),
        "cancelled" => Ok(Some(code::CANCELLED)),
        "killed" | "machine failed" | "link failed" | "user link failed" | "owner gone" => {
            Ok(Some(code::FAILED))
        }
        text if text == "waiting" || text.starts_with("refused") => Ok(None),
        _ => Err(unexpected(text, "an ending of a simulated job")),
    }
}

impl Drafts {
    /// Adds a loss to the report, with the column of the field if there is one.
    pub(super) fn lose(&mut self, line: u64, field: Option<SwfField>, lost: Lost, reason: DropReason) {
        let column = self.column(|of| Some(of.field()) == field);
        self.report.add(Dropped { line, field, column, lost, reason });
    }

    /// The first column whose meaning satisfies `is_it`.
    fn column(&self, is_it: impl Fn(Meaning) -> bool) -> Option<Column> {
        self.columns.iter().find(|(meaning, _)| is_it(*meaning)).map(|(_, column)| column.clone())
    }

    /// Makes a record from `cells` and reports the values that cannot be read; `None` if the line is lost. For a job
    /// that `is_waiting`, values that only a started job has are ignored.
    pub(super) fn fill<'a>(
        &mut self,
        line: u64,
        is_waiting: bool,
        cells: impl Iterator<Item = (Meaning, Result<Cow<'a, str>, DropReason>)>,
    ) -> Option<Draft> {
        let mut draft = Draft::default();
        for (meaning, cell) in cells.filter(|(meaning, _)| !(is_waiting && meaning.needs_start())) {
            if let Err(reason) = cell.and_then(|text| self.set(&mut draft, meaning, &text)) {
                let (field, lost) = (meaning.field(), Lost::if_unreadable(meaning.field()));
                let column = self.column(|of| of == meaning);
                self.report.add(Dropped { line, field: Some(field), column, lost, reason });
                if lost == Lost::Line {
                    return None;
                }
            }
        }
        Some(draft)
    }

    /// Parses an instant given in seconds or as a date.
    fn instant(&mut self, text: &str) -> Result<Option<f64>, DropReason> {
        if let Some(seconds) = instant(text) {
            self.dated = true;
            return Ok(Some(seconds));
        }
        number::real(text.as_bytes())
            .map_err(|_| unexpected(text, "an instant: seconds, or YYYY-MM-DDTHH:MM:SS"))
    }

    /// Parses the text of a cell and stores its value in `draft`.
    pub(super) fn set(&mut self, draft: &mut Draft, meaning: Meaning, text: &str) -> Result<(), DropReason> {
        if is_absent(text) {
            return Ok(());
        }
        let record = &mut draft.record;
        let is_memory = meaning.field() == SwfField::Memory || meaning.field() == SwfField::RequestedMemory;
        match meaning {
            Meaning::Start => draft.start = self.instant(text)?,
            Meaning::End => draft.end = self.instant(text)?,
            Meaning::LimitMinutes => record.requested_time = scaled(text, 60.0)?,
            Meaning::State => record.status = status(text)?,
            Meaning::Ending => record.status = status_of_ending(text)?,
            Meaning::SlurmMemory => match memory(text)? {
                (kilobytes, true) => record.requested_memory = Some(kilobytes),
                (kilobytes, false) => draft.memory_of_job = Some(kilobytes),
            },
            Meaning::Gigabytes => draft.memory_of_job = scaled(text, 1024.0 * 1024.0)?,
            Meaning::Tres => {
                let mut parts = text.split(',').filter_map(|part| part.split_once('='));
                if let Some((_, amount)) = parts.find(|(name, _)| *name == "mem") {
                    draft.memory_of_job = Some(memory(amount)?.0);
                }
            }
            Meaning::MinMemory => draft.no_memory = memory(text)?.0 == 0.0,
            Meaning::Nodes => {
                draft.nodes = hosts::names(text).ok_or_else(|| unexpected(text, "a list of nodes"))?;
            }
            Meaning::Field(SwfField::Submit) => record.submit = self.instant(text)?,
            Meaning::Field(field) => match record.place(field) {
                Place::Real(place) if !is_memory && is_clock(text) => {
                    *place = Some(duration(text).ok_or_else(|| unexpected(text, "a duration"))?);
                }
                _ if NAMED.contains(&field) => self.name(record, field, text),
                _ => number::read(record, field, text.as_bytes())?,
            },
        }
        Ok(())
    }

    /// Sets a field of [`NAMED`] to the number of the name `text`.
    pub(super) fn name(&mut self, record: &mut SwfRecord, field: SwfField, text: &str) {
        let names = NAMED.into_iter().zip(&mut self.names).find(|(named, _)| *named == field);
        if let (Some((_, names)), Place::Count(number)) = (names, record.place(field)) {
            *number = Some(names.number(text));
        }
    }

    /// Adds a record, or drops its line if the job number or the submit time is missing.
    pub(super) fn push(&mut self, line: u64, draft: Draft) {
        let SwfRecord { job, submit, .. } = draft.record;
        let needed = [(SwfField::Job, job.is_some()), (SwfField::Submit, submit.is_some())];
        match needed.into_iter().find(|(_, known)| !known) {
            Some((field, _)) => self.lose(line, Some(field), Lost::Line, DropReason::Missing),
            None => self.drafts.push((line, draft)),
        }
    }

    /// Completes the conversion. Submit times count from the first one if they are dates or seconds since 1970.
    pub(super) fn finish(mut self, mut header: SwfHeader) -> Conversion {
        let submits = self.drafts.iter().filter_map(|(_, draft)| draft.record.submit);
        let first = submits.fold(f64::INFINITY, f64::min);
        let base = if (self.dated || first > SINCE_1970) && first.is_finite() { first.floor() } else { 0.0 };
        if base != 0.0 {
            header.push(&format!(" UnixStartTime: {base}"));
        }
        let values: Vec<Option<Vec<u64>>> = self.names.iter().map(Names::values).collect();
        for ((names, field), _) in
            self.names.iter().zip(NAMED).zip(&values).filter(|(_, values)| values.is_none())
        {
            names.note(field, &mut header);
        }
        let (mut records, mut held) = (Vec::with_capacity(self.drafts.len()), Vec::new());
        for (line, draft) in std::mem::take(&mut self.drafts) {
            let (mut record, nodes) = self.completed(line, draft);
            record.submit = record.submit.map(|submit| submit - base);
            for (field, values) in NAMED.into_iter().zip(&values) {
                if let (Place::Count(Some(number)), Some(values)) = (record.place(field), values) {
                    // All names of this field are numbers, which are kept: `values[i]` has the number i + 1.
                    *number = values.get(*number as usize - 1).copied().unwrap_or(*number);
                }
            }
            records.push(record);
            held.push(nodes);
        }
        let widest = records.iter().filter_map(SwfRecord::processors).max().unwrap_or(0);
        if header.max_procs().is_none() && widest > 0 {
            header.push(&format!(" Note: the widest job has {}", counted(widest, "processor")));
        }
        Conversion { log: SwfLog { header, records }, report: self.report, skipped: self.skipped, held }
    }

    /// Completes a record: where they are not given, computes wait and run time from start and end, and the memory per
    /// processor from that of the job. Returns it with the nodes that its job holds.
    fn completed(&mut self, line: u64, draft: Draft) -> (SwfRecord, Vec<String>) {
        let Draft { mut record, start, end, memory_of_job, no_memory, nodes } = draft;
        let mut difference = |from: Option<f64>, to: Option<f64>, field, what| {
            let seconds = to? - from?;
            if seconds >= 0.0 {
                return Some(seconds);
            }
            let reason = DropReason::Before { seconds: shown(&(-seconds).to_string()), what };
            self.lose(line, Some(field), Lost::Value, reason);
            None
        };
        if record.wait.is_none() {
            record.wait = difference(record.submit, start, SwfField::Wait, "submission");
        }
        if record.runtime.is_none() {
            record.runtime = difference(start, end, SwfField::Runtime, "start");
        }
        if let Some(memory) = memory_of_job.filter(|_| !no_memory && record.requested_memory.is_none()) {
            record.requested_memory = record.processors().map(|processors| memory / processors as f64);
            if record.requested_memory.is_none() {
                let reason = unexpected(&memory.to_string(), "memory of a known number of processors");
                self.lose(line, Some(SwfField::RequestedMemory), Lost::Value, reason);
            }
        }
        (record, nodes)
    }
}

/// The fields whose values may be names.
pub(super) const NAMED: [SwfField; 5] =
    [SwfField::User, SwfField::Group, SwfField::Executable, SwfField::Queue, SwfField::Partition];

/// Numbers names from 1 in the order in which they first occur.
#[derive(Default)]
pub(super) struct Names {
    numbers: BTreeMap<String, u64>,
    in_order: Vec<String>,
}

impl Names {
    pub(super) fn number(&mut self, name: &str) -> u64 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.in_order.len() as u64 + 1;
        self.numbers.insert(name.to_owned(), number);
        self.in_order.push(name.to_owned());
        number
    }

    /// The names as numbers if all of them are numbers, in the order of their first use.
    pub(super) fn values(&self) -> Option<Vec<u64>> {
        self.in_order.iter().map(|name| name.parse().ok()).collect()
    }

    /// Adds a comment for each number with its name, such as `Queue: 1 batch`, as the format has for queues and
    /// partitions.
    pub(super) fn note(&self, field: SwfField, header: &mut SwfHeader) {
        for (name, number) in self.in_order.iter().zip(1..) {
            let shown: String = name.chars().filter(|letter| !letter.is_control()).collect();
            header.push(&format!(" {field:?}: {number} {shown}"));
        }
    }
}
