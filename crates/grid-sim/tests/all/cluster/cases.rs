//! Single cases of the local policies.

use super::{CPUS, machine};
use grid_sim::{
    Ending, LocalJob, LocalPolicy, Overrun, Pass, PolicyKind, ReplayOptions, SimError, easy, replay,
    replay_stream,
};
use sched_model::*;

#[test]
fn a_job_wider_than_the_machine_is_refused_with_the_reason() {
    let ten = Span::must(10.0);
    let job = |id, cpus| LocalJob::new(JobId(id), Time::ZERO, cpus, ten, ten).unwrap();
    let run = easy(&machine(), &[job(1, CPUS + 1), job(2, CPUS)]).unwrap();
    assert_eq!(run.records[0].ending, Ending::Refused(Refusal::TooWide { needed: 9, largest: 8 }));
    assert_eq!(run.records[1].start, Some(Time::ZERO));
    assert!(easy(&machine(), &[job(1, 1), job(1, 1)]).is_err(), "one id twice");
}

/// As in a list, also where the first of the two has long left.
#[test]
fn a_stream_names_an_identifier_that_comes_again() {
    let second = Span::must(1.0);
    let job = |id, at| LocalJob::new(JobId(id), Time::must(at), 1, second, second).unwrap();
    for (again, at) in [(7, 0.5), (7, 100.0), (8, 100.0)] {
        let jobs = [job(7, 0.0), job(8, 0.0), job(9, 50.0), job(again, at)];
        let limit = Limit::without_limit();
        let mut jobs_in_order = jobs.to_vec();
        jobs_in_order.sort_by_key(LocalJob::submit);
        let run = replay_stream(
            &machine(),
            PolicyKind::Easy.build(),
            Overrun::Kill,
            jobs_in_order,
            &mut limit.meter(),
            |_, _| {},
        );
        assert_eq!(run.unwrap_err(), SimError::RepeatedJob { job: JobId(again) });
        assert!(easy(&machine(), &jobs).is_err());
    }
}

#[test]
fn the_log_tells_the_course() {
    let job = |id, at, cpus, requested, actual| {
        let span = Span::must;
        LocalJob::new(JobId(id), Time::must(at), cpus, span(requested), span(actual)).unwrap()
    };
    let jobs = [job(1, 0.0, 8, 5.0, 4.0), job(2, 1.0, 9, 1.0, 1.0), job(3, 2.0, 1, 5.0, 6.0)];
    let run = replay(&machine(), PolicyKind::Easy.build(), &jobs, &ReplayOptions::default().with_log(true))
        .unwrap();
    let lines: Vec<String> = run.log.entries().iter().map(ToString::to_string).collect();
    let expected = [
        "0 site 0 job 1 submitted",
        "0 site 0 job 1 started on 8 CPUs",
        "1 site 0 job 2 submitted",
        "1 site 0 job 2 refused",
        "2 site 0 job 3 submitted",
        "4 site 0 job 1 ended",
        "4 site 0 job 3 started on 1 CPUs",
        "9 site 0 job 3 killed",
    ];
    assert_eq!(lines, expected);
    assert!(easy(&machine(), &jobs).unwrap().log.entries().is_empty());
}

/// The one in front asks for so long that a second is lost behind it, and ends after a second.
#[test]
fn a_job_behind_an_endless_request_runs_when_that_ends_early() {
    let job = |id, requested, actual| {
        LocalJob::new(JobId(id), Time::ZERO, CPUS, Span::must(requested), Span::must(actual)).unwrap()
    };
    for kind in PolicyKind::ALL {
        let jobs = [job(1, 1e17, 1.0), job(2, 2.0, 2.0), job(3, 1.0, 1.0)];
        let run = replay(&machine(), kind.build(), &jobs, &ReplayOptions::default()).unwrap();
        let starts: Vec<_> = run.records.iter().map(|record| record.start.map(Time::get)).collect();
        assert_eq!(starts, [Some(0.0), Some(1.0), Some(3.0)], "{kind}");
        assert!(run.records.iter().all(|record| record.ending == Ending::Done));
        // It really takes that long: a second cannot be told apart any more.
        let jobs = [job(1, 1e17, 1e17), job(2, 2.0, 2.0), job(3, 64.0, 64.0)];
        let run = replay(&machine(), kind.build(), &jobs, &ReplayOptions::default()).unwrap();
        assert!(matches!(run.records[1].ending, Ending::Refused(Refusal::Horizon { .. })), "{kind}");
        assert_eq!(run.records[2].start, Some(Time::must(1e17)), "{kind}");
    }
}

/// Conservative backfilling that puts its promises in order only when a job can start or has come, or a
/// promise is due.
#[derive(Debug, Default)]
struct PutOff {
    owed: bool,
}

impl LocalPolicy for PutOff {
    fn name(&self) -> &str {
        "conservative, put off"
    }

    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        let now = pass.now();
        self.owed |= pass.freed();
        let serves = |index| pass.earliest_anew(index).is_none_or(|start| start <= now);
        let new = pass.queue().iter().any(|queued| queued.promise.is_none());
        let anew = self.owed && (new || (0..pass.queue().len()).any(serves));
        self.owed &= !anew;
        let mut index = 0;
        while index < pass.queue().len() {
            let promise = pass.queue()[index].promise;
            let start = if anew || promise.is_none() { pass.earliest_anew(index) } else { promise };
            match start {
                Some(start) if start <= now && pass.start(index)? => continue,
                Some(start) if Some(start) != promise => pass.promise(index, start)?,
                _ => {}
            }
            index += 1;
        }
        Ok(())
    }
}

/// Two ends at different instants are not one: a job behind takes at the first what one before it would take
/// at both.
#[test]
fn promises_that_are_put_off_give_other_starts() {
    let rows = [(2, 7.0, 5.0), (3, 3.0, 1.0), (1, 6.0, 2.0), (1, 5.0, 5.0), (2, 6.0, 2.0), (2, 2.0, 1.0)];
    let jobs: Vec<LocalJob> = (0..)
        .zip(rows)
        .map(|(id, (cpus, asked, takes))| {
            LocalJob::new(JobId(id), Time::ZERO, cpus, Span::must(asked), Span::must(takes)).unwrap()
        })
        .collect();
    let machine = Machine::new(MachineId(0), 4, Speed::ETALON, Price::ZERO).unwrap();
    let starts = |policy: Box<dyn LocalPolicy>| -> Vec<f64> {
        let run = replay(&machine, policy, &jobs, &ReplayOptions::default()).unwrap();
        run.records.iter().map(|record| record.start.unwrap().get()).collect()
    };
    assert_eq!(starts(PolicyKind::Conservative.build()), [0.0, 6.0, 0.0, 0.0, 7.0, 5.0]);
    assert_eq!(starts(Box::<PutOff>::default()), [0.0, 5.0, 0.0, 0.0, 6.0, 6.0]);
}
