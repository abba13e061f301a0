//! 10,000 small jobs on seven resources, with and without grouping.

use econsched::grid_heuristics::{
    GroupResource, JobGrouping, JobOrder, ResourceOrder, SmallJob, granularity_for,
};
use econsched::prelude::*;
use econsched::workload_gen::sample::{Distribution, Uniform, stream};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Jobs of 200 to 240 million instructions; resources of 120 to 500 MIPS, faster ones cost more.
    let mut rng = stream(1, 0);
    let length = Uniform::new(200.0, 240.0)?;
    let jobs = (1..=10_000)
        .map(|id| Ok(SmallJob::new(JobId(id), Work::new(length.sample(&mut rng))?)))
        .collect::<Result<Vec<_>, ModelError>>()?;
    let resources = [120.0, 150.0, 200.0, 250.0, 300.0, 400.0, 500.0]
        .map(|mips| GroupResource::new(Speed::must(mips), Price::must(mips / 100.0)));

    // Each dispatch costs 5 s before any work is done. With one job per dispatch, that is most of the time.
    // The groups here are so long that it is a twentieth of the time.
    let overhead = Span::must(5.0);
    let longest = Span::must(2.0);
    let granularity = granularity_for(overhead, 0.05, longest)?;
    let grouping = JobGrouping::new(granularity)
        .with_job_order(JobOrder::Priority)
        .with_resource_order(ResourceOrder::CostPerWork)
        .with_overhead(overhead);
    let grouped = grouping.group(&jobs, &resources)?;

    let (with, without) = (grouped.totals(), grouping.separately(&grouped, &jobs, &resources));
    println!("groups of up to {granularity} s of work, {} jobs refused", grouped.refused().count());
    println!("{:>9} {:>10} {:>12} {:>12} {:>12}", "", "dispatches", "time", "makespan", "cost");
    for (name, totals) in [("grouped", with), ("one by one", without)] {
        println!(
            "{name:>10} {:>9} {:>12.0} {:>12.0} {:>12.0}",
            totals.dispatches,
            totals.time.get(),
            totals.makespan.get(),
            totals.cost.get()
        );
    }
    Ok(())
}
