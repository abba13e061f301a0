//! Seeded inputs that the benches share.
#![allow(clippy::unwrap_used)] // a bench stops at the first surprise

use sched_model::{Profile, Time};
use slot_window::NodeValues;
use std::error::Error;
use workload_gen::environment::{Environment, EnvironmentGenerator};
use workload_gen::internal::unit;
use workload_gen::sample::{Stream, stream};

/// What may fail, for whatever reason.
pub type Fallible<T> = Result<T, Box<dyn Error>>;

/// The kernel that the command line names, and how many times it is to run; without words the names are printed.
///
/// # Errors
/// Words that name none.
pub fn asked<K: Copy>(kernels: &[(&str, K)]) -> Fallible<Option<(K, u32)>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, times] = words.as_slice() else {
        kernels.iter().for_each(|(name, _)| println!("{name}"));
        return Ok(None);
    };
    let (_, kernel) = kernels.iter().find(|(known, _)| known == name).ok_or("no such kernel")?;
    Ok(Some((*kernel, times.parse()?)))
}

/// An environment of the study of 2018.
pub fn environment(nodes: u32, horizon: f64, number: u64) -> Environment {
    let generator = EnvironmentGenerator::default().with_nodes(nodes).with_horizon(horizon);
    generator.generate(&mut stream(2018, number)).unwrap()
}

/// The values of its nodes.
pub fn values(of: &Environment) -> NodeValues {
    let nodes = of.nodes.iter().map(|node| node.id);
    NodeValues::new(nodes.zip(of.values.iter().copied())).unwrap()
}

/// A profile of 64 CPUs in steps of one unit of time, a tenth of them with room for wide jobs; and the numbers that
/// follow those of the profile.
pub fn profile(steps: u32) -> (Profile, Stream) {
    let mut rng = stream(1, 0);
    let mut step = |at: u32| {
        let free = if unit(&mut rng) < 0.1 { 64 } else { (unit(&mut rng) * 32.0) as u32 };
        (Time::must(f64::from(at)), free)
    };
    let mut all: Vec<(Time, u32)> = (0..steps).map(&mut step).collect();
    all.push((Time::must(f64::from(steps)), 64));
    (Profile::from_steps(64, &all).unwrap(), rng)
}

/// Values and costs of k items; `of` makes both of a cost of at least 10 and below 200, and of a share.
pub fn items(k: usize, of: impl Fn(f64, f64) -> (f64, f64)) -> (Vec<f64>, Vec<f64>) {
    let mut rng = stream(29, k as u64);
    (0..k).map(|_| of(10.0 + 190.0 * unit(&mut rng), unit(&mut rng))).unzip()
}

/// So far from the smallest to the largest cost of n items.
pub fn budget(costs: &[f64], n: usize, share: f64) -> f64 {
    let mut sorted = costs.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let least: f64 = sorted[..n].iter().sum();
    let greatest: f64 = sorted[sorted.len() - n..].iter().sum();
    (least + share * (greatest - least)).floor()
}
