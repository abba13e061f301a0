//! The slot, job and environment generators: what they promise for any seed, and what they refuse.

use proptest::prelude::*;
use sched_model::{Occupied, Span};
use workload_gen::WorkloadError;
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::environment::{EnvironmentGenerator, request};
use workload_gen::sample::{TruncatedNormal, stream};

proptest! {
    #[test]
    fn slots_keep_to_their_ranges(seed in any::<u64>(), whole in any::<bool>()) {
        let generator = SlotGenerator::default().with_whole_times(whole).with_whole_speeds(whole);
        let slots = generator.generate(&mut stream(seed, 0)).unwrap();
        prop_assert!((120..=150).contains(&slots.len()));
        let mut last = 0.0;
        for (id, slot) in slots.iter().enumerate() {
            prop_assert_eq!(slot.node().0 as usize, id);
            let (start, speed) = (slot.start().get(), slot.speed().get());
            prop_assert!((0.0..=10.0).contains(&(start - last)));
            last = start;
            // One rounding in start + length.
            prop_assert!((49.999_999..=300.000_001).contains(&slot.length().get()));
            prop_assert!((1.0..=3.0).contains(&speed));
            let factor = slot.price().get() / 1.7_f64.powf(speed);
            prop_assert!((0.749_999_999..=1.250_000_001).contains(&factor));
            if whole {
                prop_assert_eq!((start.fract(), speed.fract(), slot.length().get().fract()), (0.0, 0.0, 0.0));
            }
        }
    }

    #[test]
    fn batches_keep_to_their_ranges(seed in any::<u64>(), factor in 0.5..2.0) {
        let batch = JobGenerator::default().with_price_limit_factor(Some(factor)).generate(&mut stream(seed, 0)).unwrap();
        prop_assert!((3..=7).contains(&batch.len()));
        for job in &batch {
            let request = &job.request;
            prop_assert!((1..=6).contains(&request.nodes()));
            prop_assert!((50.0..=150.0).contains(&request.work().get()));
            let speed = request.min_speed().get();
            prop_assert!((1.0..=2.0).contains(&speed));
            let limit = request.price_limit().unwrap().get();
            prop_assert!((limit - factor * 1.7_f64.powf(speed)).abs() < 1e-12);
        }
        let free = JobGenerator::default().with_price_limit_factor(None).generate(&mut stream(seed, 0)).unwrap();
        prop_assert!(free.iter().all(|job| job.request.price_limit().is_none()));
    }

    #[test]
    fn local_load_never_overlaps(seed in any::<u64>(), share in 0.0..0.35) {
        let generator = EnvironmentGenerator::default().with_nodes(4).with_load_share(share);
        let environment = generator.generate(&mut stream(seed, 0)).unwrap();
        for pair in environment.occupied.windows(2) {
            prop_assert!(pair[0].node() < pair[1].node() || pair[0].end() <= pair[1].start());
        }
        // Slots and load together are all of the time of every node.
        let slots = environment.slots().unwrap();
        let free: Span = slots.iter().map(|slot| slot.length()).sum();
        let busy: f64 = environment
            .occupied
            .iter()
            .map(|taken| (taken.end().min(environment.horizon) - taken.start()).get())
            .sum();
        prop_assert!((free.get() + busy - 4.0 * 1200.0).abs() < 1e-6);
        for node in &environment.nodes {
            let mean = node.speed.get() * (0.02 * (node.speed.get() - 1.0)).exp() * 0.1;
            let factor = node.price.get() / mean;
            prop_assert!((0.4 - 1e-9..=1.6 + 1e-9).contains(&factor));
        }
        prop_assert!(environment.values.iter().all(|q| (0.0..=10.0).contains(q)));
    }
}

/// The study's environment: speeds 2 to 10, a load of 15%, and the number of slots the published simulator
/// has (837 on 100 nodes).
#[test]
fn the_environment_is_that_of_the_study() {
    let (mut slots, mut busy, mut speed) = (0, 0.0, 0.0);
    let replicates = 200;
    for replicate in 0..replicates {
        let environment = EnvironmentGenerator::default().generate(&mut stream(11, replicate)).unwrap();
        slots += environment.slots().unwrap().len();
        busy += environment
            .occupied
            .iter()
            .map(|taken: &Occupied| (taken.end().min(environment.horizon) - taken.start()).get())
            .sum::<f64>();
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

fn refusal<T: std::fmt::Debug>(result: Result<T, WorkloadError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn refusals_name_the_field_and_the_value() {
    let slots = SlotGenerator::default;
    assert_eq!(refusal(slots().with_same_start(1.5).validate()), "same_start is 1.5; it must be in [0, 1]");
    assert_eq!(
        refusal(slots().with_length(0.0..=5.0).validate()),
        "length is 0..=5; it must be low <= high, positive, at most 1e60"
    );
    assert!(refusal(slots().with_gap(-1.0..=5.0).validate()).starts_with("gap is -1..=5;"));
    assert!(refusal(slots().with_speed(3.0..=1.0).validate()).starts_with("speed is 3..=1;"));
    assert!(refusal(slots().with_price_base(f64::NAN).validate()).starts_with("price_base is NaN;"));
    assert!(
        refusal(slots().with_length(0.5..=5.0).with_whole_times(true).validate())
            .starts_with("length is 0.5..=5;")
    );
    assert!(refusal(slots().with_price_base(1e300).validate()).starts_with("price_base is 1"));
    assert!(refusal(slots().with_price_base(1e59).generate(&mut stream(1, 0))).starts_with("Price must be"));
    assert!(refusal(JobGenerator::default().with_nodes(0..=3).validate()).starts_with("nodes is 0..=3;"));
    let environment = EnvironmentGenerator::default;
    assert!(
        refusal(environment().with_load_share(0.5).validate())
            .starts_with("load_level * load_share is up to 1;")
    );
    assert!(refusal(environment().with_load_span(0.5).validate()).starts_with("load_span is 0.5;"));
    assert!(refusal(request(0, 800.0, 0.1)).contains("nodes"));
    assert!(TruncatedNormal::new(0.0, 1.0, 2.0, 1.0).is_err());
    assert!(TruncatedNormal::new(0.0, 1e-12, 1.0, 2.0).is_err());
}

#[cfg(feature = "serde")]
#[test]
fn configurations_are_read_with_their_defaults() {
    let slots: SlotGenerator = serde_json::from_str(r#"{"count": {"start": 5, "end": 5}}"#).unwrap();
    assert_eq!(slots, SlotGenerator::default().with_count(5..=5));
    let environment = EnvironmentGenerator::default().with_nodes(7);
    let text = serde_json::to_string(&environment).unwrap();
    assert_eq!(serde_json::from_str::<EnvironmentGenerator>(&text).unwrap(), environment);
    assert!(serde_json::from_str::<SlotGenerator>(r#"{"cuont": 5}"#).is_err());
    assert!(
        serde_json::from_str::<TruncatedNormal>(r#"{"mean":0,"deviation":-1,"low":0,"high":1}"#).is_err()
    );
}
