//! Properties of every registered mapping heuristic.

use crate::mappings::{Mappings, follows};
use econsched::testkit::zoo::{AssignmentGenerator, CostStructure};
use econsched::testkit::{Check, Draw, Numbers};
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

/// Matrices larger than the random instances, so that buckets fill and bounds matter: every structure of costs that
/// the testkit knows, and times that are equal, far apart or at the ends of what they may be.
fn large_matrices() -> Vec<(String, EtcMatrix)> {
    let mut all = vec![];
    for (number, &structure) in CostStructure::ALL.iter().enumerate() {
        let machines = [3, 13, 37][number % 3];
        let generator = AssignmentGenerator::new(400, machines, structure).with_real_costs();
        let times = generator.generate(&mut Draw::new(1, number)).values;
        all.push((structure.to_string(), EtcMatrix::new(400, machines, times).unwrap()));
    }
    let mut draw = Draw::new(1, 0);
    let mut made = |name: &str, tasks, machines, time: &mut dyn FnMut(usize, usize, &mut Draw) -> f64| {
        let times = (0..tasks * machines).map(|at| time(at / machines, at % machines, &mut draw)).collect();
        let etc = EtcMatrix::new(tasks, machines, times);
        all.push((name.to_owned(), etc.unwrap()));
    };
    made("nothing", 300, 20, &mut |_, _, _| 0.0);
    use Numbers::{Huge, Near, Powers, Subnormal, Ties, Tiny};
    for numbers in [Ties, Near, Powers, Subnormal, Tiny, Huge] {
        made(&format!("{numbers:?}"), 300, 20, &mut |_, _, draw| numbers.draw(draw));
    }
    made("rows that differ little", 500, 37, &mut |task, at, _| (task % 5 + at) as f64 + 1e-9 * task as f64);
    made("some want the same", 900, 60, &mut |task, at, draw| {
        let unit = 7.0 * draw.unit();
        if task < 450 { 1.0 + unit } else { (1.0 + at as f64) * (1.0 + 0.001 * unit) }
    });
    // More equal sums than are remembered of a task: task 23 suffers 1000 once all but the last resource are
    // taken.
    made("ties beside others", 40, 24, &mut |task, at, _| match (task, at) {
        (..23, _) if task == at => 1000.0,
        (..23, _) => 1e5,
        (23, _) => 50.0,
        (_, 23) => 510.0 + task as f64,
        _ => 10.0 + task as f64,
    });
    all
}

#[test]
fn definitions_are_followed_on_many_tasks() {
    for (name, etc) in large_matrices() {
        let spread: Vec<Time> = (0..etc.cols()).map(|at| Time::must(-1e4 * (at % 3) as f64)).collect();
        for ready in [vec![Time::ZERO; etc.cols()], spread] {
            for kind in [
                MappingKind::MinMin,
                MappingKind::MaxMin,
                MappingKind::Sufferage,
                MappingKind::SufferagePasses,
            ] {
                let judged = follows(kind, &etc.clone().with_ready(&ready[..]));
                judged.unwrap_or_else(|_| panic!("{kind}: {name}, {} x {}", etc.rows(), etc.cols()));
            }
        }
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
