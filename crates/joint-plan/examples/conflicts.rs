//! Proofs and gaps of the choice among alternatives that conflict, on families of 20 jobs with 500
//! alternatives each.
//!
//!     cargo run --release -p joint-plan --example conflicts -- [JOBS ALTERNATIVES SEEDS WORK GAP]
//!
//! A choice within GAP of its bound, as a share (by default 10^-9), counts as proven: the costs are tenths,
//! whose sums differ by rounding alone. Each instance is one line on standard error. Each family is one row
//! of the table on standard output: instances proven, the most jobs left out, units of work, and the gaps of
//! the instances not proven.

use joint_plan::conflict::{Candidate, ConflictProblem, ResourceUse};
use sched_model::{End, Limit};
use std::error::Error;

/// Numbers that look like chance (G. Steele, D. Lea, C. Flood: *Fast splittable pseudorandom number
/// generators*, 2014).
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % count
    }
}

/// The parameters of a family: nodes, most nodes of a job, greatest span of a job, and the limit as a share
/// between the least and the greatest sum of weights.
struct Family {
    name: &'static str,
    nodes: u64,
    widest: u64,
    longest: u64,
    limit: Option<f64>,
}

const HORIZON: u64 = 600;

const FAMILIES: [Family; 6] = [
    Family { name: "room, no limit", nodes: 60, widest: 3, longest: 150, limit: None },
    Family { name: "room, limit", nodes: 60, widest: 3, longest: 150, limit: Some(0.1) },
    Family { name: "crowded, no limit", nodes: 15, widest: 3, longest: 150, limit: None },
    Family { name: "crowded, limit", nodes: 15, widest: 3, longest: 150, limit: Some(0.1) },
    Family { name: "wide jobs", nodes: 15, widest: 8, longest: 80, limit: None },
    Family { name: "two nodes of three each", nodes: 3, widest: 2, longest: 50, limit: None },
];

/// Candidates that are like windows: the nodes have speeds and prices, the objective is the cost, the weight
/// the runtime.
fn draw(family: &Family, jobs: u64, alternatives: u64, draw: &mut Draw) -> Vec<Vec<Candidate>> {
    let nodes: Vec<(f64, f64)> = (0..family.nodes)
        .map(|_| {
            let speed = 1.0 + draw.below(5) as f64 / 2.0;
            (speed, (speed * (8 + draw.below(5)) as f64).round() / 10.0)
        })
        .collect();
    (0..jobs)
        .map(|_| {
            let wide = if family.widest == 2 { 2 } else { 1 + draw.below(family.widest) };
            let work = (family.longest / 3 + draw.below(family.longest * 2 / 3)) as f64;
            (0..alternatives)
                .map(|_| {
                    let mut held: Vec<u64> = Vec::new();
                    while (held.len() as u64) < wide {
                        let node = draw.below(family.nodes);
                        if !held.contains(&node) {
                            held.push(node);
                        }
                    }
                    let span = |node: u64| (work / nodes[node as usize].0).ceil();
                    let runtime = held.iter().map(|&node| span(node)).fold(0.0, f64::max);
                    let start = draw.below((HORIZON as f64 - runtime).max(1.0) as u64) as f64;
                    let one_use =
                        |&node: &u64| ResourceUse { resource: node as u32, start, end: start + span(node) };
                    let objective = held.iter().map(|&node| nodes[node as usize].1 * span(node)).sum();
                    Candidate { objective, weight: runtime, uses: held.iter().map(one_use).collect() }
                })
                .collect()
        })
        .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let given = words.iter().take(4).map(|word| word.parse::<u64>()).collect::<Result<Vec<_>, _>>()?;
    let enough = words.get(4).map_or(Ok(1e-9), |word| word.parse::<f64>())?;
    let or = |at: usize, usual: u64| given.get(at).copied().unwrap_or(usual);
    let (jobs, alternatives, seeds, work) = (or(0, 20), or(1, 500), or(2, 10), or(3, Limit::DEFAULT_WORK));
    println!("| family | proven | left out, most | work, median / most | gap of the others, most % |");
    println!("|---|---|---|---|---|");
    for family in &FAMILIES {
        let (mut proven, mut left_out, mut works, mut gap) = (0, 0, Vec::new(), 0.0_f64);
        for seed in 0..seeds {
            let candidates = draw(family, jobs, alternatives, &mut Draw(seed));
            let sum = |of: fn(f64, f64) -> f64, from: f64| -> f64 {
                let best =
                    |list: &Vec<Candidate>| list.iter().map(|candidate| candidate.weight).fold(from, of);
                candidates.iter().map(best).sum()
            };
            let (least, most) = (sum(f64::min, f64::INFINITY), sum(f64::max, 0.0));
            let limit = family.limit.map_or(f64::INFINITY, |share| least + share * (most - least));
            let within = Limit::default().with_work(work).with_relative_gap(enough);
            let choice = ConflictProblem::new(candidates, limit)?.solve(&mut within.meter());
            eprintln!(
                "{}, seed {seed}: {}, bound {:?}, {}, {} units",
                family.name, choice.objective, choice.bound, choice.end, choice.work
            );
            works.push(choice.work);
            left_out = left_out.max(jobs as usize - choice.placed());
            if matches!(choice.end, End::Done | End::Gap) {
                proven += 1;
            } else {
                let bound = choice.bound.filter(|_| choice.most_jobs).unwrap_or(0.0);
                gap = gap.max(100.0 * (choice.objective - bound) / bound.abs());
            }
        }
        works.sort_unstable();
        let gap = if proven == seeds { "-".to_owned() } else { format!("{gap:.2}") };
        let (middle, last) = (works.len() / 2, works.len().saturating_sub(1));
        println!(
            "| {} | {proven} of {seeds} | {left_out} | {} / {} | {gap} |",
            family.name, works[middle], works[last]
        );
    }
    Ok(())
}
