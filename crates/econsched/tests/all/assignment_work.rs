//! The automatic choice takes no more than its head start and the work of the auction alone, on every structure
//! of the zoo.

#![cfg(all(feature = "auction-assign", feature = "workload-gen", feature = "testkit"))]

use crate::instance::problem;
use econsched::auction_assign::{Assigner, Assignment, Auction, Automatic, Coverage, Shortage};
use econsched::sched_model::{End, Limit, Outcome};
use econsched::testkit::zoo::zoo;
use econsched::workload_gen::sample::stream;

/// Work and total.
fn spent(found: Outcome<Assignment, Shortage>) -> (f64, f64) {
    assert_eq!(found.end, End::Done);
    (found.work as f64, found.value.unwrap())
}

#[test]
fn no_structure_takes_more_than_the_work_of_the_auction_and_a_head_start() {
    let limit = Limit::default().with_work(u64::MAX);
    for size in [40, 160] {
        for (number, generator) in zoo(size).iter().enumerate() {
            let instance = generator.generate(&mut stream(number as u64, 3));
            let problem = problem(&instance, Coverage::MostJobs);
            let name = format!("{} {} x {}", generator.name(), generator.jobs, generator.resources);
            let (auction, best) = spent(Auction::default().solve(&problem, &mut limit.meter()).unwrap());
            let (work, total) = spent(Automatic.solve(&problem, &mut limit.meter()).unwrap());
            assert!((total - best).abs() <= 1e-9 * best.abs(), "{name}: {total}, not {best}");
            // Work for watching the search is counted too: up to a fifth.
            let is_roomy = problem.total_capacity() > instance.jobs as u64;
            let (passes, per_job) = if is_roomy { (512, 1400) } else { (64, 1400) };
            let head_start = (passes * instance.values.len() + per_job * instance.jobs) as f64;
            assert!(work <= 1.2 * (auction + head_start), "{name}: {work}, the auction {auction}");
        }
    }
}
