//! Worked examples of papers, as scenario files beside their documents.

use super::{code, econsched, err, out};
use std::path::Path;

/// Toporkov et al. 2011, section 4: figure 2 is the first alternative of each job, figure 3 all of them.
#[test]
fn the_example_of_section_4_has_the_windows_of_its_figures() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers/section4.json");
    let text = std::fs::read_to_string(path).expect("the scenario");
    let plan = |flags: &[&str]| {
        let output = econsched(&[&["plan", "-", "--no-files"], flags].concat(), &text);
        assert_eq!(code(&output), 0, "{}", err(&output));
        // Columns are as wide as their cells.
        out(&output).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let first = plan(&["--alternatives", "1"]);
    // W1 at 10 a unit of time, W2 at 14, W3 at 6.
    for row in ["1 150 230 80 800", "1 230 260 30 420", "1 450 500 50 300"] {
        assert!(first.contains(row), "{row}: {first}");
    }
    let all = plan(&["--method", "cycle"]);
    assert!(all.contains("price 5 4 ") && all.contains("price 10 9 ") && all.contains("price 3 3 "), "{all}");
    // ALP reads a limit for each slot, and finds nothing for the third job.
    assert!(plan(&["--search", "alp"]).contains("2 of 3 jobs placed"));
}

/// Job grouping under the text's own words: one CPU, 10 s, an overhead of 10 s.
#[test]
fn the_reading_of_a_study_is_in_its_command_and_in_its_tables() {
    let flags =
        ["--seeds", "2", "--cpus", "1", "--granularity", "10", "--overhead", "10", "--lengths", "160,240"];
    let output = econsched(&[&["study", "yadav", "--max-rounds", "90", "--json"], &flags[..]].concat(), "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let json: serde_json::Value = serde_json::from_str(&out(&output)).expect("JSON");
    let words = json["paragraphs"][0].as_str().expect("text");
    assert!(words.contains("1 CPUs") && words.contains("U[160, 240]"), "{words}");
    let tables = json["tables"].as_array().expect("tables");
    assert_eq!(tables[0]["name"], "index");
    let time = |name: &str| {
        let table = tables.iter().find(|table| table["name"] == name).expect("a table");
        let at = table["columns"].as_array().expect("columns").iter().position(|name| name == "time");
        table["rows"][0][at.expect("a column")].as_str().expect("a cell").parse::<f64>().expect("a time")
    };
    // Each dispatch takes 10 s more: 25 of them 250 s.
    assert!(time("table2") > 250.0, "{}", time("table2"));
    for lengths in ["240,160", "-1,2", "1", "a,b", "nan,1"] {
        let output = econsched(&["study", "yadav", &format!("--lengths={lengths}")], "");
        assert_eq!(code(&output), 2, "{lengths}");
    }
}

#[test]
fn verdicts_of_some_studies_need_the_files_of_the_others() {
    let dir = super::scratch("verdicts-only");
    let place = dir.display().to_string();
    let output = econsched(&["study", "verdicts", "--only", "yadav"], "");
    assert_eq!(code(&output), 2, "without --out");
    let output = econsched(&["study", "verdicts", "--only", "yadav", "--out", &place], "");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("verdicts-iccs2011.csv"), "{}", err(&output));
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
