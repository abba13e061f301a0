//! Grids, users and jobs: the published tables, the ranges they are drawn from, pinned values, and what is refused.

use super::*;
use econsched_studies::multi_s_grid::{GridName, UserGroup};

#[test]
fn what_is_drawn_lies_in_its_ranges() {
    drawn(40, |draw| {
        let (seed, mean_gap) = (draw.bytes(8), 5.0 * draw.unit());
        let mut rng = stream(seed, 0);
        for &name in GridName::ALL {
            let properties = name.properties();
            let sites = properties.generate(&mut rng).unwrap();
            assert_eq!(sites.len(), properties.sites as usize);
            for site in &sites {
                assert!(properties.bandwidth.contains(&site.bandwidth().unwrap().get()));
                let link = site.link_mean_time_to_failure().unwrap().get();
                assert!(properties.link_mean_time_to_failure.contains(&link));
                assert!(properties.machines.contains(&(site.machines().len() as u32)));
            }
            for (at, machine) in sites.iter().flat_map(|site| site.machines()).enumerate() {
                assert_eq!(machine.id().0 as usize, at);
                assert!(properties.cpus.contains(&machine.cpus()));
                assert!(properties.speed.contains(&machine.speed().get()));
                let failure = machine.mean_time_to_failure().unwrap().get();
                assert!(properties.machine_mean_time_to_failure.contains(&failure));
            }
        }
        for &group in UserGroup::ALL {
            let properties = group.properties();
            let users = properties.generate(&mut rng).unwrap();
            assert_eq!(users.len(), properties.users as usize);
            for user in &users {
                assert!(properties.bandwidth.contains(&user.bandwidth.get()));
                assert!(properties.qos.contains(&user.user.qos.get()));
                let link = user.link_mean_time_to_failure.get();
                assert!(properties.link_mean_time_to_failure.contains(&link));
            }
            let jobs = JobProperties::default().with_mean_gap(mean_gap).generate(&users, &mut rng).unwrap();
            assert_eq!(jobs.len(), 100);
            assert!(jobs.is_sorted_by_key(|job| job.submit));
            for job in &jobs {
                assert!(users.iter().any(|user| user.user.id == job.user));
                assert!((1200.0..=12000.0).contains(&job.request.work().get()));
                assert!((32.0..=1024.0).contains(&job.request.input().get()));
            }
        }
    });
}

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

/// A seed gives the same values in every version; a change is one that the changelog must tell.
#[test]
fn values_of_a_seed_stay() {
    let digest = |values: &mut dyn Iterator<Item = f64>| {
        values
            .flat_map(|value| value.to_bits().to_le_bytes())
            .fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
                (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
    };
    let mut rng = stream(42, 0);
    let sites = GridName::G18.properties().generate(&mut rng).unwrap();
    let machines = sites.iter().flat_map(|site| site.machines());
    let mut values = machines.flat_map(|machine| [f64::from(machine.cpus()), machine.speed().get()]);
    assert_eq!(digest(&mut values), 5_986_907_717_463_890_295);
    let users = UserGroup::Users2.properties().generate(&mut rng).unwrap();
    let mut values = users.iter().flat_map(|user| [user.bandwidth.get(), user.user.qos.get()]);
    assert_eq!(digest(&mut values), 9_167_276_195_737_623_810);
    let jobs = JobProperties::default().generate(&users, &mut rng).unwrap();
    let of = |job: &Job| {
        let request = &job.request;
        let price = request.price_limit().map_or(-1.0, |price| price.get());
        let (submit, user, speed) = (job.submit.get(), f64::from(job.user.0), request.min_speed().get());
        let (nodes, work, input) = (request.nodes() as f64, request.work().get(), request.input().get());
        [submit, user, nodes, work, speed, price, input, job.trade_off.get()]
    };
    assert_eq!(digest(&mut jobs.iter().flat_map(of)), 15_936_694_050_835_975_099);
}

#[test]
fn refusals_name_the_field_and_the_value() {
    let (grid, users, jobs) =
        (GridProperties::default(), UserProperties::default(), JobProperties::default());
    let rng = &mut stream(1, 0);
    for (result, text) in [
        (grid.clone().with_cpus(0..=4).generate(rng).map(drop), "cpus is 0..=4;"),
        (grid.with_bandwidth(0.0..=4.0).generate(rng).map(drop), "bandwidth is 0..=4;"),
        (users.with_qos(3.0..=2.0).generate(rng).map(drop), "qos is 3..=2;"),
        (jobs.clone().with_mean_gap(-1.0).generate(&[], rng).map(drop), "mean_gap is -1;"),
        (jobs.generate(&[], rng).map(drop), "number of users is 0;"),
    ] {
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with(text), "{error}");
    }
}

/// Ends of what a number can be in every range: drawn or refused.
#[test]
fn extreme_ranges_are_drawn_or_refused() {
    const ENDS: [f64; 9] = [-1.0, 0.0, 5e-324, 1e-60, 0.999, 32.0, 1e60, 1e61, f64::INFINITY];
    let users = UserProperties::default().generate(&mut stream(1, 0)).unwrap();
    let (mut drawn, mut refused) = (0, 0);
    let mut count = |ok: bool| if ok { drawn += 1 } else { refused += 1 };
    for (low, high) in ENDS.iter().flat_map(|&low| ENDS.map(|high| (low, high))) {
        let rng = &mut stream(1, 0);
        let grid = GridProperties::default().with_sites(2).with_machines(1..=3);
        let link = grid.clone().with_link_mean_time_to_failure(low..=high);
        let machine = grid.clone().with_machine_mean_time_to_failure(low..=high);
        for grid in [grid.clone().with_bandwidth(low..=high), grid.with_speed(low..=high), link, machine] {
            count(grid.generate(rng).is_ok());
        }
        let user = UserProperties::default().with_users(3);
        let link = user.clone().with_link_mean_time_to_failure(low..=high);
        for user in [user.clone().with_bandwidth(low..=high), user.with_qos(low..=high), link] {
            count(user.generate(rng).is_ok());
        }
        let job = JobProperties::default().with_jobs(4).with_mean_gap(low);
        for job in [
            job.clone().with_length(low..=high),
            job.clone().with_input(low..=high),
            job.with_priority(low..=high),
        ] {
            count(job.generate(&users, rng).is_ok());
        }
    }
    assert!(drawn > 100 && refused > 100, "{drawn} {refused}");
}
