//! The whole exact Pareto front of (cost, time), and choices by several criteria on it.

use crate::list::{History, Room, Runs, State, Step, product, undominated};
use crate::number::{Amount, Grid, Kind, Scale, Wide};
use crate::{Alternatives, BatchError, Choice};
use sched_model::{End, Limit, Meter};

/// A point of a front: the cost and the time of a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Point {
    /// Total cost.
    pub cost: f64,
    /// Total time.
    pub time: f64,
}

/// All undominated (cost, time) pairs of a batch, each with the choice behind it.
///
/// D = B* - C and I = T* - T are constants minus C and T, so the front of the four criteria <C, D, T, I> is this one,
/// cut off at B* and T*.
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

/// Ends a product as soon as more points than the cap are certain, or the meter says so.
struct Cap<'a, 'm, N> {
    /// The least cost of the jobs before.
    least: N,
    cap: usize,
    /// Sums formed before the first merge: all there are, or a block.
    block: usize,
    too_large: BatchError,
    /// Histories kept so far.
    links: usize,
    before: u64,
    meter: &'a mut Meter<'m>,
    /// Bytes asked of the meter for this product.
    held: &'a mut u64,
}

impl<N: Amount> Cap<'_, '_, N> {
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

    /// Makes sure that lists of so many states are paid for.
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

impl<N: Amount> Room<N, N> for Cap<'_, '_, N> {
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
        // The next group adds a block to a list that is merged into a copy; a vector may be twice its length.
        self.hold(4 * (list.len() + self.block))
    }
}

impl Front {
    /// The front of a batch, one job after another. `None` if some job has no alternative. Within [`FRONT_WORK`] units of
    /// work and the memory of the default [`Limit`].
    ///
    /// With n jobs of k alternatives and fronts of at most s points: O(n k s log k) time, O(n s) space. Exact: sums are
    /// formed without rounding, and rounded once at the end; of choices with equal cost and time one is kept, the same at
    /// every call.
    ///
    /// # Errors
    /// As for [`within`](Self::within).
    ///
    /// ```
    /// use batch_dp::{Alternatives, FRONT_CAP, Front};
    /// let batch = Alternatives::new(&[vec![(10.0, 4.0), (6.0, 7.0)], vec![(5.0, 2.0), (3.0, 3.0)]])?;
    /// let front = Front::of(&batch, FRONT_CAP)?.unwrap();
    /// let points: Vec<_> = front.points().iter().map(|point| (point.cost, point.time)).collect();
    /// assert_eq!(points, [(9.0, 10.0), (11.0, 9.0), (13.0, 7.0), (15.0, 6.0)]);
    /// assert_eq!(front.picks(2), [0, 1]);
    /// # Ok::<(), batch_dp::BatchError>(())
    /// ```
    pub fn of(batch: &Alternatives, cap: usize) -> Result<Option<Self>, BatchError> {
        Self::within(batch, cap, &mut Limit::default().with_work(FRONT_WORK).meter())
    }

    /// The front of a batch within the limit of a meter. A sum formed or merged is a unit of work.
    ///
    /// # Errors
    /// [`BatchError::FrontTooLarge`] when more than `cap` points (at most 2^31 in all) would be kept: the front is
    /// never cut off silently.
    /// [`BatchError::Stopped`] when the meter ends it.
    pub fn within(
        batch: &Alternatives,
        cap: usize,
        meter: &mut Meter<'_>,
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
            Kind::Double => Self::exact::<f64>(batch, cap, scales, meter),
            Kind::Short => Self::exact::<i64>(batch, cap, scales, meter),
            Kind::Long => Self::exact::<i128>(batch, cap, scales, meter),
            Kind::Wide => Self::exact::<Wide>(batch, cap, scales, meter),
        };
        meter.release(meter.memory() - reserved);
        front.map(Some)
    }

    /// The front with sums of one type of number.
    fn exact<N: Amount>(
        batch: &Alternatives,
        cap: usize,
        scales: (Scale, Scale),
        meter: &mut Meter<'_>,
    ) -> Result<Self, BatchError> {
        let (mut history, mut runs) = (History::default(), Runs::default());
        let mut states: Vec<State<N, N>> = vec![State::ORIGIN];
        let mut own: Vec<Step<N, N>> = Vec::new();
        let (before, mut held) = (meter.work(), 0);
        for job in 0..batch.jobs() {
            own.clear();
            own.extend(batch.of_job(job).zip(0..).map(|((cost, time), alt)| Step {
                p: N::of(time, &scales.0),
                w: N::of(cost, &scales.1),
                alt,
            }));
            undominated(&mut own, 0);
            let Some(&State { w: least, .. }) = states.first() else { break };
            let mut room = Cap {
                least,
                cap,
                block: BLOCK.min(states.len().saturating_mul(own.len())),
                too_large: BatchError::FrontTooLarge { cap, jobs: job + 1, of: batch.jobs() },
                links: history.len(),
                before,
                meter: &mut *meter,
                held: &mut held,
            };
            room.hold(4 * room.block)?;
            product(&states, &own, &mut runs, |_, _| true, &mut room)?;
            let points = runs.states.len();
            let asked = room.meter.reserve((points * History::BYTES) as u64);
            room.ask(asked)?;
            std::mem::swap(&mut states, &mut runs.states);
            history.commit(&mut states, job as u32);
        }
        // Rounding can make sums equal that were not. Of equal costs the later state is the faster, of equal times the
        // earlier the cheaper.
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
        Ok(Self { points, links, history, jobs: batch.jobs() })
    }

    /// The points, in ascending order of cost and descending order of time.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The alternative picked for each job at a point.
    ///
    /// # Panics
    /// If `point >= points().len()`, as indexing a slice does.
    #[must_use]
    pub fn picks(&self, point: usize) -> Vec<usize> {
        let mut picks = vec![0; self.jobs];
        for (job, pick) in self.history.steps(self.links[point]) {
            picks[job] = pick as usize;
        }
        picks
    }

    /// The choice at a point.
    ///
    /// # Panics
    /// As for [`picks`](Self::picks).
    #[must_use]
    pub fn choice(&self, point: usize) -> Choice {
        let Point { cost, time } = self.points[point];
        Choice { picks: self.picks(point), cost, time }
    }

    /// The best choice by a [`Preference`] among those with cost at most `budget` and time at most `time_limit`; `None`
    /// if there is none.
    ///
    /// # Errors
    /// [`BatchError::Weight`] and [`BatchError::NoCriterion`] for a preference with a wrong weight or without a
    /// criterion.
    pub fn best(
        &self,
        budget: f64,
        time_limit: f64,
        preference: &Preference,
    ) -> Result<Option<Choice>, BatchError> {
        preference.check()?;
        let mut allowed = (0..self.points.len())
            .filter(|&at| self.points[at].cost <= budget && self.points[at].time <= time_limit);
        // On a front cost ascends and time descends, so of several criteria in order the first decides: the ends.
        let best = match preference {
            Preference::Lexicographic(order) => match order.first() {
                Some(Criterion::Time | Criterion::TimeLeft) => allowed.next_back(),
                _ => allowed.next(),
            },
            Preference::Weighted(weights) => {
                let (by_cost, by_time) = weights.of_cost_and_time();
                let score = |at: usize| by_cost * self.points[at].cost + by_time * self.points[at].time;
                allowed.min_by(|&a, &b| score(a).total_cmp(&score(b)))
            }
        };
        Ok(best.map(|at| self.choice(at)))
    }
}

/// A criterion of the vector <C, D, T, I> (Toporkov et al. 2011, end of section 2). Cost and time are minimised; what
/// is left of the budget and of the time limit is maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Criterion {
    /// C: total cost.
    Cost,
    /// D = B* - C: what is left of the budget.
    BudgetLeft,
    /// T: total time.
    Time,
    /// I = T* - T: what is left of the time limit.
    TimeLeft,
}

/// The weight of each criterion of <C, D, T, I>: finite and at least 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Weights {
    /// Of C.
    pub cost: f64,
    /// Of D.
    pub budget_left: f64,
    /// Of T.
    pub time: f64,
    /// Of I.
    pub time_left: f64,
}

impl Weights {
    /// What cost and time count, up to a factor: scores of both neither overflow nor lose a bit by it.
    fn of_cost_and_time(&self) -> (f64, f64) {
        /// 2^-600.
        const SMALLER: f64 = f64::from_bits((1023 - 600) << 52);
        let all = [self.cost, self.budget_left, self.time, self.time_left];
        let factor = if all.iter().any(|&weight| weight > 1e100) { SMALLER } else { 1.0 };
        let [cost, budget_left, time, time_left] = all.map(|weight| weight * factor);
        (cost + budget_left, time + time_left)
    }
}

/// Which of several undominated choices is wanted.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Preference {
    /// The least `cost * C - budget_left * D + time * T - time_left * I`; of equal ones the cheaper.
    Weighted(Weights),
    /// The best by the first criterion, among these by the second, and so on.
    Lexicographic(Vec<Criterion>),
}

impl Preference {
    fn check(&self) -> Result<(), BatchError> {
        match self {
            Self::Lexicographic(order) if order.is_empty() => Err(BatchError::NoCriterion),
            Self::Lexicographic(_) => Ok(()),
            Self::Weighted(weights) => [
                ("cost", weights.cost),
                ("budget left", weights.budget_left),
                ("time", weights.time),
                ("time left", weights.time_left),
            ]
            .into_iter()
            .find(|(_, value)| !(value.is_finite() && *value >= 0.0))
            .map_or(Ok(()), |(criterion, value)| Err(BatchError::Weight { criterion, value })),
        }
    }
}
