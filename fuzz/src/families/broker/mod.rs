//! The live broker: any sequence of inputs, cycles that a signal stops, independent books about decisions,
//! snapshots written, damaged and read again, the journal taken again.

mod books;
mod case;
mod history;

use crate::family::{Verdict, family};
use books::Books;
pub(crate) use case::Case;
use econsched::live_broker::{Broker, Input};
use econsched::sched_model::Time;
use history::Run;

family!(Histories: Case, Case::drawn, judge);

fn judge(case: &Case) -> Verdict {
    let Some(mut run) = lived(case)? else { return Ok(()) };
    run.replay()?;
    run.restore()
}

/// The history to its end; none where the settings are refused.
fn lived(case: &Case) -> Verdict<Option<Run>> {
    let Ok(broker) = Broker::new(case.config.clone()) else { return Ok(None) };
    let (decisions, journal) = (Vec::new(), Vec::new());
    let mut run = Run { broker, books: Books::default(), now: Time::ZERO, decisions, journal };
    for step in &case.steps {
        run.step(step)?;
    }
    run.tell(Input::Wake)?;
    Ok(Some(run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use econsched::testkit::{Check, Draw};
    use std::collections::BTreeMap;

    #[test]
    fn drawn_histories_are_sound_and_of_every_kind() {
        let mut acts: BTreeMap<String, u32> = BTreeMap::new();
        Check::new(Histories).run(4000).unwrap();
        for number in 0..1000 {
            let Ok(Some(run)) = lived(&Case::drawn(&mut Draw::new(1, number))) else { continue };
            for decision in &run.decisions {
                let name = format!("{:?}", decision.act).split(' ').next().unwrap_or_default().to_owned();
                *acts.entry(name).or_default() += 1;
            }
        }
        for act in ["Reserve", "Move", "Withdraw", "Preempt", "Start", "Stop", "Refuse", "Close"] {
            assert!(acts.get(act).is_some_and(|&count| count > 2), "{act}: {acts:?}");
        }
    }
}
