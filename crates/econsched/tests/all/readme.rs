//! The sample in the README is the example of that name, and what is shown below it is what that prints.
#![cfg(feature = "joint-plan")]

use std::process::Command;

#[test]
fn the_readme_shows_its_sample_and_what_it_prints() {
    let readme = std::fs::read_to_string("../../README.md").unwrap();
    let (_, sample) = include_str!("../../examples/quickstart.rs").split_once("\n\n").unwrap();
    assert!(readme.contains(sample), "{sample}");
    // Cargo builds the examples together with the tests, unless a single target is requested.
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("examples/quickstart");
    let Ok(output) = Command::new(&program).output() else {
        println!("skipped: {} is not built", program.display());
        return;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let shown = format!("prints:\n\n```text\n{text}```");
    assert!(readme.contains(&shown), "{shown}");
}
