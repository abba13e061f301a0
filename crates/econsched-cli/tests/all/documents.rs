//! What the program and the repository say of themselves.

#[cfg(feature = "shell")]
use super::good;
use super::{Dir, End};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A command that is broken over two lines cannot be copied.
#[test]
fn help_fits_the_terminal_and_keeps_its_examples_whole() {
    let help = |command: &str, columns: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_econsched"));
        let output = program.args([command, "--help"]).env("COLUMNS", columns).output();
        String::from_utf8(output.expect("the program starts").stdout).expect("help is text")
    };
    let with_examples =
        ["plan", "simulate", "multi-s-grid", "map", "group", "assign", "generate", "window", "convert"];
    for command in with_examples.into_iter().chain(["merge", "sweep"]) {
        let (narrow, wide) = (help(command, "80"), help(command, "110"));
        let wider =
            |help: &str| help.lines().any(|line| line.chars().count() > 80 && line.trim().contains(' '));
        assert!(!wider(&narrow) && wider(&wide), "{command}: {narrow}");
        // As a line break of the source would look.
        assert!(!wide.lines().any(|line| line.ends_with('\\')), "{command}: {wide}");
        let examples: Vec<&str> = wide.lines().filter(|line| line.starts_with("  econsched")).collect();
        assert!(
            !with_examples.contains(&command) || wide.contains("Examples:") && !examples.is_empty(),
            "{command}"
        );
        assert!(
            examples.iter().all(|line| narrow.lines().any(|other| other == *line)),
            "{command}: {narrow}"
        );
    }
}

/// The sample of the README of the repository is the example of that name.
#[test]
fn the_readme_is_true() {
    let readme = fs::read_to_string("../../README.md").expect("a text");
    let example = fs::read_to_string("../econsched/examples/quickstart.rs").expect("a text");
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
        let mut command = Command::new(&python);
        command.args(["scripts/papers.py", "marks", "--documents"]).arg(documents).current_dir(&root);
        let end = End::from(command.output().expect("Python runs"));
        assert!(end.err.is_empty(), "{}", end.err);
        assert_eq!(end.code == 0, end.out.is_empty());
        end.out
    };
    assert_eq!(wrong(&root.join("docs/papers")), "");
    for (name, from, to, said) in [
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
    ] {
        let dir = Dir::new("papers-marks");
        for part in ["papers", "record"] {
            fs::create_dir_all(dir.at(part)).expect("a directory");
            for entry in fs::read_dir(root.join("docs").join(part)).expect("the documents") {
                let entry = entry.expect("a document");
                let copy = format!("{part}/{}", entry.file_name().to_string_lossy());
                let text = fs::read_to_string(entry.path()).expect("text");
                assert!(copy != name || text.contains(from), "{name}: {from}");
                let text = if copy == name { text.replacen(from, to, 1) } else { text };
                dir.write(&copy, text);
            }
        }
        let told = wrong(&dir.at("papers"));
        assert!(told.contains(said), "{name}: {told}");
    }
}

#[cfg(feature = "shell")]
#[test]
fn shells_and_readers_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = good(&format!("completions {shell}"), "");
        let text = text.replace("'no-files", "--no-files").replace("-l no-files", "--no-files");
        for word in ["plan", "sweep", "--no-files"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    let page = good("man", "");
    for command in
        ["plan", "window", "simulate", "multi", "map", "assign", "generate", "study", "sweep", "merge"]
    {
        assert!(page.contains(&format!("econsched\\-{command}")), "{command}");
    }
}
