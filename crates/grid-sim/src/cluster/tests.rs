//! Clusters filled by hand, and what a policy can ask of a pass over them.

use super::profiles::SEARCHES;
use super::*;
use sched_model::{MachineId, Price, Speed};

pub(super) fn t(at: f64) -> Time {
    Time::must(at)
}

pub(super) fn s(span: f64) -> Span {
    Span::must(span)
}

fn machine(cpus: u32) -> Machine {
    Machine::new(MachineId(0), cpus, Speed::ETALON, Price::must(0.0)).unwrap()
}

/// Returns a cluster of this machine with these jobs in its queue.
fn filled(machine: &Machine, jobs: &[LocalJob]) -> Cluster {
    let mut cluster = Cluster::new(machine, Overrun::Kill, Time::ZERO);
    jobs.iter().for_each(|&job| cluster.submit(job).unwrap());
    cluster
}

pub(super) fn cluster(cpus: u32, jobs: &[LocalJob]) -> Cluster {
    filled(&machine(cpus), jobs)
}

pub(super) fn job(id: u64, cpus: u32, requested: f64, actual: f64) -> LocalJob {
    LocalJob::new(JobId(id), Time::ZERO, cpus, s(requested), s(actual)).unwrap()
}

/// Extends or stops a job. Returns whether it was done if it is over, `None` if it was extended.
pub(super) fn over(cluster: &mut Cluster, now: f64, holder: Holder) -> Option<bool> {
    if cluster.extend(t(now), holder).unwrap().is_some() {
        return None;
    }
    Some(cluster.stop(t(now), holder).unwrap().done <= t(now))
}

#[test]
fn reservations_keep_off_promises_and_jobs_keep_off_reservations() {
    let mut cluster = cluster(4, &[job(1, 4, 10.0, 10.0), job(2, 4, 10.0, 10.0)]);
    cluster.pass(t(0.0), &mut PolicyKind::Easy).unwrap();
    assert_eq!(cluster.queue.next_promise(), Some(t(10.0)));
    assert!(cluster.reserve(JobId(9), 1, t(15.0), s(10.0)).is_err());
    cluster.reserve(JobId(9), 1, t(20.0), s(10.0)).unwrap();
    assert!(cluster.reserve(JobId(9), 1, t(40.0), s(10.0)).is_err(), "one reservation a job");
    cluster.submit(job(3, 4, 5.0, 5.0)).unwrap();
    cluster.stop(t(10.0), Holder::Local(JobId(1))).unwrap();
    assert_eq!(cluster.pass(t(10.0), &mut PolicyKind::Easy).unwrap().started[0].first_promise, Some(t(10.0)));
    assert_eq!(cluster.queue.next_promise(), Some(t(30.0)), "after the reservation");
    assert!(cluster.claim(t(10.0), JobId(9), s(1.0)).is_err(), "not before its start");
    cluster.stop(t(20.0), Holder::Local(JobId(2))).unwrap();
    cluster.claim(t(20.0), JobId(9), s(3.0)).unwrap();
    assert_eq!(cluster.due(Holder::Reserved(JobId(9))), Some((t(23.0), true)));
    assert_eq!(over(&mut cluster, 23.0, Holder::Reserved(JobId(9))), Some(true));
    assert_eq!(
        cluster.pass(t(23.0), &mut PolicyKind::Easy).unwrap().started.len(),
        1,
        "the time given back brings the promise forward"
    );
}

/// A policy made of a function.
#[derive(Debug)]
struct By(fn(&mut Pass<'_>) -> Result<(), SimError>);

impl LocalPolicy for By {
    fn name(&self) -> &str {
        "by a function"
    }

    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        (self.0)(pass)
    }
}

/// One CPU, reserved from 20 to 30. A job that could start at once is promised 30. The time before the reservation is
/// free, but the promise stands until CPUs are given back.
#[test]
fn a_promise_stands_until_cpus_are_given_back() {
    let mut policy = By(|pass: &mut Pass<'_>| {
        let now = Some(Time::ZERO);
        assert_eq!(pass.next_unsettled(0), Some((0, now)));
        pass.promise(0, Time::must(30.0))?;
        let found = pass.freed().then_some((0, now));
        assert_eq!(pass.next_unsettled(0), found);
        assert_eq!(pass.earliest(0), now);
        if found.is_some() {
            assert!(pass.start(0)?);
        }
        assert_eq!(pass.next_unsettled(0), None);
        Ok(())
    });
    let mut cluster = cluster(1, &[job(1, 1, 10.0, 10.0)]);
    cluster.reserve(JobId(9), 1, Time::must(20.0), Span::must(10.0)).unwrap();
    assert!(cluster.pass(Time::ZERO, &mut policy).unwrap().started.is_empty());
    cluster.reserve(JobId(8), 1, Time::must(50.0), Span::must(1.0)).unwrap();
    cluster.stop(Time::ZERO, Holder::Reserved(JobId(8))).unwrap();
    assert_eq!(cluster.pass(Time::ZERO, &mut policy).unwrap().started.len(), 1);
    assert_eq!(cluster.profile().to_string(), "0: 0, 10: 1, 20: 0, 30: 1");
}

#[test]
#[should_panic(expected = "no job waits at place 2: places are from 0, and 2 wait")]
fn a_policy_that_starts_a_job_that_does_not_wait_is_told_how_many_do() {
    let mut policy = By(|pass: &mut Pass<'_>| pass.start(2).map(drop));
    let _ = cluster(1, &[job(1, 1, 10.0, 10.0), job(2, 1, 10.0, 10.0)]).pass(Time::ZERO, &mut policy);
}

/// One CPU, reserved from 10 to 15. A job that is promised 20 cannot be promised 5 instead: it then has no promise,
/// and nothing is held for it.
#[test]
fn a_promise_in_time_that_is_taken_leaves_nothing_behind() {
    let mut policy = By(|pass: &mut Pass<'_>| {
        pass.promise(0, t(20.0))?;
        assert!(matches!(pass.promise(0, t(5.0)), Err(SimError::BadPlace { .. })));
        assert_eq!((pass[0].promise, pass.profile().to_string()), (None, "0: 1, 10: 0, 15: 1".into()));
        Ok(())
    });
    let mut cluster = cluster(1, &[job(1, 1, 10.0, 10.0)]);
    cluster.reserve(JobId(9), 1, t(10.0), s(5.0)).unwrap();
    assert!(cluster.pass(Time::ZERO, &mut policy).unwrap().started.is_empty());
}

/// Two of four CPUs are free, and no memory: the job that needs memory is passed over.
#[test]
fn the_next_that_fits_has_all_that_it_needs() {
    let mut policy = By(|pass: &mut Pass<'_>| {
        assert!(pass.start(0)?);
        assert_eq!((pass.next_that_fits(0), pass.next_that_fits(3)), (Some(2), None));
        assert!(!pass.start(0)? && !pass.start(1)? && pass.start(2)?);
        Ok(())
    });
    let (some, none) = (job(1, 2, 10.0, 10.0).with_memory(8), job(2, 1, 5.0, 5.0).with_memory(1));
    let jobs = [some, none, job(3, 3, 5.0, 5.0), job(4, 2, 5.0, 5.0)];
    let started = filled(&machine(4).with_memory(8), &jobs).pass(Time::ZERO, &mut policy).unwrap().started;
    assert!(started.iter().map(|started| started.job.id.0).eq([1, 4]));
}

/// All CPUs are held for the promise of a job, so none is free for another; the job itself may start on them.
#[test]
fn a_job_with_a_promise_may_start_where_no_cpu_is_free() {
    let mut policy = By(|pass: &mut Pass<'_>| {
        assert_eq!(pass.next_that_fits(0), Some(0));
        pass.promise(1, Time::ZERO)?;
        assert_eq!((pass.profile().free_at(Time::ZERO), pass.next_that_fits(0)), (0, None));
        assert!(!pass.start(0)? && pass.start(1)?);
        assert_eq!(pass.next_that_fits(0), None);
        Ok(())
    });
    let mut cluster = cluster(2, &[job(1, 1, 5.0, 5.0), job(2, 2, 10.0, 10.0)]);
    assert_eq!(cluster.pass(Time::ZERO, &mut policy).unwrap().started.len(), 1);
}

/// All jobs take all CPUs. Each pass searches once for each job that has just arrived, and if time was given back,
/// once for each waiting job, however many there are.
#[test]
fn a_conservative_pass_searches_once_for_a_job() {
    let mut cluster = cluster(4, &(0..1000).map(|id| job(id, 4, 10.0, 10.0)).collect::<Vec<_>>());
    let searches = |cluster: &mut Cluster, now: f64| {
        let before = SEARCHES.get();
        let started = cluster.pass(t(now), &mut PolicyKind::Conservative).unwrap().started.len();
        (SEARCHES.get() - before, started)
    };
    assert_eq!(searches(&mut cluster, 0.0), (1000, 1));
    assert_eq!(searches(&mut cluster, 1.0), (0, 0));
    cluster.submit(job(1000, 4, 10.0, 10.0)).unwrap();
    assert_eq!(searches(&mut cluster, 2.0), (1, 0));
    // In time: the promise of the next has come. Early: all that wait may move.
    cluster.stop(t(10.0), Holder::Local(JobId(0))).unwrap();
    assert_eq!(searches(&mut cluster, 10.0), (0, 1));
    cluster.stop(t(15.0), Holder::Local(JobId(1))).unwrap();
    assert_eq!(searches(&mut cluster, 15.0), (999, 1));
}

/// Where a doubled extension would run into a reservation, shorter ones are tried.
#[test]
fn a_doubled_extension_stops_short_of_a_reservation_no_sooner_than_a_single_one() {
    let mut cluster = cluster(1, &[job(1, 1, 10.0, 1e6)]);
    cluster.overrun = Overrun::Extend(s(1.0));
    cluster.pass(Time::ZERO, &mut PolicyKind::Easy).unwrap();
    let reserved = Time::must(5_000.5);
    cluster.reserve(JobId(9), 1, reserved, Span::must(5.0)).unwrap();
    let holder = Holder::Local(JobId(1));
    let killed = (0..400).find_map(|_| {
        let (due, _) = cluster.due(holder).unwrap();
        over(&mut cluster, due.get(), holder).map(|_| due)
    });
    // Less than one extension was left.
    let due = killed.unwrap();
    assert!(due <= reserved && reserved - due < Span::must(1.0), "{due}");
}
