//! Attacks on the workspace: `econsched-fuzz run` generates cases and judges them, `corpus` judges cases that
//! failed in the past.
//!
//! Every target has a generator that prefers numbers on which arithmetic in doubles goes wrong, and a judge
//! that shares no code with the library: exact sums of its own, a trial of every choice, or the definition
//! followed step by step. Cases run in processes with a limit of time and of memory; one that fails is made
//! small and written as a file. See README.md.

#![allow(clippy::disallowed_types)] // it stops what takes too long
#![forbid(unsafe_code)]
// Enums of the libraries may get further variants.
#![allow(unreachable_patterns)]

mod corpus;
mod driver;
mod judge;
mod number;
mod pool;
mod rng;
mod target;
mod targets;
mod worker;

use driver::Settings;
use econsched::testkit as exact;
use std::process::ExitCode;
use target::Entry;
use targets::ALL;

const USAGE: &str = "usage:
  econsched-fuzz list
  econsched-fuzz run [--targets A,B] [--cases N] [--seed S] [--seconds T] [--memory KIB] [--faults F] [--limit SECONDS] [--found DIR]
  econsched-fuzz corpus [TARGET]
  econsched-fuzz case TARGET FILE
  econsched-fuzz show TARGET SEED INDEX";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["list"] => {
            for entry in ALL {
                println!("{:<14} {}", entry.name, entry.about);
            }
            Ok(true)
        }
        ["run", flags @ ..] => run(flags),
        ["corpus", name @ ..] => replay(name.first().copied()),
        ["case", name, file] => case(name, file),
        ["show", name, seed, index] => show(name, seed, index),
        ["work", name, numbers @ ..] => work(name, numbers),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn find(name: &str) -> Result<&'static Entry, String> {
    ALL.iter().find(|entry| entry.name == name).ok_or_else(|| format!("no target is called {name}"))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text} is not a number that fits here"))
}

fn run(flags: &[&str]) -> Result<bool, String> {
    let mut settings = Settings {
        seed: 1,
        cases: 100,
        seconds: 10.0,
        memory: 1_000_000,
        faults: 5,
        limit: None,
        found: concat!(env!("CARGO_MANIFEST_DIR"), "/found").to_owned(),
    };
    let mut names: Option<Vec<&str>> = None;
    for pair in flags.chunks(2) {
        let [flag, value] = pair else { return Err(USAGE.to_owned()) };
        match *flag {
            "--targets" => names = Some(value.split(',').collect()),
            "--cases" => settings.cases = number(value)?,
            "--seed" => settings.seed = number(value)?,
            "--seconds" => settings.seconds = number(value)?,
            "--memory" => settings.memory = number(value)?,
            "--faults" => settings.faults = number(value)?,
            "--limit" => settings.limit = Some(number(value)?),
            "--found" => settings.found = (*value).to_owned(),
            _ => return Err(format!("{flag}?\n{USAGE}")),
        }
    }
    let entries = match names {
        None => ALL.iter().collect(),
        Some(names) => names.into_iter().map(find).collect::<Result<Vec<_>, _>>()?,
    };
    judge::catch_panics();
    let (mut cases, mut faults) = (0, 0);
    for entry in entries {
        let summary = driver::attack(entry, &settings)?;
        println!(
            "{:<14} {:>9} cases {:>7} malformed {:>3} faults {:>8.1} s",
            entry.name,
            summary.cases,
            summary.malformed,
            summary.findings.len(),
            summary.seconds
        );
        cases += summary.cases;
        faults += summary.findings.len();
    }
    println!("{:<14} {cases:>9} cases {faults:>4} faults, seed {}", "all", settings.seed);
    Ok(faults == 0)
}

fn replay(name: Option<&str>) -> Result<bool, String> {
    judge::catch_panics();
    let mut sound = true;
    for entry in ALL.iter().filter(|entry| name.is_none_or(|name| name == entry.name)) {
        let (cases, wrong) = corpus::replay(entry)?;
        println!("{:<14} {cases:>4} cases {:>4} faults", entry.name, wrong.len());
        for message in &wrong {
            println!("  {message}");
        }
        sound &= wrong.is_empty();
    }
    Ok(sound)
}

fn case(name: &str, file: &str) -> Result<bool, String> {
    let entry = find(name)?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let case = serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
    judge::catch_panics();
    match judge::replay(entry, &case)? {
        Ok(()) => println!("passes"),
        Err(fault) => {
            println!("{fault:?}");
            return Ok(false);
        }
    }
    Ok(true)
}

fn show(name: &str, seed: &str, index: &str) -> Result<bool, String> {
    let case = (find(name)?.generate)(&mut rng::Rng::of_case(number(seed)?, number(index)?));
    println!("{}", serde_json::to_string_pretty(&case).map_err(|error| error.to_string())?);
    Ok(true)
}

fn work(name: &str, numbers: &[&str]) -> Result<bool, String> {
    let [seed, from, to, careful, seconds, faults] = numbers else { return Err(USAGE.to_owned()) };
    let order = worker::Order {
        seed: number(seed)?,
        from: number(from)?,
        to: number(to)?,
        careful: *careful == "1",
        seconds: number(seconds)?,
        faults: number(faults)?,
    };
    worker::work(find(name)?, &order);
    Ok(true)
}
