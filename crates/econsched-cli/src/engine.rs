//! Shards on other engines (HyperQueue, Slurm): they are submitted as one array, waited for, and submitted
//! again if they failed.
//!
//! The report of an engine is not trusted: a shard is done when its part file is complete, with its hashes.

use crate::error::CliError;
use crate::parts::{self, Header, Shard};
use crate::progress::{self, Counting};
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The engine that runs the shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EngineName {
    /// This process, on its threads
    Local,
    /// HyperQueue: a task array of `hq submit`, on the workers of the server that `hq` finds
    Hyperqueue,
    /// Slurm: a job array of `sbatch`
    Slurm,
}

/// The flags that choose the engine.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Engine {
    /// Where the work is done; all but `local` run it in shards and merge them, in a directory that all
    /// machines share
    #[arg(long, value_enum, default_value_t = EngineName::Local, conflicts_with = "shard")]
    engine: EngineName,
    /// Number of shards for the engine
    #[arg(long, value_name = "COUNT", default_value_t = 16, value_parser = crate::flags::count::<u64>(1, 100_000))]
    shards: u64,
    /// How often shards that failed are submitted again
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    resubmit: u32,
    /// Further arguments of `hq submit` or `sbatch`, such as "--time=2:00:00 --partition=long"
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, default_value = "")]
    engine_flags: String,
}

/// Work that is divided into shards.
pub(crate) struct Shared<'a> {
    /// The first part of the names of its parts.
    pub(crate) kind: &'a str,
    /// The work, as the header of a part states it.
    pub(crate) work: &'a [String],
    /// The arguments that compute it, without shard and directory.
    pub(crate) arguments: Vec<String>,
    /// The directory for the results, which also holds the parts until they are merged.
    pub(crate) out: &'a Path,
}

impl Engine {
    pub(crate) fn is_local(&self) -> bool {
        self.engine == EngineName::Local
    }

    /// Computes all parts, and returns their places. After they are merged, [`clear`] removes them.
    ///
    /// # Errors
    /// [`CliError::Usage`] where the engine does not exist, or parts are still missing at the end.
    pub(crate) fn run(&self, shared: &Shared<'_>) -> Result<Vec<PathBuf>, CliError> {
        let folder = folder(shared.out, shared.kind);
        let logs = folder.join("logs");
        fs::create_dir_all(&logs).map_err(|error| CliError::write(&logs, error))?;
        let mut places = Vec::new();
        for number in 1..=self.shards {
            let shard = Shard::new(number, self.shards);
            places.push((
                folder.join(parts::name(shared.kind, shard)),
                Header::new(shared.work.to_vec(), shard),
            ));
        }
        let missing = || -> Vec<u64> {
            let there = |(place, header): &&(PathBuf, Header)| parts::is_complete(place, header);
            (1..).zip(&places).filter(|(_, part)| !there(part)).map(|(number, _)| number).collect()
        };
        let counting = progress::count("shards", self.shards);
        let mut said = String::new();
        for _ in 0..=self.resubmit {
            let left = missing();
            if left.is_empty() {
                break;
            }
            said = self.submit(shared, &folder, &logs, &left, &counting, &places)?;
        }
        drop(counting);
        let left = missing();
        let Some(first) = left.first() else {
            return Ok(places.into_iter().map(|(place, _)| place).collect());
        };
        let (count, of) = (left.len(), self.shards);
        let told = [said, tail(&logs.join(format!("{first}.log")))].concat();
        let told = if told.trim().is_empty() { String::new() } else { format!(": {}", told.trim()) };
        Err(CliError::usage(format!(
            "{count} of {of} shards failed {} times, the first is {first}/{of}; finished shards are kept{told}",
            u64::from(self.resubmit) + 1
        )))
    }

    /// Submits an array of shards and waits for its end. Returns the standard error of the engine.
    fn submit(
        &self,
        shared: &Shared<'_>,
        folder: &Path,
        logs: &Path,
        numbers: &[u64],
        counting: &Counting,
        places: &[(PathBuf, Header)],
    ) -> Result<String, CliError> {
        let program = std::env::current_exe().map_err(CliError::usage)?;
        let program = program.display().to_string();
        let folder = folder.display().to_string();
        let words = [program.as_str()].into_iter().chain(shared.arguments.iter().map(String::as_str));
        let words =
            words.chain(["--quiet", "--out", folder.as_str()]).map(quoted).collect::<Vec<_>>().join(" ");
        let array = ranges(numbers);
        let errors = logs.join("engine.log");
        let file = File::create(&errors).map_err(|error| CliError::write(&errors, error))?;
        let (name, mut command, script) = match self.engine {
            EngineName::Local => return Err(CliError::fault("no engine is asked for")),
            EngineName::Hyperqueue => {
                let mut command = Command::new("hq");
                let log = logs.join("%{TASK_ID}.log");
                command
                    .args(["submit", "--wait", "--array", &array, "--stdout", "none", "--stderr"])
                    .arg(log);
                command.args(self.engine_flags.split_whitespace()).arg("--");
                let script = format!("exec {words} --shard \"$HQ_TASK_ID/{}\"", self.shards);
                command.args(["sh", "-c", &script]);
                ("hq", command, None)
            }
            EngineName::Slurm => {
                let mut command = Command::new("sbatch");
                let log = logs.join("%a.log");
                command.args(["--wait", "--quiet", "--job-name=econsched"]).arg(format!("--array={array}"));
                command.arg("--output").arg(log).args(self.engine_flags.split_whitespace());
                let script =
                    format!("#!/bin/sh\nexec {words} --shard \"$SLURM_ARRAY_TASK_ID/{}\"\n", self.shards);
                ("sbatch", command, Some(script))
            }
        };
        let input = if script.is_some() { Stdio::piped() } else { Stdio::null() };
        command.stdin(input).stdout(Stdio::null()).stderr(file);
        let mut child =
            command.spawn().map_err(|error| CliError::usage(format!("--engine: {name}: {error}")))?;
        if let (Some(mut input), Some(script)) = (child.stdin.take(), script) {
            // An engine that refuses its flags does not read its input.
            let _ = input.write_all(script.as_bytes());
        }
        wait(&mut child, counting, places).map_err(|error| CliError::usage(format!("{name}: {error}")))?;
        Ok(tail(&errors))
    }
}

/// Waits for an engine, and shows how many parts exist.
fn wait(child: &mut Child, counting: &Counting, places: &[(PathBuf, Header)]) -> std::io::Result<()> {
    while child.try_wait()?.is_none() {
        std::thread::sleep(Duration::from_millis(50));
        counting.reach_by(|| places.iter().filter(|(place, _)| place.exists()).count() as u64);
    }
    Ok(())
}

/// The directory of the parts until they are merged.
fn folder(out: &Path, kind: &str) -> PathBuf {
    let out = fs::canonicalize(out).unwrap_or_else(|_| out.to_owned());
    out.join(format!("{kind}.parts"))
}

/// Removes the parts, after they were merged and the results written.
///
/// # Errors
/// [`CliError::Write`].
pub(crate) fn clear(out: &Path, kind: &str) -> Result<(), CliError> {
    let folder = folder(out, kind);
    fs::remove_dir_all(&folder).map_err(|error| CliError::write(&folder, error))
}

/// The end of a text file; empty where there is none.
fn tail(path: &Path) -> String {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(1 << 20).read_to_string(&mut text));
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    match read {
        Ok(_) => lines[lines.len().saturating_sub(3)..].join("; ").chars().take(400).collect(),
        Err(_) => String::new(),
    }
}

/// Numbers as `1-4,7`.
fn ranges(numbers: &[u64]) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let show = |&(first, last): &(u64, u64)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(show).collect::<Vec<_>>().join(",")
}

/// A word quoted so that a shell does not change it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_and_words() {
        assert_eq!(ranges(&[1, 2, 3, 5, 7, 8]), "1-3,5,7-8");
        assert_eq!(ranges(&[4]), "4");
        assert_eq!(quoted("--out=a/b.c"), "--out=a/b.c");
        assert_eq!(quoted("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
