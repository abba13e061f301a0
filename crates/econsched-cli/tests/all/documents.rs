//! What the program and the repository say of themselves.

use super::{code, econsched, err, out};
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn every_command_has_help_with_an_example() {
    for command in ["plan", "window", "generate", "convert", "map", "assign", "simulate", "multi-s-grid"] {
        let output = econsched(&[command, "--help"], "");
        assert_eq!(code(&output), 0);
        assert!(out(&output).contains("Examples:") && out(&output).contains("econsched"), "{command}");
    }
}

/// A command that is broken over two lines cannot be copied.
#[test]
fn help_fits_the_terminal_and_keeps_its_examples_whole() {
    let help = |command: &str, columns: &str| {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let output =
            Command::new(env!("CARGO_BIN_EXE_econsched")).args(words).env("COLUMNS", columns).output();
        String::from_utf8(output.expect("the program starts").stdout).expect("help is text")
    };
    for command in
        ["plan", "simulate", "multi-s-grid", "map", "group", "assign", "generate", "merge", "sweep"]
    {
        let (narrow, wide) = (help(command, "80"), help(command, "110"));
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{command}: {narrow}");
        assert!(wide.lines().any(|line| line.chars().count() > 80), "{command}: {wide}");
        // As a line break of the source would look.
        assert!(!wide.lines().any(|line| line.ends_with('\\')), "{command}: {wide}");
        for line in wide.lines().filter(|line| line.starts_with("  econsched")) {
            assert!(narrow.lines().any(|other| other == line), "{command}: {line}");
        }
    }
}

/// The sample of the README of the repository is the example of that name.
#[test]
fn the_readme_is_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a text");
    let readme = read("README.md");
    let example = read("crates/econsched/examples/quickstart.rs");
    let sample = example.split_once("\n\n").expect("a header").1;
    assert!(readme.contains(sample), "the sample is not the example");
}

/// No table and no figure of a document stands without the command that makes it; and what checks it sees
/// each fault: a table, a section and a count that are changed.
#[test]
fn every_table_and_figure_has_its_command() {
    let Some(python) = super::convert::python_with("argparse") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let wrong = |documents: &Path| {
        let mut command = std::process::Command::new(&python);
        command.args(["scripts/papers.py", "marks", "--documents"]).arg(documents).current_dir(&root);
        let output = command.output().expect("Python runs");
        assert!(output.stderr.is_empty(), "{}", err(&output));
        assert_eq!(code(&output) == 0, output.stdout.is_empty());
        out(&output)
    };
    assert_eq!(wrong(&root.join("docs/papers")), "");
    let faults = [
        (
            "papers/iccs2011.md",
            "Rerun: `econsched study iccs2011`, table `figures`.",
            "",
            "no command under the table",
        ),
        (
            "papers/yadav.md",
            "## The text's own words\n",
            "## Orderings\n\nAll are above by 3.7%.\n\n## Others\n",
            "under \"Orderings\"",
        ),
        ("record/verdicts-yadav.csv", ",refuted,", ",held,", "README.md"),
        ("papers/README.md", "| all | | 3", "| all | | 4", "README.md"),
    ];
    for (name, from, to, said) in faults {
        let dir = super::scratch("papers-marks");
        for part in ["papers", "record"] {
            std::fs::create_dir_all(dir.join(part)).expect("a directory");
            for entry in std::fs::read_dir(root.join("docs").join(part)).expect("the documents") {
                let path = entry.expect("a document").path();
                let copy = dir.join(part).join(path.file_name().expect("a name"));
                let mut text = std::fs::read_to_string(&path).expect("text");
                if copy.ends_with(name) {
                    assert!(text.contains(from), "{name}: {from}");
                    text = text.replacen(from, to, 1);
                }
                std::fs::write(copy, text).expect("written");
            }
        }
        let documents = dir.join("papers");
        assert!(wrong(&documents).contains(said), "{name}: {}", wrong(&documents));
    }
}

#[cfg(feature = "shell")]
#[test]
fn shells_and_readers_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = econsched(&["completions", shell], "");
        assert_eq!(code(&output), 0, "{}", err(&output));
        for word in ["plan", "sweep", "--no-files"] {
            let text = out(&output).replace("'no-files", "--no-files").replace("-l no-files", "--no-files");
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    let page = out(&econsched(&["man"], ""));
    for command in
        ["plan", "window", "simulate", "multi", "map", "assign", "generate", "study", "sweep", "merge"]
    {
        assert!(page.contains(&format!("econsched\\-{command}")), "{command}");
    }
}
