//! The source of the libraries, for tests that read it.

use std::path::{Path, PathBuf};

/// The libraries below the facade.
pub(crate) const LIBRARIES: [&str; 9] = [
    "sched-model",
    "slot-window",
    "batch-dp",
    "joint-plan",
    "live-broker",
    "grid-heuristics",
    "auction-assign",
    "workload-gen",
    "grid-sim",
];

/// The text of each file of a library that is not hidden, its unit tests left out; none in a published
/// package, which has no neighbours to read.
pub(crate) fn texts(library: &str) -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    files(&crates.join(library).join("src"), &mut paths);
    paths.sort();
    let text = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned()
    };
    paths.iter().map(text).filter(|text| !text.contains("\n#![doc(hidden)]")).collect()
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The name after these words at the beginning of a line.
pub(crate) fn named<'a>(line: &'a str, starts: &[&str]) -> Option<&'a str> {
    let rest = starts.iter().find_map(|start| line.strip_prefix(start))?;
    words(rest).next()
}
