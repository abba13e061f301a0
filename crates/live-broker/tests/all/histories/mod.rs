//! Histories of the live broker: any sequence of inputs, cycles that a signal stops, independent books of the
//! decisions, snapshots that are written, damaged and read again, and the replay of the journal.

mod books;
mod case;
mod history;

use crate::judge::{Verdict, ensure, family};
use books::Books;
#[allow(unused_imports)] // the demands by other tests
pub(crate) use case::{Case, demands};
use econsched::live_broker::{Broker, Input};
use econsched::sched_model::Time;
use econsched::slot_window::WindowSearch;
use history::Run;
use std::sync::Arc;

family!(Histories: Case, Case::drawn, judge);

fn judge(case: &Case) -> Verdict {
    let Some(mut run) = lived(case, None)? else { return Ok(()) };
    run.replay()?;
    run.restore()
}

/// The history to its end, by the search of its settings or another; none where the settings are refused.
pub(crate) fn lived(case: &Case, search: Option<Arc<dyn WindowSearch>>) -> Verdict<Option<Run>> {
    let Ok(mut broker) = Broker::new(case.config.clone()) else { return Ok(None) };
    if let Some(search) = search {
        broker = broker.with_search(search);
    }
    let (decisions, journal) = (Vec::new(), Vec::new());
    let mut run = Run { broker, books: Books::default(), now: Time::ZERO, decisions, journal };
    for step in &case.steps {
        run.step(step)?;
    }
    let mut wakes = 0;
    while run.tell(Input::Wake)? && run.broker.next_wakeup() == Some(run.now) {
        wakes += 1;
        ensure!(wakes < 200, "woken {wakes} times at {}, and to be woken again", run.now);
    }
    Ok(Some(run))
}
