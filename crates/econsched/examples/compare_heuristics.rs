//! Every mapping heuristic on the same 512 tasks and 16 machines, consistent and inconsistent.

use econsched::grid_heuristics::MappingKind;
use econsched::workload_gen::etc::{Consistency, EtcGenerator, EtcKind};
use econsched::workload_gen::sample::stream;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tasks = EtcGenerator::new(512, 16, EtcKind::HiHi.method());
    let consistent = tasks.clone().with_consistency(Consistency::Consistent).generate(&mut stream(1, 0))?;
    let inconsistent = tasks.generate(&mut stream(1, 0))?;

    println!("{:>18} {:>14} {:>14}", "makespan", "consistent", "inconsistent");
    for kind in MappingKind::ALL {
        let heuristic = kind.build();
        let makespan =
            |etc| heuristic.map(etc).map(|mapping| mapping.makespan().map_or(0.0, |time| time.get()));
        println!("{:>18} {:>14.0} {:>14.0}", kind.name(), makespan(&consistent)?, makespan(&inconsistent)?);
    }
    Ok(())
}
