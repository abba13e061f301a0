//! The free time of a cluster, and a record of the time that became free since jobs were last examined.

use super::QueuedJob;
use super::openings::Openings;
use super::profiles::{Amounts, Profiles};
use crate::SimError;
use sched_model::{Span, Time};

#[derive(Debug)]
pub(super) struct FreeTime {
    pub(super) profiles: Profiles,
    /// The time that became free since a policy first asked whether jobs could start earlier; a policy that
    /// never asks does not pay for this record.
    openings: Option<Openings>,
}

impl From<Profiles> for FreeTime {
    fn from(profiles: Profiles) -> Self {
        Self { profiles, openings: None }
    }
}

impl FreeTime {
    /// Gives back what is held.
    pub(super) fn release(&mut self, start: Time, end: Time, amounts: Amounts) -> Result<(), SimError> {
        self.profiles.release(start, end, amounts)?;
        self.note(start, end);
        Ok(())
    }

    /// Moves what is held.
    pub(super) fn shift(
        &mut self,
        from: Time,
        to: Time,
        span: Span,
        amounts: Amounts,
    ) -> Result<(), SimError> {
        self.profiles.shift(from, to, span, amounts)?;
        self.note(if to <= from { from.max(to + span) } else { from }, from + span);
        Ok(())
    }

    fn note(&mut self, start: Time, end: Time) {
        if let Some(openings) = self.openings.as_mut().filter(|_| start < end) {
            openings.note(&self.profiles.cpus, start, end);
        }
    }

    /// All jobs are about to be looked at: begins a generation of the record.
    pub(super) fn turn(&mut self) {
        self.openings.iter_mut().for_each(Openings::turn);
    }

    /// Records from now on the time that becomes free.
    pub(super) fn watch(&mut self) {
        self.openings.get_or_insert_default();
    }

    /// The present position in the record of the time that became free.
    pub(super) fn look(&self) -> Look {
        Look(self.openings.as_ref().map(Openings::len))
    }

    /// The earliest start of a job if it gave up its promise.
    pub(super) fn earliest_of(&self, queued: &QueuedJob, now: Time) -> Option<Time> {
        let (amounts, span) = (queued.job.amounts(), queued.job.requested());
        // What it holds is free for it from its promise on, and at all times after an earlier start.
        queued.promise.map_or_else(
            || self.profiles.earliest_fit(amounts, span, now),
            |held| Some(self.profiles.earliest_fit_until(amounts, span, now, held)),
        )
    }

    /// The earliest start of a job if it gave up its promise, which lies ahead. If the last look at the job
    /// found no start before the promise, most answers need no search.
    pub(super) fn earliest_since(&self, queued: &QueuedJob, promise: Time, now: Time) -> Option<Time> {
        let (Some(openings), Look(Some(seen))) = (&self.openings, queued.looked) else {
            return self.earliest_of(queued, now);
        };
        let (cpus, span) = (queued.job.cpus(), queued.job.requested());
        if openings.may_fit(cpus, span, promise, seen) {
            return self.earliest_of(queued, now);
        }
        // Only free time that ends where its own promise begins can allow an earlier start.
        let start = self.profiles.cpus.free_from(cpus, promise, now);
        let others = self.profiles.memory.is_some() || self.profiles.gpus.is_some();
        if others && start < promise { self.earliest_of(queued, now) } else { Some(start) }
    }
}

/// When a job was last examined and had no start before its promise: a position in the record of the time
/// that became free, or `None` if it is not known. It only saves work and is no property of the job, so any
/// two values are equal.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Look(Option<u64>);

impl Look {
    /// Whether no time became free between the two.
    pub(super) fn is(self, other: Self) -> bool {
        self.0.is_some() && self.0 == other.0
    }
}

impl PartialEq for Look {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::{Machine, MachineId, Price, Speed};

    #[test]
    fn a_look_stands_until_time_becomes_free() {
        let machine = Machine::new(MachineId(0), 4, Speed::ETALON, Price::ZERO).unwrap();
        let mut free = FreeTime::from(Profiles::of_machine(&machine, Time::ZERO));
        let [start, end] = [10.0, 20.0].map(Time::must);
        let two = Amounts::of_cpus(2);
        assert!(!free.look().is(free.look()), "nothing is recorded yet");
        free.watch();
        free.profiles.reserve(start, end, two).unwrap();
        let look = free.look();
        assert!(look.is(free.look()) && !look.is(Look::default()));
        free.release(start, end, two).unwrap();
        assert!(!look.is(free.look()) && free.look().is(free.look()));
    }

    /// A CPU is back between 10 and 20; a job that was looked at before needs three for 10. It cannot
    /// start sooner by them, as long as the record tells so: up to the second time that all are looked at.
    #[test]
    fn the_record_forgets_what_is_older_than_the_last_generation() {
        let machine = Machine::new(MachineId(0), 4, Speed::ETALON, Price::ZERO).unwrap();
        let mut free = FreeTime::from(Profiles::of_machine(&machine, Time::ZERO));
        free.watch();
        free.profiles.reserve(Time::ZERO, Time::must(50.0), Amounts::of_cpus(4)).unwrap();
        let Look(Some(seen)) = free.look() else { panic!("nothing is recorded") };
        free.release(Time::must(10.0), Time::must(20.0), Amounts::of_cpus(1)).unwrap();
        let may_fit = |free: &FreeTime| {
            let openings = free.openings.as_ref().unwrap();
            openings.may_fit(3, Span::must(10.0), Time::must(50.0), seen)
        };
        assert!(!may_fit(&free));
        free.turn();
        assert!(!may_fit(&free));
        free.turn();
        assert!(may_fit(&free), "it may, as far as is known");
    }
}
