//! What is written and printed: whole files or none, nothing that steers a terminal, nothing that a
//! spreadsheet runs.

use super::{code, contents, econsched, err, out, scratch};
use std::fs;
use std::process::Command;

/// Runs the program in a shell after `before`; whether it ended well.
fn in_shell(before: &str, args: &str) -> bool {
    let script = format!("{before}; exec {} {args} > /dev/null 2>&1", env!("CARGO_BIN_EXE_econsched"));
    Command::new("sh").args(["-c", &script]).status().expect("a shell").success()
}

#[test]
fn a_full_disk_or_a_kill_leaves_earlier_results_alone() {
    let dir = scratch("whole");
    for (command, file) in [
        ("plan --out DIR", "plan.json"),
        ("plan --compare --search amp,alp --out DIR", "compare.json"),
        ("simulate --jobs 50 --out DIR", "jobs.csv"),
        ("multi-s-grid --jobs 50 --out DIR", "slices.csv"),
        ("study yadav --seeds 3 --out DIR", "table3.csv"),
        ("generate slots --count 50 --out DIR/slots.json", "slots.json"),
    ] {
        let dir = dir.join(file);
        fs::create_dir(&dir).expect("a directory");
        let args = command.replace("DIR", &dir.display().to_string());
        assert!(in_shell(":", &args), "{command}");
        let before = contents(&dir);
        assert!(
            before.contains_key(file) && before.keys().all(|name| !name.contains("partial")),
            "{before:?}"
        );
        // No file may grow beyond two blocks: a write fails (where the signal is ignored), or the process is
        // killed.
        for trap in ["trap '' XFSZ; ulimit -f 2", "ulimit -c 0; ulimit -f 2"] {
            assert!(!in_shell(trap, &args), "{command} {trap}");
            let mut after = contents(&dir);
            after.retain(|name, _| !name.contains(".partial"));
            assert!(before == after, "{command} {trap}");
        }
    }
}

#[cfg(unix)]
#[test]
fn files_that_are_read_only_and_links_are_replaced() {
    let dir = scratch("replaced");
    let (results, other) = (dir.join("results"), dir.join("other"));
    fs::create_dir(&results).expect("a directory");
    fs::write(&other, "kept").expect("written");
    std::os::unix::fs::symlink(&other, results.join("plan.json")).expect("a link");
    let locked = results.join("jobs.csv");
    fs::write(&locked, "old").expect("written");
    let mut mode = fs::metadata(&locked).expect("a file").permissions();
    mode.set_readonly(true);
    fs::set_permissions(&locked, mode).expect("read-only");
    let output = econsched(&["plan", "--out", &results.display().to_string()], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(fs::read_to_string(&locked).expect("jobs").starts_with("job,"));
    assert!(fs::symlink_metadata(results.join("plan.json")).expect("a plan").is_file());
    assert_eq!(fs::read_to_string(other).expect("a file"), "kept");
}

#[test]
fn where_results_go_is_checked_before_the_work() {
    let dir = scratch("no-directory");
    let file = dir.join("file");
    fs::write(&file, "kept").expect("written");
    let below = file.join("below").display().to_string();
    let file_name = file.display().to_string();
    for args in [
        vec!["plan"],
        vec!["plan", "--compare"],
        // It would take minutes.
        vec!["simulate", "--jobs", "10000000"],
        vec!["multi-s-grid", "--jobs", "5000000", "--slices", "10000000"],
        vec!["study", "iccs2011", "--cycles", "100000000"],
    ] {
        for place in [&file_name, &below] {
            let output = econsched(&[args.as_slice(), &["--out", place]].concat(), "");
            assert_eq!(code(&output), 2, "{args:?}: {}", err(&output));
            assert!(err(&output).contains("cannot write"), "{args:?}: {}", err(&output));
            assert_eq!(out(&output), "", "{args:?}");
        }
    }
    assert_eq!(fs::read_to_string(file).expect("a file"), "kept");
}

/// Characters that steer a terminal or turn a line.
fn steers(text: &str) -> bool {
    text.chars().any(|c| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c))
}

const EVIL: &str = "a\u{1b}[2J\u{9b}1m\u{202e}b";

#[test]
fn nothing_printed_steers_a_terminal() {
    let json = serde_json::to_string(EVIL).expect("JSON");
    let scenario = format!(
        r#"{{"name":{json},"nodes":[{{"id":1,"speed":1,"price":2}}],"horizon":90,"jobs":[{{"id":1,"request":{{"nodes":1,"work":60}}}}]}}"#
    );
    let dir = scratch("evil");
    let log = dir.join(format!("{EVIL}.swf"));
    fs::write(&log, "1 0 0 100 4 -1 -1 4 200 -1 1 3 1 -1 1 -1 -1 -1\n").expect("written");
    let log = log.display().to_string();
    let testbed = dir.join("sites.json");
    let sites = format!(r#"[{{"id":0,"name":{json},"machines":[{{"id":0,"cpus":8,"speed":1,"price":2}}]}}]"#);
    fs::write(&testbed, sites).expect("written");
    let testbed = testbed.display().to_string();
    let matrix = format!("x,{EVIL}1,{EVIL}2\n{EVIL}a,1,2\n{EVIL}b,3,4\n");
    let lines = format!("x,r,\"s\neconsched: fine\"\n{EVIL}a,1,2\nb,3,4\n");
    let unknown = scenario.replace("\"name\":", &format!("{json}:"));
    let places = dir.display().to_string();
    for (args, input) in [
        (vec!["plan", "-", "--out", &places], &scenario),
        (vec!["plan", "-", "--json", "--no-files"], &scenario),
        (vec!["plan", "-", "--compare", "--no-files"], &scenario),
        (vec!["plan", "-", "--no-files"], &unknown),
        (vec!["plan", &log, "--at", "-5", "--no-files"], &scenario),
        (vec!["plan", "/nowhere/\u{1b}[2J"], &scenario),
        (vec!["simulate", &log, "--out", &places], &scenario),
        (vec!["simulate", &log, "--scheduler", "greedy", "--testbed", &testbed, "--no-files"], &scenario),
        (vec!["map", "-"], &matrix),
        (vec!["map", "-", "--json"], &matrix),
        (vec!["map", "-", "--heuristic", "olb"], &lines),
        (vec!["assign", "-"], &lines),
        (vec!["assign", "-", "--capacities", "1,0"], &lines),
        (vec!["assign", "-", "--names", "none"], &matrix),
    ] {
        let output = econsched(&args, input);
        assert!(!steers(&out(&output)), "{args:?}: {:?}", out(&output));
        assert!(!steers(&err(&output)), "{args:?}: {:?}", err(&output));
        assert!(
            !out(&output).contains("\neconsched: fine") && !err(&output).contains("\neconsched: fine"),
            "{args:?}"
        );
    }
    let svg = fs::read_to_string(dir.join("gantt.svg")).expect("a chart");
    assert!(!steers(&svg));
}

#[test]
fn no_cell_of_a_csv_file_is_run_by_a_spreadsheet() {
    let dir = scratch("formulas");
    let place = dir.display().to_string();
    let matrix = "x,=1+1,@SUM(A1)\n+cmd|' /C calc'!A0,1,2\n-a,3,4\n";
    for command in ["map", "assign"] {
        let output = econsched(&[command, "-", "--out", &place], matrix);
        assert_eq!(code(&output), 0, "{}", err(&output));
    }
    let mut seen = 0;
    for (name, bytes) in contents(&dir).into_iter().filter(|(name, _)| name.ends_with(".csv")) {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes.as_slice());
        for cell in
            reader.records().flat_map(|row| row.expect("a row").iter().map(str::to_owned).collect::<Vec<_>>())
        {
            let formula = cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
            assert!(!formula, "{name}: {cell}");
            seen += usize::from(cell.starts_with('\''));
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn quiet_is_quiet() {
    let dir = scratch("quiet");
    let place = dir.display().to_string();
    let output = econsched(&["--quiet", "plan", "--out", &place], "");
    assert_eq!((code(&output), out(&output), err(&output)), (0, String::new(), String::new()));
    assert!(dir.join("plan.json").exists());
    let output = econsched(&["map", "-", "--quiet"], "1,x\n");
    assert_eq!((code(&output), out(&output)), (2, String::new()));
    assert!(err(&output).contains("`x`"));
}

#[test]
fn words_are_for_people() {
    let one = r#"{"nodes":[{"id":1,"speed":1,"price":2}],"horizon":90,"jobs":[{"id":1,"request":{"nodes":1,"work":60}}]}"#;
    let text = out(&econsched(&["plan", "-", "--no-files"], one));
    assert!(text.contains("1 node, 1 free slot, 1 job;") && text.contains("1 of 1 job placed"), "{text}");
    let output = econsched(&["plan", "-", "--no-files"], &one.replace("\"price\"", "\"pirce\""));
    assert!(err(&output).contains("did you mean `price`?"), "{}", err(&output));

    let log = "1 0 0 7260 4 -1 -1 4 90000 -1 1 3 1 -1 1 -1 -1 -1\n";
    let read = out(&econsched(&["simulate", "-", "--no-files"], log));
    assert!(read.contains("2 h 1 min"), "{read}");
    let seconds = out(&econsched(&["simulate", "-", "--no-files", "--seconds"], log));
    assert!(seconds.contains("7260") && !seconds.contains("2 h"), "{seconds}");
}
