//! The program as its users see it: what it prints, writes and answers.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test stops at the first surprise
#![allow(clippy::disallowed_types)] // it waits for servers

mod answers;
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

/// The program with these arguments, which has begun.
fn begun(args: &[&str], dir: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_econsched"));
    command
        .args(args)
        .current_dir(dir)
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

fn econsched(args: &[&str], input: &str, dir: &Path) -> End {
    let mut child = begun(args, dir);
    // A program that refuses its flags does not read its input.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends").into()
}

/// A command of words between blanks, outside of any directory of a test.
fn run(words: &str, input: &str) -> End {
    Dir(PathBuf::from(".")).run(words, input)
}

/// What a command prints; it must end well.
fn good(words: &str, input: &str) -> String {
    Dir(PathBuf::from(".")).good(words, input)
}

/// That a command ends with this code and without a panic, having said each of these words.
fn ends(code: i32, words: &str, input: &str, said: &[&str]) {
    let end = run(words, input);
    assert_eq!(end.code, code, "{words}: {} {}", end.out, end.err);
    for part in said {
        assert!(end.err.contains(part), "{words} should name {part}: {}", end.err);
    }
    assert!(!end.err.contains("panicked"), "{words}");
}

/// That a command is refused as bad input or usage, with each of these words.
fn refused(words: &str, input: &str, said: &[&str]) {
    ends(2, words, input, said);
}

/// What a command with `--json` says; it must end well.
fn json(words: &str, input: &str) -> serde_json::Value {
    Dir(PathBuf::from(".")).json(words, input)
}

fn number(value: &serde_json::Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("{name}: {value}"))
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

    fn run(&self, words: &str, input: &str) -> End {
        econsched(&words.split_whitespace().collect::<Vec<_>>(), input, &self.0)
    }

    /// What a command prints; it must end well.
    fn good(&self, words: &str, input: &str) -> String {
        let end = self.run(words, input);
        assert!(end.code == 0, "{words}: {}", end.err);
        end.out
    }

    /// What a command with `--json` says; it must end well.
    fn json(&self, words: &str, input: &str) -> serde_json::Value {
        serde_json::from_str(&self.good(&format!("{words} --json"), input)).expect("JSON")
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

const KTH: &str = "traces/KTH-SP2-1996-2.1-cln.swf.gz";

/// A sweep of two schedulers over two seeds.
const SWEEP: &str = "command = \"simulate\"\nseeds = \"1..2\"\n[fixed]\njobs = 20\n[axes]\nscheduler = [\"fcfs\", \"easy\"]\n";

#[test]
fn without_arguments_it_plans_its_built_in_scenario() {
    let dir = Dir::new("bare");
    let text = dir.good("", "");
    assert!(text.contains("6 of 6 jobs placed") && dir.files(".").is_empty(), "{text}");
    assert!(dir.good("plan --out out", "").contains("chart: out/report.html"), "{text}");
    let page = dir.read("out/report.html");
    for part in ["best of all plans", "speed 2.80", "4.91"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = begun(&["generate", "etc", "--set", "tasks=4000"], Path::new("."));
    drop(child.stdout.take());
    let end = End::from(child.wait_with_output().expect("it ends"));
    assert_eq!((end.code, end.err), (0, String::new()));
}
