//! Batsim's workloads.

use super::draft::{Draft, Drafts};
use super::{Conversion, parse_json};
use crate::WorkloadError;
use crate::swf::{DropReason, Lost, SwfField, SwfHeader, SwfLog};
use serde_json::{Map, Value, json};

/// A workload of the Batsim simulator: jobs with `id`, `subtime`, `res`, `walltime` and `profile`; `nb_res`
/// is the size of the machine.
///
/// Run times are those of profiles of type `delay`. Other profiles state the computation and communication,
/// not the time: their run time is reported as lost. A job number may follow the name of its workload
/// (`w0!7`).
///
/// ```
/// use workload_gen::convert::{read_batsim, write_batsim};
/// let text = r#"{"nb_res": 8,
///     "jobs": [{"id": "w0!7", "subtime": 10, "res": 4, "walltime": 100, "profile": "d"}],
///     "profiles": {"d": {"type": "delay", "delay": 60}}}"#;
/// let log = read_batsim(text)?.log;
/// assert_eq!(
///     (log.records[0].job, log.records[0].runtime, log.header.max_procs()),
///     (Some(7), Some(60.0), Some(8))
/// );
/// assert_eq!(read_batsim(&write_batsim(&log)?)?.log, log);
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Json`] for a text that is no JSON, or has no jobs.
pub fn read_batsim(text: &str) -> Result<Conversion, WorkloadError> {
    let value = parse_json(text)?;
    let jobs = value["jobs"].as_array();
    let jobs =
        jobs.ok_or_else(|| WorkloadError::Json { place: "jobs".to_owned(), why: "no list".to_owned() })?;
    let mut header = SwfHeader::default();
    if let Some(size) = value["nb_res"].as_u64() {
        header.push(&format!(" MaxProcs: {size}"));
    }
    let mut drafts = Drafts::default();
    for (line, job) in (1..).zip(jobs) {
        record(&mut drafts, line, job, &value["profiles"]);
    }
    Ok(drafts.finish(header))
}

/// The text of a value, for a message.
fn shown(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

fn seconds(value: &Value) -> Result<Option<f64>, DropReason> {
    match value {
        Value::Null => Ok(None),
        _ => match value.as_f64() {
            // Batsim writes a missing value as a number below 0.
            Some(seconds) if seconds < 0.0 => Ok(None),
            Some(seconds) if seconds.is_finite() => Ok(Some(seconds + 0.0)),
            _ => Err(DropReason::NotANumber { text: shown(value) }),
        },
    }
}

fn record(drafts: &mut Drafts, line: u64, job: &Value, profiles: &Value) {
    let mut draft = Draft::default();
    let id = match &job["id"] {
        Value::String(text) => text.rsplit('!').next().and_then(|number| number.parse().ok()),
        other => other.as_u64(),
    };
    if id.is_none() {
        let reason = DropReason::Unexpected { text: shown(&job["id"]), expected: "a job number" };
        return drafts.lose(line, Some(SwfField::Job), Lost::Line, reason);
    }
    draft.record.job = id;
    // A number below 0 means missing elsewhere, but a job must have a submit time.
    if job["subtime"].as_f64().is_some_and(|seconds| seconds < 0.0) {
        let reason = DropReason::Negative { text: shown(&job["subtime"]) };
        return drafts.lose(line, Some(SwfField::Submit), Lost::Line, reason);
    }
    match seconds(&job["subtime"]) {
        Ok(submit) => draft.record.submit = submit,
        Err(reason) => return drafts.lose(line, Some(SwfField::Submit), Lost::Line, reason),
    }
    match seconds(&job["walltime"]) {
        Ok(walltime) => draft.record.requested_time = walltime,
        Err(reason) => drafts.lose(line, Some(SwfField::RequestedTime), Lost::Value, reason),
    }
    draft.record.requested_processors = job["res"].as_u64();
    if draft.record.requested_processors.is_none() {
        let reason = DropReason::NotWhole { text: shown(&job["res"]) };
        drafts.lose(line, Some(SwfField::RequestedProcessors), Lost::Value, reason);
    }
    let profile = job["profile"].as_str().map_or(&Value::Null, |name| &profiles[name]);
    let runtime = match profile["type"].as_str() {
        Some("delay") => seconds(&profile["delay"]),
        _ => {
            Err(DropReason::Unexpected { text: shown(&profile["type"]), expected: "a profile of type delay" })
        }
    };
    match runtime {
        Ok(runtime) => draft.record.runtime = runtime,
        Err(reason) => drafts.lose(line, Some(SwfField::Runtime), Lost::Value, reason),
    }
    drafts.push(line, draft);
}

/// A log as a workload of Batsim: a profile of type `delay` for each run time, walltimes where times were
/// requested. Jobs without number, submit time, processors or run time are left out, as
/// [`SwfRecord::to_job`](crate::swf::SwfRecord::to_job) does. `nb_res` is the size of the machine, or of the
/// widest job where the log does not state it.
///
/// # Errors
/// [`WorkloadError::Parameter`] for a number that JSON cannot hold.
pub fn write_batsim(log: &SwfLog) -> Result<String, WorkloadError> {
    let mut jobs = Vec::new();
    let mut profiles = Map::new();
    let mut widest = 0;
    for record in &log.records {
        let (Some(id), Some(submit), Some(processors), Some(runtime)) =
            (record.job, record.submit, record.processors(), record.runtime)
        else {
            continue;
        };
        for (field, value) in [(SwfField::Submit, submit), (SwfField::Runtime, runtime)] {
            if !value.is_finite() {
                return Err(WorkloadError::parameter(field.name(), value, "finite"));
            }
        }
        widest = widest.max(processors);
        let profile = format!("delay{runtime}");
        profiles.entry(profile.clone()).or_insert_with(|| json!({ "type": "delay", "delay": runtime }));
        let mut job = json!({ "id": id, "subtime": submit, "res": processors, "profile": profile });
        if let (Some(requested), Some(fields)) = (record.requested_time, job.as_object_mut()) {
            fields.insert("walltime".to_owned(), json!(requested));
        }
        jobs.push(job);
    }
    let size = log.header.max_procs().unwrap_or(widest);
    let workload = json!({ "nb_res": size, "jobs": jobs, "profiles": profiles });
    serde_json::to_string_pretty(&workload)
        .map_err(|error| WorkloadError::Json { place: "workload".to_owned(), why: error.to_string() })
}
