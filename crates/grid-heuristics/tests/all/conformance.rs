//! Properties of every registered mapping heuristic.

use crate::mappings::Mappings;
use econsched::testkit::{Check, Draw};
use grid_heuristics::{HeuristicError, Mapping, MappingFlaw, MappingHeuristic, MappingKind};
use sched_model::{End, EtcMatrix, Limit, Time};

#[test]
fn every_heuristic_follows_its_definition_and_batch_mode_in_order_is_immediate_mode() {
    Check::new(Mappings).run(1000).unwrap();
    for &kind in MappingKind::ALL {
        assert_eq!(kind.build().name(), kind.name());
        assert!(kind.build_immediate().is_none_or(|heuristic| heuristic.name() == kind.name()));
    }
}

/// Zero is zero whatever its sign, in the order of tasks too.
#[test]
fn the_sign_of_zero_means_nothing() {
    let signed = EtcMatrix::from_rows(&[[2.0, -0.0], [1.0, 10.0], [-0.0, 0.0], [0.0, -0.0]]).unwrap();
    let plain = EtcMatrix::from_rows(&[[2.0, 0.0], [1.0, 10.0], [0.0, 0.0], [0.0, 0.0]]).unwrap();
    for kind in MappingKind::ALL {
        assert_eq!(kind.map(&signed), kind.map(&plain), "{kind}");
        assert_eq!(kind.map(&signed).unwrap().order.len(), 4, "{kind}");
    }
}

#[test]
fn bad_input_is_named() {
    let etc = EtcMatrix::from_rows(&[[1.0, 2.0]]).unwrap();
    for kind in MappingKind::ALL {
        assert_eq!(
            kind.map(&etc.clone().with_ready([Time::ZERO])),
            Err(HeuristicError::ReadyTimes { resources: 2, given: 1 })
        );
        let nowhere = EtcMatrix::new(3, 0, vec![]).unwrap();
        assert_eq!(kind.map(&nowhere), Err(HeuristicError::NoResource { jobs: 3 }));
        let nothing = kind.map(&EtcMatrix::new(0, 2, vec![]).unwrap()).unwrap();
        assert_eq!(nothing.makespan(), Some(Time::ZERO));
    }
}

/// Each part of a mapping is checked.
#[test]
fn a_mapping_that_was_changed_is_found_out() {
    let etc = EtcMatrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]]).unwrap();
    let changed = |change: fn(&mut Mapping), first: &str| {
        let mut mapping = MappingKind::Mct.map(&etc).unwrap(); // both tasks on resource 0, until 4
        change(&mut mapping);
        assert_eq!(mapping.check(&etc)[0].to_string(), first);
    };
    changed(|mapping| mapping.order[1] = 0, "task 0 is twice in the order");
    changed(|mapping| mapping.order[1] = 7, "the order names task 7, which does not exist");
    changed(|mapping| mapping.order.truncate(1), "task 1 is missing from the order");
    changed(|mapping| mapping.resources[1] = 2, "task 1 is mapped to resource 2, which does not exist");
    changed(|mapping| mapping.finishes[1] = Time::ZERO, "task 1: stated end 0, expected 4");
    changed(|mapping| mapping.loads[1] = Time::must(1.0), "resource 1: stated ready time 1, expected 0");
    changed(|mapping| mapping.loads.truncate(1), "1 loads of resources where there should be 2");
}

/// Memory is asked for before it is taken.
#[test]
fn memory_is_limited() {
    let mut draw = Draw::new(1, 0);
    let etc = EtcMatrix::new(700, 60, (0..700 * 60).map(|_| 1.0 + draw.unit()).collect()).unwrap();
    for kind in MappingKind::ALL {
        let within = |bytes| kind.solve(&etc, &mut Limit::none().with_memory(bytes).meter());
        // Those that map on arrival remember nothing that grows.
        if kind.build_immediate().is_none() {
            assert_eq!(within(1000), Err(HeuristicError::Stopped(End::Memory)), "{kind}");
        }
        assert!(within(10_000_000).is_ok(), "{kind}");
    }
    // Duplex keeps what it has, and the meter tells that a limit came.
    let meter = |bits: u32| Limit::none().with_memory(1 << bits).meter();
    let enough = |bits: &u32| MappingKind::MinMin.solve(&etc, &mut meter(*bits)).is_ok();
    let mut meter = meter((10..34).find(enough).unwrap());
    let mapping = MappingKind::Duplex.solve(&etc, &mut meter);
    assert_eq!(mapping, MappingKind::MinMin.map(&etc));
    assert_eq!(meter.ended(), Some(End::Memory));
    // A header without rows may state any number of columns.
    let hollow = EtcMatrix::new(0, 4_294_967_295, vec![]).unwrap();
    let endless = EtcMatrix::new(0, usize::MAX, vec![]).unwrap();
    let of_two = MappingKind::Met.map(&EtcMatrix::new(0, 2, vec![]).unwrap()).unwrap();
    let flaw = MappingFlaw::Count { what: "loads of resources", expected: usize::MAX, found: 2 };
    assert_eq!(of_two.check(&endless), [flaw]);
    for kind in MappingKind::ALL {
        let error = kind.map(&hollow).unwrap_err();
        assert_eq!(error, HeuristicError::TooMany { limit: 1 << 24, given: 4_294_967_295 }, "{kind}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn settings_are_written_and_read() {
    use grid_heuristics::{JobGrouping, TradeOffMetric};
    let metric = TradeOffMetric::default().with_factor(sched_model::TradeOff::must(0.25));
    let text = serde_json::to_string(&metric).unwrap();
    assert_eq!(text, r#"{"factor":0.25,"averages":"fitting"}"#);
    assert_eq!(serde_json::from_str::<TradeOffMetric>(&text).unwrap(), metric);
    assert!(serde_json::from_str::<TradeOffMetric>(r#"{"factor":1.5,"averages":"all"}"#).is_err());
    let grouping = JobGrouping::new(sched_model::Span::must(10.0)).with_max_jobs(3);
    let text = serde_json::to_string(&grouping).unwrap();
    assert_eq!(serde_json::from_str::<JobGrouping>(&text).unwrap(), grouping);
}
