//! Random histories, judged by books that the tests keep.

use crate::histories::{Case, Histories, lived};
use econsched::testkit::{Check, Draw};
use std::collections::BTreeMap;

#[test]
fn drawn_histories_are_sound_and_of_every_kind() {
    let mut acts: BTreeMap<String, u32> = BTreeMap::new();
    Check::new(Histories).run(1500).unwrap();
    for number in 0..300 {
        let Ok(Some(run)) = lived(&Case::drawn(&mut Draw::new(1, number)), None) else { continue };
        for decision in &run.decisions {
            let name = format!("{:?}", decision.act).split(' ').next().unwrap_or_default().to_owned();
            *acts.entry(name).or_default() += 1;
        }
    }
    for act in ["Reserve", "Move", "Withdraw", "Preempt", "Start", "Stop", "Refuse", "Close"] {
        assert!(acts.get(act).is_some_and(|&count| count > 2), "{act}: {acts:?}");
    }
}
