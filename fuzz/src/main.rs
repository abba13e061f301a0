//! Attacks on the workspace: `econsched-fuzz run` draws cases and judges them, `corpus` judges cases that failed
//! in the past. See README.md.

#![allow(clippy::disallowed_types)] // it stops what takes too long
#![forbid(unsafe_code)]
// Enums of the libraries may get further variants.
#![allow(unreachable_patterns)]

mod driver;
mod families;
mod family;
mod json;
mod judge;

use driver::Settings;
use econsched::testkit::{Draw, Seen};
use families::ALL;
use family::Entry;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage:
  econsched-fuzz list
  econsched-fuzz run [--families A,B] [--cases N] [--seed S] [--seconds T] [--memory KIB] [--faults F] [--limit SECONDS] [--found DIR]
  econsched-fuzz corpus [FAMILY]
  econsched-fuzz case FAMILY FILE
  econsched-fuzz show FAMILY SEED NUMBER";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    // A panic is a fault, and is printed as one.
    std::panic::set_hook(Box::new(|_| ()));
    match command(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn command(words: &[&str]) -> Result<bool, String> {
    match words {
        ["list"] => ALL.iter().for_each(|entry| println!("{:<12} {}", entry.name, entry.about)),
        ["run", flags @ ..] => return run(flags),
        ["corpus", name @ ..] => {
            let wrong = replay(name.first().copied())?;
            wrong.iter().for_each(|line| println!("  {line}"));
            return Ok(wrong.is_empty());
        }
        ["case", name, file] => {
            let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
            let judged = (find(name)?.replay)(&text);
            println!("{judged:?}");
            return Ok(judged.is_ok());
        }
        ["show", name, seed, at] => println!("{}", (find(name)?.show)(Draw::new(number(seed)?, number(at)?))),
        ["work", name, from, to, settings] => {
            let settings = serde_json::from_str(settings).map_err(|error| error.to_string())?;
            driver::work(find(name)?, (number(from)?, number(to)?), &settings);
        }
        _ => return Err(USAGE.to_owned()),
    }
    Ok(true)
}

fn find(name: &str) -> Result<&'static Entry, String> {
    ALL.iter().find(|entry| entry.name == name).ok_or_else(|| format!("no family is called {name}"))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text} is not a number that fits here"))
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn run(flags: &[&str]) -> Result<bool, String> {
    let mut settings = json!({
        "seed": 1, "cases": 100, "seconds": 10.0, "memory": 1_000_000, "faults": 5, "limit": u64::MAX,
        "found": folder("found"),
    });
    let mut entries: Vec<&Entry> = ALL.iter().collect();
    for pair in flags.chunks(2) {
        match *pair {
            ["--families", names] => entries = names.split(',').map(find).collect::<Result<_, _>>()?,
            [flag, text] if flag.starts_with("--") => {
                settings[&flag[2..]] = serde_json::from_str(text).unwrap_or_else(|_| text.into());
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    let settings: Settings = serde_json::from_value(settings).map_err(|error| format!("{error}\n{USAGE}"))?;
    let (mut cases, mut faults) = (0, 0);
    for entry in entries {
        let begun = std::time::Instant::now();
        let (seen, findings) = driver::attack(entry, &settings)?;
        let (Seen { cases: all, solved, skipped, .. }, took) = (seen, begun.elapsed().as_secs_f64());
        let told = format!("{all:>9} cases {solved:>8} solved {skipped:>7} skipped");
        println!("{:<12} {told} {:>3} faults {took:>8.1} s", entry.name, findings.len());
        cases += seen.cases;
        faults += findings.len();
    }
    println!("{:<12} {cases:>9} cases {faults:>3} faults, seed {}", "all", settings.seed);
    Ok(faults == 0)
}

/// Judges the corpus of a family, or of all; what is wrong.
fn replay(name: Option<&str>) -> Result<Vec<String>, String> {
    let sorted = |folder: &Path| {
        let files = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        paths.sort();
        Ok::<_, String>(paths)
    };
    let mut wrong = Vec::new();
    for folder in sorted(&folder("corpus"))? {
        let entry = find(&folder.file_name().unwrap_or_default().to_string_lossy())?;
        if name.is_some_and(|name| name != entry.name) {
            continue;
        }
        let paths = sorted(&folder)?;
        for path in &paths {
            let text =
                std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            if let Err(fault) = (entry.replay)(&text) {
                wrong.push(format!("{}: {fault}", path.display()));
            }
        }
        println!("{:<12} {:>4} cases", entry.name, paths.len());
    }
    Ok(wrong)
}
