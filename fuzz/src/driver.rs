//! Starts workers, watches them, and collects what they find.

use crate::judge;
use crate::rng::Rng;
use crate::target::{Entry, class};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    /// Cases of a target of share 10.
    pub(crate) cases: u64,
    /// Processor seconds of one case.
    pub(crate) seconds: f64,
    /// Address space of a worker in KiB.
    pub(crate) memory: u64,
    /// The number of faults after which a target is abandoned.
    pub(crate) faults: u64,
    /// Seconds after which a target is stopped.
    pub(crate) limit: Option<u64>,
    /// Where failing cases are written.
    pub(crate) found: String,
}

#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) index: u64,
    pub(crate) message: String,
    /// Whether the case may be judged again within this process.
    tame: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) cases: u64,
    pub(crate) findings: Vec<Finding>,
    /// Malformed cases of the generator.
    pub(crate) malformed: u64,
    pub(crate) seconds: f64,
}

/// Runs all cases of a target.
pub(crate) fn attack(entry: &Entry, settings: &Settings) -> Result<Summary, String> {
    let total = (settings.cases * entry.share).div_ceil(10);
    let started = Instant::now();
    let mut summary = Summary::default();
    let mut from = 0;
    let mut careful_to = 0;
    while from < total && (summary.findings.len() as u64) < settings.faults {
        if settings.limit.is_some_and(|limit| started.elapsed().as_secs() >= limit) {
            break;
        }
        let careful = from < careful_to;
        // In pieces, so that the time limit is checked between them.
        let piece = if settings.limit.is_some() { 20_000 } else { total };
        let to = if careful { careful_to } else { total.min(from + piece) };
        let left = settings.faults - summary.findings.len() as u64;
        let report = run_worker(entry, settings, from, to, careful, left)?;
        for fault in report.faults {
            // Another worker may have met the same kind.
            let kind = class(&fault.message).to_owned();
            if summary.findings.iter().all(|known| class(&known.message) != kind) {
                summary.findings.push(fault);
            }
        }
        summary.malformed += report.malformed;
        match report.end {
            End::Done(at) => from = at,
            End::Slow(index) => {
                let message = format!("took more than {} processor seconds", settings.seconds);
                summary.findings.push(Finding { index, message, tame: false });
                from = index + 1;
            }
            // The culprit is known only if every case was marked.
            End::Died(at, how) if careful => {
                summary.findings.push(Finding { index: at, message: how, tame: false });
                from = at + 1;
            }
            End::Died(at, _) => {
                summary.findings.retain(|finding| finding.index < at);
                from = at;
                careful_to = total.min(at + 400);
            }
        }
    }
    summary.cases = from;
    summary.seconds = started.elapsed().as_secs_f64();
    for finding in &summary.findings {
        write_finding(entry, settings, finding)?;
    }
    Ok(summary)
}

enum End {
    Done(u64),
    Slow(u64),
    /// Last mark, and how the process ended.
    Died(u64, String),
}

struct Report {
    faults: Vec<Finding>,
    malformed: u64,
    end: End,
}

fn run_worker(
    entry: &Entry,
    settings: &Settings,
    from: u64,
    to: u64,
    careful: bool,
    faults: u64,
) -> Result<Report, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    // The limit of memory is the shell's: nothing else is needed for it than a POSIX system.
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {} && exec \"$0\" \"$@\"", settings.memory))
        .arg(program)
        .args(["work", entry.name])
        .args([settings.seed, from, to, u64::from(careful)].map(|number| number.to_string()))
        .args([settings.seconds.to_string(), faults.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut report = Report { faults: Vec::new(), malformed: 0, end: End::Done(from) };
    let mut mark = from;
    let mut slow = None;
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines() {
            let line = line.map_err(|error| error.to_string())?;
            let mut words = line.splitn(3, ' ');
            let what = words.next().unwrap_or_default();
            let index = words.next().and_then(|word| word.parse().ok()).unwrap_or(mark);
            match what {
                "at" => mark = index,
                "slow" => slow = Some(index),
                "malformed" => report.malformed = index,
                "fault" => {
                    let message = words.next().unwrap_or_default().to_owned();
                    report.faults.push(Finding { index, message, tame: true });
                }
                _ => {}
            }
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    report.end = match slow {
        Some(index) => End::Slow(index),
        None if status.success() => End::Done(mark),
        None => End::Died(mark, format!("the process ended: {status} (memory, stack or abort)")),
    };
    Ok(report)
}

fn write_finding(entry: &Entry, settings: &Settings, finding: &Finding) -> Result<(), String> {
    let mut case = (entry.generate)(&mut Rng::of_case(settings.seed, finding.index));
    if finding.tame {
        case = judge::shrink(entry, case, Duration::from_secs(10));
    }
    let folder = Path::new(&settings.found).join(entry.name);
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let path = folder.join(format!("{}-{}.json", settings.seed, finding.index));
    std::fs::write(&path, pretty(&case)).map_err(|error| error.to_string())?;
    let again = if finding.tame { judge::message(entry, &case) } else { None };
    let message = again.unwrap_or_else(|| finding.message.clone());
    println!("  {} {}: {message}\n    {}\n    {case}", entry.name, finding.index, path.display());
    Ok(())
}

fn pretty(case: &Value) -> String {
    let mut text = serde_json::to_string_pretty(case).unwrap_or_default();
    text.push('\n');
    text
}
