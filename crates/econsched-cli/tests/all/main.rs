//! The program as its users see it: what it prints, writes and answers.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test stops at the first surprise
#![allow(clippy::disallowed_types)] // it waits for servers

mod charts;
mod checkpoints;
mod convert;
mod documents;
mod draw;
mod files;
mod frozen;
mod hostile;
mod limits;
mod plans;
mod session;
mod shares;
mod terminal;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// How a command ended, and what it said.
struct End {
    code: i32,
    out: String,
    err: String,
}

impl From<Output> for End {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().expect("no signal");
        Self { code, out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// Presses Ctrl-C. How the program then ends.
fn interrupted(child: Child) -> End {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success(), "it had ended by itself");
    child.wait_with_output().expect("it ends").into()
}

/// Where commands run that leave no files.
fn here() -> Dir {
    Dir(PathBuf::from("."))
}

/// A directory of its own for a test, in which commands run.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Self {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("a directory");
        Self(dir)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.at(name), bytes).expect("written");
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("text")
    }

    /// Every file of a directory below this one, with its bytes.
    fn files(&self, below: &str) -> BTreeMap<String, Vec<u8>> {
        let entries =
            fs::read_dir(self.at(below)).into_iter().flatten().map(|entry| entry.expect("an entry"));
        let named = |entry: fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), entry.path());
        entries.map(named).map(|(name, path)| (name, fs::read(path).expect("a file"))).collect()
    }

    /// The rows of a table by the names of its columns.
    fn rows(&self, name: &str) -> Vec<BTreeMap<String, String>> {
        let text = self.bytes(name);
        csv::Reader::from_reader(text.as_slice()).deserialize().map(|row| row.expect("a row")).collect()
    }

    /// The program with these words, which has begun.
    fn begin(&self, words: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_econsched"));
        command.args(words.split_whitespace()).current_dir(&self.0).env_remove("COLUMNS");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    fn run(&self, words: &str, input: &str) -> End {
        let mut child = self.begin(words);
        // A program that refuses its flags does not read its input.
        let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
        child.wait_with_output().expect("the program ends").into()
    }

    /// How a line of shell ends that calls the program, or other programs in this directory.
    fn sh(&self, line: &str) -> End {
        let program = Path::new(env!("CARGO_BIN_EXE_econsched")).parent().expect("a directory");
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{path}", self.0.display(), program.display());
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(&self.0).env("PATH", path).stdin(Stdio::null());
        command.output().expect("a shell").into()
    }

    /// What a command prints; it must end well.
    fn good(&self, words: &str, input: &str) -> String {
        let end = self.run(words, input);
        assert!(end.code == 0, "{words}: {}", end.err);
        end.out
    }

    /// Kills a command so many times, each once it has kept more; how often it had not ended before.
    fn killed(&self, words: &str, times: u64, kept: impl Fn() -> u64) -> u64 {
        let killed = |round: u64| {
            let (before, mut child) = (kept(), self.begin(words));
            while kept() <= before && child.try_wait().expect("a state").is_none() {
                std::thread::yield_now();
            }
            // Somewhat later: in the middle of whatever it does then.
            std::thread::sleep(Duration::from_micros(round * 7919 % 3000));
            let _ = child.kill();
            u64::from(!child.wait().expect("a state").success())
        };
        (0..times).map(killed).sum()
    }

    /// What a command says that is refused as bad input or usage.
    fn refused(&self, words: &str) -> String {
        let end = self.run(words, "");
        assert_eq!(end.code, 2, "{words}: {}", end.out);
        end.err
    }
}

/// The place of a file of the trial data, which lies beside the repository; `None`, said aloud, where it does not.
/// Tests run in the directory of the crate.
fn data(name: &str) -> Option<String> {
    let path = format!("../../../shared/data/{name}");
    if !Path::new(&path).exists() {
        println!("skipped: no {path}");
        return None;
    }
    Some(path)
}

/// A sweep of two schedulers over two seeds.
const SWEEP: &str = "command = \"simulate\"\nseeds = \"1..2\"\n[fixed]\njobs = 20\n[axes]\nscheduler = [\"fcfs\", \"easy\"]\n";

#[test]
fn without_arguments_it_plans_its_built_in_scenario() {
    let dir = Dir::new("bare");
    let text = dir.good("", "");
    assert!(text.contains("6 of 6 jobs placed") && dir.files(".").is_empty(), "{text}");
    assert!(dir.good("plan --out out", "").contains("chart: out/report.html"), "{text}");
    let page = dir.read("out/report.html");
    for part in ["this one is within 0.10%", "speed 2.80", "4.91"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = here().begin("generate etc --set tasks=4000");
    drop(child.stdout.take());
    let end = End::from(child.wait_with_output().expect("it ends"));
    assert_eq!((end.code, end.err), (0, String::new()));
}
