//! The provider's strategy on cases computed by hand: costs, offered processors, machines within a site.

use auction_assign::strategy::{Demand, FreeMachine, LocalRule, Mode, SitePlan, SiteState, Strategy};
use auction_assign::{AssignError, AssignerKind, MAX_COST};
use econsched::testkit::drawn;
use sched_model::{Bandwidth, DataSize, Priority, Span, Speed, Work};

/// A machine that never fails.
fn up(free: u32, live: u32, speed: f64) -> FreeMachine {
    FreeMachine { free, live, speed: Speed::must(speed), mean_time_to_failure: None }
}

/// The same with one busy processor.
fn machine(free: u32, speed: f64) -> FreeMachine {
    up(free, free + 1, speed)
}

fn planned(strategy: Strategy, jobs: &[Demand], sites: &[SiteState]) -> Result<SitePlan, AssignError> {
    strategy.plan(jobs, sites, &AssignerKind::Automatic)
}

/// The same with this mean time between failures.
fn failing(machine: FreeMachine, mean: f64) -> FreeMachine {
    FreeMachine { mean_time_to_failure: Some(Span::must(mean)), ..machine }
}

#[test]
fn a_site_has_means_over_its_free_processors() {
    // (3 * 1000 + 1 * 3000) / 4
    assert_eq!(SiteState::new(&[machine(3, 1000.0), machine(1, 3000.0)]).speed, Some(Speed::must(1500.0)));
    assert_eq!(SiteState::new(&[machine(0, 1000.0)]).speed, None);
    assert_eq!(SiteState::new(&[]).speed, None);
    // (3 * 40 + 1 * 80) / 4 = 50 seconds.
    let two = [(3, 40.0), (1, 80.0)].map(|(free, mean)| failing(machine(free, 1.0), mean));
    assert_eq!(SiteState::new(&two).failure_rate, 1.0 / 50.0);
}

#[test]
fn time_and_failure_by_hand() {
    let job = Demand {
        input: DataSize::must(640.0),
        bandwidth: Some(Bandwidth::must(64.0)),
        ..Demand::from(Work::must(12_000.0))
    };
    let near = SiteState { bandwidth: Some(Bandwidth::must(32.0)), ..SiteState::new(&[machine(2, 3000.0)]) };
    // 640 / min(64, 32) + 12000 / 3000
    assert_eq!(Strategy::default().costs(&[job], &[near]).unwrap(), [24.0]);
    let fragile = SiteState {
        bandwidth: Some(Bandwidth::must(1.0)),
        link_mean_time_to_failure: Some(Span::must(20.0)),
        ..SiteState::new(&[failing(machine(1, 2.0), 10.0)])
    };
    let job = Demand {
        input: DataSize::must(4.0),
        bandwidth: Some(Bandwidth::must(1.0)),
        link_mean_time_to_failure: Some(Span::must(5.0)),
        ..Demand::from(Work::must(10.0))
    };
    // 5 s of processing at 1/10, 4 s of transfer at 1/20 + 1/5.
    let survival = (-0.5f64).exp() * (-1.0f64).exp();
    let guarded = Strategy::default().with_fail_prevention(2.0).costs(&[job], &[fragile]).unwrap();
    assert!((guarded[0] - 9.0 / (survival * survival)).abs() < 1e-12);
}

/// Nothing is said of the links but that the owner's takes 10 s for the input: 10 + 4, however much failures count.
#[test]
fn a_link_takes_no_time_and_never_fails_where_nothing_is_said_of_it() {
    let input = DataSize::must(640.0);
    let job = Demand { input, ..Demand::from(Work::must(12_000.0)) };
    let far = Demand { bandwidth: Some(Bandwidth::must(64.0)), ..job };
    let strategy = Strategy::default().with_fail_prevention(2.0);
    assert_eq!(strategy.costs(&[job, far], &[SiteState::new(&[up(1, 1, 3000.0)])]).unwrap(), [4.0, 14.0]);
}

#[test]
fn quality_and_waiting_divide_or_weigh() {
    let job = Demand {
        qos: Priority::must(3.0),
        priority: Priority::must(2.0),
        waited: Span::must(10.0),
        ..Demand::from(Work::must(8.0))
    };
    let strategy = Strategy::default().with_slice(Span::must(5.0));
    let strategy = strategy.with_quality_of_service(2.0).with_starvation_prevention(1.0);
    // 3^2 * 2 * (1 + 2)
    let sites = [SiteState::new(&[machine(1, 1.0)]), SiteState::new(&[machine(1, 2.0)])];
    assert_eq!(strategy.costs(&[job], &sites).unwrap(), [8.0 / 54.0, 4.0 / 54.0]);
    let weighed = strategy.with_mode(Mode::Weighted).costs(&[job], &sites).unwrap();
    assert_eq!(weighed, [54.0 * (8.0 - 13.0), 54.0 * (4.0 - 13.0)]);
}

#[test]
fn the_two_modes_in_the_contest_for_the_fast_site() {
    let sites = [SiteState::new(&[machine(1, 2.0)]), SiteState::new(&[machine(1, 1.0)])];
    let plain = Demand::from(Work::must(20.0));
    let jobs = [Demand { qos: Priority::must(10.0), ..plain }, plain];
    let strategy = Strategy::default().with_quality_of_service(1.0);
    // 1 + 20 against 2 + 10.
    for (mode, best) in [(Mode::Divided, [Some(1), Some(0)]), (Mode::Weighted, [Some(0), Some(1)])] {
        let strategy = strategy.with_mode(mode);
        assert_eq!(planned(strategy, &jobs, &sites).unwrap().sites, best);
        // In both modes the job of greater weight is selected if there is one processor.
        assert_eq!(planned(strategy, &jobs, &sites[..1]).unwrap().sites, [Some(0), None]);
    }
}

#[test]
fn a_plan_uses_free_processors_alone_and_balancing_offers_fewer() {
    let sites = [SiteState::new(&[machine(0, 9.0)]), SiteState::new(&[machine(2, 1.0)])];
    let jobs = [Demand::from(Work::must(1.0)); 6];
    let plan = planned(Strategy::default(), &jobs[..3], &sites).unwrap();
    assert_eq!((plan.ready, plan.offered), (vec![1], vec![0, 2]));
    assert_eq!(plan.sites.iter().flatten().count(), 2);
    assert!(Strategy::default().costs(&jobs, &sites).is_err());
    assert_eq!(planned(Strategy::default(), &jobs[..3], &[]).unwrap().sites, [None; 3]);
    assert!(planned(Strategy::default(), &[], &sites).unwrap().sites.is_empty());
    let even = [(8, 9.0), (4, 1.0)].map(|(all, speed)| SiteState::new(&[up(all, all, speed)]));
    let count = |plan: &SitePlan, r| plan.sites.iter().filter(|&&s| s == Some(r)).count();
    for (balancing, counts) in [(false, (6, 0)), (true, (4, 2))] {
        let plan = planned(Strategy::default().with_balancing(balancing), &jobs, &even).unwrap();
        assert_eq!((count(&plan, 0), count(&plan, 1)), counts);
    }
}

#[test]
fn parameters_are_checked_and_extremes_stay_finite() {
    let sites = [SiteState::new(&[failing(machine(1, 1.0), 1e-9)])];
    let jobs = [Demand::from(Work::must(1e9))];
    let strategy = Strategy::default();
    assert_eq!(strategy.with_fail_prevention(5.0).costs(&jobs, &sites).unwrap(), [MAX_COST]);
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(planned(strategy.with_fail_prevention(bad), &jobs, &sites).is_err());
        assert!(planned(strategy.with_quality_of_service(bad), &jobs, &sites).is_err());
        assert!(planned(strategy.with_starvation_prevention(bad), &jobs, &sites).is_err());
    }
    assert!(planned(strategy.with_slice(Span::ZERO), &jobs, &sites).is_err());
}

#[test]
fn jobs_beyond_the_processors_wait_and_balance_follows_the_fraction_as_it_falls() {
    let machine = |all, speed| up(all, all, speed);
    let machines = [machine(1, 1.0), machine(1, 1.0)];
    let jobs = [3.0, 1.0, 2.0].map(Work::must);
    for rule in [LocalRule::ShortestFirst, LocalRule::Balanced] {
        assert_eq!(rule.place(&jobs, &machines).unwrap(), [None, Some(0), Some(1)], "{rule:?}");
    }
    let placed = LocalRule::LeastTotal.place(&jobs, &machines).unwrap();
    assert_eq!((placed[0], placed.iter().flatten().count()), (None, 2));
    assert_eq!(LocalRule::ShortestFirst.place(&jobs, &[]).unwrap(), [None; 3]);
    // Fractions 4/4 and 2/2: the faster machine first, then by falling fraction.
    let jobs = [1.0, 2.0, 3.0].map(Work::must);
    let placed = LocalRule::Balanced.place(&jobs, &[machine(4, 1.0), machine(2, 5.0)]).unwrap();
    assert_eq!(placed, [Some(1), Some(0), Some(0)]);
}

/// The processors that balanced sites offer to so many equal jobs.
fn offered(sites: &[SiteState], jobs: usize) -> Vec<u32> {
    let jobs = vec![Demand::from(Work::must(1.0)); jobs];
    planned(Strategy::default().with_balancing(true), &jobs, sites).unwrap().offered
}

#[test]
fn offers_by_hand() {
    let of = |free, live| SiteState::new(&[up(free, live, 1.0)]);
    // 6 jobs: both sites keep 2 of 8 and 1 of 4 free.
    assert_eq!(offered(&[of(8, 8), of(1, 4)], 6), [6, 0]);
    assert_eq!(offered(&[of(8, 8), of(4, 4)], 6), [4, 2]);
    assert_eq!(offered(&[of(3, 8), of(4, 4)], 9), [3, 4]);
    assert!(offered(&[], 3).is_empty());
    assert_eq!(offered(&[of(0, 0), of(2, 0)], 3), [0, 0]);
    assert_eq!(offered(&[of(2, 2)], 0), [0]);
}

#[test]
fn as_many_as_jobs_are_offered_and_fractions_even() {
    drawn(256, |draw| {
        let processors = |_| {
            let live = draw.below(40);
            let free = draw.below(live + 1) as u32;
            SiteState::new(&[up(free, live as u32, 1.0)])
        };
        let sites: Vec<SiteState> = (0..7).map(processors).collect();
        let (sites, jobs) = (&sites[..draw.between(1, 7)], draw.below(200));
        let offered = offered(sites, jobs);
        let free: usize = sites.iter().map(|site| site.free as usize).sum();
        assert_eq!(offered.iter().map(|&offer| offer as usize).sum::<usize>(), free.min(jobs));
        for (a, &g) in sites.iter().zip(&offered) {
            assert!(g <= a.free);
            // Moving one processor to another site would not make the fractions more even, up to rounding.
            for (b, &h) in sites.iter().zip(&offered).filter(|&(b, &h)| g > 0 && h < b.free) {
                let left = |site: &SiteState, offer| f64::from(site.free - offer) / f64::from(site.live);
                let unit = 1.0 / f64::from(a.live) + 1.0 / f64::from(b.live);
                assert!(left(a, g) >= left(b, h) - unit - 1e-9, "{sites:?} {offered:?}");
            }
        }
    });
}
