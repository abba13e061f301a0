//! Job grouping: properties, and the published table with the parameters that reproduce it.

use econsched::testkit::{Draw, drawn};
use grid_heuristics::{Dispatching, JobGrouping, JobOrder, ResourceOrder, ServiceRule};
use sched_model::{
    Bandwidth, DataSize, Job, JobId, Machine, MachineId, Price, Refusal, ResourceRequest, Span, Speed, Time,
};

fn job(id: usize, work: f64, input: f64) -> Job {
    let request = ResourceRequest::must(1, work).with_input(DataSize::must(input));
    Job::new(JobId(id as u64), request)
}

fn resource(speed: f64, price: f64) -> Machine {
    Machine::new(MachineId(0), 1, Speed::must(speed), Price::must(price)).unwrap()
}

/// Resources one by one, jobs one by one, as the pseudo code has it; and the jobs that fit nowhere.
fn literal(config: &JobGrouping, jobs: &[Job], resources: &[Machine]) -> (Vec<(usize, Vec<u32>)>, Vec<u32>) {
    let work = |job: u32| jobs[job as usize].request.work();
    let rank = |at: usize| match config.resource_order {
        ResourceOrder::CostPerTime => resources[at].price.get(),
        ResourceOrder::CostPerWork => resources[at].price.get() / resources[at].speed.get(),
        _ => 0.0,
    };
    let mut filling: Vec<usize> = (0..resources.len()).collect();
    filling.sort_by(|&a, &b| rank(a).total_cmp(&rank(b)));
    let capacity = |at: usize| resources[at].speed.get() * config.granularity.get();
    let fits = |&job: &u32| filling.iter().any(|&at| work(job).get() <= capacity(at));
    let (mut waiting, refused): (Vec<u32>, Vec<u32>) = (0..jobs.len() as u32).partition(fits);
    if let (JobOrder::Priority, Some(&first)) = (config.job_order, filling.first()) {
        let priority = |job: u32| (resources[first].price * (work(job) / resources[first].speed)).get();
        waiting.sort_by(|&a, &b| priority(b).total_cmp(&priority(a)));
    }
    let mut groups = vec![];
    while !waiting.is_empty() {
        for &at in &filling {
            let mut total = 0.0;
            let fits = |job: &&u32| {
                total += work(**job).get();
                total <= capacity(at)
            };
            let most = config.max_jobs.unwrap_or(usize::MAX);
            let taken = waiting.iter().take(most).take_while(fits).count();
            if taken > 0 {
                groups.push((at, waiting.drain(..taken).collect()));
            }
        }
    }
    (groups, refused)
}

/// Whole lengths and powers of two as speeds: priorities of different lengths differ.
fn instance(draw: &mut Draw) -> (JobGrouping, Vec<Job>, Vec<Machine>) {
    let whole = |draw: &mut Draw, bound| draw.below(bound) as f64;
    let jobs = (0..draw.below(60)).map(|id| {
        let input = whole(draw, 20);
        job(id, 1.0 + whole(draw, 60), input)
    });
    let jobs = jobs.collect();
    let resources = (0..draw.below(6)).map(|_| {
        let bandwidth = draw.chance(50).then(|| Bandwidth::must(1.0 + whole(draw, 8)));
        let (speed, price) = (draw.of([1.0, 2.0, 4.0, 8.0]), 1.0 + whole(draw, 5));
        let mut machine = resource(speed, price);
        machine.bandwidth = bandwidth;
        machine
    });
    let resources = resources.collect();
    let orders = [ResourceOrder::Given, ResourceOrder::CostPerTime, ResourceOrder::CostPerWork];
    let mut config = JobGrouping::new(Span::must(1.0 + whole(draw, 8)))
        .with_job_order(draw.of([JobOrder::Priority, JobOrder::Arrival]))
        .with_resource_order(draw.of(orders))
        .with_overhead(Span::must(whole(draw, 4)))
        .with_service(draw.of([ServiceRule::WholeSeconds, ServiceRule::Exact]));
    config.max_jobs = draw.chance(50).then(|| draw.between(1, 6));
    (config, jobs, resources)
}

/// As the pseudo code has it; every job is in one group or refused, for a reason that is true.
#[test]
fn groups_are_those_of_the_pseudo_code() {
    drawn(400, |draw| {
        let (config, jobs, resources) = instance(draw);
        let grouping = config.group(&jobs, &resources).unwrap();
        let groups = grouping.groups.iter().map(|group| (group.resource, grouping.jobs_of(group).to_vec()));
        let refused = grouping.refused.iter().map(|(job, _)| *job);
        assert_eq!((groups.collect(), refused.collect()), literal(&config, &jobs, &resources));
        for (id, group) in grouping.groups.iter().enumerate() {
            let length: f64 =
                grouping.jobs_of(group).iter().map(|&job| jobs[job as usize].request.work().get()).sum();
            assert_eq!((group.id, group.length.get()), (id, length));
        }
        for (job, reason) in &grouping.refused {
            match reason {
                Refusal::NoCapacity => assert!(resources.is_empty()),
                Refusal::TooLong { least, limit } => {
                    assert!(least > limit);
                    let work = jobs[*job as usize].request.work();
                    assert!(resources.iter().all(|resource| work / resource.speed >= *least));
                }
                other => panic!("{other}"),
            }
        }
    });
}

/// Fewer overheads, fewer roundings: never more expensive, never slower than each job alone on the same resource.
/// Groups, one after the other or all resources at once, end when the grouping's totals say, and none of one resource
/// overlap.
#[test]
fn grouping_saves_and_dispatch_agrees_with_its_totals() {
    drawn(400, |draw| {
        let (config, jobs, resources) = instance(draw);
        let grouping = config.group(&jobs, &resources).unwrap();
        let totals = grouping.totals();
        let alone = config.separately(&grouping, &jobs, &resources).unwrap();
        // Transfers are quotients: their sum and the quotient of the sum round differently.
        let slack = 1.0 + 1e-12;
        assert!(totals.cost.get() <= alone.cost.get() * slack);
        assert!(totals.time.get() <= alone.time.get() * slack);
        assert!(totals.makespan.get() <= alone.makespan.get() * slack);
        assert_eq!(alone.dispatches, jobs.len() - grouping.refused.len());
        if config.overhead > Span::ZERO && totals.dispatches < alone.dispatches {
            assert!(totals.time < alone.time && totals.cost < alone.cost);
        }
        let [one, all] = [Dispatching::Sequential, Dispatching::Parallel].map(|how| grouping.dispatch(how));
        let done = |run: &[(Time, Time)]| run.iter().map(|(_, end)| end.get()).fold(0.0, f64::max);
        let close = |run, total: Span| (done(run) - total.get()).abs() <= 1e-9 * total.get();
        assert!(close(&one, totals.time) && close(&all, totals.makespan));
        assert!(done(&all) <= done(&one));
        for run in [&one, &all] {
            for (at, (group, &(start, end))) in grouping.groups.iter().zip(run).enumerate() {
                assert_eq!(end, start + group.time);
                for (other, &(from, to)) in grouping.groups.iter().zip(run).take(at) {
                    assert!(other.resource != group.resource || to <= start || end <= from);
                }
            }
        }
    });
}

#[test]
fn overhead_and_transfer_are_paid() {
    let jobs = [job(0, 40.0, 30.0), job(1, 20.0, 0.0)];
    // Two CPUs, which work on one group.
    let machine = Machine::new(MachineId(0), 2, Speed::must(2.0), Price::must(1.0)).unwrap();
    let resources = [machine.with_bandwidth(Bandwidth::must(10.0))];
    let config = JobGrouping::new(Span::must(20.0)).with_overhead(Span::must(5.0));
    let grouping = config.group(&jobs, &resources).unwrap();
    let group = grouping.groups[0];
    assert_eq!((group.time, group.cost.get()), (Span::must(5.0 + 3.0 + 15.0), 46.0));
    let alone = config.separately(&grouping, &jobs, &resources).unwrap();
    assert_eq!((alone.dispatches, alone.time, alone.cost.get()), (2, Span::must(28.0), 56.0));
}

/// S. Yadav, A. Agarwal, R. Rastogi, table 3 (grouping without priority), resources of table 1.
///
/// The paper names neither the number of CPUs of a resource nor the time for which a group may work such that
/// its figures come out. Ten CPUs and seven seconds are *fitted* to the table, not taken from the text; its
/// granularity time of 10 s taken literally does not give the table.
#[test]
fn published_table_under_the_fitted_reading() {
    const CPUS: f64 = 10.0;
    const WORK_SECONDS: f64 = 7.0;
    let table_1 = [(150, 100), (110, 200), (240, 300), (320, 350), (210, 400), (300, 450), (410, 500)];
    let resources = table_1.map(|(mips, rate)| resource(CPUS * f64::from(mips), f64::from(rate)));
    let config = JobGrouping::new(Span::must(WORK_SECONDS)).with_service(ServiceRule::WholeSeconds);
    // Jobs, groups here (the paper has 1, 1, 2, 2, 3, 3), cost, time.
    let rows = [
        (25, 1, 400.0, 4.0),
        (50, 2, 1100.0, 9.0),
        (75, 2, 1900.0, 13.0),
        (100, 3, 2700.0, 16.0),
        (125, 3, 3300.0, 18.0),
        (150, 3, 4200.0, 21.0),
    ];
    for (count, groups, cost, time) in rows {
        // Lengths spread evenly over 200..=240 MI. Of random ones all give these rows, but that of 125 jobs:
        // there the last group ends close to a whole second, and 63% of 2,000 draws do.
        let jobs: Vec<_> = (0..count).map(|at| job(at, 200.0 + ((at * 19) % 41) as f64, 0.0)).collect();
        let grouping = config.group(&jobs, &resources).unwrap();
        let totals = grouping.totals();
        assert_eq!(
            (totals.dispatches, totals.cost.get(), totals.time.get()),
            (groups, cost, time),
            "{count} jobs"
        );
    }
}

#[test]
fn rounds_are_counted_and_capped_and_wide_jobs_are_refused() {
    let jobs: Vec<_> =
        [4.0, 4.0, 4.0, 4.0, 2.0].iter().enumerate().map(|(id, &work)| job(id, work, 0.0)).collect();
    // Groups of up to 4 on the first, of up to 2 on the second: the jobs of 4 pass that over.
    let (resources, config) = ([resource(2.0, 1.0), resource(1.0, 1.0)], JobGrouping::new(Span::must(2.0)));
    let grouping = config.group(&jobs, &resources).unwrap();
    let rounds: Vec<_> = grouping.groups.iter().map(|group| (group.resource, group.round)).collect();
    assert_eq!(rounds, [(0, 1), (0, 2), (0, 3), (0, 4), (1, 4)]);
    let capped = config.with_max_rounds(2).group(&jobs, &resources).unwrap();
    let groups: Vec<&[u32]> = capped.groups.iter().map(|group| capped.jobs_of(group)).collect();
    assert_eq!(groups, [[0], [1], [4]]);
    assert_eq!(capped.refused, [(2, Refusal::NoCapacity), (3, Refusal::NoCapacity)]);
    assert!(config.with_max_rounds(0).group(&jobs, &resources).is_err());
    assert!(config.with_max_jobs(0).group(&jobs, &resources).is_err());
    // A job of several tasks is in no group.
    let wide = [Job::new(JobId(7), ResourceRequest::must(2, 3.0))];
    let refused = config.group(&wide, &resources).unwrap().refused;
    assert_eq!(refused, [(0, Refusal::TooWide { needed: 2, largest: 1 })]);
}
