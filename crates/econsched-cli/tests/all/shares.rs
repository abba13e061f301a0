//! Work that is stopped, resumed and shared out gives the same bytes.

use super::{code, contents, econsched, err, json, out, scratch};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const SWEEP: &str = r#"
command = "simulate"
seeds = "1..3"
baseline = { scheduler = "fcfs" }
[fixed]
jobs = 40
[axes]
scheduler = ["fcfs", "easy"]
cpus = [64, 128]
"#;

/// The work of this name on a file, if it needs one, whole or a share of it, with its results or its part in a
/// directory.
fn command(work: &str, file: &str, dir: &Path, more: &[&str]) -> Vec<String> {
    let words: Vec<&str> = match work {
        "sweep" => vec!["sweep", file],
        "live-broker" => vec!["study", "live-broker", "--log", file, "--jobs", "12"],
        "yadav" => vec!["study", "yadav", "--seeds", "7"],
        _ => vec!["study", "iccs2011", "--cycles", "40"],
    };
    let out = ["--out".to_owned(), dir.display().to_string()];
    words.into_iter().chain(more.iter().copied()).map(str::to_owned).chain(out).collect()
}

fn run(args: &[String]) -> String {
    let output = econsched(&args.iter().map(String::as_str).collect::<Vec<_>>(), "");
    assert_eq!(code(&output), 0, "{args:?}: {}", err(&output));
    out(&output)
}

#[test]
fn parts_put_together_are_the_whole() {
    let dir = scratch("shares");
    let sweep = dir.join("sweep.toml");
    fs::write(&sweep, SWEEP).expect("written");
    let sweep = sweep.display().to_string();
    let log = a_log(&dir.join("made.swf"), 3);
    for (work, file) in [("sweep", &*sweep), ("yadav", ""), ("iccs2011", ""), ("live-broker", &*log)] {
        let whole = dir.join(format!("{work}-whole"));
        let printed = run(&command(work, file, &whole, &["--threads", "2"]));
        let counts: &[usize] = if work == "sweep" { &[1, 2, 7] } else { &[3] };
        for &shares in counts {
            let parts = dir.join(format!("{work}-{shares}"));
            for share in (1..=shares).rev() {
                let shard = format!("{share}/{shares}");
                run(&command(work, file, &parts, &["--shard", &shard, "--threads", "1"]));
            }
            let mut files: Vec<String> = fs::read_dir(&parts)
                .expect("parts")
                .map(|entry| entry.expect("a part").path().display().to_string())
                .collect();
            assert_eq!(files.len(), shares, "{files:?}");
            let merged = dir.join(format!("{work}-{shares}-merged"));
            let place = merged.display().to_string();
            files.sort();
            files.reverse();
            let args = [vec!["merge".to_owned(), "--out".to_owned(), place.clone()], files.clone()].concat();
            let told = run(&args).replace(&place, &whole.display().to_string());
            assert_eq!(told, printed, "{work} in {shares}");
            assert!(contents(&merged) == contents(&whole), "{work} in {shares}");
            for (shares_of, missing) in
                [(2, "1 of 2 parts is missing: 2"), (7, "6 of 7 parts are missing: 1-3,5-7")]
            {
                if shares_of == shares {
                    let output = econsched(&["merge", &files[shares / 2], "--out", &place], "");
                    assert_eq!(code(&output), 2);
                    assert!(err(&output).contains(missing), "{}", err(&output));
                }
            }
        }
    }
}

/// Runs the tasks of an array one after another, as Slurm and HyperQueue would; the first time the second is lost.
const ARRAY: &str = r#"#!/bin/sh
case $0 in
    *sbatch) tasks=${2#--array=1-} name=SLURM_ARRAY_TASK_ID; set -- sh -c "${3#--wrap=}";;
    *) tasks=${4#1-} name=HQ_TASK_ID; shift 5;;
esac
for task in $(seq "$tasks"); do
    [ "$task" = 2 ] && [ ! -f lost ] && touch lost && continue
    env "$name=$task" "$@" || exit
done
"#;

/// The lines that the guide gives for Slurm and HyperQueue, as they stand.
#[test]
fn arrays_of_the_guide_compute_what_was_lost_when_they_are_run_again() {
    let dir = scratch("arrays");
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/src/sweep.md");
    let guide = fs::read_to_string(guide).expect("the guide");
    fs::write(dir.join("sweep.toml"), SWEEP).expect("written");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_econsched"), dir.join("econsched")).expect("a link");
    let sh = |line: &str| {
        let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(&dir).env("PATH", path).output().expect("a shell")
    };
    assert_eq!(code(&sh("econsched sweep sweep.toml --out whole")), 0);
    for engine in ["sbatch", "hq"] {
        fs::write(dir.join(engine), ARRAY).expect("a program");
        fs::set_permissions(dir.join(engine), fs::Permissions::from_mode(0o755)).expect("may run");
        let mut lines = guide.lines().skip_while(|line| !line.starts_with(&format!("{engine} ")));
        let (array, merge) = (lines.next().expect("an array"), lines.next().expect("a merge"));
        assert_eq!(code(&sh(array)), 0, "{}", err(&sh(array)));
        let output = sh(merge);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("1 of 3 parts is missing: 2"), "{}", err(&output));
        let told = out(&sh(array));
        assert_eq!(told.matches("exists already").count(), 2, "{told}");
        assert_eq!(code(&sh(merge)), 0, "{}", err(&sh(merge)));
        assert!(contents(&dir.join("merged")) == contents(&dir.join("whole")), "{engine}");
        assert_eq!(code(&sh("rm -r lost parts merged")), 0);
    }
}

/// The files of unfinished work in a directory.
fn unfinished(dir: &Path) -> Vec<String> {
    contents(dir).into_keys().filter(|name| name.contains(".checkpoint.")).collect()
}

#[test]
fn work_that_fails_leaves_nothing_and_a_full_disk_leaves_what_is_done() {
    let dir = scratch("failing");
    let file = dir.join("sweep.toml");
    let out = dir.join("out");
    let place = out.display().to_string();
    // The second of two runs fails, or one after runs that were kept.
    for (seeds, cpus) in [("", "[64, 0]"), ("seeds = \"1..50\"", "[64, 128, 0]")] {
        let text = format!(
            "command = \"simulate\"\n{seeds}\n[fixed]\njobs = 20\n[axes]\nscheduler = [\"fcfs\"]\ncpus = {cpus}\n"
        );
        fs::write(&file, text).expect("written");
        for _ in 0..2 {
            let output = econsched(&["sweep", &file.display().to_string(), "--out", &place], "");
            assert_eq!(code(&output), 2);
            assert!(err(&output).contains("--cpus=0"), "{}", err(&output));
            assert_eq!(contents(&out).into_keys().collect::<Vec<_>>(), [""; 0]);
        }
    }
    // Some records of a checkpoint fit on the disk, or none: then, as often as it is tried, one file stays, or none.
    for (blocks, files) in [(64, 1), (8, 0)] {
        let out = dir.join(blocks.to_string());
        let args = command("iccs2011", "", &out, &["--threads", "2"]).join(" ").replace(" 40 ", " 4000 ");
        let script =
            format!("trap '' XFSZ; ulimit -f {blocks}; exec {} {args}", env!("CARGO_BIN_EXE_econsched"));
        for _ in 0..2 {
            let output = Command::new("sh").args(["-c", &script]).output().expect("a shell");
            assert_eq!(code(&output), 2);
            let told = err(&output);
            assert!(told.contains("cannot write") && told.contains("study-iccs2011.checkpoint"), "{told}");
            assert_eq!(unfinished(&out).len(), files, "{blocks}");
        }
    }
}

#[test]
fn a_directory_takes_the_results_of_one_study_at_a_time() {
    let dir = scratch("one-at-a-time");
    let args = command("iccs2011", "", &dir, &[]);
    let mut long: Vec<&str> = args.iter().map(String::as_str).collect();
    long[3] = "100000000";
    let mut child = Command::new(env!("CARGO_BIN_EXE_econsched"))
        .args(&long)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    while unfinished(&dir).is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    for work in ["iccs2011", "yadav"] {
        let args = command(work, "", &dir, &[]);
        let output = econsched(&args.iter().map(String::as_str).collect::<Vec<_>>(), "");
        assert_eq!(code(&output), 2);
        let told = err(&output);
        assert!(
            told.contains("another study or sweep is writing") && told.contains("one-at-a-time"),
            "{told}"
        );
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success() && child.wait().expect("it ends").code() == Some(130));
    let mut told = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().expect("piped"), &mut told).expect("text");
    assert!(told.contains("the same command continues") && told.contains("one-at-a-time"), "{told}");
    run(&command("yadav", "", &dir, &[]));
}

/// Writes a log of this seed.
fn a_log(path: &Path, seed: u32) -> String {
    let seed = seed.to_string();
    let made = econsched(&["generate", "log", "--jobs", "14", "--seed", &seed], "");
    fs::write(path, out(&made)).expect("written");
    path.display().to_string()
}

#[test]
fn parts_of_another_log_are_refused() {
    let dir = scratch("other-log");
    let (log, parts) = (dir.join("made.swf"), dir.join("parts"));
    let file = a_log(&log, 3);
    let part = |shard: &str| command("live-broker", &file, &parts, &["--shard", shard]);
    let refused = |args: &[String], why: &str| {
        let output = econsched(&args.iter().map(String::as_str).collect::<Vec<_>>(), "");
        assert_eq!(code(&output), 2, "{}", out(&output));
        assert!(err(&output).contains(why), "{}", err(&output));
    };
    let merge = || -> Vec<String> {
        let files = contents(&parts).into_keys().map(|name| parts.join(name).display().to_string());
        ["merge".to_owned()].into_iter().chain(files).collect()
    };
    run(&part("1/2"));
    // The log with one byte changed, after all jobs that are simulated.
    let text = fs::read(&log).expect("a log");
    let mut other = text.clone();
    let last = other.iter().rposition(u8::is_ascii_digit).expect("a digit");
    other[last] ^= 1;
    fs::write(&log, &other).expect("written");
    refused(&part("1/2"), "another part, or a damaged one, is at this path");
    run(&part("2/2"));
    refused(&merge(), "a part of another study or sweep");
    // Both parts are of the first log, and the file is the other.
    fs::write(&log, &text).expect("written");
    fs::remove_file(parts.join("study-live-broker-2-of-2.part")).expect("removed");
    run(&part("2/2"));
    fs::write(&log, &other).expect("written");
    refused(&merge(), "made.swf: this is not the log of the other parts: its checksum differs");
    fs::write(&log, &text).expect("written");
    run(&merge());
}

#[test]
fn a_kill_loses_nothing_that_was_written() {
    let dir = scratch("killed");
    let whole = dir.join("whole");
    let args = |dir: &Path| {
        let out = dir.display().to_string();
        ["study", "iccs2011", "--cycles", "600", "--threads", "2", "--out", &out].map(str::to_owned).to_vec()
    };
    let stopped = dir.join("stopped");
    let mut killed = 0;
    for _ in 0..3 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_econsched"))
            .args(args(&stopped))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        // Until something more than the head of the file is kept, or the end.
        let kept = || {
            let entries = fs::read_dir(&stopped).into_iter().flatten().flatten();
            entries.filter_map(|entry| entry.metadata().ok()).map(|meta| meta.len()).max().unwrap_or(0)
        };
        let before = kept();
        while kept() <= before.max(1000) && child.try_wait().expect("a state").is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        killed += usize::from(child.try_wait().expect("a state").is_none());
        let _ = child.kill();
        child.wait().expect("it ends");
    }
    assert!(killed > 0 && !stopped.join("report.md").exists());
    let resumed = run(&args(&stopped));
    assert_eq!(resumed, run(&args(&whole)));
    assert!(contents(&stopped) == contents(&whole));
}

#[test]
fn a_sweep_compares_pair_by_pair() {
    let dir = scratch("sweep");
    let sweep = dir.join("sweep.toml");
    fs::write(&sweep, SWEEP).expect("written");
    let results = dir.join("results");
    let text = run(&command("sweep", &sweep.display().to_string(), &results, &[]));
    assert!(text.contains("12 runs") && text.contains('±'), "{text}");
    let read = |name: &str| fs::read_to_string(results.join(name)).expect("results");
    let rows = |name: &str| -> Vec<BTreeMap<String, String>> {
        let text = read(name);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().map(|row| row.expect("a row")).collect()
    };
    let (runs, means, differences) = (rows("runs.csv"), rows("means.csv"), rows("differences.csv"));
    assert_eq!((runs.len(), means.len(), differences.len()), (12, 4, 4));
    let number = |row: &BTreeMap<String, String>, name: &str| row[name].parse::<f64>().expect("a number");
    for (mean, difference) in means.iter().zip(&differences) {
        let alike = |row: &&BTreeMap<String, String>, scheduler: &str| {
            row["cpus"] == mean["cpus"] && row["scheduler"] == scheduler
        };
        let of = |scheduler: &str| -> Vec<f64> {
            runs.iter().filter(|row| alike(row, scheduler)).map(|row| number(row, "mean wait")).collect()
        };
        let (ours, theirs) = (of(&mean["scheduler"]), of("fcfs"));
        let average = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        assert!((average(&ours) - number(mean, "mean wait")).abs() < 1e-6);
        assert!((average(&ours) - average(&theirs) - number(difference, "mean wait")).abs() < 1e-6);
    }
    // What a sweep says of a run, the command says too.
    let words = "simulate --jobs 40 --scheduler easy --cpus 64 --seed 2 --no-files";
    let one = json(&words.split(' ').collect::<Vec<_>>(), "");
    let row = runs.iter().find(|row| row["scheduler"] == "easy" && row["cpus"] == "64" && row["seed"] == "2");
    assert_eq!(number(row.expect("a run"), "makespan"), one["runs"][0]["figures"]["makespan"]);
    assert!(results.join("jobs.svg").exists());
}

#[test]
fn a_sweep_names_the_run_that_is_wrong() {
    let dir = scratch("sweep-wrong");
    let file = dir.join("s.toml");
    for (text, words) in [
        ("command = \"fly\"", "fly"),
        ("command = \"bench\"", "a sweep runs"),
        ("command = \"simulate\"\n[axes]\nscheduler = [\"fcfs\", \"best\"]", "best"),
        ("command = \"simulate\"\n[fixed]\ntrade-off = 0.5", "--trade-off"),
        ("command = \"simulate\"\n[fixed]\njobz = 5", "--jobz"),
        ("command = \"simulate\"\nsed = \"1..2\"", "did you mean `seeds`?"),
        ("command = \"simulat\"", "'simulate'"),
        ("command = \"simulate\"\n[axes]\nschedulr = [\"fcfs\"]", "'--scheduler'"),
        ("command = \"simulate\"\n[axes]\nscheduler = [\"esy\"]", "'easy'"),
        ("command = \"map\"\n[fixed]\ninput = \"/nowhere\"", "/nowhere"),
    ] {
        fs::write(&file, text).expect("written");
        let place = dir.join("out").display().to_string();
        let output = econsched(&["sweep", &file.display().to_string(), "--out", &place], "");
        assert_eq!(code(&output), 2, "{text}: {}", out(&output));
        assert!(err(&output).contains(words), "{text}: {}", err(&output));
        assert!(!dir.join("out/runs.csv").exists(), "{text}");
    }
    // No plan is a result: the budget of 1 buys nothing.
    fs::write(&file, "command = \"plan\"\n[fixed]\ncriterion = \"min-cost\"\n[axes]\nlimit = [1, 100000]")
        .expect("written");
    let place = dir.join("out").display().to_string();
    let output = econsched(&["sweep", &file.display().to_string(), "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let runs = fs::read_to_string(dir.join("out/runs.csv")).expect("runs");
    assert!(runs.contains("no job has a place") && runs.lines().count() == 3, "{runs}");
}
