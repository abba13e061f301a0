//! The whole exact Pareto front of (cost, time), and choices by several criteria on it.

use crate::states::{History, Runs, State, Step, product, undominated};
use crate::{Alternatives, BatchError, Choice};

/// A point of a front: what a choice costs and takes.
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
#[derive(Debug)]
pub struct Front {
    points: Vec<Point>,
    links: Vec<u32>,
    history: History,
    jobs: usize,
}

/// Points of a front at most, unless the caller says otherwise: 1,000,000.
pub const FRONT_CAP: usize = 1_000_000;

impl Front {
    /// The front of a batch, one job after another. `None` if some job has no alternative.
    ///
    /// With n jobs of k alternatives and fronts of at most s points: O(n k s log k) time, O(n s) space. Exact up to the
    /// rounding of sums; of choices with equal cost and time one is kept, the same at every call.
    ///
    /// # Errors
    /// [`BatchError::FrontTooLarge`] when more than `cap` points (at most 2^31 in all) would be kept: never a silent cut.
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
        if !batch.jobs_without().is_empty() {
            return Ok(None);
        }
        let (mut history, mut runs) = (History::default(), Runs::default());
        let mut states = vec![State::ORIGIN];
        let mut own: Vec<Step> = Vec::new();
        for job in 0..batch.jobs() {
            own.clear();
            own.extend(batch.of_job(job).zip(0..).map(|((cost, time), alt)| Step { p: time, w: cost, alt }));
            undominated(&mut own, 0);
            product(&states, &own, &mut runs, |_, _| true);
            std::mem::swap(&mut states, &mut runs.states);
            if states.len() > cap || history.len() + states.len() > 1 << 31 {
                return Err(BatchError::FrontTooLarge { cap, jobs: job + 1, of: batch.jobs() });
            }
            history.commit(&mut states, job as u32);
        }
        // Rounding can make two costs equal that were not; the later state is the faster.
        states.dedup_by(|later, earlier| {
            let equal = later.w == earlier.w;
            if equal {
                *earlier = *later;
            }
            equal
        });
        Ok(Some(Self {
            points: states.iter().map(|state| Point { cost: state.w, time: state.p }).collect(),
            links: states.iter().map(|state| state.link).collect(),
            history,
            jobs: batch.jobs(),
        }))
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
    /// [`BatchError::Weight`] and [`BatchError::NoCriterion`] for a preference that is none.
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
                let (by_cost, by_time) =
                    (weights.cost + weights.budget_left, weights.time + weights.time_left);
                let score = |at: usize| by_cost * self.points[at].cost + by_time * self.points[at].time;
                allowed.min_by(|&a, &b| score(a).total_cmp(&score(b)))
            }
        };
        Ok(best.map(|at| self.choice(at)))
    }
}

/// A criterion of the vector <C, D, T, I> (Toporkov et al. 2011, end of section 2). Cost and time are to be small, what is
/// left of the budget and of the time limit to be great.
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

/// How much each criterion of <C, D, T, I> counts: finite and at least 0.
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

/// Which of several undominated choices is wanted.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Preference {
    /// The least `cost * C - budget_left * D + time * T - time_left * I`; ties to the cheaper.
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
