//! The discrete-event engine: a clock and a queue of future events.
//!
//! [`EventQueue`] is generic over the event type; nothing in it depends on grids. Events are served in order of time,
//! then of class (smaller first), then of scheduling, so that a simulation is the same on every run.

use crate::SimError;
use sched_model::Time;
use std::collections::BTreeMap;

/// Position of the class in the rank of an event. The bits below number the events in the order of scheduling.
const CLASS_SHIFT: u32 = 56;

/// A queue of future events in order, with the present time.
///
/// Of the events at one instant those of the smallest class are served first: for example, ends of jobs are class 0,
/// arrivals class 1, and the scheduling pass after them class 2. An event that a handler schedules for the present is
/// served before the clock moves.
///
/// A scheduled event cannot be removed: a model can store a generation number in the event, and ignore events of an
/// old generation.
///
/// With n events pending, [`schedule`](Self::schedule) and [`pop`](Self::pop) take O(log n) time; the space is O(n).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct EventQueue<E> {
    /// By instant and rank, which is unique.
    #[cfg_attr(feature = "serde", serde(with = "entries"))]
    #[cfg_attr(feature = "serde", serde(bound(serialize = "E: serde::Serialize")))]
    #[cfg_attr(feature = "serde", serde(bound(deserialize = "E: serde::Deserialize<'de>")))]
    events: BTreeMap<(Time, u64), E>,
    now: Option<Time>,
    scheduled: u64,
    /// Number of events served.
    pub served: u64,
}

/// Serialises a map as a list of pairs, since its keys may not be text.
#[cfg(feature = "serde")]
pub(crate) mod entries {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};
    use std::collections::BTreeMap;

    pub(crate) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(map)
    }

    pub(crate) fn deserialize<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<K, V>, D::Error> {
        let list = Vec::<(K, V)>::deserialize(from)?;
        let count = list.len();
        let map: BTreeMap<K, V> = list.into_iter().collect();
        if map.len() == count { Ok(map) } else { Err(D::Error::custom("an entry is repeated")) }
    }
}

impl<E> Default for EventQueue<E> {
    /// Returns a queue without events, whose clock stands before every instant.
    fn default() -> Self {
        Self { events: BTreeMap::new(), now: None, scheduled: 0, served: 0 }
    }
}

impl<E> EventQueue<E> {
    /// Schedules `event` at the instant `at`.
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
        self.events.insert((at, rank), event);
        Ok(())
    }

    /// Removes and returns the next event, and moves the clock to it; `None` if there are no more events.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let ((at, _), event) = self.events.pop_first()?;
        self.now = Some(at);
        self.served += 1;
        Some((at, event))
    }

    /// As [`pop`](Self::pop), but returns `None` if the next event is later than `until`; it stays in the queue.
    #[inline]
    pub fn pop_until(&mut self, until: Time) -> Option<(Time, E)> {
        if self.peek()?.0 <= until { self.pop() } else { None }
    }

    /// Returns the next event without removing it.
    pub fn peek(&self) -> Option<(Time, &E)> {
        self.events.first_key_value().map(|(&(at, _), event)| (at, event))
    }

    /// Whether counts and keys are consistent: each scheduled event is either served or pending, and none is pending
    /// in the past.
    pub(crate) fn is_sound(&self) -> bool {
        let number = |rank: u64| rank & ((1 << CLASS_SHIFT) - 1);
        self.scheduled <= number(u64::MAX)
            && self.scheduled.checked_sub(self.served) == Some(self.events.len() as u64)
            && self.events.keys().all(|&(at, rank)| number(rank) < self.scheduled && self.now <= Some(at))
    }

    /// Whether no event is pending.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns the number of events that are pending.
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng as _;
    use workload_gen::sample::stream;

    /// Compares with a sorted list, with calls of `schedule` and `pop` mixed.
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
