//! The broker: inputs in, decisions out.

mod audit;
mod check;
mod explain;
mod facts;
mod quote;
mod view;
mod wake;

use crate::config::Config;
use crate::cycle::CycleNote;
use crate::decision::Decision;
use crate::error::BrokerError;
use crate::input::Input;
use crate::journal::Entry;
use crate::state::State;
pub use explain::{Explanation, NodeCounts};
pub use quote::Quotes;
use sched_model::{Limit, Time};
use slot_window::{SearchOptions, WindowSearch};
use std::sync::Arc;
pub use view::{JobView, PromiseState};

/// A broker as a state machine: see the [crate].
///
/// Equal inputs give equal decisions and equal states, byte by byte, on every machine. With the feature `serde` a
/// broker can be serialized after any input; the deserialized broker continues exactly as the original would. A state
/// that contradicts itself is an error. A [search](Self::with_search) and a [signal](Self::with_signal) of your own are
/// not serialized: set them again. O(n) for n nodes and jobs.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "State"))]
#[must_use]
pub struct Broker {
    search: Arc<dyn WindowSearch>,
    /// A limit of which only the signal is used.
    signal: Limit,
    state: State,
}

/// Compares states; equal brokers are serialized to equal bytes.
impl PartialEq for Broker {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

impl Broker {
    /// Creates a broker without nodes and jobs. Its first input may have any time.
    ///
    /// # Errors
    /// [`BrokerError::Config`] for a setting out of its range, [`BrokerError::Preference`] for a preference that does
    /// not fit the goal, [`BrokerError::Search`] if the search cannot be built.
    pub fn new(config: Config) -> Result<Self, BrokerError> {
        Self::of(State::new(config))
    }

    fn of(state: State) -> Result<Self, BrokerError> {
        let config = &state.config;
        config.check()?;
        let search = config.search.build_with(&SearchOptions::default().with_rho(config.rho))?;
        Ok(Self { search: Arc::from(search), signal: Limit::none(), state })
    }

    /// Replaces the configured search by one of your own.
    pub fn with_search(self, search: Arc<dyn WindowSearch>) -> Self {
        Self { search, ..self }
    }

    /// Sets a signal from outside that stops a cycle. What the cycle has planned until then is kept, and its [`Entry`]
    /// records where it stopped, so that it can be repeated.
    pub fn with_signal(self, is_set: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { signal: self.signal.with_signal(is_set), ..self }
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.state.config
    }

    /// The instant of the last input.
    pub fn now(&self) -> Time {
        self.state.now
    }

    /// The number of inputs accepted so far, which is the [number](Entry::number) of the next journal entry.
    pub fn inputs(&self) -> u64 {
        self.state.inputs
    }

    /// Processes an input of the time `now`, which must not be before that of the last input; it may be the same.
    ///
    /// O(log n) for n nodes and jobs, plus O(log m + c) for each node concerned, with m free slots and c claims on the
    /// node. A `Wake` may also plan, within the limit of the configuration.
    ///
    /// Returns the entry for a journal.
    ///
    /// # Errors
    /// [`BrokerError`] for an input that does not fit the state: late, repeated, or about an unknown job or node. The
    /// state is then unchanged.
    pub fn handle(&mut self, now: Time, input: Input) -> Result<Entry, BrokerError> {
        let cycle = self.process(now, &input, None)?;
        Ok(Entry { number: self.state.inputs - 1, now, input, cycle })
    }

    /// Processes an entry of a journal: computes its cycle again and compares the result.
    ///
    /// # Errors
    /// As for [`handle`](Self::handle); [`BrokerError::Damaged`] for an entry out of order or a fact with a cycle,
    /// which leave the state unchanged, and for a cycle with another result, after which the broker must not be used
    /// any more.
    pub fn replay(&mut self, entry: &Entry) -> Result<(), BrokerError> {
        let (number, expected) = (entry.number, self.state.inputs);
        let damaged = |why: String| Err(BrokerError::Damaged(format!("entry {number} of the journal {why}")));
        if number != expected {
            return damaged(format!("stands where {expected} follows"));
        }
        if entry.cycle.is_some() && entry.input != Input::Wake {
            return damaged("notes a cycle of a fact".to_owned());
        }
        if self.process(entry.now, &entry.input, entry.cycle.as_ref())? != entry.cycle {
            return damaged("notes another cycle than follows from those before it".to_owned());
        }
        Ok(())
    }

    /// Processes an input. If `noted` is given, its cycle repeats the noted one.
    fn process(
        &mut self,
        now: Time,
        input: &Input,
        noted: Option<&CycleNote>,
    ) -> Result<Option<CycleNote>, BrokerError> {
        check::check(self, now, input)?;
        self.state.now = now;
        self.state.inputs += 1;
        if *input != Input::Wake {
            facts::apply(&mut self.state, input);
            return Ok(None);
        }
        let cycle = wake::wake(self, noted);
        #[cfg(feature = "tracing")]
        if let Some(note) = &cycle {
            tracing::info!(
                now = now.get(),
                placed = note.placed.len(),
                late = note.late.len(),
                without_window = note.without_window.len(),
                refused = note.refused.len(),
                work = note.work,
                end = %note.end,
                "planned"
            );
        }
        Ok(cycle)
    }

    /// Removes and returns the next decision, in order.
    pub fn poll(&mut self) -> Option<Decision> {
        self.state.out.pop_front()
    }

    /// The instant at which to send the next [`Wake`](Input::Wake) if no other input comes before; the present instant
    /// means immediately. `None`: no `Wake` is needed before the next fact.
    ///
    /// After a `Wake` it may be the present instant if the limit of work stopped the cycle, if the cycle moved promises
    /// or left jobs out because of the limit of the goal, or if a job that lost its promise must be refused. The number
    /// of wakes at one instant is finite.
    pub fn next_wakeup(&self) -> Option<Time> {
        let timer = self.state.timers.first().map(|(at, _)| (*at).max(self.state.now));
        timer.into_iter().chain(wake::next_cycle(&self.state)).min()
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Broker {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.state.serialize(to)
    }
}

#[cfg(feature = "serde")]
impl TryFrom<State> for Broker {
    type Error = BrokerError;

    /// Creates the broker of a deserialized state.
    ///
    /// # Errors
    /// [`BrokerError::Damaged`] for a state that contradicts itself; also those of [`new`](Self::new).
    fn try_from(state: State) -> Result<Self, BrokerError> {
        let counters = [state.inputs, state.book.gains, state.book.changes, state.next_decision];
        if counters.iter().any(|&count| count > u64::MAX / 2) {
            return Err(BrokerError::Damaged("a counter is beyond what inputs can reach".to_owned()));
        }
        let mut broker = Self::of(state)?;
        broker.state = broker.state.rebuilt()?;
        match broker.audit().into_iter().next() {
            Some(fault) => Err(BrokerError::Damaged(fault)),
            None => Ok(broker),
        }
    }
}
