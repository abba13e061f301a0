//! A policy of your own on a log: `own_policy LOG.swf CPUS`, or a generated log without arguments.
//!
//! Shortest first behind a promise: the job that has waited longest is promised its earliest start, as under EASY;
//! the others fill the gaps in order of the CPU time they request, not of their arrival.

use econsched::grid_sim::{LocalPolicy, Pass, PolicyKind, Replay, SimError, jobs_of_log};
use econsched::prelude::*;
use econsched::sched_model::{Limit, Machine, MachineId};
use econsched::testkit;
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf::{SwfLog, write};
use econsched::workload_gen::synthetic::LogGenerator;

#[derive(Debug, Default)]
struct ShortestBehindHead;

impl LocalPolicy for ShortestBehindHead {
    fn name(&self) -> &str {
        "shortest behind head"
    }

    fn pass(&mut self, pass: &mut Pass<'_>) -> Result<(), SimError> {
        // The head starts, or is promised its earliest start.
        while pass.waiting() > 0 && pass.start(0)? {}
        if pass.waiting() == 0 {
            return Ok(());
        }
        if (pass[0].promise.is_none() || pass.freed())
            && let Some(start) = pass.earliest(0)
        {
            pass.promise(0, start)?;
        }
        // The other jobs, by CPU time. A job that starts leaves the queue, so jobs are named by id.
        let area = |at: &usize| {
            let job = &pass[*at].job;
            Work::must(job.requested.get() * f64::from(job.cpus))
        };
        let mut order: Vec<usize> = (1..pass.waiting()).collect();
        order.sort_by_key(area);
        let order: Vec<JobId> = order.into_iter().map(|at| pass[at].job.id).collect();
        for job in order {
            let at = (0..pass.waiting()).find(|&at| pass[at].job.id == job);
            if let Some(at) = at {
                pass.start(at)?;
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The pass prevents a CPU from being given twice. The check tests the rest: every job runs, and promises are
    // kept.
    let make = || Box::new(ShortestBehindHead) as Box<dyn LocalPolicy>;
    testkit::policy(make).with_promises_kept().run(200)?;

    let mut arguments = std::env::args().skip(1);
    let (text, cpus) = match (arguments.next(), arguments.next()) {
        (Some(path), Some(cpus)) => (std::fs::read(path)?, cpus.parse()?),
        _ => {
            // A log in the archive's format, drawn from the Lublin-Feitelson model.
            let mut text = Vec::new();
            let log = LogGenerator::default().with_jobs(1500).generate(&mut stream(1, 0))?;
            write(&mut text, &log.header, &log.records)?;
            (text, 128)
        }
    };
    let (log, report) = SwfLog::read(text.as_slice())?;
    let jobs = jobs_of_log(&log.records);
    println!("{} jobs, {} left out, clean: {}", jobs.jobs.len(), jobs.incomplete, report.dropped.is_empty());

    let machine = Machine::new(MachineId(0), cpus, Speed::ETALON, Price::must(0.0))?;
    println!("{:>22} {:>10} {:>10} {:>12} {:>6}", "", "mean wait", "95%", "slowdown", "use");
    let registered = PolicyKind::ALL.iter().map(|kind| kind.build());
    for policy in registered.chain([make()]) {
        let name = policy.name().to_owned();
        let run = Replay::new(&machine, policy).run(&jobs.jobs, &mut Limit::none().meter())?;
        let mut waits: Vec<Span> = run.records.iter().filter_map(|record| record.wait()).collect();
        waits.sort_unstable();
        println!(
            "{name:>22} {:>10.0} {:>10.0} {:>12.1} {:>5.1}%",
            run.report.wait.mean,
            waits.get(waits.len() * 19 / 20).map_or(0.0, |wait| wait.get()),
            run.report.bounded_slowdown.mean,
            100.0 * run.report.utilisation
        );
    }
    Ok(())
}
