//! Cases that failed in the past: none may fail again.

use crate::judge;
use crate::target::{Entry, Fault};
use serde_json::Value;
use std::path::{Path, PathBuf};

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The cases of a target, in order of name.
pub(crate) fn cases(entry: &Entry) -> Result<Vec<(PathBuf, Value)>, String> {
    let folder = folder().join(entry.name);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let case = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok((path, case))
    };
    paths.into_iter().map(read).collect()
}

/// Judges all cases of a target; what is wrong with each that fails.
pub(crate) fn replay(entry: &Entry) -> Result<(usize, Vec<String>), String> {
    let cases = cases(entry)?;
    let mut wrong = Vec::new();
    for (path, case) in &cases {
        match judge::replay(entry, case) {
            Ok(Ok(())) => {}
            Ok(Err(Fault::Wrong(message))) => wrong.push(format!("{}: {message}", path.display())),
            Ok(Err(Fault::Malformed)) => wrong.push(format!("{}: malformed", path.display())),
            Err(message) => wrong.push(format!("{}: no case of {}: {message}", path.display(), entry.name)),
        }
    }
    Ok((cases.len(), wrong))
}

#[cfg(test)]
mod tests {
    use crate::targets::ALL;

    #[test]
    fn nothing_fails_that_failed_once() {
        let mut wrong = Vec::new();
        for entry in ALL {
            wrong.extend(super::replay(entry).unwrap().1);
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_folder_of_the_corpus_has_a_target() {
        for folder in std::fs::read_dir(super::folder()).unwrap() {
            let name = folder.unwrap().file_name();
            assert!(ALL.iter().any(|entry| entry.name == name), "{name:?}");
        }
    }
}
