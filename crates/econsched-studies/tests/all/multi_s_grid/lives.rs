//! Jobs that live no time, and owners that leave before their jobs are withdrawn.

use super::*;

#[test]
fn jobs_that_live_no_time_are_withdrawn_and_owners_may_leave_before() {
    let setup = setup(4, 2, 40, 0.5);
    let life = |mean: f64| Some(Span::must(mean));
    let config = Config::default().with_job_lifetime(life(1e-12)).with_log(true);
    let outcome = simulate(&setup, &config, 4);
    // Withdrawn at the instant of submission, or so soon after it that it is the same one.
    assert!(outcome.records.iter().all(|record| matches!(record.ending, Ending::Cancelled)));
    assert!(outcome.assignments.is_empty() && outcome.report.cost.get() <= 1e-9);
    let config =
        Config::default().with_job_lifetime(life(3.0)).with_owner_lifetime(life(3.0)).with_retries(3);
    let outcome = simulate(&setup, &config, 4);
    let count =
        |test: fn(&Ending) -> bool| outcome.records.iter().filter(|record| test(&record.ending)).count();
    assert!(count(|ending| matches!(ending, Ending::OwnerGone)) > 0);
    assert!(count(|ending| matches!(ending, Ending::Cancelled)) > 0);
    // What the sites earn is what the jobs pay, retries and all.
    let paid: f64 = outcome.records.iter().map(|record| record.cost().get()).sum();
    let earned: f64 = outcome.report.sites.iter().map(|site| site.earned.get()).sum();
    assert!((paid - earned).abs() <= 1e-12 * paid, "{paid} {earned}");
}
