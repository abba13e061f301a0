//! Logs of other formats, in and out.

use super::{code, econsched, err, out, refused, scratch};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// A file of the library's tests.
fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../workload-gen/tests/data/slurm").join(name);
    path.display().to_string()
}

/// A log with one blank between the fields of a line.
fn plain(log: &str) -> String {
    let lines = log.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.fold(String::from("\n"), |text, line| text + &line + "\n")
}

#[test]
fn logs_of_slurm_become_logs_with_a_report_of_what_was_lost() {
    let output = econsched(&["convert", &fixture("sacct.txt"), "--from", "sacct"], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    for part in [
        "6 records, 2 lines skipped by the rules of the format; 2 lines and 3 values dropped:",
        "  1 x column 2 (Submit): not what is expected",
        "line 11: 3 cells where there are 13 columns; line dropped",
    ] {
        assert!(err(&output).contains(part), "{part}: {}", err(&output));
    }
    let log = out(&output);
    assert!(
        log.contains("; UnixStartTime: 1714550400") && plain(&log).contains("\n100 0 60 120 16 "),
        "{log}"
    );
    // What is written is a log that is simulated.
    let output = econsched(&["simulate", "-", "--no-files"], &log);
    assert_eq!(code(&output), 0, "{}", err(&output));

    // As JSON, too.
    let (queue, nodes) = (fixture("squeue-24.05.json"), fixture("sinfo-24.05.json"));
    let squeue = econsched(&["convert", &queue, "--from", "squeue", "--sinfo", &nodes], "");
    assert_eq!((code(&squeue), err(&squeue)), (0, String::new()));
    assert!(out(&squeue).contains("; MaxProcs: 4") && plain(&out(&squeue)).contains("\n9 33 -1 -1 -1 "));
    let unknown = fs::read_to_string(&queue).expect("a fixture").replace("v0.0.4", "v0.1.4");
    refused("convert - --from squeue", &unknown, &["<stdin>: meta.plugin: written by plugin"]);
}

#[test]
fn tables_of_clouds_and_of_ones_own() {
    let dir = scratch("convert");
    let losses = dir.join("losses.json").display().to_string();
    let azure = "x,sub,dep,0,2591700,99.4,3.4,10.1,Delay-insensitive,4,32\nbroken\n";
    let alibaba = "M1,2.0,j_1,1,Terminated,87076,87098,50,0.6\n";
    let google = r#"{"time":"700000000","type":"0","collection_id":"7","instance_index":"0","resource_request":{"cpus":0.5}}"#;
    let csv = "nr;when;cores;took\n1;5;2;10\n2;6;3;20\n";
    for (args, input, line) in [
        (vec!["azure"], azure, "1 0 0 2591700 4 "),
        (vec!["alibaba2018"], alibaba, "1 87076 -1 22 1 "),
        (vec!["google2019", "--cpus", "16"], google, "1 700 -1 -1 8 "),
        (
            vec!["csv", "--columns", "nr=job,when=submit,cores=processors,took=runtime"],
            csv,
            "2 6 -1 20 -1 -1 -1 3 ",
        ),
    ] {
        let args = [&["convert", "-", "--losses", &losses, "--from"], args.as_slice()].concat();
        let output = econsched(&args, input);
        assert_eq!(code(&output), 0, "{args:?}: {}", err(&output));
        assert!(plain(&out(&output)).contains(&format!("\n{line}")), "{}", out(&output));
        let lost: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&losses).expect("losses")).expect("JSON");
        assert_eq!(lost["lost_lines"], usize::from(args.contains(&"azure")), "{lost}");
    }
    let log = "; MaxProcs: 8\n1 0 -1 -1 4 -1 -1 4 200 -1 -1 3 1 -1 1 -1 -1 -1\n";
    let output = econsched(&["convert", "-", "--from", "swf", "--to", "evalys"], log);
    assert_eq!((code(&output), out(&output)), (1, String::new()), "{}", err(&output));
    assert!(err(&output).contains("no job of the log ran"), "{}", err(&output));
}

#[test]
fn batsim_and_scenarios_hold_the_same_jobs() {
    let log = out(&econsched(&["generate", "log", "--jobs", "40", "--cpus", "32"], ""));
    let batsim = econsched(&["convert", "-", "--from", "swf", "--to", "batsim"], &log);
    assert_eq!(code(&batsim), 0, "{}", err(&batsim));
    let again = econsched(&["convert", "-", "--from", "batsim"], &out(&batsim));
    let figures = |log: &str| {
        let rows = log.lines().filter(|line| !line.starts_with(';'));
        let cells = |row: &str| row.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        rows.map(cells).map(|cells| [0, 1, 3, 7, 8].map(|at| cells[at].clone())).collect::<Vec<_>>()
    };
    assert_eq!(figures(&out(&again)), figures(&log));
    let dir = scratch("platform");
    let platform = dir.join("platform.xml").display().to_string();
    let made = econsched(&["convert", "-", "--from", "swf", "--to", "platform", "--out", &platform], &log);
    assert_eq!(code(&made), 0, "{}", err(&made));
    let sized = econsched(&["convert", "-", "--from", "batsim", "--platform", &platform], &out(&batsim));
    assert!(out(&sized).starts_with("; MaxProcs: 32\n"), "{}", out(&sized));
    let args = ["convert", "-", "--from", "swf", "--to", "scenario", "--at", "20000", "--jobs", "5"];
    let scenario = econsched(&args, &log);
    assert_eq!(code(&scenario), 0, "{}", err(&scenario));
    let planned = |args: &[&str], input: &str| {
        let output = econsched(&[&["plan", "-", "--no-files", "--json"], args].concat(), input);
        let plan: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
        (plan["total_cost"].clone(), plan["total_runtime"].clone())
    };
    assert_eq!(planned(&["--at", "20000", "--jobs", "5"], &log), planned(&[], &out(&scenario)));
}

/// Python with a package that it can import; `None`, said aloud, where there is none. `ECONSCHED_PYTHON`
/// names another than the one of the path.
pub(crate) fn python_with(package: &str) -> Option<String> {
    let python = std::env::var("ECONSCHED_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python).args(["-c", &format!("import {package}")]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    println!(
        "skipped: no {python} that imports {package}; `pip install {package}`, and ECONSCHED_PYTHON names its Python"
    );
    None
}

#[test]
fn evalys_reads_and_draws_what_is_simulated() {
    let Some(python) = python_with("evalys") else { return };
    let dir = scratch("evalys");
    let place = dir.display().to_string();
    let output = econsched(&["simulate", "--jobs", "60", "--cpus", "32", "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let script = "\
import sys
import matplotlib
matplotlib.use('Agg')
from evalys.jobset import JobSet
jobs = JobSet.from_csv(sys.argv[1])
print(len(jobs.df), int(jobs.df.execution_time.sum()), max(max(r) for r in jobs.df.allocated_resources) < 32)
jobs.gantt()
matplotlib.pyplot.savefig(sys.argv[2])
";
    let chart = dir.join("gantt.png");
    let csv = dir.join("evalys.csv");
    let drawn = Command::new(python).args(["-c", script]).args([&csv, &chart]).output().expect("Python runs");
    assert!(drawn.status.success(), "{}", err(&drawn));
    let jobs = fs::read_to_string(dir.join("jobs.csv")).expect("jobs");
    let mut reader = csv::Reader::from_reader(jobs.as_bytes());
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    let held = |row: &std::collections::BTreeMap<String, String>| {
        row["end"].parse::<f64>().expect("an end") - row["start"].parse::<f64>().expect("a start")
    };
    let time: f64 = rows.iter().map(held).sum();
    assert_eq!(out(&drawn).trim(), format!("{} {} True", rows.len(), time));
    assert!(fs::metadata(chart).expect("a picture").len() > 1000);
}

/// Programs that print what Slurm's would.
fn fake_slurm(dir: &Path, queue: &str, nodes: &str) {
    for (name, text) in [("squeue", queue), ("sinfo", nodes)] {
        let place = dir.join(name);
        // The formats are ours, whatever the environment says.
        let script = format!(
            "#!/bin/sh\nenv | grep -q '^SQUEUE_FORMAT\\|^SINFO_FORMAT' && exit 7\ncat << 'END'\n{text}END\n"
        );
        fs::write(&place, script).expect("a program");
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("may run");
    }
}

#[test]
fn the_queue_of_a_slurm_is_planned() {
    let dir = scratch("fake-slurm");
    let queue = "JOBID|SUBMIT_TIME|START_TIME|TIME|TIME_LIMIT|CPUS|STATE|USER|GROUP|PARTITION\n\
        1|2024-05-01T08:00:00|2024-05-01T09:00:00|1:00:00|1000-00:00:00|2|RUNNING|anna|lab|main\n\
        2|2024-05-01T08:00:00|N/A|0:00|10:00|2|PENDING|anna|lab|main\n\
        3|2024-05-01T08:00:00|2024-05-01T08:10:00|10:00|20:00|2|COMPLETED|anna|lab|main\n\
        4|2024-05-01T08:05:00|N/A|0:00|5:00|3|PENDING|bert|lab|main\n";
    let nodes = "NODELIST|CPUS|MEMORY|STATE|PARTITION\nn1|4|100|mixed|main*\nn2|1|100|idle|main*\nn3|64|100|down*|main*\n";
    fake_slurm(&dir, queue, nodes);
    let plan = |dir: &Path| {
        let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap_or_default());
        Command::new(env!("CARGO_BIN_EXE_econsched"))
            .args(["plan", "--slurm", "--no-files", "--json", "--price-limit", "2"])
            .env("PATH", path)
            .env("SQUEUE_FORMAT", "%i")
            .output()
            .expect("it runs")
    };
    let output = plan(&dir);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let plan_made: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    let jobs = plan_made["jobs"].as_array().expect("jobs");
    assert_eq!(jobs.iter().map(|job| job["job"]["id"].as_u64().expect("an id")).collect::<Vec<_>>(), [2, 4]);
    // Five CPUs are up and two are held for years: one job after the other.
    let runtime = plan_made["total_runtime"].as_f64().expect("a number");
    assert_eq!(runtime, 600.0 + 300.0, "{plan_made}");
    let notes = plan_made["notes"].to_string();
    assert!(notes.contains("n3 is down"), "{notes}");

    fake_slurm(&dir, queue, "NODELIST|CPUS|STATE\nn3|64|down*\n");
    let output = plan(&dir);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("no CPU is up"), "{}", err(&output));
}
