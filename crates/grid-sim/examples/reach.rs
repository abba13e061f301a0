//! Shows how far simulations and plans scale. Without arguments it runs each of these on a small input:
//!
//! - `reach log JOBS [POLICY]`: a log too long for memory. Lublin-Feitelson jobs on 128 CPUs are drawn one by
//!   one, and each record is counted and dropped when its job leaves.
//! - `reach growth [exact] POLICY LOAD JOBS...`: how the work of a local policy grows with the log. The arrival
//!   times of such jobs are divided by LOAD; with `exact` jobs request exactly the time that they take.
//! - `reach nodes NODES JOBS`: a plan on an environment of very many nodes, drawn with its local load as by
//!   `EnvironmentGenerator`, over one horizon. Each job asks for 7 nodes; ten alternatives of each are searched
//!   for, and the plan of minimum time is chosen.
#![allow(clippy::disallowed_types)] // it reports how long it takes

use batch_dp::{Goal, Planner};
use grid_sim::{LocalJob, PolicyKind, Replay, jobs_of_log};
use sched_model::internal::ExactSum;
use sched_model::{Batch, Job, JobId, Limit, Machine, MachineId, Price, Span, Speed, Time};
use slot_window::{AlternativesSearch, Amp};
use std::error::Error;
use std::time::Instant;
use workload_gen::environment::{EnvironmentGenerator, request};
use workload_gen::lublin::LublinModel;
use workload_gen::sample::stream;
use workload_gen::synthetic::LogGenerator;

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            log(2000, PolicyKind::Easy)?;
            growth(false, PolicyKind::Easy, 1.0, &["2000"])?;
            nodes(2000, 20)
        }
        ["log", jobs] => log(jobs.parse()?, PolicyKind::Easy),
        ["log", jobs, policy] => log(jobs.parse()?, policy.parse()?),
        ["growth", "exact", policy, load, counts @ ..] => {
            growth(true, policy.parse()?, load.parse()?, counts)
        }
        ["growth", policy, load, counts @ ..] => growth(false, policy.parse()?, load.parse()?, counts),
        ["nodes", count, jobs] => nodes(count.parse()?, jobs.parse()?),
        _ => {
            Err("expected log JOBS [POLICY], growth [exact] POLICY LOAD JOBS..., or nodes NODES JOBS".into())
        }
    }
}

fn machine() -> Result<Machine, Box<dyn Error>> {
    Ok(Machine::new(MachineId(0), 128, Speed::ETALON, Price::must(0.0))?)
}

/// Users ask for twice the time.
fn log(count: usize, policy: PolicyKind) -> Done {
    let model = LublinModel::default().with_system_size(128);
    let mut error = None;
    let mut jobs = model.jobs(stream(1, 0))?.take(count).zip(0..).map_while(|(job, id)| {
        let made = || -> Result<LocalJob, Box<dyn Error>> {
            let (actual, requested) =
                (Span::try_from(job.runtime)?, Span::try_from(2.0 * job.runtime + 1.0)?);
            Ok(LocalJob::new(JobId(id), Time::try_from(job.arrival)?, job.size, requested, actual)?)
        };
        made().map_err(|wrong| error = Some(wrong)).ok()
    });
    let (mut left, mut waits) = (0u64, ExactSum::new());
    let (begun, mut meter) = (Instant::now(), Limit::none().meter());
    let mut count_wait = |record: grid_sim::JobRecord, _| {
        left += 1;
        waits.add(record.wait().map_or(0.0, Span::get));
    };
    let mut run = Replay::new(&machine()?, policy.build());
    run.advance(u64::MAX, &mut jobs, &mut meter, &mut count_wait)?;
    if let Some(error) = error {
        return Err(error);
    }
    let (seconds, wait) = (begun.elapsed().as_secs_f64(), waits.value() / left as f64);
    println!("{left} jobs, {} events, mean wait {wait:.0}, {seconds:.1} s", run.events());
    Ok(())
}

/// Prints, for each number of jobs, the seconds of the replay, the mean wait and the most jobs that waited at once.
fn growth(exact: bool, policy: PolicyKind, load: f64, counts: &[&str]) -> Done {
    for count in counts {
        let log = LogGenerator::default().with_jobs(count.parse()?).generate(&mut stream(1, 0))?;
        let scaled = |job: &LocalJob| -> Result<LocalJob, Box<dyn Error>> {
            let job = job.with_submit(Time::try_from(job.submit.get() / load)?);
            let actual = job.actual.max(Span::must(1.0));
            let told = LocalJob::new(job.id, job.submit, job.cpus, actual, actual)?;
            Ok(if exact { told } else { job })
        };
        let jobs = jobs_of_log(&log.records).jobs.iter().map(scaled).collect::<Result<Vec<_>, _>>()?;
        let begun = Instant::now();
        let run = Replay::new(&machine()?, policy.build()).run(&jobs, &mut Limit::none().meter())?;
        let seconds = begun.elapsed().as_secs_f64();
        let mut changes: Vec<(Time, i64)> = Vec::new();
        for record in &run.records {
            changes.extend([(record.submit, 1)].into_iter().chain(record.start.map(|start| (start, -1))));
        }
        changes.sort_unstable();
        let mut waiting = 0;
        let most = changes.iter().map(|&(_, change)| (waiting += change, waiting).1).max().unwrap_or(0);
        let wait = run.report.wait.mean;
        println!("{policy} {count} jobs: {seconds:.2} s, mean wait {wait:.0}, at most {most} waiting");
    }
    Ok(())
}

/// Prints the seconds of each step.
fn nodes(nodes: u32, jobs: u64) -> Done {
    let begun = Instant::now();
    let mut generator = EnvironmentGenerator::default().with_nodes(nodes);
    generator.load_span = 1.0;
    let environment = generator.generate(&mut stream(1, 0))?;
    let request = request(7, 800.0, 0.115)?;
    let (slots, drawn) = (environment.slots, begun.elapsed().as_secs_f64());
    println!("{nodes} nodes, {} slots: drawn and listed in {drawn:.1} s", slots.len());

    let begun = Instant::now();
    let batch = Batch::new((1..=jobs).map(|id| Job::new(JobId(id), request.clone())).collect())?;
    let search = AlternativesSearch::new(Amp::new()).with_max_per_job(10).with_limit(Limit::none());
    let found = search.find(&slots, &batch, Time::ZERO)?;
    let searched = begun.elapsed().as_secs_f64();

    let begun = Instant::now();
    let planner = Planner::new(Goal::MinTime { budget: None }).with_derived_limit();
    let schedule = planner.plan(&found.jobs)?;
    let chosen = begun.elapsed().as_secs_f64();
    let placed = schedule.schedule.placed().count();
    println!("{jobs} jobs: searched in {searched:.2} s, chosen in {chosen:.3} s, {placed} placed");
    Ok(())
}
