//! Limits that are not reached change nothing, and a run that Ctrl-C ends reports what it has by then.

use super::{Dir, here, interrupted};
use std::time::Duration;

#[test]
fn a_limit_that_is_not_reached_changes_nothing() {
    for words in [
        "plan",
        "simulate --jobs 50",
        "simulate --scheduler min-ctt --jobs 50",
        "multi-s-grid --jobs 50",
        "map -",
        "assign - --most-jobs",
    ] {
        let told = |limits: &str| here().good(&format!("{words} {limits}"), "2,5\n3,1\n");
        let whole = told("");
        assert!(!whole.contains("the limit of"), "{whole}");
        assert_eq!(told("--time-limit 600 --work-limit 1000000000"), whole);
    }
    // The clock is asked every 16384 units of work: what is done by then is done.
    assert!(here().run("plan --time-limit 0", "").code < 2);
}

/// A plan without end, and a queue that grows without end under a policy that looks at all of it.
#[test]
fn ctrl_c_ends_what_takes_long_with_the_best_so_far() {
    let dir = Dir::new("ctrl-c");
    dir.good("generate environment --set nodes=100 --set jobs=100 --out long.json", "");
    dir.good("generate log --set jobs=20000 --out long.swf", "");
    for (words, ended, what) in [
        ("plan long.json --gap 0 --time-limit 3000", "Ctrl-C", "jobs placed"),
        (
            "simulate long.swf --scheduler conservative --load 5 --out results",
            "the time limit or Ctrl-C ended the simulation",
            "20000 jobs",
        ),
    ] {
        let child = dir.begin(words);
        std::thread::sleep(Duration::from_millis(1500));
        let end = interrupted(child);
        assert!(
            end.code == 0 && end.out.contains(ended) && end.out.contains(what),
            "{} {}",
            end.out,
            end.err
        );
    }
    let jobs = dir.read("results/jobs.csv");
    assert_eq!(jobs.lines().count(), 1 + 20_000);
    assert!(jobs.contains(",done") && jobs.contains(",waiting"));
}
