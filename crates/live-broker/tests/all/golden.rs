//! A recorded journal leads to the same bytes.
//!
//! The journal has every kind of input and of demand. If the decisions of the broker change intentionally, write the
//! files again (`ECONSCHED_FREEZE=write cargo test -p live-broker --all-features --test all golden`).

use crate::common::{restored, written};
use crate::session::writes;
use batch_dp::Goal;
use live_broker::*;
use sched_model::*;
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{name}.json"))
}

fn config() -> Config {
    Config::new(Span::must(300.0))
        .with_goal(Goal::MinCost { time_limit: None }, 3)
        .with_stability(
            Stability::new(MovePolicy::Within(Span::must(20.0)))
                .with_tax(1.0)
                .with_rate(MoveRate { moves: 3, span: Span::must(10.0) }),
        )
        .with_tolerance(Span::must(0.5))
        .with_preemption(Preemption { least_run: Span::must(1.0), delay: Span::must(0.25) })
}

#[test]
fn a_journal_leads_to_its_state() {
    let [text, state] = ["journal", "state"].map(|name| std::fs::read_to_string(file(name)).unwrap());
    let journal: Vec<Entry> = serde_json::from_str(&text).unwrap();
    let mut told = Broker::new(config()).unwrap();
    // Inputs that no longer fit are left out. Decisions stay in the state, so that they are compared too.
    let entries: Vec<Entry> =
        journal.iter().flat_map(|entry| told.handle(entry.now, entry.input.clone())).collect();
    if writes() {
        std::fs::write(file("journal"), serde_json::to_string(&entries).unwrap()).unwrap();
        return std::fs::write(file("state"), written(&told)).unwrap();
    }
    assert_eq!(entries, journal);
    let mut replayed = Broker::new(config()).unwrap();
    journal.iter().for_each(|entry| replayed.replay(entry).unwrap());
    for broker in [replayed, restored(&state).unwrap()] {
        assert_eq!(written(&broker), state.trim_end());
    }
    for what in ["preempt", "late", "blocked", "victims", "demands", "features", "start_passed"] {
        let what = format!("\"{what}\"");
        assert!(text.contains(&what) || state.contains(&what), "there is no {what}");
    }
    let cycles = journal.iter().filter(|entry| entry.cycle.is_some()).count();
    assert!(cycles > 10 && journal.len() > 100, "{cycles} cycles of {} entries", journal.len());
}
