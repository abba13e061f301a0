//! A mapping heuristic of your own, compared with all registered ones and checked as they are.
//!
//! Longest first: the tasks in descending order of their mean time, each to the resource on which it ends first.
//! Then, as long as this helps, the last task of the resource that ends last moves to a resource on which it ends
//! earlier.

use econsched::grid_heuristics::{HeuristicError, Mapping, MappingHeuristic, MappingKind};
use econsched::sched_model::{EtcMatrix, Meter, Time};
use econsched::testkit;
use econsched::workload_gen::etc::{EtcGenerator, EtcMethod};
use econsched::workload_gen::sample::stream;

#[derive(Debug)]
struct LongestFirst;

/// The resource on which a task ends first, after the tasks that are already there.
fn best(etc: &EtcMatrix, task: usize, loads: &[f64]) -> (f64, usize) {
    let ends = etc[task].iter().zip(loads).map(|(time, load)| time + load);
    ends.zip(0..).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0))
}

impl MappingHeuristic for LongestFirst {
    fn name(&self) -> &str {
        "longest-first"
    }

    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
        // One cell read is one unit of work; ask the meter before the work.
        meter.spend((etc.rows() * etc.cols()) as u64)?;
        let sums: Vec<f64> = (0..etc.rows()).map(|task| etc[task].iter().sum()).collect();
        let mut order: Vec<usize> = (0..etc.rows()).collect();
        order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]).then(a.cmp(&b)));

        let mut loads: Vec<f64> = etc.ready().map(Time::get).collect();
        let mut decisions: Vec<(usize, usize)> = Vec::new();
        for task in order {
            meter.spend(etc.cols() as u64)?;
            let (end, resource) = best(etc, task, &loads);
            if let Some(load) = loads.get_mut(resource) {
                *load = end;
            }
            decisions.push((task, resource));
        }
        // At most once per task, so that the loop ends.
        for _ in 0..etc.rows() {
            meter.spend(etc.cols() as u64)?;
            let latest = (0..loads.len()).max_by(|&a, &b| loads[a].total_cmp(&loads[b]));
            let Some(at) = decisions.iter().rposition(|&(_, resource)| Some(resource) == latest) else {
                break;
            };
            let (task, from) = decisions[at];
            let makespan = loads[from];
            let mut without = loads.clone();
            without[from] -= etc[task][from];
            let (end, to) = best(etc, task, &without);
            if to == from || end >= makespan {
                break;
            }
            loads = without;
            loads[to] = end;
            decisions.remove(at);
            decisions.push((task, to));
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
