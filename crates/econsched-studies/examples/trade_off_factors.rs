//! The meta-broker study in small: makespan and cost of the three heuristics as the trade-off factor grows.
//!
//! `cargo run --release -p econsched-studies --example trade_off_factors`

use econsched::grid_heuristics::TradeOffKind;
use econsched::sched_model::TradeOff;
use econsched_studies::garg2009::broker::{Config, run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:<8} {:>6} {:>14} {:>12}", "", "factor", "makespan", "total cost");
    for &heuristic in TradeOffKind::ALL {
        for factor in [0.0, 0.5, 1.0] {
            let config =
                Config::default().with_heuristic(heuristic).with_trade_off(Some(TradeOff::new(factor)?));
            let report = run(&config, 1, 0)?;
            println!("{heuristic:<8} {factor:>6} {:>14.0} {:>12.0}", report.makespan, report.total_cost);
        }
    }
    Ok(())
}
