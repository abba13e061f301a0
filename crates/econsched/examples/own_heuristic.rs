//! A mapping heuristic of your own, compared with all registered ones and checked as they are.
//!
//! Longest first: the tasks in descending order of their minimum time, each to the resource on which it ends first.

use econsched::grid_heuristics::{HeuristicError, Mapping, MappingHeuristic, MappingKind};
use econsched::sched_model::{EtcMatrix, Meter, Time};
use econsched::testkit;
use econsched::workload_gen::etc::{EtcGenerator, EtcMethod};
use econsched::workload_gen::sample::stream;

#[derive(Debug)]
struct LongestFirst;

impl MappingHeuristic for LongestFirst {
    fn name(&self) -> &str {
        "longest-first"
    }

    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
        // One cell read is one unit of work; ask the meter before the work.
        meter.spend((etc.rows() * etc.cols()) as u64)?;
        let least = |task: usize| etc[task].iter().copied().fold(f64::INFINITY, f64::min);
        let mut order: Vec<usize> = (0..etc.rows()).collect();
        order.sort_by(|&a, &b| least(b).total_cmp(&least(a)).then(a.cmp(&b)));

        let mut loads: Vec<f64> = etc.ready().map(Time::get).collect();
        let mut decisions: Vec<(usize, usize)> = Vec::new();
        for task in order {
            meter.spend(etc.cols() as u64)?;
            let ends = etc[task].iter().zip(&loads).map(|(time, load)| time + load);
            let Some((end, resource)) = ends.zip(0..).min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            loads[resource] = end;
            decisions.push((task, resource));
        }
        // Checks that every task is mapped once, and computes the times.
        Mapping::from_order(etc, decisions)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The check that our own tests run on every heuristic.
    let passed = testkit::mapping(&LongestFirst).run(500)?;
    println!("{} random matrices: nothing found", passed.cases);

    let etc = EtcGenerator::new(256, 16, EtcMethod::HiHi).generate(&mut stream(1, 0))?;
    let own = Box::new(LongestFirst) as Box<dyn MappingHeuristic>;
    for heuristic in MappingKind::ALL.iter().map(|kind| kind.build()).chain([own]) {
        let makespan = heuristic.map(&etc)?.makespan().map_or(0.0, Time::get);
        println!("{:>18} {makespan:>12.0}", heuristic.name());
    }
    Ok(())
}
