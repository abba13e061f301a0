//! The generators: properties that hold for any seed, the published tables, and refused parameters.

use crate::written;
use econsched::testkit::drawn;
use sched_model::{Occupied, Span};
use std::fmt::Display;
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::environment::{EnvironmentGenerator, TruncatedNormal, request};
use workload_gen::etc::{Consistency, EtcGenerator, EtcMethod, Variation};
use workload_gen::internal::{Distribution, Exponential, Gamma, TwoStageUniform, Uniform, UniformInt};
use workload_gen::lublin::{LublinClass, LublinModel};
use workload_gen::meta_broker::{EDG_TESTBED, MetaBrokerWorkload, edg_machines};
use workload_gen::sample::stream;
use workload_gen::synthetic::{LogGenerator, RuntimeEstimate};

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// A matrix without cells takes no time and no memory, however many rows or columns it is said to have; what is wrong
/// with its times is told all the same.
#[test]
fn nothing_is_drawn_for_a_matrix_without_cells() {
    let gamma = |mean| EtcMethod::Gamma { mean, task_cov: 0.5, machine_cov: 0.5, by_machine: true };
    for (tasks, machines) in [(1 << 40, 0), (0, 1 << 40)] {
        for method in [EtcMethod::HiHi, gamma(9.0)] {
            let generator = EtcGenerator::new(tasks, machines, method);
            let (mut rng, unused) = (stream(1, 0), stream(1, 0));
            let etc = generator.with_consistency(Consistency::Consistent).generate(&mut rng).unwrap();
            assert_eq!((etc.rows(), etc.cols(), rng), (tasks, machines, unused));
        }
        assert!(EtcGenerator::new(tasks, machines, gamma(-1.0)).generate(&mut stream(1, 0)).is_err());
    }
}

/// For every method and consistency, rows keep their values, and the values at the sorted places ascend.
#[test]
fn rows_are_only_rearranged() {
    drawn(100, |draw| {
        let (seed, tasks, machines) = (draw.bytes(8), draw.below(20), draw.below(12));
        for method in [EtcMethod::HiHi, EtcMethod::HiLo, EtcMethod::LoHi, EtcMethod::LoLo, EtcMethod::Cvb] {
            let generator = EtcGenerator::new(tasks, machines, method);
            let generate = |generator: EtcGenerator| generator.generate(&mut stream(seed, 0)).unwrap();
            let drawn = generate(generator.clone());
            assert!(drawn.values().iter().all(|&time| time > 0.0));
            for consistency in
                [Consistency::Consistent, Consistency::Inconsistent, Consistency::SemiConsistent]
            {
                let etc = generate(generator.clone().with_consistency(consistency));
                for task in 0..tasks {
                    let row = &etc[task];
                    assert_eq!(sorted(row), sorted(&drawn[task]));
                    match consistency {
                        Consistency::Consistent => assert!(row.is_sorted()),
                        Consistency::Inconsistent => assert_eq!(row, &drawn[task]),
                        _ => {
                            assert!(row.iter().step_by(2).is_sorted());
                            assert!((1..machines).step_by(2).all(|at| row[at] == drawn[task][at]));
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn synthetic_logs_are_logs() {
    drawn(25, |draw| {
        let (seed, factor, exact) = (draw.bytes(8), 10.0 * draw.unit(), draw.unit());
        let (by_factor, accuracy) = (RuntimeEstimate::Factor { factor }, RuntimeEstimate::Accuracy { exact });
        let estimates = [RuntimeEstimate::Exact, by_factor, accuracy];
        for (estimate, typed) in estimates.iter().flat_map(|of| [false, true].map(|typed| (of, typed))) {
            let generator =
                with(LogGenerator::default().with_jobs(200), |log| log.users = 5).with_estimate(*estimate);
            let generator = generator.with_model(LublinModel::default().with_typed(typed));
            let generate = |generator: &LogGenerator| generator.generate(&mut stream(seed, 0)).unwrap();
            let log = generate(&generator);
            written(&log);
            assert!(log.records.len() == 200 && log.records.is_sorted_by_key(|record| record.submit));
            let round = generator.round_values.clone();
            let plain = generate(&with(generator, |log| log.round_values = Vec::new()));
            for ((number, record), plain) in (1..).zip(&log.records).zip(&plain.records) {
                assert_eq!((record.job, record.runtime), (Some(number), plain.runtime));
                assert!((1..=5).contains(&record.user.unwrap()));
                let (runtime, requested) = (record.runtime.unwrap(), record.requested_time.unwrap());
                assert!(round.contains(&requested) && runtime <= requested);
                let below = round.iter().rev().find(|&&value| value < requested);
                let asked = plain.requested_time.unwrap();
                assert!(match estimate {
                    RuntimeEstimate::Exact => asked == runtime && below.is_none_or(|&value| value < runtime),
                    RuntimeEstimate::Factor { factor } => asked <= ((1.0 + factor) * runtime).ceil(),
                    _ => asked >= runtime,
                });
            }
        }
    });
}

/// The environment of the study: speeds 2 to 10, a load of 15%, and as many slots as the published simulator has
/// (837 on 100 nodes). Slots and load together fill the time of every node.
#[test]
fn the_environment_is_that_of_the_study() {
    let (replicates, mut slots, mut busy, mut speed) = (200, 0, 0.0, 0.0);
    for replicate in 0..replicates {
        let environment = EnvironmentGenerator::default().generate(&mut stream(11, replicate)).unwrap();
        let free = &environment.slots;
        let held = |taken: &Occupied| (taken.end.min(environment.horizon) - taken.start).get();
        let taken: f64 = environment.occupied.iter().map(held).sum();
        let whole = free.iter().map(|slot| slot.end - slot.start).sum::<Span>().get() + taken;
        assert!((whole - 100.0 * 1200.0).abs() < 1e-5, "{whole}");
        for pair in environment.occupied.windows(2) {
            assert!(pair[0].node < pair[1].node || pair[0].end <= pair[1].start);
        }
        for node in &environment.nodes {
            let mean = node.speed.get() * (0.02 * (node.speed.get() - 1.0)).exp() * 0.1;
            assert!((0.4 - 1e-9..=1.6 + 1e-9).contains(&(node.price.get() / mean)));
        }
        assert!(environment.values.iter().all(|q| (0.0..=10.0).contains(q)));
        slots += free.len();
        busy += taken;
        speed += environment.nodes.iter().map(|node| node.speed.get()).sum::<f64>();
    }
    let nodes = 100.0 * replicates as f64;
    // 20,000 nodes: the standard errors are below 0.1% of each.
    let share = busy / (nodes * 1200.0);
    assert!((share - 0.152).abs() < 0.003, "{share}");
    assert!((speed / nodes - 6.0).abs() < 0.1);
    let slots = slots as f64 / replicates as f64;
    assert!((slots - 837.0).abs() < 30.0, "{slots}");
}

#[test]
fn a_larger_environment_begins_as_a_smaller_one() {
    let small = EnvironmentGenerator::default().with_nodes(3).generate(&mut stream(5, 0)).unwrap();
    let large = EnvironmentGenerator::default().with_nodes(30).generate(&mut stream(5, 0)).unwrap();
    assert_eq!(small.nodes, large.nodes[..3]);
    assert_eq!(small.occupied, large.occupied[..small.occupied.len()]);
}

/// The testbed is Table 1 as printed.
#[test]
fn the_edg_testbed_is_table_1() {
    assert_eq!(EDG_TESTBED.map(|r| r.cpus), [20, 26, 265, 54, 60]);
    assert_eq!(EDG_TESTBED.map(|r| r.mips), [1320.0, 1330.0, 1100.0, 1166.0, 1160.0]);
    let prices = |consistent| {
        edg_machines(consistent).unwrap().iter().map(|machine| machine.price.get()).collect::<Vec<_>>()
    };
    assert_eq!(prices(false), [0.0074, 0.0100, 0.0139, 0.0097, 0.0095]);
    assert_eq!(prices(true), [0.0353, 0.1424, 0.0032, 0.0069, 0.0061]);
}

/// The settings with one of them changed.
fn with<S>(mut settings: S, change: impl FnOnce(&mut S)) -> S {
    change(&mut settings);
    settings
}

/// The error.
fn told<T>(made: Result<T, impl Display>) -> String {
    made.err().unwrap().to_string()
}

#[test]
fn refusals_name_the_field_and_the_value() {
    let class = LublinModel::default().whole;
    let (model, broker, rng) = (LublinModel::default, MetaBrokerWorkload::default, || stream(1, 0));
    let drawn = |model: LublinModel| told(model.jobs(rng()));
    let whole = |class| drawn(with(model(), |model| model.whole = class));
    let slots =
        |change: fn(&mut SlotGenerator)| told(with(SlotGenerator::default(), change).generate(&mut rng()));
    let environment = |change: fn(&mut EnvironmentGenerator)| {
        told(with(EnvironmentGenerator::default(), change).generate(&mut rng()))
    };
    let price = |mean, deviation, low, high| {
        let mut made = EnvironmentGenerator::default();
        made.price_deviation = TruncatedNormal { mean, deviation, low, high };
        told(made.generate(&mut rng()))
    };
    let etc = |tasks, method| told(EtcGenerator::new(tasks, 3, method).generate(&mut rng()));
    let range = |task, machine| etc(3, EtcMethod::Range { task, machine });
    let cases_of = |broker: MetaBrokerWorkload| told(broker.generate(&mut rng()));
    let log =
        |change: fn(&mut LogGenerator)| told(with(LogGenerator::default(), change).generate(&mut rng()));
    let gamma = |cov, times: &[f64]| told(Variation::Gamma { cov }.etc(times, 1, &mut rng()));
    let cases = [
        (whole(LublinClass { serial: 1.2, ..class }), "serial is 1.2;"),
        (whole(LublinClass { power_of_two: 0.9, ..class }), "serial + power_of_two is 1.144"),
        (whole(LublinClass { u_med: 0.2, ..class }), "u_low / u_med / u_high is 0.8 / 0.2 / 7;"),
        (whole(LublinClass { u_prob: f64::NAN, ..class }), "u_prob is NaN;"),
        (whole(LublinClass { runtime_1: (0.0, 1.0), ..class }), "runtime_1 is (0, 1);"),
        // Draws above the limit are rejected; with these parameters nearly all would be.
        (whole(LublinClass { runtime_2: (1000.0, 1.0), ..class }), "runtime_2 is (1000, 1);"),
        (whole(LublinClass { gap: (-1.0, 1.0), ..class }), "gap (shape times arar) is (-1.022"),
        (whole(LublinClass { max_log_gap: 40.0, ..class }), "max_log_gap is 40;"),
        (whole(LublinClass { cycle: (1.0, 1e-3), ..class }), "cycle is (1.0, 0.001);"),
        (whole(LublinClass { arar: 0.0, ..class }), "arar is 0;"),
        (drawn(model().with_system_size(0)), "system_size is 0;"),
        (drawn(with(model(), |model| model.start_hour = 24)), "start_hour is 24;"),
        (range(0.5, 2.0), "task range is 0.5;"),
        (range(2.0, f64::INFINITY), "machine range is inf;"),
        (etc(usize::MAX, EtcMethod::HiHi), "tasks x machines is "),
        (gamma(0.0, &[1.0]), "cov is 0;"),
        (gamma(0.9, &[1.0, -2.0]), "time of a task is -2;"),
        (cases_of(with(broker(), |broker| broker.arrival_divisor = 0.0)), "arrival_divisor is 0;"),
        (cases_of(broker().with_trade_off(0.5..=1.5)), "trade_off is 0.5..=1.5;"),
        (log(|log| log.users = 0), "users is 0;"),
        (log(|log| log.round_values = vec![60.0, 60.0]), "round_values is [60.0, 60.0];"),
        (log(|log| log.estimate = RuntimeEstimate::Factor { factor: -1.0 }), "factor is -1;"),
        (slots(|slots| slots.same_start = 1.5), "same_start is 1.5; it must be in [0, 1]"),
        (slots(|slots| slots.length = 0.0..=5.0), "length is 0; it must be positive, at most 1e60"),
        (slots(|slots| slots.gap = -1.0..=5.0), "gap is -1;"),
        (slots(|slots| slots.speed = 3.0..=1.0), "speed is 3..=1;"),
        (slots(|slots| slots.price_base = f64::NAN), "price_base is NaN;"),
        (slots(|slots| (slots.length, slots.whole_times) = (0.5..=5.0, true)), "length is 0.5..=5;"),
        (slots(|slots| slots.price_base = 1e300), "price_base is 1"),
        (slots(|slots| slots.price_base = 1e59), "Price must be"),
        (told(JobGenerator::default().with_nodes(0..=3).generate(&mut rng())), "nodes is 0..=3;"),
        (environment(|made| made.load_share = 0.5), "load_level * load_share is up to 1;"),
        (environment(|made| made.load_span = 0.5), "load_span is 0.5;"),
        (price(0.0, -1.0, 0.0, 1.0), "price_deviation is N(0, -1) in [0, 1]; it must be of a finite mean"),
        (price(0.0, 1.0, 2.0, 1.0), "price_deviation is N(0, 1) in [2, 1]; it must be in a finite range"),
        (price(0.0, 0.0, 1.0, 2.0), "price_deviation is N(0, 0) in [1, 2]; it must be around the mean"),
        (price(0.0, 1e-12, 1.0, 2.0), "price_deviation is N(0, 0.000000000001) in [1, 2]; it must be within"),
        (told(request(0, 800.0, 0.1)), "nodes"),
        (told(Uniform::new(f64::MIN, f64::MAX)), "uniform range is "),
        (told(UniformInt::new(2, 1)), "uniform integer range is [2, 1];"),
        (told(Gamma::new(f64::NAN, 1.0)), "shape of a gamma is NaN;"),
        (told(Exponential::new(0.0)), "mean of an exponential is 0;"),
        (told(TwoStageUniform::new(0.0, 1.0, 2.0, 1.5)), "probability of the first stage is 1.5;"),
    ];
    for (error, text) in cases {
        assert!(error.starts_with(text), "{error}");
    }
    assert_eq!(Uniform::new(3.0, 3.0).unwrap().sample(&mut stream(1, 0)), 3.0);
}

#[cfg(feature = "serde")]
#[test]
fn configurations_are_read_with_their_defaults() {
    let model: LublinModel = serde_json::from_str(r#"{"typed": true, "system_size": 64}"#).unwrap();
    assert_eq!(model, LublinModel::default().with_typed(true).with_system_size(64));
    let slots: SlotGenerator = serde_json::from_str(r#"{"count": {"start": 5, "end": 5}}"#).unwrap();
    assert_eq!(slots, SlotGenerator::default().with_count(5..=5));
    assert!(serde_json::from_str::<SlotGenerator>(r#"{"cuont": 5}"#).is_err());
}
