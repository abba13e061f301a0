//! Single cases of the local policies.

use super::{machine, run};
use crate::common::local;
use grid_sim::{PolicyKind, Replay, SimError, easy};
use sched_model::*;

/// As in a list, also where the first of the two has long left.
#[test]
fn a_stream_names_an_identifier_that_comes_again() {
    let job = |id, at| local(id, at, 1, 1.0, 1.0);
    for (again, at) in [(7, 0.5), (7, 100.0), (8, 100.0)] {
        let jobs = [job(7, 0.0), job(8, 0.0), job(9, 50.0), job(again, at)];
        let mut in_order = jobs.to_vec();
        in_order.sort_by_key(|job| job.submit);
        let (mut in_order, mut meter) = (in_order.into_iter(), Limit::none().meter());
        let mut run = Replay::new(&machine(), PolicyKind::Easy.build());
        let end = run.advance(u64::MAX, &mut in_order, &mut meter, &mut |_, _| {});
        assert_eq!(end.unwrap_err(), SimError::RepeatedJob { job: JobId(again) });
        assert!(easy(&machine(), &jobs).is_err());
    }
}

#[test]
fn the_log_tells_the_course() {
    let jobs = [local(1, 0.0, 8, 5.0, 4.0), local(2, 1.0, 9, 1.0, 1.0), local(3, 2.0, 1, 5.0, 6.0)];
    let log = run(&machine(), PolicyKind::Easy, &jobs).log;
    let lines: Vec<String> = log.iter().map(ToString::to_string).collect();
    let expected = [
        "0 site 0 job 1 submitted",
        "0 site 0 job 1 started on 8 CPUs",
        "1 site 0 job 2 submitted",
        "1 site 0 job 2 refused",
        "2 site 0 job 3 submitted",
        "4 site 0 job 1 ended",
        "4 site 0 job 3 started on 1 CPU",
        "9 site 0 job 3 killed",
    ];
    assert_eq!(lines, expected);
    assert!(easy(&machine(), &jobs).unwrap().log.is_empty());
}
