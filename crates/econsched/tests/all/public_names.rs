//! What public types are called, which enums may grow, and where `#[must_use]` stands: read in the source, so
//! that a new type or function cannot be forgotten.

use crate::source::{LIBRARIES, named, texts};
use std::collections::{BTreeMap, BTreeSet};

/// Names of the same part that a type has in several crates; they are read with the name of the crate or the
/// module.
const SHARED: [(&str, &str); 7] = [
    ("Account", "jobs that one budget pays"),
    ("Config", "the settings of what the crate or the module is about"),
    ("Coverage", "which jobs may be left out"),
    ("Goal", "what a choice or a plan optimises, under which limit"),
    ("Plan", "a schedule of a batch, with what is known of it"),
    ("Planner", "who plans a batch"),
    ("Problem", "what the crate solves"),
];

/// Enums that callers match in full, so that another variant is a change that they must see.
const MATCHED: [(&str, &str); 12] = [
    ("Arrangement", "each is drawn"),
    ("Chart", "each is drawn"),
    ("Fate", "each job is placed or refused"),
    ("Holder", "a local job or a reservation"),
    ("Holding", "each node is held for its own span or for that of the slowest"),
    ("Lost", "a line or a value"),
    ("Objective", "windows are ranked by each"),
    ("Proof", "each allows a gap of its own"),
    ("Sense", "least or greatest"),
    ("Settled", "a scheduler does something else after each"),
    ("SwfField", "the fields of the format"),
    ("VectorCriterion", "the four of the published vector, each with a weight"),
];

#[derive(Default)]
struct Types {
    /// The libraries with a public type of this name.
    libraries: BTreeMap<String, BTreeSet<&'static str>>,
    /// Public enums that are neither `#[non_exhaustive]` nor registries, which the macro makes so.
    exhaustive: BTreeSet<String>,
}

impl Types {
    fn read(&mut self, library: &'static str, text: &str) {
        let mut attributes = String::new();
        let mut registry = false;
        for line in text.lines() {
            let (line, nested) = (line.trim_start(), line.starts_with(' '));
            if line.starts_with("#[") {
                attributes.push_str(line);
            } else if let Some(name) = named(line, &["pub struct ", "pub enum ", "pub trait ", "pub type "]) {
                self.libraries.entry(name.to_owned()).or_default().insert(library);
                let grows = attributes.contains("non_exhaustive") || registry;
                if line.starts_with("pub enum ") && !grows {
                    self.exhaustive.insert(name.to_owned());
                }
                attributes.clear();
            } else if line.contains("registry! {") {
                registry = true;
            } else if !nested && !line.is_empty() && line != ")]" {
                registry = false;
                attributes.clear();
            }
        }
    }
}

fn types() -> Types {
    let mut types = Types::default();
    for library in LIBRARIES.into_iter().chain(["econsched", "econsched-studies"]) {
        texts(library).iter().for_each(|text| types.read(library, text));
    }
    types
}

fn listed(list: &[(&str, &str)], name: &str) -> bool {
    list.iter().any(|(listed, _)| *listed == name)
}

#[test]
fn two_things_have_two_names() {
    let types = types();
    // A published package has no neighbours to read.
    let seen = types.libraries.len();
    assert!(!(100..=300).contains(&seen), "only {seen} public types were found: the reading is wrong");
    let shared: Vec<_> =
        types.libraries.iter().filter(|(name, of)| of.len() > 1 && !listed(&SHARED, name)).collect();
    assert!(shared.is_empty(), "names of two things: {shared:?}");
}

#[test]
fn enums_that_may_grow_say_so() {
    let types = types();
    let silent: Vec<_> = types.exhaustive.iter().filter(|name| !listed(&MATCHED, name)).collect();
    assert!(silent.is_empty(), "neither #[non_exhaustive] nor listed as matched in full: {silent:?}");
    if types.libraries.len() > 100 {
        let stale: Vec<_> = MATCHED.iter().filter(|(name, _)| !types.exhaustive.contains(*name)).collect();
        assert!(stale.is_empty(), "listed as matched in full, and not so: {stale:?}");
    }
}

/// Whether a function has its result for its whole purpose: a number, a truth, a text or a list, which
/// `#[must_use]` on the type cannot cover.
fn is_plain(result: &str) -> bool {
    let numbers = ["bool", "f64", "u8", "u32", "u64", "usize", "i64", "String"];
    numbers.contains(&result) || result.starts_with("Vec<")
}

#[test]
fn must_use_stands_on_types() {
    let mut wrong = Vec::new();
    for library in LIBRARIES.into_iter().chain(["econsched", "econsched-studies"]) {
        for text in texts(library) {
            let mut marked = false;
            let mut signature = String::new();
            for line in text.lines().map(str::trim) {
                if !signature.is_empty() || (marked && line.contains("fn ")) {
                    signature.push_str(line);
                }
                if let Some((head, _)) = signature.split_once('{') {
                    let result = head.rsplit_once("->").map_or("", |(_, result)| result.trim());
                    if !is_plain(result) {
                        wrong.push(format!("{library}: {head}"));
                    }
                    signature.clear();
                    marked = false;
                } else if line == "#[must_use]" {
                    marked = true;
                } else if signature.is_empty() && !line.starts_with(['#', '/']) {
                    marked = false;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "#[must_use] stands on the type instead: {wrong:#?}");
}
