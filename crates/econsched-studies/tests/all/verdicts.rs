//! The verdict on every claim of the five papers, pinned at fixed seeds and small sizes: `just verdicts`.

use econsched_studies::{Garg2009, Iccs2011, MultiSGridStudy, Replicates, Study, Verdict, Window2018, Yadav};

fn studies() -> Vec<Box<dyn Study>> {
    vec![
        Box::new(Iccs2011::default().with_cycles(600)),
        Box::new(Window2018::default().with_seeds(100)),
        Box::new(Garg2009::default().with_seeds(8).with_jobs(200)),
        Box::new(Yadav::default().with_seeds(400)),
        Box::new(MultiSGridStudy::default().with_seeds(12)),
    ]
}

/// A change of a library that changes a verdict fails here. If the new verdicts are right, copy the file that
/// the message names over `tests/data/verdicts.txt`.
#[test]
#[ignore = "takes two minutes: run by `just verdicts`"]
fn verdicts_are_what_they_were() {
    let replicates = Replicates::new(None).unwrap();
    let mut lines = String::new();
    for study in studies() {
        let report = study.run(&replicates).unwrap();
        assert!(!report.claims().is_empty(), "{}", study.name());
        lines += &format!("# {}\n", study.command());
        for claim in report.claims() {
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

/// A claim without a number says instead what the text lacks.
#[test]
fn nothing_is_decided_by_claims_that_have_no_number() {
    let small: [Box<dyn Study>; 5] = [
        Box::new(Iccs2011::default().with_cycles(20)),
        Box::new(Window2018::default().with_seeds(2)),
        Box::new(Garg2009::default().with_seeds(2).with_jobs(20)),
        Box::new(Yadav::default().with_seeds(2)),
        Box::new(MultiSGridStudy::default().with_seeds(2).with_slices(15)),
    ];
    let mut without = 0;
    for study in small {
        let report = study.run(&Replicates::new(Some(1)).unwrap()).unwrap();
        for claim in report.claims() {
            assert_eq!(claim.verdict() == Verdict::NotDetermined, claim.ours.is_none(), "{claim:?}");
            assert!(
                claim.ours.is_some() || claim.note.starts_with("missing: "),
                "{claim:?}: what is missing?"
            );
            without += usize::from(claim.ours.is_none());
        }
    }
    assert_eq!(without, 10);
}
