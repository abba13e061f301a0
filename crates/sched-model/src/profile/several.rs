//! Free CPUs, memory and GPUs of one machine over time.

use super::{Profile, check_interval};
use crate::{Amounts, Machine, ModelError, Span, Time};

/// Free CPUs, memory and GPUs of one machine over time: a [`Profile`] for each that is counted.
///
/// An amount that the machine does not count is always free. An amount of zero fits at any instant of the
/// profile.
///
/// # Complexity
/// That of each [`Profile`]. A search for the earliest fit searches one profile after another, each from the
/// start that the one before has found, until all agree: every round except the last skips a stretch that is
/// too short for one of them.
///
/// ```
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 4, Speed::ETALON, Price::ZERO)?.with_memory(100);
/// let (t, ten) = (Time::must, Span::must(10.0));
/// let mut free = Profiles::of_machine(&machine, t(0.0));
/// free.reserve(t(0.0), t(20.0), Amounts::of_cpus(1).with_memory(80))?;
/// free.reserve(t(20.0), t(30.0), Amounts::of_cpus(3))?;
/// // Three CPUs are free at once, but not the memory; from 20 on it is the other way round.
/// let asked = Amounts::of_cpus(3).with_memory(50);
/// assert_eq!(free.earliest_fit(asked, ten, t(0.0)), Some(t(30.0)));
/// assert_eq!(free.earliest_fit(Amounts::of_cpus(3), ten, t(0.0)), Some(t(0.0)));
/// assert!(free.reserve(t(15.0), t(25.0), asked).is_err());
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "RawProfiles"))]
#[must_use]
pub struct Profiles {
    cpus: Profile,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    memory: Option<Profile>,
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    gpus: Option<Profile>,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProfiles {
    cpus: Profile,
    #[serde(default)]
    memory: Option<Profile>,
    #[serde(default)]
    gpus: Option<Profile>,
}

#[cfg(feature = "serde")]
impl TryFrom<RawProfiles> for Profiles {
    type Error = ModelError;
    fn try_from(RawProfiles { cpus, memory, gpus }: RawProfiles) -> Result<Self, ModelError> {
        let first = cpus.start();
        let other = [&memory, &gpus].into_iter().flatten().map(Profile::start).find(|&start| start != first);
        match other {
            Some(start) => Err(ModelError::OutOfRange {
                what: "the first instant of memory or GPUs",
                expected: "that of the CPUs",
                value: start.get(),
            }),
            None => Ok(Self { cpus, memory, gpus }),
        }
    }
}

impl Profiles {
    /// All CPUs, memory and GPUs of a machine, free from `start` on.
    pub fn of_machine(machine: &Machine, start: Time) -> Self {
        let counted =
            |total: Option<u32>| total.map(|total| Profile::of_valid_steps(total, &[(start, total)]));
        Self {
            cpus: Profile::of_machine(machine, start),
            memory: counted(machine.memory()),
            gpus: counted(machine.gpus()),
        }
    }

    /// Free CPUs.
    pub fn cpus(&self) -> &Profile {
        &self.cpus
    }

    /// Free memory, if it is counted.
    pub fn memory(&self) -> Option<&Profile> {
        self.memory.as_ref()
    }

    /// Free GPUs, if they are counted.
    pub fn gpus(&self) -> Option<&Profile> {
        self.gpus.as_ref()
    }

    /// The profiles of memory and GPUs, where they are counted, each with the job's amount.
    fn others(&self, amounts: Amounts) -> impl Iterator<Item = (&Profile, u32)> {
        let both = [(&self.memory, amounts.memory), (&self.gpus, amounts.gpus)];
        both.into_iter().filter_map(|(profile, taken)| Some((profile.as_ref()?, taken)))
    }

    /// As [`others`](Self::others), for amounts above 0.
    fn others_mut(&mut self, amounts: Amounts) -> impl Iterator<Item = (&mut Profile, u32)> {
        let both = [(&mut self.memory, amounts.memory), (&mut self.gpus, amounts.gpus)];
        both.into_iter()
            .filter_map(|(profile, taken)| Some((profile.as_mut()?, taken)))
            .filter(|both| both.1 > 0)
    }

    /// Whether these amounts are free at every instant of `[start, end)`, and at `start`.
    pub fn holds(&self, amounts: Amounts, start: Time, end: Time) -> bool {
        self.cpus.min_free(start, end) >= amounts.cpus
            && self.others(amounts).all(|(profile, taken)| profile.min_free(start, end) >= taken)
    }

    /// The earliest instant, not before `not_before` and not before the start of the profiles, from which on
    /// all these amounts are free for `span`: see [`Profile::earliest_fit`].
    pub fn earliest_fit(&self, amounts: Amounts, span: Span, not_before: Time) -> Option<Time> {
        let mut start = self.cpus.earliest_fit(amounts.cpus, span, not_before)?;
        loop {
            let before = start;
            for (profile, taken) in self.others(amounts) {
                start = profile.earliest_fit(taken, span, start)?;
            }
            if start == before {
                return Some(start);
            }
            start = self.cpus.earliest_fit(amounts.cpus, span, start)?;
        }
    }

    /// The earliest instant from which on all these amounts are free for `span` or to `until`, whichever ends
    /// first; `until` itself, unless that is before the others: see [`Profile::earliest_fit_until`].
    pub fn earliest_fit_until(&self, amounts: Amounts, span: Span, not_before: Time, until: Time) -> Time {
        let mut start = self.cpus.earliest_fit_until(amounts.cpus, span, not_before, until);
        loop {
            let before = start;
            for (profile, taken) in self.others(amounts) {
                start = profile.earliest_fit_until(taken, span, start, until);
            }
            if start == before {
                return start;
            }
            start = self.cpus.earliest_fit_until(amounts.cpus, span, start, until);
        }
    }

    /// Takes all these amounts during `[start, end)`.
    ///
    /// # Errors
    /// As [`Profile::reserve`], for the first of CPUs, memory and GPUs of which too little is free. All
    /// profiles are then unchanged.
    pub fn reserve(&mut self, start: Time, end: Time, amounts: Amounts) -> Result<(), ModelError> {
        check_interval("a reservation", start, end, amounts.cpus)?;
        for (profile, taken) in self.others(amounts) {
            profile.check_free(start, end, taken)?;
        }
        self.cpus.reserve(start, end, amounts.cpus)?;
        self.others_mut(amounts).try_for_each(|(profile, taken)| profile.reserve(start, end, taken))
    }

    /// Releases all these amounts during `[start, end)`.
    ///
    /// # Errors
    /// As [`Profile::release`], for the first of CPUs, memory and GPUs of which less is taken. All profiles
    /// are then unchanged.
    pub fn release(&mut self, start: Time, end: Time, amounts: Amounts) -> Result<(), ModelError> {
        check_interval("a release", start, end, amounts.cpus)?;
        for (profile, given) in self.others(amounts) {
            profile.check_taken(start, end, given)?;
        }
        self.cpus.release(start, end, amounts.cpus)?;
        self.others_mut(amounts).try_for_each(|(profile, given)| profile.release(start, end, given))
    }

    /// Moves a reservation of all these amounts: see [`Profile::move_reservation`].
    ///
    /// # Errors
    /// As [`Profile::move_reservation`], for the first of CPUs, memory and GPUs of which too little is free
    /// or taken. All profiles are then unchanged.
    pub fn move_reservation(
        &mut self,
        from: Time,
        to: Time,
        span: Span,
        amounts: Amounts,
    ) -> Result<(), ModelError> {
        self.cpus.check_move(from, to, span, amounts.cpus)?;
        for (profile, taken) in self.others_mut(amounts) {
            profile.check_move(from, to, span, taken)?;
        }
        self.cpus.change_by_move(from, to, span, amounts.cpus);
        self.others_mut(amounts).for_each(|(profile, taken)| profile.change_by_move(from, to, span, taken));
        Ok(())
    }

    /// Removes all before `to`: see [`Profile::advance`].
    pub fn advance(&mut self, to: Time) {
        self.cpus.advance(to);
        for profile in [&mut self.memory, &mut self.gpus].into_iter().flatten() {
            profile.advance(to);
        }
    }
}

impl From<Profile> for Profiles {
    /// A profile of CPUs alone.
    fn from(cpus: Profile) -> Self {
        Self { cpus, memory: None, gpus: None }
    }
}
