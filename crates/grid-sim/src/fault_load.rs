//! Faults, given or drawn: CPUs that are down for some time, jobs that their owners cancel, jobs that end early or
//! late.

use crate::error::{check_expected, require};
use crate::station::class;
use crate::{GridJob, SimError};
use rand::Rng;
use sched_model::{JobId, Machine, Span, Time};
use std::collections::BTreeMap;
use workload_gen::internal::{Distribution, Exponential, unit};

sched_model::settings! {
    /// Random faults for the machines and the jobs of a broker; by default there are none.
    ///
    /// The faults of jobs are drawn first, in the order of the jobs, with three random numbers each whatever the
    /// shares are; then the outages, CPU by CPU. So the faults of jobs do not depend on the machines. With a larger
    /// share the same jobs and some more are affected, except that the jobs that take longer depend on the share that
    /// ends early, too.
    ///
    /// ```
    /// use grid_sim::{FaultLoad, GridJob};
    /// use sched_model::*;
    /// use workload_gen::sample::stream;
    /// let machines = [Machine::new(MachineId(0), 4, Speed::ETALON, Price::must(1.0))?];
    /// let job = |id| {
    ///     Ok::<_, ModelError>(GridJob::from(Job::new(JobId(id), ResourceRequest::new(2, Work::must(900.0))?)))
    /// };
    /// let mut jobs = (0..50).map(job).collect::<Result<Vec<_>, _>>()?;
    /// let load = FaultLoad::default().with_early(0.5).with_cancelled(0.1, Span::must(60.0));
    /// let faults = load.with_outages(Span::must(5e3), Span::must(100.0)).draw(
    ///     &machines,
    ///     &mut jobs,
    ///     &mut stream(1, 0),
    /// )?;
    /// assert!(jobs.iter().filter(|job| job.actual_share < 1.0).count() > 10);
    /// assert!(!faults.cancellations.is_empty() && faults.outages.iter().all(|outage| outage.cpu < 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Copy)]
    pub struct FaultLoad {
        /// Mean time for which a CPU is up between two outages, exponentially distributed; `None`: no CPU fails.
        _: mean_up: Option<Span> = None,
        /// Mean length of an outage, exponentially distributed; one hour by default.
        _: mean_down: Span = Span::must(3600.0),
        /// Whether the broker knows when a failed CPU will be back; true by default.
        _: announced: bool = true,
        /// Share of the jobs that their owners cancel, in [0, 1].
        _: cancelled: f64 = 0.0,
        /// Time after its submission within which such a job is cancelled, uniformly; one hour by default.
        _: cancelled_within: Span = Span::must(3600.0),
        /// Share of the jobs that end early, in [0, 1]: after a fraction of their time, drawn uniformly from [0, 1).
        /// It replaces the actual share that the job had before.
        with_early: early: f64 = 0.0,
        /// Share of the jobs that take longer, in [0, 1]: between once and twice their time, uniformly. This share
        /// and the share that ends early sum to at most 1.
        with_overrun: overrun: f64 = 0.0,
    }
}

/// The faults of a run: see [`Grid::with_faults`](crate::Grid::with_faults).
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Faults {
    /// The outages of CPUs. An outage that begins while the CPU is already down is ignored.
    pub outages: Vec<Outage>,
    /// The jobs that their owners cancel, waiting or running, and when.
    pub cancellations: Vec<(Time, JobId)>,
}

impl Faults {
    /// Returns the events of these faults; `places` gives the index of each job.
    ///
    /// # Errors
    /// [`SimError::OutOfRange`] for an outage of a CPU that does not exist or of no length, [`SimError::UnknownJob`]
    /// for a cancellation of a job that does not exist.
    pub(crate) fn events(
        &self,
        machines: &[Machine],
        places: &BTreeMap<JobId, usize>,
    ) -> Result<Vec<(Time, Fault)>, SimError> {
        let mut events = Vec::new();
        for (at, outage) in self.outages.iter().enumerate() {
            outage.check(machines.get(outage.machine))?;
            events.extend([(outage.from, Fault::Fails(at)), (outage.until, Fault::Back(at))]);
        }
        for &(at, job) in &self.cancellations {
            let unknown = || SimError::UnknownJob { who: "a cancellation".to_owned(), job };
            events.push((at, Fault::Cancel(*places.get(&job).ok_or_else(unknown)?)));
        }
        Ok(events)
    }
}

/// A stretch of time in which a CPU is down. A job that runs there fails because of the CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outage {
    /// Index of the machine among those of the grid, from 0.
    pub machine: usize,
    /// Number of the CPU in its machine, from 0.
    pub cpu: u32,
    /// The start.
    pub from: Time,
    /// The end; later than `from`.
    pub until: Time,
    /// Whether the broker knows when the CPU will be back.
    pub announced: bool,
}

impl Outage {
    /// Checks the outage against its machine; `None` if there is no such machine.
    ///
    /// # Errors
    /// [`SimError::OutOfRange`] unless the CPU belongs to this machine and `until` is after `from`.
    pub(crate) fn check(&self, machine: Option<&Machine>) -> Result<(), SimError> {
        let exists = machine.is_some_and(|machine| self.cpu < machine.cpus()) && self.from < self.until;
        let expected = "one that exists, down for some time";
        require(exists, "the CPU of an outage", expected, f64::from(self.cpu))
    }
}

/// A fault of a run: the return or the failure of a CPU, by the index of its outage, or the cancellation of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    Back(usize),
    Fails(usize),
    Cancel(usize),
}

impl Fault {
    pub(crate) fn class(self) -> u8 {
        match self {
            Self::Back(_) => class::BACK,
            Self::Fails(_) => class::FAILURE,
            Self::Cancel(_) => class::CANCEL,
        }
    }
}

impl FaultLoad {
    /// Sets the mean time between outages of a CPU and their mean length.
    pub fn with_outages(self, mean_up: Span, mean_down: Span) -> Self {
        Self { mean_up: Some(mean_up), mean_down, ..self }
    }

    /// Sets the share of jobs that are cancelled, and the time after submission within which they are.
    pub fn with_cancelled(self, cancelled: f64, within: Span) -> Self {
        Self { cancelled, cancelled_within: within, ..self }
    }

    /// Draws the faults, and the actual share of each job, which is stored in the job. CPUs fail from the first
    /// submission to the last one, and then for as long as all jobs together would keep all CPUs busy.
    ///
    /// O(n m + c + o) for n jobs on m machines with c CPUs in total, and o outages.
    ///
    /// # Errors
    /// [`SimError::OutOfRange`] for a share outside its range, [`SimError::TooManyExpected`] if more than 20 million
    /// outages are expected, [`SimError::Workload`] for mean times that are not positive, [`SimError::Length`] for a
    /// job whose expected times are for another number of machines.
    pub fn draw(
        &self,
        machines: &[Machine],
        jobs: &mut [GridJob],
        rng: &mut dyn Rng,
    ) -> Result<Faults, SimError> {
        let shares = [
            ("the share of jobs that are cancelled", self.cancelled),
            ("the share of jobs that end early", self.early),
            ("the share of jobs that take longer", self.overrun),
            ("the share of jobs that end early or take longer", self.early + self.overrun),
        ];
        for (what, share) in shares {
            require((0.0..=1.0).contains(&share), what, "in [0, 1]", share)?;
        }
        let mut faults = Faults::default();
        for job in &mut *jobs {
            let [kind, share, given_up] = [unit(rng), unit(rng), unit(rng)];
            if kind < self.early {
                job.actual_share = share;
            } else if kind < self.early + self.overrun {
                job.actual_share = 1.0 + share;
            }
            if given_up < self.cancelled {
                // The number that decides whether a job is cancelled also decides when.
                let after = self.cancelled_within.get() * (given_up / self.cancelled);
                faults.cancellations.push((job.job.submit + Span::try_from(after)?, job.job.id));
            }
        }
        faults.outages = self.outages(machines, jobs, rng)?;
        Ok(faults)
    }

    fn outages(
        &self,
        machines: &[Machine],
        jobs: &[GridJob],
        rng: &mut dyn Rng,
    ) -> Result<Vec<Outage>, SimError> {
        let (Some(mean_up), Some((from, until))) = (self.mean_up, busy_time(machines, jobs)?) else {
            return Ok(Vec::new());
        };
        let cpus: f64 = machines.iter().map(|machine| f64::from(machine.cpus())).sum();
        let (span, period) = ((until - from).get(), mean_up.get() + self.mean_down.get());
        // The mean times are checked below.
        check_expected("outages", cpus * span / period)?;
        let (up, down) = (Exponential::new(mean_up.get())?, Exponential::new(self.mean_down.get())?);
        let mut outages = Vec::new();
        for (at, machine) in machines.iter().enumerate() {
            for cpu in 0..machine.cpus() {
                // Counted from the beginning: added to a late instant, a short time would be lost in rounding.
                let mut begin = up.sample(rng);
                while begin < span {
                    let end = begin + down.sample(rng);
                    let (start, until) = (from + Span::try_from(begin)?, from + Span::try_from(end)?);
                    // An outage so short that its end rounds to its start is left out.
                    if start < until {
                        let announced = self.announced;
                        outages.push(Outage { machine: at, cpu, from: start, until, announced });
                    }
                    begin = end + up.sample(rng);
                }
            }
        }
        Ok(outages)
    }
}

/// Returns the first submission, and the last one plus the time for which the jobs would keep all CPUs busy; `None`
/// without jobs or machines.
fn busy_time(machines: &[Machine], jobs: &[GridJob]) -> Result<Option<(Time, Time)>, SimError> {
    let submits = || jobs.iter().map(|job| job.job.submit);
    let (Some(first), Some(last)) = (submits().min(), submits().max()) else { return Ok(None) };
    if machines.is_empty() {
        return Ok(None);
    }
    let cpus: f64 = machines.iter().map(|machine| f64::from(machine.cpus())).sum();
    let mut total = 0.0;
    for job in jobs {
        job.check(machines.len())?;
        let times = machines.iter().enumerate().map(|(at, machine)| job.time_on(at, machine).get());
        total += f64::from(job.cpus()) * times.sum::<f64>() / machines.len() as f64;
    }
    Ok(Some((first, last + Span::try_from(total / cpus)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::{Job, MachineId, Price, ResourceRequest, Speed, Work};
    use std::collections::BTreeSet;
    use workload_gen::sample::stream;

    fn jobs(count: u64) -> Vec<GridJob> {
        let job = |id: u64| {
            let request = ResourceRequest::new(2, Work::must(100.0)).unwrap();
            GridJob::from(Job::new(JobId(id), request).with_submit(Time::must(id as f64)))
        };
        (0..count).map(job).collect()
    }

    fn machines() -> [Machine; 2] {
        [8, 4].map(|cpus| Machine::new(MachineId(cpus), cpus, Speed::ETALON, Price::must(1.0)).unwrap())
    }

    #[test]
    fn shares_and_rates_are_met() {
        let mut load = FaultLoad::default()
            .with_early(0.3)
            .with_overrun(0.2)
            .with_cancelled(0.1, Span::must(50.0))
            .with_outages(Span::must(400.0), Span::must(100.0));
        load.announced = false;
        let mut made = jobs(4000);
        let faults = load.draw(&machines(), &mut made, &mut stream(7, 0)).unwrap();
        let share = |of: fn(&GridJob) -> bool| made.iter().filter(|job| of(job)).count() as f64 / 4000.0;
        // Four standard deviations.
        assert!((share(|job| job.actual_share < 1.0) - 0.3).abs() < 0.03);
        assert!((share(|job| job.actual_share > 1.0) - 0.2).abs() < 0.026);
        assert!(made.iter().all(|job| (0.0..=2.0).contains(&job.actual_share)));
        assert!((faults.cancellations.len() as f64 / 4000.0 - 0.1).abs() < 0.02);
        for (at, id) in &faults.cancellations {
            assert!((0.0..=50.0).contains(&(*at - Time::must(id.0 as f64)).get()));
        }
        // 3999 to the last submission, then 2 * 4000 * 100 / 12: of each CPU down a fifth of the time.
        let span = 3999.0 + 8e5 / 12.0;
        let down: f64 = faults.outages.iter().map(|outage| (outage.until - outage.from).get()).sum();
        assert!((down / (12.0 * span) - 0.2).abs() < 0.03, "{down}");
        for pair in faults.outages.windows(2) {
            let same = (pair[0].machine, pair[0].cpu) == (pair[1].machine, pair[1].cpu);
            assert!(!same || pair[0].until <= pair[1].from);
        }
        assert!(faults.outages.iter().all(|outage| !outage.announced && outage.from < Time::must(span)));
    }

    /// Jobs that took longer may end early instead where more jobs end early.
    #[test]
    fn who_is_struck_by_little_is_struck_by_more() {
        let struck = |early: f64, overrun: f64, cancelled: f64| {
            let load = FaultLoad::default().with_early(early).with_overrun(overrun);
            let mut made = jobs(500);
            let load = load.with_cancelled(cancelled, Span::must(1.0));
            let faults = load.draw(&machines(), &mut made, &mut stream(3, 0)).unwrap();
            let of = |is: fn(f64) -> bool| {
                let struck = made.iter().filter(|job| is(job.actual_share));
                struck.map(|job| job.job.id).collect::<BTreeSet<_>>()
            };
            let gone: BTreeSet<JobId> = faults.cancellations.into_iter().map(|(_, id)| id).collect();
            [of(|share| share < 1.0), of(|share| share != 1.0), gone]
        };
        let few = struck(0.1, 0.2, 0.05);
        for (early, overrun) in [(0.3, 0.2), (0.1, 0.5), (0.25, 0.75), (0.1, 0.2f64.next_up())] {
            let many = struck(early, overrun, 0.2);
            assert!(few.iter().zip(&many).all(|(few, many)| few.is_subset(many)), "{early} {overrun}");
            assert!(few[2].len() < many[2].len());
        }
    }

    #[test]
    fn odd_settings_are_named_and_none_is_no_fault() {
        let draw = |load: FaultLoad| load.draw(&machines(), &mut jobs(5), &mut stream(1, 0)).map(|_| ());
        let plain = FaultLoad::default();
        assert!(
            draw(plain.with_early(0.6).with_overrun(0.6)).unwrap_err().to_string().contains("or take longer")
        );
        assert!(draw(plain.with_early(f64::NAN)).is_err());
        assert!(draw(plain.with_cancelled(-0.1, Span::ZERO)).is_err());
        assert!(draw(plain.with_outages(Span::ZERO, Span::ZERO)).is_err());
        assert!(matches!(
            draw(plain.with_outages(Span::must(1e-9), Span::must(1e-9))),
            Err(SimError::TooManyExpected { .. })
        ));
        let mut made = jobs(500);
        assert_eq!(plain.draw(&machines(), &mut made, &mut stream(1, 0)), Ok(Faults::default()));
        assert_eq!(made, jobs(500));
        let none = plain.with_outages(Span::must(1.0), Span::must(1.0));
        assert_eq!(none.draw(&machines(), &mut [], &mut stream(1, 0)), Ok(Faults::default()));
        assert_eq!(none.draw(&[], &mut jobs(5), &mut stream(1, 0)), Ok(Faults::default()));
    }
}
