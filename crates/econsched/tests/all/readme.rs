//! The output shown below the sample in the README is what the sample prints.
#![cfg(feature = "joint-plan")]

use std::path::Path;
use std::process::Command;

#[test]
fn the_readme_shows_what_its_sample_prints() {
    // Cargo builds the examples with the tests, unless one target is asked for.
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
