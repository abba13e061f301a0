//! The local policies on random jobs: compared with textbook versions, with what each of them promises, and by the
//! checks of the testkit.

mod cases;
mod textbook;

use crate::common::{local, span};
use crate::registered::Policies;
use econsched::testkit::{Check, Draw, drawn, oracle::most_busy};
use grid_sim::{Ending, LocalJob, Overrun, PolicyKind, Replay, ReplayOutcome};
use sched_model::*;
use textbook::{Amounts, textbook, whole};

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
fn machines() -> [(Machine, Amounts); 2] {
    [(machine(), [CPUS.into(), i64::MAX, i64::MAX]), (counted(), TOTAL.map(i64::from))]
}

/// Up to `most` jobs in whole seconds, so that sums are exact, that come up to `gap` seconds apart. Few CPUs with much
/// memory and the other way round; some jobs take no time, some more than they asked for.
fn jobs(draw: &mut Draw, most: usize, gap: usize) -> Vec<LocalJob> {
    let mut at = 0;
    let drawn = (0..draw.between(1, most) as u64).map(|id| {
        at += draw.below(gap + 1);
        let amounts = match draw.below(3) {
            0 => [draw.between(1, 8), draw.below(6), draw.below(2)],
            1 => [draw.between(1, 2), draw.below(21), draw.below(2)],
            _ => [draw.between(1, 4), draw.below(10), draw.below(4)],
        };
        let (requested, actual) = (draw.between(1, 19) as f64, draw.below(25) as f64);
        let [cpus, memory, gpus] = amounts.map(|amount| amount as u32);
        local(id, at as f64, cpus, requested, actual).with_memory(memory).with_gpus(gpus)
    });
    drawn.collect()
}

fn run(machine: &Machine, kind: PolicyKind, jobs: &[LocalJob]) -> ReplayOutcome {
    Replay::new(machine, kind.build()).with_log().run(jobs, &mut Limit::none().meter()).unwrap()
}

#[test]
fn every_policy_passes_the_checks_of_users() {
    assert!(PolicyKind::ALL.iter().all(|kind| kind.build().name() == kind.name()));
    Check::new(Policies).run(300).unwrap();
}

/// In some cases more jobs wait than the number up to which they are read one by one; of a long table of promises there
/// would be too much to make anew.
#[test]
fn starts_are_the_textbooks() {
    drawn(200, |draw| {
        let jobs = if draw.chance(6) { jobs(draw, 700, 0) } else { jobs(draw, 60, 5) };
        for (machine, total) in machines() {
            for &kind in PolicyKind::ALL {
                let most = if kind == PolicyKind::Conservative { 60 } else { jobs.len() };
                let jobs = &jobs[..jobs.len().min(most)];
                let records = run(&machine, kind, jobs).records.into_iter();
                let starts: Vec<usize> = records.map(|record| whole(record.start.unwrap().get())).collect();
                assert_eq!(starts, textbook(kind, jobs, total), "{kind}");
            }
        }
    });
}

#[test]
fn what_is_used_is_paid_and_whoever_waits_is_promised_a_start() {
    drawn(150, |draw| {
        let (jobs, step) = (jobs(draw, 60, 5), span(draw.between(1, 8) as u32));
        for (&kind, extends) in PolicyKind::ALL.iter().flat_map(|kind| [(kind, false), (kind, true)]) {
            let overrun = if extends { Overrun::Extend(step) } else { Overrun::Kill };
            let replay = Replay::new(&machine(), kind.build()).with_overrun(overrun);
            let run = replay.run(&jobs, &mut Limit::none().meter()).unwrap();
            let mut used = 0.0;
            for ((record, promise), job) in run.records.iter().zip(&run.promises).zip(&jobs) {
                let start = record.start.unwrap();
                let takes = if extends { job.actual } else { job.actual.min(job.requested) };
                used += takes.get() * f64::from(job.cpus);
                assert_eq!(record.end().unwrap(), start + takes);
                assert_eq!(record.ending == Ending::Killed, !extends && job.actual > job.requested);
                assert!(extends || promise.is_none_or(|promise| start <= promise), "{kind} {record:?}");
                // Under conservative backfilling each job that waits has been promised a start.
                assert!(kind != PolicyKind::Conservative || promise.is_some() || start == job.submit);
            }
            assert!(most_busy(SiteId(0), &run.records, []) <= u64::from(CPUS));
            assert_eq!((run.report.cpu_time.get(), run.report.cost.get()), (used, 3.0 * used));
            assert_eq!(run.report.sites[0].earned, run.report.cost);
        }
    });
}

/// A run that was stopped tells what the whole run tells of the time until then.
#[test]
fn a_stopped_run_is_the_beginning_of_the_whole() {
    drawn(150, |draw| {
        let jobs = jobs(draw, 60, 5);
        let work = if draw.chance(70) { draw.below(400) as u64 } else { u64::MAX };
        let limit = Limit::default().with_work(work);
        for kind in PolicyKind::ALL {
            let replay = || Replay::new(&machine(), kind.build());
            let whole = replay().with_log().run(&jobs, &mut Limit::none().meter()).unwrap();
            let part = replay().with_log().run(&jobs, &mut limit.meter()).unwrap();
            assert_eq!(part.stopped.is_none(), part == whole);
            assert!(whole.log.starts_with(&part.log));
            let last = part.log.last().map(|entry| entry.at);
            let promises = part.promises.iter().zip(&whole.promises);
            for ((part, whole), (promise, of_whole)) in part.records.iter().zip(&whole.records).zip(promises)
            {
                assert!(part == whole || part.ending == Ending::Waiting);
                assert!(part.start.is_none() || part.start == whole.start);
                // One that waits has been promised what it is promised, under conservative backfilling at once.
                let came = part.ending == Ending::Waiting && Some(part.submit) < last;
                let waits = came && part.start.is_none() && kind == &PolicyKind::Conservative;
                assert!(promise == of_whole || promise.is_none() && !waits, "{promise:?} {of_whole:?}");
            }
        }
    });
}
