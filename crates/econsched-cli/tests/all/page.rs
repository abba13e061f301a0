//! `report.html` in a real browser, where one is installed.

use super::{KTH, code, data, econsched, err, out, scratch};
use std::path::Path;
use std::process::Command;

/// Spans in seconds, and how the program prints them.
const SPANS: &str = include_str!("../../src/spans.txt");

/// What the page says of itself when it is asked to try its own controls, and to show these spans; `None` without a
/// browser.
fn tried(page: &Path) -> Option<serde_json::Value> {
    let seconds: Vec<&str> = SPANS.lines().filter_map(|line| line.split(' ').next()).collect();
    // A profile serves one browser at a time.
    let name = page.parent().and_then(Path::file_name).expect("a directory").to_string_lossy();
    let profile = scratch(&format!("browser-{name}"));
    let output = ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(|browser| {
        Command::new("timeout")
            .args([
                "600",
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--enable-logging=stderr",
                "--dump-dom",
            ])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("file://{}#selftest={}", page.display(), seconds.join(",")))
            .output()
            .ok()
            .filter(|output| output.status.code() != Some(127))
    });
    let Some(output) = output else {
        println!("skipped: no browser");
        return None;
    };
    let (dom, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // The page reads its own canvas when it tries itself, and only then.
    let said = log.lines().filter(|line| line.contains("CONSOLE") && !line.contains("willReadFrequently"));
    assert_eq!(said.collect::<Vec<_>>(), [""; 0], "on the console");
    let text = dom.split("<pre id=\"selftest\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let text = text.unwrap_or_else(|| panic!("no trial in the page: {log}"));
    Some(serde_json::from_str(&text.replace("&lt;", "<").replace("&amp;", "&")).expect("JSON"))
}

/// Says how long it took from the click to the end of the first drawing, and to draw all of it again.
fn assert_sound(page: &Path, jobs: u64, checks: usize) -> Option<serde_json::Value> {
    let result = tried(page)?;
    assert_eq!(result["jobs"], jobs, "{result}");
    assert_eq!(result["faults"], serde_json::json!([]), "{result}");
    let done = result["checks"].as_array().expect("checks");
    assert!(done.len() >= checks && done.iter().all(|check| check[1] == true), "{result}");
    println!("{jobs} jobs: drawn after {} ms, again in {} ms", result["painted"], result["draw"]);
    Some(result)
}

#[test]
fn a_plan_opens_in_a_browser() {
    let dir = scratch("page-plan");
    let place = dir.display().to_string();
    let output = econsched(&["plan", "--front", "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert_sound(&dir.join("report.html"), 6, 29);
}

/// The same as on the terminal.
#[test]
fn times_are_rounded_in_a_browser_as_on_the_terminal() {
    let dir = scratch("page-times");
    let place = dir.display().to_string();
    let log = "1 0 0 258804 8 -1 -1 8 300000 -1 1 1 1 1 1 -1 -1 -1\n";
    let output = econsched(&["simulate", "-", "--out", &place], log);
    assert!(out(&output).contains(" 3 d\n"), "{}", out(&output));
    let Some(result) = assert_sound(&dir.join("report.html"), 1, 30) else { return };
    let read: Vec<&str> = SPANS.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    assert_eq!(result["spans"], serde_json::json!(read));
}

#[test]
fn a_year_of_jobs_opens_in_a_browser() {
    let Some(path) = data(KTH) else { return };
    let dir = scratch("page-log");
    let place = dir.display().to_string();
    let output = econsched(&["simulate", &path, "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert_sound(&dir.join("report.html"), 27_992, 30);
}

#[test]
fn a_hundred_thousand_jobs_open_in_a_browser() {
    let dir = scratch("page-long");
    let log = dir.join("log.swf").display().to_string();
    let output = econsched(&["generate", "log", "--jobs", "100000", "--seed", "7"], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    std::fs::write(&log, &output.stdout).expect("written");
    let place = dir.display().to_string();
    let output = econsched(&["simulate", &log, "--cpus", "512", "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert_sound(&dir.join("report.html"), 100_000, 30);
}

#[test]
fn studies_and_sweeps_open_in_a_browser() {
    let dir = scratch("page-study");
    let place = dir.display().to_string();
    let output = econsched(&["study", "yadav", "--seeds", "3", "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert_sound(&dir.join("report.html"), 0, 2);

    let dir = scratch("page-sweep");
    let file = dir.join("sweep.toml");
    let text = "command = \"simulate\"\nseeds = \"1..2\"\n[fixed]\njobs = 20\n[axes]\nscheduler = [\"fcfs\", \"easy\"]\n";
    std::fs::write(&file, text).expect("written");
    let place = dir.display().to_string();
    let output = econsched(&["sweep", &file.display().to_string(), "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert_sound(&dir.join("report.html"), 0, 2);
}
