//! The meta-broker study, small: what holds in every replicate.

use econsched::grid_heuristics::TradeOffKind;
use econsched::workload_gen::meta_broker::{MetaBrokerConfiguration, MetaBrokerWorkload};
use econsched_studies::garg2009::broker::{Config, simulate};

fn config(jobs: usize) -> Config {
    Config::default().with_workload(MetaBrokerWorkload::default().with_jobs(jobs))
}

#[test]
fn every_configuration_and_heuristic_runs_all_jobs_and_charges_what_sites_earn() {
    for &configuration in MetaBrokerConfiguration::ALL {
        for &heuristic in TradeOffKind::ALL {
            let config =
                config(60).with_configuration(configuration).with_heuristic(heuristic).with_local_jobs(20);
            let outcome = simulate(&config, 3, 1).unwrap();
            let (report, records) = (outcome.report, outcome.records);
            assert_eq!((report.jobs, records.len()), (60, 60));
            let ran = records.iter().filter(|record| record.start.is_some()).count();
            assert_eq!(report.sites.iter().map(|site| site.jobs).sum::<usize>(), ran);
            let earned: f64 = report.sites.iter().map(|site| site.earned.get()).sum();
            assert!((earned - report.cost.get()).abs() <= 1e-9 * earned, "{earned} {}", report.cost);
            assert!(report.utilisation > 0.0 && report.utilisation <= 1.0);
            let (wait, response) = (report.wait.mean, report.response.mean);
            assert!(response >= wait && report.makespan.get() >= response);
        }
    }
}

#[test]
fn jobs_start_at_or_after_the_end_of_their_interval() {
    let outcome = simulate(&config(40), 2, 0).unwrap();
    for record in outcome.records.iter().filter(|record| record.start.is_some()) {
        let decided = (record.submit.get() / 50.0).ceil() * 50.0;
        assert!(record.start.unwrap().get() >= decided);
    }
    // Local load makes some of them wait longer.
    let loaded = simulate(&config(40).with_local_jobs(200), 2, 0).unwrap();
    assert!(loaded.report.wait.mean > outcome.report.wait.mean);
    assert!(
        loaded.resources.iter().all(|resource| resource.local.iter().all(|record| record.start.is_some()))
    );
    assert!(simulate(&config(5).with_local_overestimate(0.5).with_local_jobs(1), 1, 0).is_err());
}
