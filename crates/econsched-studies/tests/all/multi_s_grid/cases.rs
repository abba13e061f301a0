//! Small grids computed by hand: times, odd input, failures.

use super::*;

/// One site of one machine of two processors, whose link takes no time and never fails; two users.
fn small(jobs: &[(u32, f64, f64)]) -> Setup {
    let machine = Machine::new(MachineId(0), 2, Speed::must(1000.0), Price::must(2.0)).unwrap();
    let site = Site::new(SiteId(1), "site", vec![machine]).unwrap();
    let user = |id| GridUser {
        id: UserId(id),
        qos: Priority::must(1.0),
        bandwidth: Bandwidth::must(50.0),
        link_mean_time_to_failure: Span::must(1e9),
    };
    let job = |(id, &(owner, submit, work)): (u64, &(u32, f64, f64))| {
        let request = ResourceRequest::must(1, work).with_input(DataSize::must(200.0));
        Job::new(JobId(id), request).with_user(UserId(owner)).with_submit(Time::must(submit))
    };
    (vec![site], vec![user(1), user(2)], (0..).zip(jobs).map(job).collect())
}

#[test]
fn times_by_hand() {
    // Two processors; 200 KB at 50 KB/s of the owner's link: 4 s; then 3, 6 and 1 s of work.
    let setup = small(&[(1, 0.0, 3000.0), (2, 0.5, 6000.0), (1, 0.6, 1000.0)]);
    let config = Config::default().with_failures(false).with_starving_after(Span::must(5.0)).with_trace(true);
    let outcome = simulate(&setup, &config, 1);
    let course: Vec<_> = outcome
        .records
        .iter()
        .map(|record| (record.start.unwrap().get(), record.end().unwrap().get(), record.cost().get()))
        .collect();
    // At 1 one processor is free: the shorter of the two gets it, until 6. The other starts at 6.
    assert_eq!(course, [(0.0, 7.0, 14.0), (6.0, 16.0, 20.0), (1.0, 6.0, 10.0)]);
    assert_eq!((outcome.starved, outcome.mean_cost), (1, 22.0 / 3.0));
    assert_eq!(outcome.report.endings, [("done".to_owned(), 3)].into());
    assert_eq!(outcome.slices[1].loads, [Some(1.0)]);
    assert_eq!((outcome.slices[1].waiting, outcome.slices[1].assigned), (2, 1));
}

#[test]
fn odd_input_is_told_apart() {
    let good = small(&[(1, 0.0, 3000.0)]);
    let config = Config::default();
    let error = |setup: &Setup, config: &Config| {
        grid(&setup.0, &setup.1, config).run(&setup.2).unwrap_err().to_string()
    };
    let mut stranger = good.clone();
    stranger.2[0].user = UserId(9);
    assert_eq!(error(&stranger, &config), "job 0 belongs to user 9, who is not given");
    let mut twice = good.clone();
    twice.2.push(twice.2[0].clone());
    assert_eq!(error(&twice, &config), "job 0 was submitted twice");
    let negative = config.clone().with_strategy(Provider::default().with_fail_prevention(-1.0));
    assert!(error(&good, &negative).starts_with("strategy: "));
    let stopped = config.clone().with_strategy(Provider::default().with_slice(Span::ZERO));
    assert_eq!(error(&good, &stopped), "the time slice must be positive, got 0");
    for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = error(&good, &config.clone().with_auction(Some(epsilon)));
        assert!(refused.starts_with("the epsilon of the auction must be positive and finite"), "{refused}");
    }

    let mut wide = good.clone();
    let request = ResourceRequest::must(2, 1.0);
    wide.2.push(Job::new(JobId(7), request).with_user(UserId(1)));
    let outcome = simulate(&wide, &config, 0);
    assert_eq!(outcome.records[1].ending, Ending::Refused(Refusal::TooWide { needed: 2, largest: 1 }));

    /// Sends everything to one site.
    #[derive(Debug)]
    struct Crowding;
    impl GlobalScheduler for Crowding {
        fn plan(
            &mut self,
            _: Time,
            jobs: &[Demand],
            _: &[SiteState],
        ) -> Result<Vec<Option<usize>>, SimError> {
            Ok(vec![Some(0); jobs.len()])
        }
    }
    let crowd = small(&[(1, 0.0, 1.0), (1, 0.0, 1.0), (2, 0.0, 1.0)]);
    let schedulers = Schedulers { global: &mut Crowding, local: &mut LocalRule::ShortestFirst };
    let meter = &mut Limit::none().meter();
    let error = grid(&crowd.0, &crowd.1, &config).run_under(&crowd.2, schedulers, meter).unwrap_err();
    assert_eq!(error.to_string(), "the global scheduler: 3 jobs for the 2 free processors of site 0");
}

#[test]
fn a_strategy_does_not_change_what_fails() {
    let setup = setup(4, 3, 100, 0.5);
    let failures = |fp: f64| {
        let strategy = Provider::default().with_fail_prevention(fp);
        let outcome = simulate(&setup, &Config::default().with_strategy(strategy).with_log(true), 9);
        let machine = |what: &LogEvent| matches!(what, LogEvent::MachineFailed(_));
        let list: Vec<_> = outcome.log.iter().filter(|entry| machine(&entry.what)).copied().collect();
        list
    };
    let (plain, careful) = (failures(0.0), failures(2.0));
    let both = plain.len().min(careful.len());
    assert!(both > 5, "{both}");
    assert_eq!(plain[..both], careful[..both]);
}

#[test]
fn links_of_users_and_of_sites_fail_as_different_endings() {
    // Transfers of 4 s, then 100 s of work: only the machine's site can fail after the transfer.
    let jobs: Vec<(u32, f64, f64)> = (0..60).map(|at| (1 + at % 2, f64::from(at), 1000.0)).collect();
    let (mut sites, mut users, jobs) = small(&jobs);
    let endings = |sites: &[Site], users: &[GridUser]| {
        grid(sites, users, &Config::default()).with_seed(3).run(&jobs).unwrap().report.endings
    };
    users.iter_mut().for_each(|user| user.link_mean_time_to_failure = Span::must(6.0));
    let of_users = endings(&sites, &users);
    assert!(of_users["user link failed"] > 5, "{of_users:?}");
    assert!(!of_users.contains_key("link failed"), "{of_users:?}");
    users.iter_mut().for_each(|user| user.link_mean_time_to_failure = Span::must(1e9));
    sites[0].link_mean_time_to_failure = Some(Span::must(20.0));
    let of_site = endings(&sites, &users);
    assert!(of_site["link failed"] > 5, "{of_site:?}");
    assert!(!of_site.contains_key("user link failed"), "{of_site:?}");
}

#[test]
fn a_site_has_machines_and_each_once() {
    assert_eq!(
        Site::new(SiteId(1), "", vec![]).unwrap_err(),
        ModelError::Zero { what: "machines of a site" }
    );
    let (mut sites, ..) = small(&[]);
    let twice = vec![sites[0].machines[0]; 2];
    let error = Site::new(SiteId(1), "", twice.clone()).unwrap_err();
    assert_eq!(error, ModelError::RepeatedId { what: "machine", id: 0 });
    #[cfg(feature = "serde")]
    for (machines, is_read) in [(twice, false), (vec![], false), (sites[0].machines.clone(), true)] {
        sites[0].machines = machines;
        let text = serde_json::to_string(&sites[0]).unwrap();
        assert_eq!(serde_json::from_str::<Site>(&text).is_ok(), is_read, "{text}");
    }
}
