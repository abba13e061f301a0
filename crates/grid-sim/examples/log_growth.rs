//! How the work of a local policy grows with the log: `log_growth [exact] POLICY LOAD JOBS...`.
//!
//! Lublin-Feitelson jobs on 128 CPUs, whose arrival times are divided by LOAD; with `exact` jobs request
//! exactly the time that they take. Prints, for each number of jobs, the seconds of the replay, the mean wait
//! and the greatest number of jobs that waited at once.
#![allow(clippy::disallowed_types)] // it reports how long it takes

use grid_sim::{LocalJob, PolicyKind, ReplayOptions, jobs_of_log, replay};
use sched_model::{Machine, MachineId, Price, Span, Speed, Time};
use std::error::Error;
use workload_gen::sample::stream;
use workload_gen::synthetic::LogGenerator;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let exact = arguments.first().is_some_and(|first| first == "exact");
    arguments.drain(..usize::from(exact));
    let (policy, load, counts) = match arguments.as_slice() {
        [] => (PolicyKind::Easy, 1.0, vec![2000]),
        [policy, load, counts @ ..] => {
            let counts = counts.iter().map(|count| count.parse()).collect::<Result<Vec<usize>, _>>()?;
            (policy.parse()?, load.parse()?, counts)
        }
        _ => return Err("expected POLICY LOAD JOBS...".into()),
    };
    let machine = Machine::new(MachineId(0), 128, Speed::ETALON, Price::ZERO)?;
    for count in counts {
        let log = LogGenerator::default().with_jobs(count).generate(&mut stream(1, 0))?;
        let scaled = |job: &LocalJob| -> Result<LocalJob, Box<dyn Error>> {
            let job = job.with_submit(Time::new(job.submit().get() / load)?);
            let actual = job.actual().max(Span::must(1.0));
            let told = LocalJob::new(job.id(), job.submit(), job.cpus(), actual, actual)?;
            Ok(if exact { told } else { job })
        };
        let jobs = jobs_of_log(&log.records)?.jobs.iter().map(scaled).collect::<Result<Vec<_>, _>>()?;
        let begin = std::time::Instant::now();
        let run = replay(&machine, policy.build(), &jobs, &ReplayOptions::default())?;
        let seconds = begin.elapsed().as_secs_f64();
        let mut changes: Vec<(Time, i64)> = Vec::new();
        for record in &run.records {
            changes.extend([(record.submit, 1)].into_iter().chain(record.start.map(|start| (start, -1))));
        }
        changes.sort_unstable();
        let mut waiting = 0;
        let most = changes.iter().map(|&(_, change)| (waiting += change, waiting).1).max().unwrap_or(0);
        println!(
            "{policy} {count} jobs: {seconds:.2} s, mean wait {:.0}, at most {most} waiting",
            run.report.wait.mean
        );
    }
    Ok(())
}
