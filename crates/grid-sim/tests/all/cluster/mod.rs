//! The local policies on random jobs: against textbook forms, against what each of them promises, and as they are
//! checked for everybody.

mod cases;
mod passes;
mod textbook;

use crate::common::most_busy;
use econsched::testkit;
use grid_sim::{
    Cluster, Ending, JobRecord, LocalJob, LocalPolicy, Overrun, Pass, PolicyKind, Replay, ReplayOptions,
    SimError, replay, replay_stream, replay_within,
};
use proptest::prelude::*;
use sched_model::*;
use textbook::{textbook_conservative, textbook_easy, textbook_fcfs, whole};

/// CPUs, memory, GPUs.
const TOTAL: [u32; 3] = [8, 20, 3];
const CPUS: u32 = TOTAL[0];

fn machine() -> Machine {
    Machine::new(MachineId(0), CPUS, Speed::ETALON, Price::must(3.0)).unwrap()
}

/// A machine whose memory and GPUs are counted.
fn counted() -> Machine {
    machine().with_memory(TOTAL[1]).with_gpus(TOTAL[2])
}

/// Both machines, and what they have.
fn machines() -> [(Machine, [u32; 3]); 2] {
    [(machine(), [CPUS, u32::MAX, u32::MAX]), (counted(), TOTAL)]
}

/// Whole seconds, so that sums are exact. Few CPUs with much memory and the other way round; some jobs take no time,
/// some more than they asked for.
fn jobs(most: usize) -> impl Strategy<Value = Vec<LocalJob>> {
    let amounts = prop_oneof![
        (1..=TOTAL[0], 0..6u32, 0..2u32),
        (1..3u32, 0..=TOTAL[1], 0..2u32),
        (1..5u32, 0..10u32, 0..=TOTAL[2]),
    ];
    prop::collection::vec((0u32..6, amounts, 1u32..20, 0u32..25), 1..most).prop_map(|rows| {
        let mut at = 0;
        let drawn = (0u64..).zip(rows).map(|(id, (gap, (cpus, memory, gpus), requested, actual))| {
            at += gap;
            let span = |seconds: u32| Span::must(f64::from(seconds));
            let job =
                LocalJob::new(JobId(id), Time::must(f64::from(at)), cpus, span(requested), span(actual));
            job.unwrap().with_memory(memory).with_gpus(gpus)
        });
        drawn.collect()
    })
}

fn run(machine: &Machine, kind: PolicyKind, jobs: &[LocalJob]) -> Replay {
    replay(machine, kind.build(), jobs, &ReplayOptions::default().with_log(true)).unwrap()
}

fn starts(run: &Replay) -> Vec<usize> {
    run.records.iter().map(|record| whole(record.start.unwrap().get())).collect()
}

#[test]
fn every_policy_passes_the_checks_of_users() {
    for &kind in PolicyKind::ALL {
        let check = testkit::policy(move || kind.build()).with_promises_kept();
        let check = if kind == PolicyKind::Fcfs { check.with_arrival_order() } else { check };
        check.run(300).unwrap_or_else(|fault| panic!("{kind}: {fault}"));
    }
}

/// Conservative backfilling as a walk over the whole queue in each pass.
#[derive(Debug)]
struct ConservativeWalk;

impl LocalPolicy for ConservativeWalk {
    fn name(&self) -> &str {
        "conservative walk"
    }

    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        let now = pass.now();
        let stands = !pass.freed() && pass.next_promise().is_none_or(|promise| promise > now);
        let come = pass.queue().iter().rev().take_while(|queued| queued.promise.is_none()).count();
        let mut index = if stands { pass.queue().len() - come } else { 0 };
        while index < pass.queue().len() {
            let promise = pass.queue()[index].promise;
            let start = if promise.is_none() || pass.freed() { pass.earliest_anew(index) } else { promise };
            match start {
                Some(start) if start <= now && pass.start(index)? => continue,
                Some(start) if Some(start) != pass.queue()[index].promise => pass.promise(index, start)?,
                _ => {}
            }
            index += 1;
        }
        Ok(())
    }
}

/// Jobs that come faster than they leave, with fractions of seconds if `unit` is not whole.
fn growing(seed: u32, count: u64, widths: u64, lengths: u64, unit: f64) -> Vec<LocalJob> {
    // A multiplicative generator; its low bits are poor.
    let mut state = u64::from(seed) | 1;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as u32
    };
    let mut at = 0;
    let job = |id| {
        at += next(3) / 2;
        let cpus = 1 + next(widths);
        let requested = 1 + next(lengths) * (9 - cpus);
        let actual = if next(4) == 0 { requested } else { next(60) };
        let span = |units: u32| Span::must(f64::from(units) * unit);
        LocalJob::new(JobId(id), Time::must(f64::from(at) * unit), cpus, span(requested), span(actual))
            .unwrap()
    };
    (0..count).map(job).collect()
}

proptest! {
    #[test]
    fn starts_are_the_textbooks(jobs in jobs(60)) {
        for (machine, total) in machines() {
            prop_assert_eq!(starts(&run(&machine, PolicyKind::Easy, &jobs)), textbook_easy(&jobs, total));
            prop_assert_eq!(starts(&run(&machine, PolicyKind::Fcfs, &jobs)), textbook_fcfs(&jobs, total));
        }
    }

    #[test]
    fn conservative_is_the_textbooks(jobs in jobs(25)) {
        // Jobs without any runtime make two passes at one instant, of which the textbook knows nothing.
        let jobs: Vec<LocalJob> = jobs.into_iter().filter(|job| job.actual() > Span::ZERO).collect();
        for (machine, total) in machines() {
            prop_assert_eq!(
                starts(&run(&machine, PolicyKind::Conservative, &jobs)), textbook_conservative(&jobs, total)
            );
        }
    }

    #[test]
    fn what_is_used_is_paid_and_whoever_waits_is_promised_a_start(jobs in jobs(60)) {
        for &kind in PolicyKind::ALL {
            let run = run(&machine(), kind, &jobs);
            let mut used = 0.0;
            for ((record, promise), job) in run.records.iter().zip(&run.promises).zip(&jobs) {
                let (start, takes) = (record.start.unwrap(), job.actual().min(job.requested()));
                used += takes.get() * f64::from(job.cpus());
                prop_assert_eq!(record.end().unwrap(), start + takes);
                prop_assert_eq!(record.ending == Ending::Killed, job.actual() > job.requested());
                prop_assert!(promise.is_none_or(|promise| start <= promise), "{} {:?}", kind, record);
                // Under conservative backfilling each job that waits has been promised a start.
                if kind == PolicyKind::Conservative {
                    prop_assert!(promise.is_some() || start == job.submit());
                }
            }
            prop_assert!(most_busy(SiteId(0), run.records.iter(), std::iter::empty()) <= i64::from(CPUS));
            prop_assert_eq!((run.report.cpu_time.get(), run.report.cost.get()), (used, 3.0 * used));
            prop_assert_eq!(run.report.sites[0].earned, run.report.cost);
        }
    }

    /// A run that was stopped tells what the whole run tells of the time until then.
    #[test]
    fn a_stopped_run_is_the_beginning_of_the_whole(jobs in jobs(60), work in 0u64..400) {
        for kind in PolicyKind::ALL {
            let whole = replay(&machine(), kind.build(), &jobs, &ReplayOptions::default().with_log(true)).unwrap();
            let options = ReplayOptions::default().with_log(true);
            let limit = Limit::default().with_work(work);
            let part = replay_within(&machine(), kind.build(), &jobs, &options, &mut limit.meter()).unwrap();
            prop_assert_eq!(part.stopped.is_none(), part == whole);
            prop_assert!(whole.log.entries().starts_with(part.log.entries()));
            for (part, whole) in part.records.iter().zip(&whole.records) {
                prop_assert!(part == whole || part.ending == Ending::Waiting);
                prop_assert!(part.start.is_none() || part.start == whole.start);
            }
        }
    }

    /// Jobs taken one by one leave as they do when all are held, stopped or not.
    #[test]
    fn a_stream_is_the_list(jobs in jobs(60), work in 0u64..600) {
        for kind in PolicyKind::ALL {
            let limit = Limit::default().with_work(if work < 400 { work } else { u64::MAX });
            let options = ReplayOptions::default();
            let held = replay_within(&machine(), kind.build(), &jobs, &options, &mut limit.meter()).unwrap();
            let mut streamed = Vec::new();
            let all = jobs.iter().copied();
            let hand = |record, promise| streamed.push((record, promise));
            let run = replay_stream(&machine(), kind.build(), Overrun::Kill, all, &mut limit.meter(), hand);
            let run = run.unwrap();
            prop_assert_eq!((run.events, run.stopped), (held.events, held.stopped));
            streamed.sort_by_key(|(record, _)| record.id);
            let held: Vec<(JobRecord, Option<Time>)> = held.records.into_iter().zip(held.promises).collect();
            prop_assert_eq!(streamed, held);
        }
    }

    #[test]
    fn extended_jobs_run_to_their_end(jobs in jobs(60), step in 1u32..9) {
        let options = ReplayOptions::default().with_overrun(Overrun::Extend(Span::must(f64::from(step))));
        for &kind in PolicyKind::ALL {
            let run = replay(&machine(), kind.build(), &jobs, &options).unwrap();
            for (record, job) in run.records.iter().zip(&jobs) {
                prop_assert_eq!(&record.ending, &Ending::Done);
                prop_assert_eq!(record.runtime().unwrap(), job.actual());
            }
            prop_assert!(most_busy(SiteId(0), run.records.iter(), std::iter::empty()) <= i64::from(CPUS));
        }
    }
    /// What is not counted changes nothing.
    #[test]
    fn memory_and_gpus_that_are_not_counted_hold_nobody_back(jobs in jobs(60)) {
        let plain = machine();
        let bare = |job: &LocalJob| LocalJob::new(job.id(), job.submit(), job.cpus(), job.requested(), job.actual()).unwrap();
        let bare: Vec<LocalJob> = jobs.iter().map(bare).collect();
        for kind in PolicyKind::ALL {
            let of = |machine: &Machine, jobs: &[LocalJob]| {
                replay(machine, kind.build(), jobs, &ReplayOptions::default().with_log(true)).unwrap()
            };
            prop_assert_eq!(of(&plain, &jobs), of(&plain, &bare));
            let ample = plain.with_memory(u32::MAX).with_gpus(u32::MAX);
            prop_assert_eq!(of(&ample, &jobs), of(&plain, &bare));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// More jobs wait than the number up to which they are read one by one.
    #[test]
    fn starts_are_the_textbooks_on_long_queues(jobs in prop::collection::vec(jobs(60), 12)) {
        let jobs: Vec<LocalJob> = (0..)
            .zip(jobs.iter().flatten())
            .map(|(id, job)| {
                let now = Time::must((id / 4) as f64);
                let again = LocalJob::new(JobId(id), now, job.cpus(), job.requested(), job.actual()).unwrap();
                again.with_memory(job.amounts().memory).with_gpus(job.amounts().gpus)
            })
            .collect();
        for (machine, total) in machines() {
            prop_assert_eq!(starts(&run(&machine, PolicyKind::Easy, &jobs)), textbook_easy(&jobs, total));
        }
    }

    /// Whole runs are equal: records, first promises, figures, the course.
    #[test]
    fn conservative_is_the_walk_over_the_queue(
        seed in any::<u32>(),
        widths in 1u64..=8,
        lengths in 1u64..40,
        unit in prop::sample::select(vec![1.0, 0.1, 1e-3, 1e15]),
        step in prop::option::of(1u32..9),
    ) {
        let jobs = growing(seed, 250, widths, lengths, unit);
        let mut options = ReplayOptions::default().with_log(true);
        if let Some(step) = step {
            options = options.with_overrun(Overrun::Extend(Span::must(f64::from(step) * unit)));
        }
        let run = replay(&machine(), PolicyKind::Conservative.build(), &jobs, &options).unwrap();
        prop_assert_eq!(run, replay(&machine(), Box::new(ConservativeWalk), &jobs, &options).unwrap());
    }
}

#[test]
fn what_is_larger_than_the_machine_is_refused_by_name() {
    let ten = Span::must(10.0);
    let job = |id| LocalJob::new(JobId(id), Time::ZERO, 1, ten, ten).unwrap();
    let jobs = [job(1).with_memory(21), job(2).with_gpus(4), job(3).with_memory(20).with_gpus(3)];
    let run = run(&counted(), PolicyKind::Easy, &jobs);
    let refused = |what: &str, needed, largest| {
        Ending::Refused(Refusal::TooLarge { what: what.into(), needed, largest })
    };
    assert_eq!(run.records[0].ending, refused("memory", 21, 20));
    assert_eq!(run.records[1].ending, refused("GPUs", 4, 3));
    assert_eq!(
        run.records[1].ending.to_string(),
        "refused: needs 4 of GPUs at once, the largest machine has 3"
    );
    assert_eq!(run.records[2].start, Some(Time::ZERO));
    let mut cluster = Cluster::new(&counted(), PolicyKind::Easy.build(), Time::ZERO);
    let error = cluster.submit(jobs[0]).unwrap_err();
    assert_eq!(error, SimError::TooLarge { job: JobId(1), what: "memory", needed: 21, has: 20 });
}

/// No machine has GPUs that it says it has none of.
#[test]
fn none_is_counted_as_well() {
    let machine = Machine::new(MachineId(0), 8, Speed::ETALON, Price::ZERO).unwrap().with_gpus(0);
    let ten = Span::must(10.0);
    let job = |id| LocalJob::new(JobId(id), Time::ZERO, 1, ten, ten).unwrap();
    for kind in PolicyKind::ALL {
        let jobs = [job(1).with_gpus(1), job(2)];
        let run = replay(&machine, kind.build(), &jobs, &ReplayOptions::default()).unwrap();
        assert!(matches!(run.records[0].ending, Ending::Refused(Refusal::TooLarge { .. })), "{kind}");
        assert_eq!(run.records[1].ending, Ending::Done, "{kind}");
    }
}
