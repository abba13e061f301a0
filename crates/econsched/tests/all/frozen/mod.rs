//! The answers of the algorithms on drawn cases of many structures, compared to the bit with the files in this
//! folder. They judge every later version of an algorithm: a difference is a fault, or intended and stated in the
//! commit.
//!
//! `ECONSCHED_FREEZE=write cargo test -p econsched frozen` writes the files anew.
#![cfg(all(feature = "joint-plan", feature = "auction-assign", feature = "testkit"))]

mod assignments;
mod choices;
mod draw;
mod families;
mod plans;
mod windows;

use std::fs;
use std::path::Path;

/// Compares these rows with the file of this name.
fn compare(name: &str, rows: &[String]) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen").join(name);
    let now: String = rows.iter().map(|row| format!("{row}\n")).collect();
    if std::env::var("ECONSCHED_FREEZE").is_ok_and(|word| word == "write") {
        return fs::write(&place, now).expect("written");
    }
    let before = fs::read_to_string(&place).expect("a file");
    let differ = |(before, now): &(&str, &str)| before != now;
    let changed: Vec<(&str, &str)> = before.lines().zip(now.lines()).filter(differ).collect();
    let shown: Vec<String> =
        changed.iter().take(10).map(|(before, now)| format!("frozen {before}\nnow    {now}")).collect();
    assert!(
        before == now,
        "{name}: {} rows differ, {} to {} rows\n{}",
        changed.len(),
        before.lines().count(),
        rows.len(),
        shown.join("\n")
    );
}
