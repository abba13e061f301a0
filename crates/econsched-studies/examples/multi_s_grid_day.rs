//! A day of 100,000 jobs on a grid of seven sites, while machines and links fail.
//!
//! `cargo run --release -p econsched-studies --example multi_s_grid_day`
#![allow(clippy::disallowed_types)] // it reports how long it takes

use econsched::auction_assign::strategy::Strategy;
use econsched::workload_gen::sample::stream;
use econsched_studies::multi_s_grid::{Config, GridName, JobProperties, MultiSGrid, UserGroup};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = stream(1, 0);
    let sites = GridName::G18.properties().generate(&mut rng)?;
    let users = UserGroup::Users2.properties().generate(&mut rng)?;
    let jobs = JobProperties::default().with_jobs(100_000).with_mean_gap(0.864).generate(&users, &mut rng)?;
    for strategy in [Strategy::default(), Strategy::default().with_fail_prevention(1.0).with_balancing(true)]
    {
        let begun = std::time::Instant::now();
        let config = Config::default().with_strategy(strategy);
        let grid = MultiSGrid::new(&sites).with_users(&users).with_config(config).with_seed(1);
        let outcome = grid.run(&jobs)?;
        println!("{:?}", outcome.report.endings);
        println!(
            "mean cost {:.3} s, starved {}, utilisation {:.3}, {} events, {:.2?}",
            outcome.mean_cost,
            outcome.starved,
            outcome.report.utilisation,
            outcome.events,
            begun.elapsed()
        );
    }
    Ok(())
}
