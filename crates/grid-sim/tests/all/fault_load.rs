//! Which jobs faults strike as their shares grow.

use grid_sim::{FaultLoad, GridJob};
use sched_model::{Job, JobId, Machine, MachineId, Price, ResourceRequest, Speed, Work};
use std::collections::BTreeSet;
use workload_gen::sample::stream;

/// The jobs that end early, and those that take longer.
fn struck(early: f64, overrun: f64) -> (BTreeSet<JobId>, BTreeSet<JobId>) {
    let machines = [Machine::new(MachineId(0), 8, Speed::ETALON, Price::must(1.0)).unwrap()];
    let request = ResourceRequest::new(2, Work::must(100.0)).unwrap();
    let mut jobs: Vec<GridJob> = (0..500).map(|id| GridJob::new(Job::new(JobId(id), request))).collect();
    let load = FaultLoad::default().with_early(early).with_overrun(overrun);
    load.draw(&machines, &mut jobs, &mut stream(3, 0)).unwrap();
    let of = |is: fn(f64) -> bool| {
        jobs.iter().filter(|job| is(job.actual_share())).map(|job| job.job.id).collect::<BTreeSet<_>>()
    };
    (of(|share| share < 1.0), of(|share| share > 1.0))
}

#[test]
fn with_a_greater_share_all_are_struck_that_were_before() {
    let before = struck(0.1, 0.2);
    for (early, overrun) in [(0.3, 0.2), (0.1, 0.5), (0.25, 0.75), (0.1, 0.2f64.next_up())] {
        let after = struck(early, overrun);
        assert!(before.0.is_subset(&after.0), "{early} {overrun}");
        assert!((&before.0 | &before.1).is_subset(&(&after.0 | &after.1)), "{early} {overrun}");
    }
    // Some that took longer end early where more do.
    assert!(!before.1.is_subset(&struck(0.3, 0.2).1));
}
