//! The live broker of simulations: moves and preemption as the flags say.

use super::{code, econsched, err, out, scratch};
use serde_json::Value;
use std::fs;

const SITES: &str = r#"[{"id": 0, "name": "a", "machines": [{"id": 0, "cpus": 16, "speed": 1, "price": 2}]},
                        {"id": 1, "name": "b", "machines": [{"id": 0, "cpus": 16, "speed": 1, "price": 3}]}]"#;

/// The figures of 200 generated jobs on two machines of 16 CPUs.
fn figures(dir: &str, more: &[&str]) -> Value {
    let dir = scratch(dir);
    let testbed = dir.join("sites.json").display().to_string();
    fs::write(&testbed, SITES).expect("written");
    let args = [
        "simulate",
        "--scheduler",
        "live",
        "--jobs",
        "200",
        "--cpus",
        "32",
        "--load",
        "3",
        "--json",
        "--no-files",
    ];
    let output = econsched(&[&args[..], &["--testbed", &testbed], more].concat(), "");
    assert_eq!(code(&output), 0, "{more:?}: {}", err(&output));
    let value: Value = serde_json::from_str(&out(&output)).expect("JSON");
    value["runs"][0]["figures"].clone()
}

fn number(figures: &Value, name: &str) -> f64 {
    figures[name].as_f64().unwrap_or_else(|| panic!("{name}: {figures}"))
}

#[test]
fn promises_move_as_far_as_they_may() {
    let with = |more: &[&str]| figures("live-moves", more);
    let never = with(&[]);
    assert_eq!(number(&never, "promises moved earlier"), 0.0);
    let (later, earlier) = ("promises moved later", "promises moved earlier");
    let moved = with(&["--moves", "not-later"]);
    assert!(number(&moved, earlier) > 0.0 && number(&moved, later) == 0.0, "{moved}");
    assert!(number(&moved, "mean wait") < number(&never, "mean wait"), "{moved} {never}");
    // A tax that no move gains, a time that all promises lie in, and no move at all.
    for more in
        [&["--move-tax", "1e9"][..], &["--frozen", "1e8"], &["--max-moves", "0"], &["--move-rate", "0/1"]]
    {
        let none = with(&[&["--moves", "not-later"], more].concat());
        assert_eq!(number(&none, earlier), 0.0, "{more:?}");
    }
    let bounded = with(&["--moves", "not-later", "--move-rate", "1/100000"]);
    assert!(
        number(&bounded, earlier) > 0.0 && number(&bounded, earlier) < number(&moved, earlier),
        "{bounded}"
    );
    for more in [&["--moves", "anywhere"], &["--moves", "600"]] {
        assert!(number(&with(more), earlier) > 0.0, "{more:?}");
    }
}

#[test]
fn urgent_users_stop_others() {
    let users: Vec<String> = (1..=30).map(|user| user.to_string()).collect();
    let urgent = ["--urgent-users", &users.join(",")];
    let first = figures("live-urgent", &urgent);
    assert_eq!(number(&first, "jobs preempted"), 0.0);
    let stopping = figures("live-urgent", &[&urgent[..], &["--preempt-after", "60"]].concat());
    assert!(number(&stopping, "jobs preempted") > 0.0, "{stopping}");
    let patient = ["--preempt-after", "60", "--preempt-delay", "1e7"];
    let patient = figures("live-urgent", &[&urgent[..], &patient].concat());
    assert_eq!(number(&patient, "jobs preempted"), 0.0);
    // What a job did before it was stopped is not paid for, so nothing is said of bounds.
    assert!(number(&first, "cost above its bound, %") >= 0.0);
    for name in ["lower bound of the cost", "cost above its bound, %"] {
        assert!(stopping[name].is_null(), "{stopping}");
    }
}

#[test]
fn flags_without_effect_are_refused() {
    for (args, part) in [
        (&["--scheduler", "easy", "--moves", "never"][..], "--moves: is for the broker live"),
        (&["--scheduler", "live", "--frozen", "5"], "--frozen: without --moves no promise is moved"),
        (&["--scheduler", "live", "--moves", "sometimes"], "--moves sometimes: expected never"),
        (&["--scheduler", "live", "--moves", "-5"], "--moves"),
        (&["--scheduler", "live", "--moves", "anywhere", "--move-rate", "5"], "COUNT/SECONDS"),
        (&["--scheduler", "live", "--preempt-after", "5"], "--urgent-users"),
    ] {
        let output = econsched(&[&["simulate", "--jobs", "5", "--no-files"], args].concat(), "");
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(err(&output).contains(part), "{args:?}: {}", err(&output));
    }
}

#[test]
fn the_study_runs_on_a_log() {
    let dir = scratch("live-study");
    let log = econsched(&["generate", "log", "--jobs", "20", "--seed", "3"], "");
    assert_eq!(code(&log), 0, "{}", err(&log));
    let path = dir.join("made.swf").display().to_string();
    fs::write(&path, out(&log)).expect("written");
    let args = ["study", "live-broker", "--log", &path, "--jobs", "15", "--json"];
    let study = econsched(&args, "");
    assert_eq!(code(&study), 0, "{}", err(&study));
    let report: Value = serde_json::from_str(&out(&study)).expect("JSON");
    let table = &report["tables"][0];
    assert_eq!(table["rows"].as_array().expect("rows").len(), 22, "{table}");
    assert!(
        report["paragraphs"][0].as_str().expect("words").starts_with("15 jobs of a log. 128 CPUs"),
        "{report}"
    );
    let missing = econsched(&["study", "live-broker", "--log", "no-such-file"], "");
    assert_eq!(code(&missing), 2);
    let none = econsched(&["study", "live-broker", "--log", &path, "--jobs", "0"], "");
    assert!(err(&none).contains("'0' for '--jobs <JOBS>'"), "{}", err(&none));
    let empty = dir.join("empty.swf").display().to_string();
    fs::write(&empty, "; MaxProcs: 64\n").expect("written");
    let output = econsched(&["study", "live-broker", "--log", &empty], "");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("empty.swf: no job of the log can be simulated"), "{}", err(&output));
}

#[test]
fn jobs_run_where_their_demands_are_met() {
    let dir = scratch("live-demands");
    let testbed = dir.join("sites.json").display().to_string();
    fs::write(&testbed, SITES).expect("written");
    let file = dir.join("demands.json").display().to_string();
    // Site b alone has the label, at a price of 3; half of the jobs ask for it, and the others are content.
    let jobs: Vec<String> = (1..=200)
        .step_by(2)
        .map(|id| format!(r#"{{"job": {id}, "demands": {{"all_of": ["gpu"]}}}}"#))
        .collect();
    let machine = r#"{"site": 1, "machine": 0, "features": {"labels": ["gpu"]}}"#;
    let write = |machines: &str, jobs: &[String]| {
        let text = format!(r#"{{"machines": [{machines}], "jobs": [{}]}}"#, jobs.join(", "));
        fs::write(&file, text).expect("written");
    };
    write(machine, &jobs);
    let plain = figures("live-demands-plain", &[]);
    let picky = figures("live-demands-picky", &["--demands", &file]);
    // More of the work is done where it is expensive, and a job asks for more CPUs than site b has.
    let price = |figures: &Value| number(figures, "cost") / number(figures, "CPU time");
    assert!(price(&picky) > price(&plain), "{picky} {plain}");
    assert_eq!((number(&plain, "jobs done"), number(&picky, "jobs done")), (200.0, 199.0));
    // If every machine has what is demanded, the results are as without demands.
    write(r#"{"machine": 0, "features": {"labels": ["gpu"]}}"#, &jobs);
    let same = figures("live-demands-all", &["--demands", &file]);
    assert_eq!(number(&same, "mean wait"), number(&plain, "mean wait"));
    for (machines, jobs, message) in [
        (r#"{"machine": 7, "features": {}}"#, &[][..], "machines[0]: no machine 7"),
        (&format!("{machine}, {machine}"), &[], "machines[1]: machine 0 is given twice"),
        (machine, &[jobs[0].clone(), jobs[0].clone()], "jobs[1]: job 1 is given twice"),
        (machine, &[r#"{"job": 777, "demands": {}}"#.to_owned()], "jobs[0]: no job 777"),
    ] {
        write(machines, jobs);
        let args = ["simulate", "--scheduler", "live", "--testbed", &testbed, "--demands", &file];
        let output = econsched(&[&args[..], &["--jobs", "5"]].concat(), "");
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains(message), "{}", err(&output));
    }
    let output = econsched(&["simulate", "--scheduler", "easy", "--demands", &file], "");
    assert!(code(&output) == 2 && err(&output).contains("is for the broker live"), "{}", err(&output));
}
