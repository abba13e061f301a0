//! Extreme input: it affects only the job that it belongs to, and takes no unbounded time or memory.

use crate::common::{local as job, machine};
use grid_sim::internal::MOST_JOBS;
use grid_sim::{
    Ending, LocalLoad, LocalPolicy, LogEvent, Overrun, Pass, PolicyKind, Replay, SimError, jobs_of_log,
};
use sched_model::*;
use workload_gen::sample::stream;
use workload_gen::swf::SwfLog;

/// 64 extensions of a second, then one of two, and each twice the one before.
#[test]
fn a_long_job_extended_by_seconds_costs_few_events() {
    let extend = Overrun::Extend(Span::must(1.0));
    for &policy in PolicyKind::ALL {
        let jobs = [job(1, 0.0, 2, 10.0, 1e7), job(2, 5.0, 4, 10.0, 10.0), job(3, 6.0, 1, 3.0, 3.0)];
        let run = Replay::new(&machine(0, 4, 1, 1), policy.build())
            .with_overrun(extend)
            .with_log()
            .run(&jobs, &mut Limit::none().meter())
            .unwrap();
        assert!(run.events < 1_000, "{policy}: {} events", run.events);
        let until = run.log.iter().filter_map(|entry| match entry.what {
            LogEvent::Extended { until, .. } => Some(until.get()),
            _ => None,
        });
        let until: Vec<f64> = until.take(67).collect();
        assert!(until[..64].iter().copied().eq((11..75).map(f64::from)), "{policy}: {until:?}");
        assert_eq!(until[64..], [76.0, 80.0, 88.0], "{policy}");
        assert!(run.records.iter().all(|record| record.ending == Ending::Done), "{policy}");
        assert_eq!(run.records[0].end(), Some(Time::must(1e7)), "{policy}");
        assert_eq!(run.records[1].start, Some(Time::must(1e7)), "{policy}");
    }
}

/// Promises every job its earliest start, and starts only the head.
#[derive(Debug)]
struct BreaksPromises;

impl LocalPolicy for BreaksPromises {
    fn name(&self) -> &str {
        "breaks promises"
    }
    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        while pass.waiting() > 0 && pass.start(0)? {}
        for at in 0..pass.waiting() {
            if let Some(start) = pass.earliest(at) {
                pass.promise(at, start)?;
            }
        }
        Ok(())
    }
}

/// Job 1 takes one of two CPUs until 10. Job 2 is promised 10, job 3 the present, at which it does not start.
#[test]
fn a_policy_that_does_not_start_a_job_when_promised_is_an_error() {
    let jobs = [job(1, 0.0, 1, 10.0, 10.0), job(2, 0.0, 2, 10.0, 10.0), job(3, 0.0, 1, 10.0, 10.0)];
    let mut meter = Limit::default().with_work(1000).meter();
    let run = Replay::new(&machine(0, 2, 1, 1), Box::new(BreaksPromises)).run(&jobs, &mut meter);
    let error = "the local policy placed job 3 at 0: it was promised this start, and no job starts then";
    assert_eq!(run.unwrap_err().to_string(), error);
}

#[test]
fn a_record_out_of_range_is_counted_and_left_out() {
    let record = |id: u64, submit: &str, runtime: &str, cpus: &str| {
        format!("{id} {submit} -1 {runtime} {cpus} -1 -1 {cpus} {runtime} -1 1 1 1 -1 1 -1 -1 -1\n")
    };
    let text = record(1, "0", "10", "1")
        + &record(2, "1e308", "10", "1")
        + &record(3, "1", "1e308", "1")
        + &record(4, "2", "10", "99999999999")
        + &record(5, "3", "10", "2");
    let (log, _) = SwfLog::read(text.as_bytes()).unwrap();
    let made = jobs_of_log(&log.records);
    assert!(made.jobs.iter().map(|job| job.id.0).eq([1, 5]));
    // Some the reader of logs has dropped by itself.
    assert_eq!(made.out_of_range + 5 - log.records.len(), 3);
}

#[test]
fn more_jobs_than_memory_holds_are_an_error_before_memory_is_taken() {
    let load = LocalLoad::default().with_jobs(100_000_000);
    let error = load.draw(4, &mut stream(1, 0)).unwrap_err();
    assert!(matches!(error, SimError::TooMany { most: MOST_JOBS, given: 100_000_000, .. }), "{error}");
}
