//! EASY and conservative backfilling on the KTH-SP2 log. Skipped, with a printed line, where the log is not
//! at hand.

use crate::common::most_busy;
use grid_sim::{Ending, PolicyKind, Replay, jobs_of_log};
use sched_model::{Limit, Machine, MachineId, Price, SiteId, Speed};
use std::fs::File;
use workload_gen::swf::SwfLog;

#[test]
fn the_whole_log_runs_and_promises_hold() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/traces/KTH-SP2-1996-2.1-cln.swf.gz");
    let Ok(file) = File::open(path) else { return println!("skipped: {path} is not there") };
    let log = SwfLog::read(file).unwrap().0;
    let machine = Machine::new(MachineId(0), 100, Speed::ETALON, Price::must(1.0)).unwrap();
    let made = jobs_of_log(&log.records).unwrap();
    assert_eq!((made.jobs.len(), made.incomplete), (log.records.len(), 0));
    for &kind in PolicyKind::ALL {
        let run = Replay::new(&machine, kind.build()).run(&made.jobs, &mut Limit::none().meter()).unwrap();
        let mut late = 0;
        for ((record, promise), job) in run.records.iter().zip(&run.promises).zip(&made.jobs) {
            let (start, end) = (record.start.expect("every job runs"), record.end().unwrap());
            assert!(start >= record.submit);
            let actual = job.actual.min(job.requested);
            assert_eq!(end, start + actual, "job {}", record.id);
            assert_eq!(record.ending == Ending::Killed, job.actual > job.requested);
            late += usize::from(promise.is_some_and(|promise| start > promise));
        }
        assert_eq!(late, 0, "{kind}: starts after the first promise");
        assert_eq!(most_busy(SiteId(0), run.records.iter(), std::iter::empty()), 100, "{kind}");
    }
}
