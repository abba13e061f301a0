//! The live broker: any sequence of inputs, cycles that a signal stops, independent books about decisions,
//! snapshots written, damaged and read again, the journal taken again.

mod books;
mod case;
mod history;
mod labels;

use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict};
use books::Books;
pub(crate) use case::Case;
use econsched::live_broker::{Broker, Config, Decision, Input};
use econsched::sched_model::Time;
use history::Run;

pub(crate) struct Histories;

impl Target for Histories {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        Case::drawn(rng)
    }

    fn judge(case: &Case) -> Verdict {
        let Some(mut run) = lived(case)? else { return Ok(()) };
        run.replay()?;
        run.restore()
    }
}

/// The history to its end; none where the settings are refused.
fn lived(case: &Case) -> Result<Option<Run>, Fault> {
    let Ok(broker) = Broker::new(case.config()?) else { return Ok(None) };
    let (inputs, decisions, journal) = (Vec::new(), Vec::new(), Vec::new());
    let mut run = Run { broker, books: Books::default(), now: Time::ZERO, inputs, decisions, journal };
    for step in &case.steps {
        run.step(step)?;
    }
    run.tell(Input::Wake)?;
    Ok(Some(run))
}

/// The settings of a history, what the broker took, and what it decided.
pub(crate) fn words(case: &Case) -> Result<(Config, Vec<Input>, Vec<Decision>), Fault> {
    let run = lived(case)?;
    let (inputs, decisions) = run.map(|run| (run.inputs, run.decisions)).unwrap_or_default();
    Ok((case.config()?, inputs, decisions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_histories_are_sound() {
        let mut acts: std::collections::BTreeMap<String, u32> = std::collections::BTreeMap::new();
        for index in 0..4000 {
            let case = Histories::generate(&mut Rng::of_case(1, index));
            let mut run = match lived(&case) {
                Ok(Some(run)) => run,
                Ok(None) | Err(Fault::Malformed) => continue,
                Err(Fault::Wrong(message)) => panic!("history {index}: {message}"),
            };
            if let Err(Fault::Wrong(message)) = run.replay().and_then(|()| run.restore()) {
                panic!("history {index}: {message}");
            }
            for decision in &run.decisions {
                let name = format!("{:?}", decision.act).split(' ').next().unwrap_or_default().to_owned();
                *acts.entry(name).or_default() += 1;
            }
        }
        for act in ["Reserve", "Move", "Withdraw", "Preempt", "Start", "Stop", "Refuse", "Close"] {
            assert!(acts.get(act).is_some_and(|&count| count > 10), "{act}: {acts:?}");
        }
    }
}
