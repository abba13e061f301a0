//! Slurm's accounting as JSON, by the version of the plugin that wrote it.

use super::draft::{Draft, Drafts, status};
use super::{Conversion, parse_json};
use crate::WorkloadError;
use crate::swf::{DropReason, Lost, SwfField, SwfHeader};
use serde_json::Value;

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
    let value = parse_json(text)?;
    let layout = Layout::of(&value, "openapi/dbv0.0.38")?;
    let jobs = list(&value, "jobs")?;
    let mut drafts = Drafts::default();
    for (number, job) in (1..).zip(jobs) {
        record(&mut drafts, number, job, layout);
    }
    Ok(drafts.finish(SwfHeader::default()))
}

/// A whole number above zero, where zero means that it is not set.
pub(super) fn number(value: &Value, layout: Layout) -> Result<Option<u64>, DropReason> {
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
        _ => plain
            .as_u64()
            .map(Some)
            .ok_or_else(|| DropReason::NotWhole { text: plain.to_string().chars().take(40).collect() }),
    }
}

/// Reads one job. Its line is its place in the list, from 1.
fn record(drafts: &mut Drafts, line: u64, job: &Value, layout: Layout) {
    let mut draft = Draft::default();
    let time = &job["time"];
    let allocated =
        job["tres"]["allocated"].as_array().and_then(|all| all.iter().find(|one| one["type"] == "cpu"));
    let cpus = allocated.map_or(&Value::Null, |cpu| &cpu["count"]);
    let mut read = |value: &Value, field: SwfField| match number(value, layout) {
        Ok(number) => Ok(number),
        Err(reason) => {
            let lost =
                if field == SwfField::Job || field == SwfField::Submit { Lost::Line } else { Lost::Value };
            drafts.lose(line, Some(field), lost, reason);
            if lost == Lost::Line { Err(()) } else { Ok(None) }
        }
    };
    let Ok(id) = read(&job["job_id"], SwfField::Job) else { return };
    let Ok(submit) = read(&time["submission"], SwfField::Submit) else { return };
    let mut rest = |value: &Value, field| read(value, field).ok().flatten();
    let start = rest(&time["start"], SwfField::Wait).filter(|&start| start > 0);
    let elapsed = rest(&time["elapsed"], SwfField::Runtime);
    let limit = rest(&time["limit"], SwfField::RequestedTime);
    let allocated = rest(cpus, SwfField::Allocated);
    let requested = rest(&job["required"]["CPUs"], SwfField::RequestedProcessors);
    let memory = rest(&job["required"]["memory_per_cpu"], SwfField::RequestedMemory);
    draft.record.job = id;
    draft.record.submit = submit.map(|submit| submit as f64);
    draft.start = start.map(|start| start as f64);
    draft.record.runtime = elapsed.filter(|_| start.is_some()).map(|elapsed| elapsed as f64);
    draft.record.requested_time = limit.filter(|&limit| limit > 0).map(|minutes| 60.0 * minutes as f64);
    draft.record.allocated = allocated.filter(|&cpus| cpus > 0);
    draft.record.requested_processors = requested.filter(|&cpus| cpus > 0);
    draft.record.requested_memory =
        memory.filter(|&memory| memory > 0).map(|megabytes| 1024.0 * megabytes as f64);
    match layout.state(&job["state"]["current"]).map(status) {
        Some(Ok(status)) => draft.record.status = status,
        Some(Err(reason)) => drafts.lose(line, Some(SwfField::Status), Lost::Value, reason),
        None => drafts.lose(line, Some(SwfField::Status), Lost::Value, DropReason::Missing),
    }
    let names = [
        (SwfField::User, &job["user"]),
        (SwfField::Group, &job["group"]),
        (SwfField::Partition, &job["partition"]),
    ];
    for (field, name) in names {
        if let Some(name) = name.as_str().filter(|name| !name.is_empty()) {
            drafts.name(&mut draft.record, field, name);
        }
    }
    drafts.push(line, draft);
}
