//! Logs, brokers and failing grids, as the program runs them.

use super::{KTH, code, data, econsched, err, out, scratch};
use econsched::grid_sim::{PolicyKind, jobs_of_log, replay};
use econsched::sched_model::{Machine, MachineId, Price, Speed, Time};
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf::SwfLog;
use econsched::workload_gen::synthetic::LogGenerator;
use std::fs;

#[test]
fn a_log_is_planned_at_any_instant() {
    let Some(path) = data(KTH) else { return };
    // The log lasts some 29.4 million seconds; the ends and what lies beyond them are instants too.
    let searches = ["alp", "amp", "min-cost", "min-finish", "first-fit"];
    for step in 0..40u32 {
        let at = (f64::from(step) * 760_000.0 - 400_000.0).to_string();
        let search = searches[step as usize % searches.len()];
        let output = econsched(
            &["plan", &path, "--at", &at, "--search", search, "--price-limit", "2", "--no-files"],
            "",
        );
        assert_eq!(code(&output), 0, "at {at} by {search}: {}", err(&output));
        assert!(!out(&output).contains("violation"), "at {at}: {}", out(&output));
    }
}

#[test]
fn a_log_runs_through_the_queue_of_its_machine() {
    let Some(path) = data(KTH) else { return };
    let dir = scratch("easy");
    let output = econsched(&["simulate", &path, "--out", &dir.display().to_string()], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let jobs = fs::read_to_string(dir.join("jobs.csv")).expect("jobs");
    assert_eq!(jobs.lines().count(), 1 + 27_992);
    assert!(fs::read_to_string(dir.join("utilisation.svg")).expect("a chart").contains("% busy from"));
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
        let args = ["simulate", "-", "--scheduler", policy.name(), "--json", "--out", &place];
        let output = econsched(&args, &text);
        assert_eq!(code(&output), 0, "{}", err(&output));
        let given: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
        let given = &given["runs"][0];
        let report = serde_json::to_string(&run.report).expect("JSON");
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(given["report"], report, "{policy}");
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
fn brokers_serve_a_grid() {
    let dir = scratch("broker");
    let testbed = dir.join("sites.json");
    let sites = r#"[{"id": 0, "name": "north", "machines": [{"id": 0, "cpus": 8, "speed": 1, "price": 2}]},
                    {"id": 1, "name": "south", "machines": [{"id": 0, "cpus": 16, "speed": 2, "price": 3}]}]"#;
    fs::write(&testbed, sites).expect("written");
    let log =
        "1 0 0 100 4 -1 -1 4 200 -1 1 3 1 -1 1 -1 -1 -1\n2 10 0 50 16 -1 -1 16 60 -1 1 4 1 -1 1 -1 -1 -1\n";
    for scheduler in ["min-ctt", "max-ctt", "greedy", "two-phase", "live"] {
        let args =
            ["simulate", "-", "--scheduler", scheduler, "--testbed", &testbed.display().to_string(), "--out"];
        let output = econsched(&[&args[..], &[&dir.display().to_string()]].concat(), log);
        assert_eq!(code(&output), 0, "{scheduler}: {}", err(&output));
        assert!(out(&output).contains("jobs done"), "{}", out(&output));
        // Two jobs that hardly meet: the first ends at 100 of the work of 200 at the earliest, on the fast
        // site.
        let output = econsched(&[&args[..6], &["--no-files", "--json"]].concat(), log);
        let json: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
        let figures = &json["runs"][0]["figures"];
        for what in ["cost", "makespan"] {
            let figure = |name: String| figures[&name].as_f64().unwrap_or_else(|| panic!("{name}: {json}"));
            assert!(figure(format!("lower bound of the {what}")) > 0.0, "{scheduler}");
            assert!(figure(format!("{what} above its bound, %")) >= 0.0, "{scheduler} {what}");
        }
        let jobs = fs::read_to_string(dir.join("jobs.csv")).expect("jobs");
        // The wide job fits on the second site alone; the live broker takes CPUs of both, sooner.
        let sites = if scheduler == "live" { "" } else { ",1" };
        assert!(
            jobs.lines().any(|row| row.starts_with("1,2,4,16,") && row.contains(&format!("{sites},done"))),
            "{jobs}"
        );
    }
    for criterion in ["min-time", "min-cost", "max-income"] {
        let args = ["simulate", "-", "--scheduler", "two-phase", "--criterion", criterion, "--no-files"];
        let output = econsched(&args, log);
        assert_eq!(code(&output), 0, "{criterion}: {}", err(&output));
    }
    for (criterion, goal) in [
        ("min-cost", "makespan"),
        ("min-time", "mean-finish"),
        ("max-income", "T,C"),
        ("min-time", "C=1,D=0.5,T=2,I=1"),
    ] {
        let args = ["simulate", "-", "--scheduler", "two-phase", "--criterion", criterion, "--goal", goal];
        let output = econsched(&[&args[..], &["--no-files"]].concat(), log);
        assert_eq!(code(&output), 0, "{goal}: {}", err(&output));
    }
    for goal in ["mean-finish", "X", "T,T", "C=-1"] {
        let output =
            econsched(&["simulate", "-", "--scheduler", "two-phase", "--goal", goal, "--no-files"], log);
        assert_eq!(code(&output), 2, "{goal}");
        assert!(err(&output).contains("--goal"), "{}", err(&output));
    }
    let args = [
        "simulate",
        "--workload",
        "louc",
        "--scheduler",
        "min-ctt",
        "--jobs",
        "40",
        "--seeds",
        "3",
        "--no-files",
    ];
    let output = econsched(&args, "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(out(&output).contains("95% +-"), "{}", out(&output));
    // Local jobs are in the way: the broker's jobs are the same, their waits are not.
    let wait = |local: &str| {
        let output = econsched(&[&args[..], &["--local-jobs", local]].concat(), "");
        assert_eq!(code(&output), 0, "{}", err(&output));
        let text = out(&output);
        let line = |name: &str| text.lines().find(|line| line.contains(name)).map(str::to_owned);
        (line(" jobs "), line("mean wait"))
    };
    let (jobs, alone) = wait("0");
    let (same_jobs, beside_others) = wait("100");
    assert!(jobs.is_some() && alone.is_some());
    assert_eq!(jobs, same_jobs);
    assert_ne!(alone, beside_others);
}

/// The brokers that plan windows take every workload, with faults of every kind and local jobs.
#[test]
fn every_workload_runs_under_the_brokers_of_windows() {
    let faults = ["--mtbf", "4000", "--mttr", "200", "--cancel", "0.2", "--early", "0.3", "--overrun", "0.2"];
    let dir = scratch("all-workloads");
    let log = dir.join("made.swf").display().to_string();
    let made = econsched(&["generate", "log", "--jobs", "40", "--cpus", "16", "--out", &log], "");
    assert_eq!(code(&made), 0, "{}", err(&made));
    for scheduler in ["two-phase", "live"] {
        let workloads =
            [&["--workload", "hiuc", "--jobs", "40"][..], &["--cpus", "16", "--jobs", "40"], &[&*log]];
        for (workload, extends) in workloads.into_iter().flat_map(|of| [(of, false), (of, true)]) {
            let more = if extends { &["--extend", "5"][..] } else { &[] };
            let run = |local: &str| {
                let all = ["--scheduler", scheduler, "--local-jobs", local];
                let args = [&["simulate"][..], workload, &all, &faults, more, &["--json", "--no-files"]];
                let output = econsched(&args.concat(), "");
                assert_eq!(code(&output), 0, "{scheduler} {workload:?}: {}", err(&output));
                let json: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
                json["runs"][0]["report"].clone()
            };
            let (alone, beside_others) = (run("0"), run("60"));
            assert_eq!(alone["jobs"], beside_others["jobs"]);
            assert_ne!(alone["wait"], beside_others["wait"], "{scheduler} {workload:?}");
        }
    }
}

/// CPUs that fail, jobs that end early, take longer and are given up: for each broker, drawn from the seed
/// alone.
#[test]
fn faults_come_by_flags() {
    for scheduler in ["two-phase", "live", "greedy"] {
        let run = |flags: &[&str]| {
            let args = ["simulate", "--workload", "hiuc", "--scheduler", scheduler, "--jobs", "60", "--json"];
            let output = econsched(&[&args[..], &["--no-files"], flags].concat(), "");
            assert_eq!(code(&output), 0, "{scheduler} {flags:?}: {}", err(&output));
            let json: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
            json["runs"][0]["report"].clone()
        };
        let ended = |report: &serde_json::Value, how: &str| report["endings"][how].as_u64().unwrap_or(0);
        let calm = run(&[]);
        assert_eq!((ended(&calm, "cancelled"), ended(&calm, "killed")), (0, 0), "{calm}");
        let given_up = run(&["--cancel", "0.5", "--cancel-within", "10"]);
        assert!(ended(&given_up, "cancelled") > 10, "{scheduler}: {given_up}");
        let longer = run(&["--overrun", "0.4"]);
        assert!(ended(&longer, "killed") > 5, "{scheduler}: {longer}");
        let extended = run(&["--overrun", "0.4", "--extend", "5"]);
        assert!(ended(&extended, "killed") < ended(&longer, "killed"), "{scheduler}: {extended}");
        let early = run(&["--early", "0.6"]);
        assert_ne!(early["cpu_time"], calm["cpu_time"], "{scheduler}");
        let fails = ["--mtbf", "3000", "--mttr", "200"];
        let failing = run(&fails);
        assert_ne!(failing["wait"], calm["wait"], "{scheduler}");
        assert_eq!(failing, run(&fails), "{scheduler}: drawn from the seed");
        assert_ne!(failing, run(&["--mtbf", "3000", "--mttr", "200", "--unannounced", "--seed", "2"]));
    }
    for (scheduler, flags, why) in [
        ("easy", &["--mtbf", "5"][..], "is for brokers"),
        ("live", &["--mttr", "5"], "--mtbf"),
        ("live", &["--early", "1.5"], "[0, 1]"),
        ("two-phase", &["--early", "0.7", "--overrun", "0.7"], "end early or take longer"),
        ("two-phase", &["--mtbf", "0"], "mean"),
        ("two-phase", &["--mtbf", "1e-9", "--mttr", "1e-9"], "outages"),
    ] {
        let args = ["simulate", "--jobs", "20", "--no-files", "--scheduler", scheduler];
        let output = econsched(&[&args[..], flags].concat(), "");
        assert_eq!(code(&output), 2, "{scheduler} {flags:?}: {}", out(&output));
        assert!(err(&output).contains(why), "{scheduler} {flags:?}: {}", err(&output));
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
    assert_eq!(first.lines().count(), 1 + 200);
    let file = |name: &str| dir.join("first").join(name).display().to_string();
    let (grid, users, jobs) =
        (file("grid_properties.txt"), file("user_properties.txt"), file("job_properties"));
    assert_eq!(run("again", &["--grid", &grid, "--users", &users, "--job-properties", &jobs]), first);
    let calm = run("calm", &["--grid", "G3", "--users", "users2", "--no-failures"]);
    assert!(first.contains(" failed") && !calm.contains(" failed"), "{calm}");

    let broken = dir.join("broken.txt");
    fs::write(&broken, fs::read_to_string(&grid).expect("a grid").replace("=64,", "=wide,"))
        .expect("written");
    let output = econsched(&["multi-s-grid", "--grid", &broken.display().to_string()], "");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("broken.txt:2: minimum_resource_bandwidth must be"), "{}", err(&output));
    for flags in [["--fp", "-1"], ["--gap", "-1"], ["--seeds", "0"], ["--grid", "G4"]] {
        let output = econsched(&[&["multi-s-grid", "--no-files"], &flags[..]].concat(), "");
        assert_eq!(code(&output), 2, "{flags:?}: {}", out(&output));
        assert!(!err(&output).is_empty());
    }
}
