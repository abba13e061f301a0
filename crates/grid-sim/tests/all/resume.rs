//! A replay that is stopped between any two events, saved and resumed gives the same results.
#![cfg(feature = "serde")]

use grid_sim::{JobRecord, LocalJob, Overrun, PolicyKind, ReplayRun, ReplayState, SimError};
use proptest::prelude::*;
use sched_model::*;

type LeftJobs = Vec<(JobRecord, Option<Time>)>;

fn machine() -> Machine {
    Machine::new(MachineId(0), 8, Speed::ETALON, Price::must(0.1)).unwrap().with_memory(20)
}

/// Times in tenths, some wider than the machine, some that exceed what they request.
fn jobs() -> impl Strategy<Value = Vec<LocalJob>> {
    prop::collection::vec((0u32..30, 1u32..10, 1u32..60, 0u32..90, 0u32..22), 1..60).prop_map(|drawn| {
        let mut at = 0.0;
        let job = |(id, (gap, cpus, requested, actual, memory)): (u64, (u32, u32, u32, u32, u32))| {
            at += f64::from(gap) / 10.0;
            let (requested, actual) = (f64::from(requested) / 10.0, f64::from(actual) / 10.0);
            let job = LocalJob::new(
                JobId(7 * id % 61),
                Time::must(at),
                cpus,
                Span::must(requested),
                Span::must(actual),
            );
            job.unwrap().with_memory(memory)
        };
        (0..).zip(drawn).map(job).collect()
    })
}

fn whole(
    kind: PolicyKind,
    overrun: Overrun,
    jobs: &[LocalJob],
    limit: &Limit,
) -> (LeftJobs, u64, Option<End>) {
    let mut left = LeftJobs::new();
    let hand = |record, promise| left.push((record, promise));
    let all = jobs.iter().copied();
    let done =
        grid_sim::replay_stream(&machine(), kind.build(), overrun, all, &mut limit.meter(), hand).unwrap();
    (left, done.events, done.stopped)
}

/// The same, killed after each of these numbers of events: only what was written survives.
fn in_pieces(
    kind: PolicyKind,
    overrun: Overrun,
    jobs: &[LocalJob],
    limit: &Limit,
    pieces: &[u64],
) -> (LeftJobs, u64, Option<End>) {
    let mut left = LeftJobs::new();
    let mut hand = |record, promise| left.push((record, promise));
    let mut run = ReplayRun::new(&machine(), kind.build(), overrun, jobs[0].submit());
    let from = |taken: u64| jobs.iter().copied().skip(taken as usize);
    let (mut stream, mut meter) = (from(0), limit.meter());
    for &events in pieces {
        if run.advance(events, &mut stream, &mut meter, &mut hand).unwrap().is_some() {
            break;
        }
        let text = serde_json::to_string(&run.state().unwrap()).unwrap();
        let state: ReplayState = serde_json::from_str(&text).unwrap();
        assert_eq!(Some(&state), run.state().as_ref());
        assert_eq!(serde_json::to_string(&state).unwrap(), text);
        run = ReplayRun::resume(&state, kind.build()).unwrap();
        assert_eq!(Some(state.clone()), run.state(), "what is taken up is what was written");
        stream = from(state.taken());
    }
    let end = run.advance(u64::MAX, &mut stream, &mut meter, &mut hand).unwrap().unwrap();
    let events = run.events();
    run.finish(stream, hand);
    (left, events, (end != End::Done).then_some(end))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn a_replay_that_is_stopped_anywhere_goes_on_as_it_would_have(
        jobs in jobs(),
        pieces in prop::collection::vec(0u64..25, 0..12),
        extends in any::<bool>(),
        work in prop_oneof![Just(u64::MAX), 0u64..300],
    ) {
        let overrun = if extends { Overrun::Extend(Span::must(0.7)) } else { Overrun::Kill };
        let limit = Limit::without_limit().with_work(work);
        for &kind in PolicyKind::ALL {
            let expected = whole(kind, overrun, &jobs, &limit);
            prop_assert_eq!(in_pieces(kind, overrun, &jobs, &limit, &pieces), expected, "{}", kind);
        }
    }
}

/// A state in which one number has been changed is refused, or leads to an error or an end: nothing panics.
#[test]
fn a_state_that_was_changed_does_no_harm() {
    let job = |id: u64, cpus, requested: f64| {
        let requested = Span::must(requested);
        LocalJob::new(JobId(id), Time::must(id as f64), cpus, requested, requested).unwrap()
    };
    let jobs: Vec<LocalJob> = (0..12).map(|id| job(id, id as u32 % 7 + 1, 9.5)).collect();
    for &kind in PolicyKind::ALL {
        let mut run = ReplayRun::new(&machine(), kind.build(), Overrun::Kill, Time::ZERO);
        let mut stream = jobs.iter().copied();
        run.advance(15, &mut stream, &mut Limit::without_limit().meter(), &mut |_, _| {}).unwrap();
        let text = serde_json::to_string(&run.state().unwrap()).unwrap();
        let mut refused = 0;
        let numbers: Vec<_> = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
        for at in numbers {
            for digit in ["0", "9", "77", "-1", "1e300"] {
                let changed = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
                let outcome =
                    serde_json::from_str::<ReplayState>(&changed).map_err(|_| ()).and_then(|state| {
                        let mut run = ReplayRun::resume(&state, kind.build()).map_err(|_| ())?;
                        let mut stream =
                            jobs.iter().copied().skip(usize::try_from(state.taken()).unwrap_or(usize::MAX));
                        let limit = Limit::without_limit().with_work(10_000);
                        let end = run.advance(u64::MAX, &mut stream, &mut limit.meter(), &mut |_, _| {});
                        end.map(drop).map_err(|_: SimError| ())
                    });
                refused += usize::from(outcome.is_err());
            }
        }
        assert!(refused > 100, "{kind}: {refused}");
    }
}
