//! A run that Ctrl-C ends reports what it has by then.

use super::{Dir, interrupted};
use std::time::Duration;

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
