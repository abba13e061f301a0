//! Traces of public clouds: Google's of 2019 in JSON, and tables of Alibaba and Azure without a header line.

use super::Conversion;
use super::delimited::Rows;
use super::draft::{Draft, Drafts, Meaning, code, shown, unexpected};
use crate::WorkloadError;
use crate::error::require;
use crate::swf::{DropReason, Lost, SwfField, SwfHeader};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An instance of a collection, as its events describe it; times in microseconds.
#[derive(Default)]
struct Instance {
    line: u64,
    collection: u64,
    submit: Option<u64>,
    start: Option<u64>,
    /// The last end, with its status.
    end: Option<(u64, u64)>,
    /// The last SUBMIT or SCHEDULE; an earlier end is not the end of the instance.
    begun: u64,
    cpus: Option<f64>,
    class: Option<u64>,
}

impl Instance {
    /// Applies an event of type `kind`; returns whether events of this type are used.
    fn apply(&mut self, kind: u64, time: u64) -> bool {
        match kind {
            0 | 3 => {
                let first = if kind == 0 { &mut self.submit } else { &mut self.start };
                *first = Some(first.map_or(time, |before| before.min(time)));
                self.begun = self.begun.max(time);
            }
            4..=8 if self.end.is_none_or(|(end, _)| end <= time) => {
                let status = match kind {
                    6 => code::COMPLETED,
                    7 => code::CANCELLED,
                    _ => code::FAILED,
                };
                self.end = Some((time, status));
            }
            4..=8 => {}
            _ => return false,
        }
        true
    }

    /// Makes the record of the instance, with this job number.
    fn draft(&self, number: u64, processors: u32, drafts: &mut Drafts) -> Draft {
        let mut draft = Draft::default();
        // Time 0 means before the trace, the maximum after it.
        let known = |time: &u64| (1..i64::MAX as u64).contains(time);
        let seconds = |time: Option<u64>| time.filter(known).map(|micros| micros as f64 / 1e6);
        let end = self.end.filter(|(end, _)| *end >= self.begun);
        draft.record.job = Some(number);
        draft.record.submit = seconds(self.submit);
        (draft.start, draft.end) = (seconds(self.start), seconds(end.map(|(end, _)| end)));
        draft.record.status = end.map(|(_, status)| status);
        draft.record.allocated = self.cpus.map(|cpus| whole_up(cpus * f64::from(processors)));
        drafts.name(&mut draft.record, SwfField::Executable, &self.collection.to_string());
        if let Some(class) = self.class {
            drafts.name(&mut draft.record, SwfField::Queue, &class.to_string());
        }
        draft
    }
}

/// The maximum number of largest machines that an instance may request.
const MAX_SHARE: f64 = 1e3;

pub(super) fn read_google_2019(text: &str, processors: u32) -> Result<Conversion, WorkloadError> {
    require(processors > 0, "processors of the largest machine", processors, "at least 1")?;
    let mut drafts = Drafts::default();
    let mut instances: Vec<Instance> = Vec::new();
    let mut places: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    for (line, row) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if row.trim().is_empty() {
            continue;
        }
        let Ok(event) = serde_json::from_str::<Value>(row) else {
            drafts.lose(line, None, Lost::Line, unexpected(row, "a JSON object"));
            continue;
        };
        let needed = [
            ("time", SwfField::Submit),
            ("type", SwfField::Status),
            ("collection_id", SwfField::Executable),
            ("instance_index", SwfField::Job),
        ];
        let numbers = needed.map(|(name, field)| whole(&event[name]).map_err(|reason| (field, reason)));
        let [Ok(time), Ok(kind), Ok(collection), Ok(index)] = numbers else {
            if let Some((field, reason)) = numbers.into_iter().find_map(Result::err) {
                drafts.lose(line, Some(field), Lost::Line, reason);
            }
            continue;
        };
        let at = *places.entry((collection, index)).or_insert(instances.len());
        if at == instances.len() {
            instances.push(Instance { line, collection, ..Instance::default() });
        }
        let instance = &mut instances[at];
        let cpus = &event["resource_request"]["cpus"];
        let share = cpus.as_f64().or_else(|| cpus.as_str()?.parse().ok());
        let share = share.filter(|share| (0.0..=MAX_SHARE).contains(share));
        instance.cpus = instance.cpus.or(share);
        match whole(&event["scheduling_class"]) {
            Ok(class) => instance.class = instance.class.or(Some(class)),
            Err(DropReason::Missing) => {}
            Err(reason) => drafts.lose(line, Some(SwfField::Queue), Lost::Value, reason),
        }
        drafts.skipped += u64::from(!instance.apply(kind, time));
        if share.is_none() && !cpus.is_null() {
            let reason = unexpected(&cpus.to_string(), "a share of the largest machine");
            drafts.lose(line, Some(SwfField::Allocated), Lost::Value, reason);
        }
    }
    for (number, instance) in (1..).zip(instances) {
        let draft = instance.draft(number, processors, &mut drafts);
        drafts.push(instance.line, draft);
    }
    Ok(drafts.finish(SwfHeader::default()))
}

/// A number of processors rounded up. A rounding error of 2^-50 is forgiven: 0.07 of 100 processors are
/// 7.000000000000001 in doubles.
fn whole_up(processors: f64) -> u64 {
    (processors * (1.0 - 4.0 * f64::EPSILON)).ceil() as u64
}

/// Parses a whole number, in quotes or not.
fn whole(value: &Value) -> Result<u64, DropReason> {
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
    number.ok_or_else(|| match value {
        Value::Null => DropReason::Missing,
        _ => DropReason::NotWhole { text: shown(&value.to_string()) },
    })
}

/// A task of this number of cores or more has none in its record.
const MAX_CORES: f64 = 1e9;

pub(super) fn read_alibaba_tasks(text: &str) -> Result<Conversion, WorkloadError> {
    read(text, 9, |drafts, line, cells| {
        let [_, instances, job, kind, status, start, end, cpu, _] = cells else { return None };
        let number = |drafts: &mut Drafts, text: &str, field: SwfField| {
            let number = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
            if number.is_none() {
                let reason = DropReason::NotANumber { text: shown(text) };
                drafts.lose(line, Some(field), Lost::if_unreadable(field), reason);
            }
            number
        };
        let begin = number(drafts, start, SwfField::Submit)?;
        // Time 0 means before or after the trace.
        let end = number(drafts, end, SwfField::Runtime).filter(|&end| end > 0.0);
        let runtime = end.map(|end| end - begin);
        let lost = match runtime {
            _ if begin == 0.0 => Some((SwfField::Submit, DropReason::Missing)),
            Some(run) if run < 0.0 => {
                let seconds = shown(&(-run).to_string());
                Some((SwfField::Runtime, DropReason::Before { seconds, what: "start" }))
            }
            _ => None,
        };
        if let Some((field, reason)) = lost {
            drafts.lose(line, Some(field), Lost::Line, reason);
            return None;
        }
        let mut draft = Draft::default();
        (draft.record.submit, draft.record.runtime) = (Some(begin), runtime);
        let [each, of] = [cpu, instances].map(|text| number(drafts, text, SwfField::Allocated));
        let cores = each.zip(of).map(|(each, of)| of * each / 100.0);
        if let Some(cores) = cores.filter(|&cores| cores >= MAX_CORES) {
            let reason = DropReason::TooLarge { text: shown(&cores.to_string()) };
            drafts.lose(line, Some(SwfField::Allocated), Lost::Value, reason);
        }
        draft.record.allocated = cores.filter(|&cores| cores < MAX_CORES).map(whole_up);
        draft.record.status = match status.as_str() {
            "Terminated" => Some(code::COMPLETED),
            "Cancelled" => Some(code::CANCELLED),
            "Failed" => Some(code::FAILED),
            "Ready" | "Waiting" | "Running" | "" => None,
            other => {
                let reason = unexpected(other, "a status of a task");
                drafts.lose(line, Some(SwfField::Status), Lost::Value, reason);
                None
            }
        };
        for (field, name) in [(SwfField::Executable, job), (SwfField::Queue, kind)] {
            drafts.set(&mut draft, Meaning::Field(field), name).ok()?;
        }
        Some(draft)
    })
}

pub(super) fn read_azure_machines(text: &str) -> Result<Conversion, WorkloadError> {
    read(text, 11, |drafts, line, cells| {
        let [_, user, group, created, deleted, _, _, _, category, cores, memory] = cells else {
            return None;
        };
        let [cores, memory] = [cores, memory].map(|text| text.trim_start_matches('>'));
        let cells = [
            (Meaning::Field(SwfField::Submit), created.as_str()),
            (Meaning::Start, created),
            (Meaning::End, deleted),
            (Meaning::Field(SwfField::Allocated), cores),
            (Meaning::Gigabytes, memory),
            (Meaning::Field(SwfField::User), user),
            (Meaning::Field(SwfField::Group), group),
            (Meaning::Field(SwfField::Queue), category),
        ];
        drafts.fill(line, false, cells.into_iter().map(|(meaning, text)| (meaning, Ok(Cow::Borrowed(text)))))
    })
}

/// Reads rows of `columns` cells. `draft` makes the record of a row; it reports what it cannot read, and returns `None`
/// if the line is lost.
fn read(
    text: &str,
    columns: usize,
    draft: impl Fn(&mut Drafts, u64, &[String]) -> Option<Draft>,
) -> Result<Conversion, WorkloadError> {
    let mut drafts = Drafts::default();
    for (number, row) in (1..).zip(Rows::new(text, ',')) {
        let row = row?;
        if row.cells.len() != columns {
            let reason = DropReason::Cells { found: row.cells.len(), expected: columns };
            drafts.lose(row.line, None, Lost::Line, reason);
        } else if let Some(mut draft) = draft(&mut drafts, row.line, &row.cells) {
            draft.record.job = Some(number);
            drafts.push(row.line, draft);
        }
    }
    Ok(drafts.finish(SwfHeader::default()))
}
