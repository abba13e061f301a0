//! The whole exact Pareto front of (cost, time), and choices by several criteria on it.

mod points;

use crate::list::{History, Room, Runs, State, Step, product, undominated};
use crate::number::{Amount, Grid, Kind, Scale, Wide};
use crate::{Alternatives, BatchError, ChoiceProblem};
pub use points::Point;
use sched_model::{End, Meter};
use std::convert::Infallible;

/// All undominated (cost, time) pairs of a batch, each with the choice behind it.
///
/// D = B* - C and I = T* - T are constants minus C and T, so the front of the four criteria <C, D, T, I> is
/// this one, cut off at B* and T*.
///
/// A front has no warm start: neither an earlier choice nor a front of other numbers excludes any of its
/// points.
#[derive(Debug, Clone)]
pub struct Front {
    points: Vec<Point>,
    links: Vec<u32>,
    history: History,
    jobs: usize,
}

/// The most points of a front by default: 1,000,000.
pub const FRONT_CAP: usize = 1_000_000;

/// The most units of work of a front by default: 500 million, some seconds.
pub const FRONT_WORK: u64 = 500_000_000;

/// Links of histories at most: they are numbered in 32 bits.
const MOST_LINKS: usize = 1 << 31;
/// Sums formed before the first merge.
const BLOCK: usize = 1 << 16;

/// Ends a product as soon as the front is certain to have more points than the cap, or the meter ends it.
struct Cap<'a, N> {
    /// The minimum cost of the jobs before.
    least: N,
    cap: usize,
    /// Sums formed before the first merge: all, or a block.
    block: usize,
    too_large: BatchError,
    /// Histories kept so far.
    links: usize,
    before: u64,
    meter: &'a mut Meter,
    /// Bytes reserved at the meter for this product.
    held: &'a mut u64,
}

impl<N: Amount> Cap<'_, N> {
    fn allows(&self, points: usize) -> Result<(), BatchError> {
        if points > self.cap || self.links + points > MOST_LINKS {
            Err(self.too_large.clone())
        } else {
            Ok(())
        }
    }

    fn ask<T>(&self, asked: Result<T, End>) -> Result<T, BatchError> {
        asked.map_err(|end| BatchError::Stopped { end, work: self.meter.work() - self.before })
    }

    /// Reserves memory for lists of so many states.
    fn hold(&mut self, states: usize) -> Result<(), BatchError> {
        let bytes = (states as u64).saturating_mul(size_of::<State<N, N>>() as u64);
        if bytes > *self.held {
            let asked = self.meter.reserve(bytes - *self.held);
            self.ask(asked)?;
            *self.held = bytes;
        }
        Ok(())
    }
}

impl<N: Amount> Room<N, N> for Cap<'_, N> {
    type Stop = BatchError;

    fn block(&self) -> usize {
        BLOCK
    }

    fn spend(&mut self, states: usize) -> Result<(), BatchError> {
        let asked = self.meter.spend(states as u64);
        self.ask(asked)
    }

    fn trim(&mut self, list: &mut Vec<State<N, N>>, next: Option<N>) -> Result<(), BatchError> {
        // The alternatives come by rising cost: below the least sum of the next one, the list is final.
        let certain =
            next.map_or(list.len(), |next| list.partition_point(|state| state.w < next.plus(self.least)));
        self.allows(certain)?;
        // The next group adds a block to a list that is merged into a copy; the capacity of a vector may be
        // twice its length.
        self.hold(4 * (list.len() + self.block))
    }
}

/// The jobs of one account, which pay from one budget.
struct Group {
    jobs: Vec<usize>,
    budget: f64,
}

/// In place of a job: all jobs of an account.
const WHOLE: u32 = u32::MAX;

/// A front that is being formed.
struct Making<'a, N> {
    batch: &'a Alternatives,
    /// Of time and cost.
    scales: (Scale, Scale),
    cap: usize,
    runs: Runs<N, N>,
    history: History,
    before: u64,
    /// Bytes reserved at the meter for products.
    held: u64,
    meter: &'a mut Meter,
}

impl<N: Amount> Making<'_, N> {
    /// The alternatives of a job that no other dominates.
    fn steps(&self, job: usize) -> Vec<Step<N, N>> {
        let step = |((cost, time), alt)| Step {
            p: N::of(time, &self.scales.0),
            w: N::of(cost, &self.scales.1),
            alt,
        };
        let mut own: Vec<Step<N, N>> = self.batch.of_job(job).zip(0..).map(step).collect();
        let Ok(()) = undominated(&mut own, 0, |_| Ok::<(), Infallible>(()));
        own
    }

    /// The product of the points so far with the steps of one more job, or of all jobs of a user, among the
    /// sums that cost at most `keep`; `job` is its number, and the number of jobs in the product afterwards.
    fn add(
        &mut self,
        states: &mut Vec<State<N, N>>,
        own: &[Step<N, N>],
        keep: impl Fn(N) -> bool,
        (job, done): (u32, usize),
    ) -> Result<(), BatchError> {
        let Some(&State { w: least, .. }) = states.first() else { return Ok(()) };
        let mut room = Cap {
            least,
            cap: self.cap,
            block: BLOCK.min(states.len().saturating_mul(own.len())),
            too_large: BatchError::FrontTooLarge { cap: self.cap, jobs: done, of: self.batch.jobs() },
            links: self.history.len(),
            before: self.before,
            meter: &mut *self.meter,
            held: &mut self.held,
        };
        room.hold(4 * room.block)?;
        product(states, own, &mut self.runs, |_, w| keep(w), &mut room)?;
        let points = self.runs.states.len();
        let asked = room.meter.reserve((points * History::BYTES) as u64);
        room.ask(asked)?;
        std::mem::swap(states, &mut self.runs.states);
        self.history.commit(states, job);
        Ok(())
    }

    /// The front of the choices that a user can pay; `None` if even the cheapest alternatives are too
    /// expensive.
    fn affordable(
        &mut self,
        group: &Group,
        done: &mut usize,
    ) -> Result<Option<Vec<State<N, N>>>, BatchError> {
        // The most that the jobs so far may cost, so that the budget still suffices for the cheapest
        // alternatives of the others.
        let mut most = N::most(group.budget, &self.scales.1);
        let own: Vec<Vec<Step<N, N>>> = group.jobs.iter().map(|&job| self.steps(job)).collect();
        // The steps of a job come by rising cost.
        let cheapest = |own: &Vec<Step<N, N>>| own.first().map_or(N::ZERO, |step| step.w);
        for own in &own {
            most = most.minus(cheapest(own));
        }
        let mut states: Vec<State<N, N>> = vec![State::ORIGIN];
        for (&job, own) in group.jobs.iter().zip(&own) {
            *done += 1;
            most = most.plus(cheapest(own));
            self.add(&mut states, own, |w| w <= most, (job as u32, *done))?;
        }
        Ok((!states.is_empty()).then_some(states))
    }
}

impl Front {
    /// The front of all choices of one alternative of each job that keep to the accounts of a problem, one
    /// job or account after another. Its goal, and what may be left out, have no effect. `None` if some job
    /// has no alternative, or an account does not suffice for the cheapest ones.
    ///
    /// With n jobs of k alternatives and fronts of at most s points: O(n k s log k) time, O(n s) space; a sum
    /// formed or merged is a unit of work. Exact: sums are formed without rounding, and rounded once at the
    /// end; of choices with equal cost and time one is kept, the same at every call.
    ///
    /// # Errors
    /// [`BatchError::FrontTooLarge`] when more than `cap` points (at most 2^31 in all) would be kept: the
    /// front is never cut off silently. [`BatchError::Stopped`] when the meter ends it, and
    /// [`BatchError::Account`] for a malformed account.
    ///
    /// ```
    /// use batch_dp::{Alternatives, ChoiceProblem, FRONT_CAP, Front, Goal};
    /// use sched_model::Limit;
    /// let (goal, limit) = (Goal::MinTime { budget: None }, Limit::default());
    /// let points = |problem: &ChoiceProblem<'_>| -> Result<Vec<(f64, f64)>, batch_dp::BatchError> {
    ///     let front = Front::of(problem, FRONT_CAP, &mut limit.meter())?.unwrap();
    ///     Ok(front.points().iter().map(|point| (point.cost, point.time)).collect())
    /// };
    /// let batch = Alternatives::new(&[vec![(10.0, 4.0), (6.0, 7.0)], vec![(5.0, 2.0), (3.0, 3.0)]])?;
    /// let all = points(&ChoiceProblem::new(&batch, goal))?;
    /// assert_eq!(all, [(9.0, 10.0), (11.0, 9.0), (13.0, 7.0), (15.0, 6.0)]);
    /// // (cost, time): fast or cheap, three times. The first two jobs pay 14 at most together.
    /// let batch = Alternatives::new(&vec![vec![(10.0, 1.0), (4.0, 5.0)]; 3])?;
    /// let within = points(&ChoiceProblem::new(&batch, goal).with_account(&[0, 1], 14.0))?;
    /// assert_eq!(within, [(12.0, 15.0), (18.0, 11.0), (24.0, 7.0)]);
    /// # Ok::<(), batch_dp::BatchError>(())
    /// ```
    pub fn of(
        problem: &ChoiceProblem<'_>,
        cap: usize,
        meter: &mut Meter,
    ) -> Result<Option<Self>, BatchError> {
        let (batch, accounts) = (problem.alternatives, problem.checked_accounts()?);
        let groups: Vec<Group> = match accounts {
            None => (0..batch.jobs()).map(|job| Group { jobs: vec![job], budget: f64::INFINITY }).collect(),
            Some(accounts) => {
                let of = |at: usize| (0..batch.jobs()).filter(|&job| accounts.of_job[job] == at).collect();
                let groups = accounts.budgets.iter().enumerate();
                let groups = groups.map(|(at, &budget)| Group { jobs: of(at), budget });
                groups.filter(|group| !group.jobs.is_empty()).collect()
            }
        };
        Self::of_groups(batch, &groups, cap, meter)
    }

    fn of_groups(
        batch: &Alternatives,
        groups: &[Group],
        cap: usize,
        meter: &mut Meter,
    ) -> Result<Option<Self>, BatchError> {
        if !batch.jobs_without().is_empty() {
            return Ok(None);
        }
        let (mut cost, mut time) = (Grid::default(), Grid::default());
        batch.cost.iter().for_each(|&value| cost.hold(value));
        batch.time.iter().for_each(|&value| time.hold(value));
        let scales = (time.scale(), cost.scale());
        let reserved = meter.memory();
        let front = match time.kind().max(cost.kind()) {
            Kind::Double => Self::exact::<f64>(batch, groups, cap, scales, meter),
            Kind::Long => Self::exact::<i128>(batch, groups, cap, scales, meter),
            Kind::Wide => Self::exact::<Wide>(batch, groups, cap, scales, meter),
        };
        meter.release(meter.memory() - reserved);
        front
    }

    /// The front with sums of one type of number.
    fn exact<N: Amount>(
        batch: &Alternatives,
        groups: &[Group],
        cap: usize,
        scales: (Scale, Scale),
        meter: &mut Meter,
    ) -> Result<Option<Self>, BatchError> {
        let before = meter.work();
        let mut making = Making {
            batch,
            scales,
            cap,
            runs: Runs::default(),
            history: History::default(),
            before,
            held: 0,
            meter,
        };
        let mut states: Vec<State<N, N>> = vec![State::ORIGIN];
        let mut done = 0;
        for group in groups {
            if group.budget == f64::INFINITY {
                for &job in &group.jobs {
                    done += 1;
                    let own = making.steps(job);
                    making.add(&mut states, &own, |_| true, (job as u32, done))?;
                }
                continue;
            }
            let Some(own) = making.affordable(group, &mut done)? else { return Ok(None) };
            // The link of the whole front leads to the history of the point of the user.
            let own: Vec<Step<N, N>> =
                own.iter().map(|point| Step { p: point.p, w: point.w, alt: point.link }).collect();
            making.add(&mut states, &own, |_| true, (WHOLE, done))?;
        }
        let history = making.history;
        // Rounding can make sums equal that were different. Of equal costs the later state is faster, of
        // equal times the earlier state is cheaper.
        let mut points: Vec<(Point, u32)> = Vec::with_capacity(states.len());
        for state in &states {
            let point = Point { cost: state.w.value(&scales.1), time: state.p.value(&scales.0) };
            match points.last_mut() {
                Some((last, _)) if last.time <= point.time => {}
                Some((last, link)) if last.cost == point.cost => (*last, *link) = (point, state.link),
                _ => points.push((point, state.link)),
            }
        }
        let (points, links) = points.into_iter().unzip();
        Ok(Some(Self { points, links, history, jobs: batch.jobs() }))
    }
}
