//! The discrete-event engine: a clock and a queue of future events.
//!
//! [`EventQueue`] is generic over the event type; nothing in it depends on grids. Events come out by time,
//! then by class (smaller first), then in the order in which they were scheduled, so that a simulation is the
//! same on every run.

use crate::SimError;
use sched_model::Time;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Scheduled events are numbered in the low bits; the class stands above them.
const CLASS_SHIFT: u32 = 56;

/// Future events in order, and the present.
///
/// At one instant the smaller class comes first: for example, ends of jobs are class 0, arrivals class 1, and
/// the scheduling pass after them class 2. An event scheduled for the present from within a handler is served
/// before the clock moves.
///
/// An event cannot be withdrawn: a model can store a generation number in the event, and ignore events of an
/// old generation.
///
/// With n events pending: [`schedule`](Self::schedule) and [`pop`](Self::pop) O(log n), space O(n).
#[derive(Debug, Clone)]
#[must_use]
pub struct EventQueue<E> {
    heap: BinaryHeap<Entry<E>>,
    now: Option<Time>,
    scheduled: u64,
    served: u64,
}

/// An event queue as a value that can be written and read.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct QueueState<E> {
    /// Instant, rank and event, in order.
    events: Vec<(Time, u64, E)>,
    now: Option<Time>,
    scheduled: u64,
    served: u64,
}

#[derive(Debug, Clone)]
struct Entry<E> {
    at: Time,
    rank: u64,
    event: E,
}

/// The event that is served first is the greatest, which the heap gives first.
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.rank).cmp(&(self.at, self.rank))
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Entry<E> {}

impl<E> Default for EventQueue<E> {
    /// A queue without events, whose clock stands before every instant.
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), now: None, scheduled: 0, served: 0 }
    }
}

impl<E> EventQueue<E> {
    /// Schedules `event` at `at`.
    ///
    /// # Errors
    /// [`SimError::Past`] if the clock has passed `at`.
    #[inline]
    pub fn schedule(&mut self, at: Time, class: u8, event: E) -> Result<(), SimError> {
        if let Some(now) = self.now.filter(|&now| at < now) {
            return Err(SimError::Past { at, now });
        }
        // No run has 2^56 events.
        let rank = u64::from(class) << CLASS_SHIFT | self.scheduled;
        self.scheduled += 1;
        self.heap.push(Entry { at, rank, event });
        Ok(())
    }

    /// The next event; the clock moves to it. `None` if there are no more events.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let entry = self.heap.pop()?;
        self.now = Some(entry.at);
        self.served += 1;
        Some((entry.at, entry.event))
    }

    /// As [`pop`](Self::pop), for events up to and including `until`; later ones stay in the queue.
    #[inline]
    pub fn pop_until(&mut self, until: Time) -> Option<(Time, E)> {
        if self.peek()?.0 <= until { self.pop() } else { None }
    }

    /// The next event, which stays in the queue.
    pub fn peek(&self) -> Option<(Time, &E)> {
        self.heap.peek().map(|entry| (entry.at, &entry.event))
    }

    /// Whether no event is scheduled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Number of events scheduled and not yet served.
    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// Number of events served.
    #[must_use]
    pub fn served(&self) -> u64 {
        self.served
    }

    /// All of it as a value.
    pub(crate) fn state(&self) -> QueueState<E>
    where
        E: Copy,
    {
        let mut events: Vec<_> = self.heap.iter().map(|entry| (entry.at, entry.rank, entry.event)).collect();
        events.sort_by_key(|&(at, rank, _)| (at, rank));
        QueueState { events, now: self.now, scheduled: self.scheduled, served: self.served }
    }

    /// The queue that had this state.
    pub(crate) fn of_state(state: &QueueState<E>) -> Self
    where
        E: Copy,
    {
        let heap = state.events.iter().map(|&(at, rank, event)| Entry { at, rank, event }).collect();
        Self { heap, now: state.now, scheduled: state.scheduled, served: state.served }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng as _;
    use workload_gen::sample::stream;

    /// Against a sorted list, with calls of `schedule` and `pop` mixed.
    #[test]
    fn events_come_by_time_class_and_order() {
        for case in 0..100 {
            let mut dice = stream(1, case);
            let mut below = |bound: u32| (dice.next_u64() % u64::from(bound)) as u32;
            let mut queue = EventQueue::default();
            let mut oracle: Vec<(u32, u8, usize)> = Vec::new();
            let mut now = 0;
            for index in 0..below(200) as usize {
                let (at, class) = (now + below(6), below(3) as u8);
                queue.schedule(Time::must(f64::from(at)), class, index).unwrap();
                oracle.push((at, class, index));
                if below(2) == 0 {
                    oracle.sort_unstable();
                    let (at, _, expected) = oracle.remove(0);
                    now = at;
                    assert_eq!(queue.pop(), Some((Time::must(f64::from(at)), expected)));
                }
            }
            oracle.sort_unstable();
            for (at, _, expected) in oracle {
                assert_eq!(queue.pop(), Some((Time::must(f64::from(at)), expected)));
            }
            assert_eq!(queue.pop(), None);
        }
    }

    #[test]
    fn later_events_stay_beyond_a_limit() {
        let mut queue = EventQueue::default();
        queue.schedule(Time::must(3.0), 0, 'a').unwrap();
        queue.schedule(Time::must(4.0), 0, 'b').unwrap();
        assert_eq!(queue.pop_until(Time::must(3.0)).map(|(_, event)| event), Some('a'));
        assert_eq!(queue.pop_until(Time::must(3.5)), None);
        assert_eq!(queue.peek(), Some((Time::must(4.0), &'b')));
        let error = queue.schedule(Time::must(1.0), 0, 'c').unwrap_err();
        assert_eq!(error.to_string(), "an event cannot be scheduled at 1: it is already 3");
    }
}
