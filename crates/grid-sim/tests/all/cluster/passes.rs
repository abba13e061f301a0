//! What a policy can ask of a pass, on clusters that are filled by hand.

use crate::common::{local, machine};
use grid_sim::{Cluster, LocalJob, LocalPolicy, Pass, PolicyKind, SimError};
use sched_model::*;

fn cluster(cpus: u32, policy: Box<dyn LocalPolicy>) -> Cluster {
    Cluster::new(&machine(0, cpus, 1, 0), policy, Time::ZERO)
}

fn job(id: u64, cpus: u32, span: f64) -> LocalJob {
    local(id, 0.0, cpus, span, span)
}

/// A policy made of a function.
struct By<F>(F);

impl<F> std::fmt::Debug for By<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("By")
    }
}

impl<F: FnMut(&mut Pass<'_>) -> Result<(), SimError> + Send + Sync> LocalPolicy for By<F> {
    fn name(&self) -> &str {
        "by a function"
    }

    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        (self.0)(pass)
    }
}

/// One CPU, reserved from 20 to 30. A job that could start at once is promised 30: it is still found, since
/// the time before the reservation is free.
#[test]
fn a_job_that_is_promised_a_later_start_than_it_could_have_is_found_again() {
    let policy = By(|pass: &mut Pass<'_>| {
        let now = Some(Time::ZERO);
        assert_eq!(pass.next_better(0), Some((0, now)));
        pass.promise(0, Time::must(30.0))?;
        assert_eq!(pass.next_better(0), Some((0, now)));
        pass.promise(0, Time::must(40.0))?;
        assert_eq!(pass.next_better(0), Some((0, now)));
        assert_eq!((pass.earliest_anew(0), pass.earliest(0)), (now, now));
        assert!(pass.start(0)?);
        assert_eq!(pass.next_better(0), None);
        Ok(())
    });
    let mut cluster = cluster(1, Box::new(policy));
    cluster.reserve(JobId(9), 1, Time::must(20.0), Span::must(10.0)).unwrap();
    cluster.submit(job(1, 1, 10.0)).unwrap();
    assert_eq!(cluster.pass(Time::ZERO).unwrap().len(), 1);
    assert_eq!(cluster.profile().to_string(), "0: 0, 10: 1, 20: 0, 30: 1");
}

/// At 10^17 a second is lost: the third job, which would fit beside the promise of the second, is refused, and
/// the pass goes on to the fourth.
#[test]
fn a_job_that_cannot_be_timed_is_passed_over() {
    let late = Time::must(1e17);
    let mut cluster = cluster(2, PolicyKind::Easy.build());
    for job in [job(1, 1, 1e17), job(2, 2, 1e17), job(3, 1, 1.0), job(4, 1, 1e16)] {
        cluster.submit(job).unwrap();
    }
    let started: Vec<u64> = cluster.pass(late).unwrap().iter().map(|started| started.job.id().0).collect();
    assert_eq!(started, [1, 4]);
    let refused: Vec<u64> = cluster.take_refused().iter().map(|job| job.id().0).collect();
    assert_eq!(refused, [3]);
    assert_eq!(cluster.next_promise(), Some(Time::must(2e17)));
}

/// Two of four CPUs are free, and no memory: the job that needs memory is passed over.
#[test]
fn the_next_that_fits_has_all_that_it_needs() {
    let policy = By(|pass: &mut Pass<'_>| {
        assert!(pass.start(0)?);
        assert_eq!((pass.next_that_fits(0), pass.next_that_fits(3)), (Some(2), None));
        let places = [2, 3, 4, 5, 1].map(|id| pass.position(JobId(id)));
        assert_eq!(places, [Some(0), Some(1), Some(2), None, None]);
        assert!(!pass.start(0)? && !pass.start(1)? && pass.start(2)?);
        Ok(())
    });
    let mut cluster = Cluster::new(&machine(0, 4, 1, 0).with_memory(8), Box::new(policy), Time::ZERO);
    for job in [job(1, 2, 10.0).with_memory(8), job(2, 1, 5.0).with_memory(1), job(3, 3, 5.0), job(4, 2, 5.0)]
    {
        cluster.submit(job).unwrap();
    }
    let started: Vec<u64> = cluster.pass(Time::ZERO).unwrap().iter().map(|s| s.job.id().0).collect();
    assert_eq!(started, [1, 4]);
}

/// All CPUs are held for its promise, so none is free; with them it may start.
#[test]
fn a_job_with_a_promise_may_start_where_no_cpu_is_free() {
    let policy = By(|pass: &mut Pass<'_>| {
        assert_eq!(pass.next_that_fits(0), Some(0));
        pass.promise(1, Time::ZERO)?;
        assert_eq!((pass.profile().free_at(Time::ZERO), pass.next_that_fits(0)), (0, Some(1)));
        assert!(!pass.start(0)? && pass.start(1)?);
        assert_eq!(pass.next_that_fits(0), None);
        Ok(())
    });
    let mut cluster = cluster(2, Box::new(policy));
    for job in [job(1, 1, 5.0), job(2, 2, 10.0)] {
        cluster.submit(job).unwrap();
    }
    assert_eq!(cluster.pass(Time::ZERO).unwrap().len(), 1);
}
