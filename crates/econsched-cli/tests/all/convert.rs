//! Logs of other formats, in and out.

use super::{Dir, End};
use econsched::grid_sim::Ending;
use econsched::sched_model::Refusal;
use econsched::workload_gen::convert::Format;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

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
    let dir = Dir::new("evalys");
    dir.good("simulate --jobs 60 --cpus 32 --out .", "");
    dir.good("convert jobs.csv --from csv --cpus 32 --to evalys --out evalys.csv", "");
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
    dir.write("draw.py", script);
    let drawn = dir.sh(&format!("{python} draw.py evalys.csv gantt.png"));
    assert!(drawn.code == 0, "{}", drawn.err);
    let rows = dir.rows("jobs.csv");
    let number = |text: &String| text.parse::<f64>().expect("a number");
    let time: f64 = rows.iter().map(|row| number(&row["end"]) - number(&row["start"])).sum();
    assert_eq!(drawn.out.trim(), format!("{} {} True", rows.len(), time));
    assert!(dir.bytes("gantt.png").len() > 1000);
}

/// Each ending that a simulation writes is read.
#[test]
fn endings_of_simulated_jobs_are_read() {
    let refused = Ending::Refused(Refusal::NoCapacity);
    for ending in [
        Ending::Done,
        Ending::Killed,
        Ending::MachineFailed,
        Ending::LinkFailed,
        Ending::UserLinkFailed,
        Ending::OwnerGone,
        Ending::Cancelled,
        Ending::Waiting,
        refused,
    ] {
        let read = Format::Csv(&[]).read(&format!("job,submit,ending\n1,0,\"{ending}\"")).expect("a table");
        assert!(read.log.records.len() == 1 && read.report.dropped.is_empty(), "{ending}: {}", read.report);
    }
}

/// The plan of the queue of a Slurm whose programs print these lines.
fn planned(dir: &Dir, queue: &str, nodes: &str) -> End {
    for (name, text) in [("squeue", queue), ("sinfo", nodes)] {
        // The formats are ours, whatever the environment says.
        let environment = "env | grep -q '^SQUEUE_FORMAT\\|^SINFO_FORMAT' && exit 7";
        dir.write(name, format!("#!/bin/sh\n{environment}\ncat << 'END'\n{text}END\n"));
        fs::set_permissions(dir.at(name), fs::Permissions::from_mode(0o755)).expect("may run");
    }
    dir.sh("SQUEUE_FORMAT=%i econsched plan --slurm --json --price-limit 2")
}

#[test]
fn the_queue_of_a_slurm_is_planned() {
    let dir = Dir::new("fake-slurm");
    let queue = "JOBID|SUBMIT_TIME|START_TIME|TIME|TIME_LIMIT|CPUS|STATE|USER|GROUP|PARTITION\n\
        1|2024-05-01T08:00:00|2024-05-01T09:00:00|1:00:00|100000-00:00:00|2|RUNNING|anna|lab|main\n\
        2|2024-05-01T08:00:00|N/A|0:00|10:00|2|PENDING|anna|lab|main\n\
        3|2024-05-01T08:00:00|2024-05-01T08:10:00|10:00|20:00|2|COMPLETED|anna|lab|main\n\
        4|2024-05-01T08:05:00|N/A|0:00|5:00|3|PENDING|bert|lab|main\n";
    let nodes = "NODELIST|CPUS|MEMORY|STATE|PARTITION\nn1|4|100|mixed|main*\nn2|1|100|idle|main*\n\
        n3|64|100|down*|main*\n";
    let end = planned(&dir, queue, nodes);
    assert_eq!(end.code, 0, "{}", end.err);
    let made: serde_json::Value = serde_json::from_str(&end.out).expect("JSON");
    let jobs = made["jobs"].as_array().expect("jobs").iter();
    assert_eq!(jobs.map(|job| job["job"]["id"].as_u64()).collect::<Vec<_>>(), [Some(2), Some(4)]);
    // Five CPUs are up and two are held for years: one job after the other.
    assert_eq!(made["total_runtime"], 600.0 + 300.0, "{made}");
    assert!(made["notes"].to_string().contains("n3 is down"), "{made}");

    let end = planned(&dir, queue, "NODELIST|CPUS|STATE\nn3|64|down*\n");
    assert!(end.code == 2 && end.err.contains("no CPU is up"), "{}", end.err);
}

/// Nodes 1 and 2 are of n1, 3 and 4 of n2, 5 to 8 of b1, 9 to 26 of h1.
const NODES: &str = "NODELIST|CPUS|MEMORY|STATE|PARTITION\nn1|2|100|mixed|main*\nn2|2|100|mixed|main*\n\
    n2|2|100|mixed|big\nb1|4|8192|idle|big\nb2|4|8192|down|big\nh1|18|58|idle|half\n";

/// The notes on the plan of these rows of a queue on [`NODES`]; and of each job how many CPUs it takes, when
/// after now it starts, and on which.
fn on_nodes(name: &str, rows: &str) -> (String, Vec<(u64, f64, Vec<u64>)>) {
    let heads =
        "JOBID|SUBMIT_TIME|START_TIME|TIME|TIME_LIMIT|CPUS|STATE|PARTITION|TRES_ALLOC|MIN_MEMORY|NODELIST|\n";
    let end = planned(&Dir::new(name), &format!("{heads}{rows}"), NODES);
    let made: serde_json::Value = serde_json::from_str(&end.out).expect("JSON");
    let placed = |job: &serde_json::Value| {
        let window = &job["fate"]["placed"];
        let nodes = window["placements"].as_array().into_iter().flatten();
        let nodes = nodes.map(|one| one["node"].as_u64().expect("a node")).collect();
        let from = made["from"].as_f64().expect("an instant");
        let start = window["start"].as_f64().map_or(f64::NAN, |start| start - from);
        (job["job"]["request"]["nodes"].as_u64().expect("a count"), start, nodes)
    };
    (made["notes"].to_string(), made["jobs"].as_array().expect("jobs").iter().map(placed).collect())
}

#[test]
fn running_jobs_hold_cpus_of_their_own_nodes() {
    let (_, jobs) = on_nodes(
        "slurm-running",
        "1|2024-05-01T11:00:00|2024-05-01T11:00:10|0:00|100000-00:00:00|2|RUNNING|main|cpu=2,mem=120M,node=2|60M|n[1-2]|\n\
         2|2024-05-01T11:00:00|2024-05-01T11:00:10|0:00|100000-00:00:00|1|RUNNING|big|cpu=1,mem=5G,node=1|5G|b1|\n\
         3|2024-05-01T11:01:00|N/A|0:00|10:00|1|PENDING|main|cpu=1,node=1|0||\n\
         4|2024-05-01T11:01:00|N/A|0:00|10:00|1|PENDING|big|cpu=1,node=1|0||\n",
    );
    // 60 of 100 MB on both nodes are the memory of two CPUs each; 5 of 8 GB that of three.
    assert!(jobs[0].1 > 1e9, "{jobs:?}");
    assert_eq!(jobs[1], (1, 0.0, vec![8]));
}

#[test]
fn partitions_and_memory_are_demanded_of_nodes() {
    let (notes, jobs) = on_nodes(
        "slurm-demands",
        "1|2024-05-01T11:00:00|N/A|0:00|10:00|1|PENDING|big|cpu=1,mem=3G,node=1|3G||\n\
         2|2024-05-01T11:00:00|N/A|0:00|10:00|2|PENDING|main,big|cpu=2,mem=100M,node=1|50M||\n\
         3|2024-05-01T11:00:00|N/A|0:00|10:00|1|PENDING|gone|cpu=1,node=1|0||\n\
         4|2024-05-01T11:00:00|N/A|0:00|10:00|1|PENDING|main|cpu=1,mem=70M,node=1|70M||\n\
         5|2024-05-01T11:00:00|N/A|0:00|10:00|7|PENDING|half|cpu=7,mem=29M,node=1|29M||\n",
    );
    // 3 GB are the memory of two CPUs of b1; 29 MB that of nine of h1, but seven rounded sevenths of it are more.
    assert_eq!(jobs.iter().map(|job| job.0).collect::<Vec<_>>(), [2, 2, 1, 2, 10]);
    let within = |job: usize, nodes: std::ops::RangeInclusive<u64>| {
        jobs[job].2.iter().all(|node| nodes.contains(node))
    };
    assert!(within(0, 5..=8) && within(1, 1..=8) && within(3, 1..=4), "{jobs:?}");
    assert_eq!([0, 1, 2, 3, 4].map(|job| jobs[job].2.len()), [2, 2, 0, 2, 10]);
    assert!(
        notes.contains("left out: b2 is down")
            && notes.contains("hold more CPUs than they ask for, for their memory: 3"),
        "{notes}"
    );
}
