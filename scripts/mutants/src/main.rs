//! Puts every mutant of some files into their sources at once, each behind a run-time switch.
//!
//! `mutants ROOT DROPPED FILE...` rewrites the files below ROOT and prints a line for each mutant: number,
//! file, line, function, what is changed. The mutants that the file DROPPED names (numbers, one a line) keep
//! their number and are left out. A library gets the module `mutation_switch` at its root; the environment
//! variable `MUTANT` names the mutant that is awake, and `MUTANT_TRACE` a file to which every test writes the
//! numbers that it reaches.
//!
//! The kinds are those of cargo-mutants: bodies of functions that return a constant at once, operators,
//! negations, arms of a match with a wildcard, guards. Constant functions and functions that return
//! `impl Trait` keep their bodies.

mod render;
mod sites;

use std::collections::BTreeSet;
use std::path::Path;

const SWITCH: &str = include_str!("switch.rs");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, dropped, files @ ..] = arguments.as_slice() else {
        return Err("usage: mutants ROOT DROPPED FILE...".into());
    };
    let dropped: BTreeSet<usize> =
        std::fs::read_to_string(dropped)?.lines().map(str::parse).collect::<Result<_, _>>()?;
    let mut next = 1;
    let mut crates = BTreeSet::new();
    for file in files {
        let path = Path::new(root).join(file);
        let text = std::fs::read_to_string(&path)?;
        let sites = sites::of(&text, &mut next).map_err(|error| format!("{file}: {error}"))?;
        for mutant in sites.iter().flat_map(|site| &site.mutants) {
            println!("{}\t{file}\t{}\t{}\t{}", mutant.number, mutant.line, mutant.function, mutant.change);
        }
        std::fs::write(&path, render::file(&text, &sites, &dropped))?;
        crates.insert(file.split("/src/").next().unwrap_or_default().to_owned());
    }
    for name in crates {
        let library = Path::new(root).join(&name).join("src/lib.rs");
        let text = std::fs::read_to_string(&library)?;
        std::fs::write(library, format!("#![allow(warnings, clippy::all)]\n{text}\n{SWITCH}"))?;
    }
    Ok(())
}
