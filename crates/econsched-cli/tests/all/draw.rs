//! Charts, and `report.html` in a real browser, where one is installed.

use super::{Dir, SWEEP, data, here};
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
    opens(&Dir::new("page-study"), "study yadav --set seeds=3", "", 0, 2);
    opens(&Dir::new("page-sweep"), "sweep -", SWEEP, 0, 2);
}

/// The same as on the terminal.
#[test]
fn times_are_rounded_in_a_browser_as_on_the_terminal() {
    let dir = Dir::new("page-times");
    let log = |seconds: &str| format!("1 0 0 {seconds} 8 -1 -1 8 1e12 -1 1 1 1 1 1 -1 -1 -1\n");
    // A span from a log is never negative.
    for (seconds, read) in
        SPANS.lines().filter_map(|line| line.split_once(' ')).filter(|(s, _)| !s.starts_with('-'))
    {
        let told = dir.good("simulate -", &log(seconds));
        assert!(told.contains(&format!(" {read}\n")), "{seconds}: {told}");
    }
    let Some(result) = opens(&dir, "simulate -", &log("258804"), 1, 30) else { return };
    let read: Vec<&str> = SPANS.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    assert_eq!(result["spans"], serde_json::json!(read));
}

#[test]
fn a_year_of_jobs_opens_in_a_browser() {
    let Some(path) = data("traces/KTH-SP2-1996-2.1-cln.swf.gz") else { return };
    let dir = Dir::new("page-log");
    dir.write("log.swf.gz", std::fs::read(path).expect("a log"));
    opens(&dir, "simulate log.swf.gz", "", 27_992, 30);
}

#[test]
#[ignore = "long: `just test-long`"]
fn a_page_of_more_than_a_million_jobs_is_left_out_and_it_is_said() {
    let dir = Dir::new("page-left-out");
    let told = dir.good("simulate --jobs 1000001 --scheduler fcfs --out .", "");
    assert!(told.contains("left out: report.html") && !dir.at("report.html").exists());
}

/// One node that is busy until 50 and one that is free, and a job for each.
const TWO_NODES: &str = r#"{"name": "NAME", "horizon": 100, "occupied": [{"node": 1, "start": 0, "end": 50}],
    "nodes": [{"id": 1, "speed": 1, "price": 2}, {"id": 2, "speed": 1, "price": 5}],
    "jobs": [{"id": 1, "request": {"nodes": 1, "work": 50, "price_limit": 2}},
             {"id": 2, "submit": 20, "request": {"nodes": 1, "work": 40}}]}"#;

#[test]
fn characters_stand_where_the_bars_are() {
    let told = here().good("plan -", TWO_NODES);
    let rows: Vec<&str> = told.lines().filter(|line| line.contains('│')).collect();
    let [load, first] = ["░", "A"].map(|sign| sign.repeat(36));
    assert_eq!(rows[0], format!("n1 · speed 1.00 │{load}{first}│  2"));
    let [before, second] = [("·", 14), ("B", 29)].map(|(sign, count)| sign.repeat(count));
    assert_eq!(rows[1], format!("n2 · speed 1.00 │{before}{second}{}│  5", "·".repeat(29)));
}

#[test]
fn no_name_breaks_out_of_a_picture_or_a_page() {
    let dir = Dir::new("names");
    let plan = |name: &str| dir.good("plan - --out .", &TWO_NODES.replace("NAME", name));
    plan("</script><script>alert(1)</script><!--");
    let html = dir.read("report.html");
    assert!(!html.contains("alert(1)</script>") && html.contains("\\u003c/script>"));
    let scripts = include_str!("../../src/draw/page/page.html").matches("<script").count();
    assert_eq!(html.matches("<script").count(), scripts);
    // A namespace is a name, not an address.
    let html = html.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http://", "https://", "src=\"", "@import", "@DATA@"] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn the_front_has_points_and_no_line() {
    let dir = Dir::new("front");
    dir.good("plan --front --out .", "");
    let front = dir.read("front.svg");
    assert!(front.contains("<circle") && !front.contains("stroke-width=\"2\""));
}

/// Two jobs on a machine of 8 CPUs: 2 of them for 150 s, and 4 from 100 s to 300 s.
#[test]
fn a_page_shows_which_cpus_each_job_held() {
    let dir = Dir::new("held");
    let log =
        "1 0 0 150 2 -1 -1 2 150 -1 1 1 1 1 1 -1 -1 -1\n2 100 0 200 4 -1 -1 4 200 -1 1 1 1 1 1 -1 -1 -1\n";
    let page = |words: &str, log: &str| {
        dir.good(&format!("simulate - {words} --out ."), log);
        let html = dir.read("report.html");
        let data = html.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
        serde_json::from_str::<serde_json::Value>(data.expect("data")).expect("JSON")
    };
    let two = page("--cpus 8", log);
    let bars = serde_json::json!([[0, 2], [2, 4], [0.0, 100.0], [150.0, 300.0], [0, 1]]);
    assert_eq!((&two["bars"], two["lanes"].as_array().map(Vec::len)), (&bars, Some(8)));
    assert_eq!((&two["from"], &two["to"]), (&0.0.into(), &300.0.into()));
    // On a large machine a row is several CPUs.
    assert_eq!(page("--cpus 20000", log)["bars"][1], serde_json::json!([1, 2]));
    // A job that takes no time.
    let none = page("", "1 0 0 0 2 -1 -1 2 0 -1 1 1 1 1 1 -1 -1 -1\n");
    assert_eq!(none["bars"][1], serde_json::json!([2]));
}
