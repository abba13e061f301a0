//! A replay that is stopped between any two events, saved and resumed gives the same results.
#![cfg(feature = "serde")]

use crate::common::local;
use crate::json::read_again;
use econsched::testkit::{Draw, PolicyCase, drawn};
use grid_sim::{JobRecord, LocalJob, Overrun, PolicyKind, Replay, ReplayState, SimError};
use sched_model::*;

/// The jobs that left, the number of events, and what stopped the run.
type Course = (Vec<(JobRecord, Option<Time>)>, u64, Option<End>);

fn machine() -> Machine {
    Machine::new(MachineId(0), 8, Speed::ETALON, Price::must(0.1)).unwrap().with_memory(20)
}

/// In order of arrival; some are too wide for the machine, or need more memory.
fn jobs(draw: &mut Draw) -> Vec<LocalJob> {
    let mut jobs = PolicyCase::draw(draw).jobs;
    jobs.sort_by_key(|job| job.submit);
    jobs.into_iter().map(|job| job.with_memory(draw.below(22) as u32)).collect()
}

/// A replay that is killed after each of these numbers of events: only what was written survives.
fn in_pieces(kind: PolicyKind, overrun: Overrun, jobs: &[LocalJob], limit: &Limit, pieces: &[u64]) -> Course {
    let mut left = Vec::new();
    let mut hand = |record, promise| left.push((record, promise));
    let mut run = Replay::new(&machine(), kind.build()).with_overrun(overrun);
    let from = |taken: u64| jobs.iter().copied().skip(taken as usize);
    let (mut stream, mut meter) = (from(0), limit.meter());
    for &events in pieces {
        if run.advance(events, &mut stream, &mut meter, &mut hand).unwrap().is_some() {
            break;
        }
        let state = read_again(&run.state().unwrap()).unwrap().unwrap();
        run = Replay::resume(&state, kind.build()).unwrap();
        assert_eq!(Some(state.clone()), run.state(), "what is taken up is what was written");
        stream = from(state.taken);
    }
    let end = run.advance(u64::MAX, &mut stream, &mut meter, &mut hand).unwrap().unwrap();
    let events = run.events();
    run.finish(stream, hand);
    (left, events, (end != End::Done).then_some(end))
}

#[test]
fn a_stream_that_is_stopped_anywhere_goes_on_as_it_would_have_and_is_the_list() {
    drawn(150, |draw| {
        let jobs = jobs(draw);
        let pieces: Vec<u64> = (0..draw.below(12)).map(|_| draw.below(25) as u64).collect();
        let overrun = if draw.chance(50) { Overrun::Extend(Span::must(0.7)) } else { Overrun::Kill };
        let work = if draw.chance(50) { u64::MAX } else { draw.below(300) as u64 };
        let limit = Limit::none().with_work(work);
        for &kind in PolicyKind::ALL {
            let [mut whole, resumed] =
                [&[], &pieces[..]].map(|of| in_pieces(kind, overrun, &jobs, &limit, of));
            assert_eq!(resumed, whole, "{kind}");
            // Jobs taken one by one leave as they do when all are held.
            let run = Replay::new(&machine(), kind.build()).with_overrun(overrun);
            let run = run.run(&jobs, &mut limit.meter()).unwrap();
            let mut held: Vec<_> = run.records.into_iter().zip(run.promises).collect();
            for left in [&mut whole.0, &mut held] {
                left.sort_by_key(|(record, _)| record.id);
            }
            assert_eq!(whole, (held, run.events, run.stopped), "{kind}");
        }
    });
}

/// The state after so many events.
fn state(kind: PolicyKind, jobs: &[LocalJob], events: u64) -> serde_json::Value {
    let mut run = Replay::new(&machine(), kind.build());
    run.advance(events, &mut jobs.iter().copied(), &mut Limit::none().meter(), &mut |_, _| {}).unwrap();
    serde_json::to_value(run.state().unwrap()).unwrap()
}

/// A state in which one number has been changed is refused, or leads to an error or an end: nothing panics.
#[test]
fn a_state_that_was_changed_does_no_harm() {
    let jobs: Vec<LocalJob> = (0..12).map(|id| local(id, id as f64, id as u32 % 7 + 1, 9.5, 9.5)).collect();
    for &kind in PolicyKind::ALL {
        let (text, mut refused) = (state(kind, &jobs, 15).to_string(), 0);
        let numbers: Vec<_> = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
        for at in numbers {
            for digit in ["0", "9", "77", "-1", "1e300"] {
                let changed = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
                let resumed = serde_json::from_str::<ReplayState>(&changed).ok().and_then(|state| {
                    let mut run = Replay::resume(&state, kind.build()).ok()?;
                    let taken = usize::try_from(state.taken).unwrap_or(usize::MAX);
                    let limit = Limit::none().with_work(10_000);
                    let mut stream = jobs.iter().copied().skip(taken);
                    run.advance(u64::MAX, &mut stream, &mut limit.meter(), &mut |_, _| {}).ok()
                });
                refused += usize::from(resumed.is_none());
            }
        }
        assert!(refused > 100, "{kind}: {refused}");
    }
}

#[test]
fn a_run_that_failed_has_no_state_and_goes_no_further() {
    let mut twins = [local(1, 0.0, 1, 5.0, 5.0), local(1, 1.0, 1, 5.0, 5.0)].into_iter();
    let mut run = Replay::new(&machine(), PolicyKind::Easy.build());
    let mut meter = Limit::none().meter();
    let mut nobody = |record: JobRecord, _| panic!("{record:?}");
    assert_eq!(run.advance(1, &mut twins, &mut meter, &mut nobody), Ok(None));
    assert!(run.state().is_some());
    let twice = Err(SimError::RepeatedJob { job: JobId(1) });
    assert_eq!(run.advance(u64::MAX, &mut twins, &mut meter, &mut nobody), twice);
    assert_eq!(run.state(), None);
    assert_eq!(run.advance(u64::MAX, &mut twins, &mut meter, &mut nobody), Ok(Some(End::Done)));
    run.finish([], nobody);
}

#[test]
fn a_waiting_job_that_the_machine_cannot_hold_is_not_called_repeated() {
    let text =
        state(PolicyKind::Easy, &[local(1, 0.0, 8, 5.0, 5.0), local(2, 0.0, 7, 5.0, 5.0)], 2).to_string();
    let refused = |changed: &str| {
        let state: ReplayState = serde_json::from_str(&text.replace(r#""cpus":7"#, changed)).unwrap();
        Replay::resume(&state, PolicyKind::Easy.build()).unwrap_err().to_string()
    };
    let beyond = |needed: u32| {
        format!(
            "the CPUs, memory or GPUs of a waiting job must lie in [0, those of the machine], got {needed}"
        )
    };
    assert_eq!(refused(r#""cpus":9"#), beyond(9));
    assert_eq!(refused(r#""cpus":7,"memory":21"#), beyond(21));
}

/// A queue whose counts are not those of its events would give two of them one place, or count beyond what it can.
#[test]
fn counts_of_events_that_contradict_the_queue_are_refused() {
    let state = state(PolicyKind::Easy, &[local(1, 0.0, 1, 5.0, 5.0), local(2, 1.0, 1, 5.0, 5.0)], 3);
    let most = u64::MAX;
    let counts = [("/served", most), ("/served", 2), ("/scheduled", most), ("/scheduled", 0)];
    let places = [("/events/0/0/1", most), ("/now", 9)]; // the number of an event, and a present after it
    for (field, wrong) in counts.into_iter().chain(places) {
        let mut state = state.clone();
        *state["queue"].pointer_mut(field).unwrap() = wrong.into();
        let state: ReplayState = serde_json::from_value(state).unwrap();
        assert!(Replay::resume(&state, PolicyKind::Easy.build()).is_err(), "{field} is {wrong}");
    }
}
