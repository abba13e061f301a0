//! The live broker of simulations: moves, preemption and demands as the flags say.

use super::{Dir, number};
use serde_json::Value;

const SITES: &str = r#"[{"id": 0, "name": "a", "machines": [{"id": 0, "cpus": 16, "speed": 1, "price": 2}]},
                        {"id": 1, "name": "b", "machines": [{"id": 0, "cpus": 16, "speed": 1, "price": 3}]}]"#;

/// Two machines of 16 CPUs, as a file.
fn sites(name: &str) -> Dir {
    let dir = Dir::new(name);
    dir.write("sites.json", SITES);
    dir
}

/// The figures of 200 generated jobs on these sites.
fn figures(dir: &Dir, flags: &str) -> Value {
    let words = "simulate --scheduler live --jobs 200 --cpus 32 --load 3 --no-files --testbed sites.json";
    dir.json(&format!("{words} {flags}"), "")["runs"][0]["figures"].clone()
}

#[test]
fn promises_move_as_far_as_they_may() {
    let dir = sites("live-moves");
    let with = |flags: &str| figures(&dir, flags);
    let never = with("");
    let (later, earlier) = ("promises moved later", "promises moved earlier");
    assert_eq!(number(&never, earlier), 0.0);
    let moved = with("--moves not-later");
    assert!(number(&moved, earlier) > 0.0 && number(&moved, later) == 0.0, "{moved}");
    assert!(number(&moved, "mean wait") < number(&never, "mean wait"), "{moved} {never}");
    // A tax that no move gains, a time that all promises lie in, and no move at all.
    for more in ["--move-tax 1e9", "--frozen 1e8", "--max-moves 0", "--move-rate 0/1"] {
        assert_eq!(number(&with(&format!("--moves not-later {more}")), earlier), 0.0, "{more}");
    }
    let bounded = number(&with("--moves not-later --move-rate 1/100000"), earlier);
    assert!(bounded > 0.0 && bounded < number(&moved, earlier), "{bounded}");
    for more in ["--moves anywhere", "--moves 600"] {
        assert!(number(&with(more), earlier) > 0.0, "{more}");
    }
}

#[test]
fn urgent_users_stop_others() {
    let dir = sites("live-urgent");
    let users = (1..=30).map(|user| user.to_string()).collect::<Vec<_>>().join(",");
    let with = |flags: &str| figures(&dir, &format!("--urgent-users {users} {flags}"));
    let (first, stopping) = (with(""), with("--preempt-after 60"));
    assert_eq!(number(&first, "jobs preempted"), 0.0);
    assert!(number(&stopping, "jobs preempted") > 0.0, "{stopping}");
    assert_eq!(number(&with("--preempt-after 60 --preempt-delay 1e7"), "jobs preempted"), 0.0);
    // What a job did before it was stopped is not paid for, so nothing is said of bounds.
    assert!(number(&first, "cost above its bound, %") >= 0.0);
    for name in ["lower bound of the cost", "cost above its bound, %"] {
        assert!(stopping[name].is_null(), "{stopping}");
    }
}

#[test]
fn a_criterion_chooses_among_windows() {
    let dir = sites("live-criterion");
    let [first, cheap] = ["", "--criterion min-cost"].map(|flags| figures(&dir, flags));
    assert!(number(&cheap, "cost") < number(&first, "cost"), "{first} {cheap}");
}

#[test]
fn jobs_run_where_their_demands_are_met() {
    let dir = sites("live-demands");
    // Site b alone has the label, at a price of 3; half of the jobs ask for it, and the others are content.
    let job = |id: u32| format!(r#"{{"job": {id}, "demands": {{"all_of": ["gpu"]}}}}"#);
    let jobs = (1..=200).step_by(2).map(job).collect::<Vec<_>>().join(", ");
    let machine = r#"{"site": 1, "machine": 0, "features": {"labels": ["gpu"]}}"#;
    let write = |machine: &str| {
        dir.write("demands.json", format!(r#"{{"machines": [{machine}], "jobs": [{jobs}]}}"#));
    };
    write(machine);
    let (plain, picky) = (figures(&dir, ""), figures(&dir, "--demands demands.json"));
    // More of the work is done where it is expensive, and a job asks for more CPUs than site b has.
    let price = |figures: &Value| number(figures, "cost") / number(figures, "CPU time");
    assert!(price(&picky) > price(&plain), "{picky} {plain}");
    assert_eq!((number(&plain, "jobs done"), number(&picky, "jobs done")), (200.0, 199.0));
    // If every machine has what is demanded, the results are as without demands.
    write(r#"{"machine": 0, "features": {"labels": ["gpu"]}}"#);
    let same = figures(&dir, "--demands demands.json");
    assert_eq!(number(&same, "mean wait"), number(&plain, "mean wait"));
}
