//! What is written and printed: complete files or none, and nothing that controls a terminal.

use super::Dir;
use std::fs;

#[test]
fn a_full_disk_or_a_kill_leaves_earlier_results_alone() {
    let whole = Dir::new("whole");
    for (words, file) in [
        ("plan --out .", "plan.json"),
        ("simulate --jobs 50 --out .", "jobs.csv"),
        ("multi-s-grid --jobs 50 --out .", "trace.json"),
        ("study yadav --set seeds=3 --out .", "table3.csv"),
        ("generate slots --set count=50 --out slots.json", "slots.json"),
    ] {
        let dir = Dir(whole.at(file));
        fs::create_dir(&dir.0).expect("a directory");
        dir.good(words, "");
        let before = dir.files("");
        let partial = before.keys().any(|name| name.contains("partial"));
        assert!(before.contains_key(file) && !partial, "{before:?}");
        // No file may grow beyond two blocks: a write fails (where the signal is ignored), or the process is
        // killed.
        for trap in ["trap '' XFSZ; ulimit -f 2", "ulimit -c 0; ulimit -f 2"] {
            let end = dir.sh(&format!("{trap}; econsched {words} > /dev/null 2>&1"));
            assert!(end.code != 0, "{words} {trap}");
            let mut after = dir.files("");
            after.retain(|name, _| !name.contains(".partial") && !name.ends_with(".checkpoint"));
            assert!(before == after, "{words} {trap}");
        }
    }
}

#[cfg(unix)]
#[test]
fn files_that_are_read_only_and_links_are_replaced() {
    let dir = Dir::new("replaced");
    fs::create_dir(dir.at("results")).expect("a directory");
    dir.write("other", "kept");
    std::os::unix::fs::symlink(dir.at("other"), dir.at("results/plan.json")).expect("a link");
    dir.write("results/jobs.csv", "old");
    let mut mode = fs::metadata(dir.at("results/jobs.csv")).expect("a file").permissions();
    mode.set_readonly(true);
    fs::set_permissions(dir.at("results/jobs.csv"), mode).expect("read-only");
    dir.good("plan --out results", "");
    assert!(dir.read("results/jobs.csv").starts_with("job,"));
    assert!(fs::symlink_metadata(dir.at("results/plan.json")).expect("a plan").is_file());
    assert_eq!(dir.read("other"), "kept");
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
    let dir = Dir::new("evil");
    let log = format!("{EVIL}.swf");
    dir.write(&log, "1 0 0 100 4 -1 -1 4 200 -1 1 3 1 -1 1 -1 -1 -1\n");
    let sites = format!(r#"[{{"id":0,"name":{json},"machines":[{{"id":0,"cpus":8,"speed":1,"price":2}}]}}]"#);
    dir.write("sites.json", sites);
    let matrix = format!("x,{EVIL}1,{EVIL}2\n{EVIL}a,1,2\n{EVIL}b,3,4\n");
    let lines = format!("x,r,\"s\neconsched: fine\"\n{EVIL}a,1,2\nb,3,4\n");
    let unknown = scenario.replace("\"name\":", &format!("{json}:"));
    for (words, input) in [
        ("plan - --out .", &scenario),
        ("plan - --json", &scenario),
        ("plan -", &unknown),
        ("plan LOG --at -5", &scenario),
        ("plan /nowhere/\u{1b}[2J", &scenario),
        ("simulate LOG --out .", &scenario),
        ("simulate LOG --scheduler greedy --testbed sites.json", &scenario),
        ("map -", &matrix),
        ("map - --json", &matrix),
        ("map - --heuristic olb", &lines),
        ("assign -", &lines),
        ("assign - --capacities 1,0", &lines),
        ("assign - --names none", &matrix),
    ] {
        let end = dir.run(&words.replace("LOG", &log), input);
        for text in [end.out, end.err] {
            assert!(!steers(&text) && !text.contains("\neconsched: fine"), "{words}: {text:?}");
        }
    }
    assert!(!steers(&dir.read("report.html")));
}
