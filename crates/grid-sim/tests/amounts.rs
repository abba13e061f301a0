//! The local policies over CPUs, memory and GPUs at once, against textbooks that count each of them by the second.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test stops at the first surprise

use grid_sim::{Cluster, Ending, LocalJob, PolicyKind, Replay, ReplayOptions, SimError, replay};
use proptest::prelude::*;
use sched_model::*;

/// CPUs, memory, GPUs.
const TOTAL: [u32; 3] = [8, 20, 3];

fn machine() -> Machine {
    let machine = Machine::new(MachineId(0), TOTAL[0], Speed::ETALON, Price::must(3.0)).unwrap();
    machine.with_memory(TOTAL[1]).with_gpus(TOTAL[2])
}

fn parts(job: &LocalJob) -> [u32; 3] {
    let Amounts { cpus, memory, gpus } = job.amounts();
    [cpus, memory, gpus]
}

fn within(some: [u32; 3], most: [u32; 3]) -> bool {
    some.iter().zip(most).all(|(some, most)| *some <= most)
}

fn add(all: [u32; 3], one: [u32; 3]) -> [u32; 3] {
    [0, 1, 2].map(|part| all[part] + one[part])
}

fn less(all: [u32; 3], one: [u32; 3]) -> [u32; 3] {
    [0, 1, 2].map(|part| all[part] - one[part])
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

fn whole(span: f64) -> usize {
    span as usize
}

fn requested(job: &LocalJob) -> usize {
    whole(job.requested().get())
}

fn actual(job: &LocalJob) -> usize {
    requested(job).min(whole(job.actual().get()))
}

/// When a job may end at the latest, and what it holds until then.
type Limit = (usize, [u32; 3]);

/// EASY as it is usually told: the shadow time of the head, and what is left beside it then.
fn textbook_easy(jobs: &[LocalJob]) -> Vec<usize> {
    let mut starts = vec![None::<usize>; jobs.len()];
    for now in 0.. {
        let runs = |job: usize, starts: &[Option<usize>]| {
            starts[job].is_some_and(|start| start + actual(&jobs[job]) > now)
        };
        let held: Vec<usize> = (0..jobs.len()).filter(|&job| runs(job, &starts)).collect();
        let mut free = held.iter().fold(TOTAL, |free, &job| less(free, parts(&jobs[job])));
        let mut limits: Vec<Limit> = held
            .iter()
            .map(|&job| (starts[job].unwrap() + requested(&jobs[job]), parts(&jobs[job])))
            .collect();
        let waiting: Vec<usize> = (0..jobs.len())
            .filter(|&job| starts[job].is_none() && whole(jobs[job].submit().get()) <= now)
            .collect();
        let mut beside: Option<(usize, [u32; 3])> = None; // the shadow, and what is left then
        for &job in &waiting {
            let takes = parts(&jobs[job]);
            let end = now + requested(&jobs[job]);
            let Some((shadow, extra)) = &mut beside else {
                if within(takes, free) {
                    starts[job] = Some(now);
                    free = less(free, takes);
                    limits.push((end, takes));
                } else {
                    limits.sort_unstable();
                    let mut shadow = (now, free);
                    for &(until, gives) in &limits {
                        if within(takes, shadow.1) && until > shadow.0 {
                            break;
                        }
                        shadow = (until, add(shadow.1, gives));
                    }
                    beside = Some((shadow.0, less(shadow.1, takes)));
                }
                continue;
            };
            if within(takes, free) && (end <= *shadow || within(takes, *extra)) {
                if end > *shadow {
                    *extra = less(*extra, takes);
                }
                starts[job] = Some(now);
                free = less(free, takes);
            }
        }
        if starts.iter().all(Option::is_some) {
            return starts.into_iter().flatten().collect();
        }
    }
    unreachable!()
}

/// Conservative backfilling on a table of what is held by the second.
fn textbook_conservative(jobs: &[LocalJob]) -> Vec<usize> {
    let mut starts = vec![None::<usize>; jobs.len()];
    let mut promised = vec![None::<usize>; jobs.len()];
    let mut freed = true;
    for now in 0.. {
        let held = |at: usize, starts: &[Option<usize>], promised: &[Option<usize>]| -> [u32; 3] {
            let holds = |job: &usize| {
                let running = starts[*job].is_some_and(|start| {
                    start + actual(&jobs[*job]) > now && start <= at && at < start + requested(&jobs[*job])
                });
                let waits = starts[*job].is_none()
                    && promised[*job].is_some_and(|start| start <= at && at < start + requested(&jobs[*job]));
                running || waits
            };
            (0..jobs.len()).filter(holds).fold([0; 3], |all, job| add(all, parts(&jobs[job])))
        };
        freed |= (0..jobs.len()).any(|job| {
            let ends = starts[job].is_some_and(|start| start + actual(&jobs[job]) == now);
            ends && actual(&jobs[job]) < requested(&jobs[job])
        });
        let replan = std::mem::take(&mut freed);
        for job in 0..jobs.len() {
            if starts[job].is_some() || whole(jobs[job].submit().get()) > now {
                continue;
            }
            if replan || promised[job].is_none() {
                promised[job] = None;
                let fits = |from: &usize| {
                    (*from..from + requested(&jobs[job]))
                        .all(|at| within(add(held(at, &starts, &promised), parts(&jobs[job])), TOTAL))
                };
                promised[job] = (now..).find(fits);
            }
            if promised[job] == Some(now) {
                starts[job] = Some(now);
            }
        }
        if starts.iter().all(Option::is_some) {
            return starts.into_iter().flatten().collect();
        }
    }
    unreachable!()
}

fn starts(run: &Replay) -> Vec<usize> {
    run.records.iter().map(|record| whole(record.start.unwrap().get())).collect()
}

proptest! {
    #[test]
    fn easy_is_the_textbooks(jobs in jobs(60)) {
        let run = replay(&machine(), PolicyKind::Easy.build(), &jobs, &ReplayOptions::default()).unwrap();
        prop_assert_eq!(starts(&run), textbook_easy(&jobs));
    }

    #[test]
    fn conservative_is_the_textbooks(jobs in jobs(25)) {
        let run = replay(&machine(), PolicyKind::Conservative.build(), &jobs, &ReplayOptions::default()).unwrap();
        prop_assert_eq!(starts(&run), textbook_conservative(&jobs));
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

    /// More jobs wait than are looked at one by one.
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
        prop_assert_eq!(starts(&run), textbook_easy(&jobs));
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
