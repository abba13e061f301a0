//! Every command that takes `--json` prints one JSON document and nothing else, also where it is stopped.

use super::{Dir, SWEEP, good};
use serde_json::Value;

/// The commands that take `--json`.
const WITH: [&str; 11] = [
    "plan",
    "window",
    "simulate",
    "multi-s-grid",
    "map",
    "group",
    "assign",
    "study",
    "sweep",
    "merge",
    "bench",
];

/// Those whose output is a format of its own.
const WITHOUT: &[&str] = if cfg!(feature = "shell") {
    &["generate", "convert", "completions", "man"]
} else {
    &["generate", "convert"]
};

#[test]
fn the_lists_of_commands_are_whole() {
    let help = good("--help", "");
    let named =
        |line: &&str| line.starts_with("  ") && !line.starts_with("   ") && !line.trim().starts_with('-');
    let words = help.lines().filter(named).filter_map(|line| line.split_whitespace().next());
    let commands: Vec<&str> = words.filter(|&name| name != "help").collect();
    for name in &commands {
        // The flags of studies are those of each study.
        let command = if *name == "study" { "study yadav" } else { name };
        let help = good(&format!("{command} --help"), "");
        let takes = help.lines().any(|line| line.trim_start().starts_with("--json"));
        assert_eq!((WITH.contains(name), WITHOUT.contains(name)), (takes, !takes), "{name}");
    }
    assert_eq!(commands.len(), WITH.len() + WITHOUT.len(), "{commands:?}");
}

/// Beside those that are frozen: what is stopped, refused or shared out.
#[test]
fn one_document_each() {
    let dir = Dir::new("one-document");
    for (words, input) in [
        ("plan --no-files --compare --search alp,amp", ""),
        ("plan --no-files --work-limit 1", ""),
        ("simulate --jobs 20 --no-files --work-limit 30", ""),
        ("map - --work-limit 1", "3,1\n2,4\n5,6\n"),
        ("sweep - --shard 1/2 --out parts", SWEEP),
    ] {
        let end = dir.run(&format!("{words} --json"), input);
        assert!(end.code == 1 || end.code == 0 && !end.out.is_empty(), "{words}: {}", end.err);
        let one = serde_json::from_str::<Value>(&end.out);
        let whole = one.is_ok_and(|one| one.is_object() || one.is_array());
        assert!(whole || end.out.is_empty(), "{words}: {}", end.out);
    }
}
