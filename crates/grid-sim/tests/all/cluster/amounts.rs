//! The local policies over CPUs, memory and GPUs at once.

use super::textbook::{
    Limit, actual, add, parts, starts, textbook_conservative, textbook_easy, whole, within,
};
use grid_sim::{Cluster, Ending, LocalJob, PolicyKind, ReplayOptions, SimError, replay};
use proptest::prelude::*;
use sched_model::*;

/// CPUs, memory, GPUs.
const TOTAL: [u32; 3] = [8, 20, 3];

fn machine() -> Machine {
    let machine = Machine::new(MachineId(0), TOTAL[0], Speed::ETALON, Price::must(3.0)).unwrap();
    machine.with_memory(TOTAL[1]).with_gpus(TOTAL[2])
}

/// Whole seconds, so that sums are exact. Few CPUs with much memory and the other way round.
fn jobs(most: usize) -> impl Strategy<Value = Vec<LocalJob>> {
    let amounts = prop_oneof![
        (1..=TOTAL[0], 0..6u32, 0..2u32),
        (1..3u32, 0..=TOTAL[1], 0..2u32),
        (1..5u32, 0..10u32, 0..=TOTAL[2]),
    ];
    let job = (0u32..6, amounts, 1u32..20, 1u32..25);
    prop::collection::vec(job, 1..most).prop_map(|rows| {
        let mut at = 0;
        let jobs =
            rows.into_iter().enumerate().map(|(index, (gap, (cpus, memory, gpus), requested, actual))| {
                at += gap;
                let span = |seconds: u32| Span::must(f64::from(seconds));
                let submit = Time::must(f64::from(at));
                let job =
                    LocalJob::new(JobId(index as u64), submit, cpus, span(requested), span(actual)).unwrap();
                job.with_memory(memory).with_gpus(gpus)
            });
        jobs.collect()
    })
}

proptest! {
    #[test]
    fn easy_is_the_textbooks(jobs in jobs(60)) {
        let run = replay(&machine(), PolicyKind::Easy.build(), &jobs, &ReplayOptions::default()).unwrap();
        prop_assert_eq!(starts(&run), textbook_easy(&jobs, TOTAL));
    }

    #[test]
    fn conservative_is_the_textbooks(jobs in jobs(25)) {
        let run = replay(&machine(), PolicyKind::Conservative.build(), &jobs, &ReplayOptions::default()).unwrap();
        prop_assert_eq!(starts(&run), textbook_conservative(&jobs, TOTAL));
    }

    /// First come, first served: each starts when the one before has, and all that it takes is free.
    #[test]
    fn first_come_first_served_is_the_walk(jobs in jobs(60)) {
        let run = replay(&machine(), PolicyKind::Fcfs.build(), &jobs, &ReplayOptions::default()).unwrap();
        let mut running: Vec<Limit> = Vec::new();
        let mut now = 0;
        for (job, start) in jobs.iter().zip(starts(&run)) {
            now = now.max(whole(job.submit().get()));
            loop {
                let busy = running.iter().filter(|(end, _)| *end > now).fold([0; 3], |all, one| add(all, one.1));
                if within(add(busy, parts(job)), TOTAL) {
                    break;
                }
                now += 1;
            }
            prop_assert_eq!(start, now);
            running.push((now + actual(job), parts(job)));
        }
    }

    /// What is not counted changes nothing.
    #[test]
    fn memory_and_gpus_that_are_not_counted_hold_nobody_back(jobs in jobs(60)) {
        let plain = Machine::new(MachineId(0), TOTAL[0], Speed::ETALON, Price::must(3.0)).unwrap();
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
    fn easy_is_the_textbooks_on_long_queues(jobs in prop::collection::vec(jobs(60), 12)) {
        let jobs: Vec<LocalJob> = (0..)
            .zip(jobs.iter().flatten())
            .map(|(id, job)| {
                let now = Time::must((id / 4) as f64);
                let again = LocalJob::new(JobId(id), now, job.cpus(), job.requested(), job.actual()).unwrap();
                again.with_memory(job.amounts().memory).with_gpus(job.amounts().gpus)
            })
            .collect();
        let run = replay(&machine(), PolicyKind::Easy.build(), &jobs, &ReplayOptions::default()).unwrap();
        prop_assert_eq!(starts(&run), textbook_easy(&jobs, TOTAL));
    }
}

#[test]
fn what_is_larger_than_the_machine_is_refused_by_name() {
    let ten = Span::must(10.0);
    let job = |id| LocalJob::new(JobId(id), Time::ZERO, 1, ten, ten).unwrap();
    let jobs = [job(1).with_memory(21), job(2).with_gpus(4), job(3).with_memory(20).with_gpus(3)];
    let run = replay(&machine(), PolicyKind::Easy.build(), &jobs, &ReplayOptions::default()).unwrap();
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
    let mut cluster = Cluster::new(&machine(), PolicyKind::Easy.build(), Time::ZERO);
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
