//! Free CPUs, memory and GPUs of one machine over time.

use sched_model::{Machine, ModelError, Profile, Refusal, Span, Time};

/// Amounts of CPUs, memory and GPUs that a job takes of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Amounts {
    pub(crate) cpus: u32,
    pub(crate) others: [u32; 2],
}

/// Returns the memory and the GPUs of a machine; `None` for what the machine does not count.
fn others(machine: &Machine) -> [Option<u32>; 2] {
    [machine.memory, machine.gpus]
}

impl Amounts {
    pub(crate) fn of_cpus(cpus: u32) -> Self {
        Self { cpus, others: [0; 2] }
    }

    /// Returns why the machine can never provide these amounts, if it cannot. What the machine does not count is
    /// always enough.
    pub(crate) fn beyond(self, machine: &Machine) -> Option<Refusal> {
        let (needed, largest) = (self.cpus as usize, machine.cpus() as usize);
        if needed > largest {
            return Some(Refusal::TooWide { needed, largest });
        }
        let others = self.others.into_iter().zip(others(machine)).zip(["memory", "GPUs"]);
        others.into_iter().find_map(|((needed, has), what)| {
            let (needed, largest) = (needed as usize, has? as usize);
            (needed > largest).then(|| Refusal::TooLarge { what: what.to_owned(), needed, largest })
        })
    }
}

/// Free CPUs, memory and GPUs of one machine over time: a [`Profile`] for the CPUs, and one for each of the others
/// that the machine counts and has more than 0 of. Where there is no profile, any amount is always free.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct Profiles {
    pub(super) cpus: Profile,
    others: [Option<Profile>; 2],
}

impl Profiles {
    /// Creates the profiles of an idle machine from `start` on.
    pub(super) fn of_machine(machine: &Machine, start: Time) -> Self {
        let others =
            others(machine).map(|total| Some(Profile::new(total.filter(|&total| total > 0)?, start)));
        Self { cpus: Profile::new(machine.cpus(), start), others }
    }

    /// Whether these are profiles of this machine, by their totals.
    pub(super) fn are_of(&self, machine: &Machine) -> bool {
        let totals = |profiles: &Self| {
            let of = |profile: &Profile| (profile.cpus(), profile.start());
            (of(&profiles.cpus), profiles.others.each_ref().map(|other| other.as_ref().map(of)))
        };
        totals(self) == totals(&Self::of_machine(machine, self.cpus.start()))
    }

    /// Returns the profiles of memory and GPUs, each with the amount taken of it.
    fn others(&self, amounts: Amounts) -> impl Iterator<Item = (&Profile, u32)> {
        let all = self.others.iter().zip(amounts.others);
        all.filter_map(|(profile, taken)| Some((profile.as_ref()?, taken)))
    }

    /// Returns all profiles of which something is taken, each with that amount.
    fn each_mut(&mut self, amounts: Amounts) -> impl Iterator<Item = (&mut Profile, u32)> {
        let others = self.others.iter_mut().zip(amounts.others).filter(|&(_, taken)| taken > 0);
        let others = others.filter_map(|(profile, taken)| Some((profile.as_mut()?, taken)));
        std::iter::once((&mut self.cpus, amounts.cpus)).chain(others)
    }

    /// Whether these amounts are free at `start` and at every instant of `[start, end)`.
    pub(super) fn holds(&self, amounts: Amounts, start: Time, end: Time) -> bool {
        let enough = |(profile, taken): (&Profile, u32)| profile.min_free(start, end) >= taken;
        enough((&self.cpus, amounts.cpus)) && self.others(amounts).all(enough)
    }

    /// Returns the earliest start from `not_before` on at which all these amounts are free for `span`. With `held`,
    /// the amounts count as free from that instant on: see [`Profile::earliest_fit_until`].
    pub(super) fn earliest_fit(
        &self,
        amounts: Amounts,
        span: Span,
        not_before: Time,
        held: Option<Time>,
    ) -> Option<Time> {
        #[cfg(test)]
        SEARCHES.with(|made| made.set(made.get() + 1));
        let fit = |profile: &Profile, taken, from| match held {
            Some(held) => Some(profile.earliest_fit_until(taken, span, from, held)),
            None => profile.earliest_fit(taken, span, from),
        };
        let mut start = fit(&self.cpus, amounts.cpus, not_before)?;
        // Each search skips a stretch in which too little of one amount is free, until all agree.
        loop {
            let agreed =
                self.others(amounts).try_fold(start, |from, (profile, taken)| fit(profile, taken, from))?;
            if agreed == start {
                return Some(start);
            }
            start = fit(&self.cpus, amounts.cpus, agreed)?;
        }
    }

    /// Takes all these amounts during `[start, end)`, or none of them.
    ///
    /// # Errors
    /// As for [`Profile::reserve`], for the first of CPUs, memory and GPUs of which too little is free.
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
    /// As for [`Profile::release`], for the first of CPUs, memory and GPUs of which less is taken.
    pub(super) fn release(&mut self, start: Time, end: Time, amounts: Amounts) -> Result<(), ModelError> {
        self.each_mut(amounts).try_for_each(|(profile, taken)| profile.release(start, end, taken))
    }

    /// Removes everything before `to`: see [`Profile::advance`].
    pub(super) fn advance(&mut self, to: Time) {
        self.cpus.advance(to);
        self.others.iter_mut().flatten().for_each(|profile| profile.advance(to));
    }
}

#[cfg(test)]
std::thread_local! {
    /// Number of searches for a start.
    pub(super) static SEARCHES: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::{MachineId, Price, Speed};

    fn machine() -> Machine {
        Machine::new(MachineId(0), 4, Speed::ETALON, Price::must(0.0)).unwrap().with_memory(10)
    }

    const ASKED: Amounts = Amounts { cpus: 2, others: [6, 3] };

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
        let late = Profile::new(10, Time::must(1.0));
        assert!(!Profiles { others: [Some(late), None], ..taken() }.are_of(&machine()));
    }
}
