//! Limits: counted work, memory, signals.

use econsched::testkit::{Draw, Stopped, Stops};
use grid_heuristics::{
    ClusterView, HeuristicError, MappingFlaw, MappingKind, TradeOffKind, TradeOffMetric, TradeOffProblem,
};
use sched_model::{End, EtcMatrix, Job, JobId, Limit, Price, Profile, ResourceRequest, Speed, Time};

/// As many jobs as this on twenty clusters.
fn market(jobs: usize) -> (Vec<Job>, Vec<ClusterView>, EtcMatrix) {
    let cluster = |at: u32| ClusterView {
        speed: Speed::ETALON,
        price: Price::must(f64::from(1 + at % 3)),
        free: Profile::new(4 + at, Time::ZERO).unwrap(),
    };
    let job = |id| Job::new(JobId(id as u64), ResourceRequest::must(1 + id % 4, 1.0));
    let times = EtcMatrix::from_fn(jobs, 20, |id, at| 1.0 + ((id * 7 + at * 11) % 13) as f64).unwrap();
    ((0..jobs).map(job).collect(), (0..20).map(cluster).collect(), times)
}

#[test]
fn schedules_stop_where_they_are_told() {
    let (jobs, clusters, times) = market(1800);
    let problem = TradeOffProblem::new(&jobs, &clusters).with_times(&times);
    let stops = Stops { parts: vec![10, 330_000, 500_000], questions: 1, ..Stops::default() };
    for kind in TradeOffKind::ALL {
        let heuristic = kind.build(TradeOffMetric::default());
        assert_eq!(heuristic.name(), kind.name());
        let run = |limit: &Limit| {
            let mut meter = limit.meter();
            let schedule = match heuristic.solve(&problem, &mut meter) {
                Err(HeuristicError::Stopped(_)) => None,
                schedule => Some(schedule?),
            };
            // The more jobs are placed, the better.
            let value = schedule.as_ref().map(|schedule| -(schedule.placed().count() as f64));
            let end = meter.ended().unwrap_or(End::Done);
            Ok(Stopped { rank: 0.0, value, bound: None, work: meter.work(), end, answer: schedule })
        };
        let whole = stops.check(u64::MAX, run).unwrap_or_else(|fault| panic!("{kind}: {fault}"));
        assert!(whole.end == End::Done && whole.work > 1 << 15, "{kind}: {}", whole.work);
    }
}

/// Memory is asked for before it is taken.
#[test]
fn memory_is_limited() {
    let mut draw = Draw::new(1, 0);
    let etc = EtcMatrix::from_fn(700, 60, |_, _| 1.0 + draw.unit()).unwrap();
    for kind in MappingKind::ALL {
        let within = |bytes| kind.build().solve(&etc, &mut Limit::none().with_memory(bytes).meter());
        // Those that map on arrival remember nothing that grows.
        if kind.build_immediate().is_none() {
            assert_eq!(within(1000), Err(HeuristicError::Stopped(End::Memory)), "{kind}");
        }
        assert!(within(10_000_000).is_ok(), "{kind}");
    }
    // Duplex keeps what it has, and the meter tells that a limit came.
    let meter = |bits: u32| Limit::none().with_memory(1 << bits).meter();
    let enough = |bits: &u32| MappingKind::MinMin.build().solve(&etc, &mut meter(*bits)).is_ok();
    let mut meter = meter((10..34).find(enough).unwrap());
    let mapping = MappingKind::Duplex.build().solve(&etc, &mut meter);
    assert_eq!(mapping, MappingKind::MinMin.build().map(&etc));
    assert_eq!(meter.ended(), Some(End::Memory));
    // A header without rows may state any number of columns.
    let hollow = EtcMatrix::new(0, 4_294_967_295, vec![]).unwrap();
    let endless = EtcMatrix::new(0, usize::MAX, vec![]).unwrap();
    let of_two = MappingKind::Met.build().map(&EtcMatrix::new(0, 2, vec![]).unwrap()).unwrap();
    let flaw = MappingFlaw::Count { what: "loads of resources", expected: usize::MAX, found: 2 };
    assert_eq!(of_two.check(&endless), [flaw]);
    for kind in MappingKind::ALL {
        let error = kind.build().map(&hollow).unwrap_err();
        assert_eq!(error, HeuristicError::TooMany { limit: 1 << 24, given: 4_294_967_295 }, "{kind}");
    }
}
