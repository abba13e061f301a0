//! Answers that a reader can check by hand, and those that must agree with each other.

use super::{code, econsched, err, json, out, refused, scratch};
use econsched::grid_sim::{PolicyKind, jobs_of_log, replay};
use econsched::sched_model::{Machine, MachineId, Price, Speed, Time};
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf::SwfLog;
use econsched::workload_gen::synthetic::LogGenerator;
use serde_json::Value;
use std::fs;

#[test]
fn a_window_and_an_assignment_are_those_found_by_hand() {
    let slots = r#"{"slots": [{"node": 1, "speed": 1, "price": 2, "start": 0, "end": 90},
        {"node": 2, "speed": 2, "price": 5, "start": 20, "end": 90}],
        "request": {"nodes": 2, "work": 60, "budget": 270}}"#;
    // Both nodes from 20 on: 60 at 2 and 30 at 5.
    let table = econsched(&["window", "-"], slots);
    assert!(out(&table).contains("start 20, finish 80, runtime 60, cost 270"), "{}", out(&table));
    let output = econsched(&["window", "-"], &slots.replace("270", "269"));
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("costs 1 more than the budget"), "{}", err(&output));
    // A request with demands of its own, on slots with features.
    let slots = r#"{"slots": {"features": [{"nodes": [2], "features": {"labels": ["gpu"]}}],
        "slots": [{"node": 1, "speed": 1, "price": 1, "start": 0, "end": 90},
                  {"node": 2, "speed": 1, "price": 1, "start": 10, "end": 90}]},
        "request": {"nodes": 1, "work": 20}, "demands": {"all_of": ["gpu"]}}"#;
    assert_eq!(json(&["window", "-"], slots)["start"], 10.0);
    let output = econsched(&["window", "-"], &slots.replace("of\": [\"gpu", "of\": [\"tpu"));
    assert!(err(&output).contains("needs 1 node with tpu, only 0 such"), "{}", err(&output));

    // 1 + 2 + 2 + 3 on two resources that hold two each, as a flow problem.
    let flow = "p min 6 8\nn 1 1\nn 2 1\nn 3 1\nn 4 1\nn 5 -2\nn 6 -2\n\
                a 1 5 0 1 1\na 1 6 0 1 9\na 2 5 0 1 2\na 2 6 0 1 9\na 3 5 0 1 9\na 3 6 0 1 2\na 4 5 0 1 9\na 4 6 0 1 3\n";
    let output = econsched(&["assign", "-"], flow);
    assert!(out(&output).contains("total 8"), "{} {}", out(&output), err(&output));
    let output = econsched(&["assign", "-"], "names,a,b\nx,1,\ny,2,\nz,5,1\n");
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("jobs: x, y"), "{}", err(&output));
}

/// A log that is not in order of submission, with jobs that are too wide, a record that is no job, and a line
/// that is no record.
fn odd_log() -> String {
    let mut text = Vec::new();
    let model = LogGenerator::default().with_jobs(600);
    model.generate(&mut stream(9, 0)).and_then(|log| log.write(&mut text)).expect("a log");
    let text = String::from_utf8(text).expect("text");
    let (comments, records): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(';'));
    let mut lines = comments;
    lines.extend(records.chunks(7).flat_map(|chunk| chunk.iter().rev()));
    lines.extend(["701 9000 0 60 129 -1 -1 129 600 -1 1 5 1 -1 1 -1 -1 -1", "nothing"]);
    lines.extend(["702 9000 0 60 400 -1 -1 400 600 -1 1 5 1 -1 1 -1 -1 -1"]);
    lines.extend(["703 -1 0 60 4 -1 -1 4 600 -1 1 5 1 -1 1 -1 -1 -1"]);
    lines.join("\n") + "\n"
}

/// The program keeps the jobs of a queue in short and takes them one by one; `replay` keeps whole records.
#[test]
fn the_figures_of_a_queue_are_those_of_the_library() {
    let text = odd_log();
    let (log, _) = SwfLog::read(text.as_bytes()).expect("a log");
    let made = jobs_of_log(&log.records).expect("jobs");
    assert_eq!((made.jobs.len(), made.incomplete), (602, 1));
    let machine = Machine::new(MachineId(0), 128, Speed::ETALON, Price::must(1.0)).expect("a machine");
    for policy in PolicyKind::ALL {
        let run = replay(&machine, policy.build(), &made.jobs, &Default::default()).expect("a run");
        let dir = scratch(&format!("queue of {policy}"));
        let place = dir.display().to_string();
        let given = json(&["simulate", "-", "--scheduler", policy.name(), "--out", &place], &text);
        let given = &given["runs"][0];
        assert_eq!(given["report"], serde_json::to_value(&run.report).expect("JSON"), "{policy}");
        assert_eq!(given["events"].as_u64(), Some(run.events), "{policy}");
        let rows = fs::read_to_string(dir.join("jobs.csv")).expect("jobs");
        let rows: Vec<Vec<&str>> = rows.lines().skip(1).map(|row| row.splitn(14, ',').collect()).collect();
        assert_eq!(rows.len(), run.records.len());
        for (row, record) in rows.iter().zip(&run.records) {
            let shown = |time: Option<Time>| time.map_or(String::new(), |time| time.to_string());
            let expected =
                [record.id.to_string(), shown(record.start), shown(record.end()), record.cost().to_string()];
            assert_eq!(
                [row[1], row[6], row[7], row[11]],
                expected.each_ref().map(String::as_str),
                "{policy}"
            );
            assert_eq!(row[13].trim_matches('"'), record.ending.to_string());
        }
    }
}

#[test]
fn a_failing_grid_runs_from_the_property_files_that_it_wrote() {
    let dir = scratch("multi-s-grid");
    let run = |name: &str, flags: &[&str]| {
        let out_dir = dir.join(name).display().to_string();
        let args = [&["multi-s-grid", "--jobs", "200", "--sp", "1", "--out", &out_dir], flags].concat();
        let output = econsched(&args, "");
        assert_eq!(code(&output), 0, "{}", err(&output));
        fs::read_to_string(dir.join(name).join("jobs.csv")).expect("jobs")
    };
    let first = run("first", &["--grid", "G3", "--users", "users2"]);
    assert!(first.lines().count() == 1 + 200 && first.contains(" failed"));
    let file = |name: &str| dir.join("first").join(name).display().to_string();
    let (grid, users, jobs) =
        (file("grid_properties.txt"), file("user_properties.txt"), file("job_properties"));
    assert_eq!(run("again", &["--grid", &grid, "--users", &users, "--job-properties", &jobs]), first);
    let broken = dir.join("broken.txt");
    fs::write(&broken, fs::read_to_string(&grid).expect("a grid").replace("=64,", "=wide,"))
        .expect("written");
    let words = format!("multi-s-grid --grid {}", broken.display());
    refused(&words, "", &["broken.txt:2: minimum_resource_bandwidth must be"]);
}

#[test]
fn parameters_come_from_a_file() {
    let path = scratch("params").join("p.json");
    fs::write(&path, "{\"count\": {\"start\": 4, \"end\": 4}, \"speed\": {\"start\": 2.0, \"end\": 2.0}}")
        .expect("written");
    let output = econsched(&["generate", "slots", "--params", &path.display().to_string()], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let made: Value = serde_json::from_str(&out(&output)).expect("JSON");
    let slots = made["slots"].as_array().expect("slots");
    assert!(slots.len() == 4 && slots.iter().all(|slot| slot["speed"] == 2.0), "{made}");
}

/// Job grouping under the text's own words: one CPU, 10 s, an overhead of 10 s.
#[test]
fn the_reading_of_a_study_is_in_its_command_and_in_its_tables() {
    let words =
        "study yadav --max-rounds 90 --seeds 2 --cpus 1 --granularity 10 --overhead 10 --lengths 160,240";
    let told = json(&words.split(' ').collect::<Vec<_>>(), "");
    let text = told["paragraphs"][0].as_str().expect("text");
    assert!(text.contains("1 CPUs") && text.contains("U[160, 240]"), "{text}");
    let table = told["tables"].as_array().expect("tables").iter().find(|table| table["name"] == "table2");
    let table = table.expect("a table");
    let at = table["columns"].as_array().expect("columns").iter().position(|name| name == "time");
    let time = table["rows"][0][at.expect("a column")].as_str().expect("a cell").parse::<f64>();
    // Each dispatch takes 10 s more: 25 of them 250 s.
    assert!(time.expect("a time") > 250.0, "{table}");
}

#[test]
fn verdicts_of_some_studies_need_the_files_of_the_others() {
    refused("study verdicts --only yadav", "", &["--out"]);
    let words = format!("study verdicts --only yadav --out {}", scratch("verdicts-only").display());
    refused(&words, "", &["verdicts-iccs2011.csv"]);
}
