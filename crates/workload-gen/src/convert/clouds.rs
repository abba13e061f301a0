//! Traces of public clouds: Google's of 2019, and tables without a header line.

use super::Conversion;
use super::delimited::Rows;
use super::draft::{Draft, Drafts, Meaning, code, shown};
use crate::WorkloadError;
use crate::swf::{DropReason, Lost, SwfField, SwfHeader};
use serde_json::Value;
use std::collections::BTreeMap;

/// An instance of a collection, as its events describe it.
#[derive(Default)]
struct Instance {
    line: u64,
    submit: Option<u64>,
    start: Option<u64>,
    end: Option<u64>,
    status: Option<u64>,
    cpus: Option<f64>,
    class: Option<u64>,
}

pub(super) fn read_google_2019(text: &str, processors: u32) -> Result<Conversion, WorkloadError> {
    if processors == 0 {
        return Err(WorkloadError::parameter("processors of the largest machine", 0, "at least 1"));
    }
    let mut drafts = Drafts::default();
    let mut instances: Vec<Instance> = Vec::new();
    let mut places: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    let mut collections: Vec<u64> = Vec::new();
    for (line, row) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if row.trim().is_empty() {
            continue;
        }
        let Ok(event) = serde_json::from_str::<Value>(row) else {
            let reason = DropReason::Unexpected { text: shown(row), expected: "a JSON object" };
            drafts.lose(line, None, Lost::Line, reason);
            continue;
        };
        let missing =
            [("time", SwfField::Submit), ("type", SwfField::Status), ("collection_id", SwfField::Executable)];
        let missing = missing.into_iter().find(|(name, _)| whole(&event[*name]).is_none());
        if let Some((_, field)) = missing {
            drafts.lose(line, Some(field), Lost::Line, DropReason::Missing);
            continue;
        }
        let (time, kind) = (whole(&event["time"]).unwrap_or(0), whole(&event["type"]).unwrap_or(0));
        let key = (whole(&event["collection_id"]).unwrap_or(0), whole(&event["instance_index"]).unwrap_or(0));
        let at = *places.entry(key).or_insert(instances.len());
        if at == instances.len() {
            instances.push(Instance { line, ..Instance::default() });
            collections.push(key.0);
        }
        let instance = &mut instances[at];
        // Before or after the trace.
        let known = (time > 0 && time < i64::MAX as u64).then_some(time);
        let cpus = &event["resource_request"]["cpus"];
        instance.cpus = instance.cpus.or(cpus.as_f64()).or(cpus.as_str().and_then(|text| text.parse().ok()));
        instance.class = instance.class.or(whole(&event["scheduling_class"]));
        match kind {
            0 => instance.submit = instance.submit.or(known),
            3 => instance.start = instance.start.or(known),
            4..=8 => {
                instance.end = known.or(instance.end);
                instance.status = Some(match kind {
                    6 => code::COMPLETED,
                    7 => code::CANCELLED,
                    _ => code::FAILED,
                });
            }
            _ => drafts.skipped += 1,
        }
    }
    for ((number, instance), collection) in (1..).zip(instances).zip(collections) {
        let mut draft = Draft::default();
        let seconds = |time: Option<u64>| time.map(|micros| micros as f64 / 1e6);
        draft.record.job = Some(number);
        draft.record.submit = seconds(instance.submit);
        (draft.start, draft.end) = (seconds(instance.start), seconds(instance.end));
        draft.record.status = instance.status;
        draft.record.queue = instance.class;
        let cpus = instance.cpus.filter(|cpus| cpus.is_finite() && *cpus > 0.0 && *cpus <= 1e3);
        draft.record.allocated = cpus.map(|cpus| (cpus * f64::from(processors)).ceil() as u64);
        drafts.name(&mut draft.record, SwfField::Executable, &collection.to_string());
        drafts.push(instance.line, draft);
    }
    Ok(drafts.finish(SwfHeader::default()))
}

/// A whole number, in quotes or not.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str().and_then(|text| text.parse().ok()))
}

pub(super) fn read_alibaba_tasks(text: &str) -> Result<Conversion, WorkloadError> {
    read(text, 9, |drafts, draft, cells| {
        let [_, instances, job, kind, status, start, end, cpu, _] = cells else { return Ok(()) };
        let number = |text: &str, field| {
            text.parse::<f64>()
                .ok()
                .filter(|value| value.is_finite() && *value >= 0.0)
                .ok_or_else(|| (field, DropReason::NotANumber { text: shown(text) }))
        };
        let (begin, until) = (number(start, SwfField::Submit)?, number(end, SwfField::Runtime)?);
        if begin == 0.0 {
            return Err((SwfField::Submit, DropReason::Missing));
        }
        if until < begin {
            let seconds = shown(&(begin - until).to_string());
            return Err((SwfField::Runtime, DropReason::Before { seconds, what: "start" }));
        }
        draft.record.submit = Some(begin);
        draft.record.runtime = Some(until - begin);
        let cores = number(instances, SwfField::Allocated)? * number(cpu, SwfField::Allocated)? / 100.0;
        draft.record.allocated = (cores > 0.0 && cores < 1e9).then(|| cores.ceil() as u64);
        draft.record.status = match status.as_str() {
            "Terminated" => Some(code::COMPLETED),
            "Failed" => Some(code::FAILED),
            _ => None,
        };
        drafts.name(&mut draft.record, SwfField::Executable, job);
        drafts.name(&mut draft.record, SwfField::Queue, kind);
        Ok(())
    })
}

pub(super) fn read_azure_machines(text: &str) -> Result<Conversion, WorkloadError> {
    read(text, 11, |drafts, draft, cells| {
        let [_, user, group, created, deleted, _, _, _, category, cores, memory] = cells else {
            return Ok(());
        };
        let bound = |text: &str| text.trim_start_matches('>').to_owned();
        let mut set =
            |meaning, field, text: &str| drafts.set(draft, meaning, text).map_err(|reason| (field, reason));
        set(Meaning::Field(SwfField::Submit), SwfField::Submit, created)?;
        set(Meaning::Start, SwfField::Wait, created)?;
        set(Meaning::End, SwfField::Runtime, deleted)?;
        set(Meaning::Field(SwfField::Allocated), SwfField::Allocated, &bound(cores))?;
        set(Meaning::Field(SwfField::User), SwfField::User, user)?;
        set(Meaning::Field(SwfField::Group), SwfField::Group, group)?;
        set(Meaning::Field(SwfField::Queue), SwfField::Queue, category)?;
        let gigabytes = bound(memory).parse::<f64>().ok().filter(|memory| *memory >= 0.0);
        let cores = draft.record.allocated.filter(|&cores| cores > 0);
        if let (Some(gigabytes), Some(cores)) = (gigabytes, cores) {
            let each = gigabytes * 1024.0 * 1024.0 / cores as f64;
            draft.record.requested_memory = each.is_finite().then_some(each);
        }
        Ok(())
    })
}

/// Reads rows with this number of cells. If `fill` returns a field and a reason, the line is dropped.
fn read(
    text: &str,
    columns: usize,
    fill: impl Fn(&mut Drafts, &mut Draft, &[String]) -> Result<(), (SwfField, DropReason)>,
) -> Result<Conversion, WorkloadError> {
    let mut drafts = Drafts::default();
    for (number, row) in (1..).zip(Rows::new(text, ',')) {
        let row = row?;
        if row.cells.len() != columns {
            let reason = DropReason::Cells { found: row.cells.len(), expected: columns };
            drafts.lose(row.line, None, Lost::Line, reason);
            continue;
        }
        let mut draft = Draft::default();
        draft.record.job = Some(number);
        match fill(&mut drafts, &mut draft, &row.cells) {
            Ok(()) => drafts.push(row.line, draft),
            Err((field, reason)) => drafts.lose(row.line, Some(field), Lost::Line, reason),
        }
    }
    Ok(drafts.finish(SwfHeader::default()))
}
