//! EASY and conservative backfilling on the KTH-SP2 log. Skipped, with a printed line, where the log is not
//! at hand.
#![allow(clippy::disallowed_types)] // it reports how long it takes

use grid_sim::{Ending, PolicyKind, ReplayOptions, jobs_of_log, replay};
use sched_model::{Machine, MachineId, Price, Speed};
use std::fs::File;
use workload_gen::swf::SwfLog;

fn log() -> Option<SwfLog> {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/traces/KTH-SP2-1996-2.1-cln.swf.gz");
    match File::open(path) {
        Ok(file) => Some(SwfLog::read(file).unwrap().0),
        Err(_) => {
            println!("skipped: {path} is not there");
            None
        }
    }
}

#[test]
fn the_whole_log_runs_and_promises_hold() {
    let Some(log) = log() else { return };
    let machine = Machine::new(MachineId(0), 100, Speed::ETALON, Price::must(1.0)).unwrap();
    let made = jobs_of_log(&log.records).unwrap();
    assert_eq!((made.jobs.len(), made.incomplete), (log.records.len(), 0));
    for &kind in PolicyKind::ALL {
        let begun = std::time::Instant::now();
        let run = replay(&machine, kind.build(), &made.jobs, &ReplayOptions::default()).unwrap();
        let took = begun.elapsed();
        let mut late = 0;
        let mut changes: Vec<(f64, i64)> = Vec::new();
        for ((record, promise), job) in run.records.iter().zip(&run.promises).zip(&made.jobs) {
            let (start, end) = (record.start.expect("every job runs"), record.end().unwrap());
            assert!(start >= record.submit);
            let actual = job.actual().min(job.requested());
            assert_eq!(end, start + actual, "job {}", record.id);
            assert_eq!(record.ending == Ending::Killed, job.actual() > job.requested());
            late += usize::from(promise.is_some_and(|promise| start > promise));
            changes.push((start.get(), i64::from(record.cpus)));
            changes.push((end.get(), -i64::from(record.cpus)));
        }
        assert_eq!(late, 0, "{kind}: starts after the first promise");
        changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut busy = 0;
        for (at, change) in changes {
            busy += change;
            // Jobs without a runtime start and end at one instant; their ends sort first.
            assert!(busy <= 100, "{busy} busy at {at}");
        }
        assert_eq!(busy, 0);
        println!(
            "{kind}: {} jobs, {} promised, wait mean {:.1} s, bounded slowdown mean {:.2}, utilisation {:.4}, {} events in {:.2?}",
            run.report.jobs,
            run.promises.iter().flatten().count(),
            run.report.wait.mean,
            run.report.bounded_slowdown.mean,
            run.report.utilisation,
            run.events,
            took,
        );
    }
}
