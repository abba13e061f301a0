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
    let all = plan(&[]);
    assert!(all.contains("price 5 4 ") && all.contains("price 10 9 ") && all.contains("price 3 3 "), "{all}");
    // ALP reads a limit for each slot, and finds nothing for the third job.
    assert!(plan(&["--search", "alp"]).contains("2 of 3 jobs placed"));
}
