//! Charts, and `report.html` in a real browser, where one is installed.

use super::{KTH, code, data, econsched, err, out, scratch};
use std::fs;
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
#[ignore = "long: `just test-long`"]
fn a_hundred_thousand_jobs_open_in_a_browser() {
    let dir = scratch("page-long");
    let log = dir.join("log.swf").display().to_string();
    let output = econsched(&["generate", "log", "--jobs", "100000", "--seed", "7"], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    fs::write(&log, &output.stdout).expect("written");
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
    fs::write(&file, text).expect("written");
    let place = dir.display().to_string();
    let output = econsched(&["sweep", &file.display().to_string(), "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert_sound(&dir.join("report.html"), 0, 2);
}

#[test]
fn charts_show_the_time_that_is_asked_for() {
    let dir = scratch("extent");
    let place = dir.display().to_string();
    let simulate = |more: &[&str]| {
        let args = [&["simulate", "--jobs", "200", "--out", &place], more].concat();
        let output = econsched(&args, "");
        assert_eq!(code(&output), 0, "{args:?}: {}", err(&output));
        fs::read_to_string(dir.join("gantt.svg")).expect("a chart")
    };
    let jobs = |svg: &str| svg.matches("<title>job ").count();
    let all = simulate(&[]);
    let rows = fs::read_to_string(dir.join("jobs.csv")).expect("jobs");
    let mut reader = csv::Reader::from_reader(rows.as_bytes());
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    let at = |row: &std::collections::BTreeMap<String, String>, key: &str| {
        row[key].parse::<f64>().expect("a time")
    };
    let (from, until) = (at(&rows[50], "start"), at(&rows[100], "start"));
    let part = simulate(&["--from", &from.to_string(), "--until", &until.to_string()]);
    let shown = rows.iter().filter(|row| at(row, "end") > from && at(row, "start") < until).count();
    assert!(
        shown < 200 && part.contains(&format!("{shown} of 200 placements, in the given time")),
        "{shown}"
    );
    assert!(0 < jobs(&part) && jobs(&part) < jobs(&all));
    assert!(fs::read_to_string(dir.join("utilisation.svg")).expect("a chart").contains("% busy from"));
    let output = econsched(&["simulate", "--from", "5", "--until", "5", "--out", &place], "");
    assert!(
        code(&output) == 2 && err(&output).contains("expected --from before --until"),
        "{}",
        err(&output)
    );

    let output = econsched(&["plan", "--front", "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let front = fs::read_to_string(dir.join("front.svg")).expect("a chart");
    assert!(front.contains("<title>costs together") && !front.contains("polyline"));
}

/// One job for each node, at prices whose sum depends on the order of adding: 0.1 + 0.2 + 0.3 in doubles is
/// 0.6000000000000001, and 0.6 once rounded.
#[test]
fn the_choice_is_marked_on_the_front_where_tenths_are_added() {
    let scenario = r#"{"slots": [{"node": 1, "speed": 1, "price": 0.1, "start": 0, "end": 1},
        {"node": 2, "speed": 1, "price": 0.2, "start": 0, "end": 1},
        {"node": 3, "speed": 1, "price": 0.3, "start": 0, "end": 1}],
        "jobs": [{"id": 1, "request": {"nodes": 1, "work": 1}}, {"id": 2, "request": {"nodes": 1, "work": 1}},
        {"id": 3, "request": {"nodes": 1, "work": 1}}]}"#;
    let dir = scratch("tenths");
    let place = dir.display().to_string();
    for criterion in ["min-cost", "min-time"] {
        let output =
            econsched(&["plan", "-", "--criterion", criterion, "--front", "--out", &place], scenario);
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert_eq!(
            fs::read_to_string(dir.join("front.csv")).expect("a front"),
            "cost,runtime,chosen\n0.6,3,1\n"
        );
        assert_eq!(out(&output).matches("chosen").count(), 1, "{}", out(&output));
    }
}
