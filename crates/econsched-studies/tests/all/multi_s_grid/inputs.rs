//! Grids, users and jobs: the published tables, and the values that are refused.

use super::*;
use econsched_studies::multi_s_grid::{GridName, UserGroup};

/// Tables 1 and 2 as printed, row by row.
#[test]
fn grids_and_users_are_the_tables() {
    let grids: Vec<GridProperties> = GridName::ALL.iter().map(|name| name.properties()).collect();
    let row = |f: &dyn Fn(&GridProperties) -> f64| grids.iter().map(f).collect::<Vec<_>>();
    assert_eq!(row(&|g| f64::from(g.sites)), [3., 5., 7., 5., 3., 5., 7., 3., 5., 7.]);
    assert_eq!(row(&|g| *g.bandwidth.start()), [32., 32., 64., 32., 64., 32., 64., 64., 32., 32.]);
    let ends = [512., 512., 1024., 512., 1024., 512., 1024., 1024., 512., 512.];
    assert_eq!(row(&|g| *g.bandwidth.end()), ends);
    let links = |g: &GridProperties| *g.link_mean_time_to_failure.start();
    assert_eq!(row(&links), [30., 15., 30., 30., 15., 15., 15., 15., 15., 30.]);
    let links = |g: &GridProperties| *g.link_mean_time_to_failure.end();
    assert_eq!(row(&links), [120., 90., 120., 120., 90., 90., 90., 90., 90., 120.]);
    assert_eq!(row(&|g| f64::from(*g.machines.end())), [4., 8., 4., 8., 8., 4., 8., 4., 8., 8.]);
    let machines = |g: &GridProperties| *g.machine_mean_time_to_failure.start();
    assert_eq!(row(&machines), [15., 10., 10., 15., 15., 15., 15., 10., 10., 15.]);
    let machines = |g: &GridProperties| *g.machine_mean_time_to_failure.end();
    assert_eq!(row(&machines), [90., 60., 60., 90., 90., 90., 90., 60., 60., 90.]);
    let slowest = [1200., 2400., 1200., 1200., 2400., 1200., 1200., 1200., 1200., 1200.];
    assert_eq!(row(&|g| *g.speed.start()), slowest);
    assert_eq!(row(&|g| *g.speed.end()), [3600.0; 10]);
    assert_eq!(row(&|g| f64::from(*g.cpus.end())), [8., 8., 4., 4., 4., 4., 8., 8., 8., 8.]);
    assert!(grids.iter().all(|g| *g.machines.start() == 1 && *g.cpus.start() == 1));
    let [first, second] = [UserGroup::Users1, UserGroup::Users2].map(|group| group.properties());
    assert_eq!((first.users, second.users), (10, 20));
    assert_eq!((first.link_mean_time_to_failure, first.qos), (20.0..=100.0, 2.0..=10.0));
    assert_eq!((second.link_mean_time_to_failure, second.qos), (20.0..=400.0, 2.0..=15.0));
    assert_eq!((first.bandwidth, second.bandwidth), (16.0..=512.0, 16.0..=512.0));
}

#[test]
fn refusals_name_the_field_and_the_value() {
    let (grid, users, jobs) =
        (GridProperties::default(), UserProperties::default(), JobProperties::default());
    let rng = &mut stream(1, 0);
    for (result, text) in [
        (grid.clone().with_cpus(0..=4).generate(rng).map(drop), "cpus is 0..=4;"),
        (grid.with_bandwidth(0.0..=4.0).generate(rng).map(drop), "bandwidth is 0;"),
        (users.with_qos(3.0..=2.0).generate(rng).map(drop), "qos is 3..=2;"),
        (jobs.clone().with_mean_gap(-1.0).generate(&[], rng).map(drop), "mean_gap is -1;"),
        (jobs.generate(&[], rng).map(drop), "number of users is 0;"),
    ] {
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with(text), "{error}");
    }
}
