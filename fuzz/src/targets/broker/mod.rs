//! The live broker: any sequence of inputs, a book of its own about decisions, snapshots taken, damaged and
//! read again.

mod books;
mod case;
mod history;
mod labels;

use crate::rng::Rng;
use crate::target::{Target, Verdict};
use books::Books;
use case::Case;
use econsched::live_broker::{Broker, Input};
use econsched::sched_model::Time;
use history::Run;

pub(crate) struct Histories;

impl Target for Histories {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        Case::drawn(rng)
    }

    fn judge(case: &Case) -> Verdict {
        let Ok(broker) = Broker::new(case.config()?) else { return Ok(()) };
        let mut run = Run { broker, books: Books::default(), now: Time::ZERO };
        for step in &case.steps {
            run.step(step)?;
        }
        run.tell(Input::Wake)?;
        run.restore()
    }
}
