//! A sweep on a cluster: every combination and seed is a replicate of its own. Any machine computes any share of
//! them, and the shares together give the same bytes as a single run.
//!
//! `sweep_shards I N` computes share I of N; without arguments it shows that three shares give the whole.

use econsched::grid_sim::{PolicyKind, Replay, jobs_of_log};
use econsched::sched_model::{Limit, Machine, MachineId, Price, Speed};
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::synthetic::LogGenerator;

const SEEDS: u64 = 4;
const CPUS: [u32; 2] = [128, 256];

/// The line of the result for one replicate, which depends only on its number.
fn replicate(number: usize) -> Result<String, Box<dyn std::error::Error>> {
    let policy = PolicyKind::ALL[number % 3];
    let cpus = CPUS[number / 3 % 2];
    let seed = (number / 6) as u64;
    // One stream per seed: every policy and machine gets the same log, so they are compared pair by pair.
    let log = LogGenerator::default().with_jobs(300).generate(&mut stream(7, seed))?;
    let machine = Machine::new(MachineId(0), cpus, Speed::ETALON, Price::must(0.0))?;
    let jobs = jobs_of_log(&log.records).jobs;
    let run = Replay::new(&machine, policy.build()).run(&jobs, &mut Limit::none().meter())?;
    Ok(format!("{number},{policy},{cpus},{seed},{}", run.report.wait.mean))
}

/// Every `of`-th replicate, from the `share`-th on.
fn shard(share: usize, of: usize) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let all = 3 * CPUS.len() * SEEDS as usize;
    (share..all).step_by(of.max(1)).map(replicate).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    if let [share, of] = numbers[..] {
        for line in shard(share, of)? {
            println!("{line}");
        }
        return Ok(());
    }
    let whole = shard(0, 1)?;
    let mut parts: Vec<String> = Vec::new();
    for share in 0..3 {
        parts.extend(shard(share, 3)?);
    }
    // Each line begins with its number: to merge is to sort.
    let number = |line: &String| line.split(',').next().and_then(|number| number.parse::<u64>().ok());
    parts.sort_by_key(number);
    assert_eq!(parts, whole);
    println!("{} replicates, three shares and the whole are the same; the first:", whole.len());
    for line in &whole[..6] {
        println!("{line}");
    }
    Ok(())
}
