//! Answers that must agree with each other, with the library, and with the files that commands write.

use super::Dir;
use econsched::grid_sim::{PolicyKind, Replay, jobs_of_log};
use econsched::sched_model::{Limit, Machine, MachineId, Price, Speed, Time};
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf::{SwfLog, write};
use econsched::workload_gen::synthetic::LogGenerator;
use std::fs;

/// A log that is not in order of submission, with jobs that are too wide, a record that is no job, and a line
/// that is no record.
fn odd_log() -> String {
    let mut text = Vec::new();
    let model = LogGenerator::default().with_jobs(600);
    let log = model.generate(&mut stream(9, 0)).expect("a log");
    write(&mut text, &log.header, &log.records).expect("a log");
    let text = String::from_utf8(text).expect("text");
    let (comments, records): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(';'));
    let mut lines = comments;
    lines.extend(records.chunks(7).flat_map(|chunk| chunk.iter().rev()));
    lines.extend(["701 9000 0 60 129 -1 -1 129 600 -1 1 5 1 -1 1 -1 -1 -1", "nothing"]);
    lines.extend(["702 9000 0 60 400 -1 -1 400 600 -1 1 5 1 -1 1 -1 -1 -1"]);
    lines.extend(["703 -1 0 60 4 -1 -1 4 600 -1 1 5 1 -1 1 -1 -1 -1"]);
    lines.join("\n") + "\n"
}

/// The program keeps the jobs of a queue in short and takes them one by one; `Replay::run` keeps whole records.
#[test]
fn the_figures_of_a_queue_are_those_of_the_library() {
    let text = odd_log();
    let (log, _) = SwfLog::read(text.as_bytes()).expect("a log");
    let made = jobs_of_log(&log.records);
    assert_eq!((made.jobs.len(), made.incomplete), (602, 1));
    let machine = Machine::new(MachineId(0), 128, Speed::ETALON, Price::must(1.0)).expect("a machine");
    let dir = Dir::new("queues");
    for policy in PolicyKind::ALL {
        let replay = Replay::new(&machine, policy.build());
        let expected = replay.run(&made.jobs, &mut Limit::none().meter()).expect("a run");
        let told = &dir.json(&format!("simulate - --scheduler {policy} --out {policy}"), &text)["runs"][0];
        assert_eq!(told["report"], serde_json::to_value(&expected.report).expect("JSON"), "{policy}");
        assert_eq!(told["events"].as_u64(), Some(expected.events), "{policy}");
        let rows = dir.rows(&format!("{policy}/jobs.csv"));
        assert_eq!(rows.len(), expected.records.len());
        for (row, record) in rows.iter().zip(&expected.records) {
            let shown = |time: Option<Time>| time.map_or(String::new(), |time| time.to_string());
            let (start, end) = (shown(record.start), shown(record.end()));
            let expected =
                [record.id.to_string(), start, end, record.cost().to_string(), record.ending.to_string()];
            let cells = ["job", "start", "end", "cost", "ending"].map(|name| row[name].clone());
            assert_eq!(cells, expected, "{policy}");
        }
    }
}

#[test]
#[ignore = "long: `just test-long`"]
fn the_file_of_a_study_holds_its_claims() {
    let dir = Dir::new("verdicts");
    dir.good("study yadav --out .", "");
    let kept = fs::read_to_string("../../docs/record/verdicts-yadav.csv").expect("a record");
    assert_eq!(format!("# econsched study yadav\n{}", dir.read("verdicts.csv")), kept);
}
