//! The output shown below the sample in the README must be the output of the sample.
#![cfg(feature = "joint-plan")]

use std::path::Path;
use std::process::Command;

#[test]
fn the_readme_shows_what_its_sample_prints() {
    // Cargo builds the examples together with the tests, unless a single target is requested.
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("examples/quickstart");
    let Ok(output) = Command::new(&program).output() else {
        println!("skipped: {} is not built", program.display());
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let shown = format!("prints:\n\n```text\n{text}```");
    assert!(std::fs::read_to_string(readme).unwrap().contains(&shown), "{shown}");
}
