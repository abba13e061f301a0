//! The meta-broker study, small: what holds in every replicate.

use econsched::grid_heuristics::TradeOffKind;
use econsched::sched_model::TradeOff;
use econsched::workload_gen::meta_broker::{MetaBrokerConfiguration, MetaBrokerWorkload};
use econsched_studies::garg2009::broker::{BrokerReport, Config, run, simulate};

fn config(jobs: usize) -> Config {
    Config::default().with_workload(MetaBrokerWorkload::default().with_jobs(jobs))
}

#[test]
fn every_configuration_and_heuristic_runs_all_jobs_and_charges_what_sites_earn() {
    for &configuration in MetaBrokerConfiguration::ALL {
        for &heuristic in TradeOffKind::ALL {
            let config =
                config(60).with_configuration(configuration).with_heuristic(heuristic).with_local_jobs(20);
            let report: BrokerReport = run(&config, 3, 1).unwrap();
            assert_eq!(report.ran + report.refused, 60);
            assert_eq!(report.jobs_on.iter().sum::<usize>(), report.ran);
            let earned: f64 = report.earned.iter().sum();
            assert!((earned - report.total_cost).abs() <= 1e-9 * earned, "{earned} {}", report.total_cost);
            assert!(report.utilisation > 0.0 && report.utilisation <= 1.0);
            assert!(report.mean_response >= report.mean_wait && report.makespan >= report.mean_response);
        }
    }
}

#[test]
fn all_cost_is_cheaper_than_all_time() {
    let at = |factor| run(&config(120).with_trade_off(Some(TradeOff::must(factor))), 5, 0).unwrap();
    let (time, cost) = (at(0.0), at(1.0));
    assert!(cost.total_cost < time.total_cost, "{} {}", cost.total_cost, time.total_cost);
    assert!(cost.makespan > time.makespan, "{} {}", cost.makespan, time.makespan);
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
    assert!(run(&config(5).with_local_overestimate(0.5).with_local_jobs(1), 1, 0).is_err());
}
