//! Slurm's accounting as JSON, by the version of the plugin that wrote it.

use super::draft::Meaning::{self, Field, LimitMinutes, Nodes, SlurmMemory, Start, State};
use super::draft::{Drafts, shown};
use super::{Conversion, parse_json};
use crate::WorkloadError;
use crate::swf::{DropReason, SwfField, SwfHeader};
use serde_json::Value;
use std::borrow::Cow;

/// The layouts that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// `openapi/v0.0.38` and `openapi/dbv0.0.38`, Slurm 22.05: plain numbers, one state.
    Plain,
    /// `data_parser/v0.0.40` and `v0.0.41`, Slurm 23.11 and 24.05: numbers that may be unset, lists of
    /// states.
    Marked,
}

impl Layout {
    /// The layout that a text names; `plain` is the plugin of 22.05.
    pub(super) fn of(value: &Value, plain: &str) -> Result<Self, WorkloadError> {
        let plugin = &value["meta"]["plugin"];
        match plugin["data_parser"].as_str().or(plugin["type"].as_str()).unwrap_or("") {
            written if written == plain => Ok(Self::Plain),
            "data_parser/v0.0.40" | "data_parser/v0.0.41" => Ok(Self::Marked),
            other => {
                let known =
                    format!("{plain} (22.05), data_parser/v0.0.40 (23.11), data_parser/v0.0.41 (24.05)");
                let why = format!("written by plugin {other:?}; known: {known}");
                Err(WorkloadError::Json { place: "meta.plugin".to_owned(), why })
            }
        }
    }

    /// The one state, or the first of several.
    pub(super) fn state(self, value: &Value) -> Option<&str> {
        match self {
            Self::Plain => value.as_str(),
            Self::Marked => value[0].as_str(),
        }
    }
}

/// The list of this name in a text.
pub(super) fn list<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>, WorkloadError> {
    let missing = || WorkloadError::Json { place: name.to_owned(), why: "no list".to_owned() };
    value[name].as_array().ok_or_else(missing)
}

/// The output of `sacct --json` of Slurm 22.05, 23.11 or 24.05. The versions have different layouts; that of
/// another plugin is refused, because its numbers might have another meaning.
///
/// ```
/// use workload_gen::convert::read_sacct_json;
/// let text = r#"{"meta": {"plugin": {"data_parser": "data_parser/v0.0.41"}}, "jobs": [
///     {"job_id": 7, "user": "anna", "partition": "short", "state": {"current": ["COMPLETED"]},
///      "time": {"submission": 1714550400, "start": 1714550460, "end": 1714550580, "elapsed": 120,
///               "limit": {"set": true, "infinite": false, "number": 60}},
///      "required": {"CPUs": 16}, "tres": {"allocated": [{"type": "cpu", "count": 16}]}}]}"#;
/// let log = read_sacct_json(text)?.log;
/// let job = &log.records[0];
/// assert_eq!(
///     (job.wait, job.runtime, job.requested_time, job.allocated),
///     (Some(60.0), Some(120.0), Some(3600.0), Some(16))
/// );
/// assert!(
///     read_sacct_json(r#"{"meta": {"plugin": {"data_parser": "data_parser/v9.9.9"}}, "jobs": []}"#)
///         .is_err()
/// );
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Json`] for a text that is no JSON, has no jobs, or comes from a plugin that is not known.
pub fn read_sacct_json(text: &str) -> Result<Conversion, WorkloadError> {
    read_jobs(text, "openapi/dbv0.0.38", &SACCT, |_| false)
}

const SACCT: [Member; 12] = [
    ("/job_id", Field(SwfField::Job), ""),
    ("/time/submission", Field(SwfField::Submit), ""),
    ("/time/start", Start, ""),
    ("/time/elapsed", Field(SwfField::Runtime), ""),
    ("/time/limit", LimitMinutes, ""),
    ("/tres/allocated", Field(SwfField::Allocated), ""),
    ("/required/CPUs", Field(SwfField::RequestedProcessors), ""),
    ("/required/memory_per_cpu", SlurmMemory, "Mc"),
    ("/state/current", State, ""),
    ("/user", Field(SwfField::User), ""),
    ("/group", Field(SwfField::Group), ""),
    ("/partition", Field(SwfField::Partition), ""),
];

/// A member of a job: where it stands, what it holds, and the unit of its number.
pub(super) type Member = (&'static str, Meaning, &'static str);

/// The jobs of a text; the line of each is its place in the list, from 1. By its state `waits` tells whether it has not
/// started.
pub(super) fn read_jobs(
    text: &str,
    plain: &str,
    members: &[Member],
    waits: impl Fn(Option<&str>) -> bool,
) -> Result<Conversion, WorkloadError> {
    let value = parse_json(text)?;
    let layout = Layout::of(&value, plain)?;
    let mut drafts = Drafts::default();
    for (line, job) in (1..).zip(list(&value, "jobs")?) {
        let cells = members.iter().filter_map(|&(at, meaning, unit)| {
            let text = cell(job.pointer(at).unwrap_or(&Value::Null), meaning, unit, layout).transpose()?;
            Some((meaning, text.map(Cow::Owned)))
        });
        let state = members.iter().find(|(_, meaning, _)| *meaning == State);
        let state = state.and_then(|(at, ..)| layout.state(job.pointer(at)?));
        let Some(mut draft) = drafts.fill(line, waits(state), cells) else { continue };
        // That of a job that runs is only expected.
        draft.end = draft.end.filter(|_| draft.record.status.is_some());
        draft.record.runtime = draft.record.runtime.filter(|_| draft.start.is_some());
        if let Ok(Some(nodes)) = number(&job["node_count"], layout) {
            draft.memory_of_job = draft.memory_of_job.map(|memory| memory * nodes.max(1) as f64);
        }
        drafts.push(line, draft);
    }
    Ok(drafts.finish(SwfHeader::default()))
}

/// A value as a table has it. Zero means that there is none, except for a run time.
fn cell(value: &Value, meaning: Meaning, unit: &str, layout: Layout) -> Result<Option<String>, DropReason> {
    let number = match meaning {
        State => return layout.state(value).map(|word| Some(word.to_owned())).ok_or(DropReason::Missing),
        Nodes | Field(SwfField::User | SwfField::Group | SwfField::Partition) => {
            return Ok(value.as_str().map(str::to_owned));
        }
        Field(SwfField::Allocated) => {
            let cpus = value.as_array().and_then(|all| all.iter().find(|one| one["type"] == "cpu"));
            number(cpus.map_or(&Value::Null, |cpus| &cpus["count"]), layout)?
        }
        _ => number(value, layout)?,
    };
    let number = number.filter(|&number| number > 0 || meaning == Field(SwfField::Runtime));
    Ok(number.map(|number| format!("{number}{unit}")))
}

/// A whole number, where it is set.
fn number(value: &Value, layout: Layout) -> Result<Option<u64>, DropReason> {
    let plain = match layout {
        Layout::Marked if value.is_object() => {
            if value["set"] != true || value["infinite"] == true {
                return Ok(None);
            }
            &value["number"]
        }
        _ => value,
    };
    match plain {
        Value::Null => Ok(None),
        _ => plain.as_u64().map(Some).ok_or_else(|| DropReason::NotWhole { text: shown(&plain.to_string()) }),
    }
}
