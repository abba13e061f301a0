//! The local policies on random jobs: against a textbook EASY, and against what each of them promises.

mod amounts;
mod cases;
mod passes;
mod textbook;

use grid_sim::{
    Ending, JobRecord, LocalJob, LocalPolicy, Overrun, Pass, PolicyKind, Replay, ReplayOptions, SimError,
    easy, replay, replay_stream, replay_within,
};
use proptest::prelude::*;
use sched_model::*;
use textbook::{starts, textbook_conservative};

const CPUS: u32 = 8;

fn machine() -> Machine {
    Machine::new(MachineId(0), CPUS, Speed::ETALON, Price::must(3.0)).unwrap()
}

/// Whole seconds, so that sums are exact. Some jobs take no time, some more than they asked for.
fn jobs() -> impl Strategy<Value = Vec<LocalJob>> {
    let job = (0u32..6, 1..=CPUS, 1u32..20, 0u32..25);
    prop::collection::vec(job, 1..60).prop_map(|rows| {
        let mut at = 0;
        let jobs = rows.into_iter().enumerate().map(|(index, (gap, cpus, requested, actual))| {
            at += gap;
            let span = |seconds: u32| Span::must(f64::from(seconds));
            let submit = Time::must(f64::from(at));
            LocalJob::new(JobId(index as u64), submit, cpus, span(requested), span(actual)).unwrap()
        });
        jobs.collect()
    })
}

/// EASY as it is usually told: the shadow time of the head and the extra CPUs left beside it.
fn textbook_easy(jobs: &[LocalJob]) -> Vec<f64> {
    let mut starts = vec![f64::NAN; jobs.len()];
    let mut waiting: Vec<usize> = Vec::new();
    let mut running: Vec<(f64, f64, u32)> = Vec::new(); // really ends, may end, CPUs
    let mut coming = 0;
    let mut now = f64::NEG_INFINITY;
    loop {
        let next_end = running.iter().map(|&(ends, ..)| ends).fold(f64::INFINITY, f64::min);
        let next_come = jobs.get(coming).map_or(f64::INFINITY, |job| job.submit().get());
        now = next_end.min(next_come).max(now);
        if now == f64::INFINITY {
            return starts;
        }
        running.retain(|&(ends, ..)| ends > now);
        while jobs.get(coming).is_some_and(|job| job.submit().get() <= now) {
            waiting.push(coming);
            coming += 1;
        }
        let mut free = CPUS - running.iter().map(|&(.., cpus)| cpus).sum::<u32>();
        let mut start = |index: usize, free: &mut u32, running: &mut Vec<(f64, f64, u32)>| {
            let job = &jobs[index];
            let (requested, actual) = (job.requested().get(), job.actual().get());
            starts[index] = now;
            *free -= job.cpus();
            running.push((now + actual.min(requested), now + requested, job.cpus()));
        };
        while waiting.first().is_some_and(|&head| jobs[head].cpus() <= free) {
            let head = waiting.remove(0);
            start(head, &mut free, &mut running);
        }
        let Some(&head) = waiting.first() else { continue };
        let mut limits: Vec<(f64, u32)> = running.iter().map(|&(_, may, cpus)| (may, cpus)).collect();
        limits.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut shadow, mut at_shadow) = (now, free);
        for &(may, cpus) in &limits {
            if at_shadow >= jobs[head].cpus() && may > shadow {
                break;
            }
            at_shadow += cpus;
            shadow = may;
        }
        let mut extra = at_shadow - jobs[head].cpus();
        let mut place = 1;
        while place < waiting.len() {
            let job = &jobs[waiting[place]];
            let short = now + job.requested().get() <= shadow;
            if job.cpus() <= free && (short || job.cpus() <= extra) {
                if !short {
                    extra -= job.cpus();
                }
                let index = waiting.remove(place);
                start(index, &mut free, &mut running);
            } else {
                place += 1;
            }
        }
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

/// Most CPUs held at once, and the CPU time held.
fn held(run: &Replay) -> (i64, f64) {
    let mut changes: Vec<(f64, i64)> = Vec::new();
    for record in &run.records {
        let start = record.start.unwrap().get();
        changes.push((start, i64::from(record.cpus)));
        changes.push((record.end().unwrap().get(), -i64::from(record.cpus)));
    }
    changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut busy, mut most, mut total, mut since) = (0, 0, 0.0, 0.0);
    for (at, change) in changes {
        total += busy as f64 * (at - since);
        since = at;
        busy += change;
        most = most.max(busy);
    }
    (most, total)
}

proptest! {
    #[test]
    fn easy_is_the_textbooks(jobs in jobs()) {
        let run = easy(&machine(), &jobs).unwrap();
        let starts: Vec<f64> = run.records.iter().map(|record| record.start.unwrap().get()).collect();
        prop_assert_eq!(starts, textbook_easy(&jobs));
    }

    /// More jobs wait than are looked at one by one.
    #[test]
    fn easy_is_the_textbooks_on_long_queues(seed in any::<u32>(), widths in 1u64..=8, lengths in 1u64..40) {
        let jobs = growing(seed, 900, widths, lengths, 1.0);
        let run = easy(&machine(), &jobs).unwrap();
        let starts: Vec<f64> = run.records.iter().map(|record| record.start.unwrap().get()).collect();
        prop_assert_eq!(starts, textbook_easy(&jobs));
    }

    #[test]
    fn conservative_is_the_textbooks(jobs in jobs()) {
        // Jobs without any runtime make two passes at one instant, of which the textbook knows nothing.
        let jobs: Vec<LocalJob> = jobs.into_iter().filter(|job| job.actual() > Span::ZERO).take(25).collect();
        let run = replay(&machine(), PolicyKind::Conservative.build(), &jobs, &ReplayOptions::default()).unwrap();
        prop_assert_eq!(starts(&run), textbook_conservative(&jobs, [CPUS, 0, 0]));
    }

    #[test]
    fn every_job_runs_within_capacity_and_no_promise_is_broken(jobs in jobs()) {
        for &kind in PolicyKind::ALL {
            let run = replay(&machine(), kind.build(), &jobs, &ReplayOptions::default()).unwrap();
            for ((record, promise), job) in run.records.iter().zip(&run.promises).zip(&jobs) {
                let start = record.start.unwrap();
                prop_assert!(start >= job.submit());
                prop_assert!(promise.is_none_or(|promise| start <= promise), "{} {:?}", kind, record);
                prop_assert_eq!(record.end().unwrap(), start + job.actual().min(job.requested()));
                prop_assert_eq!(record.ending == Ending::Killed, job.actual() > job.requested());
                // Under conservative backfilling each job that waits has been promised a start.
                if kind == PolicyKind::Conservative {
                    prop_assert!(promise.is_some() || start == job.submit());
                }
            }
            let (most, total) = held(&run);
            prop_assert!(most <= i64::from(CPUS));
            prop_assert_eq!(run.report.cpu_time.get(), total);
            prop_assert_eq!(run.report.cost.get(), 3.0 * total);
            prop_assert_eq!(run.report.sites[0].earned, run.report.cost);
        }
    }

    #[test]
    fn first_come_first_served_keeps_the_order(jobs in jobs()) {
        let run = replay(&machine(), PolicyKind::Fcfs.build(), &jobs, &ReplayOptions::default()).unwrap();
        prop_assert!(run.records.windows(2).all(|pair| pair[0].start <= pair[1].start));
    }

    /// Against a walk over the list: each job starts when the one before has, and its CPUs are free.
    #[test]
    fn first_come_first_served_is_the_walk(jobs in jobs()) {
        let run = replay(&machine(), PolicyKind::Fcfs.build(), &jobs, &ReplayOptions::default()).unwrap();
        let mut running: Vec<(f64, u32)> = Vec::new();
        let mut now = 0.0f64;
        for (job, record) in jobs.iter().zip(&run.records) {
            now = now.max(job.submit().get());
            loop {
                let busy: u32 = running.iter().filter(|(end, _)| *end > now).map(|(_, cpus)| cpus).sum();
                if busy + job.cpus() <= CPUS {
                    break;
                }
                now = running.iter().map(|(end, _)| *end).filter(|end| *end > now).fold(f64::INFINITY, f64::min);
            }
            prop_assert_eq!(record.start.unwrap().get(), now);
            running.push((now + job.actual().min(job.requested()).get(), job.cpus()));
        }
    }

    /// A run that was stopped tells what the whole run tells of the time until then.
    #[test]
    fn a_stopped_run_is_the_beginning_of_the_whole(jobs in jobs(), work in 0u64..400) {
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
    fn a_stream_is_the_list(jobs in jobs(), work in 0u64..600) {
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
    fn extended_jobs_run_to_their_end(jobs in jobs(), step in 1u32..9) {
        let options = ReplayOptions::default().with_overrun(Overrun::Extend(Span::must(f64::from(step))));
        for &kind in PolicyKind::ALL {
            let run = replay(&machine(), kind.build(), &jobs, &options).unwrap();
            for (record, job) in run.records.iter().zip(&jobs) {
                prop_assert_eq!(&record.ending, &Ending::Done);
                prop_assert_eq!(record.runtime().unwrap(), job.actual());
            }
            prop_assert!(held(&run).0 <= i64::from(CPUS));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

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
