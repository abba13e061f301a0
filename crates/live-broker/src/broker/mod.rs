//! The broker: inputs in, decisions out.

mod audit;
mod check;
mod explain;
mod facts;
mod quote;
#[cfg(feature = "serde")]
mod snapshot;
mod view;
mod wake;

use crate::config::Config;
use crate::cycle::CycleNote;
use crate::decision::Decision;
use crate::error::BrokerError;
use crate::input::Input;
use crate::journal::Entry;
use crate::state::State;
pub use explain::{DemandChange, JobExplanation, JobNodeCounts, NodeExplanation, Suggestion, Why, WhyNot};
pub use quote::Quotes;
use sched_model::{StopSignal, Time};
use slot_window::WindowSearch;
#[cfg(feature = "serde")]
pub use snapshot::Snapshot;
use std::sync::Arc;
pub use view::{JobView, PromiseState, Standing};

/// Where the answer of a cycle comes from.
#[derive(Clone, Copy)]
enum CycleSource<'a> {
    /// It is planned, until the signal is set.
    Compute(Option<&'a StopSignal>),
    /// It is planned again, and must be what was noted.
    Repeat(Option<&'a CycleNote>),
    /// It is what was noted.
    Adopt(Option<&'a CycleNote>),
}

/// A broker as a state machine: see the [crate].
///
/// Equal inputs give equal decisions and equal states, byte by byte, on every machine.
#[derive(Debug, Clone)]
#[must_use]
pub struct Broker {
    search: Arc<dyn WindowSearch>,
    state: State,
    last_cycle: Option<CycleNote>,
}

impl Broker {
    /// A broker without nodes and jobs. Its first input may have any time.
    ///
    /// # Errors
    /// [`BrokerError::Config`] for a setting out of its range, [`BrokerError::Search`] if the search cannot
    /// be built.
    pub fn new(config: Config) -> Result<Self, BrokerError> {
        config.check()?;
        let search = config.build_search()?;
        Ok(Self { search, state: State::new(config), last_cycle: None })
    }

    /// The same broker with your own search in place of the configured one. A snapshot does not contain it:
    /// give it again after `restore` (feature `serde`).
    pub fn with_search(self, search: Arc<dyn WindowSearch>) -> Self {
        Self { search, ..self }
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.state.config
    }

    /// The instant of the last input.
    pub fn now(&self) -> Time {
        self.state.now
    }

    /// Takes an input of the time `now`, which must not be before that of the last input; it may be the same.
    ///
    /// O(log n) for n nodes and jobs, and for each node concerned O(log m + c) with m free slots and c claims
    /// on it; a `Wake` may plan, within the limit of the configuration.
    ///
    /// # Errors
    /// [`BrokerError`] for an input that does not fit the state (late, repeated, about something unknown).
    /// The state is then unchanged.
    pub fn handle(&mut self, now: Time, input: Input) -> Result<(), BrokerError> {
        self.take(now, &input, CycleSource::Compute(None))
    }

    /// Same as [`handle`](Self::handle), with a signal from outside that stops planning. What was planned
    /// until then is kept. The entry for the journal contains the work of the cycle, so that the cycle can be
    /// repeated.
    ///
    /// # Errors
    /// As for [`handle`](Self::handle).
    pub fn handle_noted(
        &mut self,
        now: Time,
        input: Input,
        signal: Option<&StopSignal>,
    ) -> Result<Entry, BrokerError> {
        self.take(now, &input, CycleSource::Compute(signal))?;
        Ok(Entry { number: self.state.inputs - 1, now, input, cycle: self.last_cycle.clone() })
    }

    /// Takes an entry of a journal: its cycle is computed again and compared.
    ///
    /// # Errors
    /// As for [`handle`](Self::handle); [`BrokerError::Damaged`] for an entry out of turn or a fact with a
    /// cycle, which change nothing, and for a cycle that gives another answer or cannot be adopted: the
    /// broker is then of no further use.
    pub fn replay(&mut self, entry: &Entry) -> Result<(), BrokerError> {
        self.follow(entry, CycleSource::Repeat(entry.cycle.as_ref()))
    }

    /// Takes an entry of a journal, with its cycle as recorded there. Nothing is planned, so this is fast.
    ///
    /// # Errors
    /// As for [`replay`](Self::replay).
    pub fn adopt(&mut self, entry: &Entry) -> Result<(), BrokerError> {
        self.follow(entry, CycleSource::Adopt(entry.cycle.as_ref()))
    }

    fn follow(&mut self, entry: &Entry, source: CycleSource<'_>) -> Result<(), BrokerError> {
        let (number, expected) = (entry.number, self.state.inputs);
        if number != expected {
            return Err(BrokerError::Damaged(format!(
                "entry {number} of the journal where {expected} follows"
            )));
        }
        if entry.cycle.is_some() && entry.input != Input::Wake {
            return Err(BrokerError::Damaged(format!(
                "entry {number} of the journal notes a cycle of a fact"
            )));
        }
        self.take(entry.now, &entry.input, source)
    }

    fn take(&mut self, now: Time, input: &Input, source: CycleSource<'_>) -> Result<(), BrokerError> {
        check::check(self, now, input)?;
        self.state.now = now;
        self.state.inputs += 1;
        self.last_cycle = None;
        if *input == Input::Wake {
            self.last_cycle = wake::wake(&mut self.state, &*self.search, source)?;
            #[cfg(feature = "tracing")]
            if let Some(note) = &self.last_cycle {
                tracing::info!(
                    now = now.get(),
                    placed = note.placed.len(),
                    preempted = note.preempted.len(),
                    rescued = note.rescued.len(),
                    late = note.late.len(),
                    without_window = note.without_window.len(),
                    refused = note.refused.len(),
                    work = note.work,
                    end = %note.end,
                    "planned"
                );
            }
        } else {
            facts::take(&mut self.state, input);
        }
        Ok(())
    }

    /// The next decision, in order.
    pub fn poll(&mut self) -> Option<Decision> {
        self.state.out.pop_front()
    }

    /// When to send the next [`Wake`](Input::Wake) if nothing happens before. The present instant means at
    /// once. `None`: no `Wake` is needed until something happens.
    ///
    /// After a `Wake` this instant is later than the present, except where a cycle was stopped by the limit
    /// of work or has moved promises.
    pub fn next_wakeup(&self) -> Option<Time> {
        let timer = self.state.timers.first().map(|(at, _)| (*at).max(self.state.now));
        timer.into_iter().chain(wake::next_cycle(&self.state)).min()
    }

    /// What the cycle of the last input noted, if that input had one.
    pub fn last_cycle(&self) -> Option<&CycleNote> {
        self.last_cycle.as_ref()
    }
}
