//! A log too long for memory, run through a local policy: `long_log JOBS [POLICY]`.
//!
//! Lublin-Feitelson jobs on 128 CPUs are drawn one by one, and each record is counted and dropped when its
//! job leaves.
#![allow(clippy::disallowed_types)] // it reports how long it takes

use grid_sim::{LocalJob, Overrun, PolicyKind, replay_stream};
use sched_model::{ExactSum, JobId, Limit, Machine, MachineId, Price, Span, Speed, Time};
use std::error::Error;
use workload_gen::lublin::LublinModel;
use workload_gen::sample::stream;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(2000), |count| count.parse())?;
    let policy: PolicyKind = arguments.next().map_or(Ok(PolicyKind::Easy), |name| name.parse())?;
    let machine = Machine::new(MachineId(0), 128, Speed::ETALON, Price::ZERO)?;
    let model = LublinModel::default().with_system_size(128);
    let mut error = None;
    let jobs = model.jobs(stream(1, 0))?.take(count).zip(0..).map_while(|(job, id)| {
        let made = || -> Result<LocalJob, Box<dyn Error>> {
            // Users ask for twice the time.
            let (actual, requested) = (Span::new(job.runtime)?, Span::new(2.0 * job.runtime + 1.0)?);
            Ok(LocalJob::new(JobId(id), Time::new(job.arrival)?, job.size, requested, actual)?)
        };
        made().map_err(|wrong| error = Some(wrong)).ok()
    });
    let (mut left, mut waits) = (0u64, ExactSum::new());
    let begin = std::time::Instant::now();
    let limit = Limit::without_limit();
    let run =
        replay_stream(&machine, policy.build(), Overrun::Kill, jobs, &mut limit.meter(), |record, _| {
            left += 1;
            waits.add(record.wait().map_or(0.0, Span::get));
        })?;
    if let Some(error) = error {
        return Err(error);
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{left} jobs, {} events, mean wait {:.0}, {seconds:.1} s",
        run.events,
        waits.value() / left as f64
    );
    Ok(())
}
