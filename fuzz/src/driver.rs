//! Runs families in processes of their own, so that neither memory without bound nor a loop without end stops
//! the rest.
//!
//! A worker writes `at NUMBER` before each case, then `seen` with four counts, or `fault` and the fault in JSON as it
//! is found and again when it is made small; and `slow` at the end where a case takes more than its time.

use crate::family::Entry;
use econsched::testkit::{Draw, Fault, Seen};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    /// Cases of a family of share 10.
    pub(crate) cases: usize,
    /// Processor seconds of one case.
    pub(crate) seconds: f64,
    /// Address space of a worker in KiB.
    pub(crate) memory: u64,
    /// The number of kinds of fault after which a family is left.
    pub(crate) faults: usize,
    /// Seconds after which a family is stopped.
    pub(crate) limit: u64,
    /// Where failing cases are written.
    pub(crate) found: String,
}

/// A fault: number, message and case.
type Finding = (usize, String, String);

/// Runs all cases of a family. What it saw, and its faults by kind.
pub(crate) fn attack(
    entry: &Entry,
    settings: &Settings,
) -> Result<(Seen, BTreeMap<String, Finding>), String> {
    let total = (settings.cases * entry.share).div_ceil(10);
    let begun = Instant::now();
    let (mut seen, mut findings, mut from) = (Seen::default(), BTreeMap::new(), 0);
    while from < total && findings.len() < settings.faults {
        if begun.elapsed().as_secs() >= settings.limit {
            break;
        }
        from = run_worker(entry, settings, (from, total), (&mut seen, &mut findings))?;
    }
    if seen.solvable > 0 && seen.solved == 0 {
        findings.insert("finds nothing".to_owned(), (0, format!("{seen:?}"), String::new()));
    }
    for (number, message, case) in findings.values() {
        let folder = Path::new(&settings.found).join(entry.name);
        let path = folder.join(format!("{}-{number}.json", settings.seed));
        let written =
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, format!("{case}\n")));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
        println!("  {} {number}: {message}\n    {}\n    {case}", entry.name, path.display());
    }
    Ok((seen, findings))
}

/// Runs a worker on these cases. The number of the case to go on with.
fn run_worker(
    entry: &Entry,
    settings: &Settings,
    (from, to): (usize, usize),
    (seen, findings): (&mut Seen, &mut BTreeMap<String, Finding>),
) -> Result<usize, String> {
    let told = |error: &dyn std::error::Error| error.to_string();
    let program = std::env::current_exe().map_err(|error| told(&error))?;
    // The limit of memory is the shell's: nothing else is needed for it than a POSIX system.
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {} && exec \"$0\" \"$@\"", settings.memory))
        .arg(program)
        .args(["work", entry.name, &from.to_string(), &to.to_string()])
        .arg(serde_json::to_string(settings).map_err(|error| told(&error))?)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| told(&error))?;
    let (mut at, mut slow, mut known) = (from, false, false);
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line = line.map_err(|error| told(&error))?;
        let (what, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match what {
            "at" => (at, known) = (rest.parse().unwrap_or(at), false),
            "slow" => slow = true,
            "fault" => {
                let (kind, message, case): (String, String, String) =
                    serde_json::from_str(rest).map_err(|error| format!("{line}: {error}"))?;
                known = true;
                if findings.get(&kind).is_none_or(|first| first.0 == at) {
                    findings.insert(kind, (at, message, case));
                }
            }
            _ => {
                let counts: Vec<usize> = rest.split(' ').filter_map(|count| count.parse().ok()).collect();
                if let [cases, solvable, solved, skipped] = counts[..] {
                    *seen += Seen { cases, solvable, solved, skipped };
                }
            }
        }
    }
    let status = child.wait().map_err(|error| told(&error))?;
    if status.success() && !slow {
        return Ok(to);
    }
    // A worker that ends while it makes a known fault smaller tells nothing new.
    if !known {
        let message = match slow {
            true => format!("takes more than {} processor seconds", settings.seconds),
            false => format!("the process ended: {status} (memory, stack or abort)"),
        };
        findings.insert(message.clone(), (at, message, (entry.show)(Draw::new(settings.seed, at))));
    }
    Ok(at + 1)
}

/// The worker: judges these cases, until there are too many kinds of fault or the time is over.
pub(crate) fn work(entry: &Entry, (from, to): (usize, usize), settings: &Settings) {
    let current = Arc::new(AtomicUsize::new(from));
    watch(Arc::clone(&current), settings.seconds);
    let (begun, mut kinds) = (Instant::now(), BTreeSet::new());
    let tell = |fault: &Fault| {
        let case = fault.case.clone().unwrap_or_default();
        let told = (class(fault), format!("{}: {}", fault.kind, fault.message), case);
        say(&format!("fault {}", serde_json::to_string(&told).unwrap_or_default()));
    };
    for number in from..to {
        if kinds.len() >= settings.faults || begun.elapsed().as_secs() >= settings.limit {
            break;
        }
        current.store(number, Ordering::Relaxed);
        say(&format!("at {number}"));
        match (entry.attack)(Draw::new(settings.seed, number), &tell) {
            Ok(seen) => {
                say(&format!("seen {} {} {} {}", seen.cases, seen.solvable, seen.solved, seen.skipped));
            }
            Err(fault) => {
                tell(&fault);
                kinds.insert(class(&fault));
            }
        }
    }
}

/// The kind of a fault: of a panic its message up to the first number.
fn class(fault: &Fault) -> String {
    let head = fault.message.split(|letter: char| letter.is_ascii_digit()).next().unwrap_or_default();
    if fault.kind == "panic" || fault.kind == "error" {
        format!("{}: {head}", fault.kind)
    } else {
        fault.kind.to_owned()
    }
}

/// Ends the process when one case lasts too long.
fn watch(current: Arc<AtomicUsize>, seconds: f64) {
    std::thread::spawn(move || {
        let mut last = (usize::MAX, 0.0);
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let (number, now) = (current.load(Ordering::Relaxed), processor_seconds());
            if number != last.0 {
                last = (number, now);
            } else if now - last.1 > seconds {
                say("slow");
                std::process::exit(0);
            }
        }
    });
}

/// Processor time of this process: a busy machine must not make cases look slow.
fn processor_seconds() -> f64 {
    let ticks = std::fs::read_to_string("/proc/self/stat").ok().and_then(|text| {
        let mut fields = text.rsplit(')').next()?.split_whitespace().skip(11);
        let (own, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        Some((own + system) / 100.0)
    });
    let clock = || std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0.0, |since| since.as_secs_f64());
    ticks.unwrap_or_else(clock)
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}
