//! A recorded journal leads to the same bytes.
//!
//! The journal has every kind of input and of demand. If the decisions of the broker change intentionally, write the
//! files again (`GOLDEN=write cargo test -p live-broker --all-features --test all golden`).

use crate::common::{restored, written};
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

/// The inputs of a journal, told anew; those that no longer fit are left out. Decisions stay in the state, so that they
/// are compared too.
fn told_anew(journal: &[Entry]) -> (Broker, Vec<Entry>) {
    let mut broker = Broker::new(config()).unwrap();
    let told = journal.iter().flat_map(|entry| broker.handle(entry.now, entry.input.clone())).collect();
    (broker, told)
}

#[test]
fn a_journal_leads_to_its_state() {
    let text = std::fs::read_to_string(file("journal")).unwrap();
    let journal: Vec<Entry> = serde_json::from_str(&text).unwrap();
    let (anew, told) = told_anew(&journal);
    if std::env::var("GOLDEN").is_ok_and(|what| what == "write") {
        std::fs::write(file("journal"), serde_json::to_string(&told).unwrap()).unwrap();
        std::fs::write(file("state"), written(&anew)).unwrap();
        return;
    }
    assert_eq!(told, journal);
    let state = std::fs::read_to_string(file("state")).unwrap();
    let mut replayed = Broker::new(config()).unwrap();
    for entry in &journal {
        replayed.replay(entry).unwrap();
    }
    assert_eq!(written(&replayed), state.trim_end());
    assert_eq!(written(&restored(&state).unwrap()), state.trim_end());
    for what in ["preempt", "late", "blocked", "victims", "demands", "features", "start_passed"] {
        let what = format!("\"{what}\"");
        assert!(text.contains(&what) || state.contains(&what), "there is no {what}");
    }
    let cycles = journal.iter().filter(|entry| entry.cycle.is_some()).count();
    assert!(cycles > 10 && journal.len() > 100, "{cycles} cycles of {} entries", journal.len());
}
