//! Free CPUs, memory and GPUs of one machine over time.

use sched_model::{Machine, ModelError, Profile, Refusal, Span, Time};

/// The CPUs, memory and GPUs that a job takes of a machine together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Amounts {
    pub(crate) cpus: u32,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) memory: u32,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) gpus: u32,
}

impl Amounts {
    pub(crate) fn of_cpus(cpus: u32) -> Self {
        Self { cpus, memory: 0, gpus: 0 }
    }

    /// Why the machine never has them together, if it does not. An amount that it does not count is always enough.
    pub(crate) fn beyond(self, machine: &Machine) -> Option<Refusal> {
        let beyond =
            |needed: u32, largest: u32| (needed > largest).then_some((needed as usize, largest as usize));
        if let Some((needed, largest)) = beyond(self.cpus, machine.cpus()) {
            return Some(Refusal::TooWide { needed, largest });
        }
        let others = [("memory", self.memory, machine.memory), ("GPUs", self.gpus, machine.gpus)];
        others.into_iter().find_map(|(what, needed, has)| {
            let (needed, largest) = beyond(needed, has?)?;
            Some(Refusal::TooLarge { what: what.to_owned(), needed, largest })
        })
    }
}

/// Free CPUs, memory and GPUs of one machine over time: a [`Profile`] for each that is counted and of which
/// the machine has some. What has no profile is always free.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct Profiles {
    pub(super) cpus: Profile,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) memory: Option<Profile>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) gpus: Option<Profile>,
}

impl Profiles {
    /// All CPUs, memory and GPUs of a machine, free from `start` on.
    pub(super) fn of_machine(machine: &Machine, start: Time) -> Self {
        let counted = |total: Option<u32>| total.and_then(|total| Profile::new(total, start).ok());
        Self {
            cpus: Profile::of_machine(machine, start),
            memory: counted(machine.memory),
            gpus: counted(machine.gpus),
        }
    }

    /// Whether these are profiles of this machine.
    pub(super) fn are_of(&self, machine: &Machine) -> bool {
        let all = [&self.memory, &self.gpus].into_iter().flatten();
        let totals = |profiles: &Self| {
            let of = |profile: &Option<Profile>| profile.as_ref().map(Profile::cpus);
            (profiles.cpus.cpus(), of(&profiles.memory), of(&profiles.gpus))
        };
        let start = self.cpus.start();
        totals(self) == totals(&Self::of_machine(machine, start))
            && all.map(Profile::start).all(|at| at == start)
    }

    /// The profiles with what is taken of each.
    fn each(&self, amounts: Amounts) -> impl Iterator<Item = (&Profile, u32)> + Clone {
        let others = [(&self.memory, amounts.memory), (&self.gpus, amounts.gpus)];
        let others = others.into_iter().filter_map(|(profile, taken)| Some((profile.as_ref()?, taken)));
        std::iter::once((&self.cpus, amounts.cpus)).chain(others)
    }

    /// The same, without memory and GPUs of which nothing is taken.
    fn each_mut(&mut self, amounts: Amounts) -> impl Iterator<Item = (&mut Profile, u32)> {
        let others = [(&mut self.memory, amounts.memory), (&mut self.gpus, amounts.gpus)];
        let others = others.into_iter().filter_map(|(profile, taken)| Some((profile.as_mut()?, taken)));
        std::iter::once((&mut self.cpus, amounts.cpus)).chain(others.filter(|&(_, taken)| taken > 0))
    }

    /// Whether these amounts are free at every instant of `[start, end)`, and at `start`.
    pub(super) fn holds(&self, amounts: Amounts, start: Time, end: Time) -> bool {
        self.each(amounts).all(|(profile, taken)| profile.min_free(start, end) >= taken)
    }

    /// The earliest start, not before `not_before`, from which on all these amounts are free for `span`: see
    /// [`Profile::earliest_fit`].
    pub(super) fn earliest_fit(&self, amounts: Amounts, span: Span, not_before: Time) -> Option<Time> {
        self.agreed(amounts, not_before, |profile, taken, from| profile.earliest_fit(taken, span, from))
    }

    /// The same for a job that holds them from `until` on: see [`Profile::earliest_fit_until`].
    pub(super) fn earliest_fit_until(
        &self,
        amounts: Amounts,
        span: Span,
        not_before: Time,
        until: Time,
    ) -> Time {
        let fit = |profile: &Profile, taken, from| Some(profile.earliest_fit_until(taken, span, from, until));
        self.agreed(amounts, not_before, fit).unwrap_or(until)
    }

    /// Asks one profile after another, each from the start that the one before has found, until all agree:
    /// every search after the first skips a stretch that is too short for one of them.
    fn agreed(
        &self,
        amounts: Amounts,
        not_before: Time,
        fit: impl Fn(&Profile, u32, Time) -> Option<Time>,
    ) -> Option<Time> {
        let (mut start, mut agree) = (not_before, 0);
        let all = self.each(amounts);
        let count = all.clone().count();
        for (profile, taken) in all.cycle() {
            let found = fit(profile, taken, start)?;
            agree = if found == start { agree + 1 } else { 1 };
            start = found;
            if agree == count {
                break;
            }
        }
        Some(start)
    }

    /// Takes all these amounts during `[start, end)`, or none.
    ///
    /// # Errors
    /// As [`Profile::reserve`], for the first of CPUs, memory and GPUs of which too little is free.
    pub(super) fn reserve(&mut self, start: Time, end: Time, amounts: Amounts) -> Result<(), ModelError> {
        let take = |(at, (profile, taken)): (usize, (&mut Profile, u32))| {
            profile.reserve(start, end, taken).err().map(|error| (at, error))
        };
        let Some((taken, error)) = self.each_mut(amounts).enumerate().find_map(take) else { return Ok(()) };
        self.each_mut(amounts)
            .take(taken)
            .try_for_each(|(profile, taken)| profile.release(start, end, taken))?;
        Err(error)
    }

    /// Releases all these amounts during `[start, end)`.
    ///
    /// # Errors
    /// As [`Profile::release`], for the first of CPUs, memory and GPUs of which less is taken.
    pub(super) fn release(&mut self, start: Time, end: Time, amounts: Amounts) -> Result<(), ModelError> {
        self.each_mut(amounts).try_for_each(|(profile, taken)| profile.release(start, end, taken))
    }

    /// Removes all before `to`: see [`Profile::advance`].
    pub(super) fn advance(&mut self, to: Time) {
        self.cpus.advance(to);
        [&mut self.memory, &mut self.gpus].into_iter().flatten().for_each(|profile| profile.advance(to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::{MachineId, Price, Speed};

    fn machine() -> Machine {
        Machine::new(MachineId(0), 4, Speed::ETALON, Price::ZERO).unwrap().with_memory(10)
    }

    const ASKED: Amounts = Amounts { cpus: 2, memory: 6, gpus: 3 };

    /// Two CPUs and 6 of memory are taken in [10, 20), and 6 of memory again from 30 on.
    fn taken() -> Profiles {
        let mut profiles = Profiles::of_machine(&machine(), Time::ZERO);
        profiles.reserve(Time::must(10.0), Time::must(20.0), ASKED).unwrap();
        profiles.reserve(Time::must(30.0), Time::must(90.0), Amounts { cpus: 1, ..ASKED }).unwrap();
        profiles
    }

    /// The CPUs are free, not the memory.
    #[test]
    fn what_is_refused_takes_nothing() {
        let mut profiles = taken();
        profiles.reserve(Time::must(15.0), Time::must(25.0), ASKED).unwrap_err();
        assert_eq!(profiles, taken());
    }

    #[test]
    fn profiles_are_of_a_machine_that_counts_the_same() {
        let none = Profiles::of_machine(&machine().with_gpus(0), Time::ZERO);
        assert!(taken().are_of(&machine()) && none.are_of(&machine()));
        assert!(!taken().are_of(&machine().with_memory(9)) && !none.are_of(&machine().with_gpus(1)));
        let late = Profile::new(10, Time::must(1.0)).unwrap();
        assert!(!Profiles { memory: Some(late), ..taken() }.are_of(&machine()));
    }
}
