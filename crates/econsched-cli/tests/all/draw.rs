//! Charts, and `report.html` in a real browser, where one is installed.

use super::{Dir, KTH, SWEEP, data};
use std::process::Command;

/// Spans in seconds, and how the program prints them.
const SPANS: &str = include_str!("../../src/output/spans.txt");

/// What the page in a directory says of itself when it is asked to try its own controls, and to show these spans;
/// `None` without a browser.
fn tried(dir: &Dir) -> Option<serde_json::Value> {
    let seconds: Vec<&str> = SPANS.lines().filter_map(|line| line.split(' ').next()).collect();
    // A profile serves one browser at a time.
    let name = dir.0.file_name().expect("a directory").to_string_lossy();
    let profile = Dir::new(&format!("browser-{name}"));
    let flags = "--headless --no-sandbox --disable-gpu --enable-logging=stderr --dump-dom";
    let output = ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(|browser| {
        let mut command = Command::new("timeout");
        command.args(["600", browser]).args(flags.split(' '));
        command.arg(format!("--user-data-dir={}", profile.0.display()));
        command.arg(format!("file://{}#selftest={}", dir.at("report.html").display(), seconds.join(",")));
        command.output().ok().filter(|output| output.status.code() != Some(127))
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

/// That the page of a command, whose files go to the directory, works. Says how long it took from the click to the end
/// of the first drawing, and to draw all of it again.
fn opens(dir: &Dir, words: &str, input: &str, jobs: u64, checks: usize) -> Option<serde_json::Value> {
    dir.good(&format!("{words} --out ."), input);
    let result = tried(dir)?;
    assert_eq!(result["jobs"], jobs, "{result}");
    assert_eq!(result["faults"], serde_json::json!([]), "{result}");
    let done = result["checks"].as_array().expect("checks");
    assert!(done.len() >= checks && done.iter().all(|check| check[1] == true), "{result}");
    println!("{jobs} jobs: drawn after {} ms, again in {} ms", result["painted"], result["draw"]);
    Some(result)
}

#[test]
fn plans_studies_and_sweeps_open_in_a_browser() {
    opens(&Dir::new("page-plan"), "plan --front", "", 6, 29);
    opens(&Dir::new("page-study"), "study yadav --seeds 3", "", 0, 2);
    opens(&Dir::new("page-sweep"), "sweep -", SWEEP, 0, 2);
}

/// The same as on the terminal.
#[test]
fn times_are_rounded_in_a_browser_as_on_the_terminal() {
    let dir = Dir::new("page-times");
    let log = "1 0 0 258804 8 -1 -1 8 300000 -1 1 1 1 1 1 -1 -1 -1\n";
    assert!(dir.good("simulate - --no-files", log).contains(" 3 d\n"));
    let Some(result) = opens(&dir, "simulate -", log, 1, 30) else { return };
    let read: Vec<&str> = SPANS.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    assert_eq!(result["spans"], serde_json::json!(read));
}

#[test]
fn a_year_of_jobs_opens_in_a_browser() {
    let Some(path) = data(KTH) else { return };
    let dir = Dir::new("page-log");
    dir.write("log.swf.gz", std::fs::read(path).expect("a log"));
    opens(&dir, "simulate log.swf.gz", "", 27_992, 30);
}

#[test]
#[ignore = "long: `just test-long`"]
fn a_hundred_thousand_jobs_open_in_a_browser() {
    let dir = Dir::new("page-long");
    dir.good("generate log --jobs 100000 --seed 7 --out log.swf", "");
    opens(&dir, "simulate log.swf --cpus 512", "", 100_000, 30);
}

#[test]
fn charts_show_the_time_that_is_asked_for() {
    let dir = Dir::new("extent");
    let simulate = |more: &str| {
        dir.good(&format!("simulate --jobs 200 --out . {more}"), "");
        dir.read("gantt.svg")
    };
    let jobs = |svg: &str| svg.matches("<title>job ").count();
    let all = simulate("");
    let rows = dir.rows("jobs.csv");
    let at = |row: usize, key: &str| rows[row][key].parse::<f64>().expect("a time");
    let (from, until) = (at(50, "start"), at(100, "start"));
    let part = simulate(&format!("--from {from} --until {until}"));
    let shown = (0..rows.len()).filter(|&row| at(row, "end") > from && at(row, "start") < until).count();
    let told = format!("{shown} of 200 placements, in the given time");
    assert!(shown < 200 && part.contains(&told), "{shown}");
    assert!(0 < jobs(&part) && jobs(&part) < jobs(&all));
    assert!(dir.read("utilisation.svg").contains("% busy from"));
    let told = dir.refused("simulate --from 5 --until 5 --out .");
    assert!(told.contains("expected --from before --until"), "{told}");

    dir.good("plan --front --out .", "");
    let front = dir.read("front.svg");
    assert!(front.contains("<title>undominated") && !front.contains("stroke-width=\"2\""));
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
    let dir = Dir::new("tenths");
    for criterion in ["min-cost", "min-time"] {
        let told = dir.good(&format!("plan - --criterion {criterion} --front --out ."), scenario);
        assert_eq!(dir.read("front.csv"), "cost,runtime,chosen\n0.6,3,1\n");
        assert_eq!(told.matches("chosen").count(), 1, "{told}");
    }
}
