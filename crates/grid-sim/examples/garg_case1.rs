//! The meta-broker study in small: makespan and cost of the three heuristics as the trade-off factor grows.
//!
//! `cargo run --release -p grid-sim --example garg_case1`

use grid_heuristics::TradeOffKind;
use grid_sim::garg::{Config, run};
use sched_model::TradeOff;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:<8} {:>6} {:>14} {:>12}", "", "factor", "makespan", "total cost");
    for &heuristic in TradeOffKind::ALL {
        for factor in [0.0, 0.5, 1.0] {
            let config = Config::default().heuristic(heuristic).trade_off(Some(TradeOff::new(factor)?));
            let report = run(&config, 1, 0)?;
            println!("{heuristic:<8} {factor:>6} {:>14.0} {:>12.0}", report.makespan, report.total_cost);
        }
    }
    Ok(())
}
