//! The verdict on every claim of the five papers, pinned at fixed seeds and small sizes: `just verdicts`.

use econsched_studies::{Garg2009, Iccs2011, MultiSGridStudy, Replicates, Study, Window2018, Yadav};

fn studies() -> [(&'static str, Box<dyn Study>); 5] {
    [
        ("iccs2011 --set cycles=600", Box::new(Iccs2011::default().with_cycles(600))),
        ("window2018 --set seeds=100", Box::new(Window2018::default().with_seeds(100))),
        ("garg2009 --set seeds=8 --set jobs=200", Box::new(Garg2009::default().with_seeds(8).with_jobs(200))),
        ("yadav --set seeds=400", Box::new(Yadav::default().with_seeds(400))),
        ("multi-s-grid --set seeds=12", Box::new(MultiSGridStudy::default().with_seeds(12))),
    ]
}

/// A change of a library that changes a verdict fails here. If the new verdicts are right, copy the file that
/// the message names over `tests/data/verdicts.txt`.
#[test]
#[ignore = "takes two minutes: run by `just verdicts`"]
fn verdicts_are_what_they_were() {
    let replicates = Replicates::new(None).unwrap();
    let mut lines = String::new();
    for (command, study) in studies() {
        let report = study.run(&replicates).unwrap();
        assert!(!report.claims.is_empty(), "{}", study.name());
        lines += &format!("# econsched study {command}\n");
        for claim in &report.claims {
            lines += &format!("{}: {}: {}\n", claim.verdict(), claim.place, claim.text);
        }
    }
    let pinned = include_str!("../data/verdicts.txt");
    if lines != pinned {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("verdicts.txt");
        std::fs::write(&path, &lines).unwrap();
        let changed = lines.lines().find(|line| !pinned.lines().any(|old| old == *line));
        panic!("verdicts changed, first {changed:?}; now in {}", path.display());
    }
}
