//! The generators: properties that hold for any seed, the published tables, and refused parameters.

use crate::written;
use econsched::testkit::drawn;
use sched_model::{Occupied, Span};
use std::fmt::Display;
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::environment::{EnvironmentGenerator, request};
use workload_gen::etc::{Consistency, EtcGenerator, EtcMethod, Variation};
use workload_gen::internal::{Distribution, Exponential, Gamma, TwoStageUniform, Uniform, UniformInt};
use workload_gen::lublin::LublinModel;
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

/// The content of `refused.txt`: a generator (`$`), fields of its usual settings with other values, and why these are
/// refused (`!`).
#[cfg(feature = "serde")]
#[test]
fn refusals_name_the_field_and_the_value() {
    use serde::{Serialize, de::DeserializeOwned};

    fn told<G: Serialize + DeserializeOwned, T, E: Display>(
        usual: G,
        fields: &str,
        generate: impl Fn(G) -> Result<T, E>,
    ) -> String {
        let mut settings = serde_json::to_value(usual).unwrap();
        let words: Vec<&str> = fields.split(' ').collect();
        for field in words.chunks(2) {
            *settings.pointer_mut(field[0]).unwrap() = serde_json::from_str(field[1]).unwrap();
        }
        format!("! {}\n", generate(serde_json::from_value(settings).unwrap()).err().unwrap())
    }

    let (place, rng) = (concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/refused.txt"), || stream(1, 0));
    crate::session::played(place, &['!'], |line, _| {
        let (name, fields) = line[2..].split_once(' ').unwrap();
        match name {
            "lublin" => told(LublinModel::default(), fields, |model| model.jobs(rng()).map(drop)),
            "log" => told(LogGenerator::default(), fields, |log| log.generate(&mut rng())),
            "slots" => told(SlotGenerator::default(), fields, |slots| slots.generate(&mut rng())),
            "jobs" => told(JobGenerator::default(), fields, |jobs| jobs.generate(&mut rng())),
            "environment" => told(EnvironmentGenerator::default(), fields, |made| made.generate(&mut rng())),
            "etc" => told(EtcGenerator::new(3, 3, EtcMethod::HiHi), fields, |etc| etc.generate(&mut rng())),
            "meta-broker" => told(MetaBrokerWorkload::default(), fields, |made| made.generate(&mut rng())),
            other => panic!("no generator {other}"),
        }
    });
}

/// What no file of settings holds.
#[test]
fn values_that_are_no_numbers_and_single_distributions_are_refused_by_name() {
    fn told<T, E: Display>(made: Result<T, E>) -> String {
        made.err().unwrap().to_string()
    }
    let rng = || stream(1, 0);
    let class = with(LublinModel::default(), |model| model.whole.u_prob = f64::NAN);
    let price = with(SlotGenerator::default(), |slots| slots.price_base = f64::NAN);
    let range = EtcMethod::Range { task: 2.0, machine: f64::INFINITY };
    let gamma = |cov, times: &[f64]| told(Variation::Gamma { cov }.etc(times, 1, &mut rng()));
    for (error, text) in [
        (told(class.jobs(rng())), "u_prob is NaN;"),
        (told(price.generate(&mut rng())), "price_base is NaN;"),
        (told(EtcGenerator::new(3, 3, range).generate(&mut rng())), "machine range is inf;"),
        (gamma(0.0, &[1.0]), "cov is 0;"),
        (gamma(0.9, &[1.0, -2.0]), "time of a task is -2;"),
        (told(request(0, 800.0, 0.1)), "nodes"),
        (told(Uniform::new(f64::MIN, f64::MAX)), "uniform range is "),
        (told(UniformInt::new(2, 1)), "uniform integer range is [2, 1];"),
        (told(Gamma::new(f64::NAN, 1.0)), "shape of a gamma is NaN;"),
        (told(Exponential::new(0.0)), "mean of an exponential is 0;"),
        (told(TwoStageUniform::new(0.0, 1.0, 2.0, 1.5)), "probability of the first stage is 1.5;"),
    ] {
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
