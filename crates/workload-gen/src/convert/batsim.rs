//! Workloads of Batsim, in JSON, and its platforms, in the XML of SimGrid.

use super::draft::{Drafts, Meaning, shown};
use super::{Conversion, list, parse_json};
use crate::WorkloadError;
use crate::error::require;
use crate::swf::{DropReason, SwfField, SwfHeader, SwfLog, SwfRecord};
use roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub(super) fn read_batsim(text: &str) -> Result<Conversion, WorkloadError> {
    let value = parse_json(text)?;
    let mut header = SwfHeader::default();
    if let Some(size) = value["nb_res"].as_u64() {
        header.push(&format!(" MaxProcs: {size}"));
    }
    let mut drafts = Drafts::default();
    for (line, job) in (1..).zip(list(&value, "jobs")?) {
        record(&mut drafts, line, job, &value["profiles"]);
    }
    Ok(drafts.finish(header))
}

/// The text of a time, if there is one.
fn seconds(value: &Value) -> Result<Option<String>, DropReason> {
    match value {
        Value::Null => Ok(None),
        Value::Number(seconds) => Ok(Some(seconds.to_string())),
        _ => Err(DropReason::NotANumber { text: shown(&value.to_string()) }),
    }
}

/// Adds the record of one job.
fn record(drafts: &mut Drafts, line: u64, job: &Value, profiles: &Value) {
    let unexpected =
        |value: &Value, expected| DropReason::Unexpected { text: shown(&value.to_string()), expected };
    let id = match &job["id"] {
        Value::String(text) => text.rsplit('!').next().and_then(|number| number.parse().ok()),
        other => other.as_u64(),
    };
    let processors =
        job["res"].as_u64().ok_or_else(|| DropReason::NotWhole { text: shown(&job["res"].to_string()) });
    let profile = job["profile"].as_str().map_or(&Value::Null, |name| &profiles[name]);
    let runtime = match profile["type"].as_str() {
        Some("delay") if profile["delay"].is_null() => Err(DropReason::Missing),
        Some("delay") => seconds(&profile["delay"]),
        _ => Err(unexpected(&profile["type"], "a profile of type delay")),
    };
    let text = |number: u64| Some(number.to_string());
    let cells = [
        (SwfField::Job, id.map(text).ok_or_else(|| unexpected(&job["id"], "a job number"))),
        (SwfField::Submit, seconds(&job["subtime"])),
        (SwfField::RequestedTime, seconds(&job["walltime"])),
        (SwfField::RequestedProcessors, processors.map(text)),
        (SwfField::Runtime, runtime),
    ];
    let cells = cells
        .into_iter()
        .filter_map(|(field, text)| Some((Meaning::Field(field), text.transpose()?.map(Cow::Owned))));
    if let Some(draft) = drafts.fill(line, false, cells) {
        drafts.push(line, draft);
    }
}

/// The number, submit time, processors and run time of a job; `None` if [`write_batsim`] leaves it out.
pub fn batsim_job(record: &SwfRecord) -> Option<(u64, f64, u64, f64)> {
    Some((record.job?, record.submit?, record.processors()?, record.runtime?))
}

/// Writes a log as a workload of Batsim. Each run time becomes a profile of type `delay`, a requested time the
/// `walltime`. Jobs without number, submit time, processors or run time are left out. `nb_res` is the size of the
/// machine or, if the log does not state it, of the widest job.
///
/// # Errors
/// [`WorkloadError::Parameter`] for a number that JSON cannot represent, and for a job number that is given twice,
/// which Batsim refuses.
pub fn write_batsim(log: &SwfLog) -> Result<String, WorkloadError> {
    let (mut jobs, mut numbers) = (Vec::new(), BTreeSet::new());
    let mut profiles = Map::new();
    let mut widest = 0;
    for record in &log.records {
        let Some((id, submit, processors, runtime)) = batsim_job(record) else { continue };
        for (field, value) in [(SwfField::Submit, submit), (SwfField::Runtime, runtime)] {
            require(value.is_finite(), field.name(), value, "finite")?;
        }
        require(numbers.insert(id), "job number of two records", id, "unique: Batsim refuses repeated ones")?;
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

/// A host of a platform that computes.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BatsimHost {
    /// Its name.
    pub name: String,
    /// Its speed in floating point operations per second.
    pub speed: f64,
}

/// The maximum number of hosts; a short range in the text can stand for any number of them.
const MAX_HOSTS: usize = 10_000_000;

/// The usual name of the host on which Batsim itself runs.
const MASTER: &str = "master_host";

/// Reads the hosts of a platform of Batsim, in the order of the text: the elements `host`, and the hosts of each
/// element `cluster` (prefix, number from `radical`, suffix). The master (named `master_host`, or with the property
/// `role` set to `master`) is left out. So are links and routes, which Batsim's jobs of type `delay` do not use. If a
/// host has several speeds, the first is used.
///
/// ```
/// use workload_gen::convert::{BatsimHost, read_batsim_platform, write_batsim_platform};
/// let text = r#"<?xml version="1.0"?><platform version="4.1"><zone id="AS0" routing="Full">
///     <host id="master_host" speed="100Mf"/> <!-- <host id="not" speed="1f"/> -->
///     <cluster id="c" prefix="n" suffix=".site" radical="0-1,5" speed="2.5Gf" bw="1GBps" lat="0us"/>
///     </zone></platform>"#;
/// let hosts = read_batsim_platform(text)?;
/// assert_eq!(
///     hosts.iter().map(|host| host.name.as_str()).collect::<Vec<_>>(),
///     ["n0.site", "n1.site", "n5.site"]
/// );
/// assert_eq!(hosts[2].speed, 2.5e9);
/// assert_eq!(read_batsim_platform(&write_batsim_platform(&hosts)?)?, hosts);
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Table`], with the line, for a text that is not XML, a host without name or speed, a range that
/// cannot be read, more than 10,000,000 hosts, or a text without hosts. A part of a platform is never returned.
pub fn read_batsim_platform(text: &str) -> Result<Vec<BatsimHost>, WorkloadError> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| WorkloadError::Table { line: u64::from(error.pos().row), why: error.to_string() })?;
    let mut hosts: Vec<BatsimHost> = Vec::new();
    for node in document.descendants() {
        let name = node.tag_name().name();
        let wrong = |why: String| {
            let line = u64::from(document.text_pos_at(node.range().start).row);
            WorkloadError::Table { line, why }
        };
        let needed = |key: &str| node.attribute(key).ok_or_else(|| wrong(format!("{name} without {key}")));
        match name {
            "host" => {
                let (name, speed) = (needed("id")?.to_owned(), speed(needed("speed")?).map_err(wrong)?);
                let is_master = |child: Node<'_, '_>| {
                    child.has_tag_name("prop")
                        && child.attribute("id") == Some("role")
                        && child.attribute("value") == Some("master")
                };
                if name != MASTER && !node.children().any(is_master) {
                    hosts.push(BatsimHost { name, speed });
                }
            }
            "cluster" => {
                let speed = speed(needed("speed")?).map_err(wrong)?;
                let (prefix, suffix) = (needed("prefix")?, node.attribute("suffix").unwrap_or(""));
                for part in needed("radical")?.split(',') {
                    let (first, last) = part.split_once('-').unwrap_or((part, part));
                    let number = |text: &str| text.trim().parse::<usize>().ok();
                    let range = number(first).zip(number(last)).filter(|(first, last)| first <= last);
                    let (first, last) =
                        range.ok_or_else(|| wrong(format!("radical {part:?} is no range")))?;
                    if last - first >= MAX_HOSTS - hosts.len().min(MAX_HOSTS) {
                        return Err(wrong(format!("more than {MAX_HOSTS} hosts")));
                    }
                    let names = (first..=last).map(|number| format!("{prefix}{number}{suffix}"));
                    hosts.extend(names.map(|name| BatsimHost { name, speed }));
                }
            }
            _ => {}
        }
    }
    if hosts.is_empty() {
        return Err(WorkloadError::Table { line: 1, why: "a platform without hosts".to_owned() });
    }
    Ok(hosts)
}

/// Writes a platform that Batsim reads, with these hosts and a master host, without links and routes.
///
/// # Errors
/// [`WorkloadError::Parameter`] for a speed that is not finite and positive.
pub fn write_batsim_platform(hosts: &[BatsimHost]) -> Result<String, WorkloadError> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
         <platform version=\"4.1\">\n  <zone id=\"site\" routing=\"Full\">\n",
    );
    let master = BatsimHost { name: MASTER.to_owned(), speed: 1e9 };
    for host in std::iter::once(&master).chain(hosts) {
        let fits = host.speed.is_finite() && host.speed > 0.0;
        require(fits, "speed of a host", host.speed, "finite and above zero")?;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    <host id=\"{}\" speed=\"{}f\"/>", escape(&host.name), host.speed);
    }
    text.push_str("  </zone>\n</platform>\n");
    Ok(text)
}

/// Parses a speed such as `2.5Gf` or `1e9`; of a list, the first one.
fn speed(text: &str) -> Result<f64, String> {
    let first = text.split(',').next().unwrap_or("").trim();
    let number = first.strip_suffix('f').unwrap_or(first);
    let units = [("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12), ("P", 1e15), ("E", 1e18)];
    let unit =
        units.into_iter().find_map(|(unit, factor)| number.strip_suffix(unit).map(|number| (number, factor)));
    let (number, factor) = unit.unwrap_or((number, 1.0));
    let value = number.trim().parse::<f64>().ok().map(|value| value * factor);
    let value = value.filter(|value| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| {
        format!("speed {:?} is none, such as 2.5Gf", text.chars().take(40).collect::<String>())
    })
}

/// Escapes a name for use as the value of an XML attribute.
fn escape(name: &str) -> String {
    let escaped = |letter: char| match letter {
        '&' | '<' | '"' => format!("&#{};", u32::from(letter)),
        letter if letter.is_control() => format!("&#{};", u32::from(letter)),
        letter => letter.to_string(),
    };
    name.chars().map(escaped).collect()
}
