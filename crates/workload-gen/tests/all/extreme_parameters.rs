//! Every generator with extreme parameters returns an error or a workload, in bounded work.

#![cfg(feature = "serde")]

use crate::json::{places, read_again};
use rand::Rng;
use rand::rand_core::{Infallible, TryRng};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Debug;
use workload_gen::WorkloadError;
use workload_gen::cycle::{JobGenerator, SlotGenerator};
use workload_gen::environment::EnvironmentGenerator;
use workload_gen::etc::{Consistency, EtcGenerator, EtcMethod};
use workload_gen::lublin::LublinModel;
use workload_gen::meta_broker::MetaBrokerWorkload;
use workload_gen::sample::stream;
use workload_gen::synthetic::{LogGenerator, RuntimeEstimate};

/// A random generator that panics after a number of draws, so that an endless loop becomes a panic.
struct Counted {
    inner: workload_gen::sample::Stream,
    left: u64,
}

impl TryRng for Counted {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.try_next_u64()? as u32)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.left = self.left.checked_sub(1).expect("bounded draws");
        Ok(self.inner.next_u64())
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.inner.fill_bytes(bytes);
        Ok(())
    }
}

const NUMBERS: [f64; 13] =
    [0.0, -0.0, -1.0, 5e-324, 1e-308, 1e-60, 1e-9, 0.999, 32.0, 1e9, 1e60, 1e61, 1e308];

/// The values tried together with an extreme one.
const OTHERS: [f64; 5] = [0.0, 5e-324, 0.999, 1e60, 1e308];

/// Sets each number of a configuration, and each pair of neighbours, to each extreme. As it was, it comes back.
fn attack<G: Serialize + DeserializeOwned + PartialEq + Debug>(
    name: &str,
    given: &G,
    generate: impl Fn(&G, &mut Counted) -> Result<(), WorkloadError>,
) {
    let base = serde_json::to_value(given).unwrap();
    assert!(read_again(given).unwrap().is_some());
    let mut paths = places(&base);
    paths.retain(|path| base.pointer(path).is_some_and(Value::is_number));
    let (mut done, mut refused) = (0, 0);
    let mut attempt = |value: &Value| {
        let Ok(config) = serde_json::from_value::<G>(value.clone()) else { return refused += 1 };
        let mut rng = Counted { inner: stream(1, 0), left: 2_000_000 };
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| generate(&config, &mut rng))) {
            Ok(Ok(())) => done += 1,
            Ok(Err(_)) => refused += 1,
            Err(_) => panic!("{name}: {value}"),
        }
    };
    for (at, path) in paths.iter().enumerate() {
        for number in NUMBERS {
            let mut value = base.clone();
            *value.pointer_mut(path).unwrap() = number_like(&base, path, number);
            attempt(&value);
            let Some(second) = paths.get(at + 1) else { continue };
            for other in OTHERS {
                *value.pointer_mut(second).unwrap() = number_like(&base, second, other);
                attempt(&value);
            }
        }
    }
    assert!(done > 0 && refused > 0, "{name}: {done} done, {refused} refused");
}

/// Counts are replaced by whole numbers.
fn number_like(base: &Value, path: &str, number: f64) -> Value {
    let whole = base.pointer(path).is_some_and(|old| old.is_u64());
    let count = number as i64;
    if whole && (count as f64 == number) { count.into() } else { number.into() }
}

/// The numbers of drawn things stay small, so that only the other numbers matter.
#[test]
fn extremes_are_drawn_or_refused_in_bounded_work() {
    let model = LublinModel::default();
    attack("model", &model, |model, rng| {
        assert!(model.clone().jobs(rng)?.take(20).all(|job| job.arrival.is_finite() && job.runtime >= 1.0));
        Ok(())
    });
    let estimates = [RuntimeEstimate::Factor { factor: 3.0 }, RuntimeEstimate::Accuracy { exact: 0.2 }];
    for (typed, estimate) in [false, true].into_iter().zip(estimates) {
        let base =
            LogGenerator::default().with_model(model.clone().with_typed(typed)).with_estimate(estimate);
        attack("log", &base.with_jobs(20), |generator, rng| {
            let log = generator.clone().with_jobs(generator.jobs.min(20)).generate(rng)?;
            // The generated jobs can be scheduled.
            assert!(log.records.iter().all(|record| record.to_job().unwrap().is_some()));
            Ok(())
        });
    }
    attack("slots", &SlotGenerator::default(), |generator, rng| {
        generator.clone().with_count(2..=5).generate(rng).map(drop)
    });
    attack("jobs", &JobGenerator::default(), |generator, rng| {
        generator.clone().with_jobs(2..=5).generate(rng).map(drop)
    });
    attack("environment", &EnvironmentGenerator::default().with_nodes(3), |generator, rng| {
        generator.clone().with_nodes(3).generate(rng).map(drop)
    });
    let gamma = EtcMethod::Gamma { mean: 9.0, task_cov: 0.5, machine_cov: 0.7, by_machine: true };
    for method in [EtcMethod::Cvb, EtcMethod::Range { task: 100.0, machine: 10.0 }, gamma] {
        let base = EtcGenerator::new(4, 3, method).with_consistency(Consistency::SemiConsistent);
        attack("times", &base, |generator, rng| {
            let mut generator = generator.clone();
            (generator.tasks, generator.machines) = (4, 3);
            generator.generate(rng).map(drop)
        });
    }
    // Two of the four: low and high variation, inconsistent and consistent prices.
    for high in [true, false] {
        let workload = MetaBrokerWorkload::default().with_high_variation(high).with_consistent_prices(!high);
        attack("meta-broker", &workload.with_jobs(5), |workload, rng| {
            workload.clone().with_jobs(5).generate(rng).map(drop)
        });
    }
}
