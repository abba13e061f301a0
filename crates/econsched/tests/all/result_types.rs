//! What the libraries return is a value: read in their source, so that a new result cannot be forgotten.
//!
//! A result is a public type that a public function or method returns and that has no setters. It is `Clone`,
//! `PartialEq` and written by `serde`; those that a caller would show to a person are printed (`Display`).

use crate::source::{LIBRARIES, named, texts, words};
use std::collections::{BTreeMap, BTreeSet};

/// Returned, and no results.
const OTHERS: [(&str, &str); 9] = [
    ("AloneBound", "bounds on demand"),
    ("Costs", "a view of the caller's numbers"),
    ("Eligible", "compiled demands"),
    ("JobView", "a view of a broker's state"),
    ("LocalQueue", "the queue of a cluster"),
    ("LublinJobs", "an iterator"),
    ("PreparedQuery", "a compiled query"),
    ("Profiles", "a place to reserve in"),
    ("QueuedJob", "a part of the queue of a cluster"),
];

/// Ends of the names of results that are shown to people.
const SHOWN: [&str; 21] = [
    "Answer",
    "Assignment",
    "Alternatives",
    "Bounds",
    "Bounded",
    "Certificate",
    "Conversion",
    "Explanation",
    "Grouping",
    "Mapping",
    "Outcome",
    "Plan",
    "Quotes",
    "Replay",
    "Report",
    "Schedule",
    "Selection",
    "Shortage",
    "Streamed",
    "Totals",
    "Window",
];

/// Shown by their parts: plain input of a choice.
const NOT_SHOWN: [&str; 1] = ["Alternatives"];

/// What follows `<...>` at the beginning.
fn after_generics(text: &str) -> &str {
    let mut depth = 0;
    let end = text.char_indices().find(|&(_, c)| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0
    });
    if text.starts_with('<') { end.map_or(text, |(at, _)| &text[at + 1..]) } else { text }
}

#[derive(Default)]
struct Source {
    /// The attributes of each public type.
    types: BTreeMap<String, String>,
    /// (trait, type) of each `impl`.
    impls: BTreeSet<(String, String)>,
    returned: BTreeSet<String>,
    with_setters: BTreeSet<String>,
}

impl Source {
    fn read(&mut self, text: &str) {
        let mut attributes = String::new();
        let mut owner = String::new();
        let mut signature: Option<String> = None;
        for line in text.lines().map(str::trim) {
            if let Some(begun) = &mut signature {
                begun.push_str(line);
            } else if line.starts_with("pub fn ") || line.starts_with("pub const fn ") {
                if line.starts_with("pub fn with_") {
                    self.with_setters.insert(owner.clone());
                }
                signature = Some(line.to_owned());
            }
            if let Some(whole) = signature.take_if(|begun| begun.ends_with('{') || begun.ends_with(';')) {
                let answer = whole.rsplit_once("->").map_or("", |(_, answer)| answer);
                self.returned.extend(words(answer).map(str::to_owned));
            }
            if line.starts_with("#[") {
                attributes.push_str(line);
            } else if let Some(name) = named(line, &["pub struct ", "pub enum "]) {
                self.types.insert(name.to_owned(), std::mem::take(&mut attributes));
            } else if !line.starts_with("///") {
                attributes.clear();
            }
            if let Some(head) = line.strip_prefix("impl") {
                let (of, to) = head.split_once(" for ").unwrap_or(("", after_generics(head)));
                owner = words(to).next().unwrap_or_default().to_owned();
                let of = after_generics(of).split('<').next().unwrap_or(of);
                self.impls.insert((words(of).last().unwrap_or_default().to_owned(), owner.clone()));
            }
            if let Some((_, head)) = line.split_once("setters!(") {
                let name = after_generics(head.strip_prefix("impl").unwrap_or(head));
                self.with_setters.extend(words(name).next().map(str::to_owned));
            }
            if let Some((_, name)) = line.split_once("registry!(impl ") {
                // The macro reads and writes by name.
                let name = words(name).next().unwrap_or_default();
                self.impls.insert(("Serialize".to_owned(), name.to_owned()));
            }
        }
    }

    fn has(&self, name: &str, what: &str) -> bool {
        self.types.get(name).is_some_and(|attributes| words(attributes).any(|word| word == what))
            || self.impls.contains(&(what.to_owned(), name.to_owned()))
    }
}

#[test]
fn every_result_is_a_value() {
    let mut lacking = Vec::new();
    let mut seen = 0;
    for library in LIBRARIES {
        let mut source = Source::default();
        texts(library).iter().for_each(|text| source.read(text));
        let registries = |name: &String| source.types[name].is_empty();
        let results = source.types.keys().filter(|&name| {
            let is_other = OTHERS.iter().any(|(other, _)| other == name) || name.ends_with("Error");
            source.returned.contains(name) && !source.with_setters.contains(name) && !is_other
        });
        for name in results.filter(|&name| !registries(name)) {
            seen += 1;
            let needed = ["Clone", "PartialEq", "Serialize"].into_iter();
            let shown = SHOWN.iter().any(|end| name.ends_with(end)) && !NOT_SHOWN.contains(&name.as_str());
            for what in needed.chain(shown.then_some("Display")) {
                if !source.has(name, what) {
                    lacking.push(format!("{library}: {name} is not {what}"));
                }
            }
        }
    }
    // A published package has no neighbours to read.
    assert!(seen == 0 || seen > 60, "only {seen} results were found: the reading is wrong");
    assert_eq!(lacking, [""; 0]);
}

#[test]
fn no_function_returns_a_result_of_a_result() {
    for library in LIBRARIES {
        let nested = texts(library).iter().any(|text| text.contains("Result<Result<"));
        assert!(!nested, "{library}: one reason to stop, and one conversion at the boundary");
    }
}
