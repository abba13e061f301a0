//! Small runs of the meta-broker study: what holds in every replicate.

use econsched::grid_heuristics::TradeOffKind;
use econsched::grid_sim::{GridOutcome, SimError};
use econsched::workload_gen::meta_broker::MetaBrokerWorkload;
use econsched_studies::garg2009::broker::{self, Config};

fn config(jobs: usize) -> Config {
    Config::default().with_workload(MetaBrokerWorkload::default().with_jobs(jobs))
}

fn simulate(config: &Config, seed: u64) -> Result<GridOutcome, SimError> {
    let mut broker = TradeOffKind::MinCtt.build(config.metric());
    broker::simulate(config, seed, 0, &mut broker)
}

#[test]
fn jobs_start_at_or_after_the_end_of_their_interval() {
    let outcome = simulate(&config(40), 2).unwrap();
    for record in outcome.records.iter().filter(|record| record.start.is_some()) {
        let decided = (record.submit.get() / 50.0).ceil() * 50.0;
        assert!(record.start.unwrap().get() >= decided);
    }
    // Local load makes some of them wait longer.
    let loaded = simulate(&config(40).with_local_jobs(200), 2).unwrap();
    assert!(loaded.report.wait.mean > outcome.report.wait.mean);
    assert!(loaded.local.iter().flatten().all(|record| record.start.is_some()));
    assert!(simulate(&config(5).with_local_overestimate(0.5).with_local_jobs(1), 1).is_err());
}
